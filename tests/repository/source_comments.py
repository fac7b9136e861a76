"""Finds the comments of C and C++ sources, and the sentences in them, for check_plain_english.py."""

import re

LITERAL_OR_COMMENT = re.compile(
    r"""(?P<literal>R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+')"""
    r"""|(?P<line>//[^\n]*)|(?P<block>/\*(?:.|\n)*?\*/)|(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])"""
)
LEAD = re.compile(r"^\s*(///<|///|//|/\*|\*(?!/))?[ ]?")
TABLE = "  "  # begins a line of a table in a comment, and one that goes on with an item of a list
CODE = re.compile(r"`[^`]*`")
SENTENCE_END = re.compile(r"""(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)["')]*\s+""")


def pieces_of(text):
    """Line, kind and text of each comment's line. The kind is "note" beside code, "doc" for `///`, or "block"."""
    for match in LITERAL_OR_COMMENT.finditer(text):
        if match["line"] is None and match["block"] is None:
            continue
        first = text.count("\n", 0, match.start()) + 1
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        kind = "note" if before.strip() or match[0].startswith("///<") else "doc" if match[0].startswith("///") else "block"
        for number, line in enumerate(match[0].removesuffix("*/").splitlines(), start=first):
            yield number, kind, LEAD.sub("", line).rstrip()


def paragraphs_of(text):
    """Line, kind and text of each paragraph and each item of a list: what no sentence goes beyond."""
    first, last, kind, words = 0, 0, "", []
    for number, piece_kind, piece in [*pieces_of(text), (0, "", "")]:
        follows = number == last + 1 and piece_kind == kind and kind != "note"
        in_item = bool(follows and words and words[0].startswith("- "))
        is_table = piece.startswith(TABLE) and not in_item
        ends_item = in_item and not piece.startswith(TABLE)
        if words and (not follows or not piece or is_table or ends_item or piece.startswith("- ")):
            yield first, kind, " ".join(words).removeprefix("- ")
            words = []
        if piece and not is_table:
            first = first if words else number
            words.append(piece.strip())
        last, kind = number, piece_kind


def sentences_of(text):
    """Line, kind and text of each sentence in the comments of a source, with CODE in place of what stands in backticks."""
    for number, kind, paragraph in paragraphs_of(text):
        for sentence in SENTENCE_END.split(CODE.sub("CODE", paragraph)):
            yield number, kind, sentence
