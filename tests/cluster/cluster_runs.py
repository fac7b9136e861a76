"""What the tests of phalanx-mpi share: ranks, their environment, and the data they run on."""

import os
import re
import subprocess
import sys
import time
import warnings

import pytest

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))
from conftest import CHUNK, MOST_SECONDS, Phalanx, faults, random_bytes, unknown_format, wait_for  # noqa: E402, F401

PROGRAM = os.path.abspath(os.environ.get("PHALANX_MPI_PROGRAM", "build/bin/phalanx-mpi"))
MPIRUN = os.environ.get("PHALANX_MPIRUN", "mpirun")
VERSION = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True).stdout
IS_OPEN_MPI = "HYDRA" not in VERSION  # its mpiexec calls itself OpenRTE; MPICH's is HYDRA
OPEN_MPI_ENDS_RANKS = re.search(r"Open MPI\) ([6-9]|\d\d)", VERSION) is not None  # when their mpirun is gone, by _exit
IN_ONE_RANK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "in_one_rank")
COMMAND_OF_RANK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "command_of_rank")
KEY = ["--key-file", "key"]
RANKS = [1, 2, 4, 7]
BETWEEN_LOOKS, MOST_TRIES = 10, 3  # seconds, at ranks of an mpirun that does not end
PIECES = 21  # of the data: more than the smallest job that is shared, and no multiple of a share

# All MPIs by their environments, Open MPI 5 by that of its runtime PRRTE: more ranks than processors, as root, and by no network but this machine's own.
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_btl_tcp_if_include": "lo",
    "OMPI_MCA_oob_tcp_if_include": "lo",
    "OMPI_MCA_orte_abort_print_stack": "0",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    # PMIx 4's default shares memory between ranks under a lock that fails where several jobs run at once: ranks then end, or run alone.
    "PMIX_MCA_gds": "hash",
}


class Cluster(Phalanx):
    """phalanx-mpi in a folder of its own. `run` is the plain program's; `ranks` runs many."""

    def command(self, num_ranks, *arguments, fault=None):
        """`fault`: a rank, the library that it has preloaded, and the variable that this goes by."""
        before = [] if fault is None else [IN_ONE_RANK, *map(str, fault)]
        return [MPIRUN, "-n", str(num_ranks), *before, PROGRAM, *map(str, arguments)]

    def run_to_its_end(self, command, environment):
        """Nothing where mpirun waits although no rank is left: Open MPI 4's can wait for a lock of its own for ever when a rank
        has ended all, as PMIx_server_finalize does in libpmix 4.2.2 on a busy machine."""
        nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
        mpirun = subprocess.Popen(command, cwd=self.folder, env=environment, stdin=nothing, stdout=pipe, stderr=pipe)
        begun, times_alone = time.monotonic(), 0
        while times_alone < 2 and time.monotonic() < begun + MOST_SECONDS:
            try:
                out, errors = mpirun.communicate(timeout=BETWEEN_LOOKS)
                return subprocess.CompletedProcess(command, mpirun.returncode, out, errors)
            except subprocess.TimeoutExpired:
                times_alone = 0 if self.ranks_left() else times_alone + 1
        mpirun.kill()
        errors = mpirun.communicate()[1].decode()
        assert times_alone == 2, f"hangs: {errors}"
        warnings.warn(f"an mpirun without ranks did not end, and is started once more: {errors}", stacklevel=3)
        return None

    def completed(self, command, environment=ENVIRONMENT):
        runs = (self.run_to_its_end(command, environment) for _ in range(MOST_TRIES))
        done = next((run for run in runs if run is not None), None)
        assert done is not None, "no mpirun ends"
        return done

    def ranks(self, num_ranks, *arguments, check=None, env=None, fault=None):
        done = self.completed(self.command(num_ranks, *arguments, fault=fault), {**ENVIRONMENT, **(env or {})})
        if check is not None:
            assert done.returncode == check, (done.returncode, done.stderr.decode())
        return done

    def ranks_with_commands(self, *commands):
        """A rank for each of these arguments."""
        command = [MPIRUN, "-n", str(len(commands)), COMMAND_OF_RANK]
        for number, arguments in enumerate(commands):
            command += [","] * (number > 0) + [PROGRAM, *arguments]
        return self.completed(command)

    def start(self, num_ranks, *arguments, fault=None):
        """mpirun, in a process group of its own."""
        command = self.command(num_ranks, *arguments, fault=fault)
        nothing = subprocess.DEVNULL
        return subprocess.Popen(command, cwd=self.folder, env=ENVIRONMENT, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True)

    def ranks_left(self):
        """Whether a rank of this folder lives: one whose mpirun was killed ends a moment later."""
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.readlink(f"/proc/{process}/cwd") == str(self.folder) and os.readlink(f"/proc/{process}/exe") == PROGRAM:
                    return True
            except OSError:  # gone, or not ours
                continue
        return False

    def messages(self, done):
        """Our lines of standard error, without what mpirun says of ranks that failed."""
        return [line for line in done.stderr.decode().splitlines() if line.startswith("phalanx")]


@pytest.fixture(scope="session")
def mpi_faults(tmp_path_factory):
    library = str(tmp_path_factory.mktemp("mpi") / "mpi_faults.so")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mpi_faults.c")
    subprocess.run([os.environ.get("PHALANX_MPICC", "mpicc"), "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return library


@pytest.fixture(scope="session")
def plain():
    return unknown_format(PIECES * CHUNK + 12_345, seed=77)


@pytest.fixture
def cluster(tmp_path, plain):
    cluster = Cluster(tmp_path)
    cluster.write("key", random_bytes(32))
    cluster.write("IN", plain)
    return cluster
