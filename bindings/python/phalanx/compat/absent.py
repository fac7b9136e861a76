"""Handles names of the other packages that Phalanx does not have. A cipher is refused in a sentence, and any other name
is passed on."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NoReturn

_OURS = "phalanx.compat."
_DISTRIBUTIONS = {"cryptography": "cryptography", "Crypto": "pycryptodome"}
# Modules with no block cipher in them, and all below them.
_PASSED_ON = (
    "cryptography.hazmat.primitives.asymmetric",
    "cryptography.hazmat.primitives.constant_time",
    "cryptography.hazmat.primitives.hashes",
    "cryptography.hazmat.primitives.hmac",
    "cryptography.hazmat.primitives.kdf",
    "cryptography.hazmat.primitives.serialization",
    "cryptography.utils",
    "cryptography.x509",
    "Crypto.Cipher.PKCS1_OAEP",
    "Crypto.Cipher.PKCS1_v1_5",
    "Crypto.Hash",
    "Crypto.IO",
    "Crypto.Math",
    "Crypto.Protocol",
    "Crypto.PublicKey",
    "Crypto.Random.random",
    "Crypto.Signature",
    "Crypto.Util.RFC1751",
    "Crypto.Util.asn1",
    "Crypto.Util.number",
    "Crypto.Util.strxor",
)


def sentence(theirs: str, name: str | None = None) -> str:
    """Returns the sentence about a name of theirs, or about its short name."""
    return f"{name or theirs} is not in Phalanx: keep {_DISTRIBUTIONS[theirs.partition('.')[0]]} for it"


def original(theirs: str) -> ModuleType | None:
    """Returns their own module, if it is installed."""
    try:
        return importlib.import_module(theirs)
    except ImportError:
        return None


def names_in(module: str, names: Sequence[str], error: type[Exception] = ImportError) -> Callable[[str], NoReturn]:
    """Returns the __getattr__ of a module of ours, which refuses these names of theirs in a sentence.

    It raises ImportError, since `from module import name` would replace an AttributeError by a sentence of its own.
    """
    theirs = module.removeprefix(_OURS)

    def refuse(name: str) -> NoReturn:
        if name in names:
            raise error(sentence(f"{theirs}.{name}", name))
        raise AttributeError(f"module {module!r} has no attribute {name!r}")

    return refuse


class _PassedOn(importlib.abc.Loader):
    """Makes a module with all names of theirs. Their module itself keeps its name and its place."""

    def __init__(self, theirs: ModuleType) -> None:
        self._theirs = theirs

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        theirs = self._theirs
        module.__doc__ = theirs.__doc__
        if hasattr(theirs, "__all__"):
            setattr(module, "__all__", theirs.__all__)
        setattr(module, "__getattr__", lambda name: getattr(theirs, name))


class _Finder(importlib.abc.MetaPathFinder):
    """Python asks it last, and so for modules that we do not have."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        theirs = fullname.removeprefix(_OURS)
        if theirs == fullname or theirs.partition(".")[0] not in _DISTRIBUTIONS:
            return None
        if any(theirs == passed or theirs.startswith(passed + ".") for passed in _PASSED_ON):
            module = original(theirs)
            if module is not None:
                is_package = hasattr(module, "__path__")
                return importlib.machinery.ModuleSpec(fullname, _PassedOn(module), is_package=is_package)
        # With our name for it, `from package import name` would take no notice, and say something of its own.
        raise ModuleNotFoundError(sentence(theirs), name=theirs)


def begin() -> None:
    """Makes Python ask here, from now on, for modules below phalanx.compat. One call is enough."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
