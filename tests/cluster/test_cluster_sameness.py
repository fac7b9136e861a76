"""The same bytes whatever the number of ranks, and pieces that go to whoever is free."""

import json
import os
import subprocess
import sys

import pytest
from cluster_runs import CHUNK, KEY, RANKS, cluster, faults, plain, random_bytes  # noqa: F401

HERE = os.path.dirname(os.path.abspath(__file__))
CONTAINERS = {
    "key": KEY, "both": [*KEY, "--passphrase-file", "pass", "--scrypt-log-n", "12"], "serpent": [*KEY, "--cipher", "serpent-256"],
    "bare": [*KEY, "--bare"],
}  # fmt: skip
NUM_PIECES = 96


@pytest.fixture(scope="session")
def fixed_random(tmp_path_factory):
    library = str(tmp_path_factory.mktemp("random") / "fixed_random.so")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, os.path.join(HERE, "fixed_random.c")], check=True)
    return library


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_are_the_same_bytes(cluster, fixed_random, name):
    """Where random bytes are fixed, which rank 0 draws."""
    cluster.write("pass", b"a passphrase\n")
    command = ["encrypt", *CONTAINERS[name], "-f", "IN"]
    preloaded = {**os.environ, "LD_PRELOAD": fixed_random, "ASAN_OPTIONS": "verify_asan_link_order=0"}
    cluster.run(*command, "FIRST", env=preloaded, check=0)
    first = cluster.read("FIRST")
    cluster.run(*command, "OTHER", check=0)
    assert cluster.read("OTHER") != first and cluster.read("OTHER")[-1000:] != first[-1000:]
    for num_ranks in RANKS:
        for schedule in ("even", "dynamic"):
            cluster.ranks(num_ranks, *command, "BOX", "--schedule", schedule, check=0, fault=(0, fixed_random, "FIXED=yes"))
            assert cluster.read("BOX") == first, (num_ranks, schedule)


def pieces_of_a_slow_rank(cluster, faults, schedule, pieces_of_others):
    """How many pieces rank 1 of two does, whose every reading waits until so many pieces are there."""
    options = ["raw", "encrypt", "--cipher", "aes-256-ctr", "--iv", "00112233445566778899aabbccddeeff", *KEY, "--json", "-f"]
    actor = f"{sys.executable} -B {HERE}/wait_for_pieces.py {pieces_of_others}"
    slow = (1, faults.library, "FAULTS=pread:IN@1+=run")
    done = cluster.ranks(2, *options, "--schedule", schedule, "IN", "OUT", check=0, fault=slow, env={"ACTOR": actor})
    table = next(json.loads(line) for line in done.stderr.decode().splitlines() if line.startswith("{"))
    pieces = [rank["bytes"] // CHUNK for rank in table["ranks"]]
    assert sum(pieces) == NUM_PIECES
    return pieces[1]


def test_a_slow_rank_gets_less_of_a_dynamic_schedule(cluster, faults):
    """By count: while it is held up, others do more than their even part, and it is left with less."""
    with open(cluster.folder / "IN", "wb") as file:
        file.truncate(NUM_PIECES * CHUNK)
    even = pieces_of_a_slow_rank(cluster, faults, "even", NUM_PIECES // 2)
    expected = cluster.read("OUT")
    dynamic = pieces_of_a_slow_rank(cluster, faults, "dynamic", NUM_PIECES * 5 // 8)
    print(f"of {NUM_PIECES} pieces the slow rank did {even} by the even schedule, {dynamic} by the dynamic one")
    assert even == NUM_PIECES // 2 and dynamic <= NUM_PIECES * 3 // 8
    assert cluster.read("OUT") == expected
