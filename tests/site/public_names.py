"""The public names of C, C++ and Python, read from the headers and the package's sources, each with whether words belong to it.

The headers are as clang-format leaves them: what a class has is indented by two columns, and a blank line ends what a comment is about.
"""

import ast
import pathlib
import re
import typing

PACKAGE = "bindings/python/phalanx"
PUBLIC_MODULES = ("phalanx", "phalanx.device_cipher", "phalanx.parquet")  # their __all__
COMPAT = f"{PACKAGE}/compat"
# Classes of modules that have no __all__.
OTHER_CLASSES = {"device_aead": ["DeviceAead", "DeviceChunkedAead", "VerdictArray"], "devices": ["DeviceArray"]}

NAMES_OF_C = [
    re.compile(pattern)
    for pattern in (
        r"#define (PHALANX_\w+)",
        r"typedef \w+ \(\*(phalanx_\w+)\)",
        r"typedef (?:struct|enum) (phalanx_\w+)",
        r"enum (phalanx_\w+) \{",
        r"(?:PHALANX_MUST_CHECK )?[\w ]+[ *]+(phalanx_\w+)\(",
    )
]
GUARD = re.compile(r"PHALANX_\w+_H$")
MEMBER_OF_C = re.compile(r"  (?:[\w ]+[ *])?(\w+)(?:;|,| = \d+,?|$)")
TYPE_OF_CPP = re.compile(r"(?:class|struct|enum class|enum) (?:__attribute__\S+ )?(\w+)[^;]*\{")
ALIAS_OF_CPP = re.compile(r"using (\w+) =")
FUNCTION_OF_CPP = re.compile(r"[^=]*?[\s*&](\w+)\(|(\w+)\(")
FIELD_OF_CPP = re.compile(r"[\w:<>,()&* ]+[ *&](\w+)(?: = [^;]*|\{[^;]*)?;")
CONSTANT_OF_CPP = re.compile(r"(\w+)(?: = [^,]+)?(?:,|$| {2,}//)")
NO_NAME = {"operator", "requires", "throw", "return", "if", "explicit", "static", "friend"}
MOVES_OR_ENDS = re.compile(r"~|\w+\((?:const )?\w+&&?\)|[\w:]+& operator|static_assert|explicit operator|\[\[nodiscard\]\] (?:explicit )?operator|friend ")


class Name(typing.NamedTuple):
    language: str
    name: str
    kind: str  # "function", "type", "member"
    where: str
    has_words: bool


def without_comments_inside(line):
    return re.sub(r"\s*(//.*|/\*.*?\*/|/\*.*)$", "", line)


class Lines:
    """The lines of a header that declare something, with whether a comment is about them."""

    def __init__(self, text):
        self.text = text

    def __iter__(self):
        about, inside = False, False
        for number, line in enumerate(self.text.splitlines(), start=1):
            bare = line.strip()
            if inside or bare.startswith("/*"):
                about, inside = True, "*/" not in bare
            elif bare.startswith("///"):
                about = True
            elif not bare or bare.startswith("//"):
                about = False
            else:
                begins_comment = "/*" in line and "*/" not in line
                yield number, without_comments_inside(line), about or "///<" in line or "/*" in line
                inside = begins_comment


def of_c(path, name):
    scope = None
    for number, line, has_words in Lines(path.read_text(encoding="utf-8")):
        where = f"{name}:{number}"
        found = next(filter(None, (pattern.match(line) for pattern in NAMES_OF_C)), None)
        if found and not GUARD.match(found[1]):
            is_type = line.startswith(("typedef", "enum"))
            yield Name("c", found[1], "type" if is_type else "function", where, has_words)
            scope = found[1] if line.endswith("{") else None
        elif line.startswith("}"):
            scope = None
        elif scope and MEMBER_OF_C.match(line):
            member = MEMBER_OF_C.match(line)[1]
            yield Name("c", member if member.startswith("PHALANX_") else f"{scope}.{member}", "member", where, has_words)


def of_cpp(path, name):
    scopes, public = [], [True]  # names of types that are open, and whether what comes is public
    pending = ""
    for number, line, has_words in Lines(path.read_text(encoding="utf-8")):
        where, bare = f"{name}:{number}", line.strip()
        indent = len(line) - len(line.lstrip())
        if re.match(r"\}( \w+)?;|\}$", bare) and indent == 2 * (len(scopes) - 1) and scopes:
            scopes.pop()
            public.pop()
        elif bare in {"public:", "private:", "protected:"}:
            public[-1] = bare == "public:"
        elif indent != 2 * len(scopes) or not all(public) or bare.startswith(("#", "namespace", "inline namespace", "}", "template")):
            continue
        else:
            yield from declared(bare, "::".join(["phalanx", *scopes]), where, has_words)
            opened = TYPE_OF_CPP.match(bare)
            if opened and not bare.endswith("};"):
                scopes.append(opened[1])
                public.append(True)
    assert not scopes, f"{name}: {scopes} does not end"


def declared(bare, scope, where, has_words):
    if MOVES_OR_ENDS.match(bare):
        return
    opened, alias = TYPE_OF_CPP.match(bare), ALIAS_OF_CPP.match(bare)
    if opened or alias:
        yield Name("cpp", f"{scope}::{(opened or alias)[1]}", "type", where, has_words)
        if opened and bare.startswith("enum") and bare.endswith("};"):
            for constant in re.findall(r"(\w+)(?: = \w+)?", bare[bare.index("{") + 1 : -2]):
                if not constant.isdigit():
                    yield Name("cpp", f"{scope}::{opened[1]}::{constant}", "member", where, has_words)
        return
    field, function = FIELD_OF_CPP.fullmatch(bare), FUNCTION_OF_CPP.match(bare)
    if field and "(" not in bare.split("=")[0].split("{")[0]:
        yield Name("cpp", f"{scope}::{field[1]}", "member", where, has_words)
    elif function and (function[1] or function[2]) not in NO_NAME and not bare.startswith(("struct ", "class ")):
        yield Name("cpp", f"{scope}::{function[1] or function[2]}", "function", where, has_words)
    elif CONSTANT_OF_CPP.fullmatch(bare):
        yield Name("cpp", f"{scope}::{CONSTANT_OF_CPP.fullmatch(bare)[1]}", "member", where, has_words)


def all_of(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets):
            return ast.literal_eval(node.value)
    return []


def path_of_module(root, module):
    stem = root / PACKAGE / pathlib.PurePath(*module.split(".")[1:])
    return stem / "__init__.py" if stem.is_dir() else stem.with_suffix(".py")


def classes_of_package(root):
    """Of each class, the public names inside of it: of what is compiled, as the stub has them."""
    found = {}
    for path in [*sorted((root / PACKAGE).glob("*.py")), root / PACKAGE / "_native.pyi"]:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                inside = {one.name for one in node.body if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")}
                found.setdefault(node.name, sorted(inside))
    return found


def modules_of_compat(root):
    for path in sorted((root / COMPAT).rglob("*.py")):
        yield ".".join(["phalanx.compat", *path.relative_to(root / COMPAT).with_suffix("").parts]).removesuffix(".__init__"), path


def of_python(root):
    inside = classes_of_package(root)
    names = [f"{module}.{name}" for module in PUBLIC_MODULES for name in all_of(path_of_module(root, module))]
    names += [f"phalanx.{module}.{name}" for module, classes in OTHER_CLASSES.items() for name in classes]
    for name in names:
        yield Name("py", name, "type", PACKAGE, True)  # that each has a docstring, the package's own tests see to
        yield from (Name("py", f"{name}.{method}", "member", PACKAGE, True) for method in inside.get(name.rsplit(".", 1)[1], []))
    modules = dict(modules_of_compat(root))
    last_words = {module.rsplit(".", 1)[1] for module in modules}
    for module, path in modules.items():
        yield from (Name("py", f"{module}.{name}", "type", COMPAT, True) for name in all_of(path) if name not in last_words)


def public_names(root):
    include = root / "include"
    for path in sorted(include.rglob("*.h")):
        yield from of_c(path, path.relative_to(root).as_posix())
    for path in sorted(include.rglob("*.hpp")):
        yield from of_cpp(path, path.relative_to(root).as_posix())
    yield from of_python(root)
