"""Rules of the instructions on general registers, and of loads and stores: what they leave, and where a secret is a finding.

Arm lists those whose time does not depend on what they work on where PSTATE.DIT is set (data-independent timing). UDIV and SDIV are not
among them.
"""

import re

from aarch64_operands import FLAGS, IMMEDIATE, REGISTER, VECTOR, VECTORS
from values import PUBLIC, SECRET, added, computed, is_pointer, join, lane, lanes_of, scaled, whole

ADDRESSES = ("public", 0, False)  # of constants, which are read through them
SHARED_NAMES = set("mov add sub neg and orr eor bic orn mvn mul abs cls clz rbit rev16 rev32 rev64 cmp ror smull umull".split())
SHARED_NAMES |= {"smax", "smin", "umax", "umin", "cnt", "negs"}


def nothing(machine, state, ops, name):
    pass


def looked_at(machine, state, ops, name):
    """PRFM: only its address matters."""
    machine.address_of(state, ops[-1])


def move(machine, state, ops, name):
    value = machine.read(state, ops[1])
    machine.write(state, ops[0], signed(value, ops[0].num_bytes) if ops[1].kind is IMMEDIATE else value)


def move_wide(machine, state, ops, name):
    """MOVZ, MOVN, MOVK: a part of a constant."""
    shift = ops[2].number if len(ops) > 2 else 0
    value = ops[1].number << shift
    if name == "movn":
        value = ~value
    if name == "movk":
        old = machine.read(state, ops[0])
        value = (old & ~(0xFFFF << shift)) | value if type(old) is int else computed(old)
    machine.write(state, ops[0], signed(value, ops[0].num_bytes) if type(value) is int else value)


def signed(value, num_bytes):
    """Large numbers of eight bytes are offsets that go down."""
    value &= (1 << 8 * num_bytes) - 1
    return value - (1 << 64) if num_bytes == 8 and value >> 63 else value


def load_address(machine, state, ops, name):
    machine.write(state, ops[0], ADDRESSES)


def add_or_subtract(machine, state, ops, name):
    sign = -1 if name.startswith(("sub", "neg", "cmp")) else 1
    if name in ("cmp", "cmn"):
        a, b = machine.sources(state, ops)
        machine.set_flags(state, a, b)
        return
    values = machine.sources(state, ops[1:])
    a, b = values if len(values) == 2 else (0, values[0])  # NEG has one
    same = sign == -1 and len(ops) == 3 and ops[1].text == ops[2].text
    if name.endswith("s"):
        machine.set_flags(state, a, b)
    result = 0 if same else added(a, b, sign)
    machine.write(state, ops[0], result)


def combine(machine, state, ops, name):
    """AND, ORR, EOR and the like: a pointer and a constant stay a pointer; an aligned one into the stack begins a part of its own."""
    if name == "tst":
        machine.set_flags(state, *machine.sources(state, ops))
        return
    a, b = machine.sources(state, ops[1:])
    result = computed(a, b)
    if name == "eor" and len(ops) == 3 and ops[1].text == ops[2].text:
        result = 0
    elif name == "and" and is_pointer(a) and ops[2].kind is IMMEDIATE:
        aligns = type(a[0]) is int and a[2] and ops[0].num_bytes == 8
        result = (machine.at.address + 1, 0, True) if aligns else (a[0], a[1], False)
    elif result is PUBLIC and name in ("and", "ands") and (0 in (a, b) or (type(a) is int and type(b) is int)):
        result = 0 if 0 in (a, b) else a & b
    elif result is PUBLIC and name == "orr" and type(a) is int and type(b) is int:
        result = signed(a | b, ops[0].num_bytes)
    elif result is SECRET and name in ("and", "ands") and 0 in (a, b):
        result = 0
    if name.endswith("s"):
        machine.set_flags(state, a, b)
    machine.write(state, ops[0], result)


def of_sources(machine, state, ops, name):
    """A result of all operands but the first; no flags."""
    machine.write(state, ops[0], computed(*machine.sources(state, ops[1:])))


def with_old(machine, state, ops, name):
    """BFI, BFXIL: a part of the first operand stays."""
    machine.write(state, ops[0], computed(*machine.sources(state, ops)))


def shift(machine, state, ops, name):
    value = machine.read(state, ops[1])
    result = computed(*machine.sources(state, ops[1:]))
    if result is not SECRET and ops[2].kind is IMMEDIATE:
        if name == "lsl" and ops[0].num_bytes == 8:
            result = scaled(value, 1 << ops[2].number)
        elif name == "lsr" and type(value) is int and value >= 0:
            result = value >> ops[2].number
    machine.write(state, ops[0], result)


def field(machine, state, ops, name):
    """UBFIZ, SBFIZ and the like: a number of few bits, perhaps scaled."""
    value = machine.read(state, ops[1])
    result = computed(value)
    if name in ("ubfiz", "sbfiz") and result is not SECRET and ops[0].num_bytes == 8:
        result = scaled(value, 1 << ops[2].number)
    machine.write(state, ops[0], result)


def multiply(machine, state, ops, name):
    values = machine.sources(state, ops[1:])
    is_known = name == "mul" and all(type(value) is int for value in values)
    machine.write(state, ops[0], values[0] * values[1] if is_known else computed(*values))


def multiply_and_add(machine, state, ops, name):
    """MADD and its like: the place of an element of a size that is no power of two."""
    a, b, sum_before = machine.sources(state, ops[1:])
    product = a * b if type(a) is int and type(b) is int else computed(a, b)
    machine.write(state, ops[0], added(sum_before, product))


def divide(machine, state, ops, name):
    result = computed(*machine.sources(state, ops[1:]))
    if result is SECRET:
        machine.report("division")
    machine.write(state, ops[0], result)


def with_carry(machine, state, ops, name):
    result = computed(*machine.sources(state, ops[1:]), state.registers[FLAGS])
    if name.endswith("s"):
        state.registers[FLAGS] = result
    machine.write(state, ops[0], result)


def compare_by_condition(machine, state, ops, name):
    """CCMP, CCMN: the flags are of the comparison or a constant, by the flags before."""
    machine.set_flags(state, *machine.sources(state, ops[:2]), state.registers[FLAGS])


def choose(machine, state, ops, name):
    """CSEL and its like take one time, whichever they choose."""
    values = [machine.read(state, op) for op in ops[1:] if op.kind in (REGISTER, VECTOR)] or [0, 1]
    if name not in ("csel", "fcsel", "cset", "csetm"):
        changed = added(values[-1], 1) if name in ("csinc", "cinc") else computed(values[-1])
        values = [values[0], changed]
    result = SECRET if state.registers[FLAGS] is SECRET else join(*values)
    machine.write(state, ops[0], result)


# Loads and stores


def bytes_of_part(name, operand):
    """How many bytes are moved: LDRB and LDRH have it in their names."""
    ending = name.removeprefix("ld").removeprefix("st").removeprefix("u").removeprefix("r").removeprefix("s")
    return {"b": 1, "h": 2, "w": 4}.get(ending, operand.num_bytes)


def loaded(machine, state, address, num_bytes, operand):
    value = machine.memory.load(state, address, num_bytes)
    return value if operand.kind is VECTOR or num_bytes == 8 or value == 0 else computed(value)


def load(machine, state, ops, name):
    address, num_bytes = machine.address_of(state, ops[1]), bytes_of_part(name, ops[0])
    machine.write(state, ops[0], loaded(machine, state, address, num_bytes, ops[0]))


def load_pair(machine, state, ops, name):
    address = machine.address_of(state, ops[2])
    num_bytes = 4 if name == "ldpsw" else ops[0].num_bytes
    values = [loaded(machine, state, added(address, i * num_bytes), num_bytes, ops[i]) for i in (0, 1)]
    for operand, value in zip(ops, values):
        machine.write(state, operand, value)


def store(machine, state, ops, name):
    value, num_bytes = machine.read(state, ops[0]), bytes_of_part(name, ops[0])
    machine.memory.store(state, machine.address_of(state, ops[1]), num_bytes, value)


def store_pair(machine, state, ops, name):
    values, num_bytes = [machine.read(state, op) for op in ops[:2]], ops[0].num_bytes
    address = machine.address_of(state, ops[2])
    if values == [0, 0] and num_bytes == 8:  # as of vectors: memory that is cleared, and no numbers
        machine.memory.store(state, address, 16, 0)
        return
    for i, value in enumerate(values):
        machine.memory.store(state, added(address, i * num_bytes), num_bytes, value)


def vectors_of(operand):
    return operand.vectors if operand.kind is VECTORS else [operand]


def load_vectors(machine, state, ops, name):
    """LD1 to LD4, and LD1R and the like, of vectors, or of one element of each."""
    targets, element, address = vectors_of(ops[0]), ops[0].element, machine.address_of(state, ops[1])
    size = targets[0].num_bytes if element is None and not name.endswith("r") else targets[0].element_bytes
    values = [machine.memory.load(state, added(address, i * size), size) for i in range(len(targets))]
    if name[2] != "1":
        values = [computed(*values)] * len(values)
    for target, value in zip(targets, values):
        if element is not None:
            old, place = state.registers[target.number], element * target.element_bytes // 8
            parts = [lane(old, 0), lane(old, 1)]
            parts[place] = value if target.element_bytes == 8 else computed(value, parts[place])
            state.registers[target.number] = lanes_of(parts)
        else:
            machine.write(state, target, whole(value) if name.endswith("r") else value)


def store_vectors(machine, state, ops, name):
    sources, element = vectors_of(ops[0]), ops[0].element
    values = [machine.read(state, source) for source in sources]
    size = sources[0].num_bytes if element is None else sources[0].element_bytes
    if element is not None:
        values = [lane(state.registers[source.number], element * size // 8) for source in sources]
    if name[2] != "1":
        values = [computed(*values)] * len(values)
    address = machine.address_of(state, ops[1])
    for i, value in enumerate(values):
        machine.memory.store(state, added(address, i * size), size, value)


RULES = {
    **dict.fromkeys("nop hint bti paciasp autiasp pacibsp autibsp yield dmb dsb isb csdb sb".split(), nothing),
    **dict.fromkeys("prfm prfum".split(), looked_at),
    "mov": move,
    **dict.fromkeys("movz movn movk".split(), move_wide),
    **dict.fromkeys("adr adrp".split(), load_address),
    **dict.fromkeys("add adds sub subs cmp cmn neg negs".split(), add_or_subtract),
    **dict.fromkeys("and ands orr eor bic bics orn eon tst".split(), combine),
    **dict.fromkeys("mvn rev rev16 rev32 rbit clz cls extr sxtb sxth sxtw uxtb uxth uxtw ubfx sbfx asr ror".split(), of_sources),
    **dict.fromkeys("lsl lsr".split(), shift),
    **dict.fromkeys("ubfiz sbfiz".split(), field),
    **dict.fromkeys("bfi bfxil bfc".split(), with_old),
    **dict.fromkeys("mul msub mneg smull umull smulh umulh smsubl umsubl smnegl umnegl".split(), multiply),
    **dict.fromkeys("madd smaddl umaddl".split(), multiply_and_add),
    **dict.fromkeys("udiv sdiv".split(), divide),
    **dict.fromkeys("adc adcs sbc sbcs ngc ngcs".split(), with_carry),
    **dict.fromkeys("ccmp ccmn".split(), compare_by_condition),
    **dict.fromkeys("csel csinc csinv csneg cset csetm cinc cinv cneg fcsel".split(), choose),
    **dict.fromkeys("ldr ldur ldrb ldurb ldrh ldurh ldrsb ldursb ldrsh ldursh ldrsw ldursw".split(), load),
    **dict.fromkeys("ldp ldnp ldpsw".split(), load_pair),
    **dict.fromkeys("str stur strb sturb strh sturh".split(), store),
    **dict.fromkeys("stp stnp".split(), store_pair),
}
OF_VECTORS = [(re.compile(r"ld[1-4]r?"), load_vectors), (re.compile(r"st[1-4]"), store_vectors)]


def rule_of(name):
    if name in RULES:
        return RULES[name]
    for pattern, rule in OF_VECTORS:
        if pattern.fullmatch(name):
            return rule
    return None
