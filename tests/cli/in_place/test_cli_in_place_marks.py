"""raw --in-place where a file cannot be marked: nothing is begun unless that is allowed, and what follows from it is told."""

import os
import shlex
import shutil
import signal
import subprocess

import pytest
from conftest import CHUNK, PROGRAM, RAW_CTR, is_root, random_bytes

JOURNAL, MARK = "FILE.phalanx-journal", "user.phalanx.in-place"
ON = ["raw", "encrypt", *RAW_CTR, "--in-place", "FILE"]
ALLOWED = [*ON, "--allow-unmarked"]
SIZE = 2 * CHUNK + 5000
NO_ROOM = ["ENOSPC", "EDQUOT", "E2BIG", "ERANGE", "EPERM", "EACCES"]


def prepare(files):
    before = random_bytes(SIZE, seed=11)
    files.write("FILE", before)
    return before, files.run("raw", "encrypt", *RAW_CTR, "FILE", check=0).stdout


def assert_told(files, done, *words):
    """One warning, and nothing else."""
    assert done.returncode == 0, done.stderr
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1 and lines[0].startswith(f"{files.name}: warning: FILE "), lines
    assert all(word in lines[0] for word in (*words, "do not rename or move it")), lines


def test_a_journal_whose_name_is_not_durable(files, faults):
    """A power cut would take it, and leave a file that is half done."""
    before, _ = prepare(files)
    files.assert_refused(files.run(*ON, env=faults(f"fsync:/{files.folder.name}@every=EINVAL")), 1, JOURNAL + " cannot be made durable")
    assert files.read("FILE") == before and JOURNAL not in files.names()


@pytest.mark.parametrize("error", NO_ROOM)
def test_no_room_for_the_mark_is_an_error(files, faults, error):
    before, after = prepare(files)
    fails = faults(f"fsetxattr:FILE@every={error}")
    files.assert_refused(files.run(*ON, env=fails), 1, "FILE has no room", "--allow-unmarked")
    assert files.read("FILE") == before and JOURNAL not in files.names()
    assert_told(files, files.run(*ALLOWED, env=fails), "no room")
    assert files.read("FILE") == after and JOURNAL not in files.names()


@pytest.mark.parametrize("error", ["EOPNOTSUPP", "ENOSYS"])
def test_a_file_system_without_attributes_is_told(files, faults, error):
    _, after = prepare(files)
    fails = faults(f"fsetxattr:FILE@every={error}")
    assert_told(files, files.run(*ON, env=fails), "keeps no extended attributes")
    assert files.read("FILE") == after
    prepare(files)
    assert files.run(*ON, "-q", env=fails).stderr == b"" and files.read("FILE") == after


@pytest.mark.parametrize("rule", [f"pwrite:{JOURNAL}@3=kill", "pwrite:FILE@2=tear"])
def test_no_room_for_a_run_that_goes_on(files, faults, rule):
    """The journal stays; and so does what was done."""
    before, after = prepare(files)
    assert files.run(*ON, env=faults(rule)).returncode == -signal.SIGKILL
    left, journal = files.read("FILE"), files.read(JOURNAL)
    done = files.run(*ON, env=faults("fsetxattr:FILE@1=ENOSPC"))
    files.assert_refused(done, 1, "no room", "--allow-unmarked", "the same command again resumes it")
    assert (files.read("FILE"), files.read(JOURNAL)) == (left, journal)
    files.run(*ALLOWED, env=faults("fsetxattr:FILE@1=ENOSPC"), check=0)
    assert files.read("FILE") == after and JOURNAL not in files.names()


def test_a_refusal_is_no_beginning_at_any_call(files, faults):
    """A kill while the journal of a refused run is removed leaves a file that is crypted once."""
    before, after = prepare(files)
    for call in range(1, 20):
        files.write("FILE", before)
        done = files.run(*ON, env=faults(f"fsetxattr:FILE@1=ENOSPC;change@{call}=tear"))
        assert files.read("FILE") == before
        if done.returncode == 1:
            break
        assert done.returncode == -signal.SIGKILL
        files.run(*ON, check=0)
        assert files.read("FILE") == after and JOURNAL not in files.names()
    assert 5 < call < 19


def fill_attributes(path):
    """Until there is no room for the mark. Skips where there always is."""
    size, number = 3000, 0
    try:
        while number < 200:
            try:
                os.setxattr(path, f"user.fill{number}", bytes(size))
                number += 1
            except OSError:
                if size == 1:
                    return
                size = size // 2
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error}")
    pytest.skip("room for any number of attributes here")


def test_a_file_whose_attributes_are_full(files):
    """As it is on ext4: no call is made to fail."""
    before, after = prepare(files)
    try:
        os.setxattr(files.folder / "FILE", "user.first", b"x")
    except OSError as error:
        pytest.skip(f"no extended attributes here: {error}")
    fill_attributes(files.folder / "FILE")
    files.assert_refused(files.run(*ON), 1, "FILE has no room", "--allow-unmarked")
    assert files.read("FILE") == before and JOURNAL not in files.names()
    assert_told(files, files.run(*ALLOWED), "no room")
    assert files.read("FILE") == after


def in_ramfs(files, script):
    """Runs a shell script in a file system of memory without attributes, which nobody else sees."""
    if not is_root() or not shutil.which("unshare"):
        pytest.skip("mounting a file system needs root")
    (files.folder / "mounted").mkdir()
    command = f"mount -t ramfs none mounted && cp key FILE mounted && cd mounted && {script}"
    return subprocess.run(["unshare", "-m", "sh", "-c", command], cwd=files.folder, capture_output=True)


def test_a_real_file_system_without_attributes(files):
    _, after = prepare(files)
    done = in_ramfs(files, f"{shlex.join([PROGRAM, *ON])} && cp FILE ../DONE")
    if b"mount" in done.stderr or b"unshare" in done.stderr:
        pytest.skip(f"no ramfs here: {done.stderr.decode()}")
    if done.stderr == b"":
        pytest.skip("this ramfs keeps attributes")
    assert_told(files, done, "keeps no extended attributes")
    assert files.read("DONE") == after
