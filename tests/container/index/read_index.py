#!/usr/bin/env python3
"""A reader of the index of a tree of containers, independent of Phalanx: written from docs/index_format.md alone, over the package
`cryptography`.

usage: read_index.py [--key-file F | --public-key F] INDEX       prints the tree after the last run

It checks all that a reader must check, and keeps all generations in memory.
"""

import argparse
import dataclasses
import hashlib
import hmac
import pathlib
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

MAGIC, HEAD, AUTHENTICATOR = b"PHALIDX\0", 92, 64
DOMAIN = b"PHALANX index 1\0"
FORMAT, AUTHENTICATION, WRONG_KEY = 2, 3, 4


class Refused(Exception):
    def __init__(self, code, what):
        super().__init__(what)
        self.code = code


def require(condition, code, what):
    if not condition:
        raise Refused(code, what)


def expand(key, label, size):
    return HKDFExpand(hashes.SHA512(), size, DOMAIN + label).derive(key)


class Secret:
    """Section 2, authenticator 1."""

    number = 1

    def __init__(self, key):
        self.mac_key, self.id = expand(key, b"mac", 64), expand(key, b"id", 16)

    def is_authentic(self, digest, authenticator):
        return hmac.compare_digest(hmac.new(self.mac_key, DOMAIN + digest, "sha512").digest(), authenticator)


class PublicKey:
    """Section 2, authenticator 2."""

    number = 2

    def __init__(self, key):
        self.key, self.id = Ed25519PublicKey.from_public_bytes(key), hashlib.sha256(DOMAIN + b"id" + key).digest()[:16]

    def is_authentic(self, digest, authenticator):
        try:
            self.key.verify(authenticator, DOMAIN + digest)
        except InvalidSignature:
            return False
        return True


def key_of_line(text, label="phalanx-index-public-key-1"):
    words = text.split(" ")
    require(len(words) == 2 and words[0] == label and words[1].endswith("\n"), FORMAT, "no line of a key")
    return bytes.fromhex(words[1][:-1])


@dataclasses.dataclass(frozen=True)
class Entry:
    plain_bytes: int
    salt: bytes
    commitment: bytes
    last_tag: bytes
    sha256: bytes | None
    header: bytes | None = None


@dataclasses.dataclass
class Generation:
    number: int
    digest: bytes
    is_whole: bool
    tree: dict
    num_changes: int
    version: int


class Parts:
    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, size):
        part = self.data[self.place : self.place + size]
        require(len(part) == size, AUTHENTICATION, "a change goes beyond its segment")
        self.place += size
        return part

    def number(self, size):
        return int.from_bytes(self.take(size), "big")


def check_name(name):
    require(0 < len(name) <= 4096 and b"\0" not in name, AUTHENTICATION, "no name")
    require(not {b"", b".", b".."} & set(name.split(b"/")), AUTHENTICATION, "a name that leads nowhere in the tree")


def changes_of(data, version):
    """(name, entry, or nothing for one that has left), in order."""
    parts, last = Parts(data), b""
    while parts.place < len(data):
        kind, name = parts.number(1), parts.take(parts.number(2))
        require(kind in ((1, 2, 3) if version == 1 else (1, 2, 3, 4, 5)), AUTHENTICATION, "the kind of a change")
        check_name(name)
        require(name > last, AUTHENTICATION, "names out of order")
        last = name
        if kind == 3:
            yield name, None
            continue
        plain, body = parts.number(8), parts.number(8)
        require(body == 56 + plain + 16 * (plain // 16384 + 1), AUTHENTICATION, "sizes")
        salt, commitment, last_tag = parts.take(24), parts.take(32), parts.take(16)
        sha256 = parts.take(32) if kind in (2, 5) else None
        yield name, Entry(plain, salt, commitment, last_tag, sha256, parts.take(32) if kind in (4, 5) else None)


def read_segment(data, before, key):
    """The generation at the beginning, and its size; nothing where it is half a segment."""
    if not any(data):
        return None
    if len(data) < HEAD:
        require(MAGIC.startswith(data[:8]), AUTHENTICATION if before else FORMAT, "no beginning of a segment")
        return None
    head = data[:HEAD]
    require(head[:8] == MAGIC, AUTHENTICATION if before else FORMAT, "the magic")
    version = head[8]
    require(version in (1, 2), FORMAT, "a later version")
    require(hashlib.sha256(head[:84]).digest()[:8] == head[84:], AUTHENTICATION, "a damaged head")
    authenticator, whole, reserved = head[9:12]
    require(authenticator in (1, 2) and whole in (0, 1) and reserved == 0, AUTHENTICATION, "a head")
    number, num_containers, size = (int.from_bytes(head[at : at + 8], "big") for at in (12, 20, 28))
    end = HEAD + size + AUTHENTICATOR
    if len(data) < end or (len(data) == end and not any(data[-AUTHENTICATOR:])):
        return None
    require((authenticator, head[36:52]) == (key.number, key.id), WRONG_KEY, "another key")
    follows = (before.number + 1, before.digest) if before else (1, bytes(32))
    require((number, head[52:84]) == follows and (before or whole), AUTHENTICATION, "it does not follow the one before")
    require(not before or version >= before.version, AUTHENTICATION, "an earlier version follows a later one")
    digest = hashlib.sha256(data[: HEAD + size]).digest()
    require(key.is_authentic(digest, data[HEAD + size : end]), AUTHENTICATION, "not authentic")
    tree, num_changes = {} if whole else dict(before.tree), 0
    for name, entry in changes_of(data[HEAD : HEAD + size], version):
        require(entry or not whole, AUTHENTICATION, "a whole segment has a name that left")
        num_changes += 1
        if entry:
            tree[name] = entry
        else:
            tree.pop(name, None)
    require(len(tree) == num_containers, AUTHENTICATION, "the number of containers")
    return Generation(number, digest, bool(whole), tree, num_changes, version), end


def read_index(data, key):
    """All generations, and how many bytes of half a segment are behind them."""
    require(len(data) <= 1 << 36, AUTHENTICATION, "more than an index may have")
    generations = []
    while data:
        read = read_segment(data, generations[-1] if generations else None, key)
        if read is None:
            break
        generations.append(read[0])
        data = data[read[1] :]
    return generations, len(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--key-file", type=pathlib.Path)
    parser.add_argument("--public-key", type=pathlib.Path)
    parser.add_argument("index", type=pathlib.Path)
    given = parser.parse_args()
    key = Secret(given.key_file.read_bytes()) if given.key_file else PublicKey(key_of_line(given.public_key.read_text()))
    try:
        generations, num_left = read_index(given.index.read_bytes(), key)
    except Refused as refused:
        print(f"read_index: {refused}", file=sys.stderr)
        return refused.code
    for name, entry in sorted(generations[-1].tree.items() if generations else ()):
        header = entry.header.hex() if entry.header else "header unknown"
        print(name.decode(errors="backslashreplace"), entry.plain_bytes, entry.salt.hex(), header)
    return 0 if generations else AUTHENTICATION


if __name__ == "__main__":
    sys.exit(main())
