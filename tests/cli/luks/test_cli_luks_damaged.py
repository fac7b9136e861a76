"""raw decrypt --luks and inspect on headers that are damaged, cut, hostile or of what is not read: one line, and nothing is lost."""

import copy
import json
import random

import pytest
from conftest import random_bytes
from luks_images import AREA_OFFSET, DATA_OFFSET, HEADER_BYTES, MIB, WrittenVolume, header_copy, luks1_image, write_passphrase

PLAIN = random_bytes(MIB // 2, seed=31)
LUKS = ["raw", "decrypt", "--luks", "--key-file", "pass"]


@pytest.fixture(scope="module")
def written():
    return WrittenVolume()


@pytest.fixture(scope="module")
def image(written):
    return written.image(PLAIN)


@pytest.fixture
def files(phalanx):
    write_passphrase(phalanx.folder)
    write_passphrase(phalanx.folder, "wrong", b"incorrect horse")
    return phalanx


def with_bytes(image, offset, replaced):
    return image[:offset] + replaced + image[offset + len(replaced) :]


def changed(written, change):
    """An image whose metadata were changed, with checksums that are right."""
    metadata = copy.deepcopy(written.metadata)
    change(metadata)
    return written.image(PLAIN, (header_copy(metadata, 0), header_copy(metadata, HEADER_BYTES)))


def test_a_wrong_passphrase(files, image):
    files.write("IN", image)
    files.assert_refused(files.run("raw", "decrypt", "--luks", "--key-file", "wrong", "IN", "OUT"), 4, "opens no key slot of IN", "one was tried")
    assert "OUT" not in files.names()


def test_a_damaged_slot_is_as_a_wrong_passphrase(files, image):
    """Each stripe counts."""
    for place in (0, 100_000, 255_999):
        files.write("IN", with_bytes(image, AREA_OFFSET + place, bytes([image[AREA_OFFSET + place] ^ 1])))
        files.assert_refused(files.run(*LUKS, "IN", "OUT"), 4, "opens no key slot")


@pytest.mark.parametrize("place", [0, 8, 100, 448, 5000, HEADER_BYTES - 1])
def test_one_damaged_header_of_two(files, image, place):
    """The other one is read, and that is said."""
    for begin, words in [(0, b"the second header is read"), (HEADER_BYTES, b"the first header is read, and the second is damaged")]:
        files.write("IN", with_bytes(image, begin + place, bytes([image[begin + place] ^ 0x20])))
        done = files.run(*LUKS, "IN", check=0)
        assert done.stdout == PLAIN and words in done.stderr
        assert files.run(*LUKS, "-q", "IN", check=0).stderr == b""
        assert words in files.run("inspect", "IN", check=0).stdout


def test_both_headers_damaged(files, image):
    files.write("IN", with_bytes(with_bytes(image, 5000, b"~"), HEADER_BYTES + 5000, b"~"))
    files.assert_refused(files.run(*LUKS, "IN", "OUT"), 2, "both headers of IN are damaged", "checksum does not match", "backup")
    assert b"problem" in files.run("inspect", "IN", check=0).stdout


def test_the_newer_header_counts(files, written):
    """A write of the first may have been the last that came to the disk, or that of the second."""
    other = copy.deepcopy(written.metadata)
    other["segments"]["0"]["iv_tweak"] = "77"
    for sequences, is_right in [((5, 4), True), ((4, 5), False), ((4, 4), True)]:
        files.write("IN", written.image(PLAIN, (header_copy(written.metadata, 0, sequences[0]), header_copy(other, HEADER_BYTES, sequences[1]))))
        assert (files.run(*LUKS, "IN", check=0).stdout == PLAIN) == is_right


def test_larger_headers(files, written):
    """The second header stands behind the first, however long that is. It is found without it, too."""
    written = WrittenVolume()
    size = 128 << 10
    written.metadata["keyslots"]["0"]["area"]["offset"] = str(2 * size)
    headers = header_copy(written.metadata, 0, size=size), header_copy(written.metadata, size, size=size)
    image = written.image(PLAIN, headers)
    files.write("IN", image)
    assert files.run(*LUKS, "IN", check=0).stdout == PLAIN
    files.write("IN", bytes(4096) + image[4096:])
    assert files.run(*LUKS, "-q", "IN", check=0).stdout == PLAIN


@pytest.mark.parametrize("size", [0, 5, 6, 8, 591, 4095, 4096, 16384, 20000, 32767])
def test_cut_within_the_headers(files, image, size):
    files.write("IN", image[:size])
    done = files.run(*LUKS, "IN", "OUT")
    files.assert_refused(done, 2 if size < 8 else 5, "IN")
    assert "OUT" not in files.names()


@pytest.mark.parametrize("size", [HEADER_BYTES * 2, AREA_OFFSET + 1000, DATA_OFFSET])
def test_cut_before_the_data(files, image, size):
    files.write("IN", image[:size])
    files.assert_refused(files.run(*LUKS, "IN", "OUT"), 5, "IN has no data", "behind 1048576")


def number_of(name):
    def change(metadata, value):
        slot = metadata["keyslots"]["0"]
        part, member = name.split(".")
        (slot if part == "slot" else slot[part] if part in slot else metadata[part]["0"])[member] = value

    return change


HOSTILE = [  # a member, its value, the exit code, words
    ("kdf.iterations", 2**32 - 1, 6, "4294967295 iterations of PBKDF2"), ("kdf.iterations", 0, 2, "no iterations"),
    ("kdf.iterations", -5, 2, "JSON"), ("kdf.iterations", 2**32, 2, ""), ("kdf.iterations", "1000", 2, ""),
    ("kdf.hash", "sha999", 2, "sha999"), ("kdf.hash", "shake256", 2, ""), ("kdf.type", "argon2x", 2, "'argon2x'"),
    ("kdf.salt", "%", 2, ""), ("slot.key_size", 0, 2, "0 bytes"), ("slot.key_size", 2**31, 2, "2147483648 bytes"),
    ("slot.key_size", 33, 2, ""), ("slot.type", "reencrypt", 2, "'reencrypt'"), ("af.stripes", 0, 2, "0 stripes"),
    ("af.stripes", 2**32 - 1, 2, "4294967295 stripes"), ("af.stripes", 4100, 2, "its area has"), ("af.hash", "none", 2, ""),
    ("area.offset", str(2**64 - 1), 5, "cut short"), ("area.offset", str(2**64), 2, ""), ("area.offset", "-1", 2, ""),
    ("area.offset", str(2 * MIB), 5, "cut short"), ("area.size", "0", 2, "its area has 0"), ("area.encryption", "camellia-xts-plain64", 2, "camellia"),
    ("area.key_size", 2**32 - 1, 2, "4294967295"), ("area.type", "checksum", 2, "'checksum'"),
    ("digests.digest", "", 2, "0 bytes"), ("digests.iterations", 2**31, 6, "2147483648"), ("digests.hash", "x", 2, ""),
    ("digests.keyslots", [], 4, "0 were tried"), ("digests.segments", ["1"], 4, "0 were tried"), ("digests.keyslots", ["a"], 2, "'a' is no number"),
    ("segments.offset", str(2**64 - 512), 5, "no data"), ("segments.sector_size", 0, 2, "sectors of 0"), ("segments.sector_size", 8192, 2, "8192"),
    ("segments.sector_size", 768, 2, "768"), ("segments.size", str(2**63), 5, "segment 0 has"), ("segments.size", "700", 2, "within a sector"),
    ("segments.encryption", "aes-cbc-lmk:sha256", 2, "aes-cbc-lmk:sha256"), ("segments.encryption", "kuznyechik-xts-plain64", 2, "kuznyechik"),
    ("segments.encryption", "aes-xts-essiv:sha256", 2, "essiv"), ("segments.encryption", "aes-cbc-essiv:sha512", 2, "sha512"),
    ("segments.encryption", "capi:authenc(hmac(sha256),xts(aes))-random", 2, "capi"), ("segments.encryption", "cipher_null-ecb", 2, "cipher_null"),
    ("segments.encryption", "aes", 2, "aes"), ("segments.type", "linear", 2, "'linear'"), ("segments.type", "hw-opal", 2, "'hw-opal'"),
    ("segments.iv_tweak", "x", 2, ""), ("segments.flags", ["in-reencryption"], 2, "half encrypted"),
    ("segments.integrity", {"type": "hmac(sha256)", "journal_encryption": "none"}, 2, "integrity tags (hmac(sha256))"),
]  # fmt: skip


@pytest.mark.parametrize("name, value, exit_code, words", HOSTILE)
def test_numbers_and_names_that_do_not_fit(files, written, name, value, exit_code, words):
    files.write("IN", changed(written, lambda metadata: number_of(name)(metadata, value)))
    files.assert_refused(files.run(*LUKS, "IN", "OUT"), exit_code, words)
    assert "OUT" not in files.names()
    assert json.loads(files.run("inspect", "--json", "IN", check=0).stdout)["kind"] == "luks"


ARGON2 = [
    ({"time": 4, "memory": 5 << 20, "cpus": 4}, 6, "5242880 KiB of memory, and at most 4194304"),
    ({"time": 2**32 - 1, "memory": 1 << 20, "cpus": 4}, 6, "KiB in all passes"), ({"time": 1, "memory": 1 << 20, "cpus": 65}, 6, "65 lanes"),
    ({"time": 1, "memory": 7, "cpus": 1}, 2, "no such cost"), ({"time": 0, "memory": 64, "cpus": 1}, 2, "no such cost"),
    ({"time": 1, "memory": 64, "cpus": 0}, 2, "no such cost"), ({"time": 1, "memory": 64}, 2, "'cpus'"),
]  # fmt: skip


@pytest.mark.parametrize("cost, exit_code, words", ARGON2)
def test_what_argon2_may_cost(files, written, cost, exit_code, words):
    def change(metadata):
        metadata["keyslots"]["0"]["kdf"] = {"type": "argon2id", "salt": "c2FsdHNhbHQ=", **cost}

    files.write("IN", changed(written, change))
    files.assert_refused(files.run(*LUKS, "IN", "OUT"), exit_code, "key slot 0 cannot be tried", words)


def test_another_slot_opens_where_one_cannot_be_tried(files, written):
    def change(metadata):
        slot = metadata["keyslots"]["0"]
        for number, other in [("1", {**slot, "type": "future"}), ("2", {**slot, "kdf": {**slot["kdf"], "iterations": 2**32 - 1}}), ("3", slot)]:
            metadata["keyslots"][number] = other
        metadata["keyslots"]["0"] = metadata["keyslots"]["2"]
        metadata["digests"]["0"]["keyslots"] = ["0", "1", "2", "3"]

    files.write("IN", changed(written, change))
    assert files.run(*LUKS, "IN", check=0).stdout == PLAIN
    files.assert_refused(files.run(*LUKS, "--key-slot", 2, "IN"), 6, "key slot 2 cannot be tried")
    files.assert_refused(files.run("raw", "decrypt", "--luks", "--key-file", "wrong", "IN"), 6, "key slot 0 cannot be tried")
    text = files.run("inspect", "IN", check=0).stdout.decode()
    assert "1: its kind 'future' is not known here" in text and "3: PBKDF2 with sha256, 1000 iterations" in text


def segments_of(metadata, *parts):
    first = metadata["segments"]["0"]
    metadata["segments"] = {str(i): {**first, **part} for i, part in enumerate(parts)}
    metadata["digests"]["0"]["segments"] = list(metadata["segments"])


def test_several_segments(files, written):
    """They follow one another, wherever they lie in the file, each with ivs of its own."""
    parts = [{"offset": str(DATA_OFFSET + 4096), "size": "8192", "iv_tweak": "8"}, {"size": "4096"}, {"offset": str(DATA_OFFSET + 12288), "iv_tweak": "24"}]
    files.write("IN", changed(written, lambda metadata: segments_of(metadata, *parts)))
    wanted = PLAIN[4096:12288] + PLAIN[:4096] + PLAIN[12288:]
    assert files.run(*LUKS, "IN", check=0).stdout == wanted
    for offset, length in [(8000, 500), (0, 12289), (12287, 2), (4095, 8194)]:
        assert files.run(*LUKS, "--range", f"{offset}:{length}", "IN", check=0).stdout == wanted[offset : offset + length]


@pytest.mark.parametrize("parts, words", [([{}, {"size": "512"}], "has no end"), ([{"size": "512"}, {"sector_size": 4096}], "within a sector of another"), ([{"size": "512"}, {"type": "linear"}], "'linear'")])
def test_segments_that_do_not_follow(files, written, parts, words):
    files.write("IN", changed(written, lambda metadata: segments_of(metadata, *parts)))
    files.assert_refused(files.run(*LUKS, "IN", "OUT"), 2, words)


def test_a_volume_without_segments(files, written):
    files.write("IN", changed(written, lambda metadata: metadata["segments"].clear()))
    files.assert_refused(files.run(*LUKS, "IN", "OUT"), 2, "has no segment")


def test_requirements_that_are_not_known(files, written):
    files.write("IN", changed(written, lambda metadata: metadata["config"].update(requirements={"mandatory": ["inline-hw-tags"]})))
    files.assert_refused(files.run(*LUKS, "IN", "OUT"), 2, "requires 'inline-hw-tags'")


BROKEN_JSON = ["", "{", "[]", "null", '{"keyslots":', "\x80", '{"a":' * 40 + "1" + "}" * 40, "[" * 5000, '{"keyslots":{},"digests":{},"segments":{}}', '{"keyslots":[],"digests":{},"segments":{},"config":{}}',
               '{"keyslots":{"0":1},"digests":{},"segments":{},"config":{}}', '{"keyslots":{"-1":{}},"digests":{},"segments":{},"config":{}}']  # fmt: skip


@pytest.mark.parametrize("text", BROKEN_JSON, ids=range(len(BROKEN_JSON)))
def test_json_that_is_none(files, written, text):
    files.write("IN", written.image(PLAIN, (header_copy(text, 0), header_copy(text, HEADER_BYTES))))
    files.assert_refused(files.run(*LUKS, "IN", "OUT"), 2, "the header of IN is damaged")
    assert b"problem" in files.run("inspect", "IN", check=0).stdout


def test_too_many_slots(files, written):
    def change(metadata):
        metadata["keyslots"] = {str(i): metadata["keyslots"]["0"] for i in range(33)}

    files.write("IN", changed(written, change))
    files.assert_refused(files.run(*LUKS, "IN", "OUT"), 2, "33 of")


def test_names_cannot_write_to_the_terminal(files, written):
    def change(metadata):
        metadata["segments"]["0"]["encryption"] = "\x1b[31maes-xts-plain64"

    files.write("IN", changed(written, change))
    for arguments in (["inspect", "IN"], ["inspect", "--json", "IN"], [*LUKS, "IN"]):
        done = files.run(*arguments)
        assert b"\x1b" not in done.stdout + done.stderr and b"?[31maes" in done.stdout + done.stderr


def test_chance_changes_of_the_metadata(files, written):
    """Whatever stands there, the end is an exit code of the list, and one line where it fails."""
    text = json.dumps(written.metadata)
    chance = random.Random(9)
    for _ in range(80):
        position = chance.randrange(len(text))
        broken = text[:position] + chance.choice(["", '"', "{", "}", "9", "-", "\\", "99999999", "null", " "]) + text[position + chance.randrange(3) :]
        files.write("IN", written.image(b"x" * 512, (header_copy(broken, 0), header_copy(broken, HEADER_BYTES))))
        done = files.run(*LUKS, "-q", "IN")
        assert done.returncode in (0, 2, 4, 5, 6) and len(done.stderr.splitlines()) == (done.returncode != 0), (broken, done)


LUKS1 = [  # offset of a field, its bytes, the exit code, words
    (6, b"\0\3", 2, "no volume of LUKS 1 or 2"), (8, b"camellia\0", 2, "camellia-xts-plain64"), (40, b"lrw-benbi\0", 2, "serpent-lrw-benbi"),
    (72, b"sha7\0", 2, "sha7"), (104, b"\xff" * 4, 5, "no data"), (108, bytes(4), 2, "0 bytes"), (108, b"\xff" * 4, 2, "4294967295 bytes"),
    (108, b"\0\0\0\x28", 2, "40 bytes"), (164, b"\xff" * 4, 6, "4294967295 iterations"), (164, bytes(4), 2, "no iterations"),
    (208, b"\1\2\3\4", 2, "neither enabled nor disabled"), (208, b"\0\0\xde\xad", 2, "no key slot"), (212, b"\xff" * 4, 6, "4294967295 iterations"),
    (248, b"\xff" * 4, 5, "cut short"), (252, b"\xff" * 4, 2, "4294967295 stripes"), (252, bytes(4), 2, "0 stripes"), (132, b"x", 4, "opens no key slot"),
]  # fmt: skip


def test_fields_of_luks1_that_do_not_fit(files):
    image = luks1_image(PLAIN)
    files.write("IN", image)
    assert files.run(*LUKS, "IN", check=0).stdout == PLAIN
    for offset, field, exit_code, words in LUKS1:
        files.write("IN", with_bytes(image, offset, field))
        files.assert_refused(files.run(*LUKS, "IN", "OUT"), exit_code, words)
        assert "OUT" not in files.names()
    for size in (7, 591, 592, 100_000):
        files.write("IN", image[:size])
        assert files.run(*LUKS, "IN", "OUT").returncode == (2 if size == 7 else 5)
