"""The last moment of an OUT: who may do what with a file that replaces another, and what is true when a signal comes then."""

import os
import stat
import struct

import pytest
from conftest import CHUNK, KEY, NOBODY, OLD, TO_OUT, TREE, is_root, random_bytes, seal_old

ACCESS, DEFAULT = "system.posix_acl_access", "system.posix_acl_default"
USER, GROUP, MASK, OTHER = 0x02, 0x08, 0x10, 0x20  # tags of entries; 1 and 4: the owner, the owning group
SOMEBODY = 1000
LOOK = "python3 -S -c 'import os; print(oct(os.stat(os.environ[\"FAULT_PATH\"]).st_mode), file=open(\"modes\", \"a\"))'"


def access_list(group, others, mask, somebody):
    """acl(5) as the system stores it: somebody is a user of its own."""
    entries = [(1, 6, -1), (USER, somebody, SOMEBODY), (4, group, -1), (MASK, mask, -1), (OTHER, others, -1)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)


def set_list(path, kind, *rights):
    try:
        os.setxattr(path, kind, access_list(*rights))
    except OSError:
        pytest.skip("this file system has no access lists")


def list_of(path):
    try:
        return os.getxattr(path, ACCESS)
    except OSError:
        return None


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


COMPLETE = b"phalanx: interrupted; OUT has its name, and is complete\n"


@pytest.fixture
def large(files):
    files.write("IN", random_bytes(3 * CHUNK + 5))
    files.run("encrypt", *KEY, "-f", "IN", "BOX", check=0)
    seal_old(files, "OLD", files.read("IN"))
    return files


def assert_complete(files, command):
    out = files.read("OUT") if command == "decrypt" else files.run("decrypt", *KEY, "OUT", check=0).stdout
    assert out == files.read("IN")


@pytest.mark.parametrize("command", TO_OUT)
@pytest.mark.parametrize("force", [[], ["-f"]])
def test_a_signal_in_the_last_moment_says_nothing_that_is_not_so(large, faults, command, force):
    if force:
        large.write("OUT", b"what was there")
    done = large.run(*TO_OUT[command], *force, env=faults("rename@1=term"))
    assert done.returncode == 143 and done.stderr == COMPLETE
    assert_complete(large, command)
    assert "OUT.phalanx-partial" not in large.names()


def test_nor_with_resume(large, faults):
    for command in TO_OUT:
        done = large.run(*TO_OUT[command], "--resume", env=faults("rename@1=term"))
        assert done.returncode == 143 and done.stderr == COMPLETE
        assert_complete(large, command)
        os.remove(large.folder / "OUT")


@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_until_it_has_its_name_it_is_for_its_owner_alone(large, faults, command):
    large.write("OUT", b"")
    (large.folder / "OUT").chmod(0o666)
    large.run(*TO_OUT[command], "-f", env=faults("fsync:.phalanx-partial@every=run", actor=LOOK), check=0)
    assert set(large.read("modes").split()) == {b"0o100600"} and mode_of(large.folder / "OUT") == 0o666


def test_what_a_killed_run_had_opened_is_closed_again(large, faults):
    large.run(*TO_OUT["decrypt"], "--resume", env=faults("pwrite:.phalanx-partial@2=kill"))
    (large.folder / "OUT.phalanx-partial").chmod(0o644)  # as in the last moment
    large.run(*TO_OUT["decrypt"], "--resume", env=faults("pwrite:.phalanx-partial@1=run", actor=LOOK), check=0)
    assert large.read("modes").split() == [b"0o100600"]
    assert_complete(large, "decrypt")


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "recipients"])
def test_an_access_list_is_kept(large, command):
    """Its mask shows as the group's rights, which the group itself may not have."""
    large.write("OUT", large.read("BOX"))
    rights = (0, 0, 6, 6)
    set_list(large.folder / "OUT", ACCESS, *rights)
    large.write("second", random_bytes(32))
    large.run(*(["recipients", "add", *KEY, "--add-key-file", "second", "OUT"] if command == "recipients" else [*TO_OUT[command], "-f"]), check=0)
    assert list_of(large.folder / "OUT") == access_list(*rights) and mode_of(large.folder / "OUT") == 0o660


@pytest.mark.skipif(not is_root(), reason="only root can be another user")
def test_another_owner_gets_the_list_of_nobody(large):
    """A list is about its file's owner; whoever replaces it owns the new one, and others may do no more than before."""
    large.write("OUT", b"")
    set_list(large.folder / "OUT", ACCESS, 0, 0, 6, 6)
    assert replace_as_nobody(large, owner=SOMEBODY, group=NOBODY) == (0o600, NOBODY, NOBODY)
    assert list_of(large.folder / "OUT") is None


def replace_as_nobody(files, owner, group, groups=()):
    """Mode, owner and group of OUT, once nobody has replaced it."""
    os.chown(files.folder / "OUT", owner, group)
    for path in [files.folder, *files.folder.parents][:3]:
        path.chmod(0o755)
    files.folder.chmod(0o777)
    for name in ("key", "BOX"):
        (files.folder / name).chmod(0o644)
    done = files.run(*TO_OUT["decrypt"], "-f", user=NOBODY, group=NOBODY, extra_groups=groups)
    if b"cannot open" in done.stderr:
        pytest.skip("another user cannot reach this folder")
    assert done.returncode == 0, done.stderr
    status = (files.folder / "OUT").stat()
    return stat.S_IMODE(status.st_mode), status.st_uid, status.st_gid


@pytest.mark.skipif(not is_root(), reason="only root can be another user")
def test_the_group_is_kept_where_it_can_be(large):
    large.write("OUT", b"")
    (large.folder / "OUT").chmod(0o660)
    assert replace_as_nobody(large, owner=SOMEBODY, group=3000, groups=[3000]) == (0o660, NOBODY, 3000)


@pytest.mark.skipif(not is_root(), reason="only root can be another user")
def test_else_its_rights_are_nobodys(large):
    large.write("OUT", b"")
    (large.folder / "OUT").chmod(0o664)
    assert replace_as_nobody(large, owner=SOMEBODY, group=3000) == (0o644, NOBODY, NOBODY)


def test_a_folder_gives_no_rights_that_the_old_file_did_not(large):
    seal_old(large, "old/a", b"a text that anybody can read, long enough\n")
    (large.folder / "old/a").chmod(0o640)
    (large.folder / "new").mkdir()
    large.write("new/OUT", b"")
    (large.folder / "new/OUT").chmod(0o640)
    set_list(large.folder / "new", DEFAULT, 7, 7, 7, 7)
    large.run(*TREE, *OLD, *KEY, check=0)
    large.run("decrypt", *KEY, "-f", "BOX", "new/OUT", check=0)
    for name in ("a.phalanx", "OUT"):
        path = large.folder / "new" / name
        assert mode_of(path) == 0o640 and list_of(path) is None


@pytest.mark.skipif(not is_root(), reason="only root gives files away")
@pytest.mark.parametrize("what", ["kill", "kill-after"])
def test_root_goes_on_with_what_it_had_given_away(large, faults, what):
    """A kill may come between the new owner and the name."""
    for name in ("a", "b", "c"):
        seal_old(large, f"old/{name}", b"a text that anybody can read, long enough\n")
        os.chown(large.folder / "old" / name, SOMEBODY, SOMEBODY)
    done = large.run(*TREE, *OLD, *KEY, "--jobs", "1", env=faults(f"rename:.phalanx-partial@2={what}"))
    assert done.returncode == -9
    large.run(*TREE, *OLD, *KEY, check=0)
    assert sorted(os.listdir(large.folder / "new")) == ["a.phalanx", "b.phalanx", "c.phalanx"]


@pytest.mark.skipif(not is_root(), reason="only root gives files away")
@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
@pytest.mark.parametrize("options", [["-f"], ["-f", "--resume"]])
def test_and_with_one_that_it_replaces(large, faults, command, options):
    large.write("OUT", b"what was there")
    os.chown(large.folder / "OUT", SOMEBODY, SOMEBODY)
    assert large.run(*TO_OUT[command], *options, env=faults("rename@1=kill")).returncode == -9
    assert (large.folder / "OUT.phalanx-partial").stat().st_uid == SOMEBODY and large.read("OUT") == b"what was there"
    large.run(*TO_OUT[command], *options, check=0)
    assert_complete(large, command)
    assert (large.folder / "OUT").stat().st_uid == SOMEBODY
