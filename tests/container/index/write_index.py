#!/usr/bin/env python3
"""Writes the indexes of tests/vectors/index/ by docs/index_format.md alone, a file a version: right ones, and some that are authentic
and yet wrong. What is committed stays: run this only to add to it, or to check that it gives the same.

usage: write_index.py VECTORS_FOLDER
"""

import dataclasses
import hashlib
import hmac
import pathlib
import sys

import read_index as reader
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

SECRET, PRIVATE = bytes(range(32)), bytes(range(64, 96))
NAMES = (b"a", b"a/b.phalanx", b"a/b/c.phalanx", b"line\nend", b"\xff\xfe", b"..x", b"...", b"n" * 255)


class SecretWriter(reader.Secret):
    def __init__(self):
        super().__init__(SECRET)
        self.public = SECRET

    def authenticate(self, digest):
        return hmac.digest(self.mac_key, reader.DOMAIN + digest, "sha512")


class Signer(reader.PublicKey):
    def __init__(self):
        self.private = Ed25519PrivateKey.from_private_bytes(PRIVATE)
        self.public = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        super().__init__(self.public)

    def authenticate(self, digest):
        return self.private.sign(reader.DOMAIN + digest)


def entry_of(name, night, with_digest, version=1):
    """Any numbers, always the same."""
    seed = hashlib.sha512(name + bytes([night])).digest()
    plain = int.from_bytes(seed[:3], "big") * (night % 3)
    more = hashlib.sha512(seed).digest()
    header = hashlib.sha256(seed).digest() if version > 1 else None
    return reader.Entry(plain, seed[3:27], seed[27:59], more[:16], more[16:48] if with_digest else None, header)


def change_of(name, entry):
    kind = 3
    if entry:
        kind = (5 if entry.sha256 else 4) if entry.header else (2 if entry.sha256 else 1)
    head = bytes([kind]) + len(name).to_bytes(2, "big") + name
    if entry is None:
        return head
    body = 56 + entry.plain_bytes + 16 * (entry.plain_bytes // 16384 + 1)
    sizes = entry.plain_bytes.to_bytes(8, "big") + body.to_bytes(8, "big")
    return head + sizes + entry.salt + entry.commitment + entry.last_tag + (entry.sha256 or b"") + (entry.header or b"")


def segment(key, number, before, changes, num_containers, whole, **others):
    head = reader.MAGIC + bytes([others.get("version", 1), key.number, whole, others.get("reserved", 0)])
    for value in (number, num_containers, len(changes)):
        head += value.to_bytes(8, "big")
    head += key.id + before
    head += hashlib.sha256(head).digest()[:8]
    digest = hashlib.sha256(head + changes).digest()
    return head + changes + key.authenticate(digest), digest


class Index:
    """Grows by a segment a night, of the version that it has then."""

    def __init__(self, key, with_digest, version=1):
        self.key, self.with_digest, self.data, self.number, self.digest, self.tree = key, with_digest, b"", 0, bytes(32), {}
        self.version = version

    def add(self, made, gone=(), whole=False):
        self.number += 1
        changes = {name: entry_of(name, self.number, self.with_digest, self.version) for name in made} | dict.fromkeys(gone)
        return self.add_changes(changes, whole)

    def add_headers(self, names):
        """As other recipients do: the bodies stay."""
        self.number += 1
        new = lambda name: hashlib.sha256(name + bytes([self.number])).digest()  # noqa: E731
        return self.add_changes({name: dataclasses.replace(self.tree[name], header=new(name)) for name in names}, False)

    def add_changes(self, changes, whole):
        self.tree = {name: entry for name, entry in {**self.tree, **changes}.items() if entry}
        told = self.tree if whole else changes
        data = b"".join(change_of(name, told[name]) for name in sorted(told))
        added, self.digest = segment(self.key, self.number, self.digest, data, len(self.tree), whole, version=self.version)
        self.data += added
        return self


def digest_of_tree(tree):
    digest = hashlib.sha256()
    for name, entry in sorted(tree.items()):
        digest.update(name + b"\0" + entry.plain_bytes.to_bytes(8, "big") + entry.salt + entry.commitment + entry.last_tag)
        digest.update((entry.sha256 or b"") + (entry.header or b""))
    return digest.hexdigest()


def record(what, key, data, **fields):
    kind = "secret" if key.number == 1 else "public key"
    lines = [f"# {what}", f"authenticator = {kind}", f"key = {key.public.hex()}", f"index = {data.hex()}"]
    return "\n".join([*lines, *(f"{name} = {value}" for name, value in fields.items())])


def right(what, index, rest=b""):
    fields = {"generation": index.number, "digest": index.digest.hex(), "num_containers": len(index.tree)}
    return record(what, index.key, index.data + rest, **fields, tree=digest_of_tree(index.tree), cut_bytes=len(rest))


def right_records(version):
    for key, with_digest in ((SecretWriter(), False), (SecretWriter(), True), (Signer(), True)):
        new = lambda: Index(key, with_digest, version).add(NAMES, whole=True)  # noqa: E731, B023
        yield right("one run over a tree of every name", new())
        yield right("the longest name", Index(key, with_digest, version).add((b"n/" * 2047 + b"nn",), whole=True))
        yield right("a tree without files", Index(key, with_digest, version).add((), whole=True))
        nights = new().add(NAMES[1:3], NAMES[3:4]).add(()).add((b"new",), NAMES[:1])
        yield right("changes, a night without any, and names that leave", nights)
        yield right("the first bytes of a head behind it", nights, nights.data[:50])
        yield right("a head behind it", nights, segment(key, 5, nights.digest, bytes(9), 1, False)[0][:-70])
        yield right("a whole segment whose authenticator was not written", nights, segment(key, 5, nights.digest, b"", 8, False)[0][:-64] + bytes(64))
        yield right("zeros behind it", nights, bytes(300))
        if version > 1:
            yield right("other headers before the same bodies", new().add_headers(NAMES[2:5]).add(NAMES[3:4], NAMES[:1]))
            older = Index(key, with_digest).add(NAMES, whole=True).add(NAMES[:1])
            older.version = version
            yield right("nights of version 1, and one of this version", older.add(NAMES[2:3], NAMES[1:2]))
            yield right("a whole list of both", older.add((b"new",), whole=True).add_headers(NAMES[4:5]))
        yield right("a second whole list", nights.add(NAMES[4:5], whole=True).add((), (b"new",)))


def wrong(what, key, data, code):
    return record(what, key, data, result=code)


def wrong_records():
    key, other = SecretWriter(), Signer()
    one = change_of(b"a", entry_of(b"a", 1, False))
    first, digest = segment(key, 1, bytes(32), one, 1, True)
    whole = lambda changes, number=1, **others: segment(key, 1, bytes(32), changes, number, True, **others)[0]  # noqa: E731
    yield wrong("no index", key, b"something else", reader.FORMAT)
    yield wrong("a later version", key, whole(one, version=3), reader.FORMAT)
    yield wrong("a reserved byte", key, whole(one, reserved=1), reader.AUTHENTICATION)
    yield wrong("of another key", key, Index(other, True).add(NAMES, whole=True).data, reader.WRONG_KEY)
    yield wrong("the first segment is not whole", key, segment(key, 1, bytes(32), one, 1, False)[0], reader.AUTHENTICATION)
    yield wrong("the first generation is 2", key, segment(key, 2, bytes(32), one, 1, True)[0], reader.AUTHENTICATION)
    yield wrong("a generation is left out", key, first + segment(key, 3, digest, b"", 1, False)[0], reader.AUTHENTICATION)
    yield wrong("not behind this segment", key, first + segment(key, 2, bytes(32), b"", 1, False)[0], reader.AUTHENTICATION)
    yield wrong("another number of containers", key, whole(one, 2), reader.AUTHENTICATION)
    yield wrong("a name twice", key, whole(one + one, 1), reader.AUTHENTICATION)
    yield wrong("names out of order", key, whole(change_of(b"b", entry_of(b"b", 1, False)) + one, 2), reader.AUTHENTICATION)
    yield wrong("a name that leaves a whole segment", key, whole(one + change_of(b"b", None)), reader.AUTHENTICATION)
    yield wrong("an unknown kind", key, whole(b"\4" + one[1:]), reader.AUTHENTICATION)
    yield wrong("a change that is cut", key, whole(one[:-1]), reader.AUTHENTICATION)
    for name in (b"", b"/a", b"a/", b"a//b", b".", b"..", b"a/../b", b"./a", b"a\0b", b"n" * 4097):
        yield wrong(f"the name {name[:9]}", key, whole(change_of(name, entry_of(b"a", 1, False))), reader.AUTHENTICATION)
    sizes = 3 + len(b"a") + 8
    yield wrong("sizes that do not fit", key, whole(one[:sizes] + (999).to_bytes(8, "big") + one[sizes + 8 :]), reader.AUTHENTICATION)
    changed = bytearray(first)
    changed[-100] ^= 1
    yield wrong("a changed byte", key, bytes(changed), reader.AUTHENTICATION)


def wrong_records_of_version_2():
    key = SecretWriter()
    one = change_of(b"a", entry_of(b"a", 1, True, 2))
    whole = lambda changes, version=2: segment(key, 1, bytes(32), changes, 1, True, version=version)  # noqa: E731
    first, digest = whole(one)
    yield wrong("a header in a segment of version 1", key, whole(one, 1)[0], reader.AUTHENTICATION)
    yield wrong("version 1 behind version 2", key, first + segment(key, 2, digest, b"", 1, False)[0], reader.AUTHENTICATION)
    yield wrong("version 0", key, whole(one, 0)[0], reader.FORMAT)
    yield wrong("an unknown kind", key, whole(b"\6" + one[1:])[0], reader.AUTHENTICATION)
    yield wrong("a header that is cut", key, whole(one[:-1])[0], reader.AUTHENTICATION)


def main(folder):
    about = "# Indexes by tests/container/index/write_index.py, an implementation of docs/index_format.md of its own."
    (folder / "index").mkdir(exist_ok=True)
    for version, wrong_ones in ((1, wrong_records()), (2, wrong_records_of_version_2())):
        text = "\n\n".join([about, *right_records(version), *wrong_ones]) + "\n"
        (folder / "index" / f"version_{version}.txt").write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
