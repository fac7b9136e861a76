#!/usr/bin/env python3
"""A reader of Phalanx containers, independent of Phalanx: written from docs/format.md alone, over the package `cryptography`.

usage: read_container.py [--key-file F | --passphrase-file F] CONTAINER       prints the plaintext
       read_container.py --bare CIPHER --key-file F [--context HEX] MESSAGE

It checks all that a reader must check, and takes no care of speed or of memory. `cryptography` has no GCM over Serpent and
Twofish: those come from `aead_of`, which maps an AEAD's name to a class with AESGCM's interface (libgcrypt_gcm.py fills it).
"""

import argparse
import hmac
import pathlib
import sys

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

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
    """Section 3: suite, [(kind, data)], size of the header."""
    magic = b"PHALANX\0"
    require(data, TRUNCATED, "empty")
    require(data[:8] == magic[: len(data)], USAGE, "no container")
    require(data[8:9] in (b"\1", b""), USAGE, "another version")
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
    for kind, body in records:
        if kind in (1, 2):
            require(len(body) == SUITES[data[9]][1] + (72, 91)[kind - 1], USAGE, "a record has another size")
        if kind == 2:
            log2_n, r, p = body[16:19]
            require(1 <= log2_n <= 63 and log2_n < 16 * r and p >= 1, USAGE, "scrypt has no such parameters")
    require(sum(kind == 2 for kind, _ in records) <= 16, USAGE, "too many passphrases")
    return data[9], records, end + 64


def open_record(fixed, suite, body, kind, secret):
    if kind == 1:
        return open_message(suite, secret, fixed + b"key", body)
    log2_n, r, p = body[16:19]
    require(128 * r * p << log2_n <= 1 << 30, POLICY, "the passphrase costs too much")
    derived = Scrypt(fixed + b"scrypt" + body[:16], SUITES[suite][1], 1 << log2_n, r, p).derive(secret)
    return open_message(suite, derived, fixed + b"passphrase", body[19:])


def open_container(data, kind, secret):
    """Section 5. `kind` is 1 for a key, 2 for a passphrase."""
    suite, records, header_size = parse_header(data)
    fixed, failure, data_key = data[:10], Refused(WRONG_KEY, "wrong key or passphrase"), None
    for body in (body for record_kind, body in records if record_kind == kind):
        try:
            data_key = open_record(fixed, suite, body, kind, secret)
            break
        except Refused as refused:
            if refused.code not in (WRONG_KEY, POLICY):
                raise
            failure = refused if refused.code == POLICY else failure
    if data_key is None:
        raise failure
    mac = hmac.digest(expand(data_key, fixed + b"header", 64), data[: header_size - 64], "sha512")
    require(hmac.compare_digest(mac, data[header_size - 64 : header_size]), AUTHENTICATION, "the header was changed")
    return open_message(suite, data_key, fixed + b"body", data[header_size:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bare")
    parser.add_argument("--context", default="", type=bytes.fromhex)
    parser.add_argument("--key-file", type=pathlib.Path)
    parser.add_argument("--passphrase-file", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    options = parser.parse_args()
    try:
        if options.bare:
            suite = next(number for number, (name, _, _) in SUITES.items() if name == options.bare)
            plain = open_message(suite, options.key_file.read_bytes(), options.context or b"", options.file.read_bytes())
        elif options.key_file:
            plain = open_container(options.file.read_bytes(), 1, options.key_file.read_bytes())
        else:
            line = options.passphrase_file.read_bytes().split(b"\n")[0].removesuffix(b"\r")
            plain = open_container(options.file.read_bytes(), 2, line)
    except Refused as refused:
        print(f"read_container: {refused}", file=sys.stderr)
        return refused.code
    sys.stdout.buffer.write(plain)
    return 0


if __name__ == "__main__":
    sys.exit(main())
