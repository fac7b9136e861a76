"""The instructions of an object file, as objdump shows them, with what its relocations say."""

import re
import subprocess

LABEL = re.compile(r"^([0-9a-f]+) <(.*)>:$")
INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(.*)$")
RELOCATION = re.compile(r"^\t+([0-9a-f]+): (R_\w+)\t(.*)$")
TARGET = re.compile(r"^([^+-][^+]*?)([+-]0x[0-9a-f]+)?$")
JUMP = re.compile(r"(?:(?:notrack|bnd|cs|ds) )*(j[a-z]+|call|loop\w*|xbegin)\s+(.*)$")
AARCH64 = 183  # e_machine of an ELF file of 64-bit Arm
SECTION_BITS = 40  # an address has the section's number above these


def is_aarch64(path):
    with open(path, "rb") as file:
        return int.from_bytes(file.read(20)[18:], "little") == AARCH64


def tool_for(path, name):
    """objdump and the like, for the machine of an object."""
    return f"aarch64-linux-gnu-{name}" if is_aarch64(path) else name


class Instruction:
    __slots__ = ("address", "text", "relocation", "jump", "target", "decoded", "next")

    def __init__(self, address, text):
        self.address, self.text = address, text
        self.relocation = self.jump = self.target = self.decoded = self.next = None


class Listing:
    """instructions: by address. symbols: those of each address, and the address of each. A target outside is a name."""

    options = ("-M", "intel")
    jump, after_target = JUMP, 4  # how much further than its relocation says a jump leads: it counts from its end

    def __init__(self, path):
        self.path = path
        self.instructions = {}
        self.symbol_at, self.address_of, self.section_of = {}, {}, {}
        self.read()
        self.link()

    def read(self):
        command = [tool_for(self.path, "objdump"), "-dr", "--no-show-raw-insn", *self.options, str(self.path)]
        section, before = 0, None
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                if match := INSTRUCTION.match(line):
                    instruction = Instruction(section | int(match[1], 16), match[2].rstrip())
                    if before is not None:
                        before.next = instruction.address
                    before = self.instructions[instruction.address] = instruction
                elif match := RELOCATION.match(line):
                    before.relocation = (match[2], match[3])
                elif match := LABEL.match(line):
                    self.symbol_at[section | int(match[1], 16)] = match[2]
                    self.address_of[match[2]] = section | int(match[1], 16)
                elif line.startswith("Disassembly of section "):
                    section = (len(self.section_of) + 1) << SECTION_BITS
                    self.section_of[line[len("Disassembly of section "):].rstrip(":\n")] = section
                    before = None
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed")

    def link(self):
        """Says where jumps and calls lead to."""
        for instruction in self.instructions.values():
            match = self.jump.match(instruction.text)
            if not match:
                continue
            instruction.jump, where = match.groups()
            if instruction.relocation is not None:
                instruction.target = self.named(instruction.relocation[1], self.after_target)
            elif hexadecimal := re.search(r"([0-9a-f]+) <", where):
                section = instruction.address >> SECTION_BITS << SECTION_BITS
                instruction.target = section | int(hexadecimal[1], 16)

    def named(self, text, after=0):
        """The address of `name+offset`, or the name if it is elsewhere."""
        name, offset = TARGET.match(text).groups()
        base = self.section_of.get(name, self.address_of.get(name))
        return name if base is None else base + int(offset or "0", 16) + after

    def symbol_of(self, address):
        """The symbol that an address lies in, and where in it."""
        known = [begin for begin in self.symbol_at if begin <= address and begin >> SECTION_BITS == address >> SECTION_BITS]
        begin = max(known, default=address)
        return self.symbol_at.get(begin, "?"), address - begin
