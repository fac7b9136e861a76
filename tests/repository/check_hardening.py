#!/usr/bin/env python3
"""Checks that all that ships but the kernels is compiled and linked as cmake/hardening.cmake says.

usage: check_hardening.py BUILD PROGRAM...      exits 0 if all is so, 1 listing what is not

An object shows its marks for CET itself. Whether a stack protector, _FORTIFY_SOURCE and the library's assertions guard it cannot be
read from an object that has nothing to guard: a probe that has is compiled with each object's own command, and is read in its place.
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PROBE = """
#include <cstring>
#include <vector>
void show(char*);
int probe(const char* text, unsigned long size, const std::vector<int>& numbers, unsigned long index) {
  char array[64];
  std::memcpy(array, text, size);
  show(array);
  return numbers[index];
}
"""
# What a probe calls that is guarded.
GUARDS = {"stack protector": "__stack_chk_fail", "_FORTIFY_SOURCE": "__memcpy_chk", "_GLIBCXX_ASSERTIONS": "__glibcxx_assert_fail"}
MARKS = ("IBT", "SHSTK")


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def ours(commands):
    """The objects of what is installed: those of src/, but code for GPUs, which its own compiler checks."""
    for entry in commands:
        words = shlex.split(entry["command"])
        target = words[words.index("-o") + 1]
        path = pathlib.Path(entry["directory"], target)
        if target.startswith("src/") and entry["file"].endswith(".cpp") and path.exists():
            yield path, entry


def is_kernel(entry):
    return "/engines/cpu/kernels/" in entry["file"]


def flags_of(entry):
    """The command without what it reads and writes."""
    words = shlex.split(entry["command"])
    while pathlib.PurePath(words[0]).name == "ccache":
        words = words[1:]
    kept, leave = [], False
    for word in words:
        if leave:
            leave = False
        elif word in ("-o", "-c", "-MF", "-MT"):
            leave = word != "-c"
        elif word not in (entry["file"], "-MD"):
            kept.append(word)
    return tuple(word for word in kept if not word.startswith(("-I", "-D")) or "_FORTIFY" in word or "_GLIBCXX" in word)


def guards_of_probe(flags, folder):
    probe, result = folder / "probe.cpp", folder / "probe.o"
    probe.write_text(PROBE)
    subprocess.run([*flags, "-w", "-c", str(probe), "-o", str(result)], check=True)
    called = output_of("nm", "--undefined-only", str(result))
    return {name for name, call in GUARDS.items() if call in called}


def expected_guards(flags):
    optimises = any(re.fullmatch(r"-O[1-3s]", flag) for flag in flags)
    sanitized = any(flag.startswith("-fsanitize") for flag in flags)
    return set(GUARDS) if optimises and not sanitized else set(GUARDS) - {"_FORTIFY_SOURCE"}


def check_flags(entries):
    by_flags = {}
    for _, entry in entries:
        by_flags.setdefault((flags_of(entry), is_kernel(entry)), []).append(entry["file"])
    with tempfile.TemporaryDirectory() as name:
        for (flags, kernel), files in by_flags.items():
            found, expected = guards_of_probe(flags, pathlib.Path(name)), set() if kernel else expected_guards(flags)
            if found != expected:
                yield f"{files[0]} and {len(files) - 1} more: guarded by {sorted(found)}, and it should be by {sorted(expected)}"


def check_marks(entries):
    for path, entry in entries:
        notes = output_of("readelf", "--notes", "--wide", str(path))
        if not all(mark in notes for mark in MARKS):
            yield f"{path}: not marked for CET (-fcf-protection)"


def start_files_are_marked():
    """What every program begins with: the linker marks a program only if all of it is marked."""
    return all(all(mark in output_of("readelf", "--notes", output_of("cc", f"-print-file-name={name}").strip()) for mark in MARKS)
               for name in ("Scrt1.o", "crti.o", "crtn.o"))


def check_program(path, sanitized, marked):
    dynamic, segments = output_of("readelf", "--dynamic", path), output_of("readelf", "--segments", "--wide", path)
    symbols = output_of("nm", "--dynamic", "--undefined-only", path)
    if "BIND_NOW" not in dynamic and not re.search(r"FLAGS_1.*NOW", dynamic):
        yield f"{path}: its symbols are bound as they are called"
    if "GNU_RELRO" not in segments:
        yield f"{path}: no RELRO"
    if not re.search(r"GNU_STACK.* RW ", segments):
        yield f"{path}: its stack may be run"
    if not re.search(r"Type:\s+DYN", output_of("readelf", "--file-header", path)):
        yield f"{path}: not position-independent"
    if "__stack_chk_fail" not in symbols:
        yield f"{path}: no stack protector in it"
    if not sanitized and not re.search(r"__\w+_chk\b", symbols.replace("__stack_chk_fail", "")):
        yield f"{path}: no call of it is fortified"
    if marked and not all(mark in output_of("readelf", "--notes", path) for mark in MARKS):
        yield f"{path}: not marked for CET"


def main(build, programs):
    commands = json.loads((build / "compile_commands.json").read_text())
    entries = list(ours(commands))
    if len(entries) < 100:
        return [f"{build}: {len(entries)} objects of src/ found, which are too few"]
    sanitized = "_FORTIFY_SOURCE" not in expected_guards(flags_of(next(entry for _, entry in entries if not is_kernel(entry))))
    with_cuda = any(entry["file"].endswith(".cu") for entry in commands)
    marked = not with_cuda and start_files_are_marked()
    problems = [*check_flags(entries), *check_marks(entries)]
    for program in programs:
        problems += check_program(program, sanitized, marked)
    if not marked:
        print("the marks of whole programs were not looked for:",
              "NVIDIA's library has none" if with_cuda else "the C library's start files have none")
    return problems


if __name__ == "__main__":
    found = main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:])
    print("\n".join(found) or "all is guarded")
    sys.exit(1 if found else 0)
