"""What is known of a GPU's 32-bit registers, bit by bit.

A value is (secret, known, ones, lane, region):
  secret  the bits that may come from a secret
  known   the bits that are the same for every thread and input, and `ones` what they are
  lane    the place of the five bits that are the thread's number in its warp, or -1
  region  of the lower half of a pointer: what it points to (kernel_parameters.py); None: anything, so that what is loaded is secret. An int:
          an array in local or constant memory that begins there
"""

ALL = 0xFFFFFFFF
PUBLIC = (0, 0, 0, -1, None)
SECRET = (ALL, 0, 0, -1, None)
ZERO = (0, ALL, 0, -1, None)
TEXT = "text"  # the region of bytes that are secret
FIRST_BEGIN = 256  # smaller constants are not where an array begins
STACK_TOP, STACK_BYTES = 1 << 20, 1 << 14  # where local memory is taken to end, and how much of it we look at


def constant(number):
    return (0, ALL, number & ALL, -1, None)


def of_bits(num_bits, is_secret):
    """A number of so many bits."""
    mask = (1 << num_bits) - 1
    return (mask if is_secret else 0, ALL & ~mask, 0, -1, None)


def is_constant(value):
    return value[1] == ALL


def join(a, b):
    """What is true of a value that is one or the other."""
    if a == b:
        return a
    known = a[1] & b[1] & ~(a[2] ^ b[2])
    return (a[0] | b[0], known, a[2] & known, a[3] if a[3] == b[3] else -1, joined_region(a, b))


def joined_region(a, b):
    """A constant is a null pointer, or the beginning of an array in local memory, which a loop goes through."""
    if a[4] == b[4] or (b[4] is None and is_constant(b)):
        return a[4] if a[4] is not None or not is_constant(a) else joined_begin(a, b)
    if type(a[4]) in (int, type(None)) and type(b[4]) in (int, type(None)):
        return joined_begin(a, b)
    if a[4] is None and is_constant(a):
        return b[4]
    return None


def joined_begin(a, b):
    begins = [x[4] if type(x[4]) is int else x[2] if is_constant(x) else 0 for x in (a, b)]
    return min(begins) if all(STACK_TOP - STACK_BYTES <= begin < STACK_TOP for begin in begins) else None


def computed(*values):
    """What comes of values by an operation whose bits nobody follows."""
    for value in values:
        if value[0]:
            return SECRET
    return PUBLIC


def inverted(a):
    return (a[0], a[1], a[1] & ~a[2], -1, None)


def negated(a):
    return added(inverted(a), ZERO, constant(1)) if a != ZERO else ZERO


def lowest(bits):
    return bits & -bits


def added(a, b, carry=ZERO):
    """a + b + carry, which is one bit: bit by bit where it is known what is carried."""
    if a == ZERO and carry == ZERO:
        return b
    if b == ZERO and carry == ZERO:
        return a
    known_carry = carry[1] & 1
    most = may_be_one(a) + may_be_one(b) + (carry[2] & 1 if known_carry else 1)
    least = a[2] + b[2] + (carry[2] & 1 if known_carry else 0)
    carried_zero = ~(most ^ may_be_one(a) ^ may_be_one(b)) & ALL
    carried_one = (least ^ a[2] ^ b[2]) & ALL
    carries = carried_zero | carried_one
    known = a[1] & b[1] & carries
    secret = a[0] | b[0]
    first = 1 if carry[0] & 1 else lowest(secret)
    if first:
        secret |= ~carries & ~(first - 1)
    lane = lane_of_sum(a, b, carried_zero)
    return (secret & ~known & ALL, known, least & known, lane, pointer_region(a, b))


def may_be_one(a):
    return ALL & (~a[1] | a[2])


def lane_of_sum(a, b, carried_zero):
    for x, y in ((a, b), (b, a)):
        if x[3] >= 0:
            mask = 31 << x[3]
            if y[1] & ~y[2] & carried_zero & mask == mask:
                return x[3]
    return -1


def pointer_region(a, b):
    """Of a pointer and a number; what is both is text. Of a constant and a number: where an array begins."""
    named = [x[4] for x in (a, b) if type(x[4]) is str]
    if named:
        return named[0] if len(set(named)) == 1 else TEXT
    for x, y in ((a, b), (b, a)):
        if type(x[4]) is int:
            return x[4]
        if is_constant(x) and x[2] >= FIRST_BEGIN and not is_constant(y):
            return x[2]
    return None


def multiplied(a, b):
    """The lower half of a product: by a power of two bit by bit."""
    if is_constant(a):
        a, b = b, a
    if is_constant(a):
        return constant(a[2] * b[2])
    if is_constant(b):
        if b[2] == 0:
            return ZERO
        shift = lowest(b[2]).bit_length() - 1
        if b[2] == 1 << shift:
            return shifted_left(a, shift)
        zeros = trailing_zeros(a) + shift
        first = lowest(a[0]) << shift
    else:
        zeros = trailing_zeros(a) + trailing_zeros(b)
        first = 1 if a[0] | b[0] else 0
    known = ALL & ((1 << min(zeros, 32)) - 1)
    return (ALL & ~(first - 1) & ~known if first else 0, known, 0, -1, None)


def trailing_zeros(a):
    ones = may_be_one(a)
    return lowest(ones).bit_length() - 1 if ones else 32


def shifted_left(a, count):
    return high_word(ZERO, a, count, 32) if count else a


def low_word(low, high, count):
    """Of (high, low) >> count."""
    return taken(low, high, count)


def high_word(low, high, count, num_bits=32):
    """Of (high, low) << count, that is of (high, low) >> 32 - count."""
    return taken(low, high, num_bits - count)


def taken(low, high, place):
    secret, known, ones = ((low[i] | high[i] << 32) >> place & ALL if place < 64 else 0 for i in range(3))
    if place > 32:
        known |= ALL & ~(ALL >> (place - 32))
    lane = -1
    for half, base in ((low, 0), (high, 32)):
        if half[3] >= 0 and 0 <= base + half[3] - place <= 27:
            lane = base + half[3] - place
    return (secret & ~known, known, ones, lane, None)


def by_table(table, a, b, c):
    """LOP3: bit `4 * a + 2 * b + c` of the table."""
    can = [0, 0]
    may = [(ALL & ~(x[1] & x[2]), may_be_one(x)) for x in (a, b, c)]
    for i in range(8):
        can[table >> i & 1] |= may[0][i >> 2] & may[1][i >> 1 & 1] & may[2][i & 1]
    known = ALL & ~(can[0] & can[1])
    secret = 0  # a secret bit counts where the result differs by it, for what the others may be
    for place, x in enumerate((a, b, c)):
        if x[0]:
            bit = 4 >> place
            for i in range(8):
                if not i & bit and (table >> i ^ table >> (i | bit)) & 1:
                    others = [may[other][i >> (2 - other) & 1] for other in range(3) if other != place]
                    secret |= x[0] & others[0] & others[1]
    lane = -1
    for place, x in enumerate((a, b, c)):
        if x[3] >= 0 and is_copied(table, 4 >> place, [other for j, other in enumerate((a, b, c)) if j != place], 31 << x[3]):
            lane = x[3]
    return (secret & ~known, known, can[1] & known, lane, None)


def is_copied(table, bit, others, mask):
    """Whether the operand of `bit` is the result, where the mask is set, for what is known of the two others."""
    rest = [i for i in (4, 2, 1) if i != bit]
    for first in (0, 1):
        for second in (0, 1):
            may = mask
            for other, set_ in zip(others, (first, second)):
                may &= may_be_one(other) if set_ else ALL & ~(other[1] & other[2])
            if may:
                at = (rest[0] if first else 0) | (rest[1] if second else 0)
                if may != mask or table >> at & 1 or not table >> (at | bit) & 1:
                    return False
    return True


def permuted(a, selector, b):
    """PRMT: four bytes of (b, a), each by four bits of the selector, of which the highest copies the byte's sign."""
    secret = known = ones = 0
    lane = -1
    for place in range(4):
        number = selector >> 4 * place & 15
        source = b if number & 4 else a
        shift = 8 * (number & 3)
        parts = [source[i] >> shift & 255 for i in range(3)]
        if number & 8:
            parts = [255 if part & 128 else 0 for part in parts]
        elif source[3] >= 0 and shift <= source[3] <= shift + 3:
            lane = source[3] - shift + 8 * place
        secret |= parts[0] << 8 * place
        known |= parts[1] << 8 * place
        ones |= parts[2] << 8 * place
    return (secret, known, ones, lane, None)
