#!/usr/bin/env python3
"""Writes the DES boxes of three-input lookups as one header of plain C for other programs, each proven on all inputs.

usage: write_c_circuits.py OUT.h

The header needs nothing else of this repository and says in its first lines how to use it. It has a function for each
box. For those who define DES_LUT3_SELF_CHECK it has a program that compares every box with the tables of FIPS 46-3.
"""

import contextlib
import io
import pathlib
import sys

from boxes import DES
from emit_headers import HEADERS, counts, read

HEAD = """\
// The S-boxes of DES as three-input lookups: {counts}.
//
// {found}
// Written by tools/circuits/write_c_circuits.py of Phalanx, which proved each box on all inputs.
// Copyright 2026 The Phalanx authors. SPDX-License-Identifier: Apache-2.0
//
// a1 to a6 are the bits of a box's input and y1 to y4 those of its output, as FIPS 46-3 numbers them, from the left.
// Bit 4a + 2b + c of a table is the result for a, b and c: the immediates of VPTERNLOG and LOP3 are counted in the same way.
//
// A program may define these before it includes the header:
//   DES_LUT3_WORD                         the type of a word; whoever defines DES_LUT3 defines it too
//   DES_LUT3(result, a, b, c, table)      a statement that looks up; `table` is a hexadecimal number
//   DES_LUT3_OUTPUT(pointer, value)       stores an output; *(pointer) ^= (value) adds it to what is there
//   DES_LUT3_FUNCTION                     what stands before each function
//
// Self check: cc -D DES_LUT3_SELF_CHECK -x c THIS_FILE -o des_lut3_check && ./des_lut3_check
#ifndef DES_LUT3_H
#define DES_LUT3_H
"""

OPERATIONS = r"""
#ifndef DES_LUT3
#if defined(__CUDACC__)
#define DES_LUT3_WORD unsigned int
#define DES_LUT3(result, a, b, c, table) \
  __asm__("lop3.b32 %0, %1, %2, %3, " #table ";" : "=r"(result) : "r"(a), "r"(b), "r"(c))
#elif defined(__AVX512F__)
#include <immintrin.h>
#define DES_LUT3_WORD __m512i
#define DES_LUT3(result, a, b, c, table) ((result) = _mm512_ternarylogic_epi64(a, b, c, table))
#else
#define DES_LUT3_WORD unsigned long long
#define DES_LUT3_ROW(table, row, product) ((table) >> (row) & 1 ? (product) : 0)
#define DES_LUT3(result, a, b, c, table)                                                              \
  ((result) = DES_LUT3_ROW(table, 0, ~(a) & ~(b) & ~(c)) | DES_LUT3_ROW(table, 1, ~(a) & ~(b) & (c)) | \
              DES_LUT3_ROW(table, 2, ~(a) & (b) & ~(c)) | DES_LUT3_ROW(table, 3, ~(a) & (b) & (c)) |   \
              DES_LUT3_ROW(table, 4, (a) & ~(b) & ~(c)) | DES_LUT3_ROW(table, 5, (a) & ~(b) & (c)) |   \
              DES_LUT3_ROW(table, 6, (a) & (b) & ~(c)) | DES_LUT3_ROW(table, 7, (a) & (b) & (c)))
#endif
#endif

#ifndef DES_LUT3_OUTPUT
#define DES_LUT3_OUTPUT(pointer, value) (*(pointer) = (value))
#endif

#ifndef DES_LUT3_FUNCTION
#if defined(__CUDACC__)
#define DES_LUT3_FUNCTION static __device__ __forceinline__
#else
#define DES_LUT3_FUNCTION static inline
#endif
#endif
"""

CHECK = r"""
#ifdef DES_LUT3_SELF_CHECK
#include <stdio.h>
#include <string.h>

// FIPS 46-3, appendix 1: four rows of sixteen for each box.
static const unsigned char des_lut3_tables[8][4][16] = {
%(tables)s};

typedef void (*des_lut3_box)(%(inputs)s,
                             %(outputs)s);
static const des_lut3_box des_lut3_boxes[8] = {
    %(names)s};

// The outputs of a box at one input, which stands in all bits of the words; -1 where the bits of a word differ.
static int des_lut3_value(des_lut3_box box, int input) {
  DES_LUT3_WORD a[6], y[4], zeros, ones;
  int i, value = 0;
  memset(&zeros, 0, sizeof zeros);
  memset(&ones, 0xff, sizeof ones);
  for (i = 0; i < 6; ++i) a[i] = input >> (5 - i) & 1 ? ones : zeros;
  for (i = 0; i < 4; ++i) y[i] = zeros;
  box(a[0], a[1], a[2], a[3], a[4], a[5], &y[0], &y[1], &y[2], &y[3]);
  for (i = 0; i < 4; ++i) {
    const int is_one = memcmp(&y[i], &ones, sizeof ones) == 0;
    if (!is_one && memcmp(&y[i], &zeros, sizeof zeros) != 0) return -1;
    value = value << 1 | is_one;
  }
  return value;
}

int main(void) {
  int box, input, num_wrong = 0;
  for (box = 0; box < 8; ++box) {
    for (input = 0; input < 64; ++input) {
      // a1 and a6 are the row, a2 to a5 the column.
      const int row = (input >> 5) << 1 | (input & 1), column = input >> 1 & 15;
      const int expected = des_lut3_tables[box][row][column];
      const int value = des_lut3_value(des_lut3_boxes[box], input);
      if (value == expected) continue;
      printf("S%%d is wrong at input %%d: %%d, not %%d\n", box + 1, input, value, expected);
      ++num_wrong;
    }
  }
  if (num_wrong == 0) printf("all 8 boxes are right at all 64 inputs\n");
  return num_wrong != 0;
}
#endif  // DES_LUT3_SELF_CHECK
"""


def function_name(circuit):
    return f"des_lut3_{circuit.box.name.lower()}"


def print_function(circuit):
    inputs = ", ".join(f"DES_LUT3_WORD {name}" for name in circuit.box.inputs)
    outputs = ", ".join(f"DES_LUT3_WORD *{name}" for name in circuit.box.outputs)
    print(f"\n// {len(circuit.gates)} lookups.")
    print(f"DES_LUT3_FUNCTION void {function_name(circuit)}(\n    {inputs},\n    {outputs}) {{")
    print(f"  DES_LUT3_WORD {', '.join(gate.result for gate in circuit.gates)};")
    for gate in circuit.gates:
        print(f"  DES_LUT3({gate.result}, {', '.join(gate.operands)}, 0x{gate.table:02x});")
    for name, value in zip(circuit.box.outputs, circuit.outputs):
        print(f"  DES_LUT3_OUTPUT({name}, {value});")
    print("}")


def table_rows():
    """The numbers as the standard prints them; the check finds rows and columns by itself."""
    numbers = DES.split()
    for box in range(8):
        rows = [", ".join(numbers[64 * box + 16 * row :][:16]) for row in range(4)]
        yield "    {" + ",\n     ".join(f"{{{row}}}" for row in rows) + "},\n"


def text_of_header():
    circuits, found = read(HEADERS["des_sbox_circuits.hpp"])
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        print(HEAD.format(counts=counts(circuits).removeprefix("S: "), found=found) + OPERATIONS, end="")
        for circuit in circuits:
            print_function(circuit)
        inputs, outputs = ", ".join(["DES_LUT3_WORD"] * 6), ", ".join(["DES_LUT3_WORD *"] * 4)
        names = ", ".join(map(function_name, circuits))
        print(CHECK % {"tables": "".join(table_rows()), "inputs": inputs, "outputs": outputs, "names": names}, end="")
        print("\n#endif  // DES_LUT3_H")
    return printed.getvalue()


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: write_c_circuits.py OUT.h")
    pathlib.Path(sys.argv[1]).write_text(text_of_header())


if __name__ == "__main__":
    main()
