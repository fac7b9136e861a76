"""File systems on loop devices whose backing file lies on a small tmpfs, in a mount namespace of their own: a disk that is thinner than
it says. What is written to it is taken by the system, and fails when it is to come to the disk, as on a thin volume that is full or a
disk that dies. It is enlarged, and what was in the system's memory alone is gone after a remount.

The loop device takes a write for done of which the first half finds room. So the disk is full from one moment on, to the last byte,
blocks are as large as the pages of the tmpfs, and each write is of one block."""

import os
import shlex
import shutil
import subprocess

import pytest

MIB = 1 << 20
DISK_BYTES = 160 * MIB
MAKERS = {  # each with its file system's size, which is no part of what runs out
    "ext4": "mkfs.ext4 -q -F -b 4096 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard -J size=4 -N 64",
    "ext4 without a journal": "mkfs.ext4 -q -F -b 4096 -O ^has_journal -E lazy_itable_init=0,nodiscard -N 64",
    "ext2": "mkfs.ext2 -q -F -b 4096 -E nodiscard -N 64",
    "xfs": "mkfs.xfs -q -f -K",
}
MOUNTED_AS = {"ext4": "ext4", "ext4 without a journal": "ext4", "ext2": "ext2", "xfs": "xfs"}
OPTIONS = {"ext4": "errors=continue", "ext4 without a journal": "errors=continue", "ext2": "errors=continue", "xfs": "noatime"}


BY_BLOCKS = 'echo 4 > /sys/block/$(basename "$(findmnt -no SOURCE disk)")/queue/max_sectors_kb'

# Leaves nothing to the disk but what it has.
FILLING = "[ $(stat -f -c %T small) = tmpfs ] && head -c $(($(stat -f -c %a small) * $(stat -f -c %S small))) /dev/zero > small/filler"


class ThinDisk:
    """Each script runs in the namespace that holds the mounts, in the folder that has `disk`, the file system."""

    def __init__(self, folder, kind):
        self.folder, self.kind = folder, kind
        self.keeper = subprocess.Popen(
            ["unshare", "-m", "--propagation", "private", "sh", "-c", "echo there; read word"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        if self.keeper.stdout.readline() != b"there\n":
            pytest.skip("this system gives no mount namespace")
        mount = f"mount -t {MOUNTED_AS[kind]} -o loop,{OPTIONS[kind]} small/image disk && {BY_BLOCKS}"
        size = 320 * MIB if kind == "xfs" else DISK_BYTES
        self.mount_again = mount
        made = self.run(f"mkdir -p small disk && mount -t tmpfs -o size=400m small small && truncate -s {size} small/image &&"
                        f"{MAKERS[kind]} small/image && {mount}", check=False)  # fmt: skip
        if made.returncode != 0:
            self.close()
            pytest.skip(f"this system gives no loop device with {kind}: {made.stderr.decode(errors='replace').strip()[-200:]}")

    def command(self, script):
        return ["nsenter", "-m", f"--target={self.keeper.pid}", "sh", "-c", f"cd {shlex.quote(str(self.folder))} && {{ {script}\n}}"]

    def run(self, script, check=True, **options):
        done = subprocess.run(self.command(script), capture_output=True, timeout=240, **options)
        if check:
            assert done.returncode == 0, (script, done.stdout, done.stderr)
        return done

    def fill(self):
        self.run(FILLING)

    def enlarge(self):
        self.run("rm -f small/filler")

    def remount(self):
        """What the disk has, and nothing else."""
        self.run(f"sync -f disk; umount disk && {self.mount_again}")

    def read(self, name):
        return self.run(f"cat disk/{name}").stdout

    def names(self):
        return sorted(self.run("ls -A disk").stdout.decode().split("\n")[:-1])

    def close(self):
        self.run("umount disk; umount small", check=False)
        self.keeper.stdin.close()
        self.keeper.wait(timeout=60)


def thin_disk(folder, kind):
    if os.geteuid() != 0:
        pytest.skip("mounting a loop device takes root")
    for tool in ("unshare", "nsenter", "mount", MAKERS[kind].split()[0]):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    return ThinDisk(folder, kind)
