"""OFB, CFB and CFB8."""

from ...primitives.ciphers.modes import CFB, CFB8, OFB

__all__ = ["CFB", "CFB8", "OFB"]
