#!/usr/bin/env python3
"""Orders the gates, and their operands, of a file of three-input circuits, for machines whose lookup overwrites its first operand.

usage: overwriting_order.py des_circuits.txt > FILE

VPTERNLOG writes its result over its first operand, and g++ 12 never exchanges operands: where the first one is needed again, it
makes a copy first. So gates are put into an order in which most of them are the last to use one of their operands, which then comes
first. The order is found by simulated annealing, the same one in every run. A circuit may take minutes; emit_headers.py proves it.
"""

import dataclasses
import math
import pathlib
import random
import sys

from boxes import boxes_of
from circuit_text import Gate, read_circuits

NUM_STEPS = 100_000
REGISTERS = 15  # more signals than this at a time cost more than copies: the machine has 32, for two circuits at once


def last_uses(gates):
    return {operand: place for place, gate in enumerate(gates) for operand in gate.operands}


def cost(gates, inputs, outputs):
    """Copies, and twice what is alive beyond the registers."""
    last = last_uses(gates)
    alive = len(inputs)
    total = 0
    for place, gate in enumerate(gates):
        dying = {operand for operand in gate.operands if last[operand] == place and operand not in outputs}
        total += (not dying) + 2 * max(0, alive + 1 - REGISTERS)
        alive += 1 - len(dying)
    return total


def moved(gates, chance):
    """The gates with one of them elsewhere, after its operands and before its uses."""
    place = chance.randrange(len(gates))
    gate = gates[place]
    others = gates[:place] + gates[place + 1 :]
    made = [i + 1 for i, other in enumerate(others) if other.result in gate.operands]
    used = [i for i, other in enumerate(others) if gate.result in other.operands]
    to = chance.randint(max(made, default=0), min(used, default=len(others)))
    return [*others[:to], gate, *others[to:]]


def order(circuit):
    chance = random.Random(1)
    gates = best = circuit.gates
    now = least = cost(gates, circuit.box.inputs, circuit.outputs)
    for step in range(NUM_STEPS):
        heat = 0.6 * (1 - step / NUM_STEPS) + 0.01
        candidate = moved(gates, chance)
        then = cost(candidate, circuit.box.inputs, circuit.outputs)
        if then <= now or chance.random() < math.exp((now - then) / heat):
            gates, now = candidate, then
            if now < least:
                best, least = gates, now
    return best


def with_first(gate, place):
    """The same gate with its operand `place` first."""
    order_of_operands = [place, *(i for i in range(3) if i != place)]
    table = 0
    for i in range(8):
        bits = dict(zip(order_of_operands, (i >> 2 & 1, i >> 1 & 1, i & 1)))
        table |= (gate.table >> (bits[0] << 2 | bits[1] << 1 | bits[2]) & 1) << i
    return Gate(gate.result, [gate.operands[k] for k in order_of_operands], table)


def dying_first(gates, outputs):
    last = last_uses(gates)
    for place, gate in enumerate(gates):
        dying = [i for i, operand in enumerate(gate.operands) if last[operand] == place and operand not in outputs]
        yield with_first(gate, dying[0]) if dying else gate


def numbered(circuit):
    """The gates named t0, t1, ... in their order."""
    names = {gate.result: f"t{place}" for place, gate in enumerate(circuit.gates)}
    outputs = [names.get(name, name) for name in circuit.outputs]
    return dataclasses.replace(circuit, gates=[gate.renamed(names) for gate in circuit.gates], outputs=outputs)


def main():
    path = pathlib.Path(sys.argv[1])
    circuits, _ = read_circuits(path, boxes_of(path.name.removesuffix("_circuits.txt")))
    print("".join(line + "\n" for line in path.read_text().splitlines() if line.startswith("#")))
    for circuit in circuits:
        gates = list(dying_first(order(circuit), circuit.outputs))
        print(numbered(dataclasses.replace(circuit, gates=gates)).text(), end="\n" if circuit is not circuits[-1] else "")


if __name__ == "__main__":
    main()
