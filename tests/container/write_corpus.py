#!/usr/bin/env python3
"""Writes the corpus of containers, tests/vectors/containers/version_1.txt, version_2.txt and public_keys.txt, and the cases of Cobblestone-256: by docs/format.md
alone, as read_container.py reads. What is committed stays: run this only to add to it, or to check that it gives the same.

usage: write_corpus.py VECTORS_FOLDER

So that files of many chunks stay small here, every plaintext is what makes its ciphertext zeros: the key stream itself.
"""

import base64
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
    if recipient[0] == "public":
        return make_public_key_record(suite, fixed, recipient[1], data_key, random, recipient[2])
    passphrase, (log2_n, r, p) = recipient
    salt = random.take(16)
    derived = Scrypt(fixed + b"scrypt" + salt, reader.SUITES[suite][1], 1 << log2_n, r, p).derive(passphrase)
    message, _ = seal_message(suite, derived, fixed + b"passphrase", random.take(24), data_key)
    data = salt + bytes((log2_n, r, p)) + message
    return b"\2" + len(data).to_bytes(2, "big") + data


def make_public_key_record(suite, fixed, identity, data_key, random, labels=()):
    """A record of kind 3 for the X25519 identity of these 32 bytes, with a stanza of another type before its own."""
    recipient = reader.raw_public(reader.X25519PrivateKey.from_private_bytes(identity))
    file_key, ephemeral, salt = random.take(16), reader.X25519PrivateKey.from_private_bytes(random.take(32)), random.take(16)
    share = reader.raw_public(ephemeral)
    shared = ephemeral.exchange(reader.X25519PublicKey.from_public_bytes(recipient))
    key = reader.HKDF(reader.hashes.SHA256(), 32, share + recipient, b"age-encryption.org/v1/X25519").derive(shared)
    body = reader.ChaCha20Poly1305(key).encrypt(bytes(12), file_key, None)
    share_text, body_text = (base64.b64encode(data).decode().rstrip("=") for data in (share, body))
    stanzas = f"-> other an argument\n\n-> X25519 {share_text}\n{body_text}\n"
    described = bytes([len(labels)]) + b"".join(bytes([len(label)]) + label for label in labels) + b"\2" + stanzas.encode()
    info = fixed + b"age" + hashlib.sha512(described).digest()
    input_key = reader.HKDF(reader.hashes.SHA512(), reader.SUITES[suite][1], salt, info).derive(file_key)
    message, _ = seal_message(suite, input_key, fixed + b"age", random.take(24), data_key)
    data = salt + described + message
    return b"\3" + len(data).to_bytes(2, "big") + data


def identity_text(identity):
    """AGE-SECRET-KEY-1..., by BIP 173."""
    number, prefix = int.from_bytes(identity, "big") << 4, "age-secret-key-"
    values = [number >> 5 * place & 31 for place in range(51, -1, -1)]
    state = reader.bech32_state(prefix, values + [0] * 6) ^ 1
    values += [state >> 5 * (5 - place) & 31 for place in range(6)]
    return (prefix + "1" + "".join(reader.BECH32[value] for value in values)).upper()


def write_public_keys():
    """In either version, of every suite."""
    for number, suite in enumerate(reader.SUITES):
        for version in (1, 2):
            seed = f"public key {suite} {version}"
            random, identity = RandomBytes(seed), hashlib.sha256(seed.encode()).digest()
            context, size = b"context" if version == 2 else b"", (0, 5, 16384, 20000)[number]
            labels = (b"eins", b"zwei") if number % 2 else ()
            sealed, plain = make_container(suite, [("public", identity, labels)], size, random, b"", context)
            fields = [("suite", reader.SUITES[suite][0]), ("source", "public key"), ("seed", seed)]
            fields += [("identity", identity_text(identity))] + ([("context", context.hex())] if context else [])
            yield record_text(fields, sealed, plain)


def make_binding(suite, fixed, data_key, context, name, random):
    """The record of kind 4."""
    flags = bytes([(1 if context else 0) + (2 if name else 0)])
    message = seal_message(suite, data_key, fixed + b"name", random.take(24), name)[0] if name else b""
    return b"\4" + (1 + len(message)).to_bytes(2, "big") + flags + message


def make_container(suite, recipients, size, random, extra=b"", context=b"", name=b""):
    is_bound = bool(context or name)
    fixed = b"PHALANX\0" + bytes([2 if is_bound else 1, suite])
    data_key = random.take(reader.SUITES[suite][1])
    binding = make_binding(suite, fixed, data_key, context, name, random) if is_bound else b""
    records = binding + extra + b"".join(make_record(suite, fixed, recipient, data_key, random) for recipient in recipients)
    header = fixed + len(records).to_bytes(2, "big") + records
    mac = hmac.digest(reader.expand(data_key, fixed + b"header", 64), header, "sha512")
    of_body = binding[3:4] + context if is_bound else b""
    body, plain = seal_message(suite, data_key, fixed + b"body" + of_body, random.take(24), size)
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


CONTEXTS = (b"\0", "Tagebuch 2026".encode(), bytes(range(256)) * 5)
NAMES = (b"a", "Bücher/übrig/\xff".encode("utf-8") + b"\xfe\n", b"n" * 300)


def write_containers(version=1):
    for number, (suite, size, source, recipients, cost, extra) in enumerate(corpus_cases()):
        seed = f"corpus {suite} {size} {source}" + (f" {version}" if version != 1 else "")
        context = CONTEXTS[number // 2 % 3] if version == 2 and number % 3 != 0 else b""
        name = NAMES[number // 3 % 3] if version == 2 and number % 3 != 1 else b""
        sealed, plain = make_container(suite, recipients, size, RandomBytes(seed), extra, context, name)
        keys = [recipient for recipient in recipients if isinstance(recipient, bytes)]
        fields = [("suite", reader.SUITES[suite][0]), ("source", source), ("seed", seed)]
        fields += [("key", keys[-1].hex())] if keys else []
        fields += [("other_key", keys[0].hex())] if len(keys) > 1 else []
        if any(isinstance(recipient, tuple) for recipient in recipients):
            fields += [("passphrase", PASSPHRASE.hex()), ("log2_n", cost[0])]
        fields += [("context", context.hex())] if context else []
        fields += [("name", runs(name))] if name else []
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
        ("containers/version_2.txt", "Containers of version 2, which must open for ever", write_containers(2)),
        ("containers/public_keys.txt", "Containers for public keys of age, which must open for ever", write_public_keys()),
        ("chunked_encryption/cobblestone_256.txt",
         "C2SP chunked encryption with AES-256-GCM and SHA-512 (Cobblestone-256)", write_bare_messages()),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        note = f"# {about}: computed over the Python package\n# cryptography by tests/container/write_corpus.py.\n\n"
        (folder / name).write_text(note + "\n".join(texts))


if __name__ == "__main__":
    main()
