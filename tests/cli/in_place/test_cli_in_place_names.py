"""raw --in-place: a file is one file under all of its names, and knows where the journal is that tells how far it is."""

import os
import shlex
import signal

import pytest
from conftest import CHUNK, PROGRAM, RAW_CTR, random_bytes

JOURNAL, MARK = "FILE.phalanx-journal", "user.phalanx.in-place"
ON = ["raw", "encrypt", *RAW_CTR, "--in-place"]
SIZE = 3 * CHUNK + 5000


@pytest.fixture
def marks(tmp_path):
    try:
        os.setxattr(tmp_path, MARK, b"")
        os.removexattr(tmp_path, MARK)
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error}")


def prepare(files):
    before = random_bytes(SIZE, seed=11)
    files.write("FILE", before)
    return before, files.run("raw", "encrypt", *RAW_CTR, "FILE", check=0).stdout


def killed(files, faults, rule="pwrite:FILE@3=tear"):
    """What FILE was, what it is to become, and what it is now."""
    before, after = prepare(files)
    assert files.run(*ON, "FILE", env=faults(rule)).returncode == -signal.SIGKILL
    assert JOURNAL in files.names() and files.read("FILE") not in (before, after)
    return before, after, files.read("FILE")


def assert_unmarked(files, name="FILE"):
    assert MARK not in os.listxattr(files.folder / name)


def test_a_file_with_two_names_is_refused_under_both(files):
    before, _ = prepare(files)
    os.link(files.folder / "FILE", files.folder / "other")
    for name in ("FILE", "other"):
        files.assert_refused(files.run(*ON, name), 2, name, "hard links", "copy")
    assert files.read("FILE") == before and not any("journal" in name for name in files.names())


@pytest.mark.parametrize("act", ["mv FILE other", "ln FILE other", "ln -s FILE other"])
def test_two_runs_under_two_names_are_never_at_work_together(files, faults, act):
    _, after = prepare(files)
    second = f"{act} && {shlex.join([PROGRAM, *ON, 'other'])}"
    log = files.folder.parent / "log"
    log.unlink(missing_ok=True)
    files.run(*ON, "FILE", env=faults("pwrite:FILE@2=run", actor=second, log=log), check=1 if act.startswith("mv") else 0)
    assert "actor 2\n" in log.read_text() and "is in use" in log.read_text() and files.read("other") == after


@pytest.mark.parametrize("act", ["mv FILE other", "ln FILE other && rm FILE", "mkdir d && mv FILE d/FILE", "cp -a FILE other"])
def test_a_file_that_was_stopped_half_way_is_known_under_any_name(files, faults, marks, act):
    _, after, left = killed(files, faults)
    other = "d/FILE" if "mkdir" in act else "other"
    os.system(f"cd {shlex.quote(str(files.folder))} && {act}")
    files.assert_refused(files.run(*ON, other), 2, other, JOURNAL, "old name", "copy")
    assert files.read(other) == left and not (files.folder / f"{other}.phalanx-journal").exists()
    if not act.startswith("cp"):
        os.rename(files.folder / other, files.folder / "FILE")
    files.run(*ON, "FILE", check=0)
    assert files.read("FILE") == after and JOURNAL not in files.names()
    assert_unmarked(files)


def test_a_file_that_moves_with_its_journal_goes_on(files, faults, marks):
    _, after, _ = killed(files, faults)
    os.rename(files.folder / "FILE", files.folder / "other")
    os.rename(files.folder / JOURNAL, files.folder / "other.phalanx-journal")
    files.run(*ON, "other", check=0)
    assert files.read("other") == after and "other.phalanx-journal" not in files.names()
    assert_unmarked(files, "other")


def test_a_copy_that_is_to_be_crypted_as_it_is(files, faults, marks):
    """cp takes no attributes along, unless it is told to."""
    _, _, left = killed(files, faults)
    (files.folder / "other").write_bytes(left)
    files.run(*ON, "other", check=0)
    assert files.read("other") == files.run("raw", "encrypt", *RAW_CTR, "-", stdin=left, check=0).stdout


def test_a_removed_journal_begins_anew_on_the_same_name(files, faults, marks):
    _, _, left = killed(files, faults)
    (files.folder / JOURNAL).unlink()
    files.run(*ON, "FILE", check=0)
    assert files.read("FILE") == files.run("raw", "encrypt", *RAW_CTR, "-", stdin=left, check=0).stdout
    assert_unmarked(files)


@pytest.mark.parametrize("what", ["kill", "tear", "kill-after", "term", "EIO"])
def test_renamed_after_any_call_it_is_whole_or_refused(files, faults, marks, what):
    before, after = prepare(files)
    num_refused = 0
    for call in range(1, 1 + faults.count(files, "change", *ON, "FILE")):
        for name in ("other", JOURNAL):
            (files.folder / name).unlink(missing_ok=True)
        files.write("FILE", before)
        code = files.run(*ON, "FILE", env=faults(f"change@{call}={what}")).returncode
        left = files.read("FILE")
        os.rename(files.folder / "FILE", files.folder / "other")
        done = files.run(*ON, "other")
        if left not in (before, after):
            files.assert_refused(done, 2, JOURNAL)
        num_refused += done.returncode == 2
        if done.returncode == 2:
            assert files.read("other") == left
            os.rename(files.folder / "other", files.folder / "FILE")
            files.run(*ON, "FILE", check=0)
            assert files.read("FILE") == after, (call, code)
            assert_unmarked(files)
    assert num_refused >= 4


def test_a_mark_that_fails_leaves_what_goes_on(files, faults, marks):
    before, after = prepare(files)
    done = files.run(*ON, "FILE", env=faults("fsetxattr@1=EIO"))
    files.assert_refused(done, 1, "mark FILE", "same command again resumes")
    assert files.read("FILE") == before
    done = files.run(*ON, "FILE", env=faults("fremovexattr@1=EIO"))
    files.assert_refused(done, 1, "the mark of FILE", "same command again resumes")
    files.run(*ON, "FILE", check=0)
    assert files.read("FILE") == after
    assert_unmarked(files)


def test_a_mark_that_is_not_ours_is_no_way_in(files, marks):
    before, _ = prepare(files)
    for value in (b"x", b"1 2 \x1b[2Jevil", b"x" * 2000):
        os.setxattr(files.folder / "FILE", MARK, value)
        done = files.run(*ON, "FILE")
        assert done.returncode in (1, 2) and len(done.stderr.splitlines()) == 1 and b"\x1b" not in done.stderr
        assert files.read("FILE") == before and JOURNAL not in files.names()
