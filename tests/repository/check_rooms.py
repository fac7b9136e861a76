#!/usr/bin/env python3
"""Checks the rooms of src/ by what they were compiled to.

usage: check_rooms.py links|globals ROOMS      exits 0 if all is so, 1 listing what is not

Each line of the file ROOMS is a room and its objects, bottom first.
links: the first k rooms linked alone call nothing of ours that they do not have, for every k.
globals: no room has a variable that outlives a call and can change, but those that are listed here.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

from check_tree import ROOMS

# What may change, and why it is not in an object that a caller holds.
MUTABLE = {
    "engine/host": {
        "sha256": "libcrypto's HMAC by this digest, which is looked up once, copied for each use, and lives as long as the process",
        "sha512": "...",
        "pages": "the pages that small secrets share: the system's properties cost too much for each",
        "page": "the number of this process, in a page that the kernel clears in each child",
        "last_generation": "... the highest one that an ancestor had",
        "kept_generation": "... the number, where the kernel clears no page",
        "seeded_generation": "of the process: whether its generators have seeds of their own since it was forked",
    },
    "engine/threads": {
        "process_pool": "threads stay with the process, and are shared by all who compute",
        "most_threads_of_process": "how many threads the process lets us use",
        "executor_of_process": "the threads that it lets us use instead",
        "in_serial_section": "of the thread: whether its loops take helpers",
    },
    "engine/engines": {
        "the_registry": "the engines that can run here, found out once",
        "result": "what the processor can do, asked once",
        "tuned_serial_blocks": "of each kernel: the crossover that a calibration of this machine has set",
    },
    "engine/library": {
        "last_c_error": "of the thread: what is told of the last call in C that failed",
        "lacks_memory": "... whether there was no memory to tell it",
        "key": "... its key, by which it is freed when the thread ends",
        "none": "... what is told where no call failed",
        "infos": "what the catalog shows in C, made once",
        "catalog": "what the catalog shows, made once",
    },
    "files/system": {
        "number": "counts files that are made to read a file system's clock, so that no two have one name",
        "last_note": "signals have no argument: what becomes of what was done",
        "num_held_back": "... how many hold them back, or that one has ended the program",
        "num_notes": "... whether last_note is so still",
        "signal_held_back": "... the one that came meanwhile",
        "is_ending": "... whether one came",
        "unfinished_files": "... the files that are removed",
    },
    "files/system/output": {
        "is_allowed": "whether files are written by mappings, as whoever handles SIGBUS says",
        "known_mappings": "SIGBUS has no argument: the mappings that it may be about",
        "num_writers_together": "how many threads write at once, as the run says",
    },
    "files/in_place": {"complete": "what a signal says once the file is complete, to the end of the process"},
    "files/libcrypto": {
        "context": "libcrypto's context with the legacy provider, which is loaded once and lives as long as the process",
        "mutex": "... held while it is loaded",
    },
    "program/cli/secrets": {
        "taken": "a process has one environment: what was taken out of it, while somebody holds that",
        "waiting_question": "signals have no argument: the terminal that asks for a secret, while it does",
    },
    "program/cli/console": {
        "line_in_use": "a process has one terminal: who writes to the line where progress stands",
        "bar_stands": "... whether it does",
        "end_of_line": "signals have no argument: what ends the line of progress when one comes",
        "only_notes": "... whether nothing is said without more to say",
        "is_said": "... that one of several that come at once says it",
        "terminal_number": "... the terminal whose echo is turned on again",
        "terminal_settings": "... and how it was",
    },
}
WITH_CUDA = {
    "engine/engines": {
        "injected_gpu_fault": "set by tests: the next call of a GPU that fails",
        "takes_each_gpu_twice": "set by tests: one GPU as two, to test what several do",
        "gcm_hashing": "set by tests: how GPUs hash the messages of GCM",
        "last_id": "counts keys, so that no two on a GPU are taken for the same",
        "remembered": "the limits of each GPU, asked once",
        "all_locked": "the host's memory that GPUs copy from and to by themselves, whichever key asked for it",
        "allowed": "the GPUs on which a kernel was allowed its shared memory",
        "current_key": "in a GPU's constant memory, by this name on the host: the key of the kernel that runs",
        "current_key_128": "... of AES, by its size",
        "current_key_192": "...",
        "current_key_256": "...",
        "key_schedule": "the same: which bits of its key each round of DES takes; never changed",
    },
}
# What compilers add: nvcc for each kernel that the host calls.
# `registered` says that a function was called once: nobody reads it, and clang keeps it.
OF_COMPILERS = re.compile(r"^guard variable|^DW\.ref|__device_stub__|_GLOBAL__N__.*::__(handle|tmp)$|fatbin|::registered$")
OF_DATA = re.compile(r"\.(data|bss|tdata|tbss)(?!\.rel\.ro)")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def rooms_of(path):
    for line in pathlib.Path(path).read_text().splitlines():
        room, *objects = line.split()
        yield room, objects


def unknown_calls(rooms):
    """Of each link of the first k rooms, what it lacks."""
    with tempfile.TemporaryDirectory() as name:
        linked = None
        for number, (room, objects) in enumerate(rooms):
            result = f"{name}/{number}.o"
            output_of("ld", "-r", "-o", result, *([linked] if linked else []), *objects)
            if linked:
                pathlib.Path(linked).unlink()
            linked = result
            for line in output_of("nm", "-C", "--undefined-only", linked).splitlines():
                symbol = line.split(maxsplit=1)[1]
                if "phalanx" in symbol:
                    yield f"{room}: needs {symbol}, which is in no room up to it"


def variables_of(objects):
    """The names of all of ours that lie in memory that can change. clang numbers the parts of some, which hides the names from nm -C."""
    symbols = []
    for line in output_of("nm", "--defined-only", "--format=sysv", *objects).splitlines():
        fields = line.split("|")
        if len(fields) < 7 or not OF_DATA.match(fields[6].strip()) or ".rel.ro" in fields[6]:
            continue
        symbols.append(re.sub(r"(\.\d+)+$", "", fields[0].strip()))
    for symbol in output_of("c++filt", *symbols).splitlines() if symbols else []:
        if "phalanx" in symbol and not OF_COMPILERS.search(symbol):
            while symbol != (plain := re.sub(r"<[^<>]*>|\[abi:\w+\]|\.\d+$", "", symbol)):
                symbol = plain
            yield symbol.rsplit("::", 1)[-1]


def wrong_variables(rooms):
    for room, objects in rooms:
        found, listed = set(variables_of(objects)), set(MUTABLE.get(room, {}))
        if any(name.endswith(".cu.o") for name in objects):
            listed |= set(WITH_CUDA.get(room, {}))
        for name in sorted(found - listed):
            yield f"{room}: {name} can change, and is not listed with a reason"
        for name in sorted(listed - found):
            yield f"{room}: {name} is listed, and is not there"


def main(what, path):
    rooms = list(rooms_of(path))
    names = [room for room, _ in rooms]
    problems = list({"links": unknown_calls, "globals": wrong_variables}[what](rooms))
    if names != [room for room in ROOMS if room in names]:
        problems.append("the CMakeLists.txt of src/ have the rooms in another order than check_tree.py")
    if len(rooms) < 20:
        problems.append(f"{path}: {len(rooms)} rooms, which are too few")
    print("\n".join(problems) or f"{len(rooms)} rooms checked")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
