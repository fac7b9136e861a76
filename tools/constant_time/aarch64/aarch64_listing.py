"""The instructions of an object of 64-bit Arm, with jumps called as those of x86-64 are, so that one flow follows both."""

import re

from disassembly import Listing


class Aarch64Listing(Listing):
    """JMP is B and BR, CALL is BL and BLR; all others are jumps by a condition and keep their names. RET is none of them."""

    options = ()
    jump, after_target = re.compile(r"(b\.\w+|bl?r?|cbn?z|tbn?z)\s+(.*)$"), 0

    def link(self):
        super().link()
        for instruction in self.instructions.values():
            instruction.jump = {"b": "jmp", "br": "jmp", "bl": "call", "blr": "call"}.get(instruction.jump, instruction.jump)
