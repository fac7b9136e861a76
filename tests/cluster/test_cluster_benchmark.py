"""What measures ranks runs, checks its outputs, and gives what the model is fitted to; never how fast."""

import json
import os
import subprocess
import sys

import pytest
from cluster_runs import ENVIRONMENT, IN_ONE_RANK, IS_OPEN_MPI, MOST_SECONDS, MPIRUN, mpi_faults  # noqa: F401

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
BENCHMARK = os.environ.get("PHALANX_RANK_BENCHMARK")
pytestmark = pytest.mark.skipif(not BENCHMARK or not IS_OPEN_MPI, reason="no rank_benchmark, or not Open MPI")


def run(folder, *command):
    return subprocess.run(command, cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=3 * MOST_SECONDS)


def test_ranks_are_measured_and_the_model_fitted(tmp_path):
    sizes = ["--strong", "9", "--weak", "1", "--rounds", "1", "--most-ranks", "2", "--seconds", "300", "--folder", tmp_path]
    measure = os.path.join(ROOT, "bench", "cluster", "measure_ranks.py")
    done = run(tmp_path, sys.executable, "-B", measure, "--program", BENCHMARK, "--mpirun", MPIRUN, "--json", "result.json", *sizes)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "result.json").read_text())
    assert not result["left_out"] and result["cpu"] and result["engine"].startswith("cpu:")
    methods = {(figure["ranks"], figure["method"]) for figure in result["ranks"]}
    names = ["phalanx-mpi", "independent processes", "a copy to each rank", "a part to each rank", "kernel", "memcpy"]
    assert methods == {(ranks, name) for ranks in (1, 2) for name in names}
    assert all(len(figure["seconds"]) == 1 and min(figure["seconds"]) > 0 for figure in result["ranks"])
    done = run(tmp_path, sys.executable, "-B", os.path.join(ROOT, "bench", "cluster", "model_ranks.py"), "result.json")
    assert done.returncode == 0 and "1 PB" in done.stdout, done.stderr


def test_a_wrong_output_ends_the_measurement(tmp_path, mpi_faults):
    """One bit of what a rank sends back to rank 0, in the paper's way of distributing."""
    fault = [IN_ONE_RANK, "1", mpi_faults, "MPI_FLIP=MPI_Send@0"]
    done = run(tmp_path, MPIRUN, "-n", "2", *fault, BENCHMARK, str(tmp_path), "1", "1", "1", "2des-ctr")
    assert done.returncode != 0 and "rank_benchmark: OUT is wrong in the MiB from " in done.stderr, done.stderr
    assert '"a copy to each rank"' not in done.stdout and '"phalanx-mpi"' in done.stdout
