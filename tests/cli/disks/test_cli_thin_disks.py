"""What runs do whose disk failed them, and the runs that go on: on file systems over a thin disk (thin_disks.py). A sync fails, the
system keeps in memory what never came to the disk, the disk is enlarged, the run goes on, and what the disk has then is compared.
PHALANX_SWEEP=full runs each of it on all of the file systems, at many sizes."""

import os
import re
import shlex

import pytest
from conftest import IS_SANITIZED, PROGRAM, fault_injector, random_bytes
from thin_disks import FILLING, MAKERS, MIB, thin_disk

FULL = os.environ.get("PHALANX_SWEEP") == "full"
KEY = "--key-file key"
RAW = f"raw encrypt --cipher aes-256-ctr --iv 00000000000000000000000000000001 {KEY} --threads 1"
PLAIN = random_bytes(9 * MIB + 12_345, seed=3)
# When the disk is full: from the n-th write to the file on.
MOMENTS = [1, 2, 3, 5, 8, 10] if FULL else [4]
KINDS = list(MAKERS) if FULL else ["ext4", "ext4 without a journal"]

pytestmark = pytest.mark.skipif(IS_SANITIZED, reason="the sanitizer's memory has no room in these limits")


@pytest.fixture(params=KINDS)
def disk(request, tmp_path):
    disk = thin_disk(tmp_path, request.param)
    (tmp_path / "key").write_bytes(random_bytes(32))
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "plain").write_bytes(PLAIN)
    disk.run(f"{PROGRAM} encrypt {KEY} plain box; touch disk/x; sync -f disk")
    yield disk
    disk.close()


def run(disk, command, **options):
    return disk.run(f"{PROGRAM} {command}", check=False, **options)


def goes_on_until_done(disk, command):
    """Runs it until it ends with 0; each run is of a disk that works. After errors of its own a file system may only be read, until it is
    mounted again."""
    for _ in range(3):
        done = run(disk, command)
        if done.returncode == 0:
            return done
        if b"Read-only" in done.stderr:
            disk.remount()
    raise AssertionError(done.stderr)


def run_until_full(disk, rule, command):
    """By the actor of faults.c the disk is full from the call of the rule on."""
    return disk.run(f"FAULTS='{rule}=run' ACTOR={shlex.quote(FILLING)} LD_PRELOAD={faults_library()} {PROGRAM} {command}", check=False)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("command, name", [("encrypt", "box"), ("decrypt", "plain")])
def test_what_a_resumed_run_says_is_done_is_on_the_disk(disk, command, name, moment):
    line = f"{command} {KEY} --resume --threads 1 {'plain' if command == 'encrypt' else 'box'} disk/out"
    first = run_until_full(disk, f"pwrite:out.phalanx-partial@{moment}", line)
    assert first.returncode == 1, first.stderr
    disk.enlarge()
    goes_on_until_done(disk, line)
    before = disk.read("out")
    disk.remount()
    assert disk.read("out") == before
    assert disk.names() == ["lost+found", "out", "x"] or disk.kind == "xfs"
    if command == "encrypt":
        assert run(disk, f"verify {KEY} --from-disk disk/out").returncode == 0
    else:
        assert before == PLAIN


NUM_SMALL = 40


def assert_whole(disk, names):
    """Each of these containers opens from the disk."""
    if names:
        disk.run(f"{PROGRAM} verify -q {KEY} --from-disk " + " ".join(f"disk/bk/{name}" for name in names))


@pytest.mark.parametrize("moment", [1, 30, 45, 60, 79] if FULL else [45])
def test_what_a_tree_of_small_files_says_is_done_is_on_the_disk(disk, moment):
    """They are made durable together. The disk fails some of them, and then the run, or the next one, says so of each."""
    (disk.folder / "tree").mkdir()
    for number in range(NUM_SMALL):
        (disk.folder / f"tree/{number}").write_bytes(random_bytes(60_000, seed=number))
    line = f"encrypt --each {KEY} tree --to-tree disk/bk"
    first = run_until_full(disk, f"pwrite:.phalanx-partial@{moment}", line)
    assert first.returncode == 1, first.stderr
    said = re.search(rb"(\d+) encrypted, (\d+) failed", first.stderr)
    disk.enlarge()
    disk.remount()
    names = disk.run("ls disk/bk").stdout.decode().split()
    assert_whole(disk, [name for name in names if name.endswith(".phalanx")])
    num_said = int(said[1]) if said else 0
    assert sum(name.endswith(".phalanx") for name in names) >= num_said, first.stderr
    goes_on_until_done(disk, line)
    disk.remount()
    assert_whole(disk, [f"{number}.phalanx" for number in range(NUM_SMALL)])
    disk.run(f"{PROGRAM} decrypt --each -q {KEY} disk/bk --to-tree back")
    for number in range(NUM_SMALL):
        assert (disk.folder / f"back/{number}").read_bytes() == random_bytes(60_000, seed=number)


@pytest.mark.parametrize("moment", ["fdatasync:journal@1", "fdatasync:journal@3"] if FULL else ["fdatasync:journal@3"])
def test_a_file_crypted_in_place_is_whole_after_a_disk_that_failed(disk, moment):
    """Its journal finds no room, the disk is enlarged, and the next run is killed after it has overwritten a piece."""
    content = PLAIN[: 4 * MIB]
    (disk.folder / "whole").write_bytes(content)
    run(disk, f"{RAW} whole wanted")
    disk.run("cp whole disk/f; sync -f disk")
    failed = run_until_full(disk, moment, f"{RAW} --in-place disk/f")
    assert failed.returncode == 1 or disk.kind == "ext2"  # whose journal has all of its room before
    if failed.returncode == 0:
        return
    disk.enlarge()
    killer = "FAULTS='fdatasync:/disk/f@2=kill-after' LD_PRELOAD=" + faults_library()
    disk.run(f"{killer} {PROGRAM} {RAW} --in-place disk/f", check=False)
    disk.remount()
    goes_on_until_done(disk, f"{RAW} --in-place disk/f")
    disk.remount()
    assert disk.read("f") == (disk.folder / "wanted").read_bytes()
    assert disk.names() == ["f", "lost+found", "x"] or disk.kind == "xfs"


def faults_library():
    return fault_injector().library


def test_each_sync_that_fails_in_turn(disk):
    """The disk is full from the moment of the n-th sync on: for each run a new one. Then it is enlarged, and the run goes on."""
    syncs = range(1, 12) if FULL else (2, 4)
    for number in syncs:
        disk.run("rm -f disk/out*; sync -f disk")
        line = f"encrypt {KEY} --resume --threads 1 plain disk/out"
        failed = run_until_full(disk, f"sync@{number}", line)
        disk.enlarge()
        goes_on = "out" not in disk.names()
        if goes_on:
            goes_on_until_done(disk, line)
        disk.remount()
        if goes_on or failed.returncode == 0:
            assert run(disk, f"verify {KEY} disk/out").returncode == 0, number


def test_verify_from_disk_finds_what_the_systems_memory_hides(disk):
    """The container of a run whose last sync failed, under its name all the same: what a copy program leaves that does not look."""
    disk.fill()
    disk.run("cp box disk/copy; sync -f disk", check=False)
    disk.enlarge()
    from_disk = run(disk, f"verify {KEY} --from-disk disk/copy")
    assert from_disk.returncode != 0, from_disk.stderr
    disk.remount()
    assert run(disk, f"verify {KEY} disk/copy").returncode != 0


def test_pieces_that_came_to_the_disk_are_not_written_again(disk):
    """A run that is killed after its checkpoint, and then one that goes on: with what was marked, and from the disk."""
    clock = f"FAULT_STEADY=fast LD_PRELOAD={faults_library()}"
    line = f"encrypt {KEY} --resume --threads 1 plain disk/out"
    killed = disk.run(f"{clock} FAULTS='fchmod:out.phalanx-partial@1=kill' {PROGRAM} {line}", check=False)
    assert killed.returncode != 0
    disk.remount()
    done = run(disk, line)
    assert done.returncode == 0 and b"are done" in done.stderr and b"hold 0 bytes" not in done.stderr, done.stderr
    disk.remount()
    assert run(disk, f"decrypt {KEY} disk/out back").returncode == 0 and (disk.folder / "back").read_bytes() == PLAIN
