"""`encrypt --each` and `decrypt --each` of folders, again and again: what is sealed anew, what is removed, what never is."""

import os
import re
import shutil
import stat
from pathlib import Path

import pytest
from conftest import KEY, NOBODY, contents, is_root, random_bytes
from pruned_trees import NIGHTLY, OLD_TIME, PRUNING, RESTORE, put

BACKUP = NIGHTLY[:-1]


@pytest.fixture
def tree(phalanx):
    phalanx.write("key", random_bytes(32))
    put(phalanx, "src/one", b"one", 0o755, OLD_TIME)
    put(phalanx, "src/a/two", b"two", 0o600)
    put(phalanx, "src/a/b/three", random_bytes(40_000), 0o640)
    (phalanx.folder / "src/empty").mkdir()
    return phalanx


@pytest.fixture
def sealed(tree):
    tree.run(*NIGHTLY, check=0)
    return tree


def counts_of(done):
    return done.stderr.decode().splitlines()[-1].removeprefix("phalanx: ")


def attributes(path):
    status = path.stat()
    return oct(stat.S_IMODE(status.st_mode)), status.st_mtime_ns


def assert_restored(files, folder="back", source="src"):
    shutil.rmtree(files.folder / folder, ignore_errors=True)
    files.run(*RESTORE, check=0)
    names = sorted(str(path.relative_to(files.folder / source)) for path in (files.folder / source).rglob("*") if not path.is_symlink())
    found = sorted(str(path.relative_to(files.folder / folder)) for path in (files.folder / folder).rglob("*"))
    assert found == names
    for name in [".", *names]:
        one, other = files.folder / source / name, files.folder / folder / name
        assert attributes(one) == attributes(other), name
        assert one.is_dir() or one.read_bytes() == other.read_bytes()


def test_a_folder_becomes_a_folder_of_containers_and_back(tree):
    done = tree.run(*BACKUP, check=0)
    assert counts_of(done) == "3 encrypted, 0 failed, 0 skipped"
    assert attributes(tree.folder / "bk/one.phalanx") == ("0o755", OLD_TIME)
    assert_restored(tree)
    assert not list((tree.folder / "src").rglob("*.phalanx"))


def test_one_file_a_folder_and_all_come_back_by_one_command_each(sealed):
    sealed.run("decrypt", "--each", *KEY, "bk/a/two.phalanx", "--to-tree", "one", check=0)
    sealed.run("decrypt", *KEY, "bk/a/two.phalanx", "two", check=0)
    sealed.run("decrypt", "--each", *KEY, "bk/a", "--to-tree", "some", check=0)
    for name in ("one/two", "two", "some/two"):
        assert sealed.read(name) == b"two" and attributes(sealed.folder / name) == attributes(sealed.folder / "src/a/two")
    assert_restored(sealed)
    done = sealed.run(*RESTORE, check=0)
    assert done.stderr.count(b"skipped: done before") == 3 and counts_of(done) == "0 decrypted, 0 failed, 3 skipped"
    put(sealed, "back/one", b"my own")
    assert sealed.run(*RESTORE).returncode == 2 and sealed.read("back/one") == b"my own"
    sealed.run(*RESTORE, "--force", check=0)
    assert sealed.read("back/one") == b"one"


def test_a_file_with_two_names_becomes_two_and_holes_are_filled(tree):
    os.link(tree.folder / "src/one", tree.folder / "src/other")
    with (tree.folder / "src/sparse").open("wb") as file:
        file.seek(1 << 20)
        file.write(b"behind a hole")
    os.utime(tree.folder / "src/sparse", ns=(OLD_TIME, OLD_TIME))
    done = tree.run(*BACKUP, check=0)
    assert counts_of(done) == "5 encrypted, 0 failed, 0 skipped"
    assert_restored(tree)
    one, other = (os.stat(tree.folder / "back" / name) for name in ("one", "other"))
    assert one.st_nlink == other.st_nlink == 1 and one.st_ino != other.st_ino
    assert os.stat(tree.folder / "back/sparse").st_blocks * 512 >= 1 << 20


def test_update_seals_what_changed_and_nothing_else(sealed):
    before = contents(sealed)
    done = sealed.run(*NIGHTLY, check=0)
    assert counts_of(done) == "0 encrypted, 3 unchanged, 0 failed, 0 skipped" and len(done.stderr.splitlines()) == 1
    assert contents(sealed) == before
    put(sealed, "src/one", b"two", time=OLD_TIME - 1)  # as long, and older: the time is compared for equality
    put(sealed, "src/new", b"")
    done = sealed.run(*NIGHTLY, check=0)
    assert counts_of(done) == "2 encrypted, 2 unchanged, 0 failed, 0 skipped"
    assert_restored(sealed)


def test_permissions_alone_are_mended_without_sealing(sealed):
    before = contents(sealed)
    (sealed.folder / "src/one").chmod(0o640)
    (sealed.folder / "src/a/two").chmod(0o644)
    (sealed.folder / "src/a").chmod(0o700)
    assert counts_of(sealed.run(*NIGHTLY, check=0)) == "0 encrypted, 3 unchanged, 0 failed, 0 skipped"
    after = contents(sealed)
    assert {name for name in after if before.get(name) != after[name]} <= {Path("bk/.phalanx-tree")}
    assert_restored(sealed)


def test_but_not_through_another_name_of_the_container(sealed):
    """As a copy of an earlier night by hard links has it."""
    os.link(sealed.folder / "bk/one.phalanx", sealed.folder / "kept")
    (sealed.folder / "src/one").chmod(0o600)
    assert counts_of(sealed.run(*NIGHTLY, check=0)) == "1 encrypted, 2 unchanged, 0 failed, 0 skipped"
    assert attributes(sealed.folder / "kept") == ("0o755", OLD_TIME) and attributes(sealed.folder / "bk/one.phalanx")[0] == "0o600"


def test_by_content_forged_times_do_not_help(sealed):
    """Who may write to the target may put an old container there with the time and the length of the new file."""
    stale = sealed.read("bk/one.phalanx")
    put(sealed, "src/one", b"new", time=OLD_TIME + 5)
    put(sealed, "bk/one.phalanx", stale, 0o644, OLD_TIME + 5)
    assert counts_of(sealed.run(*NIGHTLY, check=0)).startswith("0 encrypted, 3 unchanged")
    done = sealed.run(*BACKUP, "--update=content", check=0)
    assert counts_of(done).startswith("1 encrypted, 2 unchanged")
    assert_restored(sealed)
    sealed.write("other", random_bytes(32, seed=9))
    done = sealed.run("encrypt", "--each", "--key-file", "other", "src", "--to-tree", "bk", "--update=content", check=0)
    assert counts_of(done).startswith("3 encrypted, 0 unchanged"), "they do not open with this key"


def test_by_content_only_times_that_differ_are_mended(sealed):
    before = contents(sealed)
    os.utime(sealed.folder / "src/one", ns=(5, 5_000))
    assert counts_of(sealed.run(*BACKUP, "--update=content", check=0)).startswith("0 encrypted, 3 unchanged")
    after = contents(sealed)
    assert {name for name in before if before[name] != after[name]} == {Path("bk/.phalanx-tree")} and attributes(sealed.folder / "bk/one.phalanx")[1] == 5_000


def test_a_header_that_is_damaged_is_sealed_anew_only_where_it_is_one(sealed):
    content = bytearray(sealed.read("bk/one.phalanx"))
    status = (sealed.folder / "bk/one.phalanx").stat()
    content[9] ^= 0xFF  # the suite
    (sealed.folder / "bk/one.phalanx").write_bytes(content)
    os.utime(sealed.folder / "bk/one.phalanx", ns=(status.st_atime_ns, status.st_mtime_ns))
    done = sealed.run(*PRUNING)
    assert done.returncode == 2 and b"bk/one.phalanx exists, and is no container" in done.stderr


def test_a_rotation_of_recipients_keeps_what_update_compares(sealed):
    sealed.write("new", random_bytes(32, seed=5))
    before = {path.name: (path.stat().st_size, attributes(path)) for path in (sealed.folder / "bk").rglob("*.phalanx")}
    sealed.run("recipients", "replace", "--each", *KEY, "--remove-key-file", "key", "--add-key-file", "new", "bk", check=0)
    after = {path.name: (path.stat().st_size, attributes(path)) for path in (sealed.folder / "bk").rglob("*.phalanx")}
    assert before == after
    assert counts_of(sealed.run(*NIGHTLY, check=0)).startswith("0 encrypted, 3 unchanged")
    sealed.run("recipients", "add", "--each", "--key-file", "new", "--add-key-file", "key", "bk", check=0)  # which writes them anew
    assert counts_of(sealed.run(*NIGHTLY, check=0)).startswith("0 encrypted, 3 unchanged")


@pytest.mark.parametrize("way", ["sealed anew", "moved there"])
def test_what_a_killed_rotation_left_spoils_no_other_container(sealed, faults, way):
    """It stands beside a container of the same name, and a key that opens the old one is tried on the new one."""
    sealed.write("new", random_bytes(32, seed=5))
    rotate = ["recipients", "replace", *KEY, "--remove-key-file", "key", "--add-key-file", "new", "bk/one.phalanx"]
    assert sealed.run(*rotate, env=faults("pwrite:one.phalanx@1=kill")).returncode == -9
    assert (sealed.folder / "bk/one.phalanx.phalanx-header").exists()
    put(sealed, "src/one", b"changed")
    sealed.write("third", random_bytes(32, seed=6))
    if way == "sealed anew":
        sealed.run("encrypt", "--each", "--key-file", "third", "src", "--to-tree", "bk", "--update", check=7)
        assert not (sealed.folder / "bk/one.phalanx.phalanx-header").exists()
    else:
        sealed.run("encrypt", "--key-file", "third", "src/one", "box", check=0)
        os.replace(sealed.folder / "box", sealed.folder / "bk/one.phalanx")
    before = sealed.read("bk/one.phalanx")
    assert sealed.run("verify", *KEY, "bk/one.phalanx").returncode == 4
    assert sealed.run("decrypt", "--key-file", "new", "bk/one.phalanx").returncode == 4
    assert sealed.read("bk/one.phalanx") == before
    assert sealed.run("decrypt", "--key-file", "third", "bk/one.phalanx", check=0).stdout == b"changed"


# --- Containers whose files are gone


def test_they_stay_and_are_counted_until_prune(sealed):
    (sealed.folder / "src/one").unlink()
    shutil.rmtree(sealed.folder / "src/a/b")
    done = sealed.run(*NIGHTLY, check=0)
    assert counts_of(done) == "0 encrypted, 1 unchanged, 0 failed, 0 skipped, 2 kept whose files are gone"
    done = sealed.run(*PRUNING, check=0)
    assert counts_of(done) == "0 encrypted, 1 unchanged, 0 failed, 0 skipped, 2 removed"
    assert b"bk/one.phalanx: removed: its file is gone" in done.stderr
    assert_restored(sealed)


def test_what_is_no_container_is_never_removed(sealed):
    put(sealed, "bk/mine.phalanx", b"my own")
    put(sealed, "bk/notes", b"my own")
    put(sealed, "bk/folder/x", b"my own")
    os.symlink("../key", sealed.folder / "bk/link.phalanx")
    (sealed.folder / "src/one").unlink()
    before = contents(sealed)
    assert counts_of(sealed.run(*PRUNING, check=0)).endswith("1 removed")
    after = contents(sealed)
    assert {str(name) for name in set(before) - set(after)} == {"bk/one.phalanx"} and (sealed.folder / "bk/link.phalanx").is_symlink()


@pytest.mark.parametrize("failure", ["a file", "a full disk"])
def test_nothing_is_removed_where_a_file_failed(sealed, faults, failure):
    """What is gone may be the one that failed, under its new name."""
    (sealed.folder / "src/one").rename(sealed.folder / "src/renamed")
    rule = {"a file": "pread:renamed@every=EIO", "a full disk": "pwrite@1+=ENOSPC"}
    done = sealed.run(*PRUNING, env=faults(rule[failure]))
    assert done.returncode == 1 and b"nothing was removed: not all files could be sealed" in done.stderr, done.stderr
    assert (sealed.folder / "bk/one.phalanx").exists()
    assert counts_of(sealed.run(*PRUNING, check=0)) == "1 encrypted, 2 unchanged, 0 failed, 0 skipped, 1 removed"


def test_what_comes_back_before_its_container_goes_stays(sealed, faults):
    """An editor that saves by renaming: its file is missing for a moment."""
    (sealed.folder / "src/one").unlink()
    done = sealed.run(*PRUNING, env=faults("read:.phalanx-tree@1=run", actor="echo again >src/one"), check=0)
    assert (sealed.folder / "src/one").exists() and (sealed.folder / "bk/one.phalanx").exists()
    assert b"removed" not in done.stderr and b"1 kept whose files are gone" in done.stderr
    assert counts_of(sealed.run(*PRUNING, check=0)).startswith("1 encrypted, 2 unchanged")


@pytest.mark.skipif(not is_root(), reason="root may give files away")
def test_nor_where_a_folder_cannot_be_read(sealed):
    for path in [sealed.folder, *sealed.folder.rglob("*")]:
        os.chown(path, NOBODY, NOBODY)
    (sealed.folder / "src/a").chmod(0)
    done = sealed.run_as_another(*PRUNING, user=NOBODY, group=NOBODY, extra_groups=[])
    assert done.returncode == 1 and b"nothing was removed: not all files could be sealed" in done.stderr, done.stderr
    assert (sealed.folder / "bk/a/b/three.phalanx").exists()


def test_a_kill_while_it_removes_leaves_the_rest_to_the_next_run(sealed, faults):
    for name in ("one", "a/two", "a/b/three"):
        put(sealed, f"src/more/{name}", b"more")
    sealed.run(*NIGHTLY, check=0)
    shutil.rmtree(sealed.folder / "src/more")
    for number in (1, 2, 3):
        done = sealed.run(*PRUNING, env=faults(f"unlink@{number}=kill-after"))
        if done.returncode == 0:
            break
        assert done.returncode == -9
    sealed.run(*PRUNING, check=0)
    assert_restored(sealed)


# --- What is never replaced


def test_two_files_that_would_get_one_name(tree):
    put(tree, "d/x", b"first")
    put(tree, "e/x", b"second")
    for options in ([], ["--update"], ["--force"]):
        shutil.rmtree(tree.folder / "bk", ignore_errors=True)
        done = tree.run("encrypt", "--each", *KEY, "d/x", "e/x", "--to-tree", "bk", *options)
        assert done.returncode == 2
        lost, made_of, plain = (b"e/x", b"d/x", b"first") if b"e/x: bk/x" in done.stderr else (b"d/x", b"e/x", b"second")
        assert re.search(lost + rb": bk/x.phalanx(.phalanx-partial)? was made of " + made_of + b" by this run", done.stderr)
        assert tree.run("decrypt", *KEY, "bk/x.phalanx", check=0).stdout == plain
    done = tree.run("encrypt", "--each", *KEY, "d/x", "d/x", "--to-tree", "twice", check=0)
    assert b"d/x: skipped: given twice" in done.stderr


def test_partial_files_of_killed_runs_are_replaced(tree, faults):
    for rule in ("rename@1=kill", "rename@1=kill-after", "pwrite:one.phalanx.phalanx-partial@1=kill-after"):
        for options in ([], ["--update"]):
            shutil.rmtree(tree.folder / "bk", ignore_errors=True)
            assert tree.run(*BACKUP, *options, env=faults(rule)).returncode == -9
            is_left = any(path.name.endswith("-partial") for path in (tree.folder / "bk").rglob("*"))
            assert is_left or rule.endswith("kill-after"), "which may have come behind the last one's name"
            tree.run(*BACKUP, *options, check=0)
            assert not any(path.name.endswith(("-partial", "-record")) for path in (tree.folder / "bk").rglob("*"))
            assert_restored(tree)


def test_beside_the_files_too(tree, faults):
    assert tree.run("encrypt", "--each", *KEY, "src", env=faults("rename@2=kill")).returncode == -9
    done = tree.run("encrypt", "--each", *KEY, "src", check=0)
    num_before = done.stderr.count(b": skipped: done before\n")  # another thread may have named its file in the same moment
    assert num_before in (1, 2) and b"%d encrypted, 0 failed" % (3 - num_before) in done.stderr
    put(tree, "src/one", b"changed")
    done = tree.run("encrypt", "--each", *KEY, "src", "--update", check=0)
    assert b"1 encrypted, 2 unchanged, 0 failed" in done.stderr
    assert tree.run("decrypt", *KEY, "src/one.phalanx", check=0).stdout == b"changed"
    done = tree.run("encrypt", "--each", "--force", *KEY, "src", check=0)
    assert b"3 encrypted, 0 failed" in done.stderr


def test_links_in_either_tree_are_not_followed(sealed):
    precious = put(sealed, "precious", b"precious")
    os.symlink("../precious", sealed.folder / "src/link")
    (sealed.folder / "bk/one.phalanx").unlink()
    os.symlink("../precious", sealed.folder / "bk/one.phalanx")
    shutil.rmtree(sealed.folder / "bk/a")
    (sealed.folder / "elsewhere").mkdir()
    os.symlink("../elsewhere", sealed.folder / "bk/a")
    for options in (["--update"], ["--force"], ["--update", "--prune"]):
        done = sealed.run(*BACKUP, *options)
        assert done.returncode == 2 and b"src/link: skipped: a symbolic link" in done.stderr
        assert b"bk/one.phalanx is a symbolic link" in done.stderr and b"which is not followed" in done.stderr
        assert precious.read_bytes() == b"precious" and not list((sealed.folder / "elsewhere").iterdir())


def test_a_key_in_the_tree_is_not_sealed_with_itself(tree):
    put(tree, "src/key", tree.read("key"), 0o600)
    done = tree.run("encrypt", "--each", "--key-file", "src/key", "src", "--to-tree", "bk", check=0)
    assert b"src/key: skipped: the key file src/key, which this run needs" in done.stderr


def test_containers_in_the_tree_are_sealed_as_any_file(sealed):
    shutil.copy(sealed.folder / "bk/one.phalanx", sealed.folder / "src/one.phalanx")
    assert counts_of(sealed.run(*NIGHTLY, check=0)).startswith("1 encrypted, 3 unchanged")
    shutil.rmtree(sealed.folder / "back", ignore_errors=True)
    sealed.run(*RESTORE, check=0)
    assert sealed.read("back/one.phalanx") == sealed.read("src/one.phalanx") and sealed.read("back/one") == b"one"


# --- Modes and times


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o1777, 0o7777, 0o600, 0o440])
@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
def test_no_more_than_the_file_has_and_the_umask_lets(tree, mode, umask):
    put(tree, "IN", b"content", mode, OLD_TIME)
    tree.run("encrypt", *KEY, "IN", "BOX", umask=umask, check=0)
    tree.run("decrypt", *KEY, "BOX", "OUT", umask=umask, check=0)
    for name in ("BOX", "OUT"):
        assert attributes(tree.folder / name) == (oct(mode & 0o777 & ~umask), OLD_TIME)
    (tree.folder / "BOX").chmod(0o7777)
    tree.run("decrypt", *KEY, "BOX", "wide", umask=umask, check=0)
    assert attributes(tree.folder / "wide")[0] == oct(0o777 & ~umask)


def test_not_for_streams_and_not_with_no_keep(tree):
    put(tree, "IN", b"content", 0o600, OLD_TIME)
    with open(tree.folder / "IN", "rb") as given:
        tree.run("encrypt", *KEY, "-", "stream", stdin_file=given, umask=0o022, check=0)
    tree.run("encrypt", *KEY, "--no-keep", "IN", "BOX", umask=0o022, check=0)
    tree.run("encrypt", *KEY, "IN", "kept", check=0)
    tree.run("decrypt", *KEY, "--no-keep", "kept", "OUT", umask=0o022, check=0)
    for name in ("stream", "BOX", "OUT"):
        assert attributes(tree.folder / name)[0] == "0o644" and attributes(tree.folder / name)[1] != OLD_TIME
    tree.run("encrypt", "--each", *KEY, "src", "--to-tree", "bk", "--no-keep", check=0)
    assert attributes(tree.folder / "bk/one.phalanx")[1] != OLD_TIME


@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_a_replaced_file_keeps_its_own_mode(tree, command):
    put(tree, "IN", b"content", 0o640, OLD_TIME)
    tree.run("encrypt", *KEY, "IN", "BOX", umask=0o022, check=0)
    put(tree, "OUT", b"x", 0o604)
    tree.run(command, "-f", *KEY, "IN" if command == "encrypt" else "BOX", "OUT", umask=0, check=0)
    assert attributes(tree.folder / "OUT") == ("0o604", OLD_TIME)


def test_a_part_has_the_mode_and_no_time(tree):
    put(tree, "IN", b"content", 0o600, OLD_TIME)
    tree.run("encrypt", *KEY, "IN", "BOX", check=0)
    tree.run("decrypt", *KEY, "--range", "1:3", "BOX", "OUT", umask=0, check=0)
    assert attributes(tree.folder / "OUT")[0] == "0o600" and attributes(tree.folder / "OUT")[1] != OLD_TIME


# --- What does not fit


@pytest.mark.parametrize("command, words", [
    ("encrypt src", "src is a folder: give --each, or `tar c src | phalanx encrypt ...`"), ("encrypt --recursive src", "give --each, or `tar c src"), ("encrypt -r src", "is a folder, and no recipient: give --each"),
    ("encrypt --recursive src bk", "give --each"), ("decrypt src", "src is a folder: give --each"), ("decrypt -r src", "give --each"),
    ("encrypt --recursive src/one x", "--each takes folders"), ("encrypt src/one x --to-tree bk", "--each"), ("encrypt src/one --update", "--each"),
    ("encrypt --each src --prune", "--prune is for folders and --to-tree"),
    ("encrypt --each src src/one --prune --to-tree bk", "--prune is for folders"),
    ("encrypt --each src --to-tree src/bk", "lies in the other"), ("encrypt --each src/a --to-tree src", "lies in the other"),
    ("encrypt --each src --to-tree src", "both are one"), ("encrypt --each src --to-tree bk --update -f", "give one of them"),
    ("encrypt --each src --to-tree bk --update --no-keep", "--update=content"), ("encrypt --each src --update=size", "--update=content"),
    ("encrypt --each nosuch --to-tree bk --update --prune", "nosuch: No such file"), ("encrypt --each src bk", "bk is not there: the results go beside the files, or with --to-tree bk"),
    ("decrypt --each src src/one nosuch", "nosuch is not there"),
    ("encrypt --each src --to-tree src/one", "src/one"), ("decrypt --each src --to-tree src", "both are one"),
])  # fmt: skip
def test_what_does_not_fit(tree, command, words):
    before = contents(tree)
    done = tree.run(*command.split(), *KEY)
    assert done.returncode in (1, 2) and words.encode() in done.stderr and contents(tree) == before, done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_empty_folder_that_comes_last_is_meant_for_the_results(tree):
    (tree.folder / "bk").mkdir()
    tree.assert_refused(tree.run("encrypt", "--each", *KEY, "src", "bk"), 2, "bk is an empty folder", "--to-tree bk")
    put(tree, "bk/more", b"more")
    tree.run("encrypt", "--each", *KEY, "src", "bk", check=0)


@pytest.mark.skipif(not is_root(), reason="only root can be another user")
def test_another_group_gets_no_more(tree):
    path = put(tree, "src/one", b"one", 0o660)
    os.chown(path, 1000, 3000)
    tree.run(*NIGHTLY, umask=0, check=0)
    assert attributes(tree.folder / "bk/one.phalanx")[0] == "0o600"
    assert counts_of(tree.run(*NIGHTLY, umask=0, check=0)).startswith("0 encrypted, 3 unchanged")
