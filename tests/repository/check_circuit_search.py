#!/usr/bin/env python3
"""Runs one stage of the search of circuits until it has found what it should, and checks what it finds.

usage: check_circuit_search.py REPOSITORY PROGRAMS walk2|walk3|derive|exact|windows       exits 0 if it finds what it should

A search goes on from what it found before, with more time in each round: one is enough, but where a machine is slow or busy.
"""

import pathlib
import subprocess
import sys
import tempfile

STAGES = {  # the command's words, the box, and the most gates that it may need: far more than a longer search leaves
    "walk2": (["walk", "serpent", "2", "--only", "S0", "--pace", "0.05"], "S0", 18),
    "walk3": (["walk", "des", "3", "--only", "S4", "--pace", "0.05"], "S4", 36),
    "derive": (["derive", "aes", "2"], "I", 150),
    "exact": (["exact", "serpent", "3", "--only", "S0"], "S0", 7),
    "windows": (["windows", "serpent", "3", "--only", "S0"], "S0", 9),
}
MOST_ROUNDS = 30
SECONDS_MORE = 0.5  # in each round than in the one before


def main():
    repository, programs, stage = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    tools = repository / "tools/circuits"
    sys.path.insert(0, str(tools))
    sys.dont_write_bytecode = True
    from boxes import boxes_of
    from circuit_text import read_circuits

    words, name, most_gates = STAGES[stage]
    with tempfile.TemporaryDirectory() as pool:
        if stage == "windows":  # start from a circuit of two-input gates, which three-input gates shorten
            kept, _ = read_circuits(tools / "serpent_two_input_circuits.txt", boxes_of("serpent"))
            pathlib.Path(pool, "S0.txt").write_text(kept[0].text())
        command = [sys.executable, "-B", tools / "search_circuits.py", *words, "--programs", programs, "--pool", pool, "--threads", "1"]
        for turn in range(1, MOST_ROUNDS + 1):
            how = ["--seed", str(turn), "--seconds", str(SECONDS_MORE * turn)]
            run = subprocess.run([*command, *how], capture_output=True, text=True, check=False)
            print(run.stdout + run.stderr)
            if run.returncode != 0:
                return 1
            circuits, _ = read_circuits(pathlib.Path(pool, f"{name}.txt"), boxes_of(words[1]))
            if any(circuit.wrong_input() is not None for circuit in circuits):
                print(f"{name}: a wrong circuit")
                return 1
            if min(len(circuit.gates) for circuit in circuits) <= most_gates:
                break
        else:
            print(f"{name}: more than {most_gates} gates after {MOST_ROUNDS} rounds")
            return 1
        if stage == "exact" and f"{name}: impossible with 6" not in run.stdout:
            print("no proof that six gates are too few")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
