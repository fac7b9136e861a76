"""Derives circuits of the AES S-box and its inverse from the arithmetic of a tower of fields, as a start for the search.

x^-1 = x^16 / x^17, and x^17, the norm of x, lies in GF(16). In a normal basis (Y^16, Y) of GF(256) over GF(16), with
x = a Y^16 + b Y, raising to 16 exchanges a and b, so x^-1 = (b / N) Y^16 + (a / N) Y. A product in GF(16), itself seen over
GF(4) and that over GF(2), is nine products of sums of bits, by Karatsuba's method twice. What remains are sums, which are shared
by a greedy method, over many random bases, and the inversion of N, which find_circuits searches as any box of four bits.
"""

import itertools
import pathlib
import random
import subprocess
import tempfile

from boxes import Box, boxes_of, names, search_text, times
from circuit_text import OPERATIONS, Circuit, Gate, check, read_circuits

# The sums of the bits (h1, h0, l1, l0) of an element of GF(16) that Karatsuba multiplies.
FORMS = [0b1000, 0b0100, 0b1100, 0b0010, 0b0001, 0b0011, 0b1010, 0b0101, 0b1111]


def power(x, n):
    result = 1
    for _ in range(n):
        result = times(result, x)
    return result


def parity(x):
    return x.bit_count() & 1


def solve(columns, wanted):
    """The set of columns (a mask) whose XOR is `wanted`, or None."""
    basis = {}
    for i, column in enumerate(columns):
        mask = 1 << i
        while column and column.bit_length() in basis:
            other, other_mask = basis[column.bit_length()]
            column ^= other
            mask ^= other_mask
        if column:
            basis[column.bit_length()] = column, mask
    mask = 0
    while wanted:
        if wanted.bit_length() not in basis:
            return None
        column, used = basis[wanted.bit_length()]
        wanted ^= column
        mask ^= used
    return mask


class Tower:
    """A basis of GF(256): elements times e[0..7], e[0..3] the top half a."""

    def __init__(self, y, z, w):
        y16, z4, w2 = power(y, 16), power(z, 4), power(w, 2)
        self.small = [times(z4, w2), times(z4, w), times(z, w2), times(z, w)]  # h1 h0 l1 l0
        self.basis = [times(e, y16) for e in self.small] + [times(e, y) for e in self.small]

    def is_one(self):
        return all(solve(self.basis, 1 << i) is not None for i in range(8))

    def coordinates(self, x):
        """As 8 bits, h1 of the top half the highest."""
        mask = solve(self.basis, x)
        return sum((mask >> i & 1) << (7 - i) for i in range(8))

    def small_coordinates(self, x):
        mask = solve(self.small, x)
        return sum((mask >> i & 1) << (3 - i) for i in range(4))


def random_tower(generator):
    elements = list(range(2, 256))
    while True:
        y = generator.choice(elements)
        z = generator.choice([x for x in elements if power(x, 16) == x])
        w = generator.choice([x for x in elements if power(x, 4) == x])
        tower = Tower(y, z, w)
        if tower.is_one():
            return tower


def share_sums(sums):
    """Paar's greedy method: as long as a pair of terms occurs in several sums it becomes one term.

    `sums`: sets of terms. Returns ([(new term, term, term)], the sums, each of one term or none).
    """
    sums = [set(terms) for terms in sums]
    added = []
    while True:
        count = {}
        for terms in sums:
            for pair in itertools.combinations(sorted(terms, key=str), 2):
                count[pair] = count.get(pair, 0) + 1
        if not count:
            return added, sums
        most = max(count.values())
        pair = random.choice([pair for pair, times_seen in count.items() if times_seen == most])
        name = f"s{len(added)}_{pair[0]}"
        added.append((name, *pair))
        for terms in sums:
            if terms.issuperset(pair):
                terms.difference_update(pair)
                terms.add(name)


def linear_rows(function, num_bits):
    """The rows of a linear function of 8 bits: for each output bit, from the highest, the mask of its input bits."""
    images = [function(1 << i) for i in range(8)]
    return [sum((images[i] >> bit & 1) << i for i in range(8)) for bit in reversed(range(num_bits))]


class Derivation:
    """The sums and products of one box in one basis. `before` and `after` are affine maps around the inversion."""

    def __init__(self, tower, before, after):
        self.tower, self.after = tower, after
        self.shift = tower.coordinates(before(0)) if before(0) else 0
        rows = linear_rows(lambda x: tower.coordinates(before(x) ^ before(0)), 8)
        self.halves = [rows[:4], rows[4:]]
        self.constants = [self.shift >> 4, self.shift & 15]
        self.rows = rows
        self.find_norm()
        self.find_outputs()

    def form(self, half, form):
        """A sum of bits of one half: (mask of input bits, constant)."""
        mask = 0
        for i in range(4):
            if form >> (3 - i) & 1:
                mask ^= self.halves[half][i]
        return mask, parity(form & self.constants[half])

    def find_norm(self):
        """Each bit of N as products of forms and a sum of bits of x, both in coordinates."""
        def norm(c):
            x = 0
            for i in range(8):
                if c >> (7 - i) & 1:
                    x ^= self.tower.basis[i]
            return self.tower.small_coordinates(power(x, 17))

        positions = range(256)
        products = [sum((parity(c >> 4 & f) & parity(c & f)) << c for c in positions) for f in FORMS]
        bits = [sum((c >> (7 - i) & 1) << c for c in positions) for i in range(8)]
        tables = [norm(c) for c in positions]
        self.norm = []
        for bit in reversed(range(4)):
            mask = solve(products + bits, sum((y >> bit & 1) << c for c, y in enumerate(tables)))
            self.norm.append((mask & 511, mask >> 9))

    def norm_sum(self, j):
        """The part of bit j of N that is a sum of input bits: (mask, constant)."""
        mask = constant = 0
        for i in range(8):
            if self.norm[j][1] >> i & 1:
                mask ^= self.rows[i]
                constant ^= self.shift >> (7 - i) & 1
        return mask, constant

    def find_outputs(self):
        """Each output bit as a set of the 18 products r_i b_i and r_i a_i."""
        e = self.tower.small
        matrix = []
        for half, unit in enumerate((self.tower.basis[:4], self.tower.basis[4:])):
            ratio = times(unit[0], power(e[0], 254))
            for i, row in enumerate(self.product_rows()):
                matrix.append((f"q{half}{i}", times(ratio, row)))
        after0 = self.after(0)
        self.outputs = []
        for bit in reversed(range(8)):
            terms = {name for name, x in matrix if (self.after(x) ^ after0) >> bit & 1}
            self.outputs.append((terms, after0 >> bit & 1))

    def product_rows(self):
        """What each of the nine products of forms contributes to a product in GF(16)."""
        positions = range(256)
        products = [sum((parity(c >> 4 & f) & parity(c & f)) << c for c in positions) for f in FORMS]

        def element(c):
            return [x for i, x in enumerate(self.tower.small) if c >> (3 - i) & 1]

        def product(c):
            left = right = 0
            for x in element(c >> 4):
                left ^= x
            for x in element(c & 15):
                right ^= x
            return self.tower.small_coordinates(times(left, right))

        tables = [product(c) for c in positions]
        rows = [0] * 9
        for bit in range(4):
            mask = solve(products, sum((y >> bit & 1) << c for c, y in enumerate(tables)))
            for i in range(9):
                if mask >> i & 1:
                    rows[i] ^= self.tower.small[3 - bit]
        return rows

    def inversion(self):
        """1 / N as a box of four bits."""
        def invert(c):
            x = 0
            for i in range(4):
                if c >> (3 - i) & 1:
                    x ^= self.tower.small[i]
            return self.tower.small_coordinates(power(x, 254)) if x else 0

        return Box("inversion", names("n", 0, 3), names("r", 0, 3), False, [invert(c) for c in range(16)])

    def plan(self):
        """(the sums over inputs, those over products of forms into N, those into the outputs), shared, and their cost."""
        bits = lambda mask: {f"x{7 - i}" for i in range(8) if mask >> i & 1}  # noqa: E731
        top = [bits(self.form(half, f)[0]) for half in (0, 1) for f in FORMS] + [bits(self.norm_sum(j)[0]) for j in range(4)]
        middle = [{f"m{i}" for i in range(9) if self.norm[j][0] >> i & 1} for j in range(4)]
        plans = [share_sums(top), share_sums(middle), share_sums([terms for terms, _ in self.outputs])]
        return plans, sum(len(added) for added, _ in plans)

    def circuit(self, box, plans, inversion):
        """The gates, in order; constants become NOTs, which the search takes in."""
        gates = []
        values = {}

        def emit(name, operation, *operands):
            gates.append(Gate(name, list(operands), OPERATIONS[operation]))
            return name

        def emit_sums(plan, prefix):
            renamed = {}
            for name, x, y in plan[0]:
                renamed[name] = emit(f"{prefix}{len(renamed)}", "xor", renamed.get(x, x), renamed.get(y, y))
            return [renamed.get(*[next(iter(terms))] * 2) for terms in plan[1]]

        def complement(name, constant, result):
            return emit(result, "not", name) if constant else name

        top = emit_sums(plans[0], "u")
        forms = [[complement(top[9 * half + i], self.form(half, f)[1], f"v{half}{i}") for i, f in enumerate(FORMS)] for half in (0, 1)]
        for i in range(9):
            emit(f"m{i}", "and", forms[0][i], forms[1][i])
        for j, name in enumerate(emit_sums(plans[1], "w")):
            constant = self.norm_sum(j)[1]
            values[f"n{j}"] = complement(emit(f"n{j}_sum", "xor", name, top[18 + j]), constant, f"n{j}_not")
        inner = {gate.result: f"i_{gate.result}" for gate in inversion.gates} | values
        gates.extend(gate.renamed(inner) for gate in inversion.gates)
        r = [inner[name] for name in inversion.outputs]
        sums = {0b1000: r[0], 0b0100: r[1], 0b0010: r[2], 0b0001: r[3]}
        for form, x, y in (0b1100, 8, 4), (0b0011, 2, 1), (0b1010, 8, 2), (0b0101, 4, 1), (0b1111, 12, 3):
            sums[form] = emit(f"r{form}", "xor", sums[x], sums[y])
        for half in (0, 1):
            for i, f in enumerate(FORMS):
                emit(f"q{half}{i}", "and", sums[f], forms[1 - half][i])
        outputs = emit_sums(plans[2], "z")
        outputs = [complement(name, constant, f"y{i}_not") for i, (name, (_, constant)) in enumerate(zip(outputs, self.outputs))]
        return Circuit(box, gates, outputs)


def affine_parts():
    """A and its inverse, of S(x) = A(x^-1)."""
    box = boxes_of("aes")["S"].values
    forward = [box[power(x, 254) if x else 0] for x in range(256)]
    return forward.__getitem__, lambda y: forward.index(y)


def search_inversion(program, box, seconds):
    with tempfile.TemporaryDirectory() as folder:
        boxes = pathlib.Path(folder) / "boxes.txt"
        boxes.write_text(search_text([box]))
        command = [program, "--inputs-of-a-gate", "2", "--boxes", boxes, "--pool", folder, "--seconds", str(seconds), "--pace", "0.05"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        circuits, _ = read_circuits(pathlib.Path(folder) / "inversion.txt", {"inversion": box})
    return circuits[0]


def derive(program, seconds):
    """Circuits of two-input operations for both boxes, the best over many bases; `program` is find_circuits."""
    generator = random.Random(1)
    random.seed(1)
    affine, inverse_affine = affine_parts()
    circuits = []
    for name, before, after in ("S", int, affine), ("I", inverse_affine, int):  # int: x itself
        candidates = []
        for _ in range(max(1, int(5 * seconds))):
            derivation = Derivation(random_tower(generator), before, after)
            candidates.append((derivation, *min((derivation.plan() for _ in range(3)), key=lambda plan: plan[1])))
        derivation, plans, _ = min(candidates, key=lambda candidate: candidate[2])
        inversion = search_inversion(program, derivation.inversion(), min(30, seconds))
        circuits.append(derivation.circuit(boxes_of("aes")[name], plans, inversion))
    check(circuits)
    return circuits
