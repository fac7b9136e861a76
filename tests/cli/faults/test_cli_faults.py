"""Every command while calls fail, come short, are interrupted, or the process is killed at the n-th of them: right code and
message, nothing wrong under OUT's name, nothing lost, no hang. PHALANX_SWEEP=full tries every n to 200 and 200 random pairs
of faults more; otherwise it is a part of them, always the same."""

import os
import random
import signal

import pytest
from conftest import CHUNK
from conftest import IS_SANITIZED
from sweep_runs import FULL, SEED, OwnFolders, Run, try_all
from sweep_scenarios import NAMES, PrintingOnly, run_plainly

MOST_CALLS = 200  # of a kind, each tried
# Families of faults: the calls that are counted, what becomes of one of them, and how many points the usual sweep takes.
FAMILIES = {
    "broken": ("any", ["EIO"], 10),
    "interrupted": ("any", ["EINTR"], 6),
    "full": ("write,fallocate,mkdir", ["ENOSPC", "EDQUOT"], 4),
    "denied": ("open,name,fchmod,fchown,flock", ["EACCES", "EPERM"], 6),
    "unlocked": ("flock", ["ENOLCK", "EOPNOTSUPP"], 2),
    "short": ("read,write", ["short"], 3),
    "unsupported": ("name,fallocate,copy_file_range", ["EOPNOTSUPP", "EINVAL", "ENOSYS", "EXDEV"], 4),
    "crowded": ("open", ["EMFILE"], 2),
    "killed": ("change", ["kill", "tear", "kill-after"], 12),
    "signalled": ("any", ["term", "int", "hup"], 6),
    "memory": ("memory", ["ENOMEM"], 6),
    "threads": ("pthread_create", ["EAGAIN"], 2),
    "randomless": ("getrandom", ["EIO"], 2),
    "swappable": ("mlock", ["ENOMEM"], 1),
}
NEEDED = {"broken", "full", "denied", "unlocked", "killed", "memory"}  # of every command that writes a file
KILLS = {"kill", "tear", "kill-after"}
SIGNALS = {"term": 143, "int": 130, "hup": 129}


def named_in(path, folder):
    """What a message about a call on this path must name; nothing for what is no file of the command."""
    inside = path.startswith(str(folder) + "/") or not path.startswith("/")
    name = os.path.basename(path)
    for ending in ("-partial", "-record", "-journal"):
        name = name.removesuffix(".phalanx" + ending)
    return name if inside and name not in ("", ".", "..", "-", "new", "old", "b") and ":" not in path else None


def is_folder(path, folder):
    return os.path.isdir(os.path.join(folder, path))


# Errors that a command may not pass over: what it asked for was not done, and there is no other way to do it.
FATAL_CALLS = {"read", "pread", "readv", "write", "pwrite", "writev", "fsync", "fdatasync", "ftruncate", "rename", "flock"}
INTERRUPTED_CALLS = FATAL_CALLS - {"rename"}  # by a signal; then they are made once more
READING = {("fdatasync", "X")}  # of an index that is found, before it is read from the disk: its keys judge what is read
FATAL_ERRORS = {"EIO", "ENOSPC", "EDQUOT", "EACCES", "EPERM", "ENOLCK"}


def complaints_of_code(run, whats, folder):
    """Of the exit code alone; `whats` are what the rules did in this run."""
    allowed = {0, 1} | {SIGNALS[what] for what in whats & set(SIGNALS)} | ({-signal.SIGKILL} if whats & KILLS else set())
    if run.code not in allowed:
        yield f"exit code {run.code}"
    if whats and whats <= KILLS and run.code != -signal.SIGKILL:
        yield f"was not killed, but exit code {run.code}"
    for what, call, path in run.hits:
        ours = named_in(path, folder) and not is_folder(path, folder)
        is_fatal = what in FATAL_ERRORS and call in FATAL_CALLS and (call, named_in(path, folder)) not in READING
        if run.code == 0 and is_fatal and ours:
            yield f"exit 0 although {call} failed"
        if run.code == 1 and whats == {"EINTR"} and call in INTERRUPTED_CALLS:
            yield f"{call} was interrupted, and not made again"


def complaints_of_messages(run, scenario, folder):
    if run.code == 0 and run.errors:
        yield "exit 0 with a message"
    if run.code < 0:
        return
    if run.code > 0 and (not run.errors or scenario.lines not in (None, len(run.errors))):
        yield f"{len(run.errors)} lines"
    if not all(line.startswith("phalanx: ") for line in run.errors):
        yield "a line that is not ours"
    failed = [named_in(path, folder) for what, call, path in run.hits if what.startswith("E") and what != "EINTR" and call != "close"]
    said = " ".join(run.errors)
    is_secret = "is not repeated here since it may be the secret itself" in said
    if run.code == 1 and failed and all(failed) and not is_secret and not any(name in said for name in failed):
        yield f"no line names {sorted(set(failed))}"


def complaints_of_deletions(run, folder):
    """A source goes only once the folder of its container was synced."""
    unsynced = False
    for line in run.lines:
        words = line.split(" ", 3)
        unsynced |= words[:3] == ["hit", "EIO", "fsync"] and is_folder(words[3], folder)
        if unsynced and words[0] == "unlink" and (line.endswith(" IN") or "/old/" in line):
            yield "removed a source although the folder of its container was not synced"


def complaints_after(run, scenario, folder):
    """Of one run, and of going on after it."""
    whats = {what for what, _, _ in run.hits}
    yield from complaints_of_code(run, whats, folder)
    yield from complaints_of_messages(run, scenario, folder)
    yield from complaints_of_deletions(run, folder)
    # What could not be removed stays, and so does what could not be looked at a second time: it might be another's.
    unseen = len(run.hits) > 1 and any(call == "stat" and what.startswith("E") for what, call, _ in run.hits)
    kept_by_fault = unseen or any(call == "unlink" for _, call, _ in run.hits)
    lasting = len(run.hits) > 2
    killed = run.code < 0 or kept_by_fault or lasting or (run.code > 128 and scenario.keeps_partial_on_signals)
    yield from scenario.complaints(folder, killed=killed, done=run.code == 0 and not kept_by_fault)
    if run.code == 0 or unseen:
        return
    command = scenario.recovery(folder, scenario.found(folder))
    if command is None:
        return
    again = run_plainly(folder, command)
    if again.returncode != 0:
        yield f"going on failed: {again.returncode} {again.stderr}"
    else:
        yield from (f"after going on: {complaint}" for complaint in scenario.complaints(folder, done=True))


class Sweep:
    """Points of a scenario, each tried in a folder of its thread's own."""

    def __init__(self, faults, scenario, folder):
        self.faults, self.scenario, self.folders = faults, scenario, OwnFolders(folder)

    def run(self, rules):
        self.scenario.prepare(self.folders.mine())
        return Run(self.faults, self.scenario, self.folders.mine(), rules)

    def count(self, calls):
        """How many such calls the command makes."""
        run = self.run(f"{calls}@every=note")
        assert run.code == 0, run.errors
        return len(run.hits)

    def try_point(self, rules):
        run = self.run(rules)
        found = complaints_after(run, self.scenario, self.folders.mine())
        return [f"{run.hits[:2]}: {complaint} {run.errors[:3]}" for complaint in found]

    def complaints(self, points):
        return try_all(self.scenario.name, self.try_point, points)


def spread(points, number):
    """So many of them, the first and the last among them."""
    if len(points) <= number or FULL:
        return points
    return [points[i * (len(points) - 1) // max(1, number - 1)] for i in range(number)]


def points_of(sweep, family):
    calls, whats, usual_number = FAMILIES[family]
    if max(map(len, sweep.scenario.files.values())) > CHUNK:  # slower
        usual_number = (usual_number + 1) // 2
    number = sweep.count(calls)
    assert number > 0 or family not in NEEDED or isinstance(sweep.scenario, PrintingOnly)
    points = [f"{calls}@{at}={whats[at % len(whats)]}" for at in range(1, number + 1)]
    if FULL:
        points = [f"{calls}@{at}={what}" for at in range(1, min(number, MOST_CALLS) + 1) for what in whats]
    errors = [what for what in whats if what.startswith("E") and what != "EINTR"]
    lasting = [f"{calls}@{at}+={what}" for at in (number // 2 + 1, 1) for what in errors if number > 1]
    ragged = ["read,write@every=ragged"] if family == "short" else []
    return spread(points, usual_number) + spread(lasting, 1) + ragged


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", NAMES)
def test_each_call(faults, scenarios, tmp_path, name, family):
    if IS_SANITIZED and family == "memory":
        pytest.skip("the sanitizer needs memory of its own")
    sweep = Sweep(faults, scenarios[name], tmp_path)
    complaints = sweep.complaints(points_of(sweep, family))
    assert not complaints, "\n" + "\n".join(complaints)


@pytest.mark.skipif(not FULL, reason="PHALANX_SWEEP=full asks for it")
@pytest.mark.parametrize("name", NAMES)
def test_random_pairs(faults, scenarios, tmp_path, name):
    chance = random.Random(f"{SEED} {name}")
    print(f"PHALANX_SWEEP_SEED={SEED}")
    sweep = Sweep(faults, scenarios[name], tmp_path)
    families = [family for family in FAMILIES if not (IS_SANITIZED and family == "memory")]
    counts = {family: sweep.count(FAMILIES[family][0]) for family in families}

    def random_rule():
        family = chance.choice([family for family in families if counts[family] > 0])
        calls, whats, _ = FAMILIES[family]
        return f"{calls}@{chance.randint(1, counts[family])}={chance.choice(whats)}"

    complaints = sweep.complaints([f"{random_rule()};{random_rule()}" for _ in range(200)])
    assert not complaints, "\n" + "\n".join(complaints)
