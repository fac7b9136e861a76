"""Operands of instructions as objdump writes them in Intel's syntax."""

import re

GENERAL = ["rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", *(f"r{i}" for i in range(8, 16))]
REGISTER, IMMEDIATE, MEMORY, NONE = "register", "immediate", "memory", "none"
SIZES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "TBYTE": 10, "FWORD": 6, "OWORD": 16, "XMMWORD": 16, "YMMWORD": 32, "ZMMWORD": 64}


class Operand:
    """A register by its number and size, an immediate, or memory at base + index * scale + disp."""

    __slots__ = ("kind", "number", "num_bytes", "base", "index", "scale", "disp", "is_rip", "broadcast", "mask", "zeroes", "high", "text")

    def __init__(self, kind, text):
        self.kind, self.text = kind, text
        self.number = self.base = self.index = self.mask = None
        self.num_bytes = self.scale = self.disp = 0
        self.is_rip = self.broadcast = self.zeroes = self.high = False


def general_registers():
    yield "rip", (None, 8, False)
    for number, name in enumerate(GENERAL):
        yield name, (number, 8, False)
        for suffix, size in (("d", 4), ("w", 2), ("b", 1)):
            if name[1:].isdigit():
                yield name + suffix, (number, size, False)
        if not name[1:].isdigit():
            yield "e" + name[1:], (number, 4, False)
            yield name[1:], (number, 2, False)
            short = name[1:2] if name[2] == "x" else name[1:]
            yield short + "l", (number, 1, False)
            if name[2] == "x":
                yield short + "h", (number, 1, True)


REGISTERS = dict(general_registers())
for vector, size in (("xmm", 16), ("ymm", 32), ("zmm", 64)):
    REGISTERS.update({f"{vector}{i}": (16 + i, size, False) for i in range(32)})
REGISTERS.update({f"k{i}": (48 + i, 8, False) for i in range(8)})

MASKING = re.compile(r"\{(k[0-7]|z|1to\d+|[a-z-]*sae)\}")
MEMORY_TEXT = re.compile(r"(?:(\w+) (?:PTR|BCST) )?(?:(?:[cdefgs]s):)?(?:\[(.*)\]|(0x[0-9a-f]+))$")
TERM = re.compile(r"([+-]?)([^+-]+)")


def parse(text):
    plain = MASKING.sub("", text)
    if not plain:
        return Operand(NONE, text)
    if plain in REGISTERS:
        operand = Operand(REGISTER, text)
        operand.number, operand.num_bytes, operand.high = REGISTERS[plain]
    elif re.fullmatch(r"-?(0x)?[0-9a-f]+", plain):
        operand = Operand(IMMEDIATE, text)
        operand.number = int(plain, 16)
        if operand.number >= 1 << 63:
            operand.number -= 1 << 64
    else:
        operand = parse_memory(plain, text)
    for part in MASKING.findall(text):
        if part[0] == "k":
            operand.mask = REGISTERS[part][0]
        elif part == "z":
            operand.zeroes = True
        elif part.startswith("1to"):
            operand.broadcast = True
    return operand


def parse_memory(plain, text):
    match = MEMORY_TEXT.match(plain)
    if not match:
        raise ValueError(f"an operand that is not known: {text}")
    operand = Operand(MEMORY, text)
    size, inside, absolute = match.groups()
    operand.num_bytes = SIZES.get(size, 0)
    operand.broadcast = " BCST " in plain
    if absolute:
        operand.disp = int(absolute, 16)
        return operand
    for sign, term in TERM.findall(inside):
        name, _, scale = term.partition("*")
        if name == "rip":
            operand.is_rip = True
        elif name in ("riz", "eiz"):
            pass
        elif name in REGISTERS:
            number = REGISTERS[name][0]
            if scale or operand.base is not None:
                operand.index, operand.scale = number, int(scale or "1")
            else:
                operand.base = number
        else:
            operand.disp += int(sign + term, 16)
    return operand
