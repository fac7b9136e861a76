#!/usr/bin/env python3
"""A reader of Phalanx containers, independent of Phalanx: written from docs/format.md alone, over the package `cryptography`.

usage: read_container.py [--key-file F | --passphrase-file F | --identity F] [--context HEX] [--name NAME | --any-name] CONTAINER
                                                                             prints the plaintext
       read_container.py --bare CIPHER --key-file F [--context HEX] MESSAGE

It checks all that a reader must check, and takes no care of speed or of memory. `cryptography` has no GCM over Serpent and
Twofish: those come from `aead_of`, which maps an AEAD's name to a class with AESGCM's interface (libgcrypt_gcm.py fills it).
"""

import argparse
import base64
import hashlib
import hmac
import pathlib
import re
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

SUITES = {  # section 1: id -> name, K, AEAD name
    1: ("aes-256", 32, "AEAD_AES_256_GCM"),
    2: ("aes-128", 16, "AEAD_AES_128_GCM"),
    3: ("serpent-256", 32, "PHALANX_SERPENT_256_GCM"),
    4: ("twofish-256", 32, "PHALANX_TWOFISH_256_GCM"),
}
aead_of = {"AEAD_AES_256_GCM": AESGCM, "AEAD_AES_128_GCM": AESGCM}
CHUNK, TAG, PREFIX = 16384, 16, 56
USAGE, AUTHENTICATION, WRONG_KEY, TRUNCATED, POLICY = 2, 3, 4, 5, 6


class Refused(Exception):
    def __init__(self, code, what):
        super().__init__(what)
        self.code = code


def require(condition, code, what):
    if not condition:
        raise Refused(code, what)


def expand(key, info, size):
    return HKDFExpand(hashes.SHA512(), size, info).derive(key)


def message_keys(suite, input_key, context, salt):
    """Section 2: key, base nonce, commitment."""
    _, key_bytes, aead = SUITES[suite]
    require(len(input_key) == key_bytes, USAGE, "the key has another length than the suite's")
    info = b"c2sp.org/chunked-encryption@v1+" + aead.encode() + b"\0" + salt + context
    keys = expand(input_key, info, key_bytes + 44)
    return keys[:key_bytes], keys[key_bytes:-32], keys[-32:]


def chunk_nonce(base_nonce, number):
    return bytes(a ^ b for a, b in zip(base_nonce, number.to_bytes(12, "big")))


def open_message(suite, input_key, context, message):
    require(len(message) >= PREFIX, TRUNCATED, "the message ends before its first chunk")
    key, base_nonce, commitment = message_keys(suite, input_key, context, message[:24])
    require(hmac.compare_digest(commitment, message[24:PREFIX]), WRONG_KEY, "wrong key, passphrase or context")
    chunks = message[PREFIX:]
    require(len(chunks) % (CHUNK + TAG) >= TAG, TRUNCATED, "the message ends without a short last chunk")
    aead = aead_of[SUITES[suite][2]](key)
    plain = []
    for number, start in enumerate(range(0, len(chunks), CHUNK + TAG)):
        try:
            plain.append(aead.decrypt(chunk_nonce(base_nonce, number), chunks[start : start + CHUNK + TAG], None))
        except InvalidTag:
            raise Refused(AUTHENTICATION, f"chunk {number} is not authentic") from None
    return b"".join(plain)


def parse_header(data):
    """Section 3: suite, flags and sealed name of the binding, [(kind, data)] of the others, size of the header."""
    magic = b"PHALANX\0"
    require(data, TRUNCATED, "empty")
    require(data[:8] == magic[: len(data)], USAGE, "no container")
    require(data[8:9] in (b"\1", b"\2", b""), USAGE, "another version")
    require(len(data) < 10 or data[9] in SUITES, USAGE, "another suite")
    require(len(data) >= 12, TRUNCATED, "the header is cut short")
    end = 12 + int.from_bytes(data[10:12], "big")
    require(end > 12, USAGE, "no recipient")
    require(len(data) >= end + 64, TRUNCATED, "the header is cut short")
    records, place = [], 12
    while place < end:
        size = int.from_bytes(data[place + 1 : place + 3], "big")
        require(place + 3 + size <= end, USAGE, "malformed records")
        records.append((data[place], data[place + 3 : place + 3 + size]))
        place += 3 + size
    flags, sealed_name = 0, b""
    if data[8] == 2:
        require(records[0][0] == 4, USAGE, "the binding does not come first")
        flags, sealed_name = records[0][1][:1], records[0][1][1:]
        require(flags in (b"\1", b"\2", b"\3"), USAGE, "no such binding")
        flags = flags[0]
        require(73 <= len(sealed_name) <= 16455 if flags & 2 else not sealed_name, USAGE, "a binding of another size")
        records = records[1:]
        require(records, USAGE, "no recipient")
        require(all(kind != 4 for kind, _ in records), USAGE, "two bindings")
    for kind, body in records:
        if kind in (1, 2):
            require(len(body) == SUITES[data[9]][1] + (72, 91)[kind - 1], USAGE, "a record has another size")
        if kind == 2:
            log2_n, r, p = body[16:19]
            require(1 <= log2_n <= 63 and log2_n < 16 * r and p >= 1, USAGE, "scrypt has no such parameters")
    require(sum(kind == 2 for kind, _ in records) <= 16, USAGE, "too many passphrases")
    return data[9], (flags, sealed_name), records, end + 64


BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def bech32_state(prefix, values):
    """The checksum's state, BIP 173."""
    state = 1
    for value in [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix] + values:
        top, state = state >> 25, (state & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            state ^= generator if top >> bit & 1 else 0
    return state


def read_identity(text):
    """The 32 bytes of AGE-SECRET-KEY-1..."""
    prefix, _, data = text.lower().rpartition("1")
    require(text.isupper() and prefix == "age-secret-key-", USAGE, "no identity of X25519")
    values = [BECH32.index(character) for character in data]
    number = int("".join(f"{value:05b}" for value in values[:-6]), 2)
    is_right = bech32_state(prefix, values) == 1 and len(values) == 58 and number & 15 == 0
    require(is_right, USAGE, "no identity of X25519")
    return (number >> 4).to_bytes(32, "big")


def unpadded(text):
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except ValueError:
        raise Refused(USAGE, "no base64") from None
    require(base64.b64encode(data).decode().rstrip("=") == text, USAGE, "base64 that is not canonical")
    return data


def read_stanza(lines):
    """Arguments and body; takes its lines from the list."""
    line, body = lines.pop(0), ""
    require(line.startswith("-> ") and all(re.fullmatch("[!-~]+", part) for part in line[3:].split(" ")), USAGE, "a stanza")
    while True:
        body += lines[0]
        require(len(lines[0]) <= 64, USAGE, "a long line")
        if len(lines.pop(0)) < 64:
            return line[3:].split(" "), unpadded(body)


def parse_public_key(suite, body):
    """Section 3, kind 3: salt, what the digest is of, stanzas, message; None where it is malformed."""
    try:
        place, labels, message = 17, [], len(body) - SUITES[suite][1] - 72
        for _ in range(body[16]):
            labels.append(body[place + 1 : place + 1 + body[place]])
            place += 1 + body[place]
        count, lines = body[place], body[place + 1 : message].decode("ascii").split("\n")
        stanzas = [read_stanza(lines) for _ in range(count)]
        require(1 <= count <= 64 and lines == [""], USAGE, "more or fewer stanzas")
        require(all(re.fullmatch(b"[!-~]+", label) for label in labels), USAGE, "no label")
        require(sorted(set(labels)) == labels, USAGE, "labels in another order")
        return body[:16], body[16:message], stanzas, body[message:]
    except (IndexError, ValueError, Refused):
        return None


def raw_public(private):
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def unwrap_x25519(identity, arguments, body):
    """c2sp.org/age, "X25519 recipient stanza": the file key, or None."""
    if arguments[0] != "X25519":
        return None
    require(len(arguments) == 2 and len(body) == 32, USAGE, "a stanza of X25519 that is none")
    share, private = unpadded(arguments[1]), X25519PrivateKey.from_private_bytes(identity)
    require(len(share) == 32, USAGE, "a stanza of X25519 that is none")
    try:
        shared = private.exchange(X25519PublicKey.from_public_bytes(share))
    except ValueError:
        raise Refused(USAGE, "a share of low order") from None
    key = HKDF(hashes.SHA256(), 32, share + raw_public(private), b"age-encryption.org/v1/X25519").derive(shared)
    try:
        return ChaCha20Poly1305(key).decrypt(bytes(12), body, None)
    except InvalidTag:
        return None


def open_public_key(fixed, suite, body, identity):
    parsed = parse_public_key(suite, body)
    for arguments, wrapped in parsed[2] if parsed else ():
        file_key = unwrap_x25519(identity, arguments, wrapped)
        if file_key is None:
            continue
        info = fixed + b"age" + hashlib.sha512(parsed[1]).digest()
        input_key = HKDF(hashes.SHA512(), SUITES[suite][1], parsed[0], info).derive(file_key)
        try:
            return open_message(suite, input_key, fixed + b"age", parsed[3])
        except Refused:
            raise Refused(AUTHENTICATION, "a stanza opens, and what it wraps does not fit") from None
    raise Refused(WRONG_KEY, "no stanza is this identity's")


def open_record(fixed, suite, body, kind, secret):
    if kind == 3:
        return open_public_key(fixed, suite, body, secret)
    if kind == 1:
        return open_message(suite, secret, fixed + b"key", body)
    log2_n, r, p = body[16:19]
    require(128 * r * p << log2_n <= 1 << 30, POLICY, "the passphrase costs too much")
    derived = Scrypt(fixed + b"scrypt" + body[:16], SUITES[suite][1], 1 << log2_n, r, p).derive(secret)
    return open_message(suite, derived, fixed + b"passphrase", body[19:])


def open_container(data, kind, secret, context=b"", name=None, any_name=False):
    """Section 5. `kind` is 1 for a key, 2 for a passphrase, 3 for the bytes of an identity; `name` is the container's own."""
    suite, (flags, sealed_name), records, header_size = parse_header(data)
    require(bool(flags & 1) == bool(context), USAGE, "a context is missing, or given where there is none")
    require(not flags & 2 or any_name or name is not None, USAGE, "there is no name to compare")
    fixed, failure, data_key = data[:10], Refused(WRONG_KEY, "wrong key or passphrase"), None
    for body in (body for record_kind, body in records if record_kind == kind):
        try:
            data_key = open_record(fixed, suite, body, kind, secret)
            break
        except Refused as refused:
            if refused.code not in (WRONG_KEY, POLICY, USAGE):
                raise
            failure = failure if refused.code == WRONG_KEY else refused
    if data_key is None:
        raise failure
    mac = hmac.digest(expand(data_key, fixed + b"header", 64), data[: header_size - 64], "sha512")
    require(hmac.compare_digest(mac, data[header_size - 64 : header_size]), AUTHENTICATION, "the header was changed")
    if flags & 2:
        bound = open_message(suite, data_key, fixed + b"name", sealed_name)
        require(any_name or bound == name, AUTHENTICATION, f"bound to the name {bound!r}, and called {name!r}")
    binding = bytes([flags]) + context if flags else b""
    return open_message(suite, data_key, fixed + b"body" + binding, data[header_size:])


def own_name(path):
    """Of a container that is named itself."""
    return path.name.removesuffix(".phalanx").encode(errors="surrogateescape")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bare")
    parser.add_argument("--context", default="", type=bytes.fromhex)
    parser.add_argument("--name")
    parser.add_argument("--any-name", action="store_true")
    parser.add_argument("--key-file", type=pathlib.Path)
    parser.add_argument("--passphrase-file", type=pathlib.Path)
    parser.add_argument("--identity", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    options = parser.parse_args()
    name = options.name.encode() if options.name else own_name(options.file)
    binding = options.context or b"", name, options.any_name
    try:
        if options.bare:
            suite = next(number for number, (name, _, _) in SUITES.items() if name == options.bare)
            plain = open_message(suite, options.key_file.read_bytes(), options.context or b"", options.file.read_bytes())
        elif options.identity:
            lines = [line for line in options.identity.read_text().splitlines() if line and not line.startswith("#")]
            plain = open_container(options.file.read_bytes(), 3, read_identity(lines[0]), *binding)
        elif options.key_file:
            plain = open_container(options.file.read_bytes(), 1, options.key_file.read_bytes(), *binding)
        else:
            line = options.passphrase_file.read_bytes().split(b"\n")[0].removesuffix(b"\r")
            plain = open_container(options.file.read_bytes(), 2, line, *binding)
    except Refused as refused:
        print(f"read_container: {refused}", file=sys.stderr)
        return refused.code
    sys.stdout.buffer.write(plain)
    return 0


if __name__ == "__main__":
    sys.exit(main())
