"""Operands of instructions of 64-bit Arm as objdump writes them."""

import re

REGISTER, VECTOR, VECTORS, IMMEDIATE, MEMORY, CHANGE, OTHER = "register", "vector", "vectors", "immediate", "memory", "change", "other"
STACK_POINTER, FIRST_VECTOR, FLAGS, NUM_REGISTERS = 31, 32, 64, 65
SIZES = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16}

GENERAL = re.compile(r"([xw])(\d+|zr)|(w?sp)")
SCALAR = re.compile(r"([bhsdq])(\d+)")
ARRANGED = re.compile(r"v(\d+)\.(\d*)([bhsdq])(?:\[(\d+)\])?")
NUMBER = re.compile(r"#?(-?(?:0x[0-9a-f]+|\d+(?:\.\d+(?:e[+-]?\d+)?)?))")
CHANGING = re.compile(r"(lsl|lsr|asr|ror|msl|[su]xt[bhwx])(?: #(0x[0-9a-f]+|\d+))?")
LIST = re.compile(r"\{(.*)\}(?:\[(\d+)\])?")


class Operand:
    """A general register (31 is the stack pointer, None is zero), a vector or one element of it, some vectors, a number, or memory at
    base + disp, or at base + changed index. `after` is what is added to the base behind the access, and `before` whether disp stays."""

    __slots__ = ("kind", "text", "number", "num_bytes", "element", "element_bytes", "vectors", "base", "index", "change", "disp", "before", "after")

    def __init__(self, kind, text):
        self.kind, self.text = kind, text
        self.number = self.element = self.base = self.index = self.change = self.after = None
        self.num_bytes = self.element_bytes = self.disp = 0
        self.vectors, self.before = (), False


def split(text):
    """At the commas that stand in no bracket."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def parse_all(text):
    """The operands of one instruction; what stands behind memory belongs to it."""
    operands = [parse(part) for part in split(text)]
    if len(operands) > 1 and operands[-2].kind is MEMORY:
        after = operands.pop()
        operands[-1].after = after
    return operands


def parse(text):
    if match := GENERAL.fullmatch(text):
        return general(match, text)
    if match := SCALAR.fullmatch(text):
        operand = Operand(VECTOR, text)
        operand.number, operand.num_bytes = FIRST_VECTOR + int(match[2]), SIZES[match[1]]
        operand.element_bytes = operand.num_bytes
        return operand
    if match := ARRANGED.fullmatch(text):
        operand = Operand(VECTOR, text)
        operand.number, operand.element_bytes = FIRST_VECTOR + int(match[1]), SIZES[match[3]]
        operand.num_bytes = operand.element_bytes * int(match[2] or 1)
        operand.element = int(match[4]) if match[4] else None
        return operand
    if text[0] == "[":
        return memory(text)
    if match := LIST.fullmatch(text):
        return some_vectors(match, text)
    if match := CHANGING.fullmatch(text):
        operand = Operand(CHANGE, text)
        operand.element, operand.number = match[1], int(match[2] or "0", 0)
        return operand
    if match := NUMBER.fullmatch(text):
        operand = Operand(IMMEDIATE, text)
        operand.number = int(match[1], 0) if "." not in match[1] else 1
        return operand
    return Operand(OTHER, text)  # a condition, a symbol, what a prefetch is for


def general(match, text):
    operand = Operand(REGISTER, text)
    operand.num_bytes = 4 if text[0] == "w" else 8
    operand.number = STACK_POINTER if match[3] else None if match[2] == "zr" else int(match[2])
    return operand


def some_vectors(match, text):
    operand = Operand(VECTORS, text)
    names = match[1].split("-") if "-" in match[1] else split(match[1])
    operand.vectors = [parse(name.strip()) for name in names]
    if "-" in match[1]:
        first, last = operand.vectors
        count = (last.number - first.number) % 32 + 1
        ending = first.text.partition(".")[2]
        operand.vectors = [parse(f"v{(first.number - FIRST_VECTOR + i) % 32}.{ending}") for i in range(count)]
    operand.element = int(match[2]) if match[2] else None
    return operand


def memory(text):
    operand = Operand(MEMORY, text)
    operand.before = text.endswith("!")
    for part in map(parse, split(text.rstrip("!")[1:-1])):
        if part.kind is REGISTER and operand.base is None:
            operand.base = part
        elif part.kind is REGISTER:
            operand.index = part
        elif part.kind is CHANGE:
            operand.change = part
        elif part.kind is IMMEDIATE:
            operand.disp = part.number
    return operand
