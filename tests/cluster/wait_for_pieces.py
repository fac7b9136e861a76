#!/usr/bin/env python3
"""What holds a rank up: returns when OUT.phalanx-partial holds so many pieces, by their first bytes."""

import sys
import time

PIECE = 1 << 20


def num_pieces():
    try:
        with open("OUT.phalanx-partial", "rb") as file:
            size = file.seek(0, 2)
            count = 0
            for position in range(0, size, PIECE):
                file.seek(position)
                count += any(file.read(16))
            return count
    except FileNotFoundError:  # complete, and renamed
        return sys.maxsize


while num_pieces() < int(sys.argv[1]):
    time.sleep(0.01)
