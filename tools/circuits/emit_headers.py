#!/usr/bin/env python3
"""Writes the headers of circuits in src/engine/ciphers/ from the circuits beside this file, after proving each on all inputs of its box.

usage: emit_headers.py [--check] [HEADER...]      by default, all; --check compares instead of writing, and exits 1 if one differs
"""

import contextlib
import dataclasses
import io
import pathlib
import sys
import typing

from boxes import boxes_of
from circuit_text import check, read_circuits

FOLDER = pathlib.Path(__file__).parent
CIPHERS = FOLDER.parent.parent / "src/engine/ciphers"


class Header(typing.NamedTuple):
    family: str
    data: str
    emit: typing.Callable  # prints the declarations, given the circuits and whether they are of two-input operations
    includes: list
    title: str

    @property
    def two_input(self):
        return "two_input" in self.data or self.family in ("twofish", "serpent_early")


def gates_of(circuit, two_input):
    return f"{len(circuit.gates)} {'operations' if two_input else 'lookups'}"


def word(two_input):
    """The template parameter: of two overloads, the one of two-input operations is for the words that lack the lookup."""
    return "LacksLut3 W" if two_input else "class W"


def emit_des(circuits, two_input):
    if not two_input:
        print("\n/// The four output bits of an S-box, y1 the most significant.")
        print("template <class W>\nstruct SBoxOutput {\n  W y1, y2, y3, y4;\n};")
    for circuit in circuits:
        print(f"\n/// {gates_of(circuit, two_input)}.")
        print(f"template <{word(two_input)}>")
        print(f"PHALANX_INLINE SBoxOutput<W> des_{circuit.box.name.lower()}(W a1, W a2, W a3, W a4, W a5, W a6) {{")
        circuit.print_gates("  ")
        print(f"  return {{{', '.join(circuit.outputs)}}};\n}}")
    if not two_input:
        print("\n/// Of two S-boxes.\ntemplate <class W>\nstruct TwoSBoxOutputs {\n  SBoxOutput<W> first, second;\n};")
        for first, second in zip(circuits[::2], circuits[1::2]):
            emit_des_pair(first, second)


def emit_des_pair(first, second):
    """Both circuits in one function, gate by gate in turn: so more gates that need not wait for each other are within reach."""
    names = {name: "b" + name[1:] for name in second.box.inputs} | {gate.result: "u" + gate.result[1:] for gate in second.gates}
    gates = [(i / len(first.gates), 0, gate) for i, gate in enumerate(first.gates)]
    gates += [(i / len(second.gates), 1, gate.renamed(names)) for i, gate in enumerate(second.gates)]
    print(f"\n/// {first.box.name} of a1 to a6 and {second.box.name} of b1 to b6, gate by gate in turn.")
    parameters = ", ".join(f"W {name}" for name in [*first.box.inputs, *(names[name] for name in second.box.inputs)])
    print(f"template <class W>\nPHALANX_INLINE TwoSBoxOutputs<W> des_{first.box.name.lower()}_{second.box.name.lower()}({parameters}) {{")
    for _, _, gate in sorted(gates, key=lambda place: place[:2]):
        print(f"  const W {gate.result} = {gate.formula()};")
    print(f"  return {{{{{', '.join(first.outputs)}}}, {{{', '.join(names[name] for name in second.outputs)}}}}};\n}}")


def emit_in_struct(circuit, declaration, comment):
    print(f"\n/// {comment}.")
    print(f"template <>\nstruct {declaration} {{")
    print("  template <class W>\n  static PHALANX_INLINE void apply(W x[4]) {")
    circuit.print_in_place("    ")
    print("  }\n};")


def emit_serpent(circuits, two_input):
    struct = "SerpentTwoInputBox" if two_input else "SerpentBox"
    print("\n/// apply(x) puts the bits of the words x[0] to x[3], x[0] the least significant, through an S-box (encrypt) or its inverse.")
    print(f"template <unsigned box, Direction direction>\nstruct {struct};")
    for circuit in circuits:
        kind, number = circuit.box.name
        what = f"{'The inverse of ' if kind == 'I' else ''}S{number}: {gates_of(circuit, two_input)}"
        emit_in_struct(circuit, f"{struct}<{number}, Direction::{'de' if kind == 'I' else 'en'}crypt>", what)


def emit_serpent_round(circuits, two_input):
    print("\n/// S-box `box` or its inverse of words and the keys to be added to them.")
    print("template <unsigned box, Direction direction>\nstruct SerpentKeyedBox;")
    for circuit in circuits:
        kind, number = circuit.box.name
        encrypts = kind == "S"
        print(f"\n/// {'' if encrypts else 'The inverse of '}S{number}: {gates_of(circuit, two_input)}.")
        print(f"template <>\nstruct SerpentKeyedBox<{number}, Direction::{'en' if encrypts else 'de'}crypt> {{")
        if encrypts:
            print("  /// x[0] and x[2] without their keys k0 and k2. make_addends(y0, y2, e) sets e to what is added to y1 and y3.")
            print("  template <class W, class MakeAddends>")
            print("  static PHALANX_INLINE void apply(W x[4], W k0, W k2, MakeAddends make_addends, W e[2]) {")
        else:
            print("  template <class W>\n  static PHALANX_INLINE void apply(W x[4], const W k[4]) {")
        print_serpent_round(circuit, "    ", encrypts)
        print("  }\n};")


def print_serpent_round(circuit, indent, encrypts):
    for i in range(4):
        print(f"{indent}const W x{i} = x[{i}];")
    if encrypts:
        last_two = circuit.gates[-2:]
        dataclasses.replace(circuit, gates=circuit.gates[:-2]).print_gates(indent)
        print(f"{indent}make_addends({circuit.outputs[0]}, {circuit.outputs[2]}, e);")
        print(f"{indent}const W e1 = e[0];\n{indent}const W e3 = e[1];")
        dataclasses.replace(circuit, gates=last_two).print_gates(indent)
    else:
        for i in range(4):
            print(f"{indent}const W k{i} = k[{i}];")
        circuit.print_gates(indent)
    for i, name in enumerate(circuit.outputs):
        print(f"{indent}x[{i}] = {name};")


def emit_serpent_early(circuits, two_input):
    print("\n/// apply(x) puts the bits of the words x[0] to x[3], x[0] the least significant, through an S-box.")
    print("template <unsigned box>\nstruct SerpentEarlyBox;")
    for circuit in circuits:
        number = circuit.box.name[1]
        emit_in_struct(circuit, f"SerpentEarlyBox<{number}>", f"S{number}: {gates_of(circuit, two_input)}")


def emit_twofish(circuits, two_input):
    print("\n/// apply(x) puts a nibble, x[0] its least significant bit, through box t of permutation q.")
    print("template <unsigned q, unsigned t>\nstruct TwofishBox;")
    for circuit in circuits:
        _, q, _, t = circuit.box.name
        emit_in_struct(circuit, f"TwofishBox<{q}, {t}>", f"t{t} of q{q}: {gates_of(circuit, two_input)}")


def emit_aes(circuits, two_input):
    functions = {"S": ("aes_s_box", "SBOX(), section 5.1.1"), "I": ("aes_inverse_s_box", "INVSBOX(), section 5.3.2")}
    for circuit in circuits:
        name, section = functions[circuit.box.name]
        print(f"\n/// {section}: {gates_of(circuit, two_input)}. x[7] is the most significant bit of the byte.")
        print(f"template <{word(two_input)}>")
        print(f"PHALANX_INLINE void {name}(W x[8]) {{")
        circuit.print_in_place("  ")
        print("}")


WORD = "engine/lanes/lane_word.hpp"
DIRECTION = "engine/ciphers/direction.hpp"
HEADERS = {
    "des_sbox_circuits.hpp": Header("des", "des_circuits.txt", emit_des, [WORD], "The S-boxes of FIPS 46-3"),
    "des_sbox_two_input_circuits.hpp": Header(
        "des", "des_two_input_circuits.txt", emit_des, ["engine/ciphers/des/circuits/des_sbox_circuits.hpp"], "The S-boxes of FIPS 46-3"
    ),
    "serpent_sbox_circuits.hpp": Header(
        "serpent", "serpent_circuits.txt", emit_serpent, [DIRECTION, WORD], "Serpent's S-boxes and their inverses"
    ),
    "serpent_sbox_two_input_circuits.hpp": Header(
        "serpent", "serpent_two_input_circuits.txt", emit_serpent, [DIRECTION, WORD], "Serpent's S-boxes and their inverses"
    ),
    "serpent_round_circuits.hpp": Header(
        "serpent_round", "serpent_round_circuits.txt", emit_serpent_round, [DIRECTION, WORD], "Serpent's S-boxes inside a round"
    ),
    "serpent_early_circuits.hpp": Header(
        "serpent_early", "serpent_early_circuits.txt", emit_serpent_early, [WORD], "Serpent's S-boxes, their outputs as early as can be,"
    ),
    "twofish_box_circuits.hpp": Header(
        "twofish", "twofish_circuits.txt", emit_twofish, ["engine/bytes/inline.hpp"], "The four-bit boxes of Twofish's q0 and q1"
    ),
    "aes_sbox_circuit.hpp": Header("aes", "aes_circuits.txt", emit_aes, [WORD], "The S-box of FIPS 197 and its inverse"),
    "aes_sbox_two_input_circuit.hpp": Header(
        "aes", "aes_two_input_circuits.txt", emit_aes, ["engine/ciphers/aes/circuits/aes_sbox_circuit.hpp"], "The S-box of FIPS 197 and its inverse"
    ),
}


def read(header):
    """The circuits of a header, all proven, and when and how they were found."""
    boxes = boxes_of(header.family)
    circuits, found = read_circuits(FOLDER / header.data, boxes)
    if [circuit.box.name for circuit in circuits] != list(boxes):
        sys.exit(f"{header.data}: must have one circuit for each of {', '.join(boxes)}, in this order")
    check(circuits)
    return circuits, found


def counts(circuits):
    """The numbers of gates, as `S: 7 + 8 = 15; I: 7 + 7 = 14`: by kind of box where there are inverses."""
    kinds = {}
    for circuit in circuits:
        kinds.setdefault(circuit.box.name[0], []).append(len(circuit.gates))
    sums = {kind: f"{' + '.join(map(str, each))} = {sum(each)}" if len(each) > 1 else each[0] for kind, each in kinds.items()}
    return "; ".join(f"{kind}: {text}" for kind, text in sums.items())


def text_of(header):
    circuits, found = read(header)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        unit = "two-input operations" if header.two_input else "three-input lookups"
        print(f"// Generated by tools/circuits/emit_headers.py from {header.data}. Do not edit.\n//")
        print(f"// {header.title} as {unit}, proven on all inputs.")
        print(f"// Gates of each: {counts(circuits)}.")
        print(f"// {found}")
        print("#pragma once\n\n" + "\n".join(f'#include "{name}"' for name in header.includes))
        print("\nnamespace phalanx {\nnamespace {")
        header.emit(circuits, header.two_input)
        print("\n}  // namespace\n}  // namespace phalanx")
    return printed.getvalue()


def main():
    arguments = sys.argv[1:]
    only_check = "--check" in arguments
    names = [name for name in arguments if name != "--check"] or list(HEADERS)
    if any(name not in HEADERS for name in names):
        sys.exit(f"usage: emit_headers.py [--check] [{'|'.join(HEADERS)}]...")
    differing = []
    for name in names:
        text = text_of(HEADERS[name])
        path = CIPHERS / HEADERS[name].family.split("_")[0] / "circuits" / name
        if not only_check:
            path.write_text(text)
        elif path.read_text() != text:
            differing.append(name)
    for name in differing:
        print(f"{name}: is not what emit_headers.py writes; run it again")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
