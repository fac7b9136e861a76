"""SIGKILLs of one rank, or of all of mpirun, at random calls; then --resume by another number of ranks, or by the plain program.
PHALANX_CLUSTER_KILLS=70 asks for 50 of the first kind and 20 of the second; PHALANX_CLUSTER_SEED repeats a run."""

import fcntl
import os
import random
import subprocess

import pytest
from cluster_runs import CHUNK, ENVIRONMENT, KEY, MOST_SECONDS, cluster, faults, plain, wait_for  # noqa: F401

NUM_KILLS = int(os.environ.get("PHALANX_CLUSTER_KILLS", "9"))
SEED = int(os.environ.get("PHALANX_CLUSTER_SEED", str(random.SystemRandom().randrange(1 << 32))))
NUM_OF_ALL = max(1, NUM_KILLS * 2 // 7) if NUM_KILLS >= 70 else NUM_KILLS // 3
CALLS = "pread,pwrite,sync,rename"  # of which MPI makes hardly any
OLD = "--from-openssl --from-cipher des3 --from-pbkdf2 --from-iter 10 --from-passphrase-file pass".split()
COMMANDS = {
    "encrypt": ["encrypt", *KEY, "--resume", "IN", "OUT"],
    "decrypt": ["decrypt", *KEY, "--resume", "BOX", "OUT"],
    "migrate": ["migrate", *OLD, *KEY, "--resume", "OLD", "OUT"],
}


@pytest.fixture
def inputs(cluster):
    cluster.write("pass", b"old passphrase\n")
    old = ["openssl", "enc", "-des-ede3-cbc", "-pbkdf2", "-iter", "10", "-in", "IN", "-out", "OLD", "-pass", "file:pass"]
    subprocess.run(old, cwd=cluster.folder, check=True)
    cluster.run("encrypt", *KEY, "IN", "BOX", check=0)
    return cluster


def is_free(inputs):
    """A killed process is gone from the list before the kernel lets go of its locks."""
    try:
        with open(inputs.folder / "OUT.phalanx-partial", "rb") as partial:
            fcntl.flock(partial, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return True
    except BlockingIOError:
        return False
    return True


def check_out(inputs, plain, name, chance):
    """Goes on where nothing is whole yet: with another number of ranks, or by the plain program."""
    wait_for(lambda: not inputs.ranks_left() and is_free(inputs))
    if "OUT" not in inputs.names():
        num_ranks = chance.choice([0, 1, 2, 3, 5])
        if num_ranks == 0:
            inputs.run(*COMMANDS[name], check=0)
        else:
            inputs.ranks(num_ranks, *COMMANDS[name], check=0)
    out = inputs.read("OUT") if name == "decrypt" else inputs.run("decrypt", *KEY, "OUT", check=0).stdout
    assert out == plain
    left = [left for left in inputs.names() if left.startswith("OUT.")]
    assert left in ([], ["OUT.phalanx-record"])  # killed after OUT had its name, and before the record went: its next run takes it


HITS = {"rank": [], "job": []}  # for each kill, whether it hit


def random_fault(faults, chance, num_ranks, what, number):
    """The first of each kind is one that every rank comes to."""
    call = 1 if number == 0 else chance.randint(1, 30)
    return chance.randrange(num_ranks), faults.library, f"FAULTS={CALLS}@{call}={what}"


def count_hit(kind, inputs):
    """The library writes what it is about to do: a run that ended before was not killed."""
    HITS[kind].append(any(line.startswith(b"hit ") for line in inputs.read("log").splitlines()))
    os.remove(inputs.folder / "log")
    return HITS[kind][-1]


@pytest.mark.parametrize("number", range(NUM_KILLS - NUM_OF_ALL))
def test_a_killed_rank(inputs, plain, faults, number):
    chance = random.Random(f"rank {SEED} {number}")
    name, num_ranks = chance.choice(list(COMMANDS)), chance.choice([2, 3, 4])
    fault = random_fault(faults, chance, num_ranks, chance.choice(["kill", "tear", "kill-after"]), number)
    schedule = "even" if number == 0 else chance.choice(["even", "dynamic"])
    print(SEED, name, num_ranks, schedule, fault)
    done = inputs.ranks(num_ranks, *COMMANDS[name], "--schedule", schedule, fault=fault, env={"FAULT_LOG": inputs.folder / "log"})
    was_hit = count_hit("rank", inputs)
    assert done.returncode != 0 if was_hit else done.returncode == 0 and "OUT" in inputs.names()
    check_out(inputs, plain, name, chance)


@pytest.mark.parametrize("number", range(NUM_OF_ALL))
def test_a_killed_job(inputs, plain, faults, number):
    """mpirun's process group, from within a rank's call; ranks end by themselves."""
    chance = random.Random(f"job {SEED} {number}")
    name, num_ranks = chance.choice(list(COMMANDS)), chance.choice([2, 3, 4])
    fault = random_fault(faults, chance, num_ranks, "run", number)
    print(SEED, name, num_ranks, fault)
    command = ["sh", "-c", 'export GROUP_OF_MPIRUN=$$; exec "$@"', "sh", *inputs.command(num_ranks, *COMMANDS[name], fault=fault)]
    done = subprocess.run(
        command, cwd=inputs.folder, env={**ENVIRONMENT, "ACTOR": "kill -s KILL -- -$GROUP_OF_MPIRUN", "FAULT_LOG": inputs.folder / "log"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, timeout=MOST_SECONDS,
    )  # fmt: skip
    was_hit = count_hit("job", inputs)
    assert done.returncode != 0 if was_hit else done.returncode == 0 and "OUT" in inputs.names()
    check_out(inputs, plain, name, chance)


@pytest.mark.parametrize("kind", HITS)
def test_kills_hit_jobs_at_work(kind, capsys):
    """Of those above, in their order: kills that all come too late show nothing."""
    if not HITS[kind]:
        pytest.skip("no kills were asked for")
    with capsys.disabled():
        print(f"\n{sum(HITS[kind])} of {len(HITS[kind])} kills of a {kind} hit it at work")
    assert sum(HITS[kind]) > 0


@pytest.mark.parametrize("name", COMMANDS)
def test_a_run_of_the_plain_program_goes_on_in_ranks(inputs, plain, faults, name):
    calls = "pwrite:OUT.phalanx-partial" if name != "migrate" else "sync"
    done = inputs.run(*COMMANDS[name], env=faults(f"{calls}@6=kill"))
    assert done.returncode == -9 and "OUT" not in inputs.names()
    inputs.ranks(3, *COMMANDS[name], check=0)
    check_out(inputs, plain, name, random.Random(1))


def test_another_input_is_refused_by_ranks(inputs, plain, faults):
    """No chunk is sealed twice with different content, whichever rank meets it."""
    fault = (1, faults.library, "FAULTS=pwrite:OUT.phalanx-partial@6=kill")
    assert inputs.ranks(3, *COMMANDS["encrypt"], fault=fault).returncode != 0
    wait_for(lambda: not inputs.ranks_left())
    inputs.write("IN", bytes([plain[0] ^ 1]) + bytes(byte ^ 1 for byte in plain[1:]))
    done = inputs.ranks(2, *COMMANDS["encrypt"])
    assert done.returncode == 2 and len(inputs.messages(done)) == 2, done.stderr.decode()
    assert "was begun with another content of IN" in inputs.messages(done)[1]
