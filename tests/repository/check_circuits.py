#!/usr/bin/env python3
"""Checks that the generated headers are what the scripts of tools/circuits write, which prove each circuit on all inputs.

usage: check_circuits.py REPOSITORY        exits 0 if all hold, 1 listing what does not

The search behind lut3_two_input.hpp takes half a minute. Of that header we check instead that every row computes its table,
that they need no more operations than the search left them, and that all else is as the script prints it. And the proof itself is tested:
a circuit with a wrong gate must not pass.
"""

import contextlib
import dataclasses
import io
import pathlib
import re
import subprocess
import sys

TWO_INPUT_HEADER = "src/engine/lanes/lut3_two_input.hpp"
NUM_OPERATIONS = 724  # of all 256 lookups, each by itself
ROW = re.compile(r"\{TwoInput::(\w+), 0x([0-9a-f]{2}), 0x([0-9a-f]{2})\},  // 0x[0-9a-f]{2}$", re.MULTILINE)


def check_headers(repository):
    command = [sys.executable, "-B", repository / "tools/circuits/emit_headers.py", "--check"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        yield (run.stdout + run.stderr).strip()


def check_proof():
    """Every circuit of every header, with each single gate's table changed in turn, is wrong at some input."""
    import emit_headers

    for name, header in emit_headers.HEADERS.items():
        circuits, _ = emit_headers.read(header)
        for circuit in circuits:
            for place, gate in enumerate(circuit.gates):
                wrong_gate = gate._replace(table=~gate.table & ((1 << (1 << len(gate.operands))) - 1))
                wrong = dataclasses.replace(circuit, gates=circuit.gates[:place] + [wrong_gate] + circuit.gates[place + 1 :])
                if wrong.wrong_input() is None:
                    yield f"{name}: {circuit.box.name} passes with {gate.result} complemented"


def operations_of(table, rows, inputs):
    """The tables of all operations that lead to this one, each of which is checked to make what its row says."""
    if table in inputs.values():
        return set()
    operation, x, y = rows[table]
    made = {"~": ~x & 0xFF, "&": x & y, "|": x | y, "^": x ^ y, "and_not": x & ~y}[operation]
    return {table if made == table else None} | operations_of(x, rows, inputs) | operations_of(y, rows, inputs)


def check_two_input(repository):
    import emit_lut3_two_input as script

    header = (repository / TWO_INPUT_HEADER).read_text()
    operations = {name: operator for operator, name in script.NAMES.items()}
    found = [(operations.get(name), int(x, 16), int(y, 16)) for name, x, y in ROW.findall(header)]
    rows = {table: row for table, row in enumerate(found) if row[0] is not None}
    num_operations = 0
    for table in range(256):
        made = operations_of(table, rows, script.INPUTS)
        num_operations += len(made)
        if None in made:
            yield f"{TWO_INPUT_HEADER}: lookup 0x{table:02x} computes something else"
    if num_operations != NUM_OPERATIONS:
        yield f"{TWO_INPUT_HEADER}: {num_operations} operations, not {NUM_OPERATIONS}"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        script.print_header(rows, num_operations)
    if len(found) != 256 or printed.getvalue() != header:
        yield f"{TWO_INPUT_HEADER}: is not what emit_lut3_two_input.py prints; run the script again"


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(repository / "tools/circuits"))
    sys.dont_write_bytecode = True
    problems = [*check_headers(repository), *check_proof(), *check_two_input(repository)]
    print("\n".join(problems) if problems else "all headers checked")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
