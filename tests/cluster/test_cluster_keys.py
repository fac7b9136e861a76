"""What crosses between ranks, and --key-per-rank."""

import hmac
import os
import subprocess

import pytest
from cluster_runs import ENVIRONMENT, KEY, PROGRAM, cluster, mpi_faults, plain, random_bytes, wait_for  # noqa: F401

PER_RANK = "--key-per-rank"
BOTH_WAYS = pytest.mark.parametrize("per_rank", [False, True])


def sent_by_ranks(cluster, mpi_faults, *arguments):
    """All that rank 0 sends, and then all that rank 1 does, in a run each."""
    sent = b""
    for rank in (0, 1):
        cluster.ranks(2, *arguments, "-f", "IN", "OUT", check=0, fault=(rank, mpi_faults, f"MPI_RECORD={cluster.folder}/sent"))
        sent += cluster.read("sent")
    assert len(sent) > 500
    return sent


def message_key(message, key):
    """docs/format.md, section 2: of a bare message of aes-256."""
    info = b"c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM\0" + message[:24]
    return hmac.digest(key, info + b"\1", "sha512")[:32]


@BOTH_WAYS
def test_who_listens_has_the_key_of_raw_data_only_without_it(cluster, mpi_faults, per_rank):
    raw = ["raw", "encrypt", "--cipher", "aes-256-ctr", "--iv", "00112233445566778899aabbccddeeff", *KEY]
    sent = sent_by_ranks(cluster, mpi_faults, *raw, *[PER_RANK] * per_rank)
    readable = [cluster.read("key") in sent, str(cluster.folder).encode() in sent]
    assert readable == ([False, False] if per_rank else [True, True])


@BOTH_WAYS
def test_who_listens_has_the_keys_of_a_message_only_without_it(cluster, mpi_faults, per_rank):
    key = cluster.read("key")
    cluster.run("encrypt", "--bare", *KEY, "IN", "BOX", check=0)
    os.rename(cluster.folder / "BOX", cluster.folder / "IN")
    sent = sent_by_ranks(cluster, mpi_faults, "decrypt", "--bare", *KEY, *[PER_RANK] * per_rank)
    assert key not in sent  # but those of the message, which the tests of docs/format.md know
    message = cluster.read("IN")
    readable = [message_key(message, key) in sent, message[:24] in sent]
    assert readable == ([False, False] if per_rank else [True, True])


@pytest.mark.parametrize("schedule", ["even", "dynamic"])
@pytest.mark.parametrize("num_ranks", [1, 2, 5])
def test_the_same_is_done(cluster, plain, num_ranks, schedule):
    cluster.write("pass", b"a passphrase\n")
    options = [PER_RANK, *KEY, "--passphrase-file=pass", "--scrypt-log-n", "12", "--schedule", schedule]
    cluster.ranks(num_ranks, "encrypt", *options, "--verify", "IN", "BOX", check=0)
    assert cluster.run("decrypt", *KEY, "BOX", check=0).stdout == plain
    cluster.ranks(num_ranks, "decrypt", PER_RANK, "--passphrase-file", "pass", "BOX", "OUT", check=0)
    assert cluster.read("OUT") == plain


def test_migrate(cluster, plain):
    cluster.write("pass", b"old passphrase\n")
    old = ["openssl", "enc", "-des-ede3-cbc", "-pbkdf2", "-iter", "10", "-in", "IN", "-out", "OLD", "-pass", "file:pass"]
    subprocess.run(old, cwd=cluster.folder, check=True)
    side = ["--from-openssl", "--from-cipher", "des3", "--from-pbkdf2", "--from-iter", "10", "--from-passphrase-file", "pass"]
    cluster.ranks(3, "migrate", PER_RANK, *side, *KEY, "OLD", "BOX", check=0)
    assert cluster.run("decrypt", *KEY, "BOX", check=0).stdout == plain


def run_with_another_rank_1(cluster, name):
    """Three ranks, of which rank 1 has another name for the file of its key."""
    return cluster.ranks_with_commands(*(["encrypt", PER_RANK, "--key-file", key, "IN", "OUT"] for key in ("key", name, "key")))


def test_every_rank_reads_its_own_file(cluster, plain):
    cluster.write("copy", cluster.read("key"))
    done = run_with_another_rank_1(cluster, "copy")
    assert done.returncode == 0, done.stderr.decode()
    assert cluster.run("decrypt", *KEY, "OUT", check=0).stdout == plain


def test_a_rank_that_wants_an_agreement_obeys_nobody_without_one(cluster):
    """Rank 0, or who is in its place, leaves the option out."""
    done = cluster.ranks_with_commands(["encrypt", *KEY, "IN", "OUT"], ["encrypt", PER_RANK, *KEY, "IN", "OUT"])
    assert done.returncode != 0 and "OUT" not in cluster.names(), done.stderr.decode()
    lines = cluster.messages(done)
    assert any(f"rank 1 on {os.uname().nodename}: what came from rank 0 is refused" in line for line in lines), lines


def test_wrong_usage_ends_all_before_the_agreement(cluster):
    done = cluster.ranks(3, "encrypt", PER_RANK, *KEY, "--schedule", "odd", "IN", "OUT")
    lines = cluster.messages(done)
    assert done.returncode == 2 and len(lines) == 1 and "--schedule is even or dynamic" in lines[0], done.stderr.decode()


@pytest.mark.parametrize(
    "content, code, words",
    [(random_bytes(32, seed=99), 4, "its files hold another key"), (None, 1, "No such file"), (b"x" * 9000, 2, "too long")],
)
def test_a_rank_without_the_key_ends_all(cluster, content, code, words):
    if content is not None:
        cluster.write("other", content)
    before = cluster.names()
    done = run_with_another_rank_1(cluster, "other")
    lines = cluster.messages(done)
    assert done.returncode == code, (done.returncode, done.stderr.decode())
    assert len(lines) == 1 and lines[0].startswith(f"phalanx: rank 1 on {os.uname().nodename}: ") and words in lines[0], lines
    assert cluster.names() == before


@pytest.mark.parametrize(
    "secret, words",
    [([], "needs a secret in a file"), (["--key-env", "KEY"], "from files"), (["--key-file=-"], "from files"), (["--key-file", "."], "no regular file")],
)
def test_what_is_no_file_is_refused(cluster, secret, words):
    done = cluster.ranks(2, "encrypt", PER_RANK, *secret, "IN", "OUT")
    lines = cluster.messages(done)
    assert done.returncode == 2 and len(lines) == 1 and words in lines[0], done.stderr.decode()
    assert "OUT" not in cluster.names()


@pytest.mark.parametrize("number", [3, 4])
def test_who_changes_a_message_ends_the_run(cluster, mpi_faults, number):
    """The two before are of the agreement, and in clear."""
    done = cluster.ranks(2, "encrypt", PER_RANK, *KEY, "IN", "OUT", fault=(0, mpi_faults, f"MPI_FLIP=MPI_Send@{number}"))
    assert done.returncode != 0
    assert any(f"rank 1 on {os.uname().nodename}: what came from rank 0 is not authentic" in line for line in cluster.messages(done))


def environments_of_ranks(cluster):
    """What /proc shows of each rank of this folder."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{process}/cwd") == str(cluster.folder) and os.readlink(f"/proc/{process}/exe") == PROGRAM:
                with open(f"/proc/{process}/environ", "rb") as environment:
                    found.append(environment.read())
        except OSError:  # gone, or not ours
            continue
    return found


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone may look into a process that is closed")
@pytest.mark.parametrize("form", [["--key-env", "A_KEY"], ["--key-env=A_KEY"]])
def test_no_rank_keeps_a_key_in_its_environment(cluster, plain, form):
    key = cluster.read("key").hex()
    os.mkfifo(cluster.folder / "PIPE")
    command = cluster.command(3, "encrypt", *form, "PIPE", "BOX")
    mpirun = subprocess.Popen(command, cwd=cluster.folder, env={**ENVIRONMENT, "A_KEY": key}, stdin=subprocess.DEVNULL)

    def all_are_without():
        found = environments_of_ranks(cluster)
        return len(found) == 3 and not any(key.encode() in environment for environment in found)

    try:
        wait_for(all_are_without)
        (cluster.folder / "PIPE").write_bytes(plain)
        assert mpirun.wait() == 0
    finally:
        mpirun.kill()
        mpirun.wait()
    assert cluster.run("decrypt", *KEY, "BOX", check=0).stdout == plain
