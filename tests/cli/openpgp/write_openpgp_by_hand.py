#!/usr/bin/env python3
"""Writes tests/vectors/openpgp/written_here.txt: messages that none of the tools at hand makes, by openpgp_writer.py.

usage: write_openpgp_by_hand.py      prints the records
"""

import openpgp_writer as pgp
from openpgp_writer import EAX, GCM, OCB
from write_openpgp_files import LETTER, PASSPHRASE, PLAINS, record

WORDS = PASSPHRASE.encode()
KEY = bytes(range(0x40, 0x60))
MODES = {EAX: "EAX", OCB: "OCB", GCM: "GCM"}
LINES = PLAINS["lines"]


def shown(key, cipher=pgp.AES_256):
    return f"{cipher}:{key.hex().upper()}"


def by_derived_key(s2k):
    """The key of the passphrase is that of the content."""
    return pgp.skesk_4(WORDS, s2k), s2k.derive(WORDS, 32)


def with_tags():
    """What each AEAD mode makes, by each version of the session key's packet."""
    for mode, name in MODES.items():
        for cipher, size in pgp.KEY_BYTES.items():
            key = KEY[:size]
            message = pgp.skesk_6(WORDS, key, cipher=cipher, mode=mode) + pgp.seipd_2(key, pgp.literal(LETTER), cipher, mode)
            yield f"SKESK 6 and SEIPD 2, AES-{8 * size} in {name}, chunks of 64 bytes", message, LETTER, shown(key, cipher)
            if mode == GCM:
                continue  # which GnuPG's packet does not have
            message = pgp.skesk_5(WORDS, key, cipher=cipher, mode=mode) + pgp.ocb_data(key, pgp.literal(LETTER), cipher, mode)
            yield f"SKESK 5 and tag 20, AES-{8 * size} in {name}, chunks of 64 bytes", message, LETTER, shown(key, cipher)
    for mode in (OCB, GCM):
        for size in (55, 56, 57, 120, 184):  # a literal is 8 bytes longer
            message = pgp.skesk_6(WORDS, KEY, mode=mode) + pgp.seipd_2(KEY, pgp.literal((LETTER * 9)[:size]), mode=mode)
            yield f"SEIPD 2 in {MODES[mode]}, {size + 8} bytes in chunks of 64", message, (LETTER * 9)[:size], shown(KEY)
        message = pgp.skesk_6(WORDS, KEY, mode=mode) + pgp.seipd_2(KEY, pgp.literal(PLAINS["page"], make=pgp.in_pieces), mode=mode, chunk=4, make=pgp.in_pieces)
        yield f"SEIPD 2 in {MODES[mode]}, in partial lengths, chunks of 1024", message, PLAINS["page"], shown(KEY)
        message = pgp.skesk_6(WORDS, KEY, mode=mode) + pgp.seipd_2(KEY, pgp.literal(LETTER) + pgp.packet(pgp.PADDING, b"p" * 100), mode=mode, chunk=16)
        yield f"SEIPD 2 in {MODES[mode]} with a padding packet, chunks of 4 MiB", message, LETTER, shown(KEY)
    message = pgp.skesk_6(WORDS, KEY, mode=GCM) + pgp.seipd_2(KEY, pgp.literal(LETTER), mode=OCB)
    yield "SKESK 6 in GCM and SEIPD 2 in OCB", message, LETTER, shown(KEY)
    message = pgp.skesk_6(WORDS, KEY[:16], cipher=pgp.AES_256, mode=OCB) + pgp.seipd_2(KEY[:16], pgp.literal(LETTER), pgp.AES_128)
    yield "SKESK 6 of AES-256 around a key of AES-128", message, LETTER, shown(KEY[:16], pgp.AES_128)
    message = pgp.skesk_4(WORDS, session_key=KEY) + pgp.ocb_data(KEY, pgp.literal(LETTER), iv=b"I" * 7 + b"\xff" * 8)
    yield "SKESK 4 and tag 20, an IV that ends in ones", message, LETTER, shown(KEY)


def derived():
    """What each way makes of a passphrase; Argon2 takes 64 KiB, and 1 MiB with two lanes."""
    ways = {
        "simple, MD5": pgp.simple(pgp.MD5), "salted, SHA-1": pgp.salted(pgp.SHA1), "iterated, SHA-224, 1024 bytes": pgp.iterated(11),
        "iterated, SHA-512, 2048 bytes": pgp.iterated(10, count=0x10), "Argon2, 64 KiB": pgp.argon2(log2_kib=6),
        "iterated, SHA3-256": pgp.iterated(12), "iterated, SHA3-512": pgp.iterated(14),
        "Argon2, 1 MiB, 2 lanes, 3 passes": pgp.argon2(passes=3, lanes=2, log2_kib=10),
    }  # fmt: skip
    for name, s2k in ways.items():
        front, key = by_derived_key(s2k)
        yield f"SKESK 4 without a key, {name}", front + pgp.seipd_1(key, pgp.literal(LETTER)), LETTER, shown(key)
        yield f"SKESK 4 with a key, {name}", pgp.skesk_4(WORDS, s2k, session_key=KEY) + pgp.seipd_1(KEY, pgp.literal(LETTER)), LETTER, shown(KEY)
        message = pgp.skesk_6(WORDS, KEY, s2k) + pgp.seipd_2(KEY, pgp.literal(LETTER))
        yield f"SKESK 6, {name}", message, LETTER, shown(KEY)


def in_other_forms():
    front, letter = pgp.skesk_4(WORDS, session_key=KEY), pgp.literal(LETTER)
    sealed = pgp.seipd_1(KEY, letter)
    native = LINES.replace(b"\r", b"")
    for mode, content in ((b"b", LINES), (b"t", native), (b"u", native), (b"m", LINES), (b"l", LINES), (b"1", LINES)):
        yield f"a literal of mode {mode.decode()}", front + pgp.seipd_1(KEY, pgp.literal(LINES, mode)), content, shown(KEY)
    yield "a marker packet before it", pgp.packet(pgp.MARKER, b"PGP") + front + sealed, LETTER, shown(KEY)
    yield "a padding packet before it", front + pgp.packet(pgp.PADDING, b"p" * 300) + sealed, LETTER, shown(KEY)
    yield "a packet of an unknown version, and one for a key that is not at hand", pgp.packet(pgp.SKESK, b"\x63unknown") + pgp.pkesk_3() + front + sealed, LETTER, shown(KEY)
    yield "two passphrases, opened by the second", pgp.skesk_4(b"another", session_key=KEY) + front + sealed, LETTER, shown(KEY)
    yield "a key of another cipher", pgp.skesk_4(WORDS, cipher=pgp.AES_128, session_key=KEY, wraps=pgp.AES_256) + sealed, LETTER, shown(KEY)
    for name, plain, sizes in (
        ("512, 1024, 1, 1 and 2 bytes", PLAINS["page"], [9, 10, 0, 0, 1]), ("512 bytes twice, and an empty last one", (LETTER * 30)[:974], [9, 9]),
    ):  # fmt: skip
        pieces = lambda tag, *parts, sizes=sizes: pgp.partial_packet(tag, b"".join(parts), sizes)  # noqa: E731
        yield f"partial lengths: {name}", front + pgp.seipd_1(KEY, pgp.literal(plain), make=pieces), plain, shown(KEY)
    indeterminate = lambda tag, *parts: pgp.old_packet(tag, *parts, length_bytes=0)  # noqa: E731
    for algorithm, name in enumerate(("none", "ZIP", "ZLIB", "BZIP2")):
        yield f"compressed by {name}, of indeterminate length", front + pgp.seipd_1(KEY, pgp.compressed(letter, algorithm, indeterminate)), LETTER, shown(KEY)
        yield f"compressed by {name}, in SEIPD 2", pgp.skesk_6(WORDS, KEY) + pgp.seipd_2(KEY, pgp.compressed(pgp.literal(LETTER * 3), algorithm)), LETTER * 3, shown(KEY)
    for size in (1, 2, 4):
        old = pgp.old_packet(pgp.SKESK, front[2:], length_bytes=size)
        yield f"a session key under an old header with {size} bytes of length", old + sealed, LETTER, shown(KEY)
    yield "armour without a checksum", pgp.armored(front + sealed, has_crc=False), LETTER, shown(KEY)
    yield "armour of CRLF, with headers", pgp.armored(front + sealed, b"Version: 1\nComment: two", end=b"\r\n"), LETTER, shown(KEY)
    yield "armour with text before and behind it", b"Dear reader,\n\n" + pgp.armored(front + sealed) + b"\nyours\n", LETTER, shown(KEY)


def unauthenticated():
    front, letter = pgp.skesk_4(WORDS, session_key=KEY), pgp.literal(LETTER)
    yield "tag 9", front + pgp.sed(KEY, letter), LETTER, shown(KEY)
    for size in (0, 1, 2, 4):
        old = lambda tag, *parts, size=size: pgp.old_packet(tag, *parts, length_bytes=size)  # noqa: E731
        yield f"tag 9 under an old header with {size} bytes of length", front + pgp.sed(KEY, letter, make=old), LETTER, shown(KEY)
    stored = pgp.compressed(pgp.literal(PLAINS["page"]), pgp.STORED)
    yield "tag 9, compressed, in partial lengths", front + pgp.sed(KEY, stored, make=pgp.in_pieces), PLAINS["page"], shown(KEY)


def main():
    for makers, protection in ((with_tags, ""), (derived, ""), (in_other_forms, ""), (unauthenticated, "none")):
        for name, message, plain, session_key in makers():
            fields = {"passphrase": PASSPHRASE, "session_key": session_key, "protection": protection}
            print("\n".join(record("tests/cli/openpgp/openpgp_writer.py", name, message, plain, **fields)))


if __name__ == "__main__":
    main()
