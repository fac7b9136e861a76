"""The disk fails each sync in turn (lost_writes.c): the run ends, or not; the disk works again, and the run goes on. What the disk has then
is what the run said. Needs no privilege; test_cli_thin_disks.py asks real file systems."""

import os
import subprocess

import pytest
from conftest import CHUNK, IS_SANITIZED, KEY, random_bytes

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN = random_bytes(4 * CHUNK + 777, seed=9)
RAW = ["raw", "encrypt", "--cipher", "aes-256-ctr", "--iv", "0" * 32, *KEY, "--threads", "1"]
OLD = ["--from-cipher", "aes-256-ctr", "--from-key-file", "key", "--from-iv", "0" * 32]

pytestmark = pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer's start-up takes none of our calls")


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    library = tmp_path_factory.mktemp("lost") / "lost_writes.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, os.path.join(HERE, "lost_writes.c"), "-ldl", "-lpthread"], check=True)
    return library


class FailingDisk:
    """The folder of a test, and what of it is on its disk."""

    def __init__(self, files, library, copies):
        self.files, self.library, self.copies = files, library, copies
        copies.mkdir()

    def run(self, *arguments, at="0"):
        environment = {**os.environ, "LD_PRELOAD": str(self.library), "LOST_WRITES": str(self.copies), "LOST_WRITES_AT": at}
        return self.files.run(*arguments, env={**environment, "LOST_WRITES_IN": f"{self.files.folder}/"})

    def start_again(self):
        """The machine: what is in memory alone is gone."""
        for path in self.files.folder.iterdir():
            copy = self.copies / str(path.stat().st_ino)
            if copy.exists():
                path.write_bytes(copy.read_bytes())

    def begin_anew(self, *names):
        for path in [*(self.files.folder / name for name in names), *self.copies.iterdir()]:
            path.unlink(missing_ok=True)


@pytest.fixture
def disk(phalanx, library, tmp_path_factory):
    phalanx.write("key", random_bytes(32))
    phalanx.write("IN", PLAIN)
    phalanx.run("encrypt", *KEY, "IN", "BOX", check=0)
    phalanx.run(*RAW, "IN", "OLD", check=0)
    return FailingDisk(phalanx, library, tmp_path_factory.mktemp("disk") / "copies")


COMMANDS = {
    "encrypt": ["encrypt", *KEY, "--resume", "--threads", "1", "-q", "IN", "OUT"],
    "encrypt by threads": ["encrypt", *KEY, "--resume", "--threads", "4", "-q", "IN", "OUT"],
    "decrypt": ["decrypt", *KEY, "--resume", "--threads", "1", "-q", "BOX", "OUT"],
    "migrate": ["migrate", *OLD, *KEY, "--resume", "--threads", "1", "-q", "OLD", "OUT"],
}


@pytest.mark.parametrize("command", list(COMMANDS))
def test_what_a_run_says_is_done_is_on_the_disk(disk, command):
    done = 7 if command == "migrate" else 0  # nothing vouches for a plaintext of random bytes
    for number in range(1, 30):
        failed = disk.run(*COMMANDS[command], at=str(number))
        goes_on = failed.returncode != done and "OUT" not in disk.files.names()
        if goes_on:
            again = disk.run(*COMMANDS[command])
            assert again.returncode == done, (number, again.stderr)
        disk.start_again()
        if failed.returncode == done or goes_on:
            opened = disk.files.read("OUT") if command == "decrypt" else disk.files.run("decrypt", *KEY, "OUT", check=0).stdout
            assert opened == PLAIN, number
        disk.begin_anew("OUT", "OUT.phalanx-partial", "OUT.phalanx-record")
        if failed.returncode == done:
            break
    assert number > 2


def test_in_place_nothing_is_overwritten_by_a_record_in_memory_alone(disk):
    """Stopped by each sync in turn; the next run is killed by the next one; then the machine starts again."""
    wanted = disk.files.read("OLD")
    for number in range(1, 40):
        disk.files.write("FILE", PLAIN)
        failed = disk.run(*RAW, "--in-place", "FILE", at=str(number))
        if failed.returncode != 0:
            disk.run(*RAW, "--in-place", "FILE", at="5")  # some way into what goes on
            disk.start_again()
            again = disk.run(*RAW, "--in-place", "FILE")
            assert again.returncode == 0, (number, again.stderr)
        disk.start_again()
        assert disk.files.read("FILE") == wanted, number
        assert not any("phalanx-" in name for name in disk.files.names()), number
        disk.begin_anew("FILE")
        if failed.returncode == 0:
            break
    assert number > 8
