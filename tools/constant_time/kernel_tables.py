"""Which functions of an object are called from outside, and with what: read from its tables of type Kernel and GhashKernel."""

import pathlib
import re
import subprocess
import tempfile

from disassembly import tool_for
from memory import PUBLIC_MEMORY
from values import PUBLIC

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent.parent / "src"
BYTES = PUBLIC  # a pointer to bytes, all of which are secret: keys, text, chaining states, tags
SCHEDULE, LANE_SCHEDULES = "schedule", "lane schedules"  # of one kernel: secret but for what functions that expand keys put there
NUMBER = PUBLIC
COUNTER = PUBLIC_MEMORY  # a pointer to bytes that are no secret
MESSAGES = PUBLIC_MEMORY  # MessageBlocks: pointers to bytes, and numbers
MESSAGES_OF_CTR = ("MessageBlocks", 0, True)  # ... whose iv is a counter
LANES, TEXT = ("LaneMessages", 0, True), ("AeadText", 0, True)

SIGNATURES = {
    "Kernel.expand_key": (BYTES, NUMBER, SCHEDULE),
    "Kernel.range": (SCHEDULE, BYTES, BYTES, BYTES, NUMBER),
    "Kernel.gcm": (SCHEDULE, BYTES, COUNTER, BYTES, BYTES, BYTES, NUMBER, BYTES, NUMBER),
    "Kernel.gcm_seal": (SCHEDULE, BYTES, TEXT),
    "Kernel.gcm_open": (SCHEDULE, BYTES, TEXT, NUMBER),
    "Kernel.expand_lane_keys": (BYTES, NUMBER, NUMBER, LANE_SCHEDULES),
    "Kernel.set_lane": (SCHEDULE, NUMBER, LANE_SCHEDULES),
    "Kernel.packed": (SCHEDULE, MESSAGES, NUMBER),
    "Kernel.multi_buffer": (SCHEDULE, BYTES, LANES, NUMBER),
    "Kernel.multi_key": (LANE_SCHEDULES, BYTES, LANES, NUMBER),
    "GhashKernel.expand_key": (BYTES, BYTES),
    "GhashKernel.update": (BYTES, BYTES, BYTES, NUMBER, BYTES, NUMBER),
}
NO_FUNCTIONS = {"Kernel.serial_blocks"}
FIRST_LANE = 2  # of the arguments of expand_lane_keys
MOST_FIRST_LANES = 64


class Layout:
    """The offsets of members, by `Type.member`, as a compiler lays them out."""

    def __init__(self, compiler):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "kernel_layout.o"
            subprocess.run([*compiler.split(), "-std=c++20", "-O1", "-w", f"-I{SOURCES}", f"-I{SOURCES.parent / 'include'}", "-c",
                            str(HERE / "kernel_layout.cpp"), "-o", str(path)], check=True)
            data = read_only_data(path)
        self.rows = {}
        for at in range(0, len(data) - 55, 56):
            name = data[at:at + 40].split(b"\0")[0].decode()
            if name:
                self.rows[name] = (int.from_bytes(data[at + 40:at + 48], "little"), int.from_bytes(data[at + 48:at + 56], "little"))

    def types(self):
        """As Memory takes them."""
        fields = {"public": {}, "LaneMessages": {}, "AeadText": {}, "MessageBlocks": {}}
        for name in ("LaneMessages.in", "LaneMessages.out", "LaneMessages.num_blocks", "AeadText.nonce", "MessageBlocks.iv"):
            fields[name.split(".")[0]][self.rows[name][0]] = PUBLIC_MEMORY
        return {name: (self.rows[name][1] if name in self.rows else 8, offsets) for name, offsets in fields.items()}

    def member_at(self, table, offset):
        """The member of a table at an offset, and which element of it."""
        for name, (begin, num_bytes) in self.rows.items():
            if name.startswith(table + ".") and begin <= offset < begin + num_bytes:
                return name, (offset - begin) // 8
        return None, 0


def read_only_data(path):
    binary = path.with_suffix(".bin")
    subprocess.run([tool_for(path, "objcopy"), "-O", "binary", "-j", ".rodata", str(path), str(binary)], check=True)
    return binary.read_bytes()


def tables_of(path):
    """The tables of an object: name, section and offsets."""
    for line in subprocess.run([tool_for(path, "objdump"), "-t", str(path)], capture_output=True, text=True, check=True).stdout.splitlines():
        match = re.match(r"([0-9a-f]+) g +O (\S+)\s+([0-9a-f]+) (?:\.hidden )?(_ZN7phalanx\d+(\w*kernel_\w+)E)$", line)
        if match:
            yield match[5], match[2], int(match[1], 16), int(match[3], 16)


def global_functions(path):
    """Those that other objects can call."""
    table = subprocess.run([tool_for(path, "objdump"), "-t", str(path)], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^[0-9a-f]+ [gwu!].{5}F \.text\S*\s+[0-9a-f]+ (?:\.hidden )?(\S+)$", table, re.MULTILINE))


def number_at(path, section, offset):
    """The 8 bytes at an offset of a section, as a number."""
    command = [tool_for(path, "objdump"), "-s", "-j", section, f"--start-address={offset:#x}", f"--stop-address={offset + 8:#x}", str(path)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    digits = re.search(r"^ [0-9a-f]+ ([0-9a-f]{8}) ([0-9a-f]{8}) ", text, re.MULTILINE)
    return int.from_bytes(bytes.fromhex(digits[1] + digits[2]), "little")


def first_lanes(path, section, begin, layout):
    """What expand_lane_keys is called with, so that what it stores is known by its place."""
    lanes, key_lanes = (number_at(path, section, begin + layout.rows[f"Kernel.{name}"][0]) for name in ("lanes", "key_lanes"))
    return range(0, lanes, key_lanes)[:MOST_FIRST_LANES]


def pointers_in(path, section):
    """What relocations put into a section, by offset."""
    found = {}
    for line in subprocess.run([tool_for(path, "objdump"), "-r", "-j", section, str(path)], capture_output=True, text=True, check=True).stdout.splitlines():
        if match := re.match(r"([0-9a-f]+) R_(?:X86_64_64|AARCH64_ABS64) +(\S+)", line):
            found[int(match[1], 16)] = match[2]
    return found


def entries_of(path, listing, layout):
    """(address, name, arguments) of each function of each table."""
    for table, section, begin, num_bytes in tables_of(path):
        kind = "GhashKernel" if table.startswith("ghash") else "Kernel"
        for offset, target in sorted(pointers_in(path, section).items()):
            if not begin <= offset < begin + num_bytes:
                continue
            member, element = layout.member_at(kind, offset - begin)
            if member in NO_FUNCTIONS:
                continue
            if member not in SIGNATURES:
                raise RuntimeError(f"{path}: {table} has a function at {offset - begin} that no signature is known of")
            arguments = list(SIGNATURES[member])
            if element // layout.rows["Direction"][1] == layout.rows["Mode.ctr"][0]:
                if member == "Kernel.range":
                    arguments[1] = COUNTER
                elif member == "Kernel.packed":
                    arguments[1] = MESSAGES_OF_CTR
            arguments = [(f"{role} of {table}", 0, True) if role in (SCHEDULE, LANE_SCHEDULES) else role for role in arguments]
            name = f"{table}.{member.split('.')[1]}[{element}]"
            lanes = first_lanes(path, section, begin, layout) if member == "Kernel.expand_lane_keys" else []
            for lane in lanes:
                yield listing.named(target), name, [*arguments[:FIRST_LANE], lane, *arguments[FIRST_LANE + 1:]]
            if not 0 < len(lanes) < MOST_FIRST_LANES:
                yield listing.named(target), name, arguments
