"""What is known of a GPU's memory: global by the pointer, constant by its place, shared as a whole, local word by word."""

from gpu_values import ALL, PUBLIC, SECRET, STACK_BYTES, STACK_TOP, TEXT, ZERO, added, by_table, computed, constant, is_constant, join, of_bits, shifted_left
from kernel_parameters import MESSAGES, NUMBERS

PARTS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
BANK_BITS = 127  # of a shared address: 32 banks of four bytes


class Memory:
    def __init__(self, machine):
        self.machine = machine
        self.shared_is_secret = False
        self.local_somewhere = None  # what was stored at unknown places of local memory

    def address(self, state, operand):
        """The sum of an address's registers and numbers."""
        value = constant(operand.number)
        for base in operand.bases:
            number = self.machine.read(state, base)
            if ".64" in base.text and self.machine.read(state, base, 1)[0]:
                number = SECRET
            value = added(number, value)
        return value

    def size(self, instruction):
        return next((PARTS[part] for part in instruction.parts if part in PARTS), 4)

    def load_constant(self, state, operand, num_bytes, place=0):
        """An index that comes from a secret is a finding; a public one stays in the variable that the number lies in."""
        if computed(*(self.machine.read(state, base) for base in operand.bases))[0]:
            self.machine.report("address")
        begins = [number for number in (self.machine.read(state, base)[4] for base in operand.bases) if type(number) is int]
        value = self.machine.parameters.load(operand.bank, operand.number + sum(begins) + 4 * place, num_bytes)
        return value if not operand.bases else (*value[:4], None)

    def load(self, state, instruction, operand):
        """The words that are loaded."""
        num_bytes = self.size(instruction)
        num_words = max(1, num_bytes // 4)
        kind = instruction.parts[0]
        if operand.kind == "constant":
            return [self.load_constant(state, operand, min(num_bytes, 4), place) for place in range(num_words)]
        address = self.address(state, operand)
        if kind in ("LDS", "ATOMS"):
            self.check_shared(address, num_bytes)
            return [word_of(num_bytes, self.shared_is_secret or bool(address[0]))] * num_words
        if address[0]:
            self.machine.report("address")
            return [word_of(num_bytes, True)] * num_words
        if kind == "LDL":
            return self.load_local(state, address, num_bytes)
        region = address[4]
        if region is NUMBERS:
            return [word_of(num_bytes, False)] * num_words
        if region is MESSAGES:
            return [(*PUBLIC[:4], TEXT), PUBLIC] * (num_words // 2) or [word_of(num_bytes, False)]
        return [word_of(num_bytes, True)] * num_words

    def store(self, state, instruction, operand, values):
        num_bytes = self.size(instruction)
        kind = instruction.parts[0]
        address = self.address(state, operand)
        is_secret = any(value[0] & ((1 << 8 * min(num_bytes, 4)) - 1) for value in values)  # of less than a word, its low bytes
        if kind in ("STS", "ATOMS"):
            self.check_shared(address, num_bytes)
            self.shared_is_secret |= is_secret
            return
        if address[0]:
            self.machine.report("address")
        elif kind == "STL":
            self.store_local(state, operand, address, num_bytes, values)
        elif is_secret and address[4] in (NUMBERS, MESSAGES):
            self.machine.report("secret into public memory")
        elif kind in ("ST", "ATOM") and is_secret and address[4] is None:
            self.shared_is_secret = True  # a pointer to any memory

    def check_shared(self, address, num_bytes):
        """A secret may choose the row, where each lane has a bank of its own: 4 * lane, and nothing else, in the low seven bits."""
        if not address[0]:
            return
        is_of_lane = address[3] == 2 and address[1] & 3 == 3 and not address[0] & BANK_BITS and num_bytes == 4
        if is_of_lane:
            self.machine.lane_addresses.add(self.machine.at.address)
        else:
            self.machine.report("shared address")

    def load_local(self, state, address, num_bytes):
        num_words = max(1, num_bytes // 4)
        if not is_constant(address):
            is_secret = any(value[0] for value in state.local.values()) or bool(self.local_somewhere and self.local_somewhere[0])
            return [word_of(num_bytes, is_secret or not state.local)] * num_words
        words = []
        for place in range(num_words):
            value = state.local.get((address[2] + 4 * place) & ~3, SECRET)
            if self.local_somewhere is not None and self.local_somewhere[0]:
                value = SECRET
            words.append(value if num_bytes >= 4 else word_of(num_bytes, bool(value[0])))
        return words

    def store_local(self, state, operand, address, num_bytes, values):
        if not is_constant(address):
            self.store_in_array(state, address[4], operand.number, computed(*values))
            return
        for i, value in enumerate(values):
            place = (address[2] + 4 * i) & ~3
            old = state.local.get(place)
            if num_bytes < 4:
                value = inserted(value, 8 * (address[2] & 3), num_bytes, old or SECRET)
            if self.machine.guard is not None and old is not None:  # what was there may stay
                value = SECRET if self.machine.is_guard_secret else join(value, old)
            state.local[place] = value

    def store_in_array(self, state, begin, offset, value):
        """At an unknown place: behind its beginning all may be this now, up to where a public number lies; without one, anything."""
        if type(begin) is not int or not STACK_TOP - STACK_BYTES <= begin < STACK_TOP:
            self.local_somewhere = value if self.local_somewhere is None else join(self.local_somewhere, value)
            return
        for place in sorted(place for place in state.local if place >= begin + offset):
            known = state.local[place]
            if not known[0] and known != ZERO:
                return
            state.local[place] = computed(known, value)


def word_of(num_bytes, is_secret):
    if num_bytes >= 4:
        return SECRET if is_secret else PUBLIC
    return of_bits(8 * num_bytes, is_secret)


def inserted(value, place, num_bytes, old):
    """A word of which one or two bytes are written."""
    mask = constant(ALL & (((1 << 8 * num_bytes) - 1) << place))
    return by_table(0xE2, shifted_left(value, place), mask, old)
