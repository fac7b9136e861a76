"""How the tables of documents are written: sizes, numbers, and Markdown."""


def size_text(num_bytes):
    for suffix, bits in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if num_bytes >> bits and num_bytes % (1 << bits) == 0:
            return f"{num_bytes >> bits} {suffix}"
    return f"{num_bytes} B"


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def table(headings, alignments, rows):
    lines = ["| " + " | ".join(headings) + " |", "|" + "|".join(alignments) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])
