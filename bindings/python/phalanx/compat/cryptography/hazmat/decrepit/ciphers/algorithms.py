"""TripleDES."""

from typing import TYPE_CHECKING

from phalanx.compat import absent

from ...primitives.ciphers.algorithms import TripleDES

__all__ = ["TripleDES"]

if not TYPE_CHECKING:
    __getattr__ = absent.names_in(__name__, ("ARC4", "Blowfish", "CAST5", "Camellia", "IDEA", "RC2", "SEED"))
