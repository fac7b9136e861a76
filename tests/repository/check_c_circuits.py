#!/usr/bin/env python3
"""Checks the header that tools/circuits/write_c_circuits.py writes, by its own check and by wrong lookups planted in it.

usage: check_c_circuits.py REPOSITORY C_COMPILER        exits 0 if all holds, 1 listing what does not

The header is compiled for plain words, and for AVX-512 where the compiler can; there it also runs if this processor can.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

LOOKUP = re.compile(r"  DES_LUT3\(\w+, \w+, \w+, \w+, 0x([0-9a-f]{2})\);")
ADD_TO_OUTPUT = "-DDES_LUT3_OUTPUT(pointer,value)=(*(pointer)^=(value))"  # as password crackers do with a round's left half
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-std=c99"]


class Checked:
    def __init__(self, compiler, folder):
        self.compiler = compiler
        self.program = folder / "des_lut3_check"
        self.planted = folder / "planted.h"

    def compile(self, header, *options):
        command = [self.compiler, *WARNINGS, "-DDES_LUT3_SELF_CHECK", *options, "-x", "c", header, "-o", self.program]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def run(self):
        return subprocess.run([self.program], capture_output=True, text=True, check=False)

    def problems_of(self, header, *options):
        compiled = self.compile(header, *options)
        if compiled.returncode != 0:
            yield f"{' '.join(options)}: does not compile: {compiled.stderr}"
            return
        run = self.run()
        if run.returncode != 0 or run.stdout != "all 8 boxes are right at all 64 inputs\n":
            yield f"{' '.join(options)}: {run.stdout or run.returncode}"

    def problems_of_planted(self, text):
        """One lookup of each box in turn with a complemented table: the check must name this box and no other."""
        for box in range(1, 9):
            start = text.index(f"des_lut3_s{box}(")
            lookup = LOOKUP.search(text, start)
            wrong = f"{int(lookup[1], 16) ^ 0xFF:02x}"
            self.planted.write_text(text[: lookup.start(1)] + wrong + text[lookup.end(1) :])
            compiled = self.compile(self.planted)
            run = self.run() if compiled.returncode == 0 else compiled
            named = set(re.findall(r"^(S[1-8]) is wrong at input ", run.stdout, re.MULTILINE))
            if compiled.returncode != 0 or run.returncode != 1 or named != {f"S{box}"}:
                yield f"S{box} with a wrong lookup: the check says {run.stdout + run.stderr}"

    def can_avx512(self, header):
        processor = pathlib.Path("/proc/cpuinfo")
        has_it = processor.exists() and re.search(r"^flags.*\bavx512f\b", processor.read_text(), re.MULTILINE)
        return bool(has_it) and self.compile(header, "-mavx512f").returncode == 0


def problems_of_counts(text, data):
    """The header has as many lookups as the file that circuits are kept in."""
    kept = sum(int(number) for number in re.findall(r"^S[1-8] (\d+)$", data, re.MULTILINE))
    if len(LOOKUP.findall(text)) != kept or f" = {kept}.\n" not in text.splitlines(keepends=True)[0]:
        yield f"{len(LOOKUP.findall(text))} lookups, but {kept} are kept; the first line: {text.splitlines()[0]}"


def main():
    repository, compiler = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    tools = repository / "tools/circuits"
    with tempfile.TemporaryDirectory() as folder:
        header = pathlib.Path(folder, "des_lut3.h")
        subprocess.run([sys.executable, "-B", tools / "write_c_circuits.py", header], check=True)
        text = header.read_text()
        checked = Checked(compiler, pathlib.Path(folder))
        problems = [*problems_of_counts(text, (tools / "des_circuits.txt").read_text())]
        problems += [*checked.problems_of(header), *checked.problems_of(header, ADD_TO_OUTPUT)]
        if checked.can_avx512(header):
            problems += checked.problems_of(header, "-mavx512f")
        problems += checked.problems_of_planted(text)
    print("\n".join(problems) if problems else "the header of plain C is right")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
