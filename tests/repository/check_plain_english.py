#!/usr/bin/env python3
"""Checks that pages and comments are in plain English, as far as a script can tell: how long README, sentences and lines are,
and how a comment's sentences begin.

usage: check_plain_english.py REPOSITORY      exits 0 if all holds, 1 listing what does not

A check is a function over the repository that yields problems; CHECKS has all of them.
"""

import itertools
import pathlib
import re
import sys

import english_verbs
import source_comments

MAX_README_WORDS = 900
MAX_SENTENCE_WORDS = 25
FIRST_SCREEN_LINES = 25  # of each page of docs/
MAX_COMMENT_WORDS = 30  # of a sentence in a comment
MAX_LINE_CHARACTERS = 300  # of SECURITY.md, where a cell of a table once had a thousand

FENCE = re.compile(r"\s*(> ?)*```")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
TARGET = re.compile(r"\]\([^)\s]*\)")
CODE = re.compile(r"`[^`]*`")
# What begins a line and is no part of its words: a quote's mark, an item's, a heading's.
MARKS = re.compile(r"^\s*((>|[-*+]|\d+\.|#+)(\s+|$))*")
BEGINS_ANEW = re.compile(r"^\s*(> *)?([-*+]|\d+\.|#+)\s")
SENTENCE_END = re.compile(r"""(?<=[.!?])["')*\]]*\s+""")

# The rooms whose comments follow the rules of CONTRIBUTING.md. A change that rewrites the comments of a room adds it here.
PLAIN_ROOMS = [
    "include",
    "src/engine/bytes",
    "src/engine/chunked",
    "src/engine/host",
    "src/engine/lanes",
    "src/engine/library",
    "src/engine/modes",
    "src/engine/secrets",
    "src/engine/text",
    "src/engine/threads",
    "src/files/age",
    "src/files/container",
    "src/files/foreign",
    "src/files/in_place",
    "src/files/inspection",
    "src/files/libcrypto",
    "src/files/migration",
    "src/files/pipeline",
    "src/files/recognition",
    "src/files/system",
    "src/parquet",
    "src/program/cli",
    "src/program/cluster",
]
PLAIN_SOURCES = {".h", ".hpp", ".cpp", ".cu"}
# A sentence that begins so leans on the line above, is a question, or is part of a sentence.
LEANING = re.compile(
    r"(Of|That of|Those of|What|Who|Whom|Whose|Whoever|Which|Whether|How|Why|The same|So is|So are|As is|As are|Nor|But for|And|Else)\b"
)
UNKNOWN_CALLER = re.compile(r"\bwhoever ask(s|ed)\b", re.IGNORECASE)
WORD = re.compile(r"[A-Za-z]+(?:'t)?")
MIN_FRAGMENT_WORDS = 4  # fewer words are a title


def prose_lines(text):
    """Number and text of each line outside of fenced code; a comment's lines are empty."""
    text = COMMENT.sub(lambda match: "\n" * match[0].count("\n"), text)
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        if FENCE.match(line):
            inside = not inside
        elif not inside:
            yield number, line
            continue
        yield number, ""


def units_of(text):
    """Line and words of each paragraph, item, heading and cell of a table: what no sentence goes beyond."""
    first, words = 0, []
    for number, line in [*prose_lines(text), (0, "")]:
        bare = MARKS.sub("", line)
        if words and (not bare.strip() or BEGINS_ANEW.match(line) or bare.startswith("|")):
            yield first, " ".join(words)
            words = []
        if bare.startswith("|"):
            yield from ((number, cell.strip()) for cell in bare.strip("|").split("|"))
        elif bare.strip():
            first, words = (first, words) if words else (number, [])
            words.append(bare.strip())
    if words:
        yield first, " ".join(words)


def sentences_of(text):
    for number, unit in units_of(text):
        for sentence in SENTENCE_END.split(CODE.sub("CODE", TARGET.sub("]", unit))):
            yield number, sentence


def num_words(text):
    """As `wc -w` counts them, but nothing in fenced code and no target of a link."""
    return len(TARGET.sub("]", "\n".join(line for _, line in prose_lines(text))).split())


def check_readme_words(repository):
    count = num_words((repository / "README.md").read_text(encoding="utf-8"))
    if count > MAX_README_WORDS:
        yield f"README.md: {count} words (at most {MAX_README_WORDS}): move some to a page of docs/"


def long_sentences(name, text, last_line):
    for number, sentence in itertools.takewhile(lambda found: found[0] <= last_line, sentences_of(text)):
        count = len(sentence.split())
        if count > MAX_SENTENCE_WORDS:
            yield f"{name}:{number}: a sentence of {count} words (at most {MAX_SENTENCE_WORDS}): {sentence[:60]}..."


def check_readme_sentences(repository):
    text = (repository / "README.md").read_text(encoding="utf-8")
    yield from long_sentences("README.md", text, text.count("\n") + 1)


def check_first_screens(repository):
    for path in sorted((repository / "docs").glob("*.md")):
        yield from long_sentences(f"docs/{path.name}", path.read_text(encoding="utf-8"), FIRST_SCREEN_LINES)


def check_security_lines(repository):
    for number, line in enumerate((repository / "SECURITY.md").read_text(encoding="utf-8").splitlines(), start=1):
        if len(line) > MAX_LINE_CHARACTERS:
            yield f"SECURITY.md:{number}: a line of {len(line)} characters (at most {MAX_LINE_CHARACTERS}): make a list of it"


def is_fragment(sentence):
    words = WORD.findall(sentence)
    has_verb = any(word.lower() in english_verbs.VERBS for word in words)
    return len(words) >= MIN_FRAGMENT_WORDS and sentence.endswith(".") and not has_verb


def problems_of_sentence(kind, sentence):
    if len(sentence.split()) > MAX_COMMENT_WORDS:
        yield f"a sentence of {len(sentence.split())} words (at most {MAX_COMMENT_WORDS})"
    if UNKNOWN_CALLER.search(sentence):
        yield "who calls is the caller"
    if kind == "note":  # it may be a noun phrase
        return
    if match := LEANING.match(sentence):
        yield f"begins with '{match[0]}': say what it is about"
    if is_fragment(sentence):
        yield "has no verb that english_verbs.py knows: make it a sentence, or add the verb there"


def check_comments(repository):
    sources = (path for room in PLAIN_ROOMS for path in sorted((repository / room).rglob("*")) if path.suffix in PLAIN_SOURCES)
    for path in sources:
        for number, kind, sentence in source_comments.sentences_of(path.read_text(encoding="utf-8")):
            for problem in problems_of_sentence(kind, sentence):
                yield f"{path.relative_to(repository)}:{number}: {problem}: {sentence[:60]}"


CHECKS = [check_readme_words, check_readme_sentences, check_first_screens, check_security_lines, check_comments]


def main(repository):
    problems = list(itertools.chain.from_iterable(check(repository) for check in CHECKS))
    print("\n".join(problems) or f"README.md has {num_words((repository / 'README.md').read_text(encoding='utf-8'))} words")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
