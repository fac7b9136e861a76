"""IN that another program writes while ranks read it: rank 0 settles where it ends, and says what became of it."""

import os

import pytest
from cluster_runs import KEY, cluster, faults, plain  # noqa: F401

RAW = ["--cipher", "aes-256-ctr", "--iv", "00" * 16, *KEY]
COMMANDS = {
    "encrypt": (["encrypt", *KEY, "IN", "OUT"], ["decrypt", *KEY, "OUT"]),
    "raw": (["raw", "encrypt", *RAW, "IN", "OUT"], ["raw", "decrypt", *RAW, "OUT"]),
}


@pytest.fixture
def changing(cluster):
    os.utime(cluster.folder / "IN", (1_000_000_000, 1_000_000_000))  # changes show, whatever the clock's step
    cluster.write("more", b"the line that matters")
    return cluster


def run(cluster, faults, command, rank, act, *options):
    return cluster.ranks(2, *COMMANDS[command][0], *options, env={"ACTOR": act}, fault=(rank, faults.library, "FAULTS=pread:IN@1=run"))


@pytest.mark.parametrize("command, rank", [("encrypt", 0), ("raw", 1)])
def test_what_is_appended_comes_too_late_and_is_said(changing, faults, plain, command, rank):
    done = run(changing, faults, command, rank, "cat more >> IN")
    assert done.returncode == 0 and b"grew while it was read: what was read before may have changed too" in done.stderr
    assert b"its last 21 bytes came too late for OUT" in done.stderr, done.stderr
    assert changing.run(*COMMANDS[command][1], check=0).stdout == plain


@pytest.mark.parametrize("command, rank", [("encrypt", 1), ("raw", 0)])
def test_what_was_changed_is_refused(changing, faults, command, rank):
    done = run(changing, faults, command, rank, "touch IN")
    assert done.returncode == 1 and b"was changed while it was read" in done.stderr, done.stderr
    assert not [name for name in changing.names() if name.startswith("OUT")]
    done = run(changing, faults, command, rank, "touch -d @1 IN", "--changing-input")
    assert done.returncode == 0 and b"warning: IN was changed while it was read" in done.stderr, done.stderr


def test_resume_seals_what_was_settled(changing, faults, plain):
    done = changing.ranks(2, "encrypt", *KEY, "--resume", "IN", "OUT", fault=(0, faults.library, "FAULTS=rename:.phalanx-partial@1=EIO"))
    assert done.returncode == 1
    with open(changing.folder / "IN", "ab") as log:
        log.write(b"more")
    done = changing.ranks(3, "encrypt", *KEY, "--resume", "IN", "OUT", check=0)
    assert b"has 4 bytes more than when OUT was begun" in done.stderr
    assert changing.run("decrypt", *KEY, "OUT", check=0).stdout == plain
