"""The ciphers: `cryptography`'s AES and TripleDES, and ours.

The key is kept in memory that is wiped, and there is no attribute `key`. Sizes are in bits, as there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from phalanx import Cipher, Secret, UsageError
from phalanx.compat import absent
from phalanx.compat.keys_and_bytes import HoldsKey

if TYPE_CHECKING:
    from typing_extensions import Buffer


class CipherAlgorithm(HoldsKey):
    """A cipher under a key."""


class BlockCipherAlgorithm(CipherAlgorithm):
    """A block cipher under a key."""

    name: ClassVar[str]
    block_size: ClassVar[int]
    key_sizes: ClassVar[frozenset[int]]
    _cipher: ClassVar[str]

    def __init__(self, key: Buffer | Secret) -> None:
        try:
            key = Secret(key)
        except Exception:
            del key  # no traceback shows it
            raise
        if len(key) * 8 not in self.key_sizes:
            raise UsageError(f"Invalid key size ({len(key) * 8}) for {self.name}.")
        self._secret = key
        self._keyed: dict[str, Cipher] = {}

    @property
    def key_size(self) -> int:
        """In bits."""
        return len(self._secret) * 8

    def _name_in(self, mode: str) -> str:
        """What Phalanx calls the cipher in a mode."""
        size = self.key_size // 2 if mode == "xts" else self.key_size
        return f"{self._cipher}-{size}-{mode}"

    def _key(self) -> Secret:
        return self._secret

    def _keyed_in(self, mode: str) -> Cipher:
        """Made once: messages differ in what they start from, and setting a key takes longer than a short one."""
        keyed = self._keyed.get(mode)
        if keyed is None:
            keyed = self._keyed[mode] = Cipher(self._name_in(mode), self._secret, allow_legacy=True)
        return keyed


class AES(BlockCipherAlgorithm):
    name = "AES"
    block_size = 128
    key_sizes = frozenset([128, 192, 256, 512])
    _cipher = "aes"


class AES128(AES):
    key_sizes = frozenset([128])


class AES256(AES):
    key_sizes = frozenset([256])


class Serpent(BlockCipherAlgorithm):
    """Of Phalanx alone."""

    name = "Serpent"
    block_size = 128
    key_sizes = frozenset([128, 192, 256, 512])
    _cipher = "serpent"


class Twofish(BlockCipherAlgorithm):
    """Of Phalanx alone."""

    name = "Twofish"
    block_size = 128
    key_sizes = frozenset([128, 192, 256, 512])
    _cipher = "twofish"


class TripleDES(BlockCipherAlgorithm):
    """Keys of 24 bytes; of 16, whose first 8 are the third key too; and of 8, which is single DES."""

    name = "3DES"
    block_size = 64
    key_sizes = frozenset([64, 128, 192])

    def _name_in(self, mode: str) -> str:
        return f"{({64: 'des', 128: 'des-ede', 192: 'des-ede3'})[self.key_size]}-{mode}"


if not TYPE_CHECKING:
    __getattr__ = absent.names_in(
        __name__, ("ARC4", "Blowfish", "CAST5", "Camellia", "ChaCha20", "IDEA", "RC2", "SEED", "SM4")
    )
