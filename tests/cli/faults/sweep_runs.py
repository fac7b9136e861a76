"""Runs of the program under the rules of faults.c, several at once."""

import concurrent.futures
import itertools
import os
import random
import subprocess
import threading

from conftest import PROGRAM
from sweep_scenarios import LIMIT_SECONDS

FULL = os.environ.get("PHALANX_SWEEP") == "full"
SEED = os.environ.get("PHALANX_SWEEP_SEED", str(random.SystemRandom().randrange(1 << 32)))
NUM_THREADS = 2


class Run:
    """One run under rules, and what the shim's log says of it."""

    def __init__(self, faults, scenario, folder, rules, actor=None, command=None):
        log = folder.parent / (folder.name + ".log")
        log.unlink(missing_ok=True)
        self.done = subprocess.run(
            [PROGRAM, *(command or scenario.command)], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=LIMIT_SECONDS, env=faults(rules, actor, log),
        )  # fmt: skip
        self.lines = log.read_text(errors="surrogateescape").splitlines() if log.exists() else []
        self.hits = [line.split(" ", 3)[1:] for line in self.lines if line.startswith("hit ")]
        self.code = self.done.returncode
        self.errors = self.done.stderr.decode(errors="replace").splitlines()


class OwnFolders:
    """A folder for each thread."""

    def __init__(self, folder):
        self.folder, self.local, self.numbers = folder, threading.local(), itertools.count()

    def mine(self):
        if not hasattr(self.local, "folder"):
            self.local.folder = self.folder / str(next(self.numbers))
        return self.local.folder


def try_all(name, try_point, points):
    """All that is wrong at any point, each with its point; one that hangs is wrong too."""

    def tried(point):
        try:
            return [f"{name} {point}: {complaint}" for complaint in try_point(point)]
        except subprocess.TimeoutExpired:
            return [f"{name} {point}: hangs"]

    with concurrent.futures.ThreadPoolExecutor(NUM_THREADS) as pool:
        return [complaint for found in pool.map(tried, points) for complaint in found]
