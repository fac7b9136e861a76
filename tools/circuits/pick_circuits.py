#!/usr/bin/env python3
"""Picks the best circuits that a search left in its pool.

usage: pick_circuits.py FAMILY POOL      prints, for each box, the smallest circuit, its gates ordered for few live values
"""

import pathlib
import sys

from boxes import boxes_of
from circuit_text import check, read_circuits
from gate_order import ordered


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: pick_circuits.py FAMILY POOL")
    boxes = boxes_of(sys.argv[1])
    for name in boxes:
        path = pathlib.Path(sys.argv[2]) / f"{name}.txt"
        circuits, _ = read_circuits(path, boxes)
        check(circuits)
        smallest = min(len(circuit.gates) for circuit in circuits)
        candidates = [ordered(circuit) for circuit in circuits if len(circuit.gates) == smallest]
        circuit, _ = min(candidates, key=lambda candidate: candidate[1])
        check([circuit])
        print(circuit.text())


if __name__ == "__main__":
    main()
