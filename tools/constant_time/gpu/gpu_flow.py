"""Follows values through a kernel for GPUs, from what it is told of its parameters, until nothing changes any more."""

import heapq

from gpu_machine import Machine
from gpu_state import first_state

JUMPS = {"BRA", "EXIT", "CALL", "RET", "BRX", "BRXU", "JMP", "JMX", "BPT", "KILL"}
MOST_CALLS = 4  # one in the other


class Flow:
    def __init__(self, instructions, parameters):
        self.instructions = instructions
        self.machine = Machine(parameters)
        self.visited = set()
        self.firsts = {0, *targets_of(instructions)}
        self.states = {}

    def follow(self):
        """Again while what shared memory and unknown places of local memory hold gets secret."""
        memory = self.machine.memory
        while True:
            known = (memory.shared_is_secret, memory.local_somewhere)
            self.states = {(): {0: first_state()}}
            self.follow_once()
            if known == (memory.shared_is_secret, memory.local_somewhere):
                return

    def follow_once(self):
        """Blocks in the order of their addresses; a call is followed for each place that it is made from."""
        start = (0, ())
        states, waiting, queued = {start: first_state()}, [start], {start}
        while waiting:
            start = heapq.heappop(waiting)
            queued.discard(start)
            now = states[start].copy()
            for target, guard in self.run_block(start, now):
                then = now
                if guard in now.guarded:
                    then = now.copy()
                    then.assume(guard)
                old = states.get(target)
                if old is None:
                    states[target] = then.copy()
                    changed = True
                else:
                    changed = old.join_in(then)
                if changed and target not in queued:
                    queued.add(target)
                    heapq.heappush(waiting, target)

    def run_block(self, start, state):
        """Where it leads to, with the predicate that is known there, and whether it is true."""
        address, calls = start
        while True:
            instruction = self.instructions[address]
            self.visited.add(address)
            if instruction.parts[0] in JUMPS:
                return self.jump(instruction, state, calls)
            self.machine.run(state, instruction)
            if instruction.parts[0] == "WARPSYNC" and "COLLECTIVE" in instruction.parts:
                return [((instruction.operands[1].number, calls), None), ((instruction.next, calls), None)]
            address = instruction.next
            if address < 0:
                return []
            if address in self.firsts:
                return [((address, calls), None)]

    def jump(self, instruction, state, calls):
        machine, name = self.machine, instruction.parts[0]
        machine.at = instruction
        conditions = [operand for operand in instruction.operands if operand.kind in ("predicate", "register") and name != "RET"]
        if instruction.guard is not None:
            conditions.append(instruction.guard)
        if any(machine.read(state, condition)[0] for condition in conditions):
            machine.report("branch")
        ends = []
        if name in ("BRX", "BRXU", "JMX", "JMP"):
            machine.report("indirect jump")
        elif name == "BRA":
            ends.append((instruction.operands[-1].number, calls))
        elif name == "CALL":
            self.call(instruction, calls, ends)
        elif name == "RET":
            ends += [(calls[-1], calls[:-1])] if calls else []
        known = [(operand.number, "!" not in operand.signs) for operand in conditions] if len(conditions) == 1 else [None]
        ends = [(end, known[0]) for end in ends]
        if conditions and instruction.next >= 0:
            ends.append(((instruction.next, calls), known[0] and (known[0][0], not known[0][1])))
        return ends

    def call(self, instruction, calls, ends):
        if instruction.parts[1] != "REL" or len(calls) >= MOST_CALLS or instruction.operands[-1].kind != "number":
            self.machine.report("indirect jump")
        else:
            ends.append((instruction.operands[-1].number, (*calls, instruction.next)))

    def not_followed(self):
        """What no path came to, but for what fills the end."""
        last = max((address for address, instruction in self.instructions.items() if instruction.name != "NOP"), default=0)
        return [instruction for address, instruction in self.instructions.items()
                if address not in self.visited and address < last and instruction.name != "NOP"]


def targets_of(instructions):
    for instruction in instructions.values():
        if instruction.parts[0] in ("BRA", "CALL", "WARPSYNC") and instruction.operands and instruction.operands[-1].kind == "number":
            yield instruction.operands[-1].number
        if instruction.parts[0] in JUMPS:
            yield instruction.next
