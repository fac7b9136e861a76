"""Rules of the instructions on general registers: what they leave, and in which operand a secret is a finding.

SHL, SHR, SAR, ROL and ROR by `cl` take one time for every count on processors that run x86-64, as BMI2's SHLX and its kin do and shifts
of vectors. RCL and RCR by a count go bit by bit in microcode, and SHLD and SHRD do in some: there a secret count is a finding.
"""

import re

from operands import IMMEDIATE, MEMORY, REGISTER
from values import FLAGS, PUBLIC, SECRET, STACK_POINTER, Lanes, added, computed, is_pointer, join, lane, lanes_of, scaled, whole

SLOW_SHIFTS = {"rcl", "rcr", "shld", "shrd"}
RAX, RCX, RDX, RSI, RDI = 0, 1, 2, 6, 7
CONDITION = "(o|no|b|nb|ae|c|nc|e|z|ne|nz|be|a|na|nbe|s|ns|p|np|pe|po|l|ge|nl|nge|le|g|ng|nle)"


def nothing(machine, state, ops, name):
    pass


def looked_at(machine, state, ops, name):
    """PREFETCH: only its address matters."""
    machine.checked_address(state, ops[0])


def move(machine, state, ops, name):
    raw = state.registers[ops[1].number] if ops[1].kind is REGISTER and ops[1].num_bytes >= 4 else None
    if type(raw) is Lanes and move_parts(machine, state, ops, raw):
        return
    value = machine.read(state, ops[1], ops[0].num_bytes)
    if value is SECRET and ops[1].kind is MEMORY and ops[0].num_bytes == 8:
        value = in_parts(machine, state, machine.address_of(state, ops[1]))
        if type(value) is Lanes:
            state.registers[ops[0].number] = value
            return
    machine.write(state, ops[0], lane(value, 0) if ops[0].kind is not REGISTER or ops[0].number < 16 else value, ops[1].num_bytes)


def move_parts(machine, state, ops, raw):
    """Of a register whose lowest byte differs from the rest."""
    if ops[0].kind is REGISTER:
        state.registers[ops[0].number] = raw
        return True
    address = machine.checked_address(state, ops[0])
    if type(address) is not tuple or not address[2]:
        return False
    store_parts(machine, state, address, ops[1].num_bytes, raw)
    return True


def store_parts(machine, state, address, num_bytes, raw):
    machine.memory.store(state, address, num_bytes, raw[1])
    machine.memory.store(state, address, 1, raw[0])


def in_parts(machine, state, address):
    """A quadword of the stack, all or a part of which is secret: the lowest byte and the rest by themselves, as they were stored."""
    if type(address) is tuple and type(address[0]) is int and address[2]:
        lowest = machine.memory.load(state, address, 1)
        if lowest is not SECRET:
            return Lanes([lowest, SECRET])
    return SECRET


def move_extended(machine, state, ops, name):
    value = computed(machine.read(state, ops[1]))
    if name == "movzx" and ops[1].num_bytes == 1:
        state.registers[ops[0].number] = lanes_of([value, 0])
    else:
        machine.write(state, ops[0], value)


def load_address(machine, state, ops, name):
    value = machine.address_of(state, ops[1])
    machine.write(state, ops[0], value if ops[0].num_bytes == 8 else computed(value) if type(value) is not int else value)


def add_or_subtract(machine, state, ops, name):
    a, b = machine.read(state, ops[0]), machine.read(state, ops[1])
    if name == "sub" and ops[0].text == ops[1].text:
        a = b = 0
    result = added(a, b, 1 if name == "add" else -1)
    machine.set_flags(state, a, b)
    machine.write(state, ops[0], result)


def combine(machine, state, ops, name):
    """AND, OR, XOR: a pointer and a constant stay a pointer; an aligned one into the stack begins a part of its own."""
    if name == "xor" and ops[0].text == ops[1].text:
        state.registers[FLAGS] = PUBLIC
        machine.write(state, ops[0], 0)
        return
    a, b = machine.read(state, ops[0]), machine.read(state, ops[1])
    result = computed(a, b)
    if name == "and" and is_pointer(a) and ops[1].kind is IMMEDIATE and result is PUBLIC:
        aligns = type(a[0]) is int and a[2] and ops[0].num_bytes == 8
        result = (machine.at.address + 1, 0, True) if aligns else (a[0], a[1], False)
    elif name == "and" and result is PUBLIC and (0 in (a, b) or (type(a) is int and type(b) is int)):
        result = 0 if 0 in (a, b) else a & b
    elif result is SECRET and all(op.kind is REGISTER and op.num_bytes >= 4 for op in ops):
        result = combined_parts(name, *[state.registers[op.number] for op in ops])
        machine.set_flags(state, result)
        state.registers[ops[0].number] = result
        return
    machine.set_flags(state, a, b)
    machine.write(state, ops[0], result)


def combined_parts(name, a, b):
    """The lowest byte and the rest by themselves; where the rest of one is zero, AND leaves nothing of the other's."""
    rest = 0 if name == "and" and 0 in (lane(a, 1), lane(b, 1)) else computed(lane(a, 1), lane(b, 1))
    return lanes_of([computed(lane(a, 0), lane(b, 0)), rest])


def with_carry(machine, state, ops, name):
    if name == "sbb" and ops[0].text == ops[1].text:
        result = state.registers[FLAGS]
    else:
        result = computed(machine.read(state, ops[0]), machine.read(state, ops[1]), state.registers[FLAGS])
    state.registers[FLAGS] = result
    machine.write(state, ops[0], result)


def compare(machine, state, ops, name):
    machine.set_flags(state, machine.read(state, ops[0]), machine.read(state, ops[1]))


def count(machine, state, ops, name):
    """INC, DEC, NEG, NOT."""
    value = machine.read(state, ops[0])
    result = added(value, 1 if name == "inc" else -1) if name in ("inc", "dec") else computed(value)
    if name != "not":
        machine.set_flags(state, value)
    machine.write(state, ops[0], result)


def shift(machine, state, ops, name):
    counted = ops[-1] if len(ops) > 1 else None
    values = [machine.read(state, op) for op in ops]
    if name in SLOW_SHIFTS and counted is not None and counted.kind is REGISTER and values[-1] is SECRET:
        machine.report("shift")
    result = computed(*values, *([state.registers[FLAGS]] if name in ("rcl", "rcr") else []))
    state.registers[FLAGS] = result
    if name in ("shl", "sal") and ops[-1].kind is IMMEDIATE and ops[0].num_bytes == 8 and result is not SECRET:
        result = scaled(values[0], 1 << ops[-1].number)
    elif name == "shr" and ops[-1].kind is IMMEDIATE and type(values[0]) is int and values[0] >= 0:
        result = values[0] >> ops[-1].number
    machine.write(state, ops[0], result)


def of_sources(machine, state, ops, name):
    """A result of all operands but the first; no flags."""
    machine.write(state, ops[0], computed(*[machine.read(state, op) for op in ops[1:]]))


def of_sources_with_flags(machine, state, ops, name):
    result = computed(*[machine.read(state, op) for op in ops[1:]])
    state.registers[FLAGS] = result
    machine.write(state, ops[0], result)


def deposited(machine, state, ops, name):
    """PDEP, PEXT: of the first AMD Zens the time depends on the mask."""
    if machine.read(state, ops[2]) is SECRET:
        machine.report("mask of PDEP or PEXT")
    of_sources(machine, state, ops, name)


def swap_bytes(machine, state, ops, name):
    machine.write(state, ops[0], computed(machine.read(state, ops[0])))


def halves_of(operand):
    """Where MUL and DIV have their second result: of bytes in AX too."""
    return (RAX, RDX) if operand.num_bytes > 1 else (RAX,)


def multiply(machine, state, ops, name):
    if len(ops) > 1:
        values = [machine.read(state, op) for op in (ops if len(ops) == 2 else ops[1:])]
        result = computed(*values)
        is_known = type(values[0]) is int and type(values[1]) is int
        machine.write(state, ops[0], values[0] * values[1] if is_known else result)
    else:
        result = computed(machine.read(state, ops[0]), state.registers[RAX])
        for number in halves_of(ops[0]):
            state.registers[number] = result
    state.registers[FLAGS] = result


def multiply_without_flags(machine, state, ops, name):
    """MULX: high, low = rdx * source."""
    result = computed(machine.read(state, ops[2]), state.registers[RDX])
    machine.write(state, ops[0], result)
    machine.write(state, ops[1], result)


def divide(machine, state, ops, name):
    result = computed(machine.read(state, ops[0]), state.registers[RAX], state.registers[RDX])
    if result is SECRET:
        machine.report("division")
    for number in (*halves_of(ops[0]), FLAGS):
        state.registers[number] = result


def extend_sign(machine, state, ops, name):
    target = RDX if name in ("cdq", "cqo", "cwd") else RAX
    state.registers[target] = computed(state.registers[RAX])


def exchange(machine, state, ops, name):
    if ops[0].text == ops[1].text:  # XCHG AX, AX fills gaps
        return
    a, b = machine.read(state, ops[0]), machine.read(state, ops[1])
    machine.write(state, ops[0], b)
    machine.write(state, ops[1], a)
    if name == "xadd":
        machine.write(state, ops[0], computed(a, b))
        state.registers[FLAGS] = computed(a, b)


def push(machine, state, ops, name):
    raw = state.registers[ops[0].number] if ops[0].kind is REGISTER else None
    value = machine.read(state, ops[0])
    state.registers[STACK_POINTER] = added(state.registers[STACK_POINTER], -8)
    if type(raw) is Lanes:
        store_parts(machine, state, state.registers[STACK_POINTER], 8, raw)
    else:
        machine.memory.store(state, state.registers[STACK_POINTER], 8, value)


def pop(machine, state, ops, name):
    value = machine.memory.load(state, state.registers[STACK_POINTER], 8)
    if value is SECRET:
        value = in_parts(machine, state, state.registers[STACK_POINTER])
    state.registers[STACK_POINTER] = added(state.registers[STACK_POINTER], 8)
    machine.write(state, ops[0], value)


def leave(machine, state, ops, name):
    registers = state.registers
    value = machine.memory.load(state, registers[5], 8)
    registers[STACK_POINTER] = added(registers[5], 8)
    registers[5] = value


def set_by_condition(machine, state, ops, name):
    machine.write(state, ops[0], state.registers[FLAGS])


def move_by_condition(machine, state, ops, name):
    old, new = machine.read(state, ops[0]), machine.read(state, ops[1])
    machine.write(state, ops[0], SECRET if state.registers[FLAGS] is SECRET else join(old, new))


def test_bit(machine, state, ops, name):
    values = [machine.read(state, op) for op in ops]
    state.registers[FLAGS] = computed(*values)
    if name != "bt":
        machine.write(state, ops[0], computed(*values))


def find_bit(machine, state, ops, name):
    """BSF, BSR: of zero the first operand stays as it was."""
    result = computed(*[machine.read(state, op) for op in ops])
    state.registers[FLAGS] = result
    machine.write(state, ops[0], result)


def repeat(machine, state, ops, name):
    """REP MOVS and REP STOS: a copy or a filling of rcx elements."""
    registers = state.registers
    times, size = whole(registers[RCX]), ops[0].num_bytes
    if times is SECRET:
        machine.report("number of bytes")
    if SECRET in (whole(registers[RDI]), whole(registers[RSI]) if name == "movs" else PUBLIC):
        machine.report("address")
    num_bytes = times * size if type(times) is int else None
    if name == "stos":
        fill(machine, state, registers[RDI], num_bytes, registers[RAX])
    else:
        copy_bytes(machine, state, registers[RDI], registers[RSI], num_bytes)
        registers[RSI] = added(registers[RSI], PUBLIC if num_bytes is None else num_bytes)
    registers[RDI] = added(registers[RDI], PUBLIC if num_bytes is None else num_bytes)
    registers[RCX] = 0


def fill(machine, state, target, num_bytes, value):
    if num_bytes is None and type(target) is tuple:
        target = (target[0], target[1], False)
    machine.memory.store(state, target, num_bytes or 8, value)


def copy_bytes(machine, state, target, source, num_bytes):
    if num_bytes is None:
        value = machine.memory.load(state, source if type(source) is not tuple else (source[0], source[1], False), 8)
        fill(machine, state, target, None, value)
        return
    values = [machine.memory.load(state, added(source, i), 8) for i in range(0, num_bytes & ~7, 8)]
    for i, value in enumerate(values):
        machine.memory.store(state, added(target, 8 * i), 8, value)
    for i in range(num_bytes & ~7, num_bytes):
        machine.memory.store(state, added(target, i), 1, machine.memory.load(state, added(source, i), 1))


REPEATED = {"movs": repeat, "stos": repeat, "ret": nothing}

RULES = {
    **dict.fromkeys("nop endbr64 ud2 pause lfence mfence sfence vzeroupper vzeroall emms int3 cld fnop".split(), nothing),
    **dict.fromkeys("prefetcht0 prefetcht1 prefetcht2 prefetchnta prefetchw clflush".split(), looked_at),
    **dict.fromkeys("mov movabs movnti".split(), move),
    **dict.fromkeys("movzx movsx movsxd movbe".split(), move_extended),
    "lea": load_address,
    **dict.fromkeys("add sub".split(), add_or_subtract),
    **dict.fromkeys("and or xor".split(), combine),
    **dict.fromkeys("adc sbb adcx adox".split(), with_carry),
    **dict.fromkeys("cmp test".split(), compare),
    **dict.fromkeys("inc dec neg not".split(), count),
    **dict.fromkeys("shl sal shr sar rol ror rcl rcr shld shrd".split(), shift),
    **dict.fromkeys("shlx shrx sarx rorx".split(), of_sources),
    **dict.fromkeys("andn bextr blsr blsi blsmsk bzhi tzcnt lzcnt popcnt".split(), of_sources_with_flags),
    **dict.fromkeys("pdep pext".split(), deposited),
    "bswap": swap_bytes,
    **dict.fromkeys("mul imul".split(), multiply),
    "mulx": multiply_without_flags,
    **dict.fromkeys("div idiv".split(), divide),
    **dict.fromkeys("cbw cwde cdqe cwd cdq cqo".split(), extend_sign),
    **dict.fromkeys("xchg xadd".split(), exchange),
    "push": push,
    "pop": pop,
    "leave": leave,
    **dict.fromkeys("bt bts btr btc".split(), test_bit),
    **dict.fromkeys("bsf bsr".split(), find_bit),
}
BY_CONDITION = [(re.compile(f"set{CONDITION}"), set_by_condition), (re.compile(f"cmov{CONDITION}"), move_by_condition)]


def rule_of(name):
    if name in RULES:
        return RULES[name]
    for pattern, rule in BY_CONDITION:
        if pattern.fullmatch(name):
            return rule
    return None
