"""The flow of values through functions of 64-bit Arm: what its calls and its conditions are."""

from aarch64_general_instructions import nothing
from aarch64_machine import Aarch64Machine
from aarch64_operands import FIRST_VECTOR, FLAGS, NUM_REGISTERS, REGISTER, STACK_POINTER, parse_all
from flow import ENDS, Flow
from values import PUBLIC, whole

LINK = 30


class Aarch64Flow(Flow):
    make_machine = Aarch64Machine
    arguments, caller_saved = list(range(8)), [*range(19), LINK]
    stack_pointer, first_vector, flags, num_registers = STACK_POINTER, FIRST_VECTOR, FLAGS, NUM_REGISTERS
    return_address_bytes = 0  # it is in a register
    vectors_of_callers = tuple(FIRST_VECTOR + i for i in range(8, 16))

    def condition_of(self, instruction, state):
        """CBZ and TBZ go by a register, B by the flags."""
        if instruction.jump.startswith("b."):
            return whole(state.registers[FLAGS])
        return self.machine.read(state, tested(instruction))

    def enter(self, state):
        state.registers[LINK] = PUBLIC

    def leave(self, state):
        pass

    def zero_register(self, block, target):
        """The register that is zero where a block's last jump leads to target: CBZ says so, or flags that were set by its comparison with 0."""
        last = block[-1]
        if last.jump in ("cbz", "cbnz"):
            return tested(last).number if (target == last.target) == (last.jump == "cbz") else None
        if len(block) < 2 or last.jump not in ("b.eq", "b.ne") or block[-2].jump is not None:
            return None
        _, ops, name = block[-2].decoded
        of_first = name in ("subs", "adds", "ands") or (name == "cmp" and ops[1].text == "#0x0")
        return ops[0].number if of_first and ops[0].kind is REGISTER and (target == last.target) == (last.jump == "b.eq") else None

    def fills_a_gap(self, instruction):
        return instruction.jump is None and (instruction.decoded[0] is nothing or instruction.decoded[2] in ENDS)


def tested(instruction):
    return parse_all(instruction.text.partition("\t")[2])[0]
