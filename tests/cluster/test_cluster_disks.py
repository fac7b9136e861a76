"""Ranks at whose names for IN and OUT another disk's files lie, of the same inode numbers and sizes."""

import os
import subprocess

import pytest
from cluster_runs import KEY, MPIRUN, PROGRAM, cluster, plain  # noqa: F401

OWN_DISK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "own_disk_of_rank")


@pytest.fixture(autouse=True)
def mounts():
    if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode != 0:
        pytest.skip("this machine gives no mount namespace of its own")


def ranks_with_disks(cluster, folder, own, others, arguments):
    """Rank 0, and two others, in mount namespaces of their own: `own` and `others` are the name and letter of each disk's file."""
    (cluster.folder / folder).mkdir()
    command = [MPIRUN]
    for number, (name, letter) in ((1, own), (2, others)):
        command += [":"] * (len(command) > 1)
        command += ["-n", str(number), "unshare", "-m", OWN_DISK, str(cluster.folder / folder), name, letter, PROGRAM, *arguments]
    return cluster.completed(command)


def assert_told(cluster, done, name):
    assert done.returncode == 1, done.stderr
    told = [line for line in cluster.messages(done) if "is another file here" in line]
    assert told and f"{name} is another file here" in told[0], done.stderr
    assert "BOX" not in cluster.names()


def test_one_disk_for_all_is_taken(cluster):
    """The same disk is no other only because it is mounted anew."""
    (cluster.folder / "twice").mkdir()
    command = [MPIRUN, "-n", "2", "unshare", "-m", "sh", "-c", 'mount --bind . twice && exec "$@"', "rank",
               PROGRAM, "encrypt", *KEY, "twice/IN", "BOX"]  # fmt: skip
    done = cluster.completed(command)
    assert done.returncode == 0, done.stderr
    assert cluster.run("decrypt", *KEY, "BOX", check=0).stdout == cluster.read("IN")


@pytest.mark.parametrize("command", [["encrypt", *KEY], ["raw", "encrypt", "--cipher", "aes-256-ctr", "--iv", "00" * 16, *KEY],
                                     ["encrypt", *KEY, "--resume"]])  # fmt: skip
def test_another_in_is_told(cluster, command):
    done = ranks_with_disks(cluster, "disk", ("IN", "A"), ("IN", "B"), [*command, "disk/IN", "BOX"])
    assert_told(cluster, done, "IN")


def test_another_out_is_told(cluster):
    """IN is one that is cut, and no larger than what lies at OUT's name on the other disk."""
    cluster.write("SMALL", bytes(11_000_000))
    raw = ["raw", "encrypt", "--cipher", "aes-256-ctr", "--iv", "00" * 16, *KEY, "SMALL", "disk/BOX"]
    done = ranks_with_disks(cluster, "disk", ("", ""), ("BOX.phalanx-partial", "B"), raw)
    assert_told(cluster, done, "BOX.phalanx-partial")


def test_another_of_many_files_is_told(cluster):
    done = ranks_with_disks(cluster, "disk", ("IN", "A"), ("IN", "B"), ["encrypt", "--each", *KEY, "disk", "--to-tree", "sealed"])
    assert done.returncode == 1 and b"1 failed" in done.stderr, done.stderr
    assert list((cluster.folder / "sealed").rglob("*.phalanx")) == []


@pytest.mark.parametrize("command", [["encrypt", *KEY], ["raw", "encrypt", "--cipher", "aes-256-ctr", "--iv", "00" * 16, *KEY],
                                     ["encrypt", *KEY, "--resume"], ["decrypt", *KEY], ["decrypt", *KEY, "--resume"]])  # fmt: skip
def test_a_rank_whose_writes_go_elsewhere_is_told(cluster, command):
    """An overlay shows the ranks of one machine what the others wrote, and keeps what they write for itself."""
    cluster.write("PLAIN", os.urandom(11_000_000))
    (cluster.folder / "box").mkdir()
    if command[0] == "decrypt":
        cluster.run("encrypt", *KEY, "PLAIN", "box/IN", check=0)
    else:
        (cluster.folder / "PLAIN").rename(cluster.folder / "box/IN")
    folder = cluster.folder / "box"
    overlay = f"mount -t tmpfs none /mnt && mkdir /mnt/u /mnt/w && mount -t overlay -o lowerdir={folder},upperdir=/mnt/u,workdir=/mnt/w none {folder}"
    if subprocess.run(["unshare", "-m", "sh", "-c", overlay], capture_output=True).returncode != 0:
        pytest.skip("this machine mounts no overlay")
    line = [MPIRUN, "-n", "1", PROGRAM, *command, "box/IN", "box/OUT", ":", "-n", "2", "unshare", "-m", "sh", "-c",
            f'{overlay} && exec "$@"', "rank", PROGRAM, *command, "box/IN", "box/OUT"]  # fmt: skip
    done = cluster.completed(line)
    assert done.returncode == 1, done.stderr
    assert any("has not what another rank wrote into it" in told for told in cluster.messages(done)), done.stderr
    assert not (folder / "OUT").exists()
    if "--resume" in command:  # no record says that what went elsewhere is there
        cluster.run(*command, "box/IN", "box/OUT", check=0)
        found = cluster.run("decrypt", *KEY, "box/OUT", check=0).stdout if command[0] == "encrypt" else cluster.read("box/OUT")
        assert found == cluster.read("PLAIN" if command[0] == "decrypt" else "box/IN")
