"""What the compiled part of the Python package looks like in the reference: the types of its stub, and its docstrings as text.

The docstrings are for help(): plain sentences and doctests. They are made reStructuredText here.
"""

import ast
import inspect
import pathlib
import re

from sphinx import addnodes

STUB = "bindings/python/phalanx/_native.pyi"
SIGNATURE = re.compile(r"^(\w+)\((.*)\)( -> .*)?$")
SPECIAL = re.compile(r"(\*|\||\\|_(?=_|\W|$))")


def functions_of_stub(text):
    """Of each function and method, its declarations; more than one where it is overloaded."""
    found = {}

    def walk(body, prefix):
        for node in body:
            if isinstance(node, ast.FunctionDef):
                found.setdefault(prefix + node.name, []).append(node)
            elif isinstance(node, ast.ClassDef):
                walk(node.body, f"{prefix}{node.name}.")

    walk(ast.parse(text).body, "")
    return found


def arguments_of(node):
    """As the stub has them, without self, and with the settings that ** stands for."""
    node.args.posonlyargs = [one for one in node.args.posonlyargs if one.arg != "self"]
    node.args.args = [one for one in node.args.args if one.arg != "self"]
    return f"({ast.unparse(node.args)})"


def use_stub(app, what, name, thing, options, signature, returned):
    if signature is None or inspect.isfunction(thing) or inspect.isfunction(getattr(thing, "__init__", None)):
        return None
    is_class = inspect.isclass(thing)
    plain = re.sub(r"^phalanx\.((_native|parquet)\.)?", "", name)
    declared = app.functions_of_stub.get(f"{plain}.__init__" if is_class else plain)
    if not declared:
        return None
    node = declared[-1]  # the last of overloads takes most
    return arguments_of(node), ast.unparse(node.returns) if node.returns and not is_class else None


def drop_empty_signatures(app, doctree):
    """nanobind's docstrings begin with a second signature, `name(...)`."""
    for signature in list(doctree.findall(addnodes.desc_signature)):
        parameters = next(iter(signature.findall(addnodes.desc_parameterlist)), None)
        if parameters is not None and parameters.astext() == "(...)" and len(signature.parent.children) > 2:
            signature.parent.remove(signature)


def as_text(line):
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(f"`{part}`" if part.startswith("`") else SPECIAL.sub(r"\\\1", part) for part in parts)


def use_plain_docstring(app, what, name, thing, options, lines):
    while lines and (SIGNATURE.match(lines[0]) or not lines[0].strip()):  # nanobind begins with them
        del lines[0]
    written, example = [], False
    for line in lines:
        starts = line.lstrip().startswith(">>>")
        if starts and not example and written and written[-1].strip():
            written.append("")
        example = (example or starts) and bool(line.strip())
        written.append(line if example else as_text(line))
    lines[:] = written


def begin(app):
    app.functions_of_stub = functions_of_stub((pathlib.Path(app.srcdir) / STUB).read_text(encoding="utf-8"))


def setup(app):
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("builder-inited", begin)
    app.connect("autodoc-process-signature", use_stub)
    app.connect("autodoc-process-docstring", use_plain_docstring)
    app.connect("doctree-read", drop_empty_signatures)
    return {"parallel_read_safe": True}
