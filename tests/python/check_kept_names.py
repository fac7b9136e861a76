#!/usr/bin/env python3
"""The Python package has every name and parameter that is kept of it: docs/compatibility.md.

usage: check_kept_names.py SOURCE_FOLDER [--write]

kept_names.txt has a line for each class, base class, member and function, for each argument with its place, and for each argument by
name (*). The sources are read, nothing is imported. What was taken away is an error; what is new is one until --write has added it.
"""

import ast
import functools
import pathlib
import sys
from collections.abc import Iterator

KEPT = pathlib.Path(__file__).with_name("kept_names.txt")
MODULES = ("__init__", "device_aead", "device_cipher", "parquet")  # which users import; those without __all__ have their names here
NAMES = {"device_aead": ["DeviceAead", "DeviceBatch", "DeviceChunkedAead", "DeviceVerdict", "DeviceVerdicts"]}

Definition = ast.ClassDef | ast.FunctionDef
Definitions = dict[str, list[Definition]]  # overloads have one name


@functools.cache
def parsed(folder: pathlib.Path, module: str) -> ast.Module:
    path = folder / f"{module}.pyi"
    return ast.parse((path if path.exists() else path.with_suffix(".py")).read_text(encoding="utf-8"))


def definitions_in(tree: ast.Module, name: str) -> list[Definition]:
    return [node for node in tree.body if isinstance(node, Definition) and node.name == name]


def definitions_of(folder: pathlib.Path, module: str, name: str) -> list[Definition]:
    """Those of the module, or of the one that it imports the name from."""
    tree = parsed(folder, module)
    if found := definitions_in(tree, name):
        return found
    origins = [node.module for node in tree.body if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}]
    return definitions_of(folder, origins[0], name) if origins and origins[0] else []


def typed_dicts(folder: pathlib.Path) -> Definitions:
    found: Definitions = {}
    for path in [*folder.glob("*.pyi"), *folder.glob("*.py")]:
        for node in parsed(folder, path.stem).body:
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(node)
    return found


def fields_of(name: str, found: Definitions) -> Iterator[str]:
    """Those of a TypedDict, and of what it begins with."""
    for node in found.get(name, []):
        if isinstance(node, ast.ClassDef):
            for base in node.bases:
                yield from fields_of(ast.unparse(base), found)
            yield from (ast.unparse(part.target) for part in node.body if isinstance(part, ast.AnnAssign))


def facts_of_function(name: str, node: ast.FunctionDef, found: Definitions) -> Iterator[str]:
    yield name
    places = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args] if argument.arg not in ("self", "cls")]
    yield from (f"{name} {place} {argument}" for place, argument in enumerate(places, start=1))
    yield from (f"{name} * {argument.arg}" for argument in node.args.kwonlyargs)
    rest = node.args.kwarg.annotation if node.args.kwarg else None
    if isinstance(rest, ast.Subscript):  # Unpack[...]
        yield from (f"{name} * {field}" for field in fields_of(ast.unparse(rest.slice), found))


def facts_of_class(name: str, node: ast.ClassDef, found: Definitions) -> Iterator[str]:
    yield name
    yield from (f"{name} is {ast.unparse(base)}" for base in node.bases if not ast.unparse(base).startswith("_"))
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and (not part.name.startswith("_") or part.name == "__init__"):
            yield from facts_of_function(f"{name}.{part.name}", part, found)
        elif isinstance(part, ast.AnnAssign):
            yield f"{name}.{ast.unparse(part.target)}"
        elif isinstance(part, ast.Assign):
            yield f"{name}.{ast.unparse(part.targets[0])}"


def public_names(folder: pathlib.Path, module: str) -> list[str]:
    lists = [node.value for node in parsed(folder, module).body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"]
    return list(ast.literal_eval(lists[0])) if lists else NAMES[module]


def facts_of(folder: pathlib.Path) -> Iterator[str]:
    dicts = typed_dicts(folder)
    for module in MODULES:
        for name in public_names(folder, module):
            shown = f"phalanx.{name}" if module == "__init__" else f"phalanx.{module}.{name}"
            yield shown
            for node in definitions_of(folder, module, name):
                if isinstance(node, ast.ClassDef):
                    yield from facts_of_class(shown, node, dicts)
                else:
                    yield from facts_of_function(shown, node, dicts)


def main() -> int:
    now = set(facts_of(pathlib.Path(sys.argv[1]) / "bindings" / "python" / "phalanx"))
    if "--write" in sys.argv[2:]:
        KEPT.write_text("".join(f"{fact}\n" for fact in sorted(now)), encoding="utf-8")
        return 0
    kept = set(KEPT.read_text(encoding="utf-8").splitlines())
    errors = [f"taken away or moved: {fact}" for fact in sorted(kept - now)]
    errors += [f"new, and not kept (--write keeps it): {fact}" for fact in sorted(now - kept)]
    print("\n".join(errors) or f"{len(now)} facts of the Python package are as they are kept")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
