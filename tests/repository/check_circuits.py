#!/usr/bin/env python3
"""Checks that the generated headers are what the scripts of tools/circuits write, which prove each circuit on all inputs.

usage: check_circuits.py REPOSITORY        exits 0 if all hold, 1 listing what does not

The search behind lut3_two_input.hpp takes half a minute. Of that header we check instead that every formula computes its table,
that they are no longer than the search left them, and that all else is as the script prints it. And the proof itself is tested:
a circuit with a wrong gate must not pass.
"""

import contextlib
import dataclasses
import io
import pathlib
import re
import subprocess
import sys

TWO_INPUT_HEADER = "src/lanes/lut3_two_input.hpp"
NUM_STATEMENTS = 726  # of all 256 formulas together
BODY = re.compile(r" W of\([^)]*\) {\n    (.*?)\n  }\n};", re.DOTALL)
STATEMENT = re.compile(r"(?:const W (t\d) =|return) ([abct0-9&|^~(), ]|and_not)+;$")


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


def table_of(body, inputs):
    """What the statements of a formula return, given the truth tables of a, b and c."""
    names = {**inputs, "and_not": lambda x, y: x & ~y, "__builtins__": {}}
    for line in body.splitlines():
        statement = STATEMENT.match(line.strip())
        if statement is None:
            return None
        value = eval(line.strip().split(" = ")[-1].removeprefix("return ").rstrip(";"), names)
        if statement[1] is None:
            return value & 0xFF
        names[statement[1]] = value
    return None


def check_two_input(repository):
    import emit_lut3_two_input as script

    header = (repository / TWO_INPUT_HEADER).read_text()
    bodies = BODY.findall(header)
    for table, body in enumerate(bodies):
        if table_of(body, script.INPUTS) != table:
            yield f"{TWO_INPUT_HEADER}: lookup 0x{table:02x} computes something else"
    num_statements = sum(len(body.splitlines()) for body in bodies)
    if num_statements != NUM_STATEMENTS:
        yield f"{TWO_INPUT_HEADER}: {num_statements} statements, not {NUM_STATEMENTS}"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        script.print_header(bodies)
    if len(bodies) != 256 or printed.getvalue() != header:
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
