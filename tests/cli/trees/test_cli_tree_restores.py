"""`decrypt --each --update`: what it leaves, restores and refuses in an older restore, and what --force replaces."""

import os

import pytest
from conftest import KEY
from pruned_trees import OLD_TIME, RESTORE, put

UPDATE = [*RESTORE, "--update"]
NAMES = ("one", "sub/two", "sub/three")


def counts_of(done):
    return done.stderr.decode().splitlines()[-1].removeprefix("phalanx: ")


@pytest.fixture
def restored(phalanx):
    phalanx.write("key", bytes(range(32)))
    for name in NAMES:
        put(phalanx, f"src/{name}", name.encode(), time=OLD_TIME)
    phalanx.run("encrypt", "--each", *KEY, "src", "--to-tree", "bk", check=0)
    phalanx.run(*RESTORE, check=0)
    return phalanx


def set_time(files, name, time=OLD_TIME):
    os.utime(files.folder / name, ns=(time, time))


def contents_of(files, folder="back"):
    return {str(path.relative_to(files.folder / folder)): path.read_bytes() for path in (files.folder / folder).rglob("*") if path.is_file()}


def test_what_is_there_is_left_and_what_is_missing_is_restored(restored):
    assert counts_of(restored.run(*UPDATE, check=0)) == "0 decrypted, 3 unchanged, 0 failed, 0 skipped"
    (restored.folder / "back/sub/two").unlink()
    before = (restored.folder / "back/one").stat()
    done = restored.run(*UPDATE, check=0)
    assert counts_of(done) == "1 decrypted, 2 unchanged, 0 failed, 0 skipped" and len(done.stderr.splitlines()) == 1
    assert contents_of(restored) == contents_of(restored, "src") and (restored.folder / "back/one").stat().st_ino == before.st_ino


def test_what_differs_is_refused_in_one_line_each_and_replaced_with_force_alone(restored):
    put(restored, "back/one", b"my own work", time=OLD_TIME)  # another size
    put(restored, "back/sub/two", b"sub/TWO", time=OLD_TIME + 10**9)  # another time
    (restored.folder / "back/sub/three").unlink()
    third = restored.folder / "back/sub/three"
    done = restored.run(*UPDATE)
    assert done.returncode == 2 and counts_of(done) == "1 decrypted, 0 unchanged, 2 failed, 0 skipped"
    *lines, _ = done.stderr.decode().splitlines()
    assert sorted(lines) == [
        f"phalanx: {box}: {name} has another size or time: it is replaced only with --force"
        for name, box in (("back/one", "bk/one.phalanx"), ("back/sub/two", "bk/sub/two.phalanx"))
    ], lines
    assert restored.read("back/one") == b"my own work" and restored.read("back/sub/two") == b"sub/TWO"
    made = third.stat().st_ino
    assert counts_of(restored.run(*UPDATE, "--force", check=0)) == "2 decrypted, 1 unchanged, 0 failed, 0 skipped"
    assert contents_of(restored) == contents_of(restored, "src") and third.stat().st_ino == made
    assert counts_of(restored.run(*UPDATE, check=0)) == "0 decrypted, 3 unchanged, 0 failed, 0 skipped"


def test_size_and_time_are_believed_and_content_is_compared_where_that_is_asked_for(restored):
    put(restored, "back/one", b"two", time=OLD_TIME)  # as long, and as old
    set_time(restored, "back/sub/two", OLD_TIME + 10**9)  # the content alone is the same
    done = restored.run(*RESTORE, "--update=content")
    assert done.returncode == 2 and counts_of(done) == "0 decrypted, 2 unchanged, 1 failed, 0 skipped"
    assert b"back/one has another content: it is replaced only with --force" in done.stderr
    set_time(restored, "back/sub/two")
    assert counts_of(restored.run(*UPDATE, "--force", check=0)) == "0 decrypted, 3 unchanged, 0 failed, 0 skipped"
    assert restored.read("back/one") == b"two"
    done = restored.run(*RESTORE, "--update=content", "--force", check=0)
    assert counts_of(done) == "1 decrypted, 2 unchanged, 0 failed, 0 skipped" and restored.read("back/one") == b"one"


def test_a_kill_while_it_replaces_leaves_the_old_file_or_the_new_one(restored, faults):
    for rule in ("pwrite:one.phalanx-partial@1=kill", "rename@1=kill", "rename@1=kill-after"):
        put(restored, "back/one", b"my own work")
        assert restored.run(*UPDATE, "--force", env=faults(rule)).returncode == -9, rule
        assert restored.read("back/one") == (b"one" if rule.endswith("kill-after") else b"my own work"), rule
    restored.run(*UPDATE, "--force", check=0)
    assert contents_of(restored) == contents_of(restored, "src")


def test_containers_beside_their_files_too(restored):
    restored.run("encrypt", "--each", *KEY, "src/one", check=0)
    beside = ["decrypt", "--each", *KEY, "--update", "src/one.phalanx"]
    assert counts_of(restored.run(*beside, check=0)) == "0 decrypted, 1 unchanged, 0 failed, 0 skipped"
    put(restored, "src/one", b"changed")
    assert restored.run(*beside).returncode == 2 and restored.read("src/one") == b"changed"


@pytest.mark.parametrize("options, words", [(["--no-keep"], "compares the times"), (["--update=size"], "--update=content")])
def test_what_does_not_fit(restored, options, words):
    restored.assert_refused(restored.run(*[word for word in UPDATE if "=size" not in options[0] or word != "--update"], *options), 2, words)
