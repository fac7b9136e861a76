"""What a run that goes on believes of the file before it: pieces that a sync made durable, and that are there. Without privileges: calls
fail by faults.c, and what a disk lost is written over."""

import os
import pathlib
import signal
import tempfile

import pytest
from conftest import CHUNK, KEY, Phalanx, random_bytes

FULL = os.environ.get("PHALANX_SWEEP") == "full"
PARTIAL, RECORD = "OUT.phalanx-partial", "OUT.phalanx-record"
PLAIN = random_bytes(6 * CHUNK + 4321, seed=8)
COMMANDS = {"encrypt": ["encrypt", *KEY, "--resume", "--threads", "1", "IN", "OUT"], "decrypt": ["decrypt", *KEY, "--resume", "--threads", "1", "BOX", "OUT"]}


@pytest.fixture
def files(phalanx):
    phalanx.write("key", random_bytes(32))
    phalanx.write("IN", PLAIN)
    phalanx.run("encrypt", *KEY, "IN", "BOX", check=0)
    return phalanx


def first_place(record):
    return -(-(24 + int.from_bytes(record[16:24], "little")) // 4096) * 4096


def marked(files, command):
    """The numbers of whole pieces that the record says are on the disk."""
    record = files.read(RECORD)
    begin, end = (1504, 1536) if command == "encrypt" else (8, 16)  # of a place: the mark; the number of chunks
    places = [record[first_place(record) + 1536 * piece :][:1536] for piece in range(6)]
    return [piece for piece, place in enumerate(places) if any(place[begin:end])]


def kill(files, faults, command, marks=True):
    """When all was written, before it gets its name. Returns how many whole pieces were marked: which, depends on threads, and it may be
    the last piece alone."""
    environment = {**faults(f"fchmod:{PARTIAL}@1=kill"), **({"FAULT_STEADY": "fast"} if marks else {})}
    for _ in range(100):
        done = files.run(*COMMANDS[command], env=environment)
        assert done.returncode == -signal.SIGKILL, done.stderr
        num_marked = len(marked(files, command))
        if (num_marked > 0) == marks:
            return num_marked
        for name in (PARTIAL, RECORD):
            (files.folder / name).unlink()
    raise AssertionError("nothing is ever marked" if marks else "something is marked before its time")


def unmark(files, command, piece):
    record = bytearray(files.read(RECORD))
    place = first_place(record) + 1536 * piece
    record[place + (1504 if command == "encrypt" else 0) : place + 1536] = bytes(32 if command == "encrypt" else 1536)
    files.write(RECORD, bytes(record))


def assert_right(files, command):
    if command == "encrypt":
        assert files.run("decrypt", *KEY, "OUT", check=0).stdout == PLAIN
    else:
        assert files.read("OUT") == PLAIN
    assert files.names() == ["BOX", "IN", "OUT", "key"]


def num_pieces_written(files, faults, command):
    log = files.folder.parent / "log"
    log.unlink(missing_ok=True)
    done = files.run(*COMMANDS[command], env=faults(log=log), check=0)
    lines = [line.split(" ") for line in log.read_text().splitlines()]
    pieces = {"pwrite": lambda size: size > 4096}
    return sum(line[0] in pieces and pieces[line[0]](int(line[1])) and line[-1].endswith(PARTIAL) for line in lines), done


@pytest.mark.parametrize("command", list(COMMANDS))
def test_pieces_that_are_marked_are_not_written_again(files, faults, command):
    num_marked = kill(files, faults, command)
    num_written, done = num_pieces_written(files, faults, command)
    assert num_written == 7 - num_marked and b"hold %d bytes" % (num_marked * CHUNK) in done.stderr, done.stderr
    assert_right(files, command)


@pytest.mark.parametrize("command", list(COMMANDS))
def test_nothing_is_believed_without_a_mark(files, faults, command):
    """The system has in memory what was written, and so it would compare as right."""
    kill(files, faults, command, marks=False)
    num_written, done = num_pieces_written(files, faults, command)
    assert num_written == 7 and b"hold 0 bytes" in done.stderr, (num_written, done.stderr)
    assert_right(files, command)


@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_marked_piece_that_is_not_on_the_disk(files, faults, command):
    kill(files, faults, command)
    before = files.read(PARTIAL)
    with open(files.folder / PARTIAL, "r+b") as file:
        file.seek(marked(files, command)[0] * CHUNK + 8192)
        file.write(bytes(4096))
    done = files.run(*COMMANDS[command], check=0)
    assert b"is not on the disk as an earlier run wrote it: began afresh" in done.stderr, done.stderr
    assert_right(files, command)
    assert command == "decrypt" or files.read("OUT")[:4096] != before[:4096]  # under new keys


@pytest.mark.parametrize("command", list(COMMANDS))
def test_pieces_between_those_that_are_marked_are_written_again(files, faults, command):
    """What lies in the place of one that is not, whatever the system says it is."""
    num_marked = kill(files, faults, command)
    unmark(files, command, marked(files, command)[0])
    num_written, done = num_pieces_written(files, faults, command)
    assert num_written == 7 - num_marked + 1 and b"hold %d bytes" % ((num_marked - 1) * CHUNK) in done.stderr, done.stderr
    assert_right(files, command)


@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_second_sync_that_fails_ends_the_file(files, faults, command):
    failing = f"fsync:{PARTIAL}@1=EIO"
    first = files.run(*COMMANDS[command], env=faults(failing))
    assert first.returncode == 1 and PARTIAL in files.names()
    second = files.run(*COMMANDS[command], env=faults(failing))
    assert second.returncode == 1 and files.names() == ["BOX", "IN", "key"], second.stderr
    files.run(*COMMANDS[command], check=0)
    assert_right(files, command)


@pytest.mark.parametrize("command", list(COMMANDS))
def test_what_was_never_told_is_told_at_the_next_sync(files, faults, command):
    """The system wrote it back after the run was killed, and failed: the first sync of the next run says so."""
    kill(files, faults, command)
    done = files.run(*COMMANDS[command], env=faults(f"fdatasync:{PARTIAL}@1=EIO"), check=0)
    assert b"began afresh" in done.stderr
    assert_right(files, command)


@pytest.mark.parametrize("command", list(COMMANDS))
def test_nothing_is_marked_where_the_sync_fails(files, faults, command):
    environment = {**faults(f"fsync:{PARTIAL}@1=EIO"), "FAULT_STEADY": "fast"}
    assert files.run(*COMMANDS[command], env=environment).returncode == 1
    assert marked(files, command) == []
    num_written, done = num_pieces_written(files, faults, command)
    assert num_written == 7 and b"hold 0 bytes" in done.stderr, (num_written, done.stderr)
    assert_right(files, command)


@pytest.mark.parametrize("what", ["kill", "EIO"])
@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_run_that_goes_on_may_be_stopped_at_every_call(files, faults, command, what):
    for number in range(1, 60) if FULL else range(1, 24, 3):
        kill(files, faults, command)
        done = files.run(*COMMANDS[command], env=faults(f"write,sync,name,fallocate,ftruncate@{number}={what}"))
        if "OUT" not in files.names():
            files.run(*COMMANDS[command], check=0)
        if what == "kill":  # of one that was killed after the renaming
            (files.folder / RECORD).unlink(missing_ok=True)
        assert_right(files, command)
        (files.folder / "OUT").unlink()
        if done.returncode == 0 and number > 12 and what == "kill":
            break


@pytest.fixture
def volatile(files):
    if not os.path.isdir("/dev/shm") or os.statvfs("/dev/shm").f_bavail < 20000:
        pytest.skip("there is no /dev/shm")
    folder = tempfile.TemporaryDirectory(dir="/dev/shm")
    phalanx = Phalanx(pathlib.Path(folder.name))
    phalanx.write("key", files.read("key"))
    phalanx.write("IN", PLAIN)
    phalanx.run("encrypt", *KEY, "IN", "BOX", check=0)
    yield phalanx
    folder.cleanup()


@pytest.mark.parametrize("command", list(COMMANDS))
def test_in_memory_alone_it_is_said(volatile, faults, command):
    kill(volatile, faults, command)
    done = volatile.run(*COMMANDS[command], check=0)
    assert b"lies in memory, on a file system that has no disk" in done.stderr
    assert_right(volatile, command)
    verified = volatile.run("encrypt", *KEY, "--verify", "IN", "AGAIN", check=0)
    assert b"lies in memory" in verified.stderr


def test_verify_from_disk_needs_a_disk(volatile, files):
    volatile.run("verify", *KEY, "-q", "BOX", check=0)
    done = volatile.run("verify", *KEY, "--from-disk", "-q", "BOX")
    volatile.assert_refused(done, 1, "BOX lies in memory")
    on_disk = files.run("verify", *KEY, "--from-disk", "-q", "BOX")
    assert on_disk.returncode == 0 or b"lies in memory" in on_disk.stderr  # where tests run in memory
