"""What the prose of reproductions/ must keep: no number is typed by hand, a figure's run is the one that is named beside it, and like
stands with like (reproductions/quantities.py).

A number is a token of digits with points, commas or %, with or without a unit, or a number word before a unit, "times" or "ranks".
What is no figure but a name stands in NAMES.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "reproductions"))
import quantities  # noqa: E402
from quantities import DERIVED, PRINTED, Unlike  # noqa: E402

# Names: what has digits and is no figure. Tried in this order; what they match is taken out before numbers are looked for.
NAMES = [re.compile(pattern) for pattern in (
    # Ciphers, standards, algorithms
    r"\b[23]DES\b", r"\bDES-[123]\b", r"\bAES-(?:CBC-)?(?:128|192|256)\b", r"\bFIPS (?:PUB )?46(?:-3)?\b", r"\bK[123]\b",
    r"\bC = E\(K2, E\(K1, P\)\)", r"\bL[12]\b",
    # Machines and their kinds
    r"\bH[12]00s?\b", r"\bZen [345]\b", r"\b(?:family|model) [0-9]+\b", r"\bGTS 250\b", r"\bC2050\b", r"\bQ8200\b", r"\bi7(?: |-)[0-9]+U?\b",
    r"\bE7-? ?-?4860\b", r"\bNVS 320M\b", r"\b[GC]PU-[12]\b", r"\bIMAN1\b", r"\b(?:32|64)-bit\b",
    # Parts of a paper: its tables, sections, figures, steps, rules
    r"\b[Tt]ables? (?:[0-9IVX]+(?:(?: and|,| to) [0-9IVX]+)*)\b", r"\b[Ss]ections? [0-9IVX]+(?:[.-][0-9A-C]+)*(?:(?: and| to) [0-9]+)?\b", r"\b[IVX]+\.[A-Z](?:\.[0-9])?\b",
    r"\b[Ff]igures? [0-9]+(?:(?: and|,| to) [0-9]+)*\b", r"\b[Ll]istings? [0-9.]+[0-9]\b", r"\b[Ss]teps? [0-9]+(?:\.[0-9]+)*(?: to [0-9]+)?\b",
    r"\b[Aa]ppendi(?:x|ces) [0-9I]+\b", r"\brule [0-9]\b", r"\bref(?:erence)?s?\. [0-9]+\b",
    # Years of papers, versions
    r"\((?:19|20)[0-9]{2}\)", r"\b(?:Altınok|Swierczewski|Lin|Shorman|Al Shamsi|GPU of|of) 20[0-9]{2}\b", r"\barXiv [0-9.]+[0-9]\b",
    r"\bENSIMAG, Grenoble, 2009\b", r"\bOpenSSL [0-9.]+[a-z]?\b", r"\bg\+\+ 12\b", r"\bOpen MPI [45](?: and [45])?\b",
)]  # fmt: skip
NUMBER_WORDS = ("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen "
                "twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million").split()  # fmt: skip
UNITS = ("ns|nanoseconds?|microseconds?|µs|ms|milliseconds?|s|seconds?|minutes?|hours?|bits|bytes?|[KMGT]i?B|[kMG]b(?:/s)?|[KMG]B/s|cycles?|percent|%"
         "|[MG]Hz|times|ranks|MiB|GiB|KiB")  # fmt: skip
NUMBER = re.compile(r"(?<![A-Za-z0-9_\0])[-+]?[0-9][0-9.,]*(?:[ ]?%)?(?![0-9]*\0)")
NUMBER_IN_WORDS = re.compile(rf"\b({'|'.join(NUMBER_WORDS)})(?:-[a-z]+)? (?:{UNITS})\b", re.IGNORECASE)
CODE = re.compile(r"```.*?```|`(?![0-9.,% ]{2,}`)[^`\n]*`|<!--.*?-->", re.DOTALL)  # a number alone is none
LINK_TARGET = re.compile(r"\]\([^)]*\)|\bgithub\.com/\S+[A-Za-z0-9]")
MARK = re.compile(r"\0([0-9]*)\0")
SENTENCE_END = re.compile(r"(?<=[.?!])[\"*)]*\s+(?=[A-Z(*\"`])")


def bare_numbers(body):
    """(line number, token) of every number outside a placeholder; `body` has marks between NULs where placeholders are."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())  # noqa: E731
    text = LINK_TARGET.sub(blank, CODE.sub(blank, body))
    text = re.sub(r"(?m)^( *)[0-9]+\. ", r"\1   ", MARK.sub(lambda match: "\0" + " " * 0 + "\0", text))
    for name in NAMES:
        text = name.sub(blank, text)
    for pattern in (NUMBER, NUMBER_IN_WORDS):
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match.group().strip(" ,.")


def sentences(page, blocks):
    """(text with marks, words that stand beside it) of every sentence of prose and every cell of a table."""
    headings = None
    for block, _ in blocks:
        if not block.startswith("|"):
            headings = None
            yield from ((sentence, sentence) for sentence in SENTENCE_END.split(" ".join(block.split())))
            continue
        cells = [cell.strip() for cell in block.strip().strip("|").split("|")]
        if headings is None:
            headings = cells
        for cell, heading in zip(cells, headings + [""] * len(cells)):
            # The table's first cell, the column's heading, the row's first cell (and its last), and the cell itself.
            yield cell, " ".join((headings[0], heading, cells[0], cells[-1] if page.overview else "", cell))


def runs_beside(page, blocks):
    """Sentences whose figures are of another run than the one that is named in them."""
    default = page.series[0] if page.series else None
    for sentence, beside in sentences(page, blocks):
        used = set().union(*(page.values[int(number)].series for number in MARK.findall(sentence) if number))
        words = page.filled(beside)
        named = {series for series in page.all_series if re.search(series.called, words)}
        for series in used - named:
            if series is not default or (named and not named & used):
                yield f"a figure of {series.key} beside {' and '.join(sorted(one.called for one in named)) or 'no run'}: {page.filled(sentence)[:100]}"


SAYS_DERIVED = re.compile(r"\bderived from (?:the |what is |its )?printed\b", re.IGNORECASE)
SAYS_ORIGIN = re.compile(r"\b(?P<derived>derived from (?:the |what is |its )?printed)\b|\bprinted\b|\bpaper\b", re.IGNORECASE)
PRINTED_FIGURE = re.compile(r"\b[Pp]rinted (?:is |are |was |were |as )?\0([0-9]+)\0")
FIGURES_ALONE = re.compile(r"(?:\0[0-9]+\0|[^A-Za-z0-9\0])+")


def tables_of(page, blocks):
    """Every table that is written as one: rows of cells, the headings first, the rule below them left out."""
    rows = []
    for block in [*(block for block, _ in blocks), ""]:
        if block.startswith("|"):
            rows.append([cell.strip() for cell in block.strip().strip("|").split("|")])
        elif rows:
            yield [row for row in rows if any(re.search(r"[^-: ]", cell) for cell in row)]
            rows = []


def said_in(page, text):
    return [page.values[int(number)] for number in MARK.findall(text) if number]


def kinds_in(page, *texts):
    return [kind for text in texts for said in said_in(page, text) for kind in said.kinds]


def unlike_rows(page, rows):
    """Figures of two kinds in one row."""
    for row in rows:
        whole = quantities.Kind()
        try:
            for kind in kinds_in(page, *row[1:]):
                whole = whole.like(kind)
        except Unlike as problem:
            yield f"{problem}: {page.filled(' | '.join(row))[:120]}"


def differ(kinds):
    return any(not one.is_timed_alike(other) for one in kinds for other in kinds)


def unnamed_kinds(page, kinds, words):
    """Extents and boundaries of which no word is in the words beside the figures."""
    fields = [{kind.extent for kind in kinds}, {kind.boundary for kind in kinds}]
    for name in sorted(set().union(*fields) - {quantities.ANY, "whole"}):
        if not re.search(quantities.called(name), words, re.IGNORECASE):
            yield name


def unnamed_in_columns(page, rows):
    """Figures of several kinds under one another, of which a row does not say which it has."""
    if not any(differ([kind for row in rows[1:] for kind in kinds_in(page, *row[number : number + 1])]) for number in range(1, len(rows[0]))):
        return
    for row in rows[1:]:
        for name in unnamed_kinds(page, kinds_in(page, *row[1:]), page.filled(" ".join(row))):
            yield f"a figure of the kind '{name}' under others, and no word says so: {page.filled(' | '.join(row))[:120]}"


def wrong_origins(page, rows):
    """Figures that are not what the cell, or else the row's first, or else the heading says: printed, or derived from printed."""
    for row in rows[1:]:
        for heading, cell in zip(rows[0][1:], row[1:]):
            claims = [found for found in map(SAYS_ORIGIN.search, (page.filled(cell), page.filled(row[0]), page.filled(heading))) if found]
            for said in said_in(page, cell) if FIGURES_ALONE.fullmatch(SAYS_ORIGIN.sub("", cell)) or claims else []:
                claimed = (DERIVED if claims[0]["derived"] else PRINTED) if claims else None
                wrong = said.origin is not None and said.origin != claimed and (claimed or said.origin in (PRINTED, DERIVED))
                if wrong and said.kinds:
                    yield f"{said.text} is {said.origin}, and stands as {claimed or 'one of ours'}: {page.filled(' | '.join(row))[:120]}"


def unlike_in_sentence(page, sentence):
    """What a sentence does not say of its figures: that they are derived, or of which kinds they are."""
    words, all_said = page.filled(sentence), said_in(page, sentence)
    if any(said.origin == DERIVED for said in all_said) and not SAYS_DERIVED.search(words):
        yield f"a figure that is derived from printed ones, and no word says so: {words[:160]}"
    for number in PRINTED_FIGURE.findall(sentence):
        if page.values[int(number)].origin not in (PRINTED, None):
            yield f"{page.values[int(number)].text} is {page.values[int(number)].origin}, and stands as printed: {words[:160]}"
    kinds = kinds_in(page, sentence)
    if differ(kinds):
        for name in unnamed_kinds(page, kinds, words):
            yield f"a figure of the kind '{name}' beside others, and no word says so: {words[:160]}"


RANGE = re.compile(r"([0-9][0-9.,]*) \(([0-9][0-9.,]*) to ([0-9][0-9.,]*)\)")


def outside_of_ranges(page):
    """Figures outside of the range that stands behind them in brackets, however they came there."""
    for match in RANGE.finditer(page.filled(page.body)):
        value, least, most = (float(text.strip(",.").replace(",", "")) for text in match.groups())
        problem = quantities.outside_of_its_range(value, [least, most])
        if problem:
            yield problem


def unlike_figures(page, blocks):
    yield from outside_of_ranges(page)
    for rows in tables_of(page, blocks):
        yield from unlike_rows(page, rows)
        yield from unnamed_in_columns(page, rows)
        yield from wrong_origins(page, rows)
    for block, _ in blocks:
        if not block.startswith("|"):
            for sentence in SENTENCE_END.split(" ".join(block.split())):
                yield from unlike_in_sentence(page, sentence)


def problems_of(page, blocks):
    blocks = list(blocks)
    yield from page.problems
    for line, token in bare_numbers(page.body):
        yield f"line {line}: {token} is typed by hand"
    yield from runs_beside(page, blocks)
    yield from unlike_figures(page, blocks)
