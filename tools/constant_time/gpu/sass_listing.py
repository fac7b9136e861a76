"""The kernels of an object file for GPUs, as cuobjdump shows their instructions, and what lies in their constant memory."""

import pathlib
import re
import subprocess
import tempfile
from dataclasses import dataclass, field

FUNCTION = re.compile(r"^\s+Function : (\S+)$")
INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]{4,6})\*/\s+(?:@(!?U?PT?\d*)\s+)?([A-Z][A-Z0-9_.]*)\s*(.*?)\s*;")
ARCHITECTURE = re.compile(r"^\s*code for sm_(\d+)")
REGISTER_PLACES = {"R": 0, "UR": 256, "P": 320, "UP": 328}
ZERO_REGISTER, UNIFORM_ZERO, TRUE, UNIFORM_TRUE = 255, 319, 327, 335
NUM_REGISTERS = 336
NAMED = {"RZ": ZERO_REGISTER, "URZ": UNIFORM_ZERO, "PT": TRUE, "UPT": UNIFORM_TRUE, "SRZ": ZERO_REGISTER}
REGISTER = re.compile(r"^([-~!|]*)(UR|UP|R|P)?(\d+|RZ|URZ|PT|UPT|SRZ)(\.64|\.reuse|\.H\d_H\d|\.B\d|\.X\d+|\.U32|\.S32|\.ROW|\.COL)*\|?$")
IN_BRACKETS = re.compile(r"\[([^\]]*)\]")


@dataclass
class Operand:
    """kind: "register", "predicate", "number", "constant" (of a bank), "memory" or "other". `number`: the register, or the number; of
    memory the sum of its numbers.
    """

    kind: str
    number: int = 0
    signs: str = ""
    bank: int = 0
    bases: list = field(default_factory=list)  # registers of an address
    text: str = ""


@dataclass
class Instruction:
    address: int
    guard: Operand
    name: str
    parts: list  # of the name
    operands: list
    text: str
    next: int = -1
    rule: object = None


@dataclass
class Listing:
    path: pathlib.Path
    architecture: int
    kernels: dict  # instructions by address, by the kernel's symbol
    constants: list  # of the bank for variables: (offset, bytes, name)


def read(path, architecture, cuobjdump, nvdisasm):
    environment = {"PATH": f"{pathlib.Path(nvdisasm).parent}:/usr/bin:/bin"}
    shown = subprocess.run([cuobjdump, "-sass", "-arch", f"sm_{architecture}", str(path)], capture_output=True, text=True, env=environment)
    if shown.returncode != 0:
        raise RuntimeError(f"cuobjdump of {path} failed: {shown.stderr[-1000:]}")
    kernels, now, before = {}, None, None
    for line in shown.stdout.split("\n"):
        if match := INSTRUCTION.match(line):
            instruction = parse(int(match[1], 16), match[2], match[3], match[4])
            if before is not None:
                before.next = instruction.address
            now[instruction.address] = before = instruction
        elif match := FUNCTION.match(line):
            now, before = kernels.setdefault(match[1], {}), None
    return Listing(path, architecture, kernels, constants_of(path, architecture, cuobjdump, environment))


def constants_of(path, architecture, cuobjdump, environment):
    """The variables of constant memory, from the symbols of the object inside."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([cuobjdump, "-xelf", f"sm_{architecture}", str(path.resolve())], cwd=folder, capture_output=True, env=environment, check=True)
        constants = []
        for inside in pathlib.Path(folder).glob("*.cubin"):
            sections = run("readelf", "-SW", inside)
            bank = re.search(r"\[ *(\d+)\] \.nv\.constant3\s", sections)
            for number, size, where, name in re.findall(r"^ +\d+: ([0-9a-f]+) +(\d+) OBJECT +\S+ +\S+ +(?:\[.*?\] +)?(\d+) (\S+)$",
                                                        run("readelf", "-sW", inside), re.MULTILINE):
                if bank and where == bank[1]:
                    constants.append((int(number, 16), int(size), name))
    return sorted(constants)


def run(*command):
    return subprocess.run([*command], capture_output=True, text=True, check=True).stdout


def parse(address, guard, name, text):
    operands = [operand_of(part.strip()) for part in split(text)]
    shown = f"{'@' + guard + ' ' if guard else ''}{name} {text}".strip()
    return Instruction(address, operand_of(guard) if guard else None, name, name.split("."), operands, shown)


def split(text):
    """At commas; RET.REL.NODEC has a blank instead."""
    return [part for part in re.split(r",|(?<=\d) (?=0x)", text) if part.strip()]


def operand_of(text):
    if match := REGISTER.match(text):
        signs, kind, number = match[1], match[2], match[3]
        place = NAMED[number] if number in NAMED else REGISTER_PLACES[kind] + int(number)
        return Operand("predicate" if place >= REGISTER_PLACES["P"] else "register", place, signs, text=text)
    if re.match(r"^-?(0x[0-9a-f]+|\d+)$", text):
        return Operand("number", int(text, 0), text=text)
    if match := re.match(r"^([-~|]*)c\[(0x[0-9a-f]+)\]\s*\[([^\]]*)\]\|?$", text):
        offset, bases = address_of(match[3])
        return Operand("constant", offset, match[1], int(match[2], 16), bases, text)
    if "[" in text and not text.startswith("c["):
        offset, bases = address_of(IN_BRACKETS.findall(text)[-1])
        return Operand("memory", offset, bases=bases, text=text)
    return Operand("other", text=text)


def address_of(text):
    """The number and the registers of an address: R4.64+UR6+0x10."""
    offset, bases = 0, []
    for part in re.findall(r"[+-]?[^+-]+", text):
        part = part.lstrip("+")
        if match := REGISTER.match(part):
            if match[3] not in NAMED:
                bases.append(operand_of(part))
        else:
            offset += int(part, 0)
    return offset, bases
