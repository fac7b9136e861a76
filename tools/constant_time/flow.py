"""Follows values through the functions of an object, from what its callers are told about the arguments."""

import heapq

import scalar_instructions
from machine import PREFIXES, Machine
from memory import UNWRITTEN, store_number
from operands import REGISTER
from values import FIRST_VECTOR, FLAGS, LINE_BITS, LINE_BYTES, NUM_REGISTERS, PUBLIC, SECRET, STACK_POINTER, State, added, computed, whole

ARGUMENTS = [7, 6, 2, 1, 8, 9]  # rdi rsi rdx rcx r8 r9
CALLER_SAVED = [0, 1, 2, 6, 7, 8, 9, 10, 11]
COPIES = {"memcpy", "memmove", "__memcpy_chk", "__memmove_chk"}
FILLS = {"memset", "__memset_chk", "explicit_bzero"}
MOST_DEPTH = 60
RETURNS, ENDS = ("ret", "retq"), ("ud2", "hlt", "udf", "brk")


class Flow:
    """Of one object: `types` as Memory has them. What only x86-64 has is here, and aarch64/aarch64_flow.py has its own instead."""

    make_machine = Machine
    arguments, caller_saved = ARGUMENTS, CALLER_SAVED
    stack_pointer, first_vector, flags, num_registers = STACK_POINTER, FIRST_VECTOR, FLAGS, NUM_REGISTERS
    return_address_bytes = 8  # that a call leaves on the stack
    vectors_of_callers = ()  # which a function puts back: what its caller has in them is none of its arguments

    def __init__(self, listing, types):
        self.listing = listing
        self.machine = self.make_machine(types)
        self.functions = {}
        self.results = {}
        self.visited = set()
        for instruction in listing.instructions.values():
            if instruction.jump is None:
                instruction.decoded = self.machine.decode(instruction.text)

    @property
    def findings(self):
        return self.machine.findings

    def follow_all(self, entries):
        """Each (address, name, arguments): until what is known of schedules is what is stored in them."""
        while True:
            known = {region: dict(places) for region, places in self.machine.memory.schedules.items()}
            self.findings.clear()
            for address, _, arguments in entries:
                self.results.clear()
                self.follow(address, arguments)
            if known == self.machine.memory.schedules:
                return

    def not_followed(self):
        """The instructions that no path came to, but for those that fill gaps."""
        return [instruction for address, instruction in self.listing.instructions.items()
                if address not in self.visited and not self.fills_a_gap(instruction)]

    def follow(self, address, arguments):
        """One function, as a caller of the object calls it."""
        registers = [PUBLIC] * self.first_vector + [SECRET] * (self.flags - self.first_vector) + [PUBLIC]
        assert len(registers) == self.num_registers
        registers[self.stack_pointer] = (0, 0, True)
        for number in self.vectors_of_callers:
            registers[number] = PUBLIC
        for number, value in zip(self.arguments, arguments):
            registers[number] = value
        state = State(registers)
        store_number(state, 0, 0, self.return_address_bytes, PUBLIC)
        for i, value in enumerate(arguments[len(self.arguments):]):
            store_number(state, 0, self.return_address_bytes + 8 * i, 8, value)
        self.run_function(address, state, 0)

    def blocks_of(self, entry):
        """The blocks that jumps reach from an address: their instructions, by their first ones, and an order to visit them in."""
        known = self.functions.get(entry)
        if known is None:
            known = self.functions[entry] = cut_into_blocks(self.listing.instructions, entry)
        return known

    def run_function(self, entry, state, depth):
        """The state after its return, or None if it does not return."""
        known = self.results.setdefault((entry, *state.registers), [])
        for before, after in known:
            if before.has_memory_of(state):
                return after.copy() if after is not None else None
        before = state.copy()
        blocks, order = self.blocks_of(entry)
        states, waiting, queued, exit_state = {entry: state}, [(0, entry)], {entry}, None
        while waiting:
            _, start = heapq.heappop(waiting)
            queued.discard(start)
            now = states[start].copy()
            ends = self.run_block(blocks[start], now, depth)
            for target in ends:
                if target is None:
                    exit_state = now if exit_state is None else joined(exit_state, now)
                    continue
                old = states.get(target)
                zero = self.zero_register(blocks[start], target) if len(ends) == 2 else None
                if zero is not None:
                    kept, now.registers[zero] = now.registers[zero], 0
                if old is None:
                    states[target] = now.copy()
                    changed = True
                else:
                    changed = old.join_in(now, loops=order[target] <= order[start])
                if zero is not None:
                    now.registers[zero] = kept
                if changed and target not in queued:
                    queued.add(target)
                    heapq.heappush(waiting, (order[target], target))
        if exit_state is not None:
            forget_below(exit_state, self.stack_pointer)
        known.append((before, exit_state.copy() if exit_state is not None else None))
        return exit_state

    def run_block(self, block, state, depth):
        """Where it leads to: addresses, or None for the function's end."""
        machine = self.machine
        for instruction in block:
            self.visited.add(instruction.address)
            if instruction.jump is None:
                rule, parsed, name = instruction.decoded
                machine.at = instruction
                if rule is None:
                    if name in RETURNS:
                        self.leave(state)
                        return [None]
                    if name in ENDS:
                        return []
                    machine.report("unknown instruction")
                else:
                    rule(machine, state, parsed, name)
            elif instruction.jump == "call":
                if not self.call(instruction, state, depth):
                    return []
            else:
                return self.jump(instruction, state, depth)
        return [block[-1].next]

    def jump(self, instruction, state, depth):
        self.machine.at = instruction
        target = instruction.target
        if instruction.jump == "jmp":
            if type(target) is int:
                return [target]
            if target is None:
                self.machine.report("indirect jump")
                return []
            self.call_outside(target, state)
            self.leave(state)
            return [None]
        if self.condition_of(instruction, state) is SECRET:
            self.machine.report("branch")
        if type(target) is not int:
            self.machine.report("indirect jump")
            return [instruction.next]
        return [target, instruction.next] if target != instruction.next else [target]

    def condition_of(self, instruction, state):
        """What a jump goes by."""
        of_counter = "cx" in instruction.jump or "loop" in instruction.jump
        return whole(state.registers[1 if of_counter else FLAGS])

    def enter(self, state):
        """The stack as a call leaves it."""
        registers = state.registers
        registers[STACK_POINTER] = added(registers[STACK_POINTER], -8)
        self.machine.memory.store(state, registers[STACK_POINTER], 8, PUBLIC)

    def leave(self, state):
        """The stack as a return leaves it."""
        state.registers[STACK_POINTER] = added(state.registers[STACK_POINTER], 8)

    def zero_register(self, block, target):
        """The register that is zero where a block's last jump leads to target, since the flags are of it."""
        if len(block) < 2 or block[-1].jump not in ("je", "jne", "jz", "jnz") or block[-2].jump is not None:
            return None
        is_zero_there = (target == block[-1].target) == (block[-1].jump in ("je", "jz"))
        _, ops, name = block[-2].decoded
        of_first = name in ("or", "sub", "add", "xor", "and") or (name == "test" and ops[0].text == ops[1].text)
        if is_zero_there and of_first and ops[0].kind is REGISTER and ops[0].num_bytes >= 4:
            return ops[0].number
        return None

    def fills_a_gap(self, instruction):
        if instruction.jump is not None:
            return False
        rule, ops, name = instruction.decoded
        return rule is scalar_instructions.nothing or name in ("ud2", "hlt") or name in PREFIXES or (name == "xchg" and ops[0].text == ops[1].text)

    def call(self, instruction, state, depth):
        self.machine.at = instruction
        target = instruction.target
        if target is None:
            self.machine.report("indirect call")
            return False
        if type(target) is str:
            self.call_outside(target, state)
            return True
        if depth > MOST_DEPTH:
            self.machine.report("recursion")
            return False
        self.enter(state)
        after = self.run_function(target, state.copy(), depth + 1)
        if after is None:
            return False
        state.registers, state.memory, state.smears = after.registers, after.memory, after.smears
        return True

    def call_outside(self, name, state):
        """memcpy and memset, by what C says of them: their time depends on all but the bytes."""
        registers = state.registers
        target, source, count = (whole(registers[number]) for number in self.arguments[:3])
        num_bytes = count if type(count) is int and count < 1 << 16 else None
        if name in COPIES:
            self.check_arguments(target, source, count)
            scalar_instructions.copy_bytes(self.machine, state, target, source, num_bytes)
        elif name in FILLS:
            self.check_arguments(target, PUBLIC, count)
            scalar_instructions.fill(self.machine, state, target, num_bytes, computed(source))
        else:
            self.machine.report(f"call of {name}")
        for number in self.caller_saved:
            registers[number] = PUBLIC
        for number in range(self.first_vector, self.flags):
            registers[number] = SECRET
        registers[0], registers[self.flags] = target, PUBLIC

    def check_arguments(self, target, source, count):
        if count is SECRET:
            self.machine.report("number of bytes")
        if SECRET in (target, source):
            self.machine.report("address")


def joined(a, b):
    a.join_in(b, loops=False)
    return a


def forget_below(state, stack_pointer):
    """What lies below the stack pointer is nobody's."""
    pointer = state.registers[stack_pointer]
    if type(pointer) is not tuple:
        return
    region, offset, _ = pointer
    lines = state.memory.get(region)
    if lines:
        last, rest = offset >> LINE_BITS, offset & LINE_BYTES - 1
        state.memory[region] = {number: line for number, line in lines.items() if number >= last}
        if last in lines:
            state.memory[region][last] = UNWRITTEN[:rest] + lines[last][rest:]
    smears = state.smears.get(region)
    if smears:
        state.smears[region] = {begin: value for begin, value in smears.items() if begin >= offset}


def successors_of(instruction):
    if instruction.jump is None:
        return [] if instruction.decoded[2] in RETURNS + ENDS else [instruction.next]
    if instruction.jump == "call":
        return [instruction.next]
    ends = [instruction.target] if type(instruction.target) is int else []
    return ends if instruction.jump == "jmp" else [*ends, instruction.next]


def cut_into_blocks(instructions, entry):
    """Blocks end at jumps and before the targets of jumps."""
    firsts, reached, stack = {entry}, set(), [entry]
    while stack:
        address = stack.pop()
        while address is not None and address not in reached and address in instructions:
            reached.add(address)
            instruction = instructions[address]
            ends = successors_of(instruction)
            if instruction.jump is not None and instruction.jump != "call":
                firsts.update(ends)
                stack.extend(ends)
                break
            address = ends[0] if ends else None
    blocks = {}
    for first in firsts & reached:
        block, address = [], first
        while True:
            instruction = instructions[address]
            block.append(instruction)
            ends = successors_of(instruction)
            if (instruction.jump is not None and instruction.jump != "call") or not ends or ends[0] in firsts or ends[0] not in instructions:
                break
            address = ends[0]
        blocks[first] = block
    return blocks, order_of(blocks, entry)


def order_of(blocks, entry):
    """Every block after those that lead to it, but for loops (reverse postorder)."""
    finished, seen, stack = [], {entry}, [(entry, iter(successors_of(blocks[entry][-1])))]
    while stack:
        address, ends = stack[-1]
        for end in ends:
            if end in blocks and end not in seen:
                seen.add(end)
                stack.append((end, iter(successors_of(blocks[end][-1]))))
                break
        else:
            finished.append(address)
            stack.pop()
    return {address: number for number, address in enumerate(reversed(finished))}
