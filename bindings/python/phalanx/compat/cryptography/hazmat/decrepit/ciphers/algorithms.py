"""TripleDES."""

from ...primitives.ciphers.algorithms import TripleDES

__all__ = ["TripleDES"]
