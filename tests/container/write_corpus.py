#!/usr/bin/env python3
"""Writes the corpus of containers, tests/vectors/containers/version_1.txt, and the cases of Cobblestone-256: by docs/format.md
alone, as read_container.py reads. What is committed stays: run this only to add to it, or to check that it gives the same.

usage: write_corpus.py VECTORS_FOLDER

So that files of many chunks stay small here, every plaintext is what makes its ciphertext zeros: the key stream itself.
"""

import hashlib
import hmac
import pathlib
import sys

from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

import libgcrypt_gcm  # noqa: F401  (adds Serpent and Twofish to the reader)
import read_container as reader

SIZES = (0, 1, 16383, 16384, 16385, 3 * 16384 + 100)
PASSPHRASE = "Die Schlachtordnung h\u00e4lt".encode()
CHEAP, USUAL = (10, 8, 1), (17, 8, 1)


class RandomBytes:
    """SHA-512 of the seed and a counter of 8 bytes, block after block: tests of the library inject the same."""

    def __init__(self, seed):
        self.seed, self.counter, self.rest = seed.encode(), 0, b""

    def take(self, size):
        while len(self.rest) < size:
            self.rest += hashlib.sha512(self.seed + self.counter.to_bytes(8, "big")).digest()
            self.counter += 1
        taken, self.rest = self.rest[:size], self.rest[size:]
        return taken


def seal_message(suite, input_key, context, salt, plain):
    """`plain` None: a number of bytes whose ciphertext is zeros."""
    key, base_nonce, commitment = reader.message_keys(suite, input_key, context, salt)
    aead = reader.aead_of[reader.SUITES[suite][2]](key)
    size = plain if isinstance(plain, int) else len(plain)
    chunks, plains = [], []
    for number in range(size // reader.CHUNK + 1):
        nonce = reader.chunk_nonce(base_nonce, number)
        start = number * reader.CHUNK
        length = min(reader.CHUNK, size - start)
        piece = aead.encrypt(nonce, bytes(length), None)[:-16] if isinstance(plain, int) else plain[start : start + length]
        plains.append(piece)
        chunks.append(aead.encrypt(nonce, piece, None))
    return salt + commitment + b"".join(chunks), b"".join(plains)


def make_record(suite, fixed, recipient, data_key, random):
    """`recipient`: a key, or a passphrase and its cost."""
    if isinstance(recipient, bytes):
        message, _ = seal_message(suite, recipient, fixed + b"key", random.take(24), data_key)
        return b"\1" + len(message).to_bytes(2, "big") + message
    passphrase, (log2_n, r, p) = recipient
    salt = random.take(16)
    derived = Scrypt(fixed + b"scrypt" + salt, reader.SUITES[suite][1], 1 << log2_n, r, p).derive(passphrase)
    message, _ = seal_message(suite, derived, fixed + b"passphrase", random.take(24), data_key)
    data = salt + bytes((log2_n, r, p)) + message
    return b"\2" + len(data).to_bytes(2, "big") + data


def make_container(suite, recipients, size, random, extra=b""):
    fixed = b"PHALANX\0\1" + bytes([suite])
    data_key = random.take(reader.SUITES[suite][1])
    records = extra + b"".join(make_record(suite, fixed, recipient, data_key, random) for recipient in recipients)
    header = fixed + len(records).to_bytes(2, "big") + records
    mac = hmac.digest(reader.expand(data_key, fixed + b"header", 64), header, "sha512")
    body, plain = seal_message(suite, data_key, fixed + b"body", random.take(24), size)
    return header + mac + body, plain


def runs(data):
    """Hex digits; a byte that repeats 32 times or more as hh*count."""
    words, place, literal = [], 0, ""
    while place < len(data):
        end = place
        while end < len(data) and data[end] == data[place]:
            end += 1
        if end - place >= 32:
            words += ([literal] if literal else []) + [f"{data[place]:02x}*{end - place}"]
            literal = ""
        else:
            literal += data[place:end].hex()
        place = end
    return " ".join(words + ([literal] if literal else []))


def record_text(fields, sealed, plain):
    fields += [("plain_bytes", len(plain)), ("plain_sha512", hashlib.sha512(plain).hexdigest()), ("sealed", runs(sealed))]
    return "".join(f"{name} = {value}\n" for name, value in fields)


def corpus_cases():
    """suite, size, key source, recipients, cost, extra records."""
    for suite, (_, key_bytes, _) in reader.SUITES.items():
        keys = [hashlib.sha512(f"key {i}".encode()).digest()[:key_bytes] for i in range(2)]
        for number, size in enumerate(SIZES):
            cost = USUAL if (suite, size) == (1, 1) else CHEAP
            source = ("key", "passphrase", "mixed")[(number + suite - 1) % 3]
            recipients = {"key": [keys[0]], "passphrase": [(PASSPHRASE, cost)],
                          "mixed": [keys[1], (PASSPHRASE, cost), keys[0]]}[source]
            yield suite, size, source, recipients, cost, b""
    yield 1, 5, "unknown record first", [hashlib.sha512(b"key 0").digest()[:32]], CHEAP, b"\xc8\0\5later"


def write_containers():
    for suite, size, source, recipients, cost, extra in corpus_cases():
        seed = f"corpus {suite} {size} {source}"
        sealed, plain = make_container(suite, recipients, size, RandomBytes(seed), extra)
        keys = [recipient for recipient in recipients if isinstance(recipient, bytes)]
        fields = [("suite", reader.SUITES[suite][0]), ("source", source), ("seed", seed)]
        fields += [("key", keys[-1].hex())] if keys else []
        fields += [("other_key", keys[0].hex())] if len(keys) > 1 else []
        if any(isinstance(recipient, tuple) for recipient in recipients):
            fields += [("passphrase", PASSPHRASE.hex()), ("log2_n", cost[0])]
        yield record_text(fields, sealed, plain)


def write_bare_messages():
    key = hashlib.sha512(b"key 0").digest()[:32]
    for size in (*SIZES, 257 * 16384 + 1):
        context = b"" if size % 2 == 0 else b"context\0of %d" % size
        salt = RandomBytes(f"cobblestone {size}").take(24)
        sealed, plain = seal_message(1, key, context, salt, size)
        yield record_text([("key", key.hex())] + ([("context", context.hex())] if context else []), sealed, plain)


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, about, texts in (
        ("containers/version_1.txt", "Containers of version 1, which must open for ever", write_containers()),
        ("chunked_encryption/cobblestone_256.txt",
         "C2SP chunked encryption with AES-256-GCM and SHA-512 (Cobblestone-256)", write_bare_messages()),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        note = f"# {about}: computed over the Python package\n# cryptography by tests/container/write_corpus.py.\n\n"
        (folder / name).write_text(note + "\n".join(texts))


if __name__ == "__main__":
    main()
