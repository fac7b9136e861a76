"""What the prose of reproductions/ must keep: no number is typed by hand, and a figure's run is the one that is named beside it.

A number is a token of digits with points, commas or %, with or without a unit, or a number word before a unit, "times" or "ranks".
What is no figure but a name stands in NAMES.
"""

import re

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
        used = set().union(*(page.values[int(number)][1] for number in MARK.findall(sentence) if number))
        words = page.filled(beside)
        named = {series for series in page.all_series if re.search(series.called, words)}
        for series in used - named:
            if series is not default or (named and not named & used):
                yield f"a figure of {series.key} beside {' and '.join(sorted(one.called for one in named)) or 'no run'}: {page.filled(sentence)[:100]}"


def problems_of(page, blocks):
    yield from page.problems
    for line, token in bare_numbers(page.body):
        yield f"line {line}: {token} is typed by hand"
    yield from runs_beside(page, blocks)
