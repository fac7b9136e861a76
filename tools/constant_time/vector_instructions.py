"""Rules of the instructions on vector and mask registers. Moves keep what is known of each quadword; all else makes secrets of secrets."""

import functools
import re

from operands import IMMEDIATE, MEMORY, REGISTER
from values import FLAGS, PUBLIC, SECRET, Lanes, added, computed, lane, lanes_of, whole

# The first operand is written and not read, in the old encoding too, where others read it.
UNARY = re.compile(r"v?(pshuf(d|b|lw|hw)?|pabs[bwdq]|pmov[sz]x[bwdq]{2}|aesimc|aeskeygenassist|movddup|movs[hl]dup|cvt\w+|sqrt\w+|plzcnt[dq]|popcnt[bwdq]|rndscale\w+)")
MOVES = re.compile(r"v?(mov(dqa|dqu|aps|apd|ups|upd|ntdq|ntdqa|ntps|ntpd)(8|16|32|64)?|lddqu)")
NUMBERS = re.compile(r"v?mov[dq]")
MASK_MOVES = re.compile(r"kmov[bwdq]")
# With three operands or more, in the newer encoding, the first is read all the same.
ACCUMULATES = re.compile(r"v?(pternlog[dq]|perm[ti]2(b|w|d|q|ps|pd)|pmadd52[lh]uq|pdp\w+|fn?m(add|sub)\w+|pshrdv[wdq]|pshldv[wdq])")
# Of these the result depends on all operands and the time on none. (Comparisons of strings are not among them.)
ORDINARY = re.compile("v?(" + "|".join([
    r"p(and|andn|or|xor)[dq]?|(and|andn|or|xor)p[sd]",
    r"p(add|sub|mul|min|max|avg|madd|sad|sign)\w*|(add|sub|mul|min|max)[ps][sd]",
    r"p(sll|srl|sra|rol|ror|shld|shrd)\w*",
    r"p?(unpck|shuf|blend|perm|ack|align|insr|extr|broadcast|insert|extract)\w*",
    r"pcmp(?!.str)\w+|cmp\w*p[sd]|ptestn?m[bwdq]|pconflict[dq]",
    r"aes(enc|dec)(last)?|pclmul\w*|gf2p8\w*|pternlog[dq]|pmultishiftqb",
    r"pmov\w*|movmskp[sd]|movs[sd]|p(compress|expand)[bwdq]|pdp\w+|fn?m(add|sub)\w+",
]) + ")")
MASKS = re.compile(r"k(and|andn|or|xor|xnor|add|not|shiftl|shiftr|unpck)[bwdq]{1,2}")


def check_mask(machine, state, target, ops):
    """A mask of the target is one of what is loaded, too. Of memory that is there it holds nothing back, unless it says how many bytes
    are loaded; and VPERMB, of which each byte may be any of the operand's, loads it whole (no faults are suppressed: Intel's class E4NF).
    """
    loaded = [op for op in ops if op.kind is MEMORY and op is not target] if target.mask is not None else ()
    if loaded and machine.has_secret_mask(state, target):
        name = machine.at.text.split(None, 1)[0]
        if name != "vpermb" and ("expand" in name or not all(machine.is_there(state, op) for op in loaded)):
            machine.report("mask of memory")


def sources(machine, state, target, ops):
    """What the operands of an instruction that writes target hold."""
    check_mask(machine, state, target, ops)
    return [machine.read(state, op, ops[0].num_bytes) for op in ops]


def zeroes(name, ops):
    """x ^ x, x - x and the like: nothing is left of x."""
    if len(ops) not in (2, 3) or ops[-1].kind is not REGISTER or ops[-1].text != ops[-2].text.split("{")[0]:
        return False
    return name.lstrip("v").startswith(("pxor", "xorp", "psub", "pandn", "andnp", "pcmpeq", "pcmpgt"))


@functools.cache
def reads_first(name):
    """Whether the first operand is read, too, if it is a register."""
    return bool(ACCUMULATES.fullmatch(name) or (name[0] != "v" and name[0] != "k" and not UNARY.fullmatch(name)))


def ordinary(machine, state, ops, name):
    """What comes of all operands; of the first too where it is read."""
    if zeroes(name, ops):
        machine.write(state, ops[0], 0 if "cmpeq" not in name else PUBLIC)
        return
    if ops[-1].kind is IMMEDIATE and "ternlog" in name and ops[-1].number in (0, 0xFF):
        machine.write(state, ops[0], 0 if ops[-1].number == 0 else PUBLIC)
        return
    of = ops if ops[0].kind is REGISTER and reads_first(name) else ops[1:]
    machine.write(state, ops[0], computed(*sources(machine, state, ops[0], of)), ops[1].num_bytes if len(ops) > 1 else 0)


def move(machine, state, ops, name):
    machine.write(state, ops[0], sources(machine, state, ops[0], ops)[1] if ops[0].kind is REGISTER else machine.read(state, ops[1]), ops[1].num_bytes)


def move_number(machine, state, ops, name):
    """MOVD, MOVQ: the lowest lane; what is above becomes zero."""
    value = lane(machine.read(state, ops[1], 8 if name.endswith("q") else 4), 0)
    if name.endswith("d") and value is not SECRET:
        value = PUBLIC if type(value) is not int else value
    if ops[0].kind is REGISTER and ops[0].number >= 16:
        value = lanes_of([value, 0])
    machine.write(state, ops[0], value, 8 if name.endswith("q") else 4)


def insert(machine, state, ops, name):
    """PINSRQ."""
    vector = machine.read(state, ops[0] if len(ops) == 3 else ops[1])
    value = machine.read(state, ops[-2], 8)
    lanes = [lane(vector, 0), lane(vector, 1)]
    lanes[ops[-1].number & 1] = value
    machine.write(state, ops[0], lanes_of(lanes))


def extract(machine, state, ops, name):
    """PEXTRQ."""
    machine.write(state, ops[0], lane(machine.read(state, ops[1]), ops[2].number & 1), 8)


def move_half(machine, state, ops, name):
    """MOVHPS, MOVLPS and the like: memory to or from one half; MOVHLPS, MOVLHPS: from half to half."""
    plain = name.lstrip("v")
    if ops[0].kind is MEMORY:
        machine.write(state, ops[0], lane(machine.read(state, ops[1]), 1 if plain[3] == "h" else 0), 8)
        return
    old = machine.read(state, ops[0] if len(ops) == 2 else ops[1])
    source = machine.read(state, ops[-1], 8)
    lanes = [lane(old, 0), lane(old, 1)]
    lanes[1 if plain[3] == "h" and plain != "movhlps" or plain == "movlhps" else 0] = lane(source, 1 if plain == "movhlps" else 0)
    machine.write(state, ops[0], lanes_of(lanes))


def unpack(machine, state, ops, name):
    """PUNPCKLQDQ, PUNPCKHQDQ; of wider vectors only if lanes are alike."""
    if zeroes(name, ops) or ops[0].num_bytes != 16 or ops[0].mask is not None:
        return ordinary(machine, state, ops, name)
    a, b = sources(machine, state, ops[0], ops[-2:])
    number = 1 if "h" in name else 0
    return machine.write(state, ops[0], lanes_of([lane(a, number), lane(b, number)]))


def shuffle(machine, state, ops, name):
    """PSHUFD where it moves whole quadwords of 16 bytes."""
    value = machine.read(state, ops[1], 16)
    chosen = {0x4E: (1, 0), 0xEE: (1, 1), 0x44: (0, 0), 0xE4: (0, 1)}.get(ops[2].number)
    if type(value) is not Lanes or chosen is None or ops[0].num_bytes != 16:
        return ordinary(machine, state, ops, name)
    return machine.write(state, ops[0], lanes_of([lane(value, i) for i in chosen]))


def parts_of(name):
    """Of an instruction that moves a part of a vector: how many quadwords that has."""
    return 4 if name.endswith(("64x4", "32x8")) else 2


def insert_part(machine, state, ops, name):
    """VINSERTI128, VINSERTI64X2 and the like: a part of 16 or 32 bytes takes the place of one."""
    if ops[0].mask is not None:
        return ordinary(machine, state, ops, name)
    num_lanes, num_parts = ops[0].num_bytes // 8, parts_of(name)
    whole_vector, part = machine.read(state, ops[1]), machine.read(state, ops[2], 8 * num_parts)
    first = ops[3].number * num_parts % num_lanes
    lanes = [lane(whole_vector, i) for i in range(num_lanes)]
    lanes[first:first + num_parts] = [lane(part, i) for i in range(num_parts)]
    return machine.write(state, ops[0], lanes_of(lanes))


def broadcast(machine, state, ops, name):
    check_mask(machine, state, ops[0], ops[1:])
    machine.write(state, ops[0], lane(machine.read(state, ops[1], 8), 0))


def extract_part(machine, state, ops, name):
    value, num_parts = machine.read(state, ops[1]), parts_of(name)
    if ops[0].mask is not None:
        return ordinary(machine, state, ops, name)
    first = ops[2].number * num_parts % (ops[1].num_bytes // 8)
    return machine.write(state, ops[0], lanes_of([lane(value, first + i) for i in range(num_parts)]), 8 * num_parts)


def masked_move(machine, state, ops, name):
    """VPMASKMOV: a secret mask says which addresses are touched."""
    if whole(machine.read(state, ops[1])) is SECRET:
        machine.report("mask of memory")
    ordinary(machine, state, ops, name)


def test(machine, state, ops, name):
    """PTEST, KORTEST, UCOMIS and the like: flags alone."""
    state.registers[FLAGS] = computed(*sources(machine, state, ops[0], ops))


def look_up_memory(machine, state, ops, name):
    machine.report("gather or scatter")
    machine.write(state, ops[0], SECRET)


def divide(machine, state, ops, name):
    if computed(*sources(machine, state, ops[0], ops[1:] if len(ops) > 2 else ops)) is SECRET:
        machine.report("division")
    ordinary(machine, state, ops, name)


def move_mask(machine, state, ops, name):
    """The lowest byte and the rest by themselves, as of general registers."""
    num_bytes = {"b": 1, "w": 2, "d": 4, "q": 8}[name[-1]]
    if ops[1].kind is REGISTER:
        value = state.registers[ops[1].number]
        parts = [computed(lane(value, 0)), computed(lane(value, 1))] if type(value) is Lanes else [computed(value)] * 2
    else:
        address = machine.checked_address(state, ops[1])
        parts = [computed(machine.memory.load(state, address, 1))] * 2
        if num_bytes > 1:
            parts[1] = computed(machine.memory.load(state, added(address, 1), num_bytes - 1))
    if num_bytes == 1:
        parts[1] = 0
    if ops[0].kind is REGISTER:
        state.registers[ops[0].number] = lanes_of(parts)
        return
    address = machine.checked_address(state, ops[0])
    machine.memory.store(state, address, 1, parts[0])
    if num_bytes > 1:
        machine.memory.store(state, added(address, 1), num_bytes - 1, parts[1])


def combine_masks(machine, state, ops, name):
    if name.startswith(("kxor", "kandn", "kxnor")) and ops[1].text == ops[2].text:
        machine.write(state, ops[0], PUBLIC)
        return
    machine.write(state, ops[0], computed(*sources(machine, state, ops[0], ops[1:])))


RULES = [
    (re.compile(r"\w*(gather|scatter)\w*"), look_up_memory),
    (NUMBERS, move_number),
    (MOVES, move),
    (re.compile(r"v?pinsrq"), insert),
    (re.compile(r"v?pextrq"), extract),
    (re.compile(r"v?mov(h|l)(ps|pd)|v?movhlps|v?movlhps"), move_half),
    (re.compile(r"v?punpck[lh]qdq"), unpack),
    (re.compile(r"v?pshufd"), shuffle),
    (re.compile(r"vpbroadcastq|v?movddup"), broadcast),
    (re.compile(r"vinsert[fi](128|64x[24]|32x[48])"), insert_part),
    (re.compile(r"vextract[fi](128|64x[24]|32x[48])"), extract_part),
    (re.compile(r"vp?maskmov\w*"), masked_move),
    (re.compile(r"v?ptest|vtestp[sd]|k(or)?test[bwdq]|v?u?comis[sd]"), test),
    (re.compile(r"v?(div|sqrt)(ps|pd|ss|sd)"), divide),
    (MASK_MOVES, move_mask),
    (MASKS, combine_masks),
    (UNARY, ordinary),
    (ORDINARY, ordinary),
]


def rule_of(name):
    for pattern, rule in RULES:
        if pattern.fullmatch(name):
            return rule
    return None
