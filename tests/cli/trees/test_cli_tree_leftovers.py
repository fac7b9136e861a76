"""What is not to be believed in a tree: a time that others may have set, and what a stopped run of the program itself has left."""

import os
import shutil

import pytest
from conftest import CHUNK, IV16, KEY, OLD, TREE, random_bytes, unknown_format

NIGHT = ["encrypt", "--each", "--update", "-q", "src", "--to-tree", "bk"]
RESTORE = ["decrypt", "--each", "-q", *KEY, "bk", "--to-tree", "back"]
ROTATE = ["recipients", "replace", "--each", "-q", *KEY, "--add-key-file", "new", "--remove-key-file", "key"]
IN_PLACE = ["raw", "encrypt", "--cipher", "aes-256-ctr", "--iv", IV16, *KEY, "--threads", "1", "--in-place"]
OLD_TIME = 1_600_000_000


@pytest.fixture
def tree(files):
    files.write("new", random_bytes(32, seed=7))
    files.write("stays", random_bytes(32, seed=8))
    for name in ("letter", "sub/other"):
        put(files, f"src/{name}", name.encode() + b" of Monday")
    return files


def put(files, name, content, seconds=OLD_TIME):
    path = files.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (seconds, seconds))
    return path


def opened(files, name, key="stays"):
    done = files.run("decrypt", "-q", "--key-file", key, name)
    return done.stdout if done.returncode == 0 else done.returncode


# --- Times.


def test_a_file_is_done_only_if_it_is_what_its_container_opens_to(tree):
    tree.run(*NIGHT, *KEY, check=0)
    put(tree, "back/letter", b"letter of Monday".replace(b"M", b"S"))  # by whoever may write there
    done = tree.run(*RESTORE)
    assert done.returncode == 2 and b"back/letter has the length and the time" in done.stderr and b"--force" in done.stderr
    assert tree.read("back/letter") == b"letter of Sonday" and tree.read("back/sub/other") == b"sub/other of Monday"
    tree.run(*RESTORE, "--update", check=0)
    tree.run(*RESTORE, "--force", check=0)
    assert tree.read("back/letter") == b"letter of Monday"
    again = tree.run(*RESTORE[:2], *RESTORE[3:], check=0)
    assert again.stderr.count(b"skipped: done before") == 2


def test_a_container_that_nobody_can_open_is_not_done(tree):
    """Its length and its time are all that was compared once."""
    tree.run(*NIGHT, *KEY, check=0)
    tree.run(*RESTORE, check=0)
    container = tree.folder / "bk/letter.phalanx"
    before, times = container.read_bytes(), container.stat()
    for damaged, code in [(before[:20] + b"\xff" * 60 + before[80:], 4), (before[:-1] + bytes([before[-1] ^ 1]), 3)]:
        container.write_bytes(damaged)
        os.utime(container, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert tree.run(*RESTORE).returncode == code
        tree.run(*RESTORE, "--update", check=0)
    tree.assert_refused(tree.run("decrypt", *KEY, "--update", "bk/letter.phalanx", "X"), 2, "--update", "--each")


# --- The headers of a change of recipients that was killed, and links.


def kill_a_rotation(files, faults):
    """A header of both keys, of which `key` is replaced by `new`; what is written is a mixture, which Monday's link has too."""
    files.run(*NIGHT, *KEY, "--key-file", "stays", check=0)
    shutil.copytree(files.folder / "bk", files.folder / "monday", copy_function=os.link)
    assert files.run(*ROTATE, "bk/letter.phalanx", env=faults("pwrite:letter.phalanx@1=tear")).returncode == -9
    assert opened(files, "monday/letter.phalanx") != b"letter of Monday"
    assert (files.folder / "bk/letter.phalanx.phalanx-header").exists()


def rescue(files):
    """By what the message says."""
    os.rename(files.folder / "bk/letter.phalanx.phalanx-header", files.folder / "monday/letter.phalanx.phalanx-header")
    files.run("verify", "-q", "--key-file", "stays", "monday/letter.phalanx", check=0)
    assert opened(files, "monday/letter.phalanx") == b"letter of Monday"
    assert not (files.folder / "monday/letter.phalanx.phalanx-header").exists()


def test_a_night_that_seals_anew_settles_first_what_a_link_needs(tree, faults):
    kill_a_rotation(tree, faults)
    put(tree, "src/letter", b"letter of Tuesday", OLD_TIME + 5)
    tree.run(*NIGHT, *KEY, "--key-file", "stays", check=0)
    assert opened(tree, "bk/letter.phalanx") == b"letter of Tuesday"
    assert opened(tree, "monday/letter.phalanx") == b"letter of Monday"
    assert not (tree.folder / "bk/letter.phalanx.phalanx-header").exists()


def test_what_a_night_cannot_open_keeps_the_headers_that_a_link_needs(tree, faults):
    kill_a_rotation(tree, faults)
    put(tree, "src/letter", b"letter of Tuesday", OLD_TIME + 5)
    tree.write("fresh", random_bytes(32, seed=9))
    done = tree.run(*NIGHT, "--key-file", "fresh", check=7)
    assert b"letter.phalanx.phalanx-header: unfinished: it holds the headers" in done.stderr, done.stderr
    assert opened(tree, "bk/letter.phalanx", "fresh") == b"letter of Tuesday"
    rescue(tree)


def test_so_does_a_night_that_removes(tree, faults):
    kill_a_rotation(tree, faults)
    (tree.folder / "src/letter").unlink()
    put(tree, "src/one more", b"of Tuesday")
    done = tree.run(*NIGHT, "--prune", "--prune-also", "unrecorded", *KEY, "--key-file", "stays", check=7)
    assert b"letter.phalanx.phalanx-header: unfinished" in done.stderr and not (tree.folder / "bk/letter.phalanx").exists()
    rescue(tree)


def test_without_links_nothing_is_left(tree, faults):
    kill_a_rotation(tree, faults)
    shutil.rmtree(tree.folder / "monday")
    put(tree, "src/letter", b"letter of Tuesday", OLD_TIME + 5)
    tree.write("fresh", random_bytes(32, seed=9))
    done = tree.run(*NIGHT, "--key-file", "fresh", check=7)  # since the other container is for others
    assert b"unfinished" not in done.stderr
    assert not (tree.folder / "bk/letter.phalanx.phalanx-header").exists()


def test_a_copy_of_a_container_is_not_made_without_the_headers_beside_it(tree, faults):
    kill_a_rotation(tree, faults)
    copy = ["encrypt", "--each", "-q", "bk", "--to-tree", "copy", "--key-file", "new"]
    done = tree.run(*copy, check=7)
    assert b"bk/letter.phalanx: unfinished: it is a container" in done.stderr, done.stderr
    assert (tree.folder / "copy/sub/other.phalanx.phalanx").exists() and not (tree.folder / "copy/letter.phalanx.phalanx").exists()
    tree.run("verify", "-q", "--key-file", "stays", "bk/letter.phalanx", check=0)
    tree.run(*copy, check=0)
    assert (tree.folder / "copy/letter.phalanx.phalanx").exists()


# --- The journal of a run in place that was killed.


@pytest.fixture
def half_done(tree, faults):
    """A file that the night before has sealed, and that is half done now."""
    tree.plain = random_bytes(3 * CHUNK)
    put(tree, "src/big", tree.plain)
    tree.run(*NIGHT, *KEY, check=0)
    assert tree.run(*IN_PLACE, "src/big", env=faults("pwrite:src/big@2=kill-after")).returncode == -9
    assert (tree.folder / "src/big.phalanx-journal").exists() and tree.read("src/big") != tree.plain
    return tree


def test_a_half_done_file_is_not_sealed_without_its_journal(half_done):
    for more in ([], ["--prune"], ["--dry-run"]):
        done = half_done.run(*NIGHT, *KEY, *more, check=7)
        assert b"src/big: unfinished: it is half done" in done.stderr and b"big.phalanx-journal" in done.stderr, done.stderr
    assert opened(half_done, "bk/big.phalanx", "key") == half_done.plain, "the copy of before stays"
    done = half_done.run(*NIGHT[:3], *NIGHT[4:], *KEY, check=7)
    assert b"1 unfinished" in done.stderr and b"big.phalanx-journal: skipped: an unfinished file" in done.stderr
    half_done.run(*IN_PLACE, "src/big", check=0)
    half_done.run(*NIGHT, *KEY, check=0)
    assert opened(half_done, "bk/big.phalanx", "key") == half_done.read("src/big") != half_done.plain


def test_nor_where_it_was_moved_away_from_its_journal(half_done):
    if not os.listxattr(half_done.folder / "src/big"):
        pytest.skip("this file system keeps no extended attributes of users")
    os.rename(half_done.folder / "src/big", half_done.folder / "src/moved")
    (half_done.folder / "src/big.phalanx-journal").unlink()
    for more in ([], ["--prune"], ["--prune", "--prune-also", "emptied"]):
        done = half_done.run(*NIGHT, *KEY, *more, check=7)
        assert b"src/moved: unfinished: it is half done" in done.stderr and not (half_done.folder / "bk/moved.phalanx").exists()
        assert opened(half_done, "bk/big.phalanx", "key") == half_done.plain, "the copy of before stays"


def test_the_container_of_a_file_stays_that_has_a_name_by_which_it_is_skipped(tree):
    tree.run(*NIGHT, *KEY, check=0)
    os.rename(tree.folder / "src/letter", tree.folder / "src/letter.phalanx-partial")
    done = tree.run(*NIGHT, *KEY, "--prune", check=7)
    assert b"bk/letter.phalanx: kept: its file has another name now, and was not sealed" in done.stderr
    assert opened(tree, "bk/letter.phalanx", "key") == b"letter of Monday"
    os.rename(tree.folder / "src/letter.phalanx-partial", tree.folder / "src/letter2")
    tree.run(*NIGHT, *KEY, "--prune", check=0)
    assert not (tree.folder / "bk/letter.phalanx").exists() and opened(tree, "bk/letter2.phalanx", "key") == b"letter of Monday"


def test_nor_by_itself(half_done):
    for command in (["encrypt", *KEY, "src/big", "OUT"], ["migrate", *OLD, *KEY, "src/big", "OUT"]):
        half_done.assert_refused(half_done.run(*command), 2, "src/big is half done", "big.phalanx-journal", "cp has made")
    half_done.assert_refused(half_done.run("encrypt", "--each", "-q", *KEY, "src/big", "--to-tree", "elsewhere"), 7, "src/big: unfinished")


def test_an_old_file_that_is_half_done_is_neither_migrated_nor_removed(files, faults):
    from conftest import openssl

    (files.folder / "old").mkdir()
    command = ["enc", "-aes-256-cbc", "-md", "sha256", "-nosalt", "-pass", "file:pass"]
    (files.folder / "old/big").write_bytes(openssl(*command, stdin=unknown_format(3 * CHUNK), cwd=files.folder))
    assert files.run(*IN_PLACE, "old/big", env=faults("pwrite:old/big@2=kill-after")).returncode == -9
    before = files.read("old/big")
    old = [*OLD, "--from-cipher", "aes-256-cbc", "--from-no-salt"]
    old = [word for word in OLD if word not in ("--from-cipher", "des3")] + old[len(OLD):]
    for more in (["--dry-run"], ["--delete-source", "--delete-doubtful"]):
        done = files.run(*TREE, *old, *([] if more == ["--dry-run"] else KEY), *more)
        assert done.returncode == 2 and b"is half done" in done.stdout + done.stderr, done
    assert files.read("old/big") == before and not (files.folder / "new/big.phalanx").exists()
