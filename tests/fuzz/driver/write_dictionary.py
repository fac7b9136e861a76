#!/usr/bin/env python3
"""Writes the dictionary of a fuzz target: the words between quotation marks of the sources that it is about, and those of characters
in braces, as libFuzzer reads them.

usage: write_dictionary.py DICTIONARY SOURCE...        the sources are those that have the format's words today: nothing is kept twice
"""

import pathlib
import re
import sys

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)+)"')
CHARACTERS = re.compile(r"\{('[^'\\]'(?:, (?:'[^'\\]'|\d+))+)\}")
MOST_BYTES = 64  # libFuzzer takes no longer word


def words_of(source):
    for line in source.splitlines():
        if line.lstrip().startswith(("#include", "//")):
            continue
        for list_of_characters in CHARACTERS.findall(line):
            yield bytes(ord(one[1]) if one[0] == "'" else int(one) for one in list_of_characters.split(", "))
        for literal in LITERAL.findall(line):
            word = literal.encode().decode("unicode_escape").encode("latin-1")
            if len(word) <= MOST_BYTES and word.count(b" ") < 4:  # no sentences: those are messages
                yield word


def entry(word):
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\x{b:02x}" for b in word) + '"\n'


def main():
    words = {word for path in sys.argv[2:] for word in words_of(pathlib.Path(path).read_text())}
    if not words:
        sys.exit(f"write_dictionary.py: no words in {' '.join(sys.argv[2:])}")
    pathlib.Path(sys.argv[1]).write_text("".join(map(entry, sorted(words))))


if __name__ == "__main__":
    main()
