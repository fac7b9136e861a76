"""What a figure is: where it comes from, its unit, how much of the work it covers, and what lies inside of the clock.

quantities.toml says it of every cell of a printed table and of a kept run. Arithmetic carries it on, and refuses what is not like
with like: no time with copies is divided by one without, and no sum of stages is compared with a whole message.
"""

import dataclasses
import functools
import pathlib
import re
import statistics
import tomllib

PRINTED, DERIVED, HERE, BOTH = "printed", "derived from printed", "measured here", "printed and measured here"
ANY = "any"  # of an extent or a boundary: it makes no difference, as of a clock rate
# What a factor makes of a unit. Such a figure is still the printed one, in another unit.
CONVERTED = {("s", 1e3): "ms", ("s", 1e6): "µs", ("ms", 1e3): "µs", ("times", 1e2): "%", ("Mb/s", 1e-3): "Gb/s", ("MB/s", 1e-3): "GB/s"}


class Unlike(Exception):
    """Two figures of different kinds, where like stands with like."""


@dataclasses.dataclass(frozen=True)
class Kind:
    unit: str = ""  # "": reckoned from several, or none
    extent: str = ANY
    boundary: str = ANY

    def __str__(self):
        return ", ".join(word for word in (self.unit, self.extent, self.boundary) if word not in ("", ANY)) or "a bare number"

    def like(self, other):
        """The kind of both. Fails if they have not the same one."""
        fields = []
        for mine, others in zip(dataclasses.astuple(self), dataclasses.astuple(other)):
            if mine != others and not {mine, others} & {"", ANY}:
                raise Unlike(f"not like with like: {self} beside {other}")
            fields.append(others if mine in ("", ANY) else mine)
        return Kind(*fields)

    def in_unit(self, unit):
        return dataclasses.replace(self, unit=unit)

    def is_timed_alike(self, other):
        """Whether units aside both are of one kind."""
        try:
            self.in_unit("").like(other.in_unit(""))
        except Unlike:
            return False
        return True


def joined(*origins):
    """The origin of what is reckoned from figures of these."""
    origins = set(origins)
    if origins == {HERE}:
        return HERE
    return DERIVED if origins <= {PRINTED, DERIVED} else BOTH


class Quantity(float):
    """A figure that knows what it is. `text`: how a paper prints it."""

    def __new__(cls, value, origin, kind, text=None):
        made = super().__new__(cls, value)
        made.origin, made.kind, made.text = origin, kind, text
        return made

    def _made(self, value, kind, *others):
        return Quantity(value, joined(self.origin, *(other.origin for other in others)), kind)

    def _sum(self, other, value):
        if isinstance(other, Quantity):
            return self._made(value, self.kind.like(other.kind), other)
        return self if value == float(self) else self._made(value, self.kind)

    def _scaled(self, factor, value):
        unit = CONVERTED.get((self.kind.unit, float(f"{factor:.12g}")))
        if unit is None:
            return self if factor == 1 else self._made(value, self.kind.in_unit(""))
        return Quantity(value, self.origin, self.kind.in_unit(unit))

    def __add__(self, other):
        return self._sum(other, float(self) + float(other))

    __radd__ = __add__

    def __sub__(self, other):
        return self._sum(other, float(self) - float(other))

    def __rsub__(self, other):
        return self._made(float(other) - float(self), self.kind)

    def __mul__(self, other):
        value = float(self) * float(other)
        if isinstance(other, Quantity):
            return self._made(value, self.kind.in_unit("").like(other.kind.in_unit("")), other)
        return self._scaled(other, value)

    __rmul__ = __mul__

    def __truediv__(self, other):
        value = float(self) / float(other)
        if not isinstance(other, Quantity):
            return self._scaled(1 / other, value)
        unit = "times" if self.kind.unit == other.kind.unit else ""
        return self._made(value, self.kind.in_unit("").like(other.kind.in_unit("")).in_unit(unit), other)

    def __rtruediv__(self, other):
        return self._made(float(other) / float(self), self.kind.in_unit(""))

    def __neg__(self):
        return self._made(-float(self), self.kind)

    def __abs__(self):
        return self if self >= 0 else -self

    def __round__(self, digits=None):
        return self._made(round(float(self), digits), self.kind)

    def _compared(self, other):
        if isinstance(other, Quantity):
            self.kind.like(other.kind)
        return float(other)

    def __lt__(self, other):
        return float(self) < self._compared(other)

    def __le__(self, other):
        return float(self) <= self._compared(other)

    def __gt__(self, other):
        return float(self) > self._compared(other)

    def __ge__(self, other):
        return float(self) >= self._compared(other)


class Words(str):
    """Text that says quantities. `say`: how one is said, where the text is of one alone."""

    def __new__(cls, text, quantities, say=None):
        made = super().__new__(cls, text)
        made.quantities, made.say = [one for one in quantities if isinstance(one, Quantity)], say
        return made


def said_by(say, value):
    return Words(say(value), [value], say)


def middle_of_runs(values):
    """The median of what each run says: figures, or words of one figure. It lies within their range."""
    figures = [value if isinstance(value, Quantity) else value.quantities[0] for value in values]
    middle = Quantity(statistics.median(map(float, figures)), figures[0].origin, figures[0].kind)
    return middle if isinstance(values[0], Quantity) else said_by(values[0].say, middle)


def is_one_figure(value):
    return isinstance(value, Quantity) or (isinstance(value, Words) and value.say is not None and len(value.quantities) == 1)


def sum_of_stages(boundary, *parts):
    """The sum of stages, of which nothing is known but that they follow one another; `boundary`: what they are together."""
    total = parts[0]._made(sum(map(float, parts)), parts[0].kind, *parts[1:])
    return Quantity(total, total.origin, Kind(total.kind.unit, "sum of stages", boundary))


def share(part, whole):
    """How much of the whole a part of it is: the one division of unlike kinds that is meant."""
    return Quantity(float(part) / float(whole), joined(part.origin, whole.origin), Kind("times", "share"))


def excess(whole, part):
    """What a whole takes beside a part of it."""
    return Quantity(float(whole) - float(part), joined(part.origin, whole.origin), Kind(whole.kind.unit, "share"))


def takes_less(first, second):
    """Whether a time is less than another: the one comparison of unlike kinds that is meant, where the words beside it say of what each is."""
    Kind(first.kind.unit, first.kind.extent).like(Kind(second.kind.unit, second.kind.extent))
    return float(first) < float(second)


def of_one_kind(values):
    """The figures of a row. Fails if they are of several kinds."""
    kind = Kind()
    for value in values:
        kind = kind.like(value.kind) if value is not None else kind
    return values


def outside_of_its_range(value, values):
    """One line if a figure lies outside of the least and the most that stand beside it."""
    least, most = min(values), max(values)
    if not float(least) <= float(value) <= float(most):
        return f"{float(value):.4g} is outside of its own range, {float(least):.4g} to {float(most):.4g}"
    return None


@functools.lru_cache(maxsize=None)
def told():
    return tomllib.loads((pathlib.Path(__file__).resolve().parent / "quantities.toml").read_text())


def called(name):
    """The words, a regular expression, by one of which a page names an extent or a boundary."""
    return told()["called"][name]


def kind_of(paper, unit=None, **cell):
    """The kind of a cell by the first rule that fits, or None. `unit`: as a run has recorded it."""
    for rule in told()[paper]:
        if all(re.fullmatch(rule[name], cell.get(name) or "") for name in ("method", "table", "row", "column", "quantity") if name in rule):
            return Kind(rule.get("unit", "") if unit is None else unit, rule.get("extent", ANY), rule.get("boundary", ANY))
    return None
