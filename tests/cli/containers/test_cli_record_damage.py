"""encrypt --resume: a piece whose record was damaged is not taken for one that was never written."""

import signal

import pytest
from conftest import CHUNK, KEY, random_bytes

PARTIAL, RECORD = "OUT.phalanx-partial", "OUT.phalanx-record"
COMMAND = ["encrypt", "--threads", "1", "--resume", *KEY, "IN", "OUT"]
PIECES = 4
PLACES, PLACE = 4096, 1536  # resume_record.cpp


def killed(files, faults):
    """With some pieces on the disk, and all of them recorded. Returns the first that is there."""
    files.write("IN", random_bytes(PIECES * CHUNK, seed=6))
    assert files.run(*COMMAND, env=faults(f"pwrite:{PARTIAL}@4=kill")).returncode == -signal.SIGKILL
    partial = files.read(PARTIAL)
    there = [piece for piece in range(PIECES) if any(partial[piece * CHUNK + 4096 : piece * CHUNK + 8192])]
    assert there and len(there) < PIECES
    return there[0]


def damaged(record, how, pieces):
    if how == "cut":
        return record[:PLACES]
    for piece in pieces:
        at = PLACES + piece * PLACE
        if at >= len(record):
            break
        if how == "bit":
            record = record[: at + 40] + bytes([record[at + 40] ^ 4]) + record[at + 41 :]
        else:
            record = record[:at] + bytes(512) + record[at + 512 :]
    return record


@pytest.mark.parametrize("how", ["bit of all", "bit of one", "sector of all", "sector of one", "cut"])
@pytest.mark.parametrize("change", [True, False], ids=["another IN", "the same IN"])
def test_no_piece_gets_two_contents(files, faults, how, change):
    first = killed(files, faults)
    content = bytearray(files.read("IN"))
    files.write(RECORD, damaged(files.read(RECORD), how.split()[0], [first] if how.endswith("one") else range(PIECES)))
    content[first * CHUNK + 5000] ^= change
    files.write("IN", bytes(content))
    before = files.read(PARTIAL), files.read(RECORD)
    done = files.run(*COMMAND)
    assert done.returncode == 2 and b"one of the two was damaged" in done.stderr and b"--force" in done.stderr, done.stderr
    assert (files.read(PARTIAL), files.read(RECORD)) == before and "OUT" not in files.names()
    files.run(*(word for word in COMMAND if word != "--resume"), "--force", check=0)
    assert files.run("decrypt", *KEY, "OUT", check=0).stdout == bytes(content)


def test_what_nothing_was_written_of_needs_no_record(files, faults):
    """The records of pieces that never came to the file."""
    first = killed(files, faults)
    partial = files.read(PARTIAL)
    missing = [piece for piece in range(first + 1, PIECES) if not any(partial[piece * CHUNK + 4096 : (piece + 1) * CHUNK])]
    assert missing
    files.write(RECORD, damaged(files.read(RECORD), "sector", missing))
    files.run(*COMMAND, check=0)
    assert files.run("decrypt", *KEY, "OUT", check=0).stdout == files.read("IN")
