"""raw --in-place over a file that another program takes away, replaces or makes longer meanwhile, and what is found of one afterwards."""

import os
import shutil

import pytest
from conftest import CHUNK, KEY, RAW_CTR, random_bytes

JOURNAL = "FILE.phalanx-journal"
ON = ["raw", "encrypt", *RAW_CTR, "--threads", "1", "--in-place", "FILE"]
SIZE = 3 * CHUNK


@pytest.fixture
def file(phalanx):
    phalanx.write("key", random_bytes(32))
    phalanx.write("other", b"another file")
    phalanx.before = random_bytes(SIZE, seed=12)
    phalanx.write("FILE", phalanx.before)
    phalanx.crypted = phalanx.run("raw", "encrypt", *RAW_CTR, "FILE", check=0).stdout
    return phalanx


@pytest.mark.parametrize("act", ["mv other FILE", "mv FILE moved", "rm FILE"])
def test_what_has_the_name_of_the_file_in_the_end_is_looked_at(file, faults, act):
    """As editors and rsync save: the name is no longer that of what was crypted."""
    done = file.run(*ON, env=faults("pwrite:/FILE@2=run", actor=act))
    file.assert_refused(done, 1, "was renamed, replaced or removed by another program", "what has this name is not")
    assert JOURNAL not in file.names()
    if act == "mv FILE moved":
        assert file.read("moved") == file.crypted
        file.run("encrypt", *KEY, "moved", "BOX", check=0)
    elif act == "mv other FILE":
        assert file.read("FILE") == b"another file"


def test_a_file_that_grew_is_not_crypted_a_second_time(file, faults):
    done = file.run(*ON, env=faults("pwrite:/FILE@2=run", actor="cat other >> FILE"))
    file.assert_refused(done, 1, f"only its first {SIZE} bytes are crypted", "Do not give the command again")
    assert file.read("FILE") == file.crypted + b"another file" and JOURNAL not in file.names()
    if not os.listxattr(file.folder / "FILE"):
        pytest.skip("this file system keeps no extended attributes of users")
    file.assert_refused(file.run(*ON), 2, "grew while a run in place was at work on it", "cut off what was added")
    file.assert_refused(file.run("encrypt", *KEY, "FILE", "BOX"), 2, f"has crypted its first {SIZE} bytes")
    assert file.read("FILE") == file.crypted + b"another file"
    os.truncate(file.folder / "FILE", SIZE)
    (file.folder / "copy").write_bytes(file.read("FILE"))
    file.run("encrypt", *KEY, "copy", "BOX", check=0)


def test_a_file_that_was_cut_short_is_said_to_be_so(file, faults):
    done = file.run(*ON, env=faults("pwrite:/FILE@3=run", actor=f"truncate -s {SIZE - 5} FILE"))
    if os.stat(file.folder / "FILE").st_size == SIZE:  # the piece that was written last brought its end back
        done = file.run(*ON, env=faults("fsetxattr,fremovexattr:/FILE@2=run", actor=f"truncate -s {SIZE - 5} FILE"))
    file.assert_refused(done, 1, f"the {SIZE - 5} bytes that are left are crypted", "take a copy of before")


def stop(file, faults):
    assert file.run(*ON, env=faults("pwrite:/FILE@2=kill-after")).returncode == -9
    assert JOURNAL in file.names()


def test_both_that_were_copied_together_are_known_by_their_content(file, faults):
    stop(file, faults)
    for name in ("FILE", JOURNAL):
        shutil.copyfile(file.folder / name, file.folder / f"copy of {name}")
        os.rename(file.folder / f"copy of {name}", file.folder / name)
    done = file.run(*ON)
    file.assert_refused(done, 2, "this file's content is what it names", "--trust-journal")
    assert b"begin anew" not in done.stderr
    file.run(*ON, "--trust-journal", check=0)
    assert file.read("FILE") == file.crypted


def test_without_the_journal_nobody_is_told_to_go_on(file, faults):
    stop(file, faults)
    (file.folder / JOURNAL).unlink()
    if not os.listxattr(file.folder / "FILE"):
        pytest.skip("this file system keeps no extended attributes of users")
    done = file.run("encrypt", *KEY, "FILE", "BOX")
    file.assert_refused(done, 2, "whose journal is FILE.phalanx-journal, and not beside it", "only a copy of before")
    anew = file.run(*ON, check=0)
    assert b"warning: FILE was half done, and its journal is gone" in anew.stderr
