#!/usr/bin/env python3
"""Searches the circuits of serpent_round_circuits.txt: one of Serpent's S-boxes, with the sums around it, as n three-input lookups.

usage: search_serpent_rounds.py BOX N [SECONDS [SEED]]     BOX: S0 to S7, I0 to I7; prints a circuit, "none" or "not decided"

A SAT problem, for the program cadical: which signals each gate reads, its table, and its values at the 16 values of x0 + k0 to x3 + k3.
An input that has a key counts as two of a gate's three operands. The two gates that add e1 and e3 are part of n; each
takes two signals besides. All signals are 0 where the inputs are (a complement costs nothing), until `complemented` undoes it.
"""

import itertools
import subprocess
import sys
import tempfile

from boxes import boxes_of
from circuit_text import Circuit, Gate

ROWS = range(1, 16)


class Problem:
    """Clauses over the variables of a circuit. Signals 0 to 3 are the inputs, then come the gates."""

    def __init__(self, box, num_gates):
        self.keyed = [i for i in range(4) if f"k{i}" in box.inputs]
        self.clauses = []
        self.num_variables = 0
        self.value = [{row: row >> i & 1 for row in ROWS} for i in range(4)]
        self.gates = []  # (choices of operands, their variables, the table's variables)
        for _ in range(num_gates):
            self.gates.append(self.add_gate(list(self.operand_choices()), 3, {row: self.variable() for row in ROWS}))
            self.value.append(self.last_values)
        self.outputs = [self.add_output(box, i) for i in range(4)]

    def variable(self):
        self.num_variables += 1
        return self.num_variables

    def choose(self, num_choices):
        chosen = [self.variable() for _ in range(num_choices)]
        self.clauses.append(chosen)
        self.clauses += [[-a, -b] for a, b in itertools.combinations(chosen, 2)]
        return chosen

    def operand_choices(self):
        light = [i for i in range(len(self.value)) if i not in self.keyed]
        yield from ((i,) for i in self.keyed)
        yield from ((i, j) for i in self.keyed for j in light)
        yield from itertools.combinations(light, 3 if len(light) > 2 else 2)

    def literals(self, signal, row, bit):
        """What must be false of the signal at the row for it to differ from the bit; None if it differs anyway."""
        value = self.value[signal][row]
        if isinstance(value, int) and signal < 4:
            return [] if value == bit else None
        return [-value if bit else value]

    def add_gate(self, choices, max_operands, values):
        self.last_values = values
        chosen = self.choose(len(choices))
        table = [self.variable() for _ in range(1 << max_operands)]
        self.clauses.append([-table[0]])
        for choice, operands in zip(chosen, choices):
            for row, index in itertools.product(ROWS, range(1 << len(operands))):
                differing = [self.literals(signal, row, index >> place & 1) for place, signal in enumerate(operands)]
                if None in differing:
                    continue
                condition = [-choice, *itertools.chain(*differing)]
                if isinstance(values[row], bool):
                    self.clauses.append([*condition, table[index] if values[row] else -table[index]])
                else:
                    self.clauses += [[*condition, -table[index], values[row]], [*condition, table[index], -values[row]]]
        return choices, chosen, table

    def add_output(self, box, place):
        """(choices of signals, their variables): one gate, or two signals whose sum it is."""
        wanted = {row: bool((box.values[row] ^ box.values[0]) >> place & 1) for row in ROWS}
        if f"e{place}" in box.inputs:
            light = [i for i in range(len(self.value)) if i not in self.keyed]
            choices, chosen, table = self.add_gate(list(itertools.combinations(light, 2)), 2, wanted)
            self.clauses += [[table[1]], [table[2]], [-table[3]]]
            return choices, chosen
        choices = [(4 + i,) for i in range(len(self.gates))]
        chosen = self.choose(len(choices))
        for choice, (signal,) in zip(chosen, choices):
            self.clauses += [[-choice, self.value[signal][row] if wanted[row] else -self.value[signal][row]] for row in ROWS]
        return choices, chosen


def solve(problem, seconds, seed):
    """The variables that are true; None if there are none; exits if time ran out."""
    with tempfile.NamedTemporaryFile("w", suffix=".cnf") as file:
        file.write(f"p cnf {problem.num_variables} {len(problem.clauses)}\n")
        file.writelines(" ".join(map(str, clause)) + " 0\n" for clause in problem.clauses)
        file.flush()
        command = ["cadical", "-q", f"--seed={seed}", "-t", seconds, file.name]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode not in (10, 20):
        sys.exit("not decided")
    words = " ".join(line[2:] for line in run.stdout.splitlines() if line.startswith("v ")).split()
    return {int(word) for word in words if int(word) > 0} if run.returncode == 10 else None


def complemented(box, outputs, num_gates):
    """For each signal whether it is the complement of what the problem has: so that the outputs are right where the inputs are 0."""
    for flips in itertools.product((0, 1), repeat=num_gates):
        flip = [0, 0, 0, 0, *flips]
        if all(sum(flip[i] for i in signals) & 1 == box.values[0] >> place & 1 for place, signals in enumerate(outputs)):
            return flip
    sys.exit("not decided: found, but not with these complements; try another seed")


def circuit_of(box, problem, true):
    def picked(choices, chosen):
        return next(choice for choice, variable in zip(choices, chosen) if variable in true)

    outputs = [picked(*output) for output in problem.outputs]
    flip = complemented(box, outputs, len(problem.gates))
    names = [f"x{i}" for i in range(4)] + [f"t{i}" for i in range(len(problem.gates))]
    circuit = Circuit(box)
    for place, (choices, chosen, table) in enumerate(problem.gates):
        operands = picked(choices, chosen)
        read = [(name, i) for i, signal in enumerate(operands) for name in names_of(names, problem, signal)]
        bits = 0
        for index in range(1 << len(read)):
            values = [flip[signal] for signal in operands]
            for shift, (_, i) in enumerate(reversed(read)):
                values[i] ^= index >> shift & 1
            found = table[sum(value << i for i, value in enumerate(values))] in true
            bits |= (found ^ flip[4 + place]) << index
        circuit.gates.append(Gate(names[4 + place], [name for name, _ in read], bits))
    for place, signals in enumerate(outputs):
        circuit.outputs.append(names[signals[0]])
        if len(signals) == 2:
            circuit.outputs[-1] = f"t{len(circuit.gates)}"
            circuit.gates.append(Gate(circuit.outputs[-1], [*(names[i] for i in signals), f"e{place}"], 0x96))
    return circuit


def names_of(names, problem, signal):
    return [names[signal], f"k{signal}"] if signal in problem.keyed else [names[signal]]


def main():
    if len(sys.argv) not in (3, 4, 5) or sys.argv[1] not in boxes_of("serpent_round"):
        sys.exit("usage: search_serpent_rounds.py S0|...|S7|I0|...|I7 LOOKUPS [SECONDS [SEED]]")
    box = boxes_of("serpent_round")[sys.argv[1]]
    seconds, seed = (sys.argv[3:] + ["600", "0"][len(sys.argv) - 3 :])[:2]
    problem = Problem(box, int(sys.argv[2]) - sum(name[0] == "e" for name in box.inputs))
    true = solve(problem, seconds, seed)
    if true is None:
        sys.exit("none")
    circuit = circuit_of(box, problem, true)
    if circuit.wrong_input() is not None:
        sys.exit("a wrong circuit: an error in this script")
    print(circuit.text())


if __name__ == "__main__":
    main()
