"""migrate: containers have the times, permissions, owners and extended attributes of their old files, and no more rights."""

import os
import stat

import pytest
from conftest import KEY, NOBODY, OLD, TREE, is_root, seal_old

OLD_TIME = 1_111_111_111_123_456_789  # ns: long ago, and not whole seconds
TEXT = b"a text that anybody can read, long enough\n"


def attributes(path):
    status = path.stat()
    return status.st_mtime_ns, stat.S_IMODE(status.st_mode)


def age(path, mode, time=OLD_TIME):
    path.chmod(mode)
    os.utime(path, ns=(time, time))


@pytest.fixture
def old(files):
    seal_old(files, "old/a", TEXT)
    seal_old(files, "old/sub/b", TEXT)
    age(files.folder / "old/a", 0o640)
    age(files.folder / "old/sub/b", 0o444)
    age(files.folder / "old/sub", 0o750, OLD_TIME + 5)
    age(files.folder / "old", 0o711, OLD_TIME + 6)
    return files


def new_attributes(files):
    return {name: attributes(files.folder / "new" / name) for name in ("a.phalanx", "sub/b.phalanx", "sub", "")}


EXPECTED = {
    "a.phalanx": (OLD_TIME, 0o640), "sub/b.phalanx": (OLD_TIME, 0o444), "sub": (OLD_TIME + 5, 0o750), "": (OLD_TIME + 6, 0o711),
}  # fmt: skip


def test_a_tree_keeps_times_and_permissions(old):
    old.run(*TREE, *OLD, *KEY, check=0)
    assert new_attributes(old) == EXPECTED
    assert attributes(old.folder / "old") == EXPECTED[""]  # and reading changes nothing
    # Removing the old files changes their folders' times, and those of the new ones stay.
    old.run(*TREE, *OLD, *KEY, "--delete-source", check=0)
    assert new_attributes(old) == EXPECTED and not (old.folder / "old/a").exists()
    old.run(*TREE, *OLD, *KEY, check=0)
    assert new_attributes(old) == EXPECTED


def test_removed_in_the_same_run(old):
    old.run(*TREE, *OLD, *KEY, "--delete-source", check=0)
    assert new_attributes(old) == EXPECTED


def test_after_kills(old, faults):
    for number in range(3, 60, 8):
        old.run(*TREE, *OLD, *KEY, env=faults(f"change@{number}=kill"))
    old.run(*TREE, *OLD, *KEY, check=0)
    found = new_attributes(old)
    assert {name: found[name][0] for name in found} == {name: EXPECTED[name][0] for name in found}
    assert all(found[name][1] & ~EXPECTED[name][1] == 0 for name in found if name not in ("", "sub"))


def test_not_where_it_is_not_wanted(old):
    old.run(*TREE, *OLD, *KEY, "--no-preserve", check=0, umask=0o027)
    found = new_attributes(old)
    assert [found[name][1] for name in ("a.phalanx", "sub/b.phalanx", "sub")] == [0o640, 0o640, 0o750]
    assert all(time > OLD_TIME + 10 for time, _ in found.values())


def test_a_single_file(old):
    old.run("migrate", *OLD, *KEY, "old/a", "OUT", check=0)
    assert attributes(old.folder / "OUT") == EXPECTED["a.phalanx"]


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o1777, 0o6640])
def test_no_special_bit_is_copied(old, mode):
    age(old.folder / "old/a", mode)
    old.run("migrate", *OLD, *KEY, "old/a", "OUT", check=0)
    assert attributes(old.folder / "OUT") == (OLD_TIME, mode & 0o777)


def test_a_sticky_folder_lets_nobody_remove_the_files_of_others(old):
    age(old.folder / "old/sub", 0o1777)
    old.run(*TREE, *OLD, *KEY, check=0)
    assert stat.S_IMODE((old.folder / "new/sub").stat().st_mode) == 0o755


def test_until_it_is_complete_only_its_owner_may_read_it(old, faults):
    """Nor is a folder that is made ever wider than the old one."""
    look = "python3 -S -c 'import os; print(oct(os.stat(os.environ[\"FAULT_PATH\"]).st_mode), file=open(\"modes\", \"a\"))'"
    old.run(*TREE, *OLD, *KEY, "--jobs", "1", env=faults("fsync:.phalanx-partial@1=run", actor=look), check=0)
    assert old.read("modes").split() == [b"0o100600"]


def test_extended_attributes(old):
    try:
        os.setxattr(old.folder / "old/a", "user.comment", b"kept \0 whole")
        os.setxattr(old.folder / "old/sub", "user.of", b"a folder")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    os.setxattr(old.folder / "old/a", "user.phalanx.in-place", b"1 2 a.phalanx-journal")
    done = old.run(*TREE, *OLD, *KEY)
    assert done.returncode == 2 and b"old/a is half done" in done.stderr and not (old.folder / "new/a.phalanx").exists()
    os.removexattr(old.folder / "old/a", "user.phalanx.in-place")
    age(old.folder / "old/a", 0o640)
    old.run(*TREE, *OLD, *KEY, check=0)
    assert os.listxattr(old.folder / "new/a.phalanx") == ["user.comment"]
    assert os.getxattr(old.folder / "new/a.phalanx", "user.comment") == b"kept \0 whole"
    assert os.getxattr(old.folder / "new/sub", "user.of") == b"a folder"


@pytest.mark.skipif(not is_root(), reason="only root gives files away")
def test_owners(old):
    os.chown(old.folder / "old/a", NOBODY, NOBODY - 1)
    age(old.folder / "old/a", 0o640)
    old.run(*TREE, *OLD, *KEY, check=0)
    status = (old.folder / "new/a.phalanx").stat()
    assert (status.st_uid, status.st_gid) == (NOBODY, NOBODY - 1) and attributes(old.folder / "new/a.phalanx") == (OLD_TIME, 0o640)


@pytest.mark.skipif(not is_root(), reason="only root can become another user")
def test_another_group_gets_no_more_than_others(files):
    """Whoever migrates it is not of the old file's group, which may write it: his own group may not write the container."""
    seal_old(files, "old/a", TEXT)
    age(files.folder / "old/a", 0o664)
    os.chown(files.folder / "old/a", 0, NOBODY - 1)
    for path in [files.folder, *files.folder.parents][:3]:
        path.chmod(0o755)
    files.folder.chmod(0o777)
    (files.folder / "key").chmod(0o644)
    (files.folder / "pass").chmod(0o644)
    as_nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    done = files.run("migrate", *OLD, *KEY, "old/a", "OUT", **as_nobody)
    if b"cannot open" in done.stderr:
        pytest.skip("another user cannot reach this folder")
    assert done.returncode == 0, done.stderr
    assert attributes(files.folder / "OUT") == (OLD_TIME, 0o644)
