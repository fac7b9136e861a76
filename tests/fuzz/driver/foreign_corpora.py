"""Inputs for the fuzz targets of messages of CMS and of OpenPGP, and of volumes of LUKS."""

import base64
import hashlib
import json
import pathlib
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(REPOSITORY / "tests/cli/raw"), str(REPOSITORY / "tests/cli/openpgp")]

import made_messages as messages  # noqa: E402
import openpgp_writer as openpgp  # noqa: E402


def cms_messages():
    """A choice of a key, and then a message: whole ones for keys of the target, and those that lie."""
    key, plain = hashlib.sha256(b"content").digest(), b"a content of some blocks, of 16 bytes each"
    kek, word = messages.kek_recipient(messages.KEK, key), messages.passphrase_recipient(b"fuzz", key)
    attribute = messages.element(0x30, messages.object_id("1.2.3.4"), messages.element(0x31, messages.number(7)))
    whole = messages.enveloped([kek, word], key, plain)
    yield "passphrase", b"\0" + whole
    yield "key", b"\1" + whole
    yield "key_pieces", b"\1" + messages.enveloped([kek], key, plain, messages.in_pieces)
    yield "gcm", b"\1" + messages.auth_enveloped([kek], key, plain, [attribute])
    yield "gcm_pieces", b"\0" + messages.auth_enveloped([word], key, plain, content=messages.in_pieces)
    yield "pem", b"\1-----BEGIN CMS-----\n" + base64.encodebytes(whole) + b"-----END CMS-----\n"
    yield "mail", b"\1Content-Type: application/pkcs7-mime\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(whole)
    yield "base64", b"\1" + base64.encodebytes(whole)
    described = messages.element(0x30, messages.object_id(messages.DATA), messages.algorithm(messages.AES_256_CBC, messages.element(4, bytes(16))), messages.element(0x80, bytes(32)))
    yield "own_key", b"\1" + messages.content_info(messages.ENCRYPTED, messages.number(0), described)
    for what, lie in messages.hostile_messages():
        yield "lie_" + what.replace(" ", "_").replace("^", "_"), b"\1" + lie[:2000]
    yield "element", b"\4" + whole
    yield "string", b"\5" + messages.element(0x04, plain)
    yield "string_pieces", b"\5" + messages.endless(0x24, messages.element(4, plain), messages.endless(0x24, messages.element(4), messages.element(4, plain)))


def openpgp_messages():
    """A choice of a secret and a size, and then a message: whole ones for secrets of the target, and those that lie; and packets."""
    key, short_key, content = b"\x77" * 32, b"\x77" * 16, b"a content of some blocks, of 16 bytes each " * 3
    plain, word = openpgp.literal(content), openpgp.skesk_4(b"fuzz", openpgp.salted())
    by_word = openpgp.salted().derive(b"fuzz", 32)
    yield "passphrase", b"\0\x40" + word + openpgp.seipd_1(by_word, plain)
    yield "iterated", b"\0\x40" + openpgp.skesk_4(b"fuzz", session_key=key) + openpgp.seipd_1(key, plain)
    yield "two", b"\0\x40" + openpgp.skesk_4(b"other") + openpgp.skesk_4(b"fuzz", session_key=key) + openpgp.seipd_1(key, plain)
    yield "version_5", b"\0\7" + openpgp.skesk_5(b"fuzz", key, openpgp.salted()) + openpgp.ocb_data(key, plain)
    for what, mode in (("eax", openpgp.EAX), ("ocb", openpgp.OCB), ("gcm", openpgp.GCM)):
        yield "version_6_" + what, b"\0\7" + openpgp.skesk_6(b"fuzz", key, openpgp.salted(), mode=mode) + openpgp.seipd_2(key, plain, mode=mode)
        yield "chunks_" + what, b"\1\7" + openpgp.seipd_2(key, plain * 4, mode=mode)
    yield "gnupg", b"\1\7" + openpgp.ocb_data(key, plain * 2)
    yield "public_key", b"\1\0" + openpgp.pkesk_3() + openpgp.seipd_1(key, plain)
    yield "short_key", b"\2\0" + openpgp.seipd_2(short_key, plain, cipher=openpgp.AES_128)
    yield "old", b"\3\0" + openpgp.sed(short_key, plain)
    for number in range(4):
        packed = openpgp.compressed(plain, number)
        yield f"compressed_{number}", b"\1\0" + openpgp.seipd_1(key, packed)
        yield f"packets_{number}", b"\4\5" + packed
    yield "armor", b"\1\0" + openpgp.armored(openpgp.seipd_1(key, plain), b"Comment: none")
    parts = lambda tag, *body: openpgp.in_pieces(tag, b"".join(body))  # noqa: E731
    yield "parts", b"\1\0" + openpgp.seipd_1(key, openpgp.literal(content * 8, make=parts), make=parts)
    yield "to_the_end", b"\1\0" + openpgp.seipd_1(key, plain, make=lambda tag, *body: openpgp.old_packet(tag, *body, length_bytes=0))
    yield "packets_text", b"\4\3" + openpgp.packet(openpgp.MARKER, b"PGP") + openpgp.literal(b"one\r\ntwo", b"t", b"name")
    yield "packets_signed", b"\4\0" + openpgp.packet(openpgp.ONE_PASS, bytes(13)) + plain + openpgp.packet(openpgp.SIGNATURE, bytes(20))


def opened_by_fuzz_luks(passphrase=b"correct horse"):
    """The metadata of a volume whose area is 0x5a in all bytes, as the target has it: what that decrypts to is the key."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    area_key = hashlib.pbkdf2_hmac("sha256", passphrase, b"salt of a slot", 10, 32)
    decryptor = Cipher(algorithms.AES(area_key), modes.XTS(bytes(16))).decryptor()
    material = decryptor.update(b"\x5a" * 512)
    first = hashlib.sha256(bytes(4) + material[:32]).digest()
    key = bytes(a ^ b for a, b in zip(first, material[32:64]))
    text = lambda data: base64.b64encode(data).decode()  # noqa: E731
    kdf = {"type": "pbkdf2", "hash": "sha256", "iterations": 10, "salt": text(b"salt of a slot")}
    area = {"type": "raw", "offset": "32768", "size": "512", "encryption": "aes-xts-plain64", "key_size": 32}
    slot = {"type": "luks2", "key_size": 32, "af": {"type": "luks1", "stripes": 2, "hash": "sha256"}, "area": area, "kdf": kdf}
    segment = {"type": "crypt", "offset": "33280", "size": "dynamic", "iv_tweak": "0", "encryption": "aes-xts-plain64", "sector_size": 512}
    digest = {**kdf, "keyslots": ["0"], "segments": ["0"], "salt": text(b"salt of a key")}
    digest["digest"] = text(hashlib.pbkdf2_hmac("sha256", key, b"salt of a key", 10, 32))
    config = {"json_size": "12288", "keyslots_size": "512"}
    return {"keyslots": {"0": slot}, "tokens": {}, "segments": {"0": segment}, "digests": {"0": digest}, "config": config}


def luks_volumes():
    metadata = json.dumps(opened_by_fuzz_luks())
    yield "json", b"\2\0\0" + metadata.encode()
    for name, old, new in (
        ("two_segments", '"segments": {"0"', '"segments": {"0": {"type": "crypt", "offset": "32768", "size": "512", "iv_tweak": "9", "encryption": "serpent-cbc-essiv:sha256", "sector_size": 512}, "1"'),
        ("linear", '"type": "crypt"', '"type": "linear"'), ("sectors", '"sector_size": 512', '"sector_size": 1024'),
        ("essiv", '"aes-xts-plain64", "sector_size"', '"twofish-cbc-essiv:sha256", "sector_size"'), ("tweak", '"iv_tweak": "0"', '"iv_tweak": "4294967295"'),
        ("integrity", '"iv_tweak"', '"integrity": {"type": "hmac(sha256)"}, "iv_tweak"'), ("flags", '"iv_tweak"', '"flags": ["backup-final"], "iv_tweak"'),
        ("requires", '"json_size"', '"requirements": {"mandatory": ["online-reencrypt-v2"]}, "json_size"'),
        ("argon2", '"type": "pbkdf2", "hash": "sha256", "iterations": 10', '"type": "argon2id", "time": 1, "memory": 16, "cpus": 1'),
        ("priority", '"type": "luks2"', '"priority": 2, "type": "luks2"'),
    ):  # fmt: skip
        both = metadata.replace('"segments": ["0"]', '"segments": ["0", "1"]') if name == "two_segments" else metadata
        yield name, b"\2\0\0" + both.replace(old, new, 1).encode()
    yield "luks1", b"\1\0\0"
    yield "luks1_changed", b"\1\1\0" + bytes((0, 6, 3, 0, 41, 1))
    for path in sorted((REPOSITORY / "tests/vectors/recognition").glob("luks*")):
        yield path.name, b"\0\0\0" + path.read_bytes()
