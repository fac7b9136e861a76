"""What the tests of containers that are written while things go wrong share."""

import os
import random

import pytest
from conftest import CHUNK, random_bytes

KEY = ["--key-file", "key"]
PARTIAL = "OUT.phalanx-partial"
RECORD = "OUT.phalanx-record"
PREFIX, SEALED_CHUNK = 56, 16400
SEALED_PIECE = 64 * SEALED_CHUNK
RECORD_PLACE = 1536
NUM_KILLS = int(os.environ.get("PHALANX_KILLS", "40"))
SEED = int(os.environ.get("PHALANX_KILLS_SEED", str(random.SystemRandom().randrange(1 << 32))))


@pytest.fixture(scope="module")
def plain():
    """Several pieces and a short one."""
    return random_bytes((5 if NUM_KILLS < 200 else 20) * CHUNK + 12_345, seed=21)


@pytest.fixture
def files(phalanx, plain):
    phalanx.write("key", random_bytes(32))
    phalanx.write("other", random_bytes(32, seed=2))
    phalanx.write("IN", plain)
    phalanx.run("encrypt", *KEY, "IN", "BOX", check=0)
    return phalanx


def run_with(files, faults, rules, *arguments):
    return files.run(*arguments, env=faults(rules))


def first_place(record):
    """Where a record file has the place of piece 0: behind what the message began with."""
    return -(-(24 + int.from_bytes(record[16:24], "little")) // 4096) * 4096


def recorded_pieces(record):
    places = range(first_place(record), len(record), RECORD_PLACE)
    numbers = [int.from_bytes(record[place : place + 8], "little") for place in places if any(record[place + 8 : place + 16])]
    assert numbers == [number for number, place in enumerate(places) if any(record[place + 8 : place + 16])]
    return numbers


def header_bytes(sealed):
    return 12 + int.from_bytes(sealed[10:12], "big") + 64


def check_sealed(files, plain, name="OUT", key=KEY):
    assert files.run("decrypt", *key, name, check=0).stdout == plain


def assert_same_chunks(left, out):
    """No chunk that was on the disk before stands otherwise in OUT under the same key: holes and torn chunks aside."""
    start = header_bytes(out) + PREFIX
    if left[:start] != out[:start]:
        return False  # begun afresh
    for number in range((min(len(left), len(out)) - start) // SEALED_CHUNK):
        place = start + number * SEALED_CHUNK
        chunk = left[place : place + SEALED_CHUNK]
        if any(chunk[-16:]):
            assert chunk == out[place : place + SEALED_CHUNK], number
    return True
