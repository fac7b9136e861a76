"""The order of a circuit's gates that keeps few values alive: a machine with 16 registers has to store and load the others."""

from circuit_text import Circuit

BEAM_WIDTH = 300


def ordered(circuit, num_registers=14):
    """(the circuit with its gates in a better order and named t0, t1, ..., its cost): by a beam search over what is done so far.

    The cost counts, after each gate, the values that are still to be read beyond num_registers, and then the most that are alive.
    Inputs count from their first use, as they are loaded where they are needed; outputs until the end.
    """
    index = {name: i for i, name in enumerate(circuit.box.inputs)}
    for gate in circuit.gates:
        index[gate.result] = len(index)
    num_inputs = len(circuit.box.inputs)
    reads = {index[gate.result]: {index[name] for name in gate.operands} for gate in circuit.gates}
    readers = {i: 0 for i in index.values()}
    for gate, operands in reads.items():
        for operand in operands:
            readers[operand] |= 1 << gate
    kept = {index[name] for name in circuit.outputs}

    def alive_after(done, alive, gate):
        alive = alive | reads[gate] | {gate}
        return frozenset(i for i in alive if i in kept or readers[i] & ~done)

    beam = {0: ((0, 0, 0), frozenset(), ())}
    for _ in reads:
        grown = {}
        for done, (cost, alive, order) in beam.items():
            for gate, operands in reads.items():
                if done >> gate & 1 or any(i >= num_inputs and not done >> i & 1 for i in operands):
                    continue
                now = done | 1 << gate
                left = alive_after(now, alive, gate)
                count = len(left)
                new_cost = (cost[0] + max(0, count - num_registers), max(cost[1], count), cost[2] + count)
                if now not in grown or new_cost < grown[now][0]:
                    grown[now] = (new_cost, left, order + (gate,))
        best = sorted(grown.items(), key=lambda item: item[1][0])[:BEAM_WIDTH]
        beam = dict(best)
    cost, _, order = next(iter(beam.values()))
    gates = {index[gate.result]: gate for gate in circuit.gates}
    names = {gates[i].result: f"t{place}" for place, i in enumerate(order)}
    renamed = [gates[i].renamed(names) for i in order]
    return Circuit(circuit.box, renamed, [names.get(name, name) for name in circuit.outputs]), cost
