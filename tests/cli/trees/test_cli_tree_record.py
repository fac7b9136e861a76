"""The record .phalanx-tree of `encrypt --each --update`: dry runs, a missing disk, damage, two runs at once, kills, coarse times."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import Phalanx, contents, random_bytes
from pruned_trees import NIGHTLY, OLD_TIME, PRUNING, copies, in_mounts, put, record_of, sealed, told, write_record  # noqa: F401


def test_dry_run_says_what_a_night_does_and_writes_nothing(sealed):
    put(sealed, "src/new", b"new")
    (sealed.folder / "src/one").unlink()
    (sealed.folder / "src/a/b/five").unlink()
    (sealed.folder / "src/a/b/empty").mkdir()
    (sealed.folder / "src/two").chmod(0o600)
    before = {path: (path.stat().st_mtime_ns, path.stat().st_mode) for path in sealed.folder.rglob("*")}
    done = sealed.run(*PRUNING, "--dry-run")
    text = done.stderr.decode()
    assert done.returncode == 7, text
    for line in ("src/new: would be encrypted", "bk/one.phalanx: would be removed: its file is gone", "bk/a/b/five.phalanx: kept: "):
        assert line in text, text
    assert "1 to encrypt, 3 unchanged, 0 failed, 0 skipped, 1 to remove, 1 kept" in text
    assert {path: (path.stat().st_mtime_ns, path.stat().st_mode) for path in sealed.folder.rglob("*")} == before
    assert sealed.run(*PRUNING, "--dry-run").stderr == done.stderr
    sealed.assert_refused(sealed.run(*NIGHTLY[:-1], "--update=content", "--dry-run"), 2, "leave --update=content out")
    shutil.rmtree(sealed.folder / "bk")
    sealed.assert_refused(sealed.run(*PRUNING, "--dry-run"), 2, "every file would be sealed")
    assert not (sealed.folder / "bk").exists()


def test_a_dry_run_makes_no_folder(sealed):
    put(sealed, "src/new/deep/six", b"six")
    before = contents(sealed)
    done = sealed.run(*PRUNING, "--dry-run", check=0)
    assert b"src/new/deep/six: would be encrypted" in done.stderr and b"1 to encrypt, 5 unchanged, 0 failed" in done.stderr, done.stderr
    assert contents(sealed) == before and not (sealed.folder / "bk/new").exists()


def test_expect_tree_ends_where_the_disk_of_the_copies_is_missing(sealed):
    sealed.run(*PRUNING, "--expect-tree", check=0)
    (sealed.folder / "bk").rename(sealed.folder / "away")
    for make in (lambda: None, (sealed.folder / "bk").mkdir):
        make()
        sealed.assert_refused(sealed.run(*PRUNING, "--expect-tree"), 2, "bk has no .phalanx-tree, and --expect-tree is given")
    assert list((sealed.folder / "bk").iterdir()) == []


def test_an_index_of_a_folder_that_has_none_of_its_containers_ends_the_run(sealed):
    sealed.write("secret", random_bytes(32, 3))
    index = ["--index", "index", "--index-key-file", "secret"]
    sealed.run(*PRUNING, *index, check=0)
    before = sealed.read("index")
    (sealed.folder / "bk").rename(sealed.folder / "away")
    sealed.assert_refused(sealed.run(*PRUNING, *index), 2, "none of the containers that index names")
    assert not (sealed.folder / "bk").exists() and sealed.read("index") == before


def test_an_index_forgets_nothing_of_a_folder_that_is_not_the_same(sealed):
    """Who removes a copy while the files are not there to make it anew is found."""
    sealed.write("secret", random_bytes(32, 3))
    index = ["--index", "index", "--index-key-file", "secret"]
    sealed.run(*PRUNING, *index, check=0)
    for name in ("three", "four"):
        (sealed.folder / "src/a" / name).unlink()
    shutil.rmtree(sealed.folder / "src/a/b")
    (sealed.folder / "bk/a/three.phalanx").unlink()
    told(sealed, 7, "bk/a/four.phalanx: kept: ", options=index)
    done = sealed.run("verify", *index, "bk")
    assert done.returncode == 3 and b"bk/a/three.phalanx: removed" in done.stderr, done.stderr
    sealed.run(*PRUNING, *index, "--prune-also", "emptied", check=0)
    sealed.run("verify", *index, "--strict", "bk", check=0)
    (sealed.folder / "src/one").unlink()
    (sealed.folder / "bk/one.phalanx").unlink()
    sealed.run(*PRUNING, *index, check=0)
    sealed.run("verify", *index, "--strict", "bk", check=0)


def test_a_record_that_is_damaged_or_none_is_moved_away_by_the_user(sealed):
    right = sealed.read("bk/.phalanx-tree")
    sealed.run(*PRUNING, check=0)
    assert sealed.read("bk/.phalanx-tree") == right, "a night without a change appends nothing"
    (sealed.folder / "src/one").unlink()
    for damaged in (b"my notes\n", right.replace(b"file two", b"file owt") + b"run 2 0\n", right * 3, right.replace(b"tree 2", b"tree 9"), right + b"x" * (1 << 17)):
        sealed.write("bk/.phalanx-tree", damaged)
        done = sealed.run(*PRUNING)
        assert done.returncode == 2 and b"move it away" in done.stderr, done.stderr
        assert sealed.read("bk/.phalanx-tree") == damaged and "one.phalanx" in copies(sealed)
    for cut in range(0, len(right), 7):  # as a kill leaves it: what it does not name is adopted, or kept
        sealed.write("bk/.phalanx-tree", right[:cut])
        done = sealed.run(*PRUNING)
        assert done.returncode in (2, 7) and "one.phalanx" in copies(sealed), (cut, done.stderr)


TORN = {
    "zeros": b"\0" * 200_000,
    "zeros behind half a line": b"file one 3 " + b"\0" * 70_000,
    "few zeros": b"file one 3 \0\0\n",
    "zeros before the end": b"\0" * 100_000 + b"\nrun 9 abc\n",
}


@pytest.mark.parametrize("tail", TORN.values(), ids=TORN)
def test_what_a_power_cut_left_of_the_last_run_is_cut_off(sealed, tail):
    with open(sealed.folder / "bk/.phalanx-tree", "ab") as record:
        record.write(tail)
    (sealed.folder / "src/one").unlink()
    sealed.run(*PRUNING, check=0)
    assert "one.phalanx" not in copies(sealed) and b"\0" not in sealed.read("bk/.phalanx-tree")


def test_a_record_that_leads_out_of_the_folder_is_damaged(sealed):
    put(sealed, "outside.phalanx", sealed.read("bk/one.phalanx"))
    for name in ("../outside", "a/../../outside", "/outside", "a//three", ".", "%00"):
        right = sealed.read("bk/.phalanx-tree")
        write_record(sealed, [*record_of(sealed), f"file {name} 3 1.000000000 5 - 1"])
        done = sealed.run(*PRUNING, "--prune-also", "emptied")
        assert done.returncode == 2 and b"move it away" in done.stderr, (name, done.stderr)
        sealed.write("bk/.phalanx-tree", right)
    assert (sealed.folder / "outside.phalanx").exists()


def test_two_runs_at_once_do_not_share_a_record(sealed):
    (sealed.folder / "src/one").unlink()
    with open(sealed.folder / "bk/.phalanx-tree", "rb") as record:
        subprocess.run(["flock", "-n", "-x", str(record.fileno())], pass_fds=[record.fileno()], check=True)
        done = sealed.run(*PRUNING)
        assert done.returncode == 2 and b".phalanx-tree is in use" in done.stderr
    sealed.run(*PRUNING, check=0)
    assert "one.phalanx" not in copies(sealed)


def test_a_kill_at_every_call_on_the_record_loses_nothing(sealed, faults):
    """Whatever it leaves of the record, the next night has the same copies and removes the same."""
    before = contents(sealed)
    changed = ["bk/.phalanx-tree", "src/new", "src/one"]
    for number in range(1, 40):
        for what in ("kill", "tear", "kill-after"):
            put(sealed, "src/new", b"new")
            (sealed.folder / "src/one").unlink()
            done = sealed.run(*PRUNING, env=faults(f"change:.phalanx-tree@{number}={what}"))
            sealed.run(*PRUNING, check=0)
            assert "one.phalanx" not in copies(sealed) and "new.phalanx" in copies(sealed), (number, what)
            (sealed.folder / "src/new").unlink()
            put(sealed, "src/one", b"one")
            sealed.run(*PRUNING, check=0)
            assert "new.phalanx" not in copies(sealed), (number, what)
        if done.returncode == 0:
            break
    assert number > 2 and {str(name) for name in contents(sealed)} == {str(name) for name in before} | set(changed[:1]) - set(changed[1:2])


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="there is no file system in memory, where thousands of files are sealed at once")
def test_the_record_does_not_grow_without_end():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        files = Phalanx(Path(folder))
        files.write("key", random_bytes(32))
        largest = 0
        for number in range(6):
            for name in range(400):
                put(files, f"src/many/{name}", b"x", time=OLD_TIME + number)
            files.run(*PRUNING, check=0)
            largest = max(largest, len(record_of(files)))
        assert 1200 < largest < 2 * 410 + 1000 + 410


def test_names_of_any_bytes_are_recorded(sealed):
    for name in (b"with space", b"line\nend", b"percent%41", b"latin\xff", "snow\u2603".encode(), b"%"):
        (sealed.folder / "src" / os.fsdecode(name)).write_bytes(name)
    sealed.run(*PRUNING, check=0)
    for name in (b"with space", b"line\nend", b"percent%41", b"latin\xff", "snow\u2603".encode(), b"%"):
        (sealed.folder / "src" / os.fsdecode(name)).unlink()
    sealed.run(*PRUNING, check=0)
    assert copies(sealed) == ["a/b/five.phalanx", "a/four.phalanx", "a/three.phalanx", "one.phalanx", "two.phalanx"]


@pytest.mark.parametrize("command, words", [
    ("--prune-also emptied", "--prune-also goes with --prune"), ("--prune --prune-also all", "--prune-also knows no 'all': give emptied, unrecorded, or mount:"),
    ("--prune --prune-also mount:", "--prune-also knows no 'mount:'"), ("--prune --prune-also mount:a", "no mount point a is recorded of src"),
])  # fmt: skip
def test_what_does_not_fit(sealed, command, words):
    done = sealed.run(*NIGHTLY, *command.split())
    assert done.returncode == 2 and words.encode() in done.stderr, done.stderr
    assert Path(sealed.folder / "bk/one.phalanx").exists()


# --- Times


@pytest.mark.skipif(not shutil.which("mkfs.ext4"), reason="there is no mkfs.ext4 to make a file system of whole seconds")
def test_a_target_that_keeps_whole_seconds_is_not_sealed_anew_every_night(sealed):
    """A file of another second, or of another size, still is; a change within one second is what is said not to be seen."""
    script = (
        "truncate -s 16M img && mkfs.ext4 -q -F -I 128 img 2>mkfs.log && mkdir m && mount -o loop img m || exit 99; "
        "M=\"$P encrypt --each --key-file key src --to-tree m/bk --update\"; $M; $M; $M --dry-run; touch -d '2020-01-02 03:04:05.6' src/one; $M; "
        "echo x >>src/two; touch -r src/one src/two; $M; touch -d '2020-01-02 03:04:06.6' src/one; $M; umount m"
    )  # fmt: skip
    lines = [line for line in in_mounts(sealed, script).stderr.decode().splitlines() if "unchanged," in line]
    counts = [tuple(int(word) for word in line.split() if word.isdigit())[:2] for line in lines]
    assert counts == [(5, 0), (0, 5), (0, 5), (1, 4), (1, 4), (1, 4)], lines


def test_where_times_are_kept_whole_the_last_nanosecond_counts(sealed):
    put(sealed, "src/one", b"one", time=OLD_TIME)
    sealed.run(*NIGHTLY, check=0)
    put(sealed, "src/one", b"two", time=OLD_TIME - 1)
    assert b"1 encrypted, 4 unchanged" in sealed.run(*NIGHTLY, check=0).stderr
    put(sealed, "src/one", b"one", time=OLD_TIME - OLD_TIME % 10**9)
    assert b"1 encrypted, 4 unchanged" in sealed.run(*NIGHTLY, check=0).stderr
