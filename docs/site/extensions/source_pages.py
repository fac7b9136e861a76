"""Pages of sources: each file that a page has a link to, and each that declares a public name, with numbers of lines.

A link of a page to a file that is no page leads to the page of that file. An entry of the reference has a link to its declaration.
"""

import ast
import pathlib
import re
import subprocess
import xml.etree.ElementTree as xml

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

MAX_SHOWN_BYTES = 1 << 18
# Not of the theme: its lists of pages beside each source would take most of the time.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{up}_static/source.css">
</head>
<body>
<p><a href="{up}index.html">Phalanx</a></p>
<h1>{title}</h1>
{body}
</body>
</html>
"""
STYLE = """body { margin: 1rem; font-family: sans-serif; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; }
a.permalink { color: inherit; text-decoration: none; }
pre { overflow-x: auto; font-size: 0.85rem; }
pre a { color: #777; text-decoration: none; }
.manual-text { max-width: 50rem; line-height: 1.4; }
table.head, table.foot { width: 100%; max-width: 50rem; }
:target { background: #ffefa0; }
"""
PACKAGE = "bindings/python/phalanx"


def page_of(path):
    return f"source/{path}"


def wanted(environment):
    """Paths of files that need a page, by the page that names them."""
    if not hasattr(environment, "wanted_sources"):
        environment.wanted_sources = {}
    return environment.wanted_sources


class LinksToSources(SphinxTransform):
    """A link to a file would be a download of a copy: it becomes one to the file's page. One to a folder leads to its README or list."""

    default_priority = 5

    def apply(self):
        for link in [*self.document.findall(addnodes.download_reference), *self.document.findall(addnodes.pending_xref)]:
            path, full = self.env.relfn2path(link["reftarget"].split("#")[0])
            is_folder = pathlib.Path(full).is_dir()
            if link["reftype"] == "myst" and (is_folder or isinstance(link, addnodes.download_reference)):
                self.lead(link, path, has_page=is_folder and (pathlib.Path(full) / "README.md").exists())

    def lead(self, link, path, has_page):
        up = "../" * self.env.docname.count("/")
        if has_page:
            target = f"{up}{path}/README.html"
        else:
            target = f"{up}{page_of(path)}.html"
            wanted(self.env).setdefault(self.env.docname, set()).add(path)
        link.replace_self(nodes.reference("", "", *link.children, internal=True, refuri=target))


def lines_of_headers(folder):
    """Of each name of C and C++, the header and the line that declares it."""
    found = {}
    for path in sorted(folder.glob("*.xml")):
        for compound in xml.parse(path).getroot().iter("compounddef"):
            scope = compound.findtext("compoundname") if compound.get("kind") in {"class", "struct", "namespace"} else ""
            if scope and compound.get("kind") != "namespace":
                note(found, scope, compound)
            for member in compound.iter("memberdef"):
                name = member.findtext("name")
                note(found, f"{scope}::{name}" if scope else name, member)
                for value in member.iter("enumvalue"):
                    note(found, value.findtext("name"), member)
                    note(found, f"{scope}::{name}::{value.findtext('name')}", member)
    return found


def note(found, name, element):
    where = element.find("location")
    if where is not None and where.get("file", "").startswith("phalanx/"):
        found.setdefault(name, ("include/" + where.get("file"), int(where.get("line"))))


def definitions(body, prefix=""):
    for node in body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield prefix + node.name, node.lineno
            if isinstance(node, ast.ClassDef):
                yield from definitions(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield prefix + node.target.id, node.lineno


def lines_of_package(root):
    """Of each name of Python, the file and the line; of what is compiled, those of its types."""
    found, elsewhere = {}, {}
    for path in sorted((root / PACKAGE).glob("*.py*")):
        module = "phalanx" if path.stem == "__init__" else f"phalanx.{path.stem}"
        for name, line in definitions(ast.parse(path.read_text(encoding="utf-8")).body):
            where = (f"{PACKAGE}/{path.name}", line)
            found.setdefault(f"{module}.{name}", where)
            elsewhere.setdefault(name, where)
    return found, elsewhere


def where_is(app, domain, name):
    if domain in {"c", "cpp"}:
        return app.lines_of_headers.get(name) or app.lines_of_headers.get(name.replace(".", "::"))
    found, elsewhere = app.lines_of_package
    return found.get(name) or elsewhere.get(re.sub(r"^phalanx\.([a-z_]+\.)?(?=\w)", "", name))


def names_by_anchor(app):
    if not hasattr(app, "names_by_anchor"):
        app.names_by_anchor = {
            (docname, anchor): (domain, name)
            for domain in ("c", "cpp", "py")
            for name, _, _, docname, anchor, _ in app.env.get_domain(domain).get_objects()
        }
    return app.names_by_anchor


def add_links_to_declarations(app, doctree, docname):
    names = names_by_anchor(app)
    for signature in list(doctree.findall(addnodes.desc_signature)):
        places = [where_is(app, *names[docname, anchor]) for anchor in signature.get("ids", []) if (docname, anchor) in names]
        if not any(places):
            continue
        path, line = next(filter(None, places))
        app.declaring_files.add(path)
        target = app.builder.get_relative_uri(docname, page_of(path)) + f"#line-{line}"
        lines = list(signature.findall(addnodes.desc_signature_line))
        place = lines[0] if lines else signature
        place += nodes.reference("", "", nodes.inline("", "[source]", classes=["viewcode-link"]), internal=True, refuri=target)


def listed(path, folder, pages):
    """A folder as HTML: links to those of its files that have a page."""
    names = [name.name for name in sorted(folder.iterdir())]
    items = (f'<li><a href="{path.rsplit("/", 1)[-1]}/{name}.html">{name}</a></li>' for name in names if f"{path}/{name}" in pages)
    return f"<ul>{''.join(items)}</ul>"


def shown(path):
    """A file as HTML, or a sentence about one that is no text, or that is long."""
    if path.suffix == ".1":  # a manual page, as readers of it see it
        return subprocess.run(["mandoc", "-T", "html", "-O", "fragment", str(path)], capture_output=True, text=True, check=True).stdout
    content = path.read_bytes()
    if len(content) > MAX_SHOWN_BYTES or b"\0" in content[:4096]:
        return f"<p>This file has {len(content):,} bytes and is not shown here.</p>"
    text = content.decode("utf-8", errors="replace")
    try:
        lexer = get_lexer_for_filename(path.name, stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    formatter = HtmlFormatter(linenos="inline", lineanchors="line", anchorlinenos=True, cssclass="highlight")
    return highlight(text, lexer, formatter)


def write_pages(app, failure):
    if failure or app.builder.name != "html":
        return
    paths = set().union(*wanted(app.env).values(), app.declaring_files)
    root = pathlib.Path(app.srcdir)
    for path in list(paths):
        paths |= {f"{path}/{file.name}" for file in (root / path).iterdir() if file.is_file()} if (root / path).is_dir() else set()
    for path in sorted(paths):
        page = pathlib.Path(app.outdir) / f"{page_of(path)}.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        body = listed(path, root / path, paths) if (root / path).is_dir() else shown(root / path)
        page.write_text(PAGE.format(title=path, up="../" * page_of(path).count("/"), body=body), encoding="utf-8")
    (pathlib.Path(app.outdir) / "_static/source.css").write_text(STYLE + HtmlFormatter().get_style_defs(".highlight"), encoding="utf-8")


def forget(app, environment, docname):
    wanted(environment).pop(docname, None)


def merge(app, environment, docnames, other):
    wanted(environment).update({name: paths for name, paths in wanted(other).items() if name in docnames})


def begin(app):
    app.declaring_files = set()
    app.lines_of_headers = lines_of_headers(pathlib.Path(app.config.doxygen_xml))
    app.lines_of_package = lines_of_package(pathlib.Path(app.srcdir))


def setup(app):
    app.add_config_value("doxygen_xml", "", "env")
    app.add_transform(LinksToSources)
    app.connect("builder-inited", begin)
    app.connect("doctree-resolved", add_links_to_declarations)
    app.connect("build-finished", write_pages)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
