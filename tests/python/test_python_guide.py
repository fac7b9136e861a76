"""What docs/python.md, docs/parquet.md and docs/cookbook.md show runs, and the modules and names of other packages that are listed are there."""

import importlib
import importlib.util
import pathlib
import re
import subprocess
import sys

import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
GUIDE = (DOCS / "python.md").read_text(encoding="utf-8")
PARQUET = (DOCS / "parquet.md").read_text(encoding="utf-8")
COOKBOOK = (DOCS / "cookbook.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """What follows a heading of two # or more; one alone is a comment in a block."""
    (found,) = re.findall(rf"^##+ {re.escape(title)}\n(.*?)(?=^##|\Z)", GUIDE, re.MULTILINE | re.DOTALL)
    return str(found)


def has(module: str, name: str) -> bool:
    if hasattr(importlib.import_module(module), name):
        return True
    try:
        return importlib.util.find_spec(f"{module}.{name}") is not None
    except ModuleNotFoundError:
        return False


RUN_SECTIONS = ("First steps", "Columns", "Old records in triple DES", "Files of `openssl enc`", "Files that are open")
PAGES = "".join(map(section, RUN_SECTIONS)) + PARQUET + COOKBOOK
# What begins with a docstring is a file of examples/, which test_python_examples.py runs.
RECIPES = re.findall(r"```python\n(?!\"\"\")(.*?)```", PAGES, re.DOTALL)
LISTED = re.findall(r"^\| `([\w.]+)` \| (.*?) \|$", section("What compat has"), re.MULTILINE)


@pytest.mark.parametrize("code", RECIPES, ids=[re.findall(r"# (\w+)", code)[0] for code in RECIPES])
def test_recipe(code: str, tmp_path: pathlib.Path) -> None:
    for package in re.findall(r"^import (pandas|pyarrow)", code, re.MULTILINE):
        pytest.importorskip(package, reason=f"{package} is not installed")
    finished = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr


def test_recipes_and_names_are_found() -> None:
    assert len(RECIPES) >= 5 and len(LISTED) >= 12


@pytest.mark.parametrize("module, names", LISTED)
def test_listed_names_are_there(module: str, names: str) -> None:
    found = re.findall(r"`(\w+)`", names)
    assert found and not [name for name in found if not has(f"phalanx.compat.{module}", name)]
    assert getattr(sys.modules[f"phalanx.compat.{module}"], "__file__", None), f"{module} is only passed on"
    pytest.importorskip(module, reason=f"{module.partition('.')[0]} is not installed")
    of_ours_alone = {"Serpent", "Twofish"}
    assert not [name for name in found if name not in of_ours_alone and not has(module, name)]
