"""The circuits beside this file: read, checked, and written as C++.

A circuit begins with a line of its name and its number of gates, `S1 24`. A gate is a line: `t0 a4 a5 a6 86`, result, three
operands and the lookup table in hex (bit a << 2 | b << 1 | c), or `t0 and x3 x0`, result, operation, operands. The last line,
`y1..y4 t10 t17 t20 t23`, names the outputs. Empty lines and those that begin with # say nothing.
"""

import dataclasses
import sys
import typing

# The table of each operation, and what C++ calls it.
OPERATIONS = {"and": 0b1000, "or": 0b1110, "xor": 0b0110, "not": 0b01}
FORMULAS = {0b1000: "{} & {}", 0b1110: "{} | {}", 0b0110: "{} ^ {}", 0b01: "~{}"}


class Gate(typing.NamedTuple):
    result: str
    operands: list
    table: int  # bit i: the result where the operands, the first on top, read i

    def formula(self):
        if len(self.operands) == 3:
            return f"lut3<0x{self.table:02x}>({', '.join(self.operands)})"
        return FORMULAS[self.table].format(*self.operands)


@dataclasses.dataclass
class Circuit:
    """Inputs and outputs are in the file's order, the least significant bit first or last."""

    inputs: list
    lowest_first: bool
    gates: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)

    def places(self, names):
        """(name, its bit's place in the number) for the inputs or the outputs."""
        return [(name, i if self.lowest_first else len(names) - 1 - i) for i, name in enumerate(names)]

    def evaluate(self, x):
        value = {name: x >> place & 1 for name, place in self.places(self.inputs)}
        for gate in self.gates:
            index = 0
            for operand in gate.operands:
                index = index << 1 | value[operand]
            value[gate.result] = gate.table >> index & 1
        return sum(value[name] << place for name, place in self.places(self.outputs))

    def print_gates(self, indent):
        for gate in self.gates:
            print(f"{indent}const W {gate.result} = {gate.formula()};")

    def print_in_place(self, indent):
        """From the words x[0], the least significant, to x[n - 1] and back into them."""
        for name, place in self.places(self.inputs):
            print(f"{indent}const W {name} = x[{place}];")
        self.print_gates(indent)
        for name, place in self.places(self.outputs):
            print(f"{indent}x[{place}] = {name};")


def parse_gate(words):
    if words[1] in OPERATIONS:
        return Gate(words[0], words[2:], OPERATIONS[words[1]])
    return Gate(words[0], words[1:4], int(words[4], 16))


def read_circuits(path, inputs, lowest_first):
    """{name: Circuit}; `inputs` are the names of the inputs in the file's order."""
    circuits = {}
    for line in path.read_text().splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if ".." in words[0]:
            circuit.outputs.extend(words[1:])
            if len(circuit.gates) != num_gates:
                sys.exit(f"{path.name}: {name} has {len(circuit.gates)} gates, not {num_gates}")
        elif len(words) == 5 or words[1] in OPERATIONS:
            circuit.gates.append(parse_gate(words))
        else:
            name, num_gates = " ".join(words[:-1]), int(words[-1])
            circuit = circuits[name] = Circuit(inputs, lowest_first)
    return circuits


def check(circuits, boxes):
    """Exits with a message unless the circuits are those of the boxes, {name: [output for each input]}, and all are right."""
    if circuits.keys() != boxes.keys():
        sys.exit(f"missing, or not known: {', '.join(sorted(circuits.keys() ^ boxes.keys()))}")
    for name, box in boxes.items():
        for x, y in enumerate(box):
            if circuits[name].evaluate(x) != y:
                sys.exit(f"{name}: wrong at input {x}")


def print_beginning(comment, includes):
    """A header up to its first declaration; `comment` says in two lines what made it and what is in it."""
    print("// " + comment.replace("\n", "\n// "))
    print("#pragma once\n\n" + "\n".join(f'#include "{name}"' for name in includes) + "\n\nnamespace phalanx {\nnamespace {")


def print_end():
    print("\n}  // namespace\n}  // namespace phalanx")
