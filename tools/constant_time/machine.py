"""What instructions of x86-64 do to a state, and what of it a secret must not reach."""

import re

import operands
import scalar_instructions
import vector_instructions
from memory import Memory
from operands import IMMEDIATE, MEMORY, REGISTER
from values import FIRST_VECTOR, FLAGS, PUBLIC, SECRET, Lanes, added, computed, join, lane, lanes_of, scaled, whole

OF_QUADWORDS = re.compile(r"\w*(64|q|pd)")  # instructions whose elements have eight bytes: their masks have eight bits at most
PREFIXES = {"lock", "rep", "repz", "repnz", "notrack", "bnd", "data16", "cs", "ds", "es", "fs", "gs", "ss", "xacquire", "xrelease"}


class Machine:
    """Runs one instruction at a time; `findings` has each place and kind of what must not be, with the instruction."""

    def __init__(self, types):
        self.memory = Memory(types, self.report)
        self.findings = {}
        self.at = None
        self.decoded = {}

    def report(self, kind):
        self.findings.setdefault((self.at.address, kind), self.at)

    # Operands

    def address_of(self, state, operand):
        """Where memory lies; reports an address that comes from a secret."""
        if operand.is_rip:
            return ("public", 0, False)
        registers = state.registers
        value = operand.disp
        if operand.base is not None:
            value = whole(registers[operand.base])
            if operand.disp and value is not SECRET:
                value = added(value, operand.disp)
        if operand.index is not None:
            index = whole(registers[operand.index])
            value = added(value, scaled(index, operand.scale) if operand.scale != 1 else index)
        return value

    def checked_address(self, state, operand):
        address = self.address_of(state, operand)
        if address is SECRET:
            self.report("address")
        if self.has_secret_mask(state, operand):
            self.report("mask of memory")
        return address

    def is_there(self, state, operand):
        """Constants of the program, and a known place of the stack: no access to them faults."""
        address = self.address_of(state, operand)
        return operand.is_rip or type(address) is tuple and type(address[0]) is int and address[2]

    def has_secret_mask(self, state, operand):
        if operand.mask is None:
            return False
        mask = state.registers[operand.mask]
        of_lowest_byte = type(mask) is Lanes and OF_QUADWORDS.fullmatch(self.at.text.split(None, 1)[0])
        return (lane(mask, 0) if of_lowest_byte else whole(mask)) is SECRET

    def read(self, state, operand, num_bytes=0):
        if operand.kind is REGISTER:
            value = state.registers[operand.number]
            if operand.number >= FIRST_VECTOR:
                return value
            if type(value) is Lanes:
                return value[0] if operand.num_bytes == 1 and not operand.high else whole(value)
            if operand.num_bytes < 8 and type(value) is tuple:
                return PUBLIC  # a part of a pointer
            return value
        if operand.kind is IMMEDIATE:
            return operand.number
        if operand.kind is MEMORY:
            return self.memory.load(state, self.checked_address(state, operand), operand.num_bytes or num_bytes or 8)
        return PUBLIC

    def write(self, state, operand, value, num_bytes=0):
        if operand.kind is REGISTER:
            if operand.number < FIRST_VECTOR and operand.num_bytes < 8:
                if operand.num_bytes < 4:
                    value = self.in_part(state.registers[operand.number], operand, computed(value))
                elif type(value) is int:
                    value &= 0xFFFFFFFF
                elif type(value) is tuple:
                    value = PUBLIC
            if operand.mask is not None:
                value = self.masked(state, operand, value, state.registers[operand.number])
            state.registers[operand.number] = value
        elif operand.kind is MEMORY:
            address = self.checked_address(state, operand)
            size = operand.num_bytes or num_bytes or 8
            if operand.mask is not None:
                value = self.masked(state, operand, value, self.memory.load(state, address, size))
            self.memory.store(state, address, size, value)

    def in_part(self, old, operand, value):
        """A register whose lowest byte, or two, were written."""
        rest = old[1] if type(old) is Lanes else old
        if operand.num_bytes == 1 and not operand.high:
            return lanes_of([value, rest if rest == 0 else computed(rest)])
        return computed(value, old)

    def masked(self, state, operand, value, old):
        if self.has_secret_mask(state, operand):
            return SECRET
        return value if operand.zeroes else join(value, old)

    # Instructions

    def decode(self, text):
        """The rule and the operands of an instruction, from its text."""
        known = self.decoded.get(text)
        if known is None:
            words = text.split(None, 1)
            prefixes = set()
            while words[0] in PREFIXES and len(words) > 1:
                prefixes.add(words[0])
                words = words[1].split(None, 1)
            name = words[0]
            if name.startswith("rex"):
                words = words[1].split(None, 1)
                name = words[0]
            rule = rule_of(name, prefixes)
            parsed = []
            if rule is not None and len(words) > 1:
                parsed = [operands.parse(part) for part in words[1].split(" #")[0].strip().split(",")]
                if parsed[-1].kind is operands.NONE:
                    parsed.pop()
            known = self.decoded[text] = (rule, parsed, name)
        return known

    def set_flags(self, state, *values):
        state.registers[FLAGS] = computed(*map(whole, values))


def rule_of(name, prefixes):
    if name.startswith("rep") or prefixes & {"rep", "repz", "repnz"}:
        return scalar_instructions.REPEATED.get(name)
    return scalar_instructions.rule_of(name) or vector_instructions.rule_of(name)
