"""The commands of docs/cluster.md's "First steps" run as they stand, as root too and with more ranks than cores, on a smaller file."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest
from cluster_runs import ENVIRONMENT, MOST_SECONDS, MPIRUN, PROGRAM

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "cluster.md"
PLAIN = os.path.abspath(os.environ.get("PHALANX_PROGRAM", "build/bin/phalanx"))
LARGE, SMALL = "head -c 5G", "head -c 20M"
# What the page must say itself. What is left of our environment is about networks and busy machines.
SAID_BY_THE_PAGE = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe", "PRTE_MCA_rmaps_default_mapping_policy")


@pytest.fixture
def environment(tmp_path):
    """Our programs and mpirun under the names that the page has."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, program in (("phalanx", PLAIN), ("phalanx-mpi", PROGRAM)):
        (folder / name).symlink_to(program)
    (folder / "mpirun").write_text(f'#!/bin/sh\nexec {shutil.which(MPIRUN)} "$@"\n')
    (folder / "mpirun").chmod(0o755)
    ours = {name: value for name, value in ENVIRONMENT.items() if name not in SAID_BY_THE_PAGE}
    return {**ours, "PATH": f"{folder}:{ours['PATH']}"}


def test_first_steps_run_as_they_stand(tmp_path, environment):
    section = PAGE.read_text(encoding="utf-8").partition("\n## First steps\n")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```sh\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 3 and LARGE in blocks[1]
    begin, go_on = blocks[0] + blocks[1].replace(LARGE, SMALL), blocks[2]
    script = f"{begin}\n[ -f BOX ]; rm BOX\n{go_on}"  # as if the first command had been killed at once
    done = subprocess.run(["bash", "-euc", script], cwd=tmp_path, env=environment, capture_output=True, timeout=MOST_SECONDS)
    assert done.returncode == 0, done.stderr.decode()
    assert (tmp_path / "OUT").read_bytes() == (tmp_path / "IN").read_bytes()
