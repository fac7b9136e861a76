"""raw decrypt --openpgp: messages that lie about their structure, ask for too much, or change while they are read."""

import bz2
import os
import resource
import subprocess
import zlib

import pytest
from conftest import CHUNK, random_bytes, without_sanitizer

pytest.importorskip("cryptography", reason="cryptography is not installed")

import openpgp_writer as pgp  # noqa: E402
from openpgp_messages import WAYS, assert_one_line, assert_opens, assert_refused, decrypt, outcomes  # noqa: E402
from write_openpgp_by_hand import KEY, shown  # noqa: E402

WORDS = b"horse"
PLAIN = b"a text that nobody may change\n" * 6
BY_PASSPHRASE, BY_SESSION = ["--passphrase-file", "pass"], ["--session-key-file", "session"]
FRONT, LETTER = pgp.skesk_4(WORDS, session_key=KEY), pgp.literal(PLAIN)
DATA = pgp.seipd_1(KEY, LETTER)
FRONT_6 = pgp.skesk_6(WORDS, KEY)
IS_FORMAT, IS_SECRET, IS_CUT, IS_POLICY = 2, 4, 5, 6
MOST_MEMORY_BYTES = 256 << 20


@pytest.fixture
def files(phalanx):
    phalanx.write("pass", WORDS + b"\n")
    phalanx.write("session", shown(KEY).encode() + b"\n")
    return phalanx


def skesk_4_of(cipher, s2k):
    return pgp.packet(pgp.SKESK, bytes([4, cipher]) + s2k)


def unread():
    """Numbers that stand for nothing: {what: (message, what the line names)}."""
    way = pgp.iterated().written
    skesk_6_of = lambda cipher, mode, s2k: pgp.packet(pgp.SKESK, bytes([6, 3 + len(s2k) + 15, cipher, mode, len(s2k)]) + s2k + bytes(15 + 48))  # noqa: E731
    skesk_5_of = lambda cipher, mode, s2k: pgp.packet(pgp.SKESK, bytes([5, cipher, mode]) + s2k + bytes(15 + 48))  # noqa: E731
    v2 = pgp.seipd_2(KEY, LETTER)
    tag_20 = pgp.ocb_data(KEY, LETTER)
    return {
        "a cipher of a passphrase": (skesk_4_of(99, way) + DATA, "99"),
        "a cipher 0": (skesk_4_of(0, way) + DATA, "0"),
        "a digest": (skesk_4_of(9, b"\3\x63saltsalt\0") + DATA, "99"),
        "a way of deriving keys": (skesk_4_of(9, b"\x63\x08saltsalt") + DATA, "99"),
        "the reserved way of deriving keys": (skesk_4_of(9, b"\2\x08saltsalt") + DATA, "2"),
        "a cipher of SKESK 5": (skesk_5_of(99, 2, way) + tag_20, "99"),
        "a mode of SKESK 5": (skesk_5_of(9, 99, way) + tag_20, "99"),
        "a cipher of SKESK 6": (skesk_6_of(99, 2, way) + v2, "99"),
        "a mode of SKESK 6": (skesk_6_of(9, 99, way) + v2, "99"),
        "a cipher of SEIPD 2": (FRONT_6 + v2.replace(b"\2\x09\2\0", b"\2\x63\2\0"), "99"),
        "a mode of SEIPD 2": (FRONT_6 + v2.replace(b"\2\x09\2\0", b"\2\x09\x63\0"), "99"),
        "a version of SEIPD": (FRONT_6 + v2.replace(b"\2\x09\2\0", b"\x63\x09\2\0"), "99"),
        "a cipher of tag 20": (FRONT + tag_20.replace(b"\1\x09\2\0", b"\1\x63\2\0"), "99"),
        "a mode of tag 20": (FRONT + tag_20.replace(b"\1\x09\2\0", b"\1\x09\x63\0"), "99"),
        "a version of tag 20": (FRONT + tag_20.replace(b"\1\x09\2\0", b"\x63\x09\2\0"), "99"),
        "a compression": (FRONT + pgp.seipd_1(KEY, pgp.packet(pgp.COMPRESSED, b"\x63" + LETTER)), "99"),
    }


@pytest.mark.parametrize("what", unread())
def test_numbers_that_are_not_read_are_named(files, what):
    message, number = unread()[what]
    assert_refused(files, message, [IS_FORMAT], *BY_PASSPHRASE, words=[number])


@pytest.mark.parametrize("chunk", [17, 22, 56, 57, 58, 63, 64, 255])
def test_chunks_that_are_too_large(files, chunk):
    """RFC 9580, section 5.13.2, ends at 16, and GnuPG at 21."""
    for message in (
        FRONT_6 + pgp.seipd_2(KEY, LETTER).replace(b"\2\x09\2\0", bytes([2, 9, 2, chunk])),
        FRONT + pgp.ocb_data(KEY, LETTER).replace(b"\1\x09\2\0", bytes([1, 9, 2, chunk])),
    ):
        assert_refused(files, message, [IS_FORMAT, IS_SECRET, IS_POLICY], *BY_PASSPHRASE)


def structures():
    """What is no message though each of its checks is right: {what: message}."""
    sealed = lambda plain: FRONT + pgp.seipd_1(KEY, plain)  # noqa: E731
    return {
        "a session key in pieces": pgp.partial_packet(pgp.SKESK, (FRONT + bytes(600))[2:], [9]) + DATA,
        "tag 0": pgp.packet(0, b"reserved") + FRONT + DATA,
        "tag 0 under an old header": b"\x80\x01x" + FRONT + DATA,
        "a critical tag of no meaning": pgp.packet(30, b"unknown") + FRONT + DATA,
        "no session key, and no passphrase": DATA,
        "a session key behind the data": DATA + FRONT,
        "a session key of a wrong version": pgp.packet(pgp.SKESK, b"\x63") + DATA,
        "an empty session key": pgp.packet(pgp.SKESK) + DATA,
        "a literal between": FRONT + LETTER + DATA,
        "nothing within": sealed(b""),
        "text within": sealed(b"plain text\n"),
        "a message within, encrypted again": sealed(FRONT + DATA),
        "a key within": sealed(pgp.packet(pgp.SECRET_KEY, bytes(50))),
        "two literals": sealed(LETTER + LETTER),
        "garbage behind the literal": sealed(LETTER + b"garbage"),
        "a literal behind compressed data": sealed(pgp.compressed(LETTER) + LETTER),
        "a literal longer than the data": sealed(pgp.packet(pgp.LITERAL, LETTER[2:])[:1] + b"\xff\xff\xff\xff\xff" + LETTER[2:]),
        "a literal shorter than its name": sealed(pgp.packet(pgp.LITERAL, b"b\xffname")),
        "an empty literal packet": sealed(pgp.packet(pgp.LITERAL)),
        "a literal without a date": sealed(pgp.packet(pgp.LITERAL, b"b\0\0\0\0")),
        "a literal that is cut": sealed(LETTER[:-1]),
        "pieces of a literal without an end": sealed(pgp.in_pieces(pgp.LITERAL, (b"b\0" + bytes(4) + PLAIN * 9)[: 3 * 512])[: 1 + 513 + 513]),
        "an empty compressed packet": sealed(pgp.packet(pgp.COMPRESSED)),
        "no ZIP": sealed(pgp.packet(pgp.COMPRESSED, b"\1" + b"\xff" * 100)),
        "no ZLIB": sealed(pgp.packet(pgp.COMPRESSED, b"\2" + b"\xff" * 100)),
        "no BZIP2": sealed(pgp.packet(pgp.COMPRESSED, b"\3" + b"BZh9" + b"\xff" * 100)),
        "BZIP2 that is damaged": sealed(pgp.packet(pgp.COMPRESSED, b"\3" + bz2.compress(LETTER)[:-8] + bytes(8))),
        "ZLIB that is damaged": sealed(pgp.packet(pgp.COMPRESSED, b"\2" + zlib.compress(LETTER)[:-4] + bytes(4))),
        "nothing that is compressed": sealed(pgp.compressed(b"")),
        "a hundred levels of compression": sealed(nested(100)),
    }


def nested(levels):
    plain = LETTER
    for _ in range(levels):
        plain = pgp.compressed(plain, pgp.STORED)
    return plain


@pytest.mark.parametrize("what", structures())
def test_structures_that_are_wrong(files, what):
    assert_refused(files, structures()[what], [IS_FORMAT, IS_POLICY] if "levels" in what else [IS_FORMAT], *BY_PASSPHRASE, may_pipe=True, ways=WAYS[:2])


@pytest.mark.parametrize("algorithm", [pgp.ZIP, pgp.ZLIB, pgp.BZIP2])
def test_compressed_data_that_are_cut(files, algorithm):
    whole = bytes([algorithm]) + pgp.COMPRESSORS[algorithm](pgp.literal(random_bytes(3000)))
    for size in range(1, len(whole) - 4, 97):
        for seal, front in ((pgp.seipd_1, FRONT), (pgp.seipd_2, FRONT_6)):
            message = front + seal(KEY, pgp.packet(pgp.COMPRESSED, whole[:size]))
            assert_refused(files, message, [IS_FORMAT, IS_CUT], *BY_PASSPHRASE, may_pipe=True, ways=WAYS[:2])


def test_two_levels_of_compression_are_read_or_refused(files):
    for done, given in outcomes(files, FRONT + pgp.seipd_1(KEY, pgp.compressed(pgp.compressed(LETTER), pgp.ZLIB)), *BY_PASSPHRASE):
        assert (done.returncode, given) in ((0, PLAIN), (IS_FORMAT, b"")), done


@pytest.mark.parametrize("sizes", [[8, 9], [0, 0], [7], [8] * 9])
def test_a_first_piece_that_is_short(files, sizes):
    """RFC 9580, section 4.2.1.4, forbids it, and GnuPG reads it. Either will do, and nothing else."""
    body = pgp.seipd_1(KEY, pgp.literal(PLAIN * 20))[3:]
    for done, given in outcomes(files, FRONT + pgp.partial_packet(pgp.SEIPD, body, sizes), *BY_PASSPHRASE):
        assert (done.returncode, given) in ((0, PLAIN * 20), (IS_FORMAT, b"")), done


def test_a_session_key_alone(files):
    assert_refused(files, FRONT, [IS_FORMAT, IS_CUT], *BY_PASSPHRASE)


def test_lengths_of_pieces_that_never_end(files):
    """The data go on in pieces until the end of the file, where a last length is missing."""
    body = pgp.seipd_1(KEY, pgp.literal(PLAIN * 30))[3:][: 4 * 512]
    data = pgp.partial_packet(pgp.SEIPD, body, [9] * 4, last=b"")
    assert_refused(files, FRONT + data, [IS_SECRET, IS_CUT], *BY_PASSPHRASE)
    assert_refused(files, FRONT + data + b"\xfe" + bytes(100), [IS_SECRET, IS_CUT], *BY_PASSPHRASE)
    assert_refused(files, FRONT + data + b"\xff\xff\xff\xff\xff" + bytes(100), [IS_SECRET, IS_CUT], *BY_PASSPHRASE)
    inner = pgp.partial_packet(pgp.LITERAL, (b"b\0" + bytes(4) + PLAIN * 30)[:2048], [9] * 4, last=b"")
    assert_refused(files, FRONT + pgp.seipd_1(KEY, inner), [IS_FORMAT, IS_CUT], *BY_PASSPHRASE, may_pipe=True)


def test_a_million_pieces_of_a_byte(files):
    """They are allowed behind the first, and OUT is right or not there."""
    plain = random_bytes(300_000)
    sealed = pgp.seipd_1(KEY, pgp.literal(plain))[6:]
    message = FRONT + pgp.partial_packet(pgp.SEIPD, sealed, [9] + [0] * 200_000)
    assert_opens(files, message, plain, *BY_PASSPHRASE, ways=WAYS[:2])


def test_what_stands_behind_the_message(files):
    """It is refused, or no part of the message; it never gets into OUT."""
    for message in (FRONT + DATA, FRONT_6 + pgp.seipd_2(KEY, LETTER)):
        for more in (b"garbage", b"\0", b"\n", bytes(600), FRONT + DATA, LETTER, pgp.packet(63, b"private"), pgp.packet(pgp.PADDING, bytes(9))):
            for done, given in outcomes(files, message + more, *BY_PASSPHRASE):
                assert done.returncode in (0, IS_FORMAT), (more[:9], done)
                assert given == PLAIN if done.returncode == 0 else PLAIN.startswith(given)
                assert done.returncode == 0 or "OUT" not in files.names()


ARGON2 = {
    "8 GiB": (1, 1, 23), "2 TiB": (1, 1, 31), "2^255": (1, 1, 255), "255 passes over 2 GiB": (255, 1, 21),
    "no passes": (0, 1, 10), "no lanes": (1, 0, 10), "less memory than lanes": (1, 255, 3),
}  # fmt: skip


@pytest.mark.parametrize("what", ARGON2)
@pytest.mark.parametrize("version", [4, 6])
def test_argon2_that_asks_for_too_much(files, what, version):
    written = b"\4" + b"salt" * 4 + bytes(ARGON2[what])
    if version == 4:
        message = skesk_4_of(9, written) + DATA
    else:
        fields = bytes([9, 2, len(written)]) + written + bytes(15)
        message = pgp.packet(pgp.SKESK, bytes([6, len(fields)]) + fields + bytes(48)) + pgp.seipd_2(KEY, LETTER)
    assert_refused(files, message, [IS_FORMAT, IS_POLICY], *BY_PASSPHRASE, ways=WAYS[:2])


@pytest.mark.parametrize("count", [0, 0xFF], ids=["1024 bytes each", "65011712 bytes each"])
@pytest.mark.parametrize("num_packets", [2000, 60_000])
def test_thousands_of_session_keys(files, num_packets, count):
    """Nobody is kept waiting for ever, and a line says why."""
    many = b"".join(skesk_4_of(9, pgp.iterated(salt=number.to_bytes(8, "big"), count=count).written + bytes(33)) for number in range(num_packets))
    assert_refused(files, many + DATA, [IS_FORMAT, IS_SECRET, IS_POLICY], *BY_PASSPHRASE, ways=WAYS[:1])
    others = pgp.pkesk_3() * num_packets
    files.write("MESSAGE", others + DATA)
    done = decrypt(files, *BY_SESSION)
    assert done.returncode in (0, IS_FORMAT, IS_POLICY), done
    assert done.returncode != 0 or files.read("OUT") == PLAIN


def huge_packets():
    long = b"\xff\xff\xff\xff\xf0"
    return {
        "a session key of 4 GiB": bytes([0xC0 | pgp.SKESK]) + long + FRONT[2:] + DATA,
        "a recipient of 4 GiB": bytes([0xC0 | pgp.PKESK]) + long + FRONT + DATA,
        "a marker of 4 GiB": bytes([0xC0 | pgp.MARKER]) + long + FRONT + DATA,
        "data of 4 GiB": FRONT + bytes([0xC0 | pgp.SEIPD]) + long + DATA[3:],
        "a session key of a megabyte": pgp.packet(pgp.SKESK, FRONT[2:] + bytes(1 << 20)) + DATA,
    }


def run_in_memory(files, message, *options):
    """The exit code, and the most memory that the program took."""
    files.write("MESSAGE", message)
    command = [files.program, "raw", "decrypt", "--openpgp", "--threads", "1", *BY_PASSPHRASE, *options, "MESSAGE", "-"]
    process = subprocess.Popen(command, cwd=files.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    process.stderr.close()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, said, used.ru_maxrss << 10


@without_sanitizer
@pytest.mark.parametrize("what", huge_packets())
def test_huge_packets_take_no_memory(files, what):
    code, said, used_bytes = run_in_memory(files, huge_packets()[what])
    assert code in (IS_FORMAT, IS_SECRET, IS_CUT, IS_POLICY) and len(said.splitlines()) == 1, said
    assert used_bytes < MOST_MEMORY_BYTES
    assert "OUT" not in files.names()


@without_sanitizer
@pytest.mark.parametrize("algorithm", [pgp.ZIP, pgp.ZLIB, pgp.BZIP2])
@pytest.mark.parametrize("protection", ["MDC", "OCB"])
def test_a_bomb_takes_no_memory(files, algorithm, protection):
    """Half a gigabyte of zeros in some hundred kilobytes, and the same of no packet at all."""
    zeros = bytes(64 << 20)
    for begin in (b"\xcb\xff\x20\0\0\6b\0" + bytes(4), b"\xb4\xff\xff\xff\xff"):
        many = many_times(algorithm, begin, zeros, 8)
        plain = pgp.packet(pgp.COMPRESSED, bytes([algorithm]) + many)
        message = FRONT + pgp.seipd_1(KEY, plain) if protection == "MDC" else FRONT_6 + pgp.seipd_2(KEY, plain, chunk=10)
        code, said, used_bytes = run_in_memory(files, message)
        assert code == 0 if begin[0] == 0xCB else code in (IS_FORMAT, IS_CUT, IS_POLICY), said
        assert used_bytes < MOST_MEMORY_BYTES


def many_times(algorithm, begin, piece, count):
    window = {pgp.ZIP: -15, pgp.ZLIB: 15}
    compressor = bz2.BZ2Compressor(9) if algorithm == pgp.BZIP2 else zlib.compressobj(9, zlib.DEFLATED, window[algorithm])
    return compressor.compress(begin) + b"".join(compressor.compress(piece) for _ in range(count)) + compressor.flush()


ARMOUR = {
    "no base64": b"-----BEGIN PGP MESSAGE-----\n\n-----END PGP MESSAGE-----\n",
    "no empty line": pgp.armored(FRONT + DATA).replace(b"\n\n", b"\n", 1),
    "a letter that is none": pgp.armored(FRONT + DATA, has_crc=False).replace(b"\n-----END", b"*\n-----END"),
    "long headers": b"-----BEGIN PGP MESSAGE-----\n" + b"Comment: a\n" * 300_000 + b"\n" + pgp.armored(FRONT + DATA).split(b"\n\n", 1)[1],
    "a long line": b"-----BEGIN PGP MESSAGE-----\n" + b"Comment: " + b"a" * 5_000_000,
    "a key's label": pgp.armored(FRONT + DATA, label=b"PGP PUBLIC KEY BLOCK"),
    "a signed text": b"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\ntext\n-----BEGIN PGP SIGNATURE-----\n\nAAAA\n-----END PGP SIGNATURE-----\n",
    "armour in armour": pgp.armored(pgp.armored(FRONT + DATA)),
}  # fmt: skip


@pytest.mark.parametrize("what", ARMOUR)
def test_armour_that_is_wrong(files, what):
    """It is read as it is meant, or refused."""
    for done, given in outcomes(files, ARMOUR[what], *BY_PASSPHRASE):
        if done.returncode == 0:
            assert given == PLAIN and what in ("no empty line", "a letter that is none", "long headers", "a key's label")
            continue
        assert done.returncode in (IS_FORMAT, IS_SECRET, IS_CUT), done
        assert_one_line(files, done)
        assert not given and "OUT" not in files.names()


@pytest.mark.parametrize("seal", ["MDC", "OCB"])
def test_a_message_that_changes_meanwhile(files, faults, seal):
    """It is refused, or was read before it changed, and no OUT has anything else."""
    plain, codes = random_bytes(2 * CHUNK), set()
    inner = pgp.literal(plain)
    message = FRONT + pgp.seipd_1(KEY, inner) if seal == "MDC" else FRONT_6 + pgp.seipd_2(KEY, inner, chunk=10)
    change = f"""python3 -S -c 'import os; f = os.open("MESSAGE", 2); os.pwrite(f, bytes([{message[CHUNK] ^ 1}]), {CHUNK})'"""
    for number in (*range(1, 24, 2), 31, 41, 61, 101):
        files.write("MESSAGE", message)
        done = decrypt(files, "--threads", "1", *BY_PASSPHRASE, env=faults(f"pread:MESSAGE@{number}=run", actor=change))
        codes.add(done.returncode)
        assert done.returncode in (0, 1, IS_SECRET), done
        if done.returncode == 0:
            assert files.read("OUT") == plain
            files.folder.joinpath("OUT").unlink()
        assert "OUT" not in files.names()
    assert 0 in codes and len(codes) > 1, codes


def test_limits_of_files_do_not_leave_a_part(files):
    """A full disk, as a limit of the size of files has it."""
    files.write("MESSAGE", FRONT + pgp.seipd_1(KEY, pgp.literal(random_bytes(CHUNK))))
    done = decrypt(files, *BY_PASSPHRASE, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (CHUNK // 2, CHUNK // 2)))
    assert done.returncode != 0 and "OUT" not in files.names(), done
