#!/usr/bin/env python3
"""Checks that the generated headers are what the scripts of tools/circuits print. Each script checks its circuits on all inputs.

usage: check_circuits.py REPOSITORY        exits 0 if all hold, 1 listing what does not

The search behind lut3_two_input.hpp takes half a minute. Of that header we check instead that every formula computes its table,
that they are no longer than the search left them, and that all else is as the script prints it.
"""

import contextlib
import io
import pathlib
import re
import subprocess
import sys

HEADERS = {
    "emit_aes_circuit.py": "src/ciphers/aes_sbox_circuit.hpp",
    "emit_des_circuits.py": "src/ciphers/des_sbox_circuits.hpp",
    "emit_serpent_circuits.py": "src/ciphers/serpent_sbox_circuits.hpp",
    "emit_twofish_circuits.py": "src/ciphers/twofish_box_circuits.hpp",
}
TWO_INPUT_HEADER = "src/lanes/lut3_two_input.hpp"
NUM_STATEMENTS = 726  # of all 256 formulas together
BODY = re.compile(r" W of\([^)]*\) {\n    (.*?)\n  }\n};", re.DOTALL)
STATEMENT = re.compile(r"(?:const W (t\d) =|return) ([abct0-9&|^~(), ]|and_not)+;$")


def check_header(repository, script, header):
    command = [sys.executable, "-B", repository / "tools/circuits" / script]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        yield f"{script}: {run.stderr.strip()}"
    elif run.stdout != (repository / header).read_text():
        yield f"{header}: is not what {script} prints; run the script again"


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
    sys.path.insert(0, str(repository / "tools/circuits"))
    sys.dont_write_bytecode = True
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
    problems = [problem for script, header in HEADERS.items() for problem in check_header(repository, script, header)]
    problems += check_two_input(repository)
    print("\n".join(problems) if problems else f"{len(HEADERS) + 1} headers checked")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
