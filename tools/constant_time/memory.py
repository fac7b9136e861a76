"""What is loaded and stored, by where a pointer points to. docs/constant_time.md says what the rule for the stack cannot see."""

from values import LINE_BITS, LINE_BYTES, LOWEST, NUMBERS, PUBLIC, SECRET, Lanes, computed, is_pointer, join, lane, lanes_of, whole

PUBLIC_MEMORY = ("public", 0, False)
NEAR_BYTES = 64  # so near to where an array is said to begin, unrolled loops reach into it
FAR_BYTES = 1 << 16  # no array of a kernel is longer
UNWRITTEN = (None,) * LINE_BYTES
CLEARED = "cleared"  # a zero that a vector was stored of: memory that is cleared, and no number
KEPT = (CLEARED, SECRET, None)  # what an array that is written at unknown places may have in it


class Memory:
    """`types` has, for each region that is no stack, its size and its fields by offset; what is no field is PUBLIC. All others are
    schedules: what is stored in them at known places is remembered, in `schedules`, for all functions of their kernel together.
    """

    def __init__(self, types, report):
        self.types = types
        self.report = report
        self.schedules = {}

    def load(self, state, pointer, num_bytes):
        if type(pointer) is not tuple or pointer[0] is NUMBERS:
            return SECRET
        region, offset, exact = pointer
        if type(region) is str:
            if region in self.types:
                num_of_type, fields = self.types[region]
                return lanes_of([fields.get((offset + i) % num_of_type, PUBLIC) for i in range(0, max(8, num_bytes), 8)])
            return self.load_of_schedule(region, offset, num_bytes)
        if not exact:
            return load_somewhere(state, region, offset)
        if num_bytes <= 8:
            return load_number(state, region, offset, num_bytes)
        return lanes_of([load_number(state, region, offset + 8 * i, 8) for i in range(num_bytes // 8)])

    def load_of_schedule(self, region, offset, num_bytes):
        """From an unknown element of an array of structures: as of its first."""
        known = self.schedules.get(region, {})
        found = [known.get(place, SECRET) for place in range(offset, offset + num_bytes)]
        return SECRET if SECRET in found else PUBLIC

    def store(self, state, pointer, num_bytes, value):
        if type(pointer) is not tuple or pointer[0] is NUMBERS:
            return
        region, offset, exact = pointer
        if type(region) is str:
            if region in self.types:
                if computed(value) is SECRET:
                    self.report("secret in public memory")
            elif exact:
                self.store_to_schedule(region, offset, num_bytes, value)
        elif not exact:
            store_somewhere(state, region, offset, value)
        elif num_bytes <= 8:
            store_number(state, region, offset, num_bytes, lane(value, 0))
        elif type(value) is Lanes:
            for i in range(num_bytes // 8):
                store_number(state, region, offset + 8 * i, 8, lane(value, i))
        else:
            store_number(state, region, offset, num_bytes, value)

    def store_to_schedule(self, region, offset, num_bytes, value):
        """Zeros are those of memory that is cleared."""
        if value == 0:
            return
        known = self.schedules.setdefault(region, {})
        for place in range(offset, offset + num_bytes):
            new = computed(lane(value, (place - offset) // 8))
            known[place] = new if place not in known else join(known[place], new)


def load_number(state, region, offset, num_bytes):
    """Of at most 8 bytes, in one line or two."""
    value = None
    for found in set(bytes_of(state, region, offset, num_bytes)):
        if found is None:
            found = unwritten(state, region, offset)
        if found is SECRET:
            return SECRET
        if found is CLEARED:
            found = 0
        value = found if value is None else join(value, found)
    return value if num_bytes == 8 or value == 0 else computed(value)


def bytes_of(state, region, offset, num_bytes):
    lines = state.memory.get(region, {})
    number, first = offset >> LINE_BITS, offset & LINE_BYTES - 1
    found = lines.get(number, UNWRITTEN)[first:first + num_bytes]
    if first + num_bytes > LINE_BYTES:
        found += lines.get(number + 1, UNWRITTEN)[:first + num_bytes - LINE_BYTES]
    return found


def unwritten(state, region, offset):
    """Of memory that was written at no known place: by the smears around it, or all that begin before it; or unknown."""
    near, before = [], []
    for begin, value in state.smears.get(region, {}).items():
        if abs(begin - offset) < NEAR_BYTES:
            if value is SECRET:
                return SECRET
            near.append(value)
        elif begin <= offset:
            before.append(value)
    if not near and all(known not in KEPT for known in bytes_of(state, region, (offset & ~15) - 16, 16)):
        return PUBLIC  # a loop's next turn behind the only element of a list
    return all_joined(near or before or [SECRET])


def load_somewhere(state, region, offset):
    """From an array that begins at offset: what was stored at unknown places of it, and what lies there. Where its beginning was
    written at a known place and is public, or at unknown places alone, with public values, it ends before the next secret.
    """
    run = public_run(state, region, offset)
    if is_list(state, region, offset):
        return all_joined(list(run)) if all(is_pointer(value) for value in run) else PUBLIC
    smears = state.smears.get(region, {})
    found = {value for begin, value in smears.items() if abs(begin - offset) < NEAR_BYTES}
    found.update(run)
    only_public = found and SECRET not in found and set(bytes_of(state, region, offset, 8)) == {None}
    first = offset if found else offset - NEAR_BYTES
    for place in range(first, offset + NEAR_BYTES, 8) if not run else ():
        here = bytes_of(state, region, place, 8)
        if only_public and SECRET in here:
            break
        found.update(here)
    found.discard(None)
    if not found:
        found = set(smears.values())
        for number, line in state.memory.get(region, {}).items():
            if number >= offset >> LINE_BITS:
                found.update(line)
        found.discard(None)
    return whole(all_joined([0 if value is CLEARED else value for value in found] or [SECRET]))


def stale_of(region):
    """The name under which smears have, by its offset, each entry of a list near which something was stored since at an unknown place."""
    return ("stale", region)


def is_entry(value):
    return type(value) is int or is_pointer(value)


def is_list(state, region, offset):
    """Whether constants or pointers were stored there, and nothing near at an unknown place since: secrets that lay there before are gone."""
    here = bytes_of(state, region, offset, 8)
    stale = state.smears.get(stale_of(region), ())
    return all(map(is_entry, here)) and not any(place & ~7 in stale for place in (offset, offset + 7))


def make_stale(state, region, offset):
    for place in range((offset - NEAR_BYTES) & ~7, offset + NEAR_BYTES, 8):
        if is_entry(bytes_of(state, region, place, 1)[0]):
            state.smears.setdefault(stale_of(region), {})[place] = SECRET


def public_run(state, region, offset):
    found = set()
    for place in range(offset, offset + NEAR_BYTES, 4):
        here = bytes_of(state, region, place, 4)
        if None in here or SECRET in here:
            break
        found.update(here)
    return found


def all_joined(values):
    result = values[0]
    for value in values:
        if value is not result:
            result = join(result, value)
    return result


def store_number(state, region, offset, num_bytes, value):
    if num_bytes >= 16 and type(value) is int:
        value = CLEARED
    stale = state.smears.get(stale_of(region))
    if stale:
        for place in range(offset & ~7, offset + num_bytes, 8):
            stale.pop(place, None)
    lines = state.memory.setdefault(region, {})
    while num_bytes > 0:
        number, first = offset >> LINE_BITS, offset & LINE_BYTES - 1
        here = min(num_bytes, LINE_BYTES - first)
        old = lines.get(number, UNWRITTEN)
        lines[number] = old[:first] + (value,) * here + old[first + here:]
        offset += here
        num_bytes -= here


def store_somewhere(state, region, offset, value):
    """Into an array: what was cleared behind its beginning may be this now, up to where something public lies."""
    value = whole(value)
    smears = state.smears.setdefault(region, {})
    old = smears.get(offset)
    smears[offset] = value if old is None else join(old, value)
    make_stale(state, region, offset)
    if value is not SECRET:
        return
    lines = state.memory.setdefault(region, {})
    if offset < LOWEST // 2:
        for number, line in lines.items():
            if CLEARED in line:
                lines[number] = tuple(SECRET if known is CLEARED else known for known in line)
        return
    for number in range(offset >> LINE_BITS, (offset + FAR_BYTES) >> LINE_BITS):
        line = lines.get(number, UNWRITTEN)
        first = max(0, offset - (number << LINE_BITS))
        ends = [i for i in range(first, LINE_BYTES) if line[i] not in KEPT] if line is not UNWRITTEN else []
        end = ends[0] if ends else LINE_BYTES
        if CLEARED in line[first:end]:
            lines[number] = line[:first] + tuple(SECRET if known is CLEARED else known for known in line[first:end]) + line[end:]
        if ends:
            return
