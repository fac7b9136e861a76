"""Rules of the instructions on vectors. Moves keep what is known of each half; all else makes secrets of secrets."""

import re

from aarch64_operands import FLAGS, IMMEDIATE, REGISTER, VECTORS
from values import PUBLIC, SECRET, computed, lane, lanes_of, whole

# Each reads its first operand, too.
ACCUMULATES = re.compile(r"tbx|bsl|bit|bif|ml[as]|[su]ml[as]l2?|sri|sli|[su]r?sra|aes[ed]|\w+n2|[su]adalp|[su]aba\w*|fml[as]|pmlal2?|sha\w+|[su]dot")
# The result of each of these instructions depends on all operands, and its time on none (Arm's list for PSTATE.DIT).
ORDINARY = re.compile("|".join([
    r"and|orr|eor|bic|orn|mvn|not|eor3|bcax|xar|rax1|bsl|bit|bif",
    r"add|sub|neg|abs|mul|ml[as]|addp|addv|[su]r?h(add|sub)|[su]q?(add|sub)|[su](add|sub)[lw]2?|[su]addl[pv]|[su]adalp|[su]ab[ad]l?2?|pmull?2?|[su]mull2?|[su]ml[as]l2?|r?(add|sub)hn2?",
    r"[su](max|min)[pv]?|cm(eq|ge|gt|hi|hs|le|lt|tst)|cnt|cls|clz|rbit|rev(16|32|64)",
    r"[su]?q?r?sh[lr]l?2?|[su]?q?r?shrn2?|[su]r?sra|s[rl]i|shll?2?|[su]xtl2?|[su]?q?xtu?n2?",
    r"tb[lx]|ext|zip[12]|uzp[12]|trn[12]|aes(e|d|mc|imc)|mov|[us]mov|ins|dup|fmov|movi|mvni|ror|sha\w+|[su]dot",
]))


def ordinary(machine, state, ops, name):
    """What comes of all operands; of the first too where it is read."""
    if name in ("eor", "sub") and len(ops) == 3 and ops[1].text == ops[2].text:
        machine.write(state, ops[0], 0)
        return
    of = ops if ACCUMULATES.fullmatch(name) else ops[1:]
    machine.write(state, ops[0], computed(*[value for op in of for value in values_of(machine, state, op)]))


def values_of(machine, state, operand):
    if operand.kind is VECTORS:
        return [state.registers[vector.number] for vector in operand.vectors]
    return [machine.read(state, operand)]


def move(machine, state, ops, name):
    """MOV, FMOV, INS, UMOV, DUP of a scalar: from a register or an element to another."""
    value = machine.read(state, ops[1])
    if ops[0].kind is REGISTER and ops[0].num_bytes == 8 and name != "smov":
        machine.write(state, ops[0], lane(value, 0))
    elif ops[0].kind is REGISTER:
        machine.write(state, ops[0], computed(value))
    elif ops[1].kind is REGISTER and ops[1].num_bytes == 4 and value != 0:
        machine.write(state, ops[0], computed(value))
    elif ops[1].kind is IMMEDIATE:
        machine.write(state, ops[0], PUBLIC)
    else:
        machine.write(state, ops[0], value)


def set_constant(machine, state, ops, name):
    """MOVI, MVNI."""
    machine.write(state, ops[0], 0 if name == "movi" and ops[1].number == 0 else PUBLIC)


def duplicate(machine, state, ops, name):
    value = whole(machine.read(state, ops[1]))
    machine.write(state, ops[0], value if ops[0].element_bytes == 8 or value == 0 else computed(value))


def exchange_halves(machine, state, ops, name):
    """EXT, ZIP, UZP and TRN where they move whole halves of 16 bytes."""
    a, b = machine.read(state, ops[1]), machine.read(state, ops[2])
    if name == "ext" and ops[0].num_bytes == 16 and ops[3].number == 8:
        machine.write(state, ops[0], lanes_of([lane(a, 1), lane(b, 0)]))
    elif name != "ext" and ops[0].num_bytes == 16 and ops[0].element_bytes == 8:
        place = int(name[-1]) - 1
        machine.write(state, ops[0], lanes_of([lane(a, place), lane(b, place)]))
    else:
        ordinary(machine, state, ops, name)


def compare_to_flags(machine, state, ops, name):
    """FCMP and its like."""
    state.registers[FLAGS] = computed(*[machine.read(state, op) for op in ops])


def divide(machine, state, ops, name):
    if SECRET in [whole(machine.read(state, op)) for op in ops[1:]]:
        machine.report("division")
    ordinary(machine, state, ops, name)


RULES = [
    (re.compile(r"mov|fmov|ins|[us]mov"), move),
    (re.compile(r"movi|mvni"), set_constant),
    (re.compile(r"dup"), duplicate),
    (re.compile(r"ext|zip[12]|uzp[12]|trn[12]"), exchange_halves),
    (re.compile(r"fc?cmpe?"), compare_to_flags),
    (re.compile(r"fdiv|fsqrt"), divide),
    (ORDINARY, ordinary),
]


def rule_of(name):
    for pattern, rule in RULES:
        if pattern.fullmatch(name):
            return rule
    return None
