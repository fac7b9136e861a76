"""Circuits as text: read, checked, ordered, written as text again and as C++.

A circuit begins with a line of its box's name and its number of gates, `S1 24`. A gate is a line: `t0 a4 a5 a6 86`, result, three
operands and the lookup table in hex (bit a << 2 | b << 1 | c), or `t0 and x3 x0`, result, operation, operands. The last line,
`y1..y4 t10 t17 t20 t23`, names the outputs. Empty lines and those that begin with # say nothing, but `# Found ...` says with which
command and when a file's circuits were found; that line goes into the header.
"""

import dataclasses
import pathlib
import sys
import typing

from boxes import Box

# The table of each operation, and what C++ calls it.
OPERATIONS = {"and": 0b1000, "or": 0b1110, "xor": 0b0110, "andnot": 0b0100, "not": 0b01}
FORMULAS = {"and": "{} & {}", "or": "{} | {}", "xor": "{} ^ {}", "andnot": "and_not({}, {})", "not": "~{}"}


class Gate(typing.NamedTuple):
    result: str
    operands: list
    table: int  # bit i: the result where the operands, the first on top, read i

    def operation(self):
        return next(name for name, table in OPERATIONS.items() if table == self.table and (name == "not") == (len(self.operands) == 1))

    def formula(self):
        if len(self.operands) == 3:
            return f"lut3<0x{self.table:02x}>({', '.join(self.operands)})"
        return FORMULAS[self.operation()].format(*self.operands)

    def text(self):
        if len(self.operands) == 3:
            return f"{self.result} {' '.join(self.operands)} {self.table:02x}"
        return f"{self.result} {self.operation()} {' '.join(self.operands)}"

    def renamed(self, names):
        return Gate(names.get(self.result, self.result), [names.get(name, name) for name in self.operands], self.table)


@dataclasses.dataclass
class Circuit:
    box: Box
    gates: list = dataclasses.field(default_factory=list)
    outputs: list = dataclasses.field(default_factory=list)

    def tables(self):
        """{signal: its value at every input, bit x for input x}"""
        positions = range(len(self.box.values))
        all_ones = (1 << len(self.box.values)) - 1
        value = {name: sum((x >> place & 1) << x for x in positions) for name, place in self.box.places(self.box.inputs)}
        for gate in self.gates:
            value[gate.result] = 0
            for i in range(1 << len(gate.operands)):
                if gate.table >> i & 1:
                    cell = all_ones
                    for shift, operand in enumerate(reversed(gate.operands)):
                        cell &= value[operand] if i >> shift & 1 else ~value[operand]
                    value[gate.result] |= cell
        return value

    def wrong_input(self):
        """The first input at which an output is wrong, or None: compared at all inputs."""
        value = self.tables()
        wrong = 0
        for name, (_, place) in zip(self.outputs, self.box.places(self.box.outputs)):
            wrong |= value[name] ^ sum((y >> place & 1) << x for x, y in enumerate(self.box.values))
        return (wrong & -wrong).bit_length() - 1 if wrong else None

    def text(self):
        outputs = f"{self.box.outputs[0]}..{self.box.outputs[-1]} {' '.join(self.outputs)}"
        return "\n".join([f"{self.box.name} {len(self.gates)}", *(gate.text() for gate in self.gates), outputs, ""])

    def print_gates(self, indent):
        for gate in self.gates:
            print(f"{indent}const W {gate.result} = {gate.formula()};")

    def print_in_place(self, indent):
        """From the words x[0], the least significant, to x[n - 1] and back into them."""
        for name, place in self.box.places(self.box.inputs):
            print(f"{indent}const W {name} = x[{place}];")
        self.print_gates(indent)
        for name, (_, place) in zip(self.outputs, self.box.places(self.box.outputs)):
            print(f"{indent}x[{place}] = {name};")


def parse_gate(words):
    if words[1] in OPERATIONS:
        return Gate(words[0], words[2:], OPERATIONS[words[1]])
    return Gate(words[0], words[1:4], int(words[4], 16))


def read_circuits(path, boxes):
    """([Circuit], when and how they were found) from a file of circuits of `boxes`, {name: Box}; names may repeat."""
    circuits = []
    found = None
    for line in pathlib.Path(path).read_text().splitlines():
        words = line.split()
        if line.startswith("# Found "):
            found = line[2:]
        if not words or words[0].startswith("#"):
            continue
        if ".." in words[0]:
            circuits[-1].outputs.extend(words[1:])
            if len(circuits[-1].gates) != num_gates:
                sys.exit(f"{path}: {circuits[-1].box.name} has {len(circuits[-1].gates)} gates, not {num_gates}")
        elif len(words) == 2:
            if words[0] not in boxes:
                sys.exit(f"{path}: '{words[0]}' is no box")
            circuits.append(Circuit(boxes[words[0]]))
            num_gates = int(words[1])
        else:
            circuits[-1].gates.append(parse_gate(words))
    return circuits, found


def check(circuits):
    """Exits with a message unless each circuit is right at every input of its box."""
    for circuit in circuits:
        wrong = circuit.wrong_input()
        if wrong is not None:
            sys.exit(f"{circuit.box.name}: wrong at input {wrong}")
