"""SIGKILLs at random calls of random commands over files of random sizes, each given again until it is done, and killed again
on the way. PHALANX_KILLS=1000 asks for that many, PHALANX_KILLS_SEED repeats a run; with pytest -s counts and seed are shown."""

import collections
import itertools
import os
import random
import signal
import threading

from conftest import CHUNK
from sweep_runs import NUM_THREADS, OwnFolders, Run, try_all
from sweep_scenarios import NAMES, all_scenarios, run_plainly

NUM_KILLS = int(os.environ.get("PHALANX_KILLS", "40"))
SEED = os.environ.get("PHALANX_KILLS_SEED", str(random.SystemRandom().randrange(1 << 32)))
KILLED = [name for name in NAMES if name not in ("inspect", "engines")]  # which change nothing
KILLS_OF_ONE_SIZE = 50
MOST_KILLS_OF_ONE = 4  # before it may come to its end
EDGES = [0, 1, 16_384, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 5 * CHUNK + 77]


class Kills:
    """Runs commands to their ends through kills, and counts these."""

    def __init__(self, faults, scenarios, folder):
        self.faults, self.scenarios, self.folders = faults, scenarios, OwnFolders(folder)
        self.counts, self.lock = collections.Counter(), threading.Lock()

    def num_calls(self, scenario, calls):
        folder = self.folders.mine()
        scenario.prepare(folder)
        run = Run(self.faults, scenario, folder, f"{calls}@every=note")
        assert run.code == 0, run.errors
        return len(run.hits)

    def complaints(self, point):
        """A point is the name of a scenario, and the seed of what happens to it."""
        name, seed = point
        scenario, folder, chance = self.scenarios[name], self.folders.mine(), random.Random(seed)
        calls = chance.choice(["change", "any"])
        num_calls = self.num_calls(scenario, calls)
        if num_calls == 0:  # a command that changes no file, with this input
            calls = "any"
            num_calls = self.num_calls(scenario, calls)
        scenario.prepare(folder)
        command = scenario.command
        for _ in range(MOST_KILLS_OF_ONE):
            rule = f"{calls}@{chance.randint(1, num_calls)}={chance.choice(['kill', 'tear', 'kill-after'])}"
            run = Run(self.faults, scenario, folder, rule, command=command)
            yield from self.complaints_of(run, scenario, folder, rule)
            command = scenario.recovery(folder, scenario.found(folder))
            if run.code == 0 or command is None or chance.random() < 0.3:
                break
        if command is None or run.code == 0:
            return
        again = run_plainly(folder, command)
        if again.returncode != 0:
            yield f"going on failed: {again.returncode} {again.stderr}"
        yield from (f"after going on: {complaint}" for complaint in scenario.complaints(folder, done=True))

    def complaints_of(self, run, scenario, folder, rule):
        killed = run.code == -signal.SIGKILL
        if not killed and run.code != 0:
            yield f"{rule}: exit code {run.code} {run.errors}"
        with self.lock:
            self.counts[scenario.name] += killed
        yield from (f"{rule}: {complaint}" for complaint in scenario.complaints(folder, killed=killed, done=not killed))


def test_kills_of_all_commands(faults, tmp_path):
    chance, complaints, counts = random.Random(SEED), [], collections.Counter()
    print(f"PHALANX_KILLS={NUM_KILLS} PHALANX_KILLS_SEED={SEED}")
    names = itertools.cycle(chance.sample(KILLED, len(KILLED)))
    while counts.total() < NUM_KILLS:
        small_bytes = 8 * chance.randint(5_000, 25_000)  # whole blocks: a whole block of padding vouches for the key
        large_bytes = chance.choice([*EDGES, chance.randint(0, 6 * CHUNK)])
        folder = tmp_path / str(counts.total())
        folder.mkdir()
        kills = Kills(faults, all_scenarios(folder, small_bytes, large_bytes), folder)
        number = min(KILLS_OF_ONE_SIZE, NUM_KILLS - counts.total())
        points = [(next(names), chance.random()) for _ in range((number + 1) // 2)]
        complaints += try_all(f"{large_bytes} bytes:", kills.complaints, points)
        counts += kills.counts
    print(f"{counts.total()} kills, on {NUM_THREADS} threads: " + ", ".join(f"{name} {counts[name]}" for name in KILLED))
    assert not complaints, "\n" + "\n".join(complaints)
