"""What the rule finds and people have judged: at most 40 entries. docs/constant_time.md tells them."""

import re
from dataclasses import dataclass, field

MOST_ENTRIES = 40


@dataclass
class ReviewedException:
    """Findings of one kind in functions whose demangled name the symbol matches, at instructions that the pattern matches.

    `most`: so many in one function; another one is a finding. `compilers`: those that may have it, as a pattern over what the object
    says of its compiler: where all objects of one are checked and none needs it, that is a failure.
    """

    symbol: str
    kind: str
    instruction: str
    most: int
    compilers: str
    reason: str
    used: int = field(default=0, compare=False)

    def covers(self, symbol, kind, text):
        return kind == self.kind and re.search(self.symbol, symbol) and re.match(self.instruction, text)


EXCEPTIONS = [
    ReviewedException(
        symbol=r"gcm_open_(long|vectors)<", kind="branch", instruction=r"(jn?e|cbn?z|b\.(eq|ne))\b", most=1, compilers=r"GCC",
        reason="Whether a tag verifies is what the caller is told. The branch is on all of its bytes together."),
    ReviewedException(
        symbol=r"gcm_open_(long|vectors)<", kind="branch", instruction=r"(jn?e|cbn?z|b\.(eq|ne))\b", most=3, compilers=r"clang",
        reason="The same. Of 64-bit Arm clang has it once for each way in which a tag is loaded: of 16, of 8 to 15 and of fewer bytes."),
    ReviewedException(
        symbol=r"finish_(keyed_)?gcm_kernel<", kind="secret into public memory", instruction=r"STG\.E\.U8", most=1, compilers=r"nvcc",
        reason="A message's verdict, which the caller is told."),
    ReviewedException(
        symbol=r"finish_(keyed_)?gcm_kernel<", kind="guard", instruction=r"@!?U?P\d STG\.E(\.SYS)? .*, RZ$", most=1, compilers=r"nvcc",
        reason="Whether all messages are authentic, which the caller is told: zero is stored where one is not."),
]


def judge(findings, compiler, all_objects):
    """(symbol, kind, text, place) of those that no entry covers, and what is wrong with the entries.

    `findings`: (object, symbol, kind, text, place) of all.
    """
    counts, wrong = {}, []
    for finding in findings:
        path, symbol, kind, text, _ = finding
        entry = next((entry for entry in EXCEPTIONS if entry.covers(symbol, kind, text) and re.search(entry.compilers, compiler)), None)
        if entry is not None:
            entry.used += 1
            key = (id(entry), path, symbol)
            counts[key] = counts.get(key, 0) + 1
        if entry is None or counts[key] > entry.most:
            wrong.append(finding)
    complaints = [f"{len(EXCEPTIONS)} exceptions: at most {MOST_ENTRIES}"] if len(EXCEPTIONS) > MOST_ENTRIES else []
    if all_objects:
        complaints += [f"the exception of {entry.symbol} ({entry.kind}) is not needed: remove it" for entry in EXCEPTIONS
                       if entry.used == 0 and re.search(entry.compilers, compiler)]
    return wrong, complaints
