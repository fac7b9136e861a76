#!/usr/bin/env python3
"""Searches circuits of a cipher's boxes, proves on all inputs what it finds, and compares it with the circuits that are kept.

usage: search_circuits.py walk    FAMILY 2|3 [OPTION...]   beam search and random walk, any box of up to six bits
       search_circuits.py exact   FAMILY 2|3 [OPTION...]   exact synthesis, boxes of four bits: the least number of gates, proven
       search_circuits.py derive  aes    2   [OPTION...]   the AES boxes from arithmetic in a tower of fields
       search_circuits.py windows FAMILY 2|3 [OPTION...]   resynthesis of windows, starting from the smallest circuits in the pool

FAMILY is des, serpent, twofish or aes; 2|3 the inputs of a gate. All leave what they find in the pool and go on from there.

  --pool FOLDER     where circuits are gathered (default: pool/FAMILY_2 or pool/FAMILY_3)
  --programs FOLDER the programs that the search is made of (default: build/tools)
  --seconds N       how long (default 600)         --threads N   (default: all)        --seed N (default 1)
  --only BOX        one box, and not all of the family
  --pace X          scales the time given to each attempt of walk (default 1; 0.1 is enough for boxes of four bits)
  --from-kept       put the circuits that are kept into the pool first
  --keep            write the smallest circuits into the family's file, if they are smaller than those there; then run emit_headers.py
"""

import argparse
import datetime
import os
import pathlib
import subprocess
import sys

from boxes import FAMILIES, boxes_of, search_text
from circuit_text import check, read_circuits
from derive_aes import derive
from gate_order import ordered

FOLDER = pathlib.Path(__file__).parent


def data_file(family, gate_inputs):
    if family == "twofish" or gate_inputs == 3:
        return FOLDER / f"{family}_circuits.txt"
    return FOLDER / f"{family}_two_input_circuits.txt"


class Search:
    def __init__(self, arguments):
        self.arguments = arguments
        self.boxes = {name: box for name, box in boxes_of(arguments.family).items() if arguments.only in (None, name)}
        self.pool = pathlib.Path(arguments.pool or f"pool/{arguments.family}_{arguments.gate_inputs}")
        self.pool.mkdir(parents=True, exist_ok=True)

    def run_program(self, name, **options):
        program = pathlib.Path(self.arguments.programs) / name
        if not program.exists():
            sys.exit(f"{program} is missing: cmake --build build --target {name}")
        words = ["--inputs-of-a-gate", self.arguments.gate_inputs]
        for option, value in options.items():
            words += ["--" + option.replace("_", "-"), value]
        subprocess.run([program, *map(str, words)], check=True)

    def boxes_file(self):
        path = self.pool / "boxes"
        path.write_text(search_text(self.boxes.values()))
        return path

    def read(self, name):
        """The circuits of a box in the pool."""
        path = self.pool / f"{name}.txt"
        circuits = read_circuits(path, self.boxes)[0] if path.exists() else []
        check(circuits)
        return circuits

    def add(self, circuit):
        with open(self.pool / f"{circuit.box.name}.txt", "a") as file:
            file.write(circuit.text() + "\n")

    def walk(self):
        a = self.arguments
        self.run_program(
            "find_circuits", boxes=self.boxes_file(), pool=self.pool, seconds=a.seconds, threads=a.threads, seed=a.seed, pace=a.pace
        )

    def exact(self):
        found = self.pool / "found"
        found.unlink(missing_ok=True)
        a = self.arguments
        self.run_program("find_exact_circuits", boxes=self.boxes_file(), out=found, threads=a.threads, **{"from": 1, "to": 20})
        for circuit in read_circuits(found, self.boxes)[0]:
            self.add(circuit)

    def derive(self):
        program = pathlib.Path(self.arguments.programs) / "find_circuits"
        for circuit in derive(program, self.arguments.seconds):
            if circuit.box.name in self.boxes:
                self.add(circuit)

    def windows(self):
        a = self.arguments
        for name, box in self.boxes.items():
            circuits = self.read(name)
            if not circuits:
                sys.exit(f"{self.pool} has no circuit of {name} to start from")
            start, found = self.pool / "start", self.pool / "found"
            start.write_text(min(circuits, key=lambda circuit: len(circuit.gates)).text())
            self.run_program(
                "resynthesise_windows", start=start, out=found, inputs=" ".join(box.inputs), seconds=a.seconds / len(self.boxes),
                threads=a.threads, seed=a.seed,
            )
            self.add(read_circuits(found, self.boxes)[0][0])

    def smallest(self):
        """The smallest circuit of each box in the pool, its gates in the best order; None for a box without."""
        result = {}
        for name in self.boxes:
            circuits = self.read(name)
            fewest = min((len(circuit.gates) for circuit in circuits), default=None)
            candidates = [ordered(circuit) for circuit in circuits if len(circuit.gates) == fewest]
            result[name] = min(candidates, key=lambda candidate: candidate[1])[0] if candidates else None
        check([circuit for circuit in result.values() if circuit])
        return result


def kept_circuits(family, gate_inputs):
    path = data_file(family, gate_inputs)
    return {circuit.box.name: circuit for circuit in read_circuits(path, boxes_of(family))[0]} if path.exists() else {}


def keep(family, gate_inputs, found, command):
    """Writes the file of the family anew, with what is smaller."""
    path = data_file(family, gate_inputs)
    kept = kept_circuits(family, gate_inputs)
    better = {name: circuit for name, circuit in found.items() if name not in kept or len(circuit.gates) < len(kept[name].gates)}
    if not better:
        return
    lines = [line for line in path.read_text().splitlines() if line.startswith("# ") and not line.startswith("# Found ")]
    lines.append(f"# Found {datetime.date.today()} by tools/circuits/{command}.")
    circuits = kept | better
    path.write_text("\n".join(lines) + "\n\n" + "\n".join(circuits[name].text() for name in boxes_of(family) if name in circuits))
    print(f"{path.name}: {', '.join(better)} replaced; run emit_headers.py")


def parse(words):
    parser = argparse.ArgumentParser(usage=__doc__[__doc__.index("usage:") + 7 :])
    parser.add_argument("method", choices=["walk", "exact", "derive", "windows"])
    parser.add_argument("family", choices=list(FAMILIES))
    parser.add_argument("gate_inputs", type=int, choices=[2, 3])
    parser.add_argument("--pool")
    parser.add_argument("--programs", default="build/tools")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pace", type=float, default=1)
    parser.add_argument("--only")
    parser.add_argument("--from-kept", action="store_true")
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args(words)
    if arguments.method == "derive" and (arguments.family, arguments.gate_inputs) != ("aes", 2):
        parser.error("derive is for aes, and gates of two inputs")
    if arguments.only not in (None, *boxes_of(arguments.family)):
        parser.error(f"--only: {arguments.family} has {', '.join(boxes_of(arguments.family))}")
    return arguments


def main():
    arguments = parse(sys.argv[1:])
    search = Search(arguments)
    kept = kept_circuits(arguments.family, arguments.gate_inputs)
    if arguments.from_kept:
        for name in search.boxes:
            if name in kept:
                search.add(kept[name])
    getattr(search, arguments.method)()
    found = {name: circuit for name, circuit in search.smallest().items() if circuit}
    for name, circuit in found.items():
        print(f"{name}: {len(circuit.gates)} gates, kept: {len(kept[name].gates) if name in kept else 'none'}")
    print(f"all: {sum(len(circuit.gates) for circuit in found.values())}")
    if arguments.keep:
        command = f"search_circuits.py {arguments.method} {arguments.family} {arguments.gate_inputs}"
        keep(arguments.family, arguments.gate_inputs, found, command)


if __name__ == "__main__":
    main()
