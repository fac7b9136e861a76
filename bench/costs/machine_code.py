"""How long the machine code is of what valgrind cannot run: AVX-512's kernels and those of GPUs, by disassembly.

Functions that differ only in types count as one: "parallel_range Ctr" is that of all key sizes. Of each there are two numbers: all
instructions, and those of the longest innermost loop, where that is long enough to be the one that the time goes to.
"""

import collections
import pathlib
import re
import subprocess
import sys

CONSTANT_TIME = pathlib.Path(__file__).resolve().parents[2] / "tools/constant_time"
sys.path.insert(0, str(CONSTANT_TIME / "gpu"))

import gpu_programs  # noqa: E402

SHORTEST_FUNCTION, SHORTEST_LOOP = 300, 100  # instructions that are worth a row: two in a hundred are more than one then
FETCH_GPU_TOOLS = CONSTANT_TIME / "fetch_gpu_tools"
MODES = ["ecb", "cbc", "ctr", "cfb", "ofb", "xts"]
DIRECTIONS = ["encrypt", "decrypt"]
# As objdump and cuobjdump print them: a function's name, an instruction with its address, and where a jump leads to.
CPU = [re.compile(r"^[0-9a-f]+ <(.*)>:$"), re.compile(r"^ *([0-9a-f]+):\t(.*)$"), re.compile(r"^j\w+ +([0-9a-f]+) <")]
GPU = [re.compile(r"^\s+Function : (\S+)$"), re.compile(r"^\s+/\*([0-9a-f]{4,6})\*/\s+(.*?);"),
       re.compile(r"^(?:@!?U?P\w+ )?BRA(?:\.\w+)* (?:!?U?P\w+, )?0x([0-9a-f]+)")]  # fmt: skip


def functions_of(lines, patterns):
    """By symbol: the address of each instruction, and the loops as (first address, last address)."""
    label, instruction, jump = patterns
    functions, addresses, loops = {}, [], []
    for line in lines:
        if match := label.match(line):
            addresses, loops = [], []
            functions[match[1]] = (addresses, loops)
        elif match := instruction.match(line):
            address = int(match[1], 16)
            addresses.append(address)
            target = jump.match(match[2].strip())
            # A jump to itself ends what a GPU's kernel has.
            if target and addresses[0] <= int(target[1], 16) < address:
                loops.append((int(target[1], 16), address))
    return functions


def longest_innermost(addresses, loops):
    innermost = [(first, last) for first, last in loops
                 if not any((begin, end) != (first, last) and first <= begin and end <= last for begin, end in loops)]  # fmt: skip
    return max((sum(first <= address <= last for address in addresses) for first, last in innermost), default=0)


def outside_brackets(text):
    kept, depth = [], 0
    for character in text:
        depth -= character in ")>]}"
        if depth == 0 and character not in ")>]}([<{":
            kept.append(character)
        depth += character in "([<{"
    return "".join(kept)


def family_of(function):
    """What a demangled name is without its types: "parallel_range Ctr", "lanes_by cbc encrypt"."""
    plain = function.replace("(anonymous namespace)::", "").replace("phalanx::", "")
    plain = re.sub(r"( const)?( \[clone [^]]*\])*$", "", plain)
    words = [outside_brackets(plain).split()[-1].removesuffix("::")]
    if core := re.search(r"\b(Ecb|CbcDecrypt|Ctr|CfbDecrypt|Xts|Gpu(?:Ecb|Cbc\w*|Ctr|Cfb\w*|Ofb|Xts|Gcm\w*))\b", plain):
        words.append(core[1])
    if mode := re.search(r"\(Mode\)(\d)", plain):
        words.append(MODES[int(mode[1])])
    if direction := re.search(r"\(Direction\)(\d)", plain):
        words.append(DIRECTIONS[int(direction[1])])
    return " ".join(words)


def rows_of(object_name, lines, patterns):
    functions = functions_of(lines, patterns)
    names = subprocess.run(["c++filt"], input="\n".join(functions), capture_output=True, text=True, check=True).stdout.split("\n")
    all_of, loop_of = collections.Counter(), collections.Counter()
    for name, (addresses, loops) in zip(names, functions.values()):
        family = family_of(name)
        all_of[family] += len(addresses)
        loop_of[family] += longest_innermost(addresses, loops)
    rows = {f"{object_name}, {family}": {"instructions": number} for family, number in all_of.items() if number >= SHORTEST_FUNCTION}
    rows |= {f"{object_name}, {family}, longest loop": {"instructions": number} for family, number in loop_of.items() if number >= SHORTEST_LOOP}
    return rows


def lines_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\n")


def count_cpu(objects):
    rows = {}
    for path in objects:
        rows |= rows_of(path.name.removesuffix(".cpp.o"), lines_of("objdump", "-d", "--no-show-raw-insn", path), CPU)
    return rows


def find_cuobjdump(build_folder):
    """CUDA's own program, or that which the tests fetch into the build folder; None where neither can be had."""
    if found := gpu_programs.find("cuobjdump"):
        return found
    fetched = subprocess.run([FETCH_GPU_TOOLS, build_folder / "constant_time/gpu_tools"], capture_output=True, text=True)
    return f"{fetched.stdout.strip()}/cuobjdump" if fetched.returncode == 0 else None


def count_gpu(objects, cuobjdump):
    rows = {}
    for path in objects:
        lines = lines_of(cuobjdump, "-sass", path)
        starts = [number for number, line in enumerate(lines) if re.match(r"\s*code for sm_", line)]
        for start, end in zip(starts, [*starts[1:], len(lines)]):
            architecture = lines[start].split()[-1]
            rows |= rows_of(f"{path.name.removesuffix('.cu.o')} {architecture}", lines[start:end], GPU)
    return rows
