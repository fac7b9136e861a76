"""The directive `public-header`: what a public header declares, in its order, each by Breathe."""

import functools
import pathlib
import xml.etree.ElementTree as xml

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

DIRECTIVES = {
    "class": "doxygenclass",
    "struct": "doxygenstruct",
    "function": "doxygenfunction",
    "typedef": "doxygentypedef",
    "enum": "doxygenenum",
    "variable": "doxygenvariable",
    "define": "doxygendefine",
}
WITH_MEMBERS = {"class", "struct"}
GUARD_END = "_H"


@functools.cache
def read(path):
    return xml.parse(path).getroot().find("compounddef")


def line_of(element):
    return int(element.find("location").get("line"))


def is_guard(member):
    return member.get("kind") == "define" and member.findtext("name").endswith(GUARD_END)


def argument(member):
    """What Breathe finds it by: a function may be overloaded, so that its parameters belong to it."""
    if member.get("kind") == "function":
        types = ", ".join("".join(parameter.find("type").itertext()) for parameter in member.iter("param"))
        suffix = " const" if member.get("const") == "yes" else ""
        return f"{qualified(member)}({types}){suffix}"
    return qualified(member)


def qualified(member):
    return member.findtext("qualifiedname") or member.findtext("name")


def declarations(folder, header):
    """Line, directive, argument and kind of each."""
    name = header.replace("_", "__").replace(".", "_8")
    file = read(folder / f"{name}.xml")
    for inner in file.iter("innerclass"):
        compound = read(folder / f"{inner.get('refid')}.xml")
        if "::" not in inner.text.removeprefix("phalanx::"):  # a struct inside of a class is among its members
            yield line_of(compound), compound.get("kind"), inner.text
    for member in members(folder, header, file):
        if not is_guard(member):
            yield line_of(member), member.get("kind"), argument(member)


def members(folder, header, file):
    """Those of the file itself, and those of the namespace that are declared in it."""
    yield from file.iter("memberdef")
    if header.endswith(".hpp"):
        of_namespace = read(folder / "namespacephalanx.xml").iter("memberdef")
        yield from (member for member in of_namespace if pathlib.PurePath(member.find("location").get("file")).name == header)


class PublicHeader(SphinxDirective):
    required_arguments = 1

    def run(self):
        header = self.arguments[0]
        folder = pathlib.Path(self.config.doxygen_xml)
        self.env.note_dependency(str(folder / "index.xml"))
        lines = [f".. doxygenfile:: {header}", "   :sections: briefdescription detaileddescription", ""]
        for _, kind, name in sorted(set(declarations(folder, header))):
            lines.append(f".. {DIRECTIVES[kind]}:: {name}")
            lines += ["   :members:", "   :undoc-members:"] if kind in WITH_MEMBERS else []
            lines.append("")
        made = nodes.Element()
        self.state.nested_parse(StringList(lines, f"<{header}>"), self.content_offset, made)
        return made.children


def setup(app):
    app.add_directive("public-header", PublicHeader)
    return {"parallel_read_safe": True}
