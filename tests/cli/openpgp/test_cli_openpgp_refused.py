"""raw decrypt --openpgp: what a wrong secret, a cut, a change and a lie end with, and that no OUT is there after it."""

import pytest
from conftest import CHUNK, random_bytes

pytest.importorskip("cryptography", reason="cryptography is not installed")

import openpgp_writer as pgp  # noqa: E402
from openpgp_messages import ROOT, UNAUTHENTICATED, WAYS, assert_one_line, assert_refused, decrypt, outcomes  # noqa: E402
from write_openpgp_by_hand import KEY, shown  # noqa: E402

WORDS = b"horse"
PLAIN = b"a text that nobody may change\n" * 6
BY_PASSPHRASE, BY_SESSION = ["--passphrase-file", "pass"], ["--session-key-file", "session"]
FRONT, LETTER = pgp.skesk_4(WORDS, session_key=KEY), pgp.literal(PLAIN)
MESSAGES = {
    "MDC": FRONT + pgp.seipd_1(KEY, LETTER),
    "tag 20": pgp.skesk_5(WORDS, KEY) + pgp.ocb_data(KEY, LETTER),
    "OCB": pgp.skesk_6(WORDS, KEY) + pgp.seipd_2(KEY, LETTER),
    "GCM": pgp.skesk_6(WORDS, KEY, mode=pgp.GCM) + pgp.seipd_2(KEY, LETTER, mode=pgp.GCM),
}
DERIVED = {"MDC, no session key": pgp.skesk_4(WORDS) + pgp.seipd_1(pgp.iterated().derive(WORDS, 32), LETTER)}
IS_FORMAT, IS_SECRET, IS_CUT, IS_POLICY = 2, 4, 5, 6


@pytest.fixture
def files(phalanx):
    phalanx.write("pass", WORDS + b"\n")
    phalanx.write("session", shown(KEY).encode() + b"\n")
    phalanx.write("wrong_pass", b"donkey\n")
    phalanx.write("wrong_session", shown(bytes(32)).encode() + b"\n")
    return phalanx


@pytest.mark.parametrize("kind", [*MESSAGES, *DERIVED])
def test_a_wrong_secret(files, kind):
    message = {**MESSAGES, **DERIVED}[kind]
    assert_refused(files, message, [IS_SECRET], "--passphrase-file", "wrong_pass")
    assert_refused(files, message, [IS_SECRET], "--session-key-file", "wrong_session")
    files.write("wrong_session", b"7:" + b"AB" * 16 + b"\n")
    assert_refused(files, message, [IS_FORMAT, IS_SECRET], "--session-key-file", "wrong_session")


def test_many_wrong_passphrases(files):
    """One in 256 of them gives the number of a cipher that is known, and none opens anything."""
    files.write("MESSAGE", FRONT + pgp.seipd_1(KEY, LETTER))
    for number in range(400):
        files.write("wrong_pass", f"donkey {number}\n".encode())
        done = decrypt(files, "--passphrase-file", "wrong_pass")
        assert done.returncode == IS_SECRET, (number, done.stderr)
        assert_one_line(files, done)
        assert "OUT" not in files.names()


def test_out_stays_as_it_was(files):
    files.write("OUT", b"before")
    for message in MESSAGES.values():
        files.write("MESSAGE", message[:-1] + bytes([message[-1] ^ 1]))
        done = decrypt(files, "--force", *BY_PASSPHRASE)
        assert done.returncode == IS_SECRET and files.read("OUT") == b"before", done.stderr
        files.write("MESSAGE", message)
        done = decrypt(files, "--force", "--passphrase-file", "wrong_pass")
        assert done.returncode == IS_SECRET and files.read("OUT") == b"before", done.stderr


SESSION_LINES = [
    b"", b"\n", b"9", b"9:", b":AB", b"9:ABC\n", b"9:" + b"G" * 64, b"AB" * 32, KEY, b"9:" + b"AB" * 31,
    b"9:" + b"AB" * 33, b"7:" + b"AB" * 32, b"99:" + b"AB" * 32, b"-1:" + b"AB" * 32,
]  # fmt: skip


@pytest.mark.parametrize("line", SESSION_LINES)
def test_a_session_key_that_is_none(files, line):
    files.write("session", line)
    for message in MESSAGES.values():
        assert_refused(files, message, [IS_FORMAT], *BY_SESSION, ways=WAYS[:2])


def test_a_message_for_public_keys_alone(files):
    message = pgp.pkesk_3() + pgp.pkesk_3(b"\xfe\xdc\xba\x98\x76\x54\x32\x10") + pgp.seipd_1(KEY, LETTER)
    words = ("0123456789abcdef", "fedcba9876543210", "--session-key-file", "--show-session-key")
    for options in (BY_PASSPHRASE, []):
        assert_refused(files, message, [IS_FORMAT], *options, words=words)
        assert_refused(files, pgp.armored(message), [IS_FORMAT], *options, words=words)


def test_a_message_without_a_check(files):
    for make in (pgp.packet, pgp.in_pieces, pgp.old_packet):
        message = FRONT + pgp.sed(KEY, pgp.literal(PLAIN * 10), make=lambda tag, *parts, make=make: make(tag, b"".join(parts)))
        for options in (BY_PASSPHRASE, BY_SESSION):
            assert_refused(files, message, [IS_POLICY], *options, words=[UNAUTHENTICATED])
        for secret in (["--passphrase-file", "wrong_pass"], ["--session-key-file", "wrong_session"]):
            for done, given in outcomes(files, message, *secret, UNAUTHENTICATED):
                assert done.returncode == IS_SECRET and not given, done.stderr


def test_the_leave_for_old_packets_is_for_no_others(files):
    for kind, message in MESSAGES.items():
        assert_refused(files, message[:-1] + bytes([message[-1] ^ 1]), [IS_SECRET], *BY_PASSPHRASE, UNAUTHENTICATED, may_pipe=kind != "MDC")


OTHERS = [
    ["--cipher", "aes-256-cbc"], ["--iv", "00" * 16], ["--openssl"], ["--cms"], ["--luks"], ["--range", "0:1"], ["-a"], ["--md", "sha256"], ["--pbkdf2"],
    ["--key-file", "key"], ["--private-key-file", "key"], ["--nonce", "00" * 12], ["--session-key-file", "session"], ["--passphrase-file", "pass"],
]  # fmt: skip


@pytest.mark.parametrize("others", OTHERS, ids=lambda others: others[0])
def test_options_that_it_does_not_take(files, others):
    files.write("key", KEY)
    files.write("MESSAGE", MESSAGES["MDC"])
    files.assert_refused(decrypt(files, *BY_PASSPHRASE, *others), IS_FORMAT)
    assert "OUT" not in files.names()


def test_what_it_is_an_option_of(files):
    files.write("MESSAGE", MESSAGES["MDC"])
    files.assert_refused(files.run("raw", "decrypt", "--openpgp", *BY_PASSPHRASE, "--in-place", "MESSAGE"), IS_FORMAT)
    files.assert_refused(files.run("raw", "encrypt", "--openpgp", *BY_PASSPHRASE, "MESSAGE", "OUT"), IS_FORMAT)
    files.assert_refused(files.run("raw", "decrypt", "--session-key-file", "session", "MESSAGE", "OUT"), IS_FORMAT, "--openpgp")
    bare = ["--cipher", "aes-256-cbc", "--iv", "00" * 16, "--key-file", "session"]
    files.assert_refused(files.run("raw", "decrypt", *bare, UNAUTHENTICATED, "MESSAGE", "OUT"), IS_FORMAT, "--openpgp")
    assert files.read("MESSAGE") == MESSAGES["MDC"] and "OUT" not in files.names()


def test_what_is_no_encrypted_message(files):
    assert_refused(files, b"", [IS_CUT], *BY_PASSPHRASE, words=["empty"])
    for content in (b"plain text\n" * 10, random_bytes(1000), bytes(1000), b"\xff" * 1000, LETTER, pgp.compressed(LETTER), b"Salted__" + bytes(32)):
        assert_refused(files, content, [IS_FORMAT, IS_CUT], *BY_PASSPHRASE)
    kept = ROOT / "tests/vectors/recognition"
    for name in ("signed.gpg", "signed_zlib.gpg", "stored.gpg", "public_keys.gpg", "secret_key.asc", "detached.sig", "clear_signed.asc"):
        assert_refused(files, (kept / name).read_bytes(), [IS_FORMAT], *BY_PASSPHRASE)


@pytest.mark.parametrize("kind", MESSAGES)
@pytest.mark.parametrize("make", [pgp.packet, pgp.in_pieces], ids=["one piece", "pieces"])
def test_cut_anywhere(files, kind, make):
    """A file and a pipe tell the same. Of chunks that were verified a pipe has what is right."""
    inner = LETTER if make is pgp.packet else pgp.literal(PLAIN * 4)
    content = PLAIN if make is pgp.packet else PLAIN * 4
    front, data = {
        "MDC": (FRONT, pgp.seipd_1(KEY, inner, make=make)),
        "tag 20": (pgp.skesk_5(WORDS, KEY), pgp.ocb_data(KEY, inner, make=make)),
        "OCB": (pgp.skesk_6(WORDS, KEY), pgp.seipd_2(KEY, inner, make=make)),
        "GCM": (pgp.skesk_6(WORDS, KEY, mode=pgp.GCM), pgp.seipd_2(KEY, inner, mode=pgp.GCM, make=make)),
    }[kind]
    message = front + data
    for size in range(1, len(message), 1 if make is pgp.packet else 9):
        codes = set()
        for done, given in outcomes(files, message[:size], *BY_PASSPHRASE):
            assert done.returncode in ([IS_SECRET, IS_CUT] if size > len(front) + 3 else [IS_FORMAT, IS_SECRET, IS_CUT]), (size, done)
            assert_one_line(files, done)
            assert content.startswith(given) and (not given or kind != "MDC"), (size, given)
            codes.add(done.returncode)
        assert len(codes) == 1 and "OUT" not in files.names(), (size, codes)


@pytest.mark.parametrize("kind", MESSAGES)
def test_armour_that_is_cut(files, kind):
    message = pgp.armored(MESSAGES[kind])
    for size in range(1, len(message) - 2, 3):
        for done, given in outcomes(files, message[:size], *BY_PASSPHRASE):
            if done.returncode == 0:  # nothing but the text behind the last of the base64 is missing
                assert given == PLAIN and message.index(b"\n=") <= size
                continue
            assert done.returncode in (IS_FORMAT, IS_SECRET, IS_CUT), (size, done)
            assert_one_line(files, done)
            assert PLAIN.startswith(given) and "OUT" not in files.names(), size


@pytest.mark.parametrize("kind", MESSAGES)
def test_each_byte_changed(files, kind):
    """Whatever is changed behind the header of the data is damage that shows, and elsewhere nothing else is opened."""
    message = MESSAGES[kind]
    header = 2 + message[1]  # behind the packet of the session key
    protected = header + 4 + (0 if kind == "MDC" else 3)  # tag, two bytes of length and the version; then cipher, mode and chunk
    for at in range(len(message)):
        for flip in (1, 0x80):
            damaged = message[:at] + bytes([message[at] ^ flip]) + message[at + 1 :]
            for done, given in outcomes(files, damaged, *BY_PASSPHRASE, ways=WAYS[:1] if at % 4 else WAYS[:2]):
                if done.returncode == 0:
                    assert given == PLAIN and at < header, at
                    continue
                assert done.returncode in ([IS_SECRET] if at >= protected else [IS_FORMAT, IS_SECRET, IS_CUT, IS_POLICY]), (at, done)
                assert_one_line(files, done)
                assert PLAIN.startswith(given) and (kind != "MDC" or not given) and "OUT" not in files.names(), at


def test_chunks_go_to_a_pipe_as_each_is_verified(files):
    """What is damaged gives what is whole of it, and the code tells that it is not all. A cut file may be told beforehand."""
    plain = random_bytes(3 * CHUNK)
    for message in (
        pgp.skesk_5(WORDS, KEY) + pgp.ocb_data(KEY, pgp.literal(plain), chunk=10),
        pgp.skesk_6(WORDS, KEY, mode=pgp.GCM) + pgp.seipd_2(KEY, pgp.literal(plain), mode=pgp.GCM, chunk=10),
    ):
        for damaged in (message[: 2 * CHUNK], message[: 2 * CHUNK] + bytes([message[2 * CHUNK] ^ 1]) + message[2 * CHUNK + 1 :], message[:-16], message[:-1]):
            assert_refused(files, damaged, [IS_SECRET, IS_CUT], *BY_PASSPHRASE, ways=[("MESSAGE", "OUT"), ("-", "OUT")])
            for done, given in outcomes(files, damaged, *BY_PASSPHRASE, ways=[("-", "-"), ("MESSAGE", "-")]):
                assert done.returncode in (IS_SECRET, IS_CUT), done
                is_told = "MESSAGE" in done.args and len(damaged) < len(message) and given == b""
                assert plain.startswith(given) and (len(given) >= CHUNK or is_told)


def test_nothing_goes_to_a_pipe_before_the_mdc_was_checked(files):
    plain = random_bytes(3 * CHUNK)
    message = FRONT + pgp.seipd_1(KEY, pgp.literal(plain))
    for at in (200, CHUNK, 2 * CHUNK + 99, len(message) - 1):
        assert_refused(files, message[:at] + bytes([message[at] ^ 1]) + message[at + 1 :], [IS_SECRET], *BY_PASSPHRASE)


def drop(index):
    return lambda chunks: chunks[:index] + chunks[index + 1 :]


CHANGES = {
    "the first chunk is gone": drop(0), "a chunk is gone": drop(1), "the last chunk is gone": drop(-2), "the last tag is gone": drop(-1),
    "chunks are swapped": lambda chunks: [chunks[1], chunks[0], *chunks[2:]], "a chunk is there twice": lambda chunks: [chunks[0], *chunks],
    "nothing but the last tag": lambda chunks: chunks[-1:], "nothing": lambda chunks: [], "two last tags": lambda chunks: [*chunks, chunks[-1]],
    "more behind the last tag": lambda chunks: [*chunks, b"more"], "a tag is short": lambda chunks: [*chunks[:-1], chunks[-1][:15]],
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_chunks_that_are_changed(files, what):
    for message in (
        pgp.skesk_5(WORDS, KEY) + pgp.ocb_data(KEY, LETTER, change=CHANGES[what]),
        pgp.skesk_6(WORDS, KEY) + pgp.seipd_2(KEY, LETTER, change=CHANGES[what]),
        pgp.skesk_6(WORDS, KEY, mode=pgp.GCM) + pgp.seipd_2(KEY, LETTER, mode=pgp.GCM, change=CHANGES[what]),
    ):
        for done, given in outcomes(files, message, *BY_PASSPHRASE):
            assert done.returncode in (IS_SECRET, IS_CUT), done
            assert_one_line(files, done)
            assert PLAIN.startswith(given) and "OUT" not in files.names()


def wrong_mdcs():
    """What stands in place of the packet of the MDC: {what: (plain, prefix) -> sealed}."""
    right = pgp.with_mdc
    return {
        "no MDC": lambda plain, prefix: plain,
        "another digest": lambda plain, prefix: right(plain, prefix)[:-20] + bytes(20),
        "a cut MDC": lambda plain, prefix: right(plain, prefix)[:-1],
        "another header": lambda plain, prefix: right(plain, prefix)[:-22] + b"\xd3\x15" + right(plain, prefix)[-20:],
        "another tag": lambda plain, prefix: right(plain, prefix)[:-22] + b"\xcb\x14" + right(plain, prefix)[-20:],
        "another prefix": lambda plain, prefix: right(plain, bytes(18)),
        "more behind the MDC": lambda plain, prefix: right(plain, prefix) + b"more",
        "an MDC before the content": lambda plain, prefix: right(b"", prefix) + plain,
        "the content changed": lambda plain, prefix: right(plain, prefix).replace(b"nobody", b"anyone"),
        "nothing": lambda plain, prefix: b"",
    }


@pytest.mark.parametrize("what", wrong_mdcs())
def test_a_wrong_mdc(files, what):
    for plain in (LETTER, pgp.literal(PLAIN * 20, make=pgp.in_pieces), pgp.compressed(LETTER)):
        if what == "the content changed" and b"nobody" not in plain:
            continue
        assert_refused(files, FRONT + pgp.seipd_1(KEY, plain, seal=wrong_mdcs()[what]), [IS_SECRET, IS_CUT] if what == "nothing" else [IS_SECRET], *BY_PASSPHRASE)


@pytest.mark.parametrize("size", range(42))
def test_data_that_are_too_short(files, size):
    for body in (b"\1" + bytes(size), (b"\2\x09\2\0" + bytes(80))[: 2 * size]):
        assert_refused(files, FRONT + pgp.packet(pgp.SEIPD, body), [IS_FORMAT, IS_SECRET, IS_CUT], *BY_PASSPHRASE, ways=WAYS[:2])
    assert_refused(files, FRONT + pgp.packet(pgp.OCB_DATA, (b"\1\x09\2\0" + bytes(80))[:size]), [IS_FORMAT, IS_SECRET, IS_CUT], *BY_PASSPHRASE, ways=WAYS[:2])
