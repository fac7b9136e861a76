"""Ranks that srun starts, by a Slurm of one node on loopback (tools/develop/try_slurm)."""

import os
import shutil
import subprocess

import pytest
from cluster_runs import ENVIRONMENT, IS_OPEN_MPI, KEY, MOST_SECONDS, PROGRAM, cluster, faults, plain, random_bytes  # noqa: F401

TRY_SLURM = os.path.join(os.path.dirname(__file__), "..", "..", "tools", "develop", "try_slurm")
SRUN = f"srun --mpi={'pmix' if IS_OPEN_MPI else 'pmi2'}"
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("slurmd", path=os.environ["PATH"] + ":/usr/sbin"), reason="no Slurm (tools/develop/install_packages slurm), or not root"
)


def run_script(cluster, script):
    cluster.write("script", f"run() {{ local ranks=$1; shift; {SRUN} -n $ranks {PROGRAM} \"$@\"; }}\n{script}".encode())
    command = [os.path.abspath(TRY_SLURM), "bash", "script"]
    return subprocess.run(command, cwd=cluster.folder, env=ENVIRONMENT, capture_output=True, stdin=subprocess.DEVNULL, timeout=2 * MOST_SECONDS)


def test_srun(cluster, plain):
    cluster.write("other", random_bytes(32, seed=2))
    done = run_script(
        cluster,
        """run 4 encrypt --key-file key --json IN BOX && run 3 decrypt --key-file key --key-per-rank BOX OUT || exit 100
        run 3 decrypt --key-file other BOX NOTHING; [ $? = 4 ] || exit 101""",
    )
    assert done.returncode == 0, done.stderr.decode()
    assert cluster.read("OUT") == plain and cluster.run("decrypt", *KEY, "BOX", check=0).stdout == plain
    assert "NOTHING" not in cluster.names() and done.stderr.decode().count('"rank":') == 4


def test_a_job_that_scancel_ends_goes_on(cluster, plain, faults):
    """While rank 1 is held up in a call."""
    fault = f"LD_PRELOAD={faults.library} FAULTS=pwrite:OUT.phalanx-partial@3=run ACTOR='scancel --signal=KILL $SLURM_JOB_ID; sleep 100'"
    cluster.write("one", f'[ "$SLURM_PROCID" = 1 ] && export {fault}\nexec "$@"\n'.encode())
    done = run_script(
        cluster,
        f"""{SRUN} -n 3 sh one {PROGRAM} encrypt --key-file key --resume IN OUT; [ $? != 0 ] || exit 100
        [ -e OUT.phalanx-partial ] && [ ! -e OUT ] || exit 101
        run 2 encrypt --key-file key --resume IN OUT || exit 102""",
    )
    assert done.returncode == 0, (done.returncode, done.stderr.decode())
    assert "are done: comparing them" in done.stderr.decode()
    assert cluster.run("decrypt", *KEY, "OUT", check=0).stdout == plain
