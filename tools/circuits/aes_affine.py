"""The inverse AES S-box from the S-box.

FIPS 197 defines S(x) = A(x^-1) with an affine map A over bits, so with B the inverse of A: InvS(y) = (B(y))^-1 and
z^-1 = B(S(z)), hence InvS(y) = B(S(B(y))). Every bit of B is the sum of three bits and a constant: one lookup.
"""

from circuit_text import Circuit, Gate

XOR3, XNOR3 = 0x96, 0x69


def inverse_affine(inputs, prefix):
    """B as gates over the names `inputs`, most significant bit first: b_i = y_(i+2) + y_(i+5) + y_(i+7) + d_i, d = 0x05."""
    gates = []
    for place in range(8):
        i = 7 - place
        operands = [inputs[7 - (i + step) % 8] for step in (2, 5, 7)]
        gates.append(Gate(f"{prefix}{place}", operands, XNOR3 if 0x05 >> i & 1 else XOR3))
    return gates, [gate.result for gate in gates]


def inverse_by_affine_maps(circuit, box):
    """B, the S-box, B: 16 gates more than the S-box."""
    first, names = inverse_affine(box.inputs, "b")
    middle = [gate.renamed(dict(zip(box.inputs, names))) for gate in circuit.gates]
    last, outputs = inverse_affine(circuit.outputs, "z")
    return Circuit(box, first + middle + last, outputs)
