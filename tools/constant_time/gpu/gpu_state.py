"""What is known at one place of a kernel: registers, and words of local memory."""

from gpu_values import SECRET, ZERO, constant, join
from sass_listing import NUM_REGISTERS, TRUE, UNIFORM_TRUE, UNIFORM_ZERO, ZERO_REGISTER

FIXED = {ZERO_REGISTER, UNIFORM_ZERO, TRUE, UNIFORM_TRUE}
PREDICATES = TRUE - 7  # the first register that is one
MOST_JOINS = 6  # at one place, until what still changes has no known bits any more


class State:
    """`registers`, predicates among them; None: never written. `local`: words, by address. What was written on one of the ways to here alone is
    as it was written there; what never was is secret.

    `guarded`: of a predicate and whether it is true, registers that then have another value than in general. `copied`: predicates that are
    copies of others.
    """

    __slots__ = ("copied", "guarded", "joins", "local", "registers")

    def __init__(self, registers, local, guarded, copied):
        self.registers, self.local, self.guarded, self.copied, self.joins = registers, local, guarded, copied, 0

    def copy(self):
        guarded = {guard: values.copy() for guard, values in self.guarded.items()}
        return State(self.registers[:], self.local.copy(), guarded, self.copied.copy())

    def copy_predicate(self, number, source):
        """Until one of both is written again, what is guarded by one is guarded by the other."""
        self.copied[number] = self.copied.get(source, source)

    def copy_guarded(self, number, source):
        """A register has what another has, under each guard too."""
        for values in self.guarded.values():
            if source in values:
                values[number] = values[source]

    def read(self, number, guard):
        if guard in self.guarded:
            found = self.guarded[guard].get(number)
            if found is not None:
                return found
        return self.registers[number] or SECRET

    def write(self, number, value, guard, is_guard_secret=False):
        """Under a guard the register may also stay as it is; which of both is as secret as the guard."""
        if number in FIXED:
            return
        if guard is None:
            if number >= PREDICATES:
                self.forget_guard(number)
            for values in self.guarded.values():
                values.pop(number, None)
            self.registers[number] = value
            return
        opposite = (guard[0], not guard[1])
        stays = self.guarded.get(opposite, {}).get(number, self.registers[number])
        for other, values in self.guarded.items():
            if other not in (guard, opposite):
                values.pop(number, None)
        self.guarded.setdefault(guard, {})[number] = value
        if stays is not None:
            self.guarded.setdefault(opposite, {})[number] = stays
        self.registers[number] = SECRET if is_guard_secret else either(stays, value)
        if number >= PREDICATES:
            self.forget_guard(number)

    def forget_guard(self, number):
        self.guarded.pop((number, True), None)
        self.guarded.pop((number, False), None)
        if self.copied:
            self.copied = {copy: source for copy, source in self.copied.items() if number not in (copy, source)}

    def assume(self, guard):
        """Where a jump tells whether a predicate is true."""
        for number, value in self.guarded.get(guard, {}).items():
            self.registers[number] = value

    def join_in(self, other):
        """Whether something became less certain."""
        changed, mine, theirs = False, self.registers, other.registers
        self.joins += 1
        is_late = self.joins > MOST_JOINS
        if self.guarded or other.guarded:
            changed = self.join_guarded(other)
        if self.copied != other.copied:
            both = dict(self.copied.items() & other.copied.items())
            changed |= both != self.copied
            self.copied = both
        for i in range(NUM_REGISTERS):
            a, b = mine[i], theirs[i]
            if a is not b and a != b:
                new = either(a, b)
                if new != a:
                    mine[i] = (new[0], 0, 0, *new[3:]) if is_late and a is not None else new
                    changed = True
        for place, value in other.local.items():
            old = self.local.get(place)
            new = either(old, value)
            if new != old:
                self.local[place] = new
                changed = True
        return changed

    def join_guarded(self, other):
        changed = False
        for guard in {*self.guarded, *other.guarded}:
            mine, theirs = self.guarded.get(guard, {}), other.guarded.get(guard, {})
            for number in {*mine, *theirs}:
                old = mine.get(number)
                new = either(old or self.registers[number], theirs.get(number) or other.registers[number])
                if new != old:
                    self.guarded.setdefault(guard, {})[number] = new
                    changed = True
        return changed


def either(a, b):
    return b if a is None else a if b is None else join(a, b)


def first_state():
    registers = [None] * NUM_REGISTERS
    registers[ZERO_REGISTER] = registers[UNIFORM_ZERO] = ZERO
    registers[TRUE] = registers[UNIFORM_TRUE] = constant(1)
    return State(registers, {}, {}, {})
