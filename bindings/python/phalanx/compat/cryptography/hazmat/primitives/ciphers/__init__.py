"""Cipher, algorithms and modes: as in `cryptography`."""

from . import algorithms, modes
from .algorithms import BlockCipherAlgorithm, CipherAlgorithm
from .base import AEADCipherContext, AEADDecryptionContext, AEADEncryptionContext, Cipher, CipherContext

__all__ = [
    "AEADCipherContext",
    "AEADDecryptionContext",
    "AEADEncryptionContext",
    "BlockCipherAlgorithm",
    "Cipher",
    "CipherAlgorithm",
    "CipherContext",
    "algorithms",
    "modes",
]
