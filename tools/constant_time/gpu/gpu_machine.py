"""What instructions of SASS do to a state, and what of it a secret must not reach."""

from gpu_memory import Memory
from gpu_state import FIXED
from gpu_values import (ALL, PUBLIC, SECRET, ZERO, added, by_table, computed, constant, high_word, inverted, is_constant, join, low_word, multiplied, negated,
                        of_bits, permuted, shifted_left)
from sass_listing import NUM_REGISTERS, REGISTER_PLACES, TRUE, UNIFORM_TRUE, UNIFORM_ZERO, ZERO_REGISTER

FIRST_PREDICATE = REGISTER_PLACES["P"]
FIRST_PREDICATES = {"PR": FIRST_PREDICATE, "UPR": REGISTER_PLACES["UP"]}
WIDTHS = {"64": 2, "128": 4, "U64": 2, "S64": 2}
# Whose bits nobody follows: what comes of a secret is secret.
PLAIN = {"LEA", "ULEA", "IMNMX", "VIMNMX", "POPC", "UPOPC", "FLO", "UFLO", "BREV", "UBREV", "MUFU", "I2F", "F2I", "FFMA", "FMUL", "FADD", "IABS", "SGXT",
         "BMSK", "PLOP3", "UPLOP3", "ISETP", "UISETP", "FSETP", "VOTE", "VOTEU", "IDP", "IMAD", "UIMAD", "IADD3", "UIADD3", "SHF", "USHF",
         "PRMT", "UPRMT", "LOP3", "ULOP3", "SEL", "USEL", "VIADD"}
MOVES = {"P2R", "UP2UR", "R2P", "MOV", "UMOV", "CS2R", "S2R", "S2UR", "R2UR"}
TWO_PREDICATES = {"ISETP", "UISETP", "PLOP3", "UPLOP3", "FSETP"}  # are written first
NOTHING = {"NOP", "BSSY", "BSYNC", "BMOV", "BREAK", "YIELD", "DEPBAR", "ENDCOLLECTIVE", "ERRBAR", "CCTL", "BAR", "MEMBAR", "WARPSYNC", "NANOSLEEP",
           "ACQBULK", "UCGABAR_ARV", "UCGABAR_WAIT", "WARPGROUP", "FENCE"}
THREAD = (0, ALL & ~0x3FF, 0, 0, None)  # SR_TID.X: below 1,024, as CUDA blocks are; our launches have one dimension
LANE = (0, ALL & ~31, 0, 0, None)


class Machine:
    """Of one kernel. `findings`: each place and kind of what must not be, with the instruction. `addresses`: how many shared addresses come
    from a secret, and from the lane alone in their low seven bits.
    """

    def __init__(self, parameters):
        self.parameters = parameters
        self.memory = Memory(self)
        self.findings, self.lane_addresses = {}, set()
        self.is_guard_secret = False
        self.at, self.guard, self.cache = None, None, {}  # guard: of the instruction, a predicate and whether it is to be true

    def report(self, kind):
        self.findings.setdefault((self.at.address, kind), self.at)

    # Operands

    def read(self, state, operand, place=0):
        """A register, or the place-th behind it; a number; a word of constant memory."""
        kind = operand.kind
        if kind in ("register", "predicate"):
            value = state.read(operand.number if operand.number in FIXED else operand.number + place, self.guard)
        elif kind == "number":
            value = constant(operand.number >> 32 * place)
        elif kind == "constant":
            value = self.memory.load_constant(state, operand, 4, place)
        elif kind == "other" and operand.text in ("PR", "UPR"):
            first = FIRST_PREDICATES[operand.text]
            value = computed(*filter(None, state.registers[first:first + 7]))
        else:
            value = PUBLIC
        if operand.signs:
            value = signed(value, operand)
        return value

    def write(self, state, operand, values):
        is_uniform = UNIFORM_ZERO >= operand.number > ZERO_REGISTER
        for place, value in enumerate(values):
            if is_uniform and value[3] >= 0:
                value = (*value[:3], -1, value[4])
            if operand.number not in FIXED:
                self.write_register(state, operand.number + place, value)

    def write_register(self, state, number, value):
        state.write(number, value, self.guard, self.is_guard_secret)

    # Instructions

    def run(self, state, instruction):
        self.at = instruction
        name = instruction.parts[0]
        self.set_guard(state, instruction)
        if self.is_guard_secret and not is_move(instruction):
            self.report("guard")
        rule = RULES.get(name)
        if rule is not None:
            rule(self, state, instruction)
        elif name in PLAIN:
            self.run_plain(state, instruction)
        elif name not in NOTHING:
            self.report("unknown instruction")
        if self.guard is None:
            copy(state, instruction)
        self.guard, self.is_guard_secret = None, False

    def set_guard(self, state, instruction):
        self.guard, self.is_guard_secret = None, False
        guard = instruction.guard
        if guard is not None:
            self.is_guard_secret = bool(self.read(state, guard)[0])
            self.guard = (state.copied.get(guard.number, guard.number), "!" not in guard.signs)

    def run_plain(self, state, instruction):
        written, sources = split_operands(instruction)
        first = written[-1] if instruction.parts[0] not in TWO_PREDICATES else None
        for operand in written:
            if operand.kind == "register":
                first = operand
        values = [self.read(state, source) for source in sources]
        rest = computed(*values, *self.upper_halves(state, instruction, sources))
        rest_value = rest
        result = self.exact(instruction, values) if first is not None and first.kind == "register" else None
        if instruction.parts[0] == "LOP3" and result is not None:  # the predicate says whether the result is zero
            rest_value = computed(result)
        for operand in written:
            if operand is first and result is not None:
                width = width_of(instruction) if instruction.parts[0] not in ("IMAD", "UIMAD") else 1
                self.write(state, operand, [result] + [rest_value] * (width - 1))
                if "WIDE" in instruction.parts:
                    self.write(state, operand, [result, rest_value])
            elif operand is first and "WIDE" in instruction.parts:
                self.write(state, operand, [rest_value] * 2)
            elif operand is first:
                self.write(state, operand, [rest_value] * width_of(instruction))
            else:
                self.write(state, operand, [rest_value])

    def upper_halves(self, state, instruction, sources):
        """Of what is read as 64 bits."""
        parts = instruction.parts
        if "WIDE" in parts and len(sources) > 2:
            return [self.read(state, sources[2], 1)]
        if parts[0] == "I2F" and ("U64" in parts or "S64" in parts):
            return [self.read(state, source, 1) for source in sources]
        return [self.read(state, sources[2], 1)] if parts[0] == "IMAD" and "HI" in parts and len(sources) > 2 else []

    def exact(self, instruction, values):
        """What is known bit by bit of the result's first word, or None."""
        key = (instruction.name, *values)
        if key not in self.cache:
            self.cache[key] = exact_result(instruction.parts, instruction.name, values)
        return self.cache[key]


def is_move(instruction):
    """What only registers and a fixed place of constant memory have a part in."""
    name = instruction.parts[0]
    return name in PLAIN or name in MOVES or (name in ("LDC", "ULDC") and not instruction.operands[1].bases)


def copy(state, instruction):
    """Where a register or a predicate is only copied, what is known of the other under guards is known of it too."""
    name, operands = instruction.parts[0], instruction.operands
    source = None
    if name in ("MOV", "UMOV", "R2UR") and len(operands) == 2:
        source = operands[1]
    elif name == "IMAD" and [operand.number for operand in operands[1:3]] == [ZERO_REGISTER] * 2 and len(operands) == 4:
        source = operands[3]
    elif name in ("PLOP3", "UPLOP3") and [operand.text for operand in operands[1:4]] == ["PT"] * 3 and operands[5].number == 0x80:
        if not operands[4].signs and operands[4].number not in FIXED:
            state.copy_predicate(operands[0].number, operands[4].number)
    if source is not None and source.kind == "register" and not source.signs and ".64" not in source.text:
        state.copy_guarded(operands[0].number, source.number)


def signed(value, operand):
    if operand.kind == "predicate":
        return inverted(value)
    for sign in reversed(operand.signs):
        if sign == "~":
            value = inverted(value)
        elif sign == "-":
            value = negated(value)
        elif sign == "|":
            value = computed(value)
    return value


def split_operands(instruction):
    """What is written, and what is read."""
    operands, name = instruction.operands, instruction.parts[0]
    if name in TWO_PREDICATES:
        return operands[:2], operands[2:]
    if name in ("VOTE", "VOTEU"):
        return operands[:-1], operands[-1:]
    number = 0
    while number < len(operands) and operands[number].kind == "predicate":
        number += 1
    number += 1
    while number < len(operands) and operands[number].kind == "predicate" and name not in ("SEL", "USEL"):
        number += 1
    return operands[:number], operands[number:]


def width_of(instruction):
    """How many registers are written."""
    for part in instruction.parts[1:]:
        if part in WIDTHS:
            return WIDTHS[part] if instruction.parts[0] not in ("I2F", "SHF", "USHF") else 1
    return 1


def exact_result(parts, name, values):
    kind = parts[0].removeprefix("U") if parts[0] != "UMOV" else "MOV"
    if kind == "LOP3":
        return by_table(values[3][2], *values[:3])
    if kind == "PRMT" and len(parts) == 1 and is_constant(values[1]):
        return permuted(values[0], values[1][2], values[2])
    if kind == "SEL":
        return join(values[0], values[1]) if not values[2][0] else SECRET
    if kind == "VIADD":
        return added(values[0], values[1])
    if kind == "IADD3":
        carries = [bit(value) for value in values[3:]] if "X" in parts else []
        first, second = (*carries, ZERO, ZERO)[:2]
        return added(added(values[0], values[1], first), values[2], second)
    if kind == "IMAD":
        if "HI" in parts:
            return None
        carry = bit(values[3]) if "X" in parts and len(values) > 3 else ZERO
        return added(multiplied(values[0], values[1]), values[2], carry)
    if kind == "LEA" and "HI" not in parts and is_constant(values[2]):
        return added(shifted_left(values[0], values[2][2] & 31), values[1])
    if kind == "SHF" and is_constant(values[1]):
        return shifted(parts, values)
    return None


def bit(predicate):
    """A carry, of which only the lowest bit counts."""
    return (predicate[0] & 1, ALL & ~1 | predicate[1] & 1, predicate[2] & 1, -1, None)


def shifted(parts, values):
    low, count, high = values[0], values[1][2], values[2]
    most = 63 if "U64" in parts or "S64" in parts else 31
    if "W" in parts:
        count &= most
    if count > 31 or "S64" in parts:
        return None
    if "S32" in parts:
        known_sign = high[1] >> 31 and not high[2] >> 31
        return low_word(high, ZERO, count) if known_sign and "R" in parts else None
    if "L" in parts:
        return high_word(low, high, count) if "HI" in parts else shifted_left(low, count)
    return low_word(high, ZERO, count) if "HI" in parts else low_word(low, high, count)


# What moves values, and reads and writes memory.

def move(machine, state, instruction):
    written, source = instruction.operands[0], instruction.operands[1]
    machine.write(state, written, [machine.read(state, source)])


def clear_pair(machine, state, instruction):
    value = ZERO if instruction.operands[1].number == ZERO_REGISTER and instruction.operands[1].kind == "register" else PUBLIC
    machine.write(state, instruction.operands[0], [value] * (1 if "32" in instruction.parts else 2))


def read_special(machine, state, instruction):
    source = instruction.operands[1].text
    value = {"SR_TID.X": THREAD, "SR_LANEID": LANE}.get(source, PUBLIC)
    machine.write(state, instruction.operands[0], [value])


def shuffle(machine, state, instruction):
    """Of another lane: what is the lane's own is lost."""
    condition, written, source, *others = instruction.operands
    if computed(*(machine.read(state, operand) for operand in others))[0]:
        machine.report("lane of a shuffle")
    value = machine.read(state, source)
    machine.write(state, written, [(*value[:3], -1, None)])
    machine.write(state, condition, [PUBLIC])


def multiply_matrices(machine, state, instruction):
    """BMMA.168256: of all lanes' rows, of four registers each, and columns, of two, added to four."""
    if instruction.parts[1] != "168256":
        machine.report("unknown instruction")
    written, *sources = instruction.operands
    sum_of_all = computed(*(machine.read(state, source, place) for source, width in zip(sources, (4, 2, 4)) for place in range(width)))
    machine.write(state, written, [sum_of_all] * 4)


def load(machine, state, instruction):
    written = next(operand for operand in instruction.operands if operand.kind == "register")
    source = next(operand for operand in instruction.operands if operand.kind in ("memory", "constant"))
    machine.write(state, written, machine.memory.load(state, instruction, source))


def store(machine, state, instruction):
    target = next(i for i, operand in enumerate(instruction.operands) if operand.kind == "memory")
    values = [machine.read(state, instruction.operands[target + 1], place) for place in range(width_of(instruction))]
    machine.memory.store(state, instruction, instruction.operands[target], values)


def add_atomically(machine, state, instruction):
    target = next(i for i, operand in enumerate(instruction.operands) if operand.kind == "memory")
    values = [machine.read(state, operand) for operand in instruction.operands[target + 1:]]
    found = machine.memory.load(state, instruction, instruction.operands[target])
    machine.memory.store(state, instruction, instruction.operands[target], values)
    for operand in instruction.operands[:target]:
        machine.write(state, operand, [found[0] if operand.kind == "register" else PUBLIC])


def nothing(machine, state, instruction):
    if instruction.parts[0] == "BMOV" and instruction.operands[0].kind == "register":
        machine.write(state, instruction.operands[0], [PUBLIC])


def pack_predicates(machine, state, instruction):
    """P2R, of uniform ones UP2UR: predicate i is bit i, where the mask is set."""
    written, which, source, mask = instruction.operands
    first = FIRST_PREDICATES.get(which.text)
    if first is None or mask.kind != "number" or len(instruction.parts) > 1:
        machine.write(state, written, [computed(*(machine.read(state, operand) for operand in instruction.operands[1:]))])
        return
    packed = ZERO
    for i in range(7):
        value = state.read(first + i, machine.guard)
        packed = by_table(0xFC, packed, shifted_left(of_bits(1, bool(value[0])), i), ZERO)
    chosen = constant(mask.number)
    machine.write(state, written, [by_table(0xE2, packed, chosen, machine.read(state, source))])


def unpack_predicates(machine, state, instruction):
    """R2P: the same the other way."""
    which, source, mask = instruction.operands
    value = machine.read(state, source)
    is_plain = which.text == "PR" and mask.kind == "number" and len(instruction.parts) == 1 and "." not in source.text.replace(".reuse", "")
    for i in range(7):
        if not is_plain:
            machine.write_register(state, FIRST_PREDICATE + i, computed(value, state.registers[FIRST_PREDICATE + i] or PUBLIC))
        elif mask.number >> i & 1:
            machine.write_register(state, FIRST_PREDICATE + i, SECRET if value[0] >> i & 1 else PUBLIC)


RULES = {"P2R": pack_predicates, "UP2UR": pack_predicates, "R2P": unpack_predicates, "MOV": move, "UMOV": move, "R2UR": move, "CS2R": clear_pair, "S2R": read_special, "S2UR": read_special, "SHFL": shuffle, "BMOV": nothing, "BMMA": multiply_matrices,
         **dict.fromkeys(["LDG", "LDS", "LDL", "LDC", "ULDC", "LD"], load), **dict.fromkeys(["STG", "STS", "STL", "ST"], store),
         **dict.fromkeys(["ATOMG", "ATOMS", "ATOM", "RED", "REDG"], add_atomically)}

