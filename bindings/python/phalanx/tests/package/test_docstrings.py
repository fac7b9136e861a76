"""Every docstring's examples, the extension module's too."""

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator

import pytest

import phalanx

MODULES = ["phalanx", *(m.name for m in pkgutil.walk_packages(phalanx.__path__, "phalanx.") if ".tests" not in m.name)]
FEWEST_EXAMPLES = 60  # there are more; fewer means that they were not found


def documented() -> Iterator[tuple[str, str]]:
    seen = set()
    for name in MODULES:
        if name == "phalanx.__main__":
            continue
        module = importlib.import_module(name)
        yield name, module.__doc__ or ""
        for member, value in vars(module).items():
            if id(value) in seen or not getattr(value, "__module__", None) or not value.__module__.startswith("phalanx"):
                continue
            seen.add(id(value))
            if inspect.isclass(value):
                yield f"{name}.{member}", value.__doc__ or ""
                for method, function in vars(value).items():
                    yield f"{name}.{member}.{method}", getattr(function, "__doc__", None) or ""
            elif callable(value):
                yield f"{name}.{member}", value.__doc__ or ""


def examples() -> list[doctest.DocTest]:
    parser = doctest.DocTestParser()
    found = [parser.get_doctest(inspect.cleandoc(text), {}, name, None, None) for name, text in documented()]
    return [test for test in found if test.examples]


@pytest.mark.parametrize("test", examples(), ids=lambda test: str(test.name))
def test_examples(test: doctest.DocTest) -> None:
    output: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=output.append)
    assert result.failed == 0, "".join(output)


def test_they_were_found() -> None:
    assert sum(len(test.examples) for test in examples()) >= FEWEST_EXAMPLES


@pytest.mark.parametrize("name", phalanx.__all__)
def test_all_that_is_public_says_what_it_is(name: str) -> None:
    assert getattr(phalanx, name).__doc__
