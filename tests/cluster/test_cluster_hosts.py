"""Ranks that have nothing in common but files: a network namespace each, joined by a bridge, and MPI over TCP. Open MPI alone."""

import json
import os
import shutil
import subprocess

import pytest
from cluster_runs import ENVIRONMENT, IS_OPEN_MPI, KEY, MOST_SECONDS, MPIRUN, PROGRAM, CHUNK, cluster, plain  # noqa: F401

SHELL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "in_namespace")
NETWORK = "10.77.19"
NUM_HOSTS = 3


def ip(*arguments):
    return subprocess.run(["ip", *arguments], capture_output=True, text=True, check=True).stdout


def make_host(number):
    space, port = f"phalanx_{number}", f"port{number}"
    ip("netns", "add", space)
    ip("-n", space, "link", "set", "lo", "up")
    ip("-n", "phalanx_hub", "link", "add", port, "type", "veth", "peer", "name", "rank", "netns", space)
    ip("-n", "phalanx_hub", "link", "set", port, "master", "bridge", "up")
    ip("-n", space, "address", "add", f"{NETWORK}.{number}/24", "dev", "rank")
    ip("-n", space, "link", "set", "rank", "up")


def remove_hosts():
    for space in ["hub", *range(1, NUM_HOSTS + 1)]:
        subprocess.run(["ip", "netns", "delete", f"phalanx_{space}"], capture_output=True)


@pytest.fixture
def hosts():
    if not IS_OPEN_MPI:
        pytest.skip("another MPI than Open MPI starts ranks of other hosts in another way")
    if not shutil.which("ip") or not shutil.which("unshare"):
        pytest.skip("no ip (iproute2) or unshare (util-linux)")
    remove_hosts()
    if subprocess.run(["ip", "netns", "add", "phalanx_hub"], capture_output=True).returncode != 0:
        pytest.skip("network namespaces are not permitted here")
    try:
        ip("-n", "phalanx_hub", "link", "set", "lo", "up")
        ip("-n", "phalanx_hub", "link", "add", "bridge", "type", "bridge")
        ip("-n", "phalanx_hub", "address", "add", f"{NETWORK}.254/24", "dev", "bridge")
        ip("-n", "phalanx_hub", "link", "set", "bridge", "up")
        for number in range(1, NUM_HOSTS + 1):
            make_host(number)
        yield
    finally:
        remove_hosts()


def num_bytes():
    """What each host has sent so far."""
    links = json.loads(ip("-n", "phalanx_hub", "-j", "-s", "link"))
    return [link["stats64"]["rx"]["bytes"] for link in links if link["ifname"].startswith("port")]


def run_on_hosts(cluster, *arguments):
    settings = {
        "OMPI_MCA_plm_rsh_agent": SHELL, "OMPI_MCA_plm": "rsh", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self",
        "OMPI_MCA_btl_tcp_if_include": f"{NETWORK}.0/24", "OMPI_MCA_oob_tcp_if_include": f"{NETWORK}.0/24",
        "PRTE_MCA_plm_ssh_agent": SHELL, "PRTE_MCA_plm": "ssh", "PRTE_MCA_prte_if_include": f"{NETWORK}.0/24",
        "PRTE_MCA_rmaps_default_mapping_policy": "node",
    }  # fmt: skip
    names = ",".join(f"{NETWORK}.{number}" for number in range(1, NUM_HOSTS + 1))
    command = ["ip", "netns", "exec", "phalanx_hub", MPIRUN, "-n", str(NUM_HOSTS), "--host", names, PROGRAM, *arguments]
    return subprocess.run(
        command, cwd=cluster.folder, env={**ENVIRONMENT, **settings}, capture_output=True, stdin=subprocess.DEVNULL, timeout=MOST_SECONDS
    )


@pytest.mark.parametrize("schedule", ["even", "dynamic"])
def test_hosts_over_tcp(hosts, cluster, plain, schedule):
    before = num_bytes()
    done = run_on_hosts(cluster, "encrypt", *KEY, "--schedule", schedule, "--json", "IN", "BOX")
    assert done.returncode == 0, done.stderr.decode()
    assert cluster.run("decrypt", *KEY, "BOX", check=0).stdout == plain
    table = next(json.loads(line) for line in done.stderr.decode().splitlines() if line.startswith("{"))
    assert sum(rank["bytes"] for rank in table["ranks"]) == len(plain)
    if schedule == "even":
        assert [rank["host"] for rank in table["ranks"]] == [f"phalanx-{number}" for number in range(1, NUM_HOSTS + 1)]
    sent = [after - first for after, first in zip(num_bytes(), before)]
    assert len(sent) == NUM_HOSTS and min(sent) > 1000
    assert sum(sent) < len(plain)  # files do not go through MPI


def test_a_damaged_piece_is_told_from_its_host(hosts, cluster):
    cluster.run("encrypt", *KEY, "IN", "BOX", check=0)
    box = bytearray(cluster.read("BOX"))
    box[20 * CHUNK] ^= 1
    cluster.write("BOX", bytes(box))
    done = run_on_hosts(cluster, "decrypt", *KEY, "BOX", "OUT")
    assert done.returncode == 3, done.stderr.decode()
    assert [line.split(":")[1] for line in cluster.messages(done)] == [" rank 2 on phalanx-3"] and "OUT" not in cluster.names()
