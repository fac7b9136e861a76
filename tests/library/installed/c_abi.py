#!/usr/bin/env python3
"""Compares the C interface with what is kept of it: docs/abi.md says what may change.

usage: c_abi.py C_COMPILER INCLUDE LIBRARY [--write]

The kept list, c_abi.txt beside this file, has a line for each function, each type that is named, each struct with its size,
each member with its place, and each constant, as this compiler sees them. What was taken away, moved or changed is an error
for ever within a SONAME; what is new is one until --write has added it. A struct may grow where the caller or the library
says its size: where it begins with struct_bytes, and where it is in MAY_GROW. Functions have
the version under which LIBRARY exports them.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

KEPT = pathlib.Path(__file__).with_name("c_abi.txt")
# Messages of batches, whose calls take message_bytes, and what the library hands to callbacks.
MAY_GROW = {"phalanx_message", "phalanx_aead_message", "phalanx_aead_leading_nonce_message", "phalanx_file_verification",
             "phalanx_tree_file_migration", "phalanx_tree_file_finding", "phalanx_tree_file_result",
             "phalanx_indexed_file"}


def declarations(text):
    """What the header declares, one by one, without comments, macros and linkage."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    text = text.replace('extern "C" {', "").strip().removesuffix("}")
    depth, begin = 0, 0
    for i, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == ";" and depth == 0:
            yield " ".join(text[begin:i].split())
            begin = i + 1
    if text[begin:].strip():
        raise SystemExit(f"c_abi.py: cannot read {text[begin:].strip()[:60]!r}")


def split_commas(text):
    """At the commas that are in no parentheses."""
    return re.split(r",(?![^(]*\))", text)


def members_of(body):
    """The name and the type of each member."""
    for declared in filter(None, (part.strip() for part in body.split(";"))):
        first, *more = split_commas(declared)
        pointer = re.search(r"\(\*(\w+)\)", first)
        name = pointer[1] if pointer else re.search(r"(\w+)\s*(\[[^]]*\])?$", first)[1]
        kind = first.replace(name, "", 1) if pointer else re.sub(rf"\b{name}\b\s*(?=\[|$)", "", first)
        yield name, " ".join(kind.split())
        for other in more:
            yield other.strip(), " ".join(kind.split())


def read_headers(include):
    """The facts that need no compiler, and the structs and constants, of which a compiler knows the rest."""
    facts, structs, constants = [], {}, []
    for header in sorted((include / "phalanx").rglob("*.h")):
        text = header.read_text()
        constants += re.findall(r"^#define (PHALANX_(?!VERSION)\w+)(?!.*\"|.*\\$)[ \t]+\S", text, flags=re.M)
        for declared in declarations(text):
            if struct := re.fullmatch(r"typedef struct (\w+) \{(.*)\} (\w+)", declared):
                structs[struct[1]] = list(members_of(struct[2]))
            elif enum := re.fullmatch(r"enum \w+ \{(.*)\}", declared):
                constants += re.findall(r"PHALANX_\w+(?= =)", enum[1])
            elif declared.startswith("typedef "):
                facts.append(f"type {declared.removeprefix('typedef ')}")
            else:
                facts.append(f"function {declared}")
    return facts, structs, constants


def measure(compiler, include, structs, constants):
    """Sizes, places and values, as a program of this compiler prints them."""
    lines = [f"#include <{header.relative_to(include)}>" for header in sorted((include / "phalanx").rglob("*.h"))]
    lines += ["#include <stddef.h>", "#include <stdio.h>", "int main(void) {"]
    for struct, members in structs.items():
        lines.append(f'printf("struct {struct} of %zu bytes\\n", sizeof({struct}));')
        for name, kind in members:
            size = f"sizeof((({struct}*)0)->{name})"
            lines.append(f'printf("member {struct}.{name} at %zu, %zu bytes: {kind}\\n", offsetof({struct}, {name}), {size});')
    lines += [f'printf("constant {name} = %llu\\n", (unsigned long long)({name}));' for name in constants]
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "probe"
        source = program.with_suffix(".c")
        source.write_text("\n".join([*lines, "return 0; }", ""]))
        subprocess.run([compiler, "-std=c99", f"-I{include}", source, "-o", program], check=True)
        return subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()


def with_versions(library, facts):
    """The functions with the versions under which the library exports them; what it exports besides is a line of its own."""
    names = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    versions = dict(re.findall(r" [A-Z] (phalanx_\w+)(\S*)$", names, flags=re.M))
    for fact in facts:
        name = re.search(r"(phalanx_\w+)\(", fact) if fact.startswith("function ") else None
        yield f"{fact} {versions.pop(name[1], '(not exported)') or '(without a version)'}" if name else fact
    yield from (f"exported and not declared: {name}" for name in versions)


def broken_of(kept, now):
    """What programs that were linked with the kept interface miss."""
    sizes = {line.split()[1]: int(line.split()[3]) for line in now if line.startswith("struct ")}
    growing = MAY_GROW | {line.split()[1].split(".")[0] for line in now if re.match(r"member \w+\.struct_bytes at 0,", line)}
    for line in kept:
        if line in now:
            continue
        words = line.split()
        grows = words[0] == "struct" and words[1] in growing
        if not grows or sizes.get(words[1], 0) < int(words[3]):
            yield line
    old_sizes = {line.split()[1]: int(line.split()[3]) for line in kept if line.startswith("struct ")}
    for line in now:  # where older programs have padding, which may hold anything
        new = re.match(r"member (\w+)\.\w+ at (\d+),", line) if line not in kept else None
        if new and int(new[2]) < old_sizes.get(new[1], 0):
            yield f"within the old size: {line}"


def main():
    compiler, include, library = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    facts, structs, constants = read_headers(include)
    now = sorted([*with_versions(library, facts), *measure(compiler, include, structs, constants)])
    if "--write" in sys.argv[4:]:
        KEPT.write_text("\n".join(now) + "\n")
        return 0
    kept = KEPT.read_text().splitlines()
    errors = [f"taken away, moved or changed: {line}" for line in broken_of(kept, now)]
    lost = {line.split(": ", 1)[1] for line in errors}
    old = [line for line in kept if line not in now and line not in lost]
    errors += [f"new, and not kept: {line}" for line in now if line not in kept]
    errors += [f"of an older version: {line}" for line in old]
    errors += [line for line in now if "(not exported)" in line or "(without a version)" in line or "not declared" in line]
    print("\n".join(errors) or f"{len(now)} facts of the C interface are as they are kept")
    if errors:
        print("docs/abi.md says what may change; c_abi.py --write keeps what is new")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
