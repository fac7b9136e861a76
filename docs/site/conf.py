"""How Sphinx makes the site. tools/develop/build_site runs it, and says by the environment where Doxygen's output is."""

import os
import pathlib
import re
import sys

SITE = pathlib.Path(__file__).resolve().parent
ROOT = SITE.parents[1]
sys.path.insert(0, str(SITE / "extensions"))

project = "Phalanx"
author = "the authors of Phalanx"
copyright = "the authors of Phalanx"
version = release = re.search(r'PHALANX_VERSION "([^"]+)"', (ROOT / "include/phalanx/version.h").read_text())[1]

extensions = ["myst_parser", "breathe", "sphinx.ext.autodoc", "public_headers", "source_pages", "python_signatures"]
include_patterns = ["index.rst", "*.md", "docs/**.md", "api/*.rst", "reproductions/**.md", "results/*.md", "tests/vectors/**.md",
                    "tools/**.md"]
exclude_patterns = ["docs/site", "src", "bench"]
root_doc = "index"
language = "en"
nitpicky = False
toc_object_entries = False  # each page would have thousands of them beside it, in ten times the time
highlight_language = "none"

myst_heading_anchors = 6

doxygen_xml = os.environ["PHALANX_DOXYGEN_XML"]
breathe_projects = {"phalanx": doxygen_xml}
breathe_default_project = "phalanx"
breathe_domain_by_extension = {"h": "c", "hpp": "cpp"}
breathe_default_members = ("members",)
breathe_show_include = False

autoclass_content = "both"  # the compiled classes have their signatures in __init__
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "undoc-members": True}
add_module_names = False
python_use_unqualified_type_names = True
maximum_signature_line_length = 90

html_theme = "furo"
html_title = f"Phalanx {release}"
html_copy_source = False
html_show_sphinx = False
html_static_path = [str(SITE / "static")]
html_css_files = ["site.css"]
