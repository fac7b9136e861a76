"""Runs the program phalanx: python -m phalanx is the same command line."""

import os
import sys

from ._native import run_program

if __name__ == "__main__":
    sys.exit(run_program([b"phalanx", *(os.fsencode(word) for word in sys.argv[1:])]))
