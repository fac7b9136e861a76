"""What instructions of 64-bit Arm do to a state, and what of it a secret must not reach."""

import aarch64_general_instructions as general
import aarch64_vector_instructions as vectors
from aarch64_operands import CHANGE, FLAGS, IMMEDIATE, REGISTER, VECTOR, parse_all
from memory import Memory
from values import PUBLIC, SECRET, added, computed, lane, lanes_of, scaled, whole

LOWER_HALF = 0xFFFFFFFF


class Aarch64Machine:
    """Runs one instruction at a time; `findings` has each place and kind of what must not be, with the instruction."""

    def __init__(self, types):
        self.memory = Memory(types, self.report)
        self.findings = {}
        self.at = None
        self.decoded = {}

    def report(self, kind):
        self.findings.setdefault((self.at.address, kind), self.at)

    def decode(self, text):
        """The rule, the operands and the name of an instruction, from its text."""
        known = self.decoded.get(text)
        if known is None:
            name, _, rest = text.split("//")[0].strip().partition("\t")
            rule = general.rule_of(name) or vectors.rule_of(name)
            parsed = parse_all(rest) if rule is not None else []
            if rule is not None and name in general.SHARED_NAMES and any(operand.kind is VECTOR for operand in parsed):
                rule = vectors.rule_of(name)
            known = self.decoded[text] = (rule, parsed, name)
        return known

    def read(self, state, operand):
        if operand.kind is IMMEDIATE:
            return operand.number
        if operand.kind is REGISTER:
            value = 0 if operand.number is None else state.registers[operand.number]
            if operand.num_bytes == 8 or value is SECRET:
                return value
            return value & LOWER_HALF if type(value) is int else PUBLIC  # a part of a pointer is none
        if operand.kind is VECTOR:
            value = state.registers[operand.number]
            if operand.element is not None:
                value = lane(value, operand.element * operand.element_bytes // 8)
                return value if operand.element_bytes == 8 or value == 0 else computed(value)
            return value if operand.num_bytes == 16 else lane(value, 0)
        return PUBLIC

    def write(self, state, operand, value):
        if operand.kind is REGISTER:
            if operand.number is None:
                return
            value = whole(value)
            if operand.num_bytes == 4 and value is not SECRET:
                value = value & LOWER_HALF if type(value) is int else PUBLIC
            state.registers[operand.number] = value
        elif operand.element is not None:
            old, place = state.registers[operand.number], operand.element * operand.element_bytes // 8
            parts = [lane(old, 0), lane(old, 1)]
            parts[place] = whole(value) if operand.element_bytes == 8 else computed(value, parts[place])
            state.registers[operand.number] = lanes_of(parts)
        elif operand.num_bytes < 16:  # the rest becomes zero
            state.registers[operand.number] = lanes_of([lane(value, 0), 0])
        else:
            state.registers[operand.number] = value

    def changed(self, state, operand, change):
        """A register that is shifted or extended."""
        value = self.read(state, operand)
        if change is None or value is SECRET:
            return value
        if change.element in ("lsl", "uxtw", "uxtx", "sxtw", "sxtx"):
            return scaled(value, 1 << change.number)
        return computed(value)

    def sources(self, state, ops):
        """What operands hold, the last of them perhaps with a change behind it."""
        found = []
        for operand, behind in zip(ops, [*ops[1:], None]):
            if operand.kind is REGISTER and behind is not None and behind.kind is CHANGE:
                found.append(self.changed(state, operand, behind))
            elif operand.kind is not CHANGE:
                found.append(self.read(state, operand))
        return found

    def address_of(self, state, operand):
        """Where memory lies, and what becomes of the base; reports an address that comes from a secret."""
        base = whole(state.registers[operand.base.number])
        if operand.index is not None:
            address = added(base, whole(self.changed(state, operand.index, operand.change)))
        else:
            address = added(base, operand.disp) if operand.disp and base is not SECRET else base
        if address is SECRET:
            self.report("address")
        if operand.before:
            state.registers[operand.base.number] = address
        if operand.after is not None:
            step = whole(self.read(state, operand.after))
            state.registers[operand.base.number] = added(address, step)
        return address

    def set_flags(self, state, *values):
        state.registers[FLAGS] = computed(*map(whole, values))
