#!/usr/bin/env python3
"""Nights of a backup: a tree that changes every day, sealed every night by `encrypt --each --update`, through kills, full disks
and a rotated key. After each night what the containers open to is compared with the tree: contents, permissions and times.

As a program: tree_nights.py [--files N] [--nights N] [--kills N] [--full N] [--seed N], with PHALANX_PROGRAM; prints counts."""

import argparse
import collections
import hashlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from conftest import PROGRAM, fault_injector  # noqa: E402

SIZES = [0, 1, 100, 5_000, 16_383, 16_384, 16_385, 40_000]
MODES = [0o600, 0o644, 0o640, 0o755, 0o700, 0o444]
DEPTHS = ["", "docs", "docs/deep", "photos", "photos/2024", "x.phalanx"]


def snapshot(root):
    """Folders and files by their names: mode, time, and what a file holds."""
    found = {}
    for path in [root, *sorted(root.rglob("*"))]:
        status = path.lstat()
        content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        found[str(path.relative_to(root))] = (content, oct(status.st_mode & 0o7777), status.st_mtime_ns)
    return found


class Nights:
    def __init__(self, folder, num_files, seed):
        self.folder, self.chance, self.counts = pathlib.Path(folder), random.Random(seed), collections.Counter()
        self.faults = fault_injector()
        self.source, self.target = self.folder / "source", self.folder / "target"
        self.key, self.number, self.is_rotated = self.new_key(), 0, False
        self.last = {}
        for name in DEPTHS:
            (self.source / name).mkdir(parents=True, exist_ok=True)
        for _ in range(num_files):
            self.add_file()

    def new_key(self):
        self.counts["keys"] += 1
        path = self.folder / f"key{self.counts['keys']}"
        path.write_bytes(self.chance.randbytes(32))
        path.chmod(0o600)
        return path

    def phalanx(self, *arguments, rule="", check=0):
        environment = self.faults(rule) if rule else None
        command = [PROGRAM, *map(str, arguments)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, env=environment, timeout=600)
        assert check is None or done.returncode == check, (arguments, done.returncode, done.stderr[-2000:])
        return done

    # --- days

    def files(self):
        return sorted(path for path in self.source.rglob("*") if path.is_file())

    def folders(self):
        return [self.source, *sorted(path for path in self.source.rglob("*") if path.is_dir())]

    def add_file(self):
        self.number += 1
        path = self.chance.choice(self.folders()) / f"file {self.number}"
        path.write_bytes(self.chance.randbytes(self.chance.choice(SIZES)))
        path.chmod(self.chance.choice(MODES))

    def change_file(self, path):
        """Longer, or of the same length; or its permissions or its time alone; or its time put back with another content."""
        mode = path.stat().st_mode
        path.chmod(0o600)
        kind = self.chance.choice(["grow", "same length", "chmod", "touch", "put back"])
        before = path.read_bytes()
        if kind == "grow":
            path.write_bytes(before + self.chance.randbytes(1000))
        if kind == "same length":
            path.write_bytes(self.chance.randbytes(len(before)))
        if kind == "put back":
            path.write_bytes(self.chance.randbytes(len(before) + 1))
            os.utime(path, ns=(0, 1_000_000_000_123_456_789 + self.chance.randrange(10**15)))
        if kind == "touch":
            os.utime(path)
        path.chmod(self.chance.choice(MODES) if kind == "chmod" else mode & 0o777)
        self.counts["changes"] += 1

    def live_a_day(self):
        some = max(2, len(self.files()) // 40)
        for path in self.chance.sample(self.files(), some):
            self.change_file(path)
        for path in self.chance.sample(self.files(), some):
            path.unlink()
            self.counts["removals"] += 1
        for path in self.chance.sample(self.files(), some):
            self.number += 1
            path.rename(self.chance.choice(self.folders()) / f"renamed {self.number}")
            self.counts["renames"] += 1
        for _ in range(some * 2):
            self.add_file()
        self.number += 1
        (self.chance.choice(self.folders()) / f"empty {self.number}").mkdir()
        leaves = [path for path in self.folders()[1:] if str(path.relative_to(self.source)) not in DEPTHS]
        if len(leaves) > 3:
            shutil.rmtree(self.chance.choice(leaves))
        if leaves and leaves[0].exists() and self.chance.random() < 0.5:
            leaves[0].rename(leaves[0].parent / f"moved {self.number}")

    # --- nights

    def backup(self, prune, rule="", check=0, update="--update"):
        options = ["--prune", "--prune-also", "emptied"] if prune else []
        options += ["--update-recipients"] if self.is_rotated else []
        done = self.phalanx("encrypt", "--each", "--key-file", self.key, self.source, "--to-tree", self.target, update, *options,
                            rule=rule, check=check)  # fmt: skip
        self.is_rotated = self.is_rotated and done.returncode != 0
        return done

    def rotate(self):
        """Others may open the containers from now on; what they hold, their lengths and times stay."""
        old, self.key, self.is_rotated = self.key, self.new_key(), True
        done = self.phalanx("recipients", "replace", "--each", "--key-file", old, "--remove-key-file", old, "--add-key-file", self.key, self.target)
        self.counts["rotated"] += int(done.stderr.split(b" changed")[0].split()[-1])

    def end_badly(self, prune, full):
        """A run that is killed at some call, or that finds the disk full from some write on."""
        most = max(20, self.counts["calls"])
        if full:
            done = self.backup(prune, f"write@{self.chance.randint(1, 12)}+=ENOSPC", check=None)
            assert done.returncode != 0 or b" 0 encrypted" in b" " + done.stderr
        else:
            what = self.chance.choice(["kill", "tear", "kill-after"])
            done = self.backup(prune, f"change@{self.chance.randint(1, most)}={what}", check=None)
        self.counts["full disks" if full else "kills" if done.returncode == -9 else "kills that came too late"] += 1
        self.require_nothing_lost()

    def restore(self, name="restored"):
        shutil.rmtree(self.folder / name, ignore_errors=True)
        self.phalanx("decrypt", "--each", "--key-file", self.key, self.target, "--to-tree", self.folder / name)
        return snapshot(self.folder / name)

    def require_nothing_lost(self):
        """Each file of last night is there as it was then, or as it is now, unless it is gone."""
        if not self.last:
            return
        now, found = snapshot(self.source), self.restore()
        for name, (content, *_rest) in self.last.items():
            if content == "folder" or name not in now:
                continue
            assert name in found and found[name][0] in (content, now[name][0]), f"{name} is lost"

    def pass_night(self, prune, badly=0, full=False):
        for _ in range(badly):
            self.end_badly(prune, full)
        done = self.backup(prune)
        self.counts["nights"] += 1
        self.counts["sealed"] += int(done.stderr.split(b" encrypted")[0].split()[-1])
        self.counts["unchanged"] += int(done.stderr.split(b" unchanged")[0].split()[-1])
        self.counts["removed"] += done.stderr.count(b": removed: ")
        now, found = snapshot(self.source), self.restore()
        wrong = {name: (now[name], found.get(name)) for name in now if found.get(name) != now[name]}
        assert not wrong, dict(list(wrong.items())[:5])
        assert not prune or set(found) == set(now), sorted(set(found) ^ set(now))[:9]
        self.last = now

    def measure_calls(self):
        """How many calls change a disk in one night."""
        log = self.folder / "log"
        environment = {**self.faults("change@every=note"), "FAULT_LOG": str(log)}
        shutil.copytree(self.target, self.folder / "copy")
        subprocess.run([PROGRAM, "encrypt", "--each", "--key-file", self.key, "source", "--to-tree", "copy", "--update"],
                       cwd=self.folder, env=environment, capture_output=True, check=True)  # fmt: skip
        self.counts["calls"] = log.read_text(errors="replace").count("hit note")
        shutil.rmtree(self.folder / "copy")


def run(folder, num_files, num_nights, num_kills, num_full, seed):
    nights = Nights(folder, num_files, seed)
    nights.pass_night(prune=True)
    bad = nights.chance.sample(range(2, num_nights + 1), min(num_kills + num_full, num_nights - 1))
    kills, full = set(bad[:num_kills]), set(bad[num_kills:])
    for night in range(2, num_nights + 1):
        nights.live_a_day()
        if night == num_nights // 2:
            nights.rotate()
        if night == 2:
            nights.measure_calls()
        prune = night % 3 != 0 or night == num_nights
        nights.pass_night(prune, badly=night in kills or night in full, full=night in full)
    again = nights.backup(prune=True)
    assert b" 0 encrypted" in b" " + again.stderr.split(b": ")[-1], again.stderr[-300:]
    return nights.counts


def main():
    parser = argparse.ArgumentParser()
    for name, usual in (("files", 2000), ("nights", 30), ("kills", 10), ("full", 2), ("seed", random.randrange(1 << 32))):
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = parser.parse_args()
    print(f"seed {given.seed}")
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="phalanx-nights-") as folder:
        counts = run(folder, given.files, given.nights, given.kills, given.full, given.seed)
    print(", ".join(f"{number} {what}" for what, number in counts.items()), f"in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
