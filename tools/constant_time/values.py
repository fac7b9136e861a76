"""What is known of a value: whether it is secret, and where it points to if it is public.

A value is one of
  SECRET                    it comes from a key, from text, from a tag
  PUBLIC                    a number, or a pointer to bytes: what is loaded through it is secret
  an int                    a constant; 0 may be a null pointer
  (region, offset, exact)   a pointer into memory that we follow; if not exact, to offset or somewhere behind it. Of the region NUMBERS: a
                            public number, and what was added to it: where an array begins, often enough
  Lanes(values)             a vector whose quadwords differ, or a general register whose lowest byte differs from the rest

A region is a string for memory that has a type (memory.py), and an int for a part of the stack: 0 at the entry, else the address of the
instruction that aligned a stack pointer.
"""

SECRET = "secret"
PUBLIC = "public"
NUMBERS = "numbers"
TWICE_PUBLIC = "twice public"

STACK_POINTER = 4
LINE_BITS = 6
LINE_BYTES = 1 << LINE_BITS  # memory is kept in lines of so many bytes
FIRST_VECTOR, FLAGS = 16, 56  # between the vectors and the flags: the masks, from 48 on
NUM_REGISTERS = 57
LARGE = 1 << 20  # larger constants are no offsets
LOWEST = -(1 << 30)  # of a pointer that may point anywhere into its region


class Lanes(tuple):
    pass


def join(a, b):
    """What is true of a value that is one or the other: the less of the two."""
    if a is b:
        return a
    if a is SECRET or b is SECRET:
        return SECRET
    kind_a, kind_b = type(a), type(b)
    if kind_a is Lanes or kind_b is Lanes:
        return lanes_of([join(x, y) for x, y in zip(*widened(a, b))])
    if a == b:
        return a
    if kind_a is tuple and kind_b is tuple:
        if a[0] != b[0]:
            return PUBLIC
        return (a[0], min(a[1], b[1]), False) if a[0] is not NUMBERS else number_from(min(a[1], b[1]))
    if kind_b is int and is_pointer(a):  # a null pointer
        return a
    if kind_a is int and is_pointer(b):
        return b
    if kind_a is int and kind_b is int:
        return number_from(min(a, b))
    if kind_a is int and kind_b is tuple or kind_b is int and kind_a is tuple:  # of NUMBERS
        return number_from(min(a if kind_a is int else a[1], b if kind_b is int else b[1]))
    return PUBLIC


def number_from(least):
    """A number that is this or more; what goes down is let go."""
    return (NUMBERS, least, False) if 0 < least < LARGE else PUBLIC


def widened(a, b):
    """Both as lists of lanes, as many for one as for the other."""
    lanes = [list(x) if type(x) is Lanes else None for x in (a, b)]
    width = max(len(x) for x in lanes if x)
    return [x + [SECRET] * (width - len(x)) if x else [y] * width for x, y in zip(lanes, (a, b))]


def lanes_of(values):
    first = values[0]
    for value in values:
        if value is not first and value != first:
            return Lanes(values)
    return first


def lane(value, number):
    if type(value) is Lanes:
        return value[number] if number < len(value) else PUBLIC
    return value


def whole(value):
    """Of all lanes together: SECRET if one is."""
    if type(value) is Lanes:
        return SECRET if SECRET in value else PUBLIC
    return value


def computed(*values):
    """What comes of values by an operation that leaves no pointer."""
    for value in values:
        if value is SECRET or (type(value) is Lanes and SECRET in value):
            return SECRET
    return PUBLIC


def added(a, b, sign=1):
    """A sum or difference of quadwords: a pointer and a number make a pointer."""
    if a is SECRET or b is SECRET:
        return SECRET
    kind_a, kind_b = type(a), type(b)
    if kind_a is int and kind_b is int:
        return a + sign * b
    if kind_b is int:
        return moved(a, sign * b)
    if sign == 1 and (kind_a is int or (is_pointer(b) and not is_pointer(a))):
        return added(b, a)
    if is_pointer(a):
        if is_pointer(b):
            return added_pointers(a[0], b[0], sign)
        return moved((a[0], a[1], False), sign * b[1] if kind_b is tuple else 0)
    if kind_a is tuple and kind_b is tuple:
        return moved(PUBLIC, a[1] + sign * b[1])
    return a if kind_a is tuple else moved(PUBLIC, b[1]) if kind_b is tuple and sign == 1 else PUBLIC


def added_pointers(a, b, sign):
    """A table is read backwards at (its begin + its end) - pointer."""
    if sign == 1 and a == b == PUBLIC:
        return (TWICE_PUBLIC, 0, False)
    return (PUBLIC, 0, False) if sign == -1 and (a, b) == (TWICE_PUBLIC, PUBLIC) else PUBLIC


def is_pointer(value):
    return type(value) is tuple and value[0] is not NUMBERS


def moved(value, distance):
    if type(value) is not tuple:
        return (NUMBERS, distance, False) if distance and abs(distance) < LARGE else PUBLIC
    region, offset, exact = value
    return (region, offset + distance, exact) if exact or offset > LOWEST // 2 else value


def scaled(value, factor):
    """A number times a constant."""
    if type(value) is int:
        return value * factor
    if factor == 2 and is_pointer(value):
        return added_pointers(value[0], value[0], 1)
    if type(value) is tuple:
        return (NUMBERS, value[1] * factor, False) if value[0] is NUMBERS and abs(value[1] * factor) < LARGE else PUBLIC
    return value


def let_go(old, new):
    """A pointer that moves down in a loop may point anywhere at the end."""
    return (new[0], LOWEST, False) if is_pointer(new) and not old[2] and new[1] < old[1] else new


def joined_line(old, new, loops):
    """What is not written on one way is that of the other."""
    if old == new:
        return old
    line = list(old)
    for i, value in enumerate(new):
        known = old[i]
        if value is known or value is None:
            continue
        line[i] = value if known is None else join(known, value)
        if loops and type(line[i]) is tuple and type(known) is tuple:
            line[i] = let_go(known, line[i])
    return old if (line := tuple(line)) == old else line


class State:
    """Of registers and of the stack, at one place of a program.

    memory[region] has lines of LINE_BYTES bytes, by number, with a value for each byte that was written at a known place and else None;
    smears[region] one for each offset that was written at or behind, at an unknown place.
    """

    __slots__ = ("registers", "memory", "smears")

    def __init__(self, registers, memory=None, smears=None):
        self.registers = registers
        self.memory = memory if memory is not None else {}
        self.smears = smears if smears is not None else {}

    def copy(self):
        return State(self.registers[:], {region: lines.copy() for region, lines in self.memory.items()},
                     {region: smears.copy() for region, smears in self.smears.items()})

    def join_in(self, other, loops):
        """Takes in what else may be the case here, perhaps because a loop leads back to here; whether that changes anything."""
        changed = False
        mine = self.registers
        for number, value in enumerate(other.registers):
            old = mine[number]
            if old is not value and old is not SECRET:
                new = join(old, value)
                if loops and type(new) is tuple and type(old) is tuple:
                    new = let_go(old, new)
                if new is not old and new != old:
                    mine[number] = new
                    changed = True
        return self.join_in_memory(other, loops) or changed

    def join_in_memory(self, other, loops):
        changed = False
        for region, lines in other.memory.items():
            ours = self.memory.setdefault(region, {})
            for number, line in lines.items():
                old = ours.get(number)
                new = line if old is None or old is line else joined_line(old, line, loops)
                if new is not old:
                    ours[number] = new
                    changed = True
        for region, smears in other.smears.items():
            ours = self.smears.setdefault(region, {})
            for begin, value in smears.items():
                old = ours.get(begin)
                new = value if old is None or old is value else join(old, value)
                if new is not old and new != old:
                    ours[begin] = new
                    changed = True
        return changed

    def has_memory_of(self, other):
        return self.memory == other.memory and self.smears == other.smears
