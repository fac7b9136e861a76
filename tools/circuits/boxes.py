#!/usr/bin/env python3
"""The boxes of the ciphers, from their standards.

Run: boxes.py FAMILY       prints the boxes of des, serpent, serpent_round, twofish or aes in the form that the search reads
"""

import sys
import typing


class Box(typing.NamedTuple):
    """`values` holds an output for each input. Names are listed as the standard does: the least significant bit first, or last."""

    name: str
    inputs: list
    outputs: list
    lowest_first: bool
    values: list

    def places(self, names):
        """(name, its bit's place in the number) for the inputs or the outputs."""
        return [(name, i if self.lowest_first else len(names) - 1 - i) for i, name in enumerate(names)]


# FIPS 46-3, appendix 1: four rows of sixteen, row = a1 a6, column = a2 a3 a4 a5.
DES = """
14 4 13 1 2 15 11 8 3 10 6 12 5 9 0 7  0 15 7 4 14 2 13 1 10 6 12 11 9 5 3 8
4 1 14 8 13 6 2 11 15 12 9 7 3 10 5 0  15 12 8 2 4 9 1 7 5 11 3 14 10 0 6 13
15 1 8 14 6 11 3 4 9 7 2 13 12 0 5 10  3 13 4 7 15 2 8 14 12 0 1 10 6 9 11 5
0 14 7 11 10 4 13 1 5 8 12 6 9 3 2 15  13 8 10 1 3 15 4 2 11 6 7 12 0 5 14 9
10 0 9 14 6 3 15 5 1 13 12 7 11 4 2 8  13 7 0 9 3 4 6 10 2 8 5 14 12 11 15 1
13 6 4 9 8 15 3 0 11 1 2 12 5 10 14 7  1 10 13 0 6 9 8 7 4 15 14 3 11 5 2 12
7 13 14 3 0 6 9 10 1 2 8 5 11 12 4 15  13 8 11 5 6 15 0 3 4 7 2 12 1 10 14 9
10 6 9 0 12 11 7 13 15 1 3 14 5 2 8 4  3 15 0 6 10 1 13 8 9 4 5 11 12 7 2 14
2 12 4 1 7 10 11 6 8 5 3 15 13 0 14 9  14 11 2 12 4 7 13 1 5 0 15 10 3 9 8 6
4 2 1 11 10 13 7 8 15 9 12 5 6 3 0 14  11 8 12 7 1 14 2 13 6 15 0 9 10 4 5 3
12 1 10 15 9 2 6 8 0 13 3 4 14 7 5 11  10 15 4 2 7 12 9 5 6 1 13 14 0 11 3 8
9 14 15 5 2 8 12 3 7 0 4 10 1 13 11 6  4 3 2 12 9 5 15 10 11 14 1 7 6 0 8 13
4 11 2 14 15 0 8 13 3 12 9 7 5 10 6 1  13 0 11 7 4 9 1 10 14 3 5 12 2 15 8 6
1 4 11 13 12 3 7 14 10 15 6 8 0 5 9 2  6 11 13 8 1 4 10 7 9 5 0 15 14 2 3 12
13 2 8 4 6 15 11 1 10 9 3 14 5 0 12 7  1 15 13 8 10 3 7 4 12 5 6 11 0 14 9 2
7 11 4 1 9 12 14 2 0 6 10 13 15 3 5 8  2 1 14 7 4 10 8 13 15 12 9 0 3 5 6 11
"""

# R. Anderson, E. Biham, L. Knudsen, "Serpent: A Proposal for the Advanced Encryption Standard", 1998, appendix A: S0 to S7.
SERPENT = [
    [3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12],
    [15, 12, 2, 7, 9, 0, 5, 10, 1, 11, 14, 8, 6, 13, 3, 4],
    [8, 6, 7, 9, 3, 12, 10, 15, 13, 1, 14, 4, 0, 11, 5, 2],
    [0, 15, 11, 8, 12, 9, 6, 3, 13, 1, 2, 4, 10, 7, 5, 14],
    [1, 15, 8, 3, 12, 0, 11, 6, 2, 5, 4, 10, 9, 14, 7, 13],
    [15, 5, 2, 11, 4, 10, 9, 12, 0, 3, 14, 8, 13, 6, 7, 1],
    [7, 2, 12, 5, 8, 4, 6, 11, 14, 9, 1, 15, 13, 3, 10, 0],
    [1, 13, 15, 0, 14, 8, 2, 11, 7, 4, 12, 10, 9, 3, 5, 6],
]

# B. Schneier, J. Kelsey, D. Whiting, D. Wagner, C. Hall, N. Ferguson, "Twofish: A 128-Bit Block Cipher", 1998, section 4.3.5:
# t0 to t3 of q0 and of q1, a hexadecimal digit an entry.
TWOFISH = {
    "q0": ["817d6f320b59eca4", "ecb81235f4a6709d", "ba5e6d90c8f32471", "d7f4126e9b3085ca"],
    "q1": ["28bdf76e31940ac5", "1e2b4c376da5f908", "4c75169a0ed82b3f", "b951c3de647f208a"],
}


def names(letter, first, last):
    return [f"{letter}{i}" for i in range(first, last + 1)]


def inverse(values):
    return [values.index(y) for y in range(len(values))]


def des_boxes():
    numbers = [int(word) for word in DES.split()]
    for box in range(8):
        values = [numbers[64 * box + 16 * (x >> 5 << 1 | x & 1) + (x >> 1 & 15)] for x in range(64)]
        yield Box(f"S{box + 1}", names("a", 1, 6), names("y", 1, 4), False, values)


def serpent_boxes():
    """S0 to S7 and their inverses I0 to I7."""
    for name, boxes in ("S", SERPENT), ("I", [inverse(box) for box in SERPENT]):
        for i, values in enumerate(boxes):
            yield Box(f"{name}{i}", names("x", 0, 3), names("y", 0, 3), True, values)


def serpent_round_boxes():
    """The boxes with what surrounds them in src/engine/ciphers/serpent/serpent_keyed_core.hpp: inputs that are sums with a key, and sums of two
    of the outputs."""
    for box in serpent_boxes():
        keys, addends = (["k0", "k2"], ["e1", "e3"]) if box.name[0] == "S" else (names("k", 0, 3), [])
        inputs = [*box.inputs, *keys, *addends]

        def value(number, inputs=inputs, box=box):
            bit = {name: number >> i & 1 for i, name in enumerate(inputs)}
            y = box.values[sum((bit[f"x{i}"] ^ bit.get(f"k{i}", 0)) << i for i in range(4))]
            return y ^ sum(bit.get(f"e{i}", 0) << i for i in range(4))

        yield Box(box.name, inputs, box.outputs, True, [value(number) for number in range(1 << len(inputs))])


def twofish_boxes():
    for q, boxes in TWOFISH.items():
        for t, digits in enumerate(boxes):
            yield Box(f"{q}t{t}", names("x", 0, 3), names("y", 0, 3), True, [int(digit, 16) for digit in digits])


def times(a, b):
    """Product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1 (FIPS 197, section 4.2)."""
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a = a << 1 ^ (0x11B if a & 0x80 else 0)
        b >>= 1
    return product


def aes_s_box(x):
    """FIPS 197 section 5.1.1: the inverse in GF(2^8), then b'_i = b_i + b_(i+4) + b_(i+5) + b_(i+6) + b_(i+7) + c_i."""
    b = next((y for y in range(256) if times(x, y) == 1), 0)
    return sum(
        ((b >> i ^ b >> (i + 4) % 8 ^ b >> (i + 5) % 8 ^ b >> (i + 6) % 8 ^ b >> (i + 7) % 8 ^ 0x63 >> i) & 1) << i
        for i in range(8)
    )


def aes_boxes():
    """S and its inverse I."""
    values = [aes_s_box(x) for x in range(256)]
    for name, box in ("S", values), ("I", inverse(values)):
        yield Box(name, names("x", 0, 7), names("y", 0, 7), False, box)


def serpent_early_boxes():
    """The boxes alone, without their inverses, for src/engine/ciphers/serpent/serpent_serial.hpp."""
    return [box for box in serpent_boxes() if box.name[0] == "S"]


FAMILIES = {
    "des": des_boxes,
    "serpent": serpent_boxes,
    "serpent_round": serpent_round_boxes,
    "serpent_early": serpent_early_boxes,
    "twofish": twofish_boxes,
    "aes": aes_boxes,
}


def boxes_of(family):
    """{name: Box}"""
    return {box.name: box for box in FAMILIES[family]()}


def numbered_as_listed(box):
    """The values if the first name of each list is the least significant bit."""
    if box.lowest_first:
        return box.values

    def reverse(x, num_bits):
        return int(format(x, f"0{num_bits}b")[::-1], 2)

    return [reverse(box.values[reverse(x, len(box.inputs))], len(box.outputs)) for x in range(len(box.values))]


def search_text(boxes):
    """The boxes as the search reads them: the first name listed is the least significant bit."""
    lines = []
    for box in boxes:
        values = " ".join(map(str, numbered_as_listed(box)))
        lines += [f"box {box.name}", "inputs " + " ".join(box.inputs), "outputs " + " ".join(box.outputs), "values " + values, ""]
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in FAMILIES:
        sys.exit(f"usage: boxes.py {'|'.join(FAMILIES)}")
    print(search_text(FAMILIES[sys.argv[1]]()))
