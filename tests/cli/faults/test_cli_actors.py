"""Every command while another process cuts, replaces, removes or links one of its files, at each call that opens, syncs,
cuts, renames or removes; and while the same command runs a second time. No file of a stranger is lost or changed, nothing
foreign passes for OUT, no key is overwritten. PHALANX_SWEEP=full tries every act at every moment, otherwise it is a part,
always the same."""

import os
import shlex
import zlib

import pytest
from conftest import PROGRAM, is_root, random_bytes
from sweep_runs import FULL, OwnFolders, Run, try_all
from sweep_scenarios import JOURNAL, NAMES, PARTIAL, RECORD, Each, InPlace, Resumed, files_below, opens_to

STRANGER = random_bytes(3000, seed=33)
ACTED_UPON = [name for name in NAMES if name != "engines"]  # which has no files
MOMENTS = set("open opendir flock fsync fdatasync ftruncate fallocate rename link unlink mkdir fchmod".split())
SYSTEM = ("/proc/", "/sys/", "/usr/", "/etc/", "/dev/")

# What another process does to a file F; an act that fails, since the file is not there, is none.
ACTS = {
    "truncate": "truncate -s 0 F",
    "cut": "truncate -s -7 F",
    "append": "test -e F && printf more >> F",
    "unlink": "rm F",
    "move": "mv F F.moved",
    "link": "ln F F.link",
    "close": "chmod 000 F",
    "replace": "cp stranger F.new && mv -f F.new F",
    "replace by another user": "cp stranger F.new && chown 65534 F.new && chmod 600 F.new && mv -f F.new F",
    "replace by a hard link": "ln -f stranger F",
    "replace by a symbolic link": "ln -sfn stranger F",
    "replace by a folder": "rm -f F && mkdir F",
}
# These leave the file the same one.
IN_PLACE = {"truncate", "cut", "append", "link", "close"}
LATE = {"fsync", "rename", "link", "close"}  # from the last look at a file to its name
# After these the file of that name is another, whose content is the stranger's.
FOREIGN = {"replace", "replace by another user"}


def files_of(scenario):
    """All that the command reads, writes or makes for itself."""
    results = sorted(scenario.results())
    made = [name + ending for name in results for ending in (PARTIAL, RECORD, JOURNAL)]
    unused = {"pass"} if "pass" not in scenario.command else set()
    names = dict.fromkeys([*scenario.files, *sorted(scenario.changing()), *made])
    return [name for name in names if name not in unused]


def moments_of(scenario, folder, faults):
    """Rules that each stop at one call: all that open, sync, cut or name its files, and the second that writes."""
    scenario.prepare(folder)
    run = Run(faults, scenario, folder, "")
    assert run.code == 0, run.errors
    moments, counts = [], {}
    for line in run.lines:
        call, _, path = line.split(" ", 2)
        counts[call] = counts.get(call, 0) + 1
        if call in MOMENTS and not path.startswith(SYSTEM):
            moments.append(f"{call}@{counts[call]}=run")
    writes = sum(counts.get(call, 0) for call in ("write", "pwrite", "copy_file_range"))
    return [*moments, *(["write@2=run"] if writes > 1 else [])]


class Scene:
    """One act of another process upon one file of a run, and what is wrong afterwards."""

    def __init__(self, scenario, folder, faults, name, act, moment):
        self.scenario, self.folder, self.name, self.act = scenario, folder, name, act
        scenario.prepare(folder)
        (folder / "stranger").write_bytes(STRANGER)
        self.run = Run(faults, scenario, folder, moment, actor=ACTS[act].replace("F", shlex.quote(name)))
        self.found = files_below(folder)
        self.acted = "actor 0" in self.run.lines

    def complaints(self):
        if not self.acted:  # the file was not there
            return
        yield from self.complaints_of_the_end()
        yield from self.complaints_of_strangers()
        yield from self.complaints_of_ours()

    def complaints_of_the_end(self):
        if self.run.code not in (0, 1, 2, 3, 4, 5):
            yield f"exit code {self.run.code}"
        lines = self.run.errors
        if not all(line.startswith("phalanx: ") for line in lines):
            yield "a line that is not ours"
        if (self.run.code != 0) != (lines != []) or (self.scenario.lines and len(lines) > self.scenario.lines):
            yield f"exit {self.run.code} with {len(lines)} lines"

    def call(self):
        """That the act came before, and its file."""
        _, call, path = self.run.hits[0]
        return call, os.path.relpath(os.path.join(self.folder, path), self.folder)

    def too_late(self):
        """The name was given to another file in the very instant before it is removed or replaced: nothing helps."""
        call, path = self.call()
        removed_here = call == "unlink" and os.path.basename(path) == os.path.basename(self.name)  # its folder may be open
        return removed_here or (call == "rename" and self.name in self.scenario.results())

    # --force and --each remove what a killed run of the same user left, and recipients does right after it looked; what comes later
    # is none such.
    def is_asked_for(self):
        if self.name in self.scenario.results():
            return "--force" in self.scenario.command or isinstance(self.scenario, InPlace)
        at = next(i for i, line in enumerate(self.run.lines) if line.startswith("hit "))
        begun = any(line.endswith(self.name) for line in self.run.lines[: at - 1])  # but for this very call
        removes = any(word in self.scenario.command for word in ("--force", "--each", "recipients"))
        return removes and not begun and self.act == "replace" and self.name.endswith(PARTIAL)

    def is_link_that_forced_runs_follow(self):
        """OUT was a link before the run looked at it: --force replaces what it leads to."""
        at = next(i for i, line in enumerate(self.run.lines) if line.startswith("hit "))
        seen = any(line.split(" ", 2)[2] == self.name for line in self.run.lines[: at - 1])
        linked = self.act == "replace by a symbolic link" and self.name in self.scenario.results()
        return linked and not seen and "--force" in self.scenario.command

    def complaints_of_strangers(self):
        content = self.found.pop("stranger", None)
        links_to_in_place = isinstance(self.scenario, InPlace) and self.name == "FILE"
        if content != STRANGER and not (links_to_in_place and content == self.scenario.apply(STRANGER)):
            if not self.is_link_that_forced_runs_follow():
                yield "the stranger's file was changed"
        lost = self.act in FOREIGN and STRANGER not in self.found.values()
        if lost and not self.is_asked_for() and not self.too_late():
            yield "the stranger's file in its place is lost or changed"
        if isinstance(self.scenario, InPlace) and self.act in FOREIGN and self.name == "FILE":
            if self.found.get("FILE") not in (STRANGER, self.scenario.apply(STRANGER)):
                yield "the stranger's file in its place is half done"

    def complaints_of_ours(self):
        for name, content in self.scenario.files.items():
            if name not in self.scenario.changing() and name != self.name and self.found.get(name) != content:
                yield f"{name} is lost or changed"
        if self.name in self.scenario.files or self.name in self.scenario.results():
            yield from self.complaints_of_lost_sources()
            return
        # Only its owner can do that; and right after we looked at its size, nothing helps.
        if self.act in IN_PLACE and self.call()[0] in LATE | {"write", "pwrite", "ftruncate"}:
            return
        if self.run.code == 0 and not self.scenario.is_done(self.folder, self.found):
            yield "exit 0, and OUT is not what it must be"
        if not (self.run.code != 0 and self.call()[0] in LATE):
            yield from self.scenario.complaints_half_way(self.folder, self.found)

    def complaints_of_lost_sources(self):
        """After acts upon files that the command was given, or upon its results: what it was to migrate is somewhere."""
        for source, plain in self.scenario.deleted_sources():
            if self.name in (source, "key", "pass") or self.too_late():
                continue
            if self.scenario.files[source] in self.found.values():
                continue
            afterwards = self.run.lines[self.run.lines.index("actor 0") :]
            removal = ("unlink ", "/" + os.path.basename(source))
            gone = not any(line.startswith(removal[0]) and ("/" + line.split(" ")[2]).endswith(removal[1]) for line in afterwards)
            if self.call()[0] == "unlink" or gone:
                continue  # it was gone by then, or went at that instant
            boxes = [name for name in self.found if ".phalanx" in name or name.startswith("OUT")]
            if not any(opens_to(self.folder, name, plain) for name in boxes):
                yield f"{source} was removed, and there is no container of it"


@pytest.mark.skipif(not is_root(), reason="only root may give files to another user")
@pytest.mark.parametrize("name", ACTED_UPON)
def test_acts_of_strangers(faults, scenarios, tmp_path, name):
    scenario, folders = scenarios[name], OwnFolders(tmp_path)
    moments = moments_of(scenario, folders.mine(), faults)
    points = [(file, act, moment) for file in files_of(scenario) for act in ACTS for moment in moments]
    if not FULL:  # one moment for each of half of the acts
        number = lambda file, act: zlib.crc32(f"{name} {file} {act}".encode())  # noqa: E731
        pairs = [(file, act) for file in files_of(scenario) for act in ACTS if number(file, act) % 2 == 0]
        points = [(file, act, moments[number(file, act) // 2 % len(moments)]) for file, act in pairs]

    num_acted = 0

    def try_point(point):
        nonlocal num_acted
        scene = Scene(scenario, folders.mine(), faults, *point)
        num_acted += scene.acted
        return [f"{complaint} {scene.run.errors[:2]}" for complaint in scene.complaints()]

    complaints = try_all(name, try_point, points)
    assert not complaints, "\n" + "\n".join(complaints)
    assert num_acted > 0


def complaints_of_two(scenario, folder, run):
    """After the first run, in the middle of which the second ran to its end."""
    codes = [run.code, *(int(line.split()[1]) for line in run.lines if line.startswith("actor "))]
    found = files_below(folder)
    if not set(codes) <= {0, 1, 2, 3, 4, 5}:
        yield "exit codes"
    if isinstance(scenario, InPlace) and 0 in codes:
        # A second time it would undo the first: the counter mode is its own inverse.
        if found != {**scenario.files, "FILE": scenario.after if codes.count(0) == 1 else scenario.before}:
            yield f"not what {codes.count(0)} runs make"
    elif isinstance(scenario, Each):
        yield from scenario.complaints(folder, done=True)  # together, if not alone: each refuses what the other has made
    elif 0 not in codes:
        yield "neither did it"
    else:
        kept = run.code != 0 and isinstance(scenario, Resumed)  # by the first, which came to its end too late
        yield from scenario.complaints(folder, killed=kept, done=not kept)


@pytest.mark.parametrize("name", ACTED_UPON)
def test_a_second_run(faults, scenarios, tmp_path, name):
    """The same command, started at each moment of the first, which waits for its end."""
    scenario, folders = scenarios[name], OwnFolders(tmp_path)
    moved_clock = ["env", f"LD_PRELOAD={faults.library}"] if "--delete-source" in scenario.command else []
    command = shlex.join([*moved_clock, "timeout", "60", PROGRAM, *scenario.command])

    def try_moment(moment):
        folder = folders.mine()
        scenario.prepare(folder)
        run = Run(faults, scenario, folder, moment, actor=command)
        return [f"{complaint} {run.code} {run.errors}" for complaint in complaints_of_two(scenario, folder, run)]

    moments = moments_of(scenario, folders.mine(), faults)
    complaints = try_all(name, try_moment, moments)
    assert moments and not complaints, "\n" + "\n".join(complaints)
