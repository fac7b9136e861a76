"""What a kernel for GPUs is told: which of its parameters are public, and what their pointers lead to.

A pointer that is not named here leads to text: keys, schedules, data, tags and chaining states.
"""

import pathlib
import re
import subprocess
import tempfile

from gpu_values import PUBLIC, SECRET, STACK_TOP, constant, of_bits

NUMBERS = "numbers"  # memory of public numbers; to store a secret there is a finding
MESSAGES = "messages"  # memory of public numbers and pointers to text
SOURCE = pathlib.Path(__file__).resolve().parents[3]
FIRST_PARAMETER = {75: 0x160, 80: 0x160, 86: 0x160, 89: 0x160, 90: 0x210}
STACK_POINTER = 0x28  # in bank 0: where local memory ends, of which the beginning counts

# Members of parameters, by gpu_parameter_layout.cpp, that point to something else than text.
CHECKED = ["arrays.in_offsets", "arrays.out_offsets", "arrays.lengths", "arrays.nonces", "messages", "crypt_starts.in_group",
           "crypt_starts.of_group", "verdicts", "num_misplaced", "all_authentic"]
REGIONS = {
    "GpuBatch": {"messages": MESSAGES, "owners": NUMBERS, "rests": NUMBERS},
    "GpuJob": {},
    "DeviceBatchJob": dict.fromkeys([*CHECKED, "arrays.associated_offsets", "hash_starts.in_group", "hash_starts.of_group"], NUMBERS),
    "DevicePiecesJob": {**dict.fromkeys([f"job.{member}" for member in CHECKED] + ["owners", "rests"], NUMBERS),
                        "pieces": MESSAGES, "tweak_messages": MESSAGES},
    "GpuSectorArrays": {"numbers": NUMBERS, "offsets": NUMBERS},
    "HashJob": {},
    "ScatterWrites": {"starts": NUMBERS, "offsets": NUMBERS},
}
SECRET_MEMBERS = {"GpuJob": ["range.iv"]}  # a chaining state; that of XTS is an encrypted tweak. CTR's numbers have members of their own
PUBLIC_ARGUMENTS = {"unsigned int const*": NUMBERS}  # all_authentic
PUBLIC_VARIABLES = re.compile(r"gpu_aes_tables|gpu_des_tables|gpu_twofish_q_table|12key_schedule")  # in constant memory
PUBLIC_BEGINNINGS = {"des_cuda": 4}  # of current_key: num_passes


def layout(compiler, nvcc):
    """(type, member): (offset, bytes), by a program that is compiled. CUDA's headers are beside nvcc's folder."""
    cuda_headers = pathlib.Path(nvcc).resolve().parents[1] / "include"
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "layout"
        subprocess.run([compiler, "-std=c++20", "-w", f"-I{SOURCE / 'src'}", f"-I{SOURCE / 'include'}", f"-I{cuda_headers}", "-o", program,
                        pathlib.Path(__file__).with_name("gpu_parameter_layout.cpp")], check=True)
        lines = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split("\n")
    return {(words[0], words[1]): (int(words[2]), int(words[3])) for words in map(str.split, lines) if words}


def arguments_of(signature):
    """The types of a demangled kernel's arguments."""
    plain = signature.replace("(anonymous namespace)::", "").replace("phalanx::", "")
    inside = plain[plain.rindex("(") + 1:plain.rindex(")")]
    return [part.strip() for part in split_types(inside)]


def split_types(text):
    depth, part, parts = 0, "", []
    for letter in text:
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    return [*parts, part] if part.strip() else parts


class Parameters:
    """Constant memory as one kernel sees it."""

    def __init__(self, listing, signature, members):
        self.listing = listing
        self.regions, self.secrets = {}, []
        first = FIRST_PARAMETER[listing.architecture]
        types = arguments_of(signature)
        if types and types[0] in REGIONS:
            for member, region in REGIONS[types[0]].items():
                self.regions[first + members[types[0], member][0]] = region
            for member in SECRET_MEMBERS.get(types[0], []):
                offset, size = members[types[0], member]
                self.secrets.append((first + offset, first + offset + size))
        elif types and types[0] in PUBLIC_ARGUMENTS:
            self.regions[first] = PUBLIC_ARGUMENTS[types[0]]

    def load(self, bank, offset, num_bytes):
        """A value of at most four bytes."""
        if bank == 0:
            if offset == STACK_POINTER:
                return constant(STACK_TOP)
            if any(begin < offset + num_bytes and offset < end for begin, end in self.secrets):
                return of_bits(8 * num_bytes, True) if num_bytes < 4 else SECRET
            value = of_bits(8 * num_bytes, False) if num_bytes < 4 else PUBLIC
            return (*value[:4], self.regions.get(offset))
        if bank == 3 and self.is_secret(offset):
            return of_bits(8 * num_bytes, True) if num_bytes < 4 else SECRET
        return of_bits(8 * num_bytes, False) if num_bytes < 4 else PUBLIC

    def is_secret(self, offset):
        for begin, size, name in self.listing.constants:
            if begin <= offset < begin + size:
                public = [num_bytes for part, num_bytes in PUBLIC_BEGINNINGS.items() if part in name]
                return not PUBLIC_VARIABLES.search(name) and offset - begin >= sum(public)
        return True
