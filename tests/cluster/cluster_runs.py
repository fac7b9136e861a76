"""What the tests of phalanx-mpi share: ranks, their environment, and the data they run on."""

import os
import subprocess
import sys

import pytest

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from conftest import CHUNK, MOST_SECONDS, Phalanx, random_bytes  # noqa: E402

PROGRAM = os.path.abspath(os.environ.get("PHALANX_MPI_PROGRAM", "build/bin/phalanx-mpi"))
MPIRUN = os.environ.get("PHALANX_MPIRUN", "mpirun")
KEY = ["--key-file", "key"]
RANKS = [1, 2, 4, 7]
PIECES = 21  # of the data: more than the smallest job that is shared, and no multiple of a share

# Both MPIs by their environments: more ranks than processors, as root, and by no network but this machine's own.
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_btl_tcp_if_include": "lo",
    "OMPI_MCA_oob_tcp_if_include": "lo",
    "OMPI_MCA_orte_abort_print_stack": "0",
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


class Cluster(Phalanx):
    """phalanx-mpi in a folder of its own. `run` is the plain program's; `ranks` runs many."""

    def command(self, num_ranks, *arguments):
        return [MPIRUN, "-n", str(num_ranks), PROGRAM, *map(str, arguments)]

    def ranks(self, num_ranks, *arguments, check=None, env=None):
        done = subprocess.run(
            self.command(num_ranks, *arguments),
            cwd=self.folder, capture_output=True, timeout=MOST_SECONDS, env={**ENVIRONMENT, **(env or {})}, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        if check is not None:
            assert done.returncode == check, (done.returncode, done.stderr.decode())
        return done

    def start_ranks(self, num_ranks, *arguments, env=None):
        return subprocess.Popen(
            self.command(num_ranks, *arguments),
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**ENVIRONMENT, **(env or {})},
            start_new_session=True,
        )  # fmt: skip

    def messages(self, done):
        """Our lines of standard error, without what mpirun says of ranks that failed."""
        return [line for line in done.stderr.decode().splitlines() if line.startswith("phalanx")]


@pytest.fixture(scope="session")
def plain():
    return random_bytes(PIECES * CHUNK + 12_345, seed=77)


@pytest.fixture
def cluster(tmp_path, plain):
    cluster = Cluster(tmp_path)
    cluster.write("key", random_bytes(32))
    cluster.write("IN", plain)
    return cluster
