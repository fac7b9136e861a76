#!/usr/bin/env python3
"""Plants public names without words, or without an entry in the site, names in pages that no header has, and links that lead nowhere:
each check must find what is planted.

Without a site of its own: objects.inv and the pages are made here.
"""

import pathlib
import shutil
import sys
import tempfile
import zlib

import check_site
import check_words
from public_names import public_names

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
ROLES = {"c": "c:function", "cpp": "cpp:function", "py": "py:function"}
PLANTED = {
    "include/phalanx/phalanx.h": ("#ifdef __cplusplus\n}\n#endif", "phalanx_planted", "int phalanx_planted(int number);\n\n"),
    "include/phalanx/cipher.hpp": ("/// Encrypts and decrypts XTS over consecutive", "phalanx::Planted", "struct Planted {\n  int number = 0;\n};\n\n"),
    "include/phalanx/aead.hpp": (" private:", "phalanx::Aead::planted", "\n  void planted() const;\n\n"),
}
IN_PYTHON = ("bindings/python/phalanx/__init__.py", '__all__ = [\n    "planted",')


def copy_of_names(folder):
    for part in ("include", "bindings/python/phalanx"):
        shutil.copytree(REPOSITORY / part, folder / part, ignore=shutil.ignore_patterns("tests", "__pycache__"))


def write_site(folder, names):
    lines = "".join(f"{name.name} {ROLES[name.language]} 1 page.html#place -\n" for name in names)
    (folder / "objects.inv").write_bytes(b"# 1\n# 2\n# 3\n# 4\n" + zlib.compress(lines.encode()))
    (folder / "page.html").write_text('<p id="place"><a href="#place">a</a> <a href="https://c2sp.org/age">b</a></p>', encoding="utf-8")


def plant(path, before, text):
    content = path.read_text(encoding="utf-8")
    assert before in content, f"{path} has no {before!r}"
    path.write_text(content.replace(before, text + before, 1), encoding="utf-8")


def expect(problems, name, what):
    if not any(name in problem for problem in problems):
        yield f"{what}: {name} was not found"


def planted_names(root, site):
    for path, (before, name, text) in PLANTED.items():
        original = (root / path).read_text(encoding="utf-8")
        plant(root / path, before, text)
        problems = list(check_words.wordless(list(public_names(root))))
        yield from expect(problems, name, "words")
        yield from expect(list(check_site.names_without_entry(root, site)), name, "entries")
        (root / path).write_text(original, encoding="utf-8")
    path = root / IN_PYTHON[0]
    path.write_text(path.read_text(encoding="utf-8").replace("__all__ = [", IN_PYTHON[1], 1), encoding="utf-8")
    yield from expect(list(check_site.names_without_entry(root, site)), "phalanx.planted", "entries")


def planted_in_page(root):
    (root / "docs").mkdir()
    for page in check_words.PAGES:
        (root / page).write_text("`phalanx_aead_seal` and `phalanx_planted()`\n", encoding="utf-8")
    problems = list(check_words.unknown_names(root, list(public_names(root))))
    if len(problems) != len(check_words.PAGES):
        yield f"pages: {problems} were found"
    for page in check_words.PAGES:
        yield from expect(problems, f"{page}: no header has phalanx_planted", "pages")


def planted_links(site):
    for link in ("nothing.html", "page.html#nowhere", "https:/one.slash", "https://no dots"):
        (site / "planted.html").write_text(f'<a href="{link}">a</a>', encoding="utf-8")
        yield from expect(list(check_site.dead_links(site)), link, "links")
    (site / "planted.html").unlink()


def main():
    with tempfile.TemporaryDirectory() as name:
        root, site = pathlib.Path(name) / "root", pathlib.Path(name) / "site"
        site.mkdir()
        copy_of_names(root)
        names = list(public_names(root))
        write_site(site, names)
        problems = [f"not planted: {problem}" for problem in (*check_words.wordless(names), *check_site.dead_links(site))]
        problems += [f"not planted: {problem}" for problem in check_site.names_without_entry(root, site)]
        problems += [*planted_links(site), *planted_in_page(root), *planted_names(root, site)]
    print("\n".join(problems) or "all that was planted was found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
