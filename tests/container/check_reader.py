#!/usr/bin/env python3
"""Reads the corpus and the cases of chunked encryption by read_container.py, and writes ours anew by write_corpus.py: both must
come out as they are committed.

usage: check_reader.py VECTORS_FOLDER        exits 77 (skipped) where the Python package cryptography or libgcrypt is missing
"""

import hashlib
import pathlib
import sys
import tempfile

try:
    import libgcrypt_gcm  # noqa: F401
    import read_container as reader
    import write_corpus
except (ImportError, OSError) as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def records_of(path):
    for text in path.read_text().split("\n\n"):
        fields = dict(line.split(" = ", 1) for line in text.splitlines() if line and not line.startswith("#"))
        if fields:
            yield fields


def expand(text):
    words = (word.split("*") for word in text.split())
    return b"".join(bytes.fromhex(digits) * int(count[0] if count else 1) for digits, *count in words)


def code_of(function, *arguments):
    try:
        return function(*arguments)
    except reader.Refused as refused:
        return refused.code


def check(condition, what):
    if not condition:
        sys.exit(f"check_reader: {what}")


def check_plain(fields, plain, what):
    check(isinstance(plain, bytes), f"{what}: not opened, {plain}")
    check(len(plain) == int(fields["plain_bytes"]), f"{what}: the size")
    check(hashlib.sha512(plain).hexdigest() == fields["plain_sha512"], f"{what}: the plaintext")


def check_message(suite, fields, what):
    key, context = bytes.fromhex(fields["key"]), bytes.fromhex(fields.get("context", ""))
    opened = code_of(reader.open_message, suite, key, context, expand(fields.get("sealed", "")))
    if fields.get("result", "valid") == "valid":
        check_plain(fields, opened, what)
    else:
        check(isinstance(opened, int), f"{what}: opened, and must not")


def binding_of(fields):
    """What opens it beside a secret: its context and its name."""
    return {"context": bytes.fromhex(fields.get("context", "")), "name": expand(fields["name"]) if "name" in fields else None}


def check_binding(fields, sealed, secret, what):
    """Another context, another name, and none of them."""
    right = binding_of(fields)
    for wrong, code in (
        ({"context": right["context"] + b"x"}, reader.WRONG_KEY if right["context"] else reader.USAGE),
        ({"context": b""}, reader.USAGE if right["context"] else 0),
        ({"name": b"another"}, reader.AUTHENTICATION if right["name"] else 0),
        ({"name": None}, reader.USAGE if right["name"] else 0),
        ({"name": None, "any_name": True}, 0),
    ):
        opened = code_of(lambda: reader.open_container(sealed, *secret, **(right | wrong)))
        check(opened == code if code else isinstance(opened, bytes), f"{what}: {wrong} gives {opened!r}, and not {code}")


def check_container(fields, what):
    sealed = expand(fields["sealed"])
    binding = binding_of(fields)
    whole = (binding["context"], binding["name"])
    secrets = [(1, fields[name]) for name in ("key", "other_key") if name in fields]
    secrets += [(2, fields["passphrase"])] if "passphrase" in fields else []
    secrets += [(3, reader.read_identity(fields["identity"]).hex())] if "identity" in fields else []
    for kind, secret in secrets:
        check_plain(fields, code_of(reader.open_container, sealed, kind, bytes.fromhex(secret), *whole), what)
    kind, secret = secrets[0][0], bytes.fromhex(secrets[0][1])
    header = reader.parse_header(sealed)[3]
    step = {1: 3, 2: 41, 3: 3}[kind] + header // 2000 * 20  # each byte of a passphrase's header costs scrypt again
    for place in range(0, header, step) if fields.get("log2_n") != "17" else ():
        changed = bytearray(sealed)
        changed[place] ^= 1
        opened = code_of(reader.open_container, bytes(changed), kind, secret, *whole)
        check(isinstance(opened, int), f"{what}: opened with byte {place} changed")
    wrong = reader.open_container, sealed, kind, bytes(len(secret)), *whole
    check(fields.get("log2_n") == "17" or code_of(*wrong) == reader.WRONG_KEY, f"{what}: a wrong key")
    if fields.get("log2_n") != "17":
        check_binding(fields, sealed, (kind, secret), what)


def check_document(text):
    """The examples of docs/format.md, which the fenced blocks of section 9 print."""
    blocks = text.split("## 9. Test vectors")[1].split("```")
    key = bytes.fromhex(blocks[1].split("key of the recipient")[1].split()[0])
    for block, kind, secret, *binding in (
        (blocks[1], 1, key),
        (blocks[1], 2, b"passphrase"),
        (blocks[3], 1, key, b"context", b"a/b"),
    ):
        sealed = bytes.fromhex("".join(block.split("\ncontainer ")[1].split()))
        opened = code_of(reader.open_container, sealed, kind, secret, *binding)
        check(opened == b"in lockstep", "an example of docs/format.md")


def main():
    check_document((pathlib.Path(__file__).parents[2] / "docs" / "format.md").read_text())
    folder = pathlib.Path(sys.argv[1])
    num_records = 0
    for name, suite in (("cobblestone_128", 2), ("cobblestone_256", 1)):
        for fields in records_of(folder / "chunked_encryption" / f"{name}.txt"):
            check_message(suite, fields, f"{name}: {fields.get('comment', fields.get('plain_bytes'))}")
            num_records += 1
    for version in (1, 2):
        for fields in records_of(folder / "containers" / f"version_{version}.txt"):
            check_container(fields, fields["seed"])
            num_records += 1
    for fields in records_of(folder / "containers" / "public_keys.txt"):
        check_container(fields, fields["seed"])
        num_records += 1
    check(num_records == 8 + 35 + 7 + 2 * 25, f"{num_records} records")
    with tempfile.TemporaryDirectory() as again:
        sys.argv[1] = again
        (pathlib.Path(again) / "chunked_encryption").mkdir()
        write_corpus.main()
        for path in ("chunked_encryption/cobblestone_256.txt", "containers/version_1.txt", "containers/version_2.txt",
                     "containers/public_keys.txt"):
            check((pathlib.Path(again) / path).read_bytes() == (folder / path).read_bytes(), f"{path} is not as written")
    print(f"{num_records} records read, and ours written again")


if __name__ == "__main__":
    main()
