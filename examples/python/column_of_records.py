"""A column of records, each under a key of its own: one call for all of them.

Keys are derived from one master key and the record's number, so that whoever has a record's key can open that record alone.
"""

import hashlib
import hmac
import os

import phalanx


def record_key(master: bytes, number: int) -> bytes:
    """HMAC-SHA-256 of the number; 32 bytes, for AES-256."""
    return hmac.new(master, number.to_bytes(8, "big"), hashlib.sha256).digest()


def seal_column(master: bytes, column: list[bytes]) -> list[bytes]:
    """Every record as ciphertext || tag, under its own key: a nonce of zeros is then used once with each."""
    keys = [record_key(master, number) for number in range(len(column))]
    return phalanx.Aead("aes-256-gcm", keys[0]).seal_many([bytes(12)] * len(column), column, keys=keys)


def open_column(master: bytes, sealed: list[bytes]) -> list[bytes | None]:
    """The records; None for each that was changed."""
    keys = [record_key(master, number) for number in range(len(sealed))]
    return phalanx.Aead("aes-256-gcm", keys[0]).open_many([bytes(12)] * len(sealed), sealed, keys=keys, strict=False)


def main() -> None:
    master = os.urandom(32)
    column = [f"record {number}".encode() for number in range(10_000)]
    sealed = seal_column(master, column)
    assert open_column(master, sealed) == column
    sealed[77] = bytes(len(sealed[77]))
    opened = open_column(master, sealed)
    assert opened[77] is None and opened[:77] == column[:77] and opened[78:] == column[78:]
    # One record's owner needs its key alone.
    alone = phalanx.Aead("aes-256-gcm", record_key(master, 5)).open(bytes(12), sealed[5])
    print(f"{len(column)} records, each under a key of its own; {alone.decode()!r} opened alone, 1 changed one found")


if __name__ == "__main__":
    main()
