#!/usr/bin/env python3
"""Writes the first inputs of the fuzz targets whose format a fuzzer would not find by itself. What it found since lies beside them.

usage: write_fuzz_corpus.py CORPUS_FOLDER        keys and passphrases are those of the targets' sources, and no one's secrets
"""

import base64
import hashlib
import hmac
import json
import pathlib
import sys
import zlib

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(REPOSITORY / "tests/container"))

import foreign_corpora  # noqa: E402
import read_container as reader  # noqa: E402
import write_corpus as containers  # noqa: E402

CHEAP = (4, 8, 1)


def container_headers():
    for suite, (name, key_bytes, _) in reader.SUITES.items():
        key, word = bytes(range(key_bytes)), (b"fuzz", CHEAP)
        for kind, recipients, extra in (
            ("key", [key], b""),
            ("passphrase", [word], b""),
            ("both", [bytes(key_bytes), word, key], b""),
            ("unknown", [key], b"\xc8\0\5later"),
        ):
            random = containers.RandomBytes(f"fuzz {name} {kind}")
            yield f"{name.replace('-', '_')}_{kind}", containers.make_container(suite, recipients, 0, random, extra)[0]


def bound_headers():
    word = (b"fuzz", CHEAP)
    for what, context, name in (("context", b"fuzz", b""), ("name", b"", b"a/b"), ("context_and_name", b"fuzz", b"a/b")):
        random = containers.RandomBytes(f"fuzz bound {what}")
        yield f"bound_{what}", containers.make_container(1, [bytes(range(32)), word], 0, random, b"", context, name)[0]


def odd_headers():
    """Of every kind of record, and those that are malformed in what they are bound to."""
    counting, word = bytes(range(32)), (b"fuzz", CHEAP)
    for what, recipients in (("public", [("public", counting, ())]), ("of_many", [word] * 17)):
        yield f"odd_{what}", containers.make_container(1, recipients, 0, containers.RandomBytes(f"fuzz {what}"), b"")[0]
    bound = containers.make_container(1, [counting], 0, containers.RandomBytes("fuzz odd"), b"", b"", b"a/b")[0]
    start, size = 12, 3 + int.from_bytes(bound[13:15], "big")
    record, rest = bound[start : start + size], bound[start + size :]
    yield "odd_flags", bound[: start + 3] + b"\0" + bound[start + 4 :]
    yield "odd_length", bound[: start + 3] + b"\1" + bound[start + 4 :]
    yield "odd_twice", bound[:10] + (int.from_bytes(bound[10:12], "big") + size).to_bytes(2, "big") + record + record + rest


def base64_texts():
    data = bytes(range(200))
    yield "lines", b"\0" + base64.encodebytes(data)
    yield "one_line", b"\7" + base64.b64encode(data)
    yield "padding", b"\1QQ==\n"
    yield "padding_spread", b"\2Q U\tI\r\n=\n"
    yield "spare_bits", b"\3QR==\n"


def bech32(prefix, data):
    """By BIP 173."""
    number, num_values = int.from_bytes(data, "big"), (8 * len(data) + 4) // 5
    number <<= 5 * num_values - 8 * len(data)
    values = [number >> 5 * place & 31 for place in range(num_values - 1, -1, -1)]
    state = reader.bech32_state(prefix, values + [0] * 6) ^ 1
    values += [state >> 5 * (5 - place) & 31 for place in range(6)]
    return prefix + "1" + "".join(reader.BECH32[value] for value in values)


def age_keys():
    texts = {"plugin": bech32("age1fuzz", b"abc"), "plugin_odd_name": bech32("age1fu,zz", b"abc"),
             "low_order": bech32("age", bytes(32)), "too_short": bech32("age", bytes(31)),
             "identity_of_plugin": bech32("age-plugin-fuzz-", b"abc").upper(),
             "identity_of_odd_name": bech32("age-plugin-fu,zz-", b"abc").upper(),
             "identity_without_name": bech32("age-plugin-fuzz", b"abc").upper(),
             "identity_too_short": bech32("age-secret-key-", bytes(31)).upper(),
             "identity_wrong_checksum": "AGE-PLUGIN-FUZZ-1QQQQQQQQ", "post_quantum": "AGE-SECRET-KEY-PQ-1QQQQQQ",
             "of_ssh": "ssh-ed25519 AAAA", "of_ssh_in_file": "-----BEGIN OPENSSH PRIVATE KEY-----",
             "encrypted": "age-encryption.org/v1"}
    for name, text in texts.items():
        yield name, text.encode()


def openssl_files():
    yield "header", b"\0Salted__12345678" + bytes(32)
    yield "header_cut", b"\0Salted__1234"
    yield "base64", b"\0" + base64.encodebytes(b"Salted__12345678" + bytes(32))
    yield "prose", b"\0prose of words in the alphabet of base64 and of no others"
    yield "nothing", b"\0"
    for name in (b"des3", b"AES256", b"aes-256-gcm", b"serpent-128-xts", b"des-ede3-cfb"):
        yield "name_" + name.decode().lower().replace("-", "_"), b"\1" + name
    for name in (b"pkcs7", b"none", b"x923", b"iso7816", b"zero"):
        yield "name_" + name.decode(), b"\1" + name
    blocks = {0: bytes(12) + b"\4" * 4, 1: bytes(16), 2: bytes(12) + b"\0\0\0\4", 3: b"text\x80" + bytes(11), 4: b"text" + bytes(12)}
    for padding, block in blocks.items():
        yield f"padding_{padding}", bytes((2, padding, 7)) + block
    yield "search", bytes((3, 4, 1, 0, 0, 1)) + b"12345678" + bytes((1,)) + bytes(range(32)) + b"passphrase"
    yield "search_pbkdf2", bytes((3, 6, 1, 0, 1, 0, 1)) + bytes(range(32)) + b"passphrase"


def key_files():
    for size in (8, 16, 24, 32, 64):
        digits = bytes(range(size)).hex().encode()
        place = (8, 16, 24, 32, 64).index(size)
        yield f"raw_{size}", bytes((0, place)) + bytes(range(size))
        yield f"hex_{size}", bytes((1, place)) + digits + b"\n"
        yield f"hex_crlf_{size}", bytes((0, place)) + digits.upper() + b"\r\n"
        yield f"variable_{size}", bytes((4, place)) + digits
    yield "passphrase", b"\2\0correct horse\nand more"
    yield "passphrase_crlf", b"\3\0correct horse\r\n"
    yield "passphrase_too_long", b"\2\0" + 4100 * b"x"
    yield "passphrase_without_end", b"\3\0correct horse"


def plans():
    plan = json.loads((REPOSITORY / "bench/target_table.json").read_text())
    yield "some_targets", json.dumps(plan[:4]).encode()
    every = {"cipher": "all", "mode": "ecb,cbc", "size": "16..1K,64", "engine": "cpu,all", "threads": "1..4",
             "direction": "both", "batch": "8:own-keys", "peers": "openssl:ecb", "in_place": True}
    yield "every_member", json.dumps([every]).encode()
    yield "target", json.dumps([{"cipher": "des", "target": {"engine": "auto", "times_as_fast_as": {"fastest": 9}, "goals": {"share_of_64K": 9}}}]).encode()
    yield "no_list", b'{"cipher": "des"}'
    yield "long_list", json.dumps([{"cipher": "des", "size": ",".join(["16"] * 4097)}]).encode()
    many_sizes = ",".join(f"{16 * odd}..1M" for odd in range(1, 200, 2))
    yield "endless", json.dumps([{"cipher": "all", "mode": "all", "size": many_sizes}]).encode()
    yield "large", json.dumps([{"cipher": "des", "size": "4G", "batch": "100"}]).encode()
    for member, value in (("threads", "0"), ("peers", "all"), ("peers", "nobody"), ("mode", "xts")):
        yield f"{member}_{value}", json.dumps([{"cipher": "des", member: value}]).encode()


def results():
    quartiles = {"low": 1.0, "median": 2.0, "high": 3.0}
    figure = {"name": "cpu:avx2", "kind": "engine", "ran": "des-ecb", "threads": 1, "samples": 9, "seconds": quartiles,
              "cycles_per_byte": quartiles, "megabytes_per_second": 5.0, "checked_with": "reference",
              "limit_cycles_per_byte": None, "times_as_fast_as": {"openssl": 2.0}}
    target = {"engine": "auto", "times_as_fast_as": {"openssl": 2.0}, "goals": {"share_of_64K": 9.0}}
    measurement = {"cipher": "des", "mode": "ecb", "direction": "encrypt", "message_bytes": 64, "messages": 1, "keys": "one",
                   "in_place": False, "target": target,
                   "figures": [figure, {**figure, "name": "openssl", "kind": "peer"}, {**figure, "kind": "memory"}]}
    whole = {"format": "phalanx-bench", "format_version": 1, "cpu": "a processor", "cores": 2, "gpu": "", "phalanx": "0.1.0",
             "commit": "", "calibrated": False, "date": "2026-01-01", "compiler": "a compiler", "flags": "",
             "peers": [{"name": "openssl", "version": "3"}], "measurements": [measurement]}
    yield "one_measurement", json.dumps(whole).encode()
    larger = {**measurement, "cipher": "aes-256", "mode": "cbc", "message_bytes": 65536, "target": None}
    yield "two_measurements", json.dumps({**whole, "measurements": [measurement, larger]}).encode()
    yield "no_measurement", json.dumps({**whole, "measurements": []}).encode()
    yield "controls", json.dumps({**whole, "cpu": "a \x7f of \x85 \u20ac"}, ensure_ascii=False).encode()


def calibrations():
    whole = {"format": "phalanx-calibration", "format_version": 1, "phalanx": "VERSION", "cpu": "CPU",
             "serial_blocks": [{"engine": "cpu:avx2", "cipher": "des-ede3", "blocks": 7}],
             "gpu_crossovers": [{"cipher": "aes-256", "bytes": None}, {"cipher": "des", "bytes": 5000}]}
    yield "whole", json.dumps(whole).encode()
    yield "without_gpus", json.dumps({name: whole[name] for name in whole if name != "gpu_crossovers"}).encode()
    yield "other_machine", json.dumps({**whole, "cpu": "another"}).encode()


def manifests():
    header = b'{"phalanx_manifest":1,"from_tree":"/old","to_tree":"/new"}\n'
    done = b'{"name":"a","state":"done","in_bytes":5,"out_bytes":500,"verified":true,"deleted":false,"found":"md5","padding_bytes":3,"also_fits":["sha1"]}\n'
    odd = b'{"name":"?","name_hex":"ff00","state":"failed","why":"it is cut short","exit_code":5}\n'
    yield "whole", header + done + odd
    yield "torn", header + done + odd[:30]
    yield "torn_header", header[:20]
    yield "other_trees", header.replace(b"old", b"older")
    yield "doubtful", header + done.replace(b'"found"', b'"doubt":"by its padding alone","found"')
    yield "skipped", header + b'{"name":"b","state":"skipped","why":"it is a folder"}\n'
    yield "records", bytes(range(200))
    for what, stripped in (("", "a.des3"), ("_wrong", ".des3"), ("_all", "/a")):
        line = {"name": "b/a" if what else "b/a.des3", "state": "done", "stripped": stripped if what else ".des3"}
        yield "stripped" + what, header + json.dumps(line).encode() + b"\n"
    yield "later_version", header.replace(b":1", b":2", 1) + done
    yield "unknown_state", header + b'{"name":"b","state":"lost"}\n'
    escapes = b'{"name":"\\u0041\\u00e4\\u20ac\\ud83d\\ude00","state":"skipped","why":"%s"}\n'
    done_and_failed = b"\0a\0" + bytes(11) + b"\0a\1\4\0"
    yield "done_then_failed", b"\2" + done_and_failed
    yield "done_again", b"\3" + done_and_failed + b"\0a\0" + bytes(11)
    yield "escapes", header + escapes % b"it is a folder"
    yield "escapes_half", header + escapes % b"\\ud83d\\u0041"
    yield "escapes_wrong", header + escapes % b"\\ude00"


def png_chunk(kind, data):
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def plaintexts():
    yield "text", b"Some text of more than thirty-two bytes, with \xc3\xa4 and \xe2\x82\xac.\n"
    yield "cut_text", b"Some text of more than thirty-two bytes, which ends in \xe2\x82"
    yield "text_of_65_bytes", (b"Text of sixty-five bytes, which a target repeats to be longer. " * 2)[:64] + b"\n"
    tar = bytearray(512)
    tar[:4], tar[257:262] = b"name", b"ustar"
    tar[148:156] = b"%06o\0 " % (sum(tar) + 8 * 32)
    yield "tar", bytes(tar)
    for kind, data in {"gzip": b"\x1f\x8b\x08" + bytes(5) + b"\0\3" + bytes(9), "zip": b"PK\3\4\x14\0\0\0\x08\0" + bytes(16) + b"\4" + bytes(9),
                       "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF\0", "elf": b"\x7fELF\2\1\1" + bytes(20),
                       "mp4": b"\0\0\0\x20ftypisom" + bytes(20), "riff": b"RIFF\x24\0\0\0WAVE", "zstd": b"\x28\xb5\x2f\xfd\x24" + bytes(9),
                       "bzip2": b"BZh91AY&SY" + bytes(9), "pdf": b"%PDF-1.7\n", "xz": b"\xfd7zXZ\0" + bytes(6)}.items():
        yield kind, data
    image = b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", bytes((0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0)))
    yield "png_of_one_pixel", image + png_chunk(b"IDAT", zlib.compress(b"\0\0")) + png_chunk(b"IEND", b"")
    yield "png_and_more", image + png_chunk(b"IEND", b"") + b"more"


def choices():
    """For the targets that make choices of the bytes: some bytes."""
    yield "zeros", bytes(64)
    yield "ones", bytes([1]) * 256
    yield "counting", bytes(range(256)) * 2
    yield "mixed", bytes((i * i * 7 + i // 3) % 256 for i in range(600))


def journals():
    """Whole ones, as the target takes them: of either version, unused, and with a record in either slot or both."""
    yield from choices()
    key, salt, slot_bytes = bytes(24), bytes(16), 96
    choose = b"\0" + key + b"\0" + bytes(2) + bytes(3) + b"\3"  # the same run; no parameters, inode, length; any bytes
    for version, label in ((b"3", b"phalanx in-place journal: key"), (b"4", b"phalanx in-place journal 4: key")):
        own_key = hmac.digest(key, salt + label, "sha256")
        mac = lambda *parts: hmac.digest(own_key, b"".join(parts), "sha256")  # noqa: E731, B023
        number = lambda value: value.to_bytes(8, "little")  # noqa: E731
        header = b"phalanx journal" + version + salt + hashlib.sha256(salt + b" length=0").digest() + mac(b"check")
        header += mac(b"file", number(5), number(0))
        if version == b"4":
            header += mac(b"piece", number(0), bytes(16)) + mac(b"piece", number(2), b"\2" + bytes(15))

        def slot(piece):
            content = bytes(range(slot_bytes))
            fields = number(piece) + number(slot_bytes) + number(0) + bytes(16) + mac(b"piece", number(piece), content) + bytes(128)  # noqa: B023
            return fields + mac(b"record", fields) + content  # noqa: B023

        blank = bytes(232 + slot_bytes)
        for name, slots in {"unused": [blank, blank], "one": [slot(0), blank], "both": [slot(2), slot(1)]}.items():
            yield f"version_{version.decode()}_{name}", choose + header.ljust(4096, b"\0") + b"".join(slots)


def conversations():
    """For the target that makes messages of the bytes: of each kind of rank, and long enough for several."""
    for number in range(80):
        yield f"rank_{number}", bytes([number % 16]) + hashlib.shake_128(bytes([number])).digest(500)
    for number in range(8):  # of those that rank 0 asks for the key
        yield f"agrees_{number}", bytes([15, number]) + hashlib.shake_128(bytes([80 + number])).digest(200)
    for work in range(4):  # two ranks that say they are done, and nothing odd
        yield f"done_{work}", bytes((0, work, 2)) + bytes(60)


def plugin_dialogues():
    """Four choices, and then what a plugin of age says."""
    text = base64.b64encode("Köln, \x1b[2J\r".encode()).rstrip(b"=")
    key = base64.b64encode(bytes(range(16))).rstrip(b"=")
    wraps, unwraps = b"\1\0\0\1", b"\0\0\1\1"  # one key; two sets of stanzas; with a terminal
    done = b"-> done\n\n"
    asked = b"-> msg\n" + text + b"\n-> request-secret\n" + text + b"\n-> request-public\n\n-> confirm eWVz bm8\n\n-> confirm eWVz\n\n"
    yield "wraps", wraps + asked + b"-> recipient-stanza 0 fuzz a\nAAAA\n" + done
    yield "wraps_for_two", wraps + b"-> labels one two\n\n-> recipient-stanza 0 a\n\n-> recipient-stanza 0 b\n\n" + done
    wrapped = b"".join(b"-> recipient-stanza %d fuzz\nAAAA\n" % i for i in range(16))
    yield "wraps_many", b"\1\1\3\0" + wrapped + done
    yield "wraps_for_nobody", wraps + done
    yield "labels_twice", wraps + b"-> labels a\n\n-> labels b\n\n" + done
    yield "recipient_error", wraps + b"-> error recipient 0\n" + text + b"\n-> error internal\n\n" + done
    yield "unwraps", unwraps + asked + b"-> file-key 0\n" + key + b"\n-> file-key 1\n" + key + b"\n" + done
    yield "unwraps_one", unwraps + b"-> error stanza 1 0\n\n-> file-key 0\n" + key + b"\n" + done
    yield "unwraps_none", b"\0\0\1\0" + asked + done
    yield "key_twice", unwraps + 2 * (b"-> file-key 0\n" + key + b"\n") + done
    yield "key_too_short", unwraps + b"-> file-key 0\nAAAA\n" + done
    yield "number_too_large", unwraps + b"-> file-key 2\n" + key + b"\n" + done
    yield "number_with_zero", unwraps + b"-> file-key 00\n" + key + b"\n" + done
    yield "unknown", unwraps + b"-> grease x y\n" + 86 * b"A" + b"\n" + done
    yield "ends", unwraps + b"-> msg\n"


def parquet_files():
    """The plain file that lies there, of three columns, as the target encrypts it in other ways."""
    plain = (REPOSITORY / "tests/fuzz/corpus/parquet_file/plain").read_bytes()
    for ways in (1, 2, 6, 8, 16, 17, 48):
        yield f"ways_{ways}", bytes([ways]) + plain[1:]
    yield "modules", bytes(17) + 2 * ((16).to_bytes(4, "little") + bytes(16)) + b"\7\0"


def parquet_pages():
    """Choices, of pages with some bytes each, to be sealed; the last one for pages as they are."""
    page = bytes((16,)) + bytes(range(16)) + bytes((0, 16, 0, 0))
    for algorithm in (0, 1):
        for name, changes in (("", b""), ("_changed", b"\1\0\x30\1"), ("_cut", b"\0\7\0\x28")):
            yield f"sealed_{algorithm}{name}", bytes((algorithm, 1, 0, 2)) + 2 * page + changes
    yield "wrong_length", b"\0\0\0\1" + page[:-2] + b"\x0f\2\0"
    yield "any", b"\0\0\1" + bytes((28, 0, 0, 0)) + bytes(range(28)) + bytes((8, 0, 0, 0)) + bytes(8)


def key_materials():
    key = base64.b64encode(bytes(16)).decode()
    whole = {"keyMaterialType": "PKMT1", "internalStorage": True, "isFooterKey": True, "kmsInstanceID": "DEFAULT",
             "kmsInstanceURL": "DEFAULT", "masterKeyID": "k1", "doubleWrapping": False, "wrappedDEK": bytes(16).hex()}
    double = {"doubleWrapping": True, "keyEncryptionKeyID": key, "wrappedKEK": bytes(16).hex()}
    yield "single", json.dumps(whole).encode()
    sealed = {"empty": "", "short": key, "odd": key[:-1], "no_base64": "!" * 64, "wrong": 60 * "A"}
    for name, text in sealed.items():
        yield f"double_{name}", json.dumps({**whole, **double, "wrappedDEK": text}).encode()
    for name, member, value in (("type", "keyMaterialType", "PKMT2"), ("place", "internalStorage", False),
                                ("id", "masterKeyID", None)):
        yield f"other_{name}", json.dumps({**whole, member: value}).encode()
    for name, without in (("id", "masterKeyID"), ("key", "wrappedDEK")):
        yield f"without_{name}", json.dumps({member: whole[member] for member in whole if member != without}).encode()
    yield "none", b""
    yield "choices", bytes((1, 1, 2, 5)) + b"a key" + bytes((3,)) + b"url" + bytes((9, 1))


def tree_indexes():
    """Whose segments differ: OddHead of the target. A container with both digests, and one cut short. And two runs, of which the
    second has one name of four less."""
    for number in range(1, 9):
        yield f"odd_head_{number}", bytes((1, 3 * number))
    header = b"\5\0\1a" + bytes(8) + (72).to_bytes(8, "big") + bytes(72) + b"body".ljust(32) + b"header".ljust(32)
    yield "header", b"\1\1" + header
    yield "header_cut", b"\1\1" + header[:-1]
    yield "name_leaves", b"\0\1\4" + b"".join(b"\0" + bytes([name, 1]) + bytes(11) for name in b"abcd") + b"\1\0b\0"


def tree_records():
    """Records of two folders, as docs/backup.md tells of them: whole, cut, and with what is no record."""
    lines = (
        b"folder 42 1767323045.678901234 /data/me\nmount disk 2 1.000000002\nsub a\nsub disk\nfile a/one 3 5.000000006 7 8.000000009 1\n"
        b"file t%20wo 0 5.000000006 7 - 1\nmissing t%20wo 1\ntold t%20wo.phalanx\nfolder 43 - /data/you\nwish x\nfile b 1 -2.000000000 9 - 1\n"
    )
    more = b"folder 42 1767323045.678901234 /data/me\nrenew 44 - /data/new\nnosub a\nnomount disk\nuntold t%20wo.phalanx\ngone a/one\n"
    ended = [text + b"run %d %s\n" % (number, hashlib.sha256(text + b"%d" % number).hexdigest().encode()) for number, text in ((1, lines), (2, more))]
    record = b"phalanx tree 2\n" + ended[0]
    yield "whole", b"\0" + record
    yield "two_runs", b"\0" + record + ended[1]
    yield "cut", b"\0" + record + ended[1][:-9]
    yield "earlier", b"\0phalanx tree 1\nsource 0123456789abcdef 42\n"
    yield "no_record", b"\0notes on trees\n"
    yield "leads_out", b"\0" + record.replace(b"a/one", b"../one")
    yield "right", b"\1\0"
    yield "right_changed", b"\1" + bytes((1, 0, 30, 1, 65, 2))
    yield "right_cut", b"\1" + bytes((1, 0, 50, 0, 2))


def recognised_files():
    """The kept files of other programs, and the beginnings of more kinds."""
    for path in sorted((pathlib.Path(__file__).resolve().parents[2] / "vectors/recognition").iterdir()):
        yield path.name.replace(".", "_"), path.read_bytes()[:2048]
    noise = hashlib.shake_256(b"recognised").digest(200)
    yield "cms", b"\x30\x82\1\0\6\x09\x2a\x86\x48\x86\xf7\x0d\1\7\3\xa0\x81\xf0\x30\x81\xed\2\1\0\x31\x10\x30" + noise
    yield "pkcs8", b"\x30\x2e\2\1\0\x30\5\6\3\x2b\x65\x70\4\x22\4\x20" + noise[:32]
    yield "certificate", b"\x30\x50\x30\x4e\xa0\3\2\1\2\2\1\7" + noise[:70]
    yield "mail", b"MIME-Version: 1.0\r\nContent-Type: application/pkcs7-mime;\r\n smime-type=enveloped-data\r\n\r\nMIIB\r\n"
    yield "pem", b"Bag\n-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIB\n-----END RSA PRIVATE KEY-----\n"
    yield "openssh", b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU=\n-----END OPENSSH PRIVATE KEY-----\n"
    yield "seven_zip", b"7z\xbc\xaf\x27\x1c\0\4" + bytes(4) + (8).to_bytes(8, "little") + (9).to_bytes(8, "little") + bytes(12) + b"\1\4\6\xf1\7\1abcd"
    yield "rar_5", b"Rar!\x1a\7\1\0abcd\x08\2\1\4abcd\3\1\1a" + noise
    yield "rar_4", b"Rar!\x1a\7\0ab\x73\0\0\x0d\0abcdefab\x74\4\x80\x20\0" + noise
    yield "age", b"age-encryption.org/v1\n-> X25519 abc\nabc\n-> scrypt abc 18\nabc\n--- abc\n" + noise
    yield "vault", b"$ANSIBLE_VAULT;1.1;AES256\n3939\n"
    yield "fernet", b"gAAAAA" + b"Zm9v_-" * 20
    yield "jwe", b"eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.BBBB.CCCC"
    yield "jwe_json", b'{"protected":"e30","iv":"AA","ciphertext":"AA","tag":"AA"}'
    yield "utf_16", "U2FsdGVkX18xMjM0NTY3ODEyMzQ1Njc4".encode("utf-16")
    yield "base64", b"U2FsdGVkX18x MjM0NTY3\n ODEyMzQ1Njc4\n"
    yield "hex", b"53616c7465645f5f 3132333435363738 3132333435363738\n"
    yield "identity", b"# created: 2026\nAGE-SECRET-KEY-1QQQQ\n"
    yield "office", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")


CORPORA = {
    "cms": foreign_corpora.cms_messages,
    "luks": foreign_corpora.luks_volumes,
    "openpgp": foreign_corpora.openpgp_messages,
    "recognition": recognised_files,
    "container_header": lambda: (*container_headers(), *bound_headers(), *odd_headers()), "container_body": choices,
    "chunked": choices, "openssl_file": openssl_files, "base64": base64_texts, "bech32": age_keys,
    "key_file": key_files, "plan": plans, "results": results, "calibration": calibrations, "c_interface": choices,
    "batch": choices, "command_line": choices, "journal": journals, "resume_record": choices, "manifest": manifests,
    "plaintext_kind": plaintexts, "rank_messages": conversations, "plugin_dialogue": plugin_dialogues, "tree_record": tree_records,
    "tree_index": tree_indexes, "parquet_file": parquet_files, "parquet_pages": parquet_pages,
    "parquet_key_material": key_materials,
}


def main():
    for what, inputs in CORPORA.items():
        folder = pathlib.Path(sys.argv[1], what)
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in inputs():
            (folder / f"{what}_{name}").write_bytes(data)


if __name__ == "__main__":
    main()
