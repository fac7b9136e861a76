#!/usr/bin/env python3
"""Copies the public headers with the comments that Doxygen looks for. Lines keep their numbers.

usage: read_comments.py INCLUDE_FOLDER COPY

The headers are written for readers: C has plain comments, and a comment stands before all the functions that it is about. Here the
first of these gets the comment, and each of the others says where it is. The comment at a file's beginning becomes the file's own.
"""

import pathlib
import re
import sys

COMMENT_OF_C = re.compile(r"/\*(.*?)\*/", re.DOTALL)
HIDDEN = re.compile(r'__attribute__\(\(visibility\("hidden"\)\)\) ')
FRIEND = re.compile(r"^  friend .*;$", re.MULTILINE)
NAMESPACE = re.compile(r"^(inline namespace PHALANX_VERSION_NAMESPACE \{|\}  // namespace PHALANX_VERSION_NAMESPACE)$", re.MULTILINE)
# What Doxygen takes for a command or a tag, outside of `code`.
SPECIAL = re.compile(r"`[^`]*`|([@\\<>#%&])")
MOVES_OR_ENDS = re.compile(r"~|\w+\(\w+&&\)|\w+& operator=")  # what needs no words
FUNCTION = re.compile(r"(~?\b[A-Za-z_]\w*|operator[^\w\s(]+)\(")
OTHER_NAMES = [re.compile(pattern) for pattern in (
    r"#define (\w+)", r"typedef int \(\*(\w+)\)", r"typedef (?:struct|enum) (\w+)", r"(?:class|struct|enum class|enum) (\w+)", r"using (\w+) =")]


def escaped(words):
    return SPECIAL.sub(lambda match: "\\" + match[1] if match[1] else match[0], words)


def name_in(line):
    """The name that a line declares, with () behind that of a function; None where it is a member's, or there is none."""
    for pattern in OTHER_NAMES:
        found = pattern.match(line)
        if found:
            return f"`{found[1]}`"
    found = FUNCTION.search(line)
    return f"{found[1]}()" if found and not line.startswith(("}", "#", "/")) else None


def with_groups(text):
    """Each further declaration below a comment says with which it is described."""
    lines, first, indent, inside = [], None, "", False
    for line in text.split("\n"):
        bare = line.lstrip()
        if inside or bare.startswith(("///", "/**")):
            opens = inside or (bare.startswith("/**") and not bare.startswith("/**<"))
            inside = opens and "*/" not in bare
            first, indent = "", line[: len(line) - len(bare)] if not opens or bare.startswith("/**") else indent
        elif not bare:
            first = None
        elif line.startswith(indent) and bare == line[len(indent) :]:
            name = None if MOVES_OR_ENDS.match(bare) else name_in(bare)
            if name and first:
                line = f"{indent}/** Described with {first}. */ {bare}"
            elif name and first == "":
                first = name
        lines.append(line)
    return "\n".join(lines)


def with_comments_of_c(text):
    def converted(match):
        before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        after = text[match.end() :].split("\n", 2)
        if before.strip():
            return f"/**<{escaped(match[1])}*/"
        is_of_next = not after[0].strip() and len(after) > 1 and after[1].strip()
        return f"/**{escaped(match[1])}*/" if is_of_next else match[0]

    return COMMENT_OF_C.sub(converted, text).replace("PHALANX_MUST_CHECK int", "int")


def with_comments_of_cpp(text):
    def converted(match):
        return match[1] + escaped(match[2])

    return re.sub(r"^(.*?///<?)(.*)$", converted, FRIEND.sub("", HIDDEN.sub("", NAMESPACE.sub("", text))), flags=re.MULTILINE)


def words_of_file(text, is_c):
    """The comment at a file's beginning, and those of C that stand alone, which are about what follows."""
    if not is_c:
        return re.sub(r"^// ?", "", re.match(r"(//.*\n)*", text)[0], flags=re.MULTILINE)
    found = re.findall(r"(?:^|\n)/\*((?:(?!\*/).)*)\*/\n(?=#ifndef|\n)", text, re.DOTALL)
    return "\n\n".join(re.sub(r"\n \* ?", "\n", words).strip() for words in found)


def converted_header(text, name):
    is_c = name.endswith(".h")
    start = text.index("#")
    rest = "\n" * text[:start].count("\n") + text[start:]
    commented = with_comments_of_c(rest) if is_c else with_comments_of_cpp(rest)
    return f"{with_groups(commented)}\n/** @file {name}\n\n{escaped(words_of_file(text, is_c))}\n*/\n"


def main(folder, copy):
    for path in sorted(folder.rglob("*.h*")):
        name = path.relative_to(folder).as_posix()
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(converted_header(path.read_text(encoding="utf-8"), name), encoding="utf-8")


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
