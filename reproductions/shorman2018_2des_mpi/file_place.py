"""Where a run of Shorman's programs had its files: on a disk, for which syncing waits, or in memory."""

import pathlib
import re

IN_MEMORY = {"tmpfs", "ramfs"}
RECORDED = re.compile(r", files in (?P<kind>\S+)$")  # in a run's fact `system`


def file_system_of(folder):
    """The kind of file system that a folder is on."""
    mounts = [line.split()[1:3] for line in pathlib.Path("/proc/self/mounts").read_text().splitlines()]
    above = [(place, kind) for place, kind in mounts if pathlib.Path(folder).resolve().is_relative_to(place)]
    return max(above, key=lambda mount: len(mount[0]))[1]


def recorded_in(results):
    """The kind of file system that a series' newest run names, or None where it names none."""
    found = RECORDED.search(results.rows[0]["system"])
    return found["kind"] if found else None


def in_words(kind):
    if kind is None:
        return "in a place that was not recorded (tools/pack/run_papers takes /dev/shm, which is memory)"
    return f"in {kind}, {'which is memory' if kind in IN_MEMORY else 'on a disk'}"


def is_in_memory(kind):
    """Those that did not record it are runs of tools/pack/run_papers, or from before it."""
    return kind is None or kind in IN_MEMORY
