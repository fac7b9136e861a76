"""What fails in one rank, or in MPI, ends all: one line, a code that is not 0, and no OUT."""

import os

import pytest
from cluster_runs import CHUNK, IS_OPEN_MPI, KEY, OPEN_MPI_ENDS_RANKS, cluster, faults, mpi_faults, plain, random_bytes, wait_for  # noqa: F401

PARTIAL = "OUT.phalanx-partial"
INTERRUPTED = "phalanx: interrupted; what was written is removed, and --resume would have kept it"
ENCRYPT = ["encrypt", *KEY, "IN", "OUT"]
DECRYPT = ["decrypt", *KEY, "BOX", "OUT"]


@pytest.fixture
def sealed(cluster):
    cluster.run("encrypt", *KEY, "IN", "BOX", check=0)
    return cluster


def assert_failed(cluster, done, code, *words):
    """The code, and one line of ours that has the words; the folder is as it was."""
    assert done.returncode == code, (done.returncode, done.stderr.decode())
    lines = cluster.messages(done)
    assert len(lines) == 1 and all(word in lines[0] for word in words), done.stderr.decode()
    assert not [name for name in cluster.names() if name.startswith("OUT")]


def assert_no_out(cluster):
    """After an end by MPI. MPICH ends the other ranks by SIGKILL: rank 0 cannot clean up."""
    assert "OUT" not in cluster.names()
    assert not IS_OPEN_MPI or not [name for name in cluster.names() if name.startswith("OUT")]


def test_a_wrong_key(sealed):
    sealed.write("other", random_bytes(32, seed=2))
    assert_failed(sealed, sealed.ranks(3, "decrypt", "--key-file", "other", "BOX", "OUT"), 4, "wrong key")


@pytest.mark.parametrize("schedule", ["even", "dynamic"])
@pytest.mark.parametrize("piece", [0, 10, 20])
def test_one_damaged_piece(sealed, piece, schedule):
    box = bytearray(sealed.read("BOX"))
    box[piece * CHUNK + CHUNK // 2] ^= 1
    sealed.write("BOX", bytes(box))
    assert_failed(sealed, sealed.ranks(3, *DECRYPT, "--schedule", schedule), 3, "phalanx: rank ", f" on {os.uname().nodename}: ", "authentic")


def test_the_first_of_two_failures_is_told(sealed):
    """As by one process, if both pieces are one rank's."""
    box = bytearray(sealed.read("BOX"))
    box[CHUNK // 2] ^= 1
    box[CHUNK + CHUNK // 2] ^= 1
    sealed.write("BOX", bytes(box))
    assert_failed(sealed, sealed.ranks(2, *DECRYPT), 3, "rank 0 on ", "chunk 31 ")


def test_input_that_is_cut_short(sealed):
    sealed.write("BOX", sealed.read("BOX")[: 15 * CHUNK])
    done = sealed.ranks(3, *DECRYPT)
    assert_failed(sealed, done, sealed.run(*DECRYPT).returncode, "rank 2 on ")


def test_wrong_usage_is_told_once(cluster):
    assert_failed(cluster, cluster.ranks(3, *ENCRYPT, "--schedule", "odd"), 2, "--schedule is even or dynamic")
    assert_failed(cluster, cluster.ranks(3, "encrypt", "--no-such-option"), 2)
    cluster.write("OUT", b"precious")
    done = cluster.ranks(3, *ENCRYPT)
    assert done.returncode == 2 and len(cluster.messages(done)) == 1 and cluster.read("OUT") == b"precious"


@pytest.mark.parametrize("rank", [0, 1, 2])
@pytest.mark.parametrize(
    "rule, words",
    [("pread:IN@2=EIO", ["IN"]), ("pread:IN@N=EIO", ["IN"]), ("pwrite:.phalanx-partial@4+=ENOSPC", [PARTIAL, "space"]), ("fdatasync@1+=EIO", []), ("open:IN@2+=EACCES", ["IN"])],
)  # fmt: skip
def test_a_file_fails_one_rank(cluster, faults, rank, rule, words):
    if rank != 0:  # rank 0 opens IN before it asks the others, and writes a header
        rule = rule.replace("open:IN@2+", "open:IN@1+").replace("@4+", "@2+")
    before_pieces = 34 * (2 if rank == 0 else 1)  # places that prove which file it is, which rank 0 reads for the others, too
    rule = rule.replace("@N", f"@{before_pieces + 2}")
    of_rank = [] if ("open" in rule or "@2=EIO" in rule) and rank == 0 else [f"phalanx: rank {rank} on {os.uname().nodename}: "]
    done = cluster.ranks(3, *ENCRYPT, fault=(rank, faults.library, f"FAULTS={rule}"))
    assert_failed(cluster, done, 1, *of_rank, *words)


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize("rule", ["MPI_Init_thread@1", "MPI_Send@1", "MPI_Iprobe@1", "MPI_Iprobe@3", "MPI_Recv@1"])
def test_mpi_fails_one_rank(cluster, mpi_faults, rank, rule):
    done = cluster.ranks(2, *ENCRYPT, fault=(rank, mpi_faults, f"MPI_FAULT={rule}"))
    assert done.returncode != 0
    lines = [line for line in cluster.messages(done) if line != INTERRUPTED]  # rank 0's, if the other one ends it
    who = "phalanx: MPI does not start on " if "Init" in rule else f"phalanx: rank {rank} on {os.uname().nodename}: MPI cannot "
    assert len(lines) == 1 and lines[0].startswith(who), done.stderr.decode()
    assert_no_out(cluster)


@pytest.mark.parametrize("call", ["MPI_Send@1", "MPI_Send@2", "MPI_Finalize@1"])
@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_that_waits_in_mpi_ends_after_its_mpirun(cluster, plain, mpi_faults, rank, call):
    """No rank looks at messages then."""
    mpirun = cluster.start(2, *ENCRYPT, fault=(rank, mpi_faults, f"MPI_HANG={call}"))
    wait_for(lambda: "hanging" in cluster.names())
    assert cluster.ranks_left()
    mpirun.kill()
    mpirun.wait()
    wait_for(lambda: not cluster.ranks_left())
    if "OUT" in cluster.names():  # whole, and under its name before it hung
        assert cluster.run(*DECRYPT[:-2], "OUT", check=0).stdout == plain
    elif OPEN_MPI_ENDS_RANKS and any(name.startswith("OUT.") for name in cluster.names()):
        assert cluster.run(*ENCRYPT, "--force").returncode == 0
        pytest.skip("Open MPI 6 ends a rank in its next call, which came before rank 0 saw that its mpirun was gone")
    else:
        assert_no_out(cluster)
