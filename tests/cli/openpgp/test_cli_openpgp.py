"""raw decrypt --openpgp: the kept messages of GnuPG, Sequoia and RFC 9580, and those that the gpg of this machine makes in the run."""

import os

import pytest
from conftest import CHUNK, random_bytes, run_on_terminal, without_sanitizer

pytest.importorskip("cryptography", reason="cryptography is not installed")

import openpgp_writer as pgp  # noqa: E402
from openpgp_messages import (  # noqa: E402, F401
    ALL_KEPT, KEPT, UNAUTHENTICATED, WAYS, assert_one_line, assert_opens, by_secret, decrypt, gpg, outcomes,
)  # fmt: skip
from write_openpgp_by_hand import KEY, shown  # noqa: E402
from write_openpgp_files import CIPHERS, PASSPHRASE  # noqa: E402

WORDS = PASSPHRASE.encode()
BY_PASSPHRASE, BY_SESSION = ["--passphrase-file", "pass"], ["--session-key-file", "session"]
CONTENTS = {"empty": b"", "one byte": b"x", "a line": b"one line\n", "zeros": bytes(5000), "noise": random_bytes(70_000), "text": b"words in a row, and again\r\n" * 4000}


@pytest.fixture
def files(phalanx):
    phalanx.write("pass", WORDS + b"\n")
    phalanx.write("session", shown(KEY).encode() + b"\n")
    return phalanx


@pytest.mark.parametrize("kept", ALL_KEPT)
def test_kept_messages(phalanx, kept):
    is_huge = "2 GiB" in kept.command
    for options in by_secret(phalanx, kept):
        if is_huge and "--passphrase-file" in options:
            continue  # which has a test of its own
        for done, given in outcomes(phalanx, kept.message, *options, *kept.options):
            if kept.optional and done.returncode != 0:
                assert done.returncode == 2 and kept.optional.lower() in done.stderr.decode().lower(), done.stderr
                assert not given
                continue
            assert done.returncode == 0, (options, done.stderr)
            assert kept.is_plain(given), options
            assert ("warning" in done.stderr.decode().lower()) == (kept.protection == "none"), done.stderr
            assert done.stderr == b"" or b"signed" in done.stderr or kept.protection == "none", done.stderr


@without_sanitizer
def test_argon2_with_2_gib(phalanx):
    """The costs that RFC 9580, appendix A.12, has in its samples."""
    if os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < 4 << 30:
        pytest.skip("less than 4 GiB of memory are free")
    kept = next(kept for kept in KEPT["rfc9580.txt"] if "A.12.3" in kept.command)
    phalanx.write("pass", kept.passphrase.encode() + b"\n")
    phalanx.write("MESSAGE", kept.message)
    decrypt(phalanx, *BY_PASSPHRASE, check=0)
    assert kept.is_plain(phalanx.read("OUT"))


def test_each_program_has_its_messages():
    """So that a file which is lost, or read as none, is missed."""
    counts = {name: len(kept) for name, kept in KEPT.items()}
    assert counts == {"gnupg_1.4.23.txt": 23, "gnupg_2.2.40.txt": 53, "gnupg_2.4.7.txt": 83, "rfc9580.txt": 7, "sequoia.txt": 15, "written_here.txt": 89}
    for name in ("gnupg_1.4.23.txt", "gnupg_2.2.40.txt", "gnupg_2.4.7.txt"):
        assert all(any(f"--cipher-algo {cipher} " in kept.command for kept in KEPT[name]) for cipher in CIPHERS)


def split_sample(kept):
    """The packets of a sample of RFC 9580, A.9 to A.11, whose bodies are short."""
    message = kept.message
    first = 2 + message[1]
    return message[2:first], message[first + 2 :]


@pytest.mark.parametrize("kept", KEPT["rfc9580.txt"][1:4], ids=lambda kept: kept.command)
def test_the_writer_makes_the_samples(kept):
    """openpgp_writer.py, from the salts, the nonces and the session key of the sample, but for the bytes of its padding packet."""
    front, data = split_sample(kept)
    cipher, mode = front[2], front[3]
    nonce_bytes = pgp.NONCE_BYTES[mode]
    s2k = pgp.iterated(front[6], front[7:15], front[15])
    key = bytes.fromhex(kept.session_key.partition(":")[2])
    assert pgp.skesk_6(b"password", key, s2k, cipher, mode, front[16 : 16 + nonce_bytes])[2:] == front
    if mode == pgp.EAX:
        return  # the keystream does not depend on what follows, and the other modes are opened by the package below
    head = bytes([0xC0 | pgp.SEIPD, *data[:4]])
    derived = pgp.hkdf(key, head, 16 + nonce_bytes - 8, data[4:36])
    opener = {pgp.OCB: pgp.AESOCB3, pgp.GCM: pgp.AESGCM}[mode](derived[:16])
    plain = opener.decrypt(derived[16:] + bytes(8), data[36:-16], head)
    assert plain.startswith(pgp.literal(b"Hello, world!"))
    assert pgp.seipd_2(key, plain, cipher, mode, data[3], salt=data[4:36])[2:] == data


def test_the_session_key_in_each_form(files):
    message = pgp.pkesk_3() + pgp.seipd_1(KEY, pgp.literal(b"plain"))
    line = shown(KEY).encode()
    for content in (
        line, line + b"\n", line + b"\r\n", line.lower() + b"\n", b"gpg: session key: '" + line + b"'\n", b"gpg: session key: `" + line + b"'\n",
        line.replace(b":", b".2:"), b"gpg: session key: '" + line.replace(b":", b".2:") + b"'\n",  # as GnuPG 2.4 shows that of OCB
    ):  # fmt: skip
        files.write("session", content)
        assert_opens(files, message, b"plain", *BY_SESSION)
        with open(files.folder / "session", "rb") as opened:
            os.set_inheritable(opened.fileno(), True)
            decrypt(files, "-f", "--session-key-fd", opened.fileno(), pass_fds=[opened.fileno()], check=0)
        assert files.read("OUT") == b"plain"
        files.folder.joinpath("OUT").unlink()


def test_the_passphrase_in_each_form(files):
    message = pgp.skesk_4(WORDS, session_key=KEY) + pgp.seipd_1(KEY, pgp.literal(b"plain"))
    for content in (WORDS, WORDS + b"\n", WORDS + b"\nmore\n"):
        files.write("pass", content)
        assert_opens(files, message, b"plain", *BY_PASSPHRASE)
        with open(files.folder / "pass", "rb") as opened:
            os.set_inheritable(opened.fileno(), True)
            decrypt(files, "-f", "--passphrase-fd", opened.fileno(), pass_fds=[opened.fileno()], check=0)
        assert files.read("OUT") == b"plain"
        files.folder.joinpath("OUT").unlink()
    code, shown_there = run_on_terminal(["raw", "decrypt", "--openpgp", "MESSAGE", "OUT"], files.folder, [WORDS + b"\n"])
    assert code == 0 and files.read("OUT") == b"plain", shown_there


def test_out_is_replaced_only_under_force(files):
    files.write("MESSAGE", pgp.skesk_4(WORDS, session_key=KEY) + pgp.seipd_1(KEY, pgp.literal(b"plain")))
    files.write("OUT", b"before")
    files.assert_refused(decrypt(files, *BY_PASSPHRASE), 2, "OUT")
    assert files.read("OUT") == b"before"
    decrypt(files, *BY_PASSPHRASE, "--force", check=0)
    assert files.read("OUT") == b"plain"


def test_the_message_begins_behind_what_is_skipped(files):
    message = pgp.skesk_4(WORDS, session_key=KEY) + pgp.seipd_1(KEY, pgp.literal(b"plain"))
    for content in (message, pgp.armored(message)):
        assert_opens(files, b"\xff" * 4096 + content, b"plain", *BY_PASSPHRASE, "--skip", "4k")


SIZES = [0, 1, 7, 8, 9, 15, 16, 17, 500, 511, 512, 513, 8191, 8192, 8193, 65_535, 65_536, 65_537, CHUNK - 30, CHUNK - 8, CHUNK, CHUNK + 1, 2 * CHUNK + 5]


@pytest.mark.parametrize("size", SIZES)
def test_each_packet_at_each_length(files, size):
    """In one piece and in pieces, with chunks of 64 bytes to 4 MiB."""
    plain = random_bytes(size, seed=size + 1)
    for make in (pgp.packet, pgp.in_pieces):
        inner = pgp.literal(plain, make=make)
        chunk = 0 if size < 20_000 else 10
        for message in (
            pgp.skesk_4(WORDS, session_key=KEY) + pgp.seipd_1(KEY, inner, make=make),
            pgp.skesk_5(WORDS, KEY) + pgp.ocb_data(KEY, inner, chunk=chunk, make=make),
            pgp.skesk_6(WORDS, KEY, mode=pgp.GCM) + pgp.seipd_2(KEY, inner, mode=pgp.GCM, chunk=chunk, make=make),
            pgp.skesk_6(WORDS, KEY) + pgp.seipd_2(KEY, inner, chunk=16, make=make),
        ):
            assert_opens(files, message, plain, *BY_PASSPHRASE, ways=WAYS[:2])


@pytest.mark.parametrize("make", [pgp.packet, lambda tag, *parts: pgp.in_pieces(tag, b"".join(parts), 16)], ids=["one piece", "pieces"])
@pytest.mark.parametrize("is_armored", [False, True])
def test_large_messages(files, make, is_armored):
    plain = random_bytes(5 * CHUNK + 77)
    inner = pgp.literal(plain, make=make)
    for message in (
        pgp.skesk_4(WORDS, session_key=KEY) + pgp.seipd_1(KEY, inner, make=make),
        pgp.skesk_5(WORDS, KEY) + pgp.ocb_data(KEY, inner, chunk=16, make=make),
        pgp.skesk_6(WORDS, KEY, mode=pgp.GCM) + pgp.seipd_2(KEY, inner, mode=pgp.GCM, chunk=12, make=make),
    ):
        assert_opens(files, pgp.armored(message, has_crc=False) if is_armored else message, plain, *BY_PASSPHRASE)


def test_a_message_without_a_check_is_opened_with_a_warning(files):
    for make in (pgp.packet, pgp.in_pieces):
        message = pgp.skesk_4(WORDS, session_key=KEY) + pgp.sed(KEY, pgp.literal(b"plain" * 300), make=make)
        for options in (BY_PASSPHRASE, BY_SESSION):
            for done, given in outcomes(files, message, *options, UNAUTHENTICATED, ways=WAYS):
                assert done.returncode == 0 and given == b"plain" * 300
                assert_one_line(files, done)
                assert b"warning" in done.stderr.lower()


FORMS = {
    "a file": [], "armour": ["-a"], "no compression": ["--compress-algo", "none"], "bzip2": ["--compress-algo", "bzip2"],
    "zlib": ["-a", "--compress-algo", "zlib"], "text": ["--textmode"], "a name": ["--set-filename", "ä" * 100],
}  # fmt: skip


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("form", FORMS)
def test_messages_of_this_gpg(files, gpg, form, content):  # noqa: F811
    """Of a file and of a pipe; what is opened is what gpg makes of it."""
    files.write("PLAIN", CONTENTS[content])
    for source, stdin in ((files.folder / "PLAIN", b""), ("-", CONTENTS[content])):
        message = gpg.run("-c", "--s2k-count", "1024", *FORMS[form], "-o", "-", source, stdin=stdin)
        theirs = gpg.run("-q", "-d", stdin=message)
        assert form == "text" or theirs == CONTENTS[content]
        assert_opens(files, message, theirs, *BY_PASSPHRASE, ways=WAYS[:2])


@pytest.mark.parametrize("cipher", [cipher for cipher in CIPHERS if cipher != "IDEA"])  # which newer ones write on demand alone
def test_each_cipher_of_this_gpg(files, gpg, cipher):  # noqa: F811
    plain = random_bytes(3 * CHUNK + 5)
    message = gpg.run("-c", "--s2k-count", "1024", "--cipher-algo", cipher, "--compress-algo", "none", "-o", "-", stdin=plain)
    assert_opens(files, message, plain, *BY_PASSPHRASE)


def test_a_large_message_of_this_gpg(files, gpg):  # noqa: F811
    plain = random_bytes(6 * CHUNK) + b"and text that is compressed\n" * 100_000
    for form in ([], ["-a"]):
        assert_opens(files, gpg.run("-c", "--s2k-count", "1024", *form, "-o", "-", stdin=plain), plain, *BY_PASSPHRASE)


LINES = [b"a\r\nb", b"a\rb", b"\r", b"\r\n", b"\r\r\n\r", b"a\r\n" * 30_000, (b"x" * 65_535 + b"\r\n") * 3, b"end\r", b"\n\r\n\r", b"a \t\r\n"]


@pytest.mark.parametrize("mode", [b"b", b"t", b"u", b"m", b"l", b"1"])
def test_lines_end_as_gpg_has_them(files, gpg, mode):  # noqa: F811
    for content in LINES:
        for make in (pgp.packet, pgp.in_pieces):
            message = pgp.skesk_4(WORDS, session_key=KEY) + pgp.seipd_1(KEY, pgp.literal(content, mode, make=make))
            theirs = gpg.run("-q", "-d", stdin=message)
            assert theirs == (content.replace(b"\r", b"") if mode in (b"t", b"u") else content)
            assert_opens(files, message, theirs, *BY_PASSPHRASE, ways=WAYS[:2])


def test_gpg_opens_what_the_writer_makes(gpg):  # noqa: F811
    """So that the writer's CFB, MDC and ways of deriving a key are not those of the program alone."""
    for s2k in (pgp.simple(), pgp.salted(pgp.SHA1), pgp.iterated(10, count=0x21)):
        for message in (
            pgp.skesk_4(WORDS, s2k, session_key=KEY) + pgp.seipd_1(KEY, pgp.literal(b"plain")),
            pgp.skesk_4(WORDS, s2k) + pgp.seipd_1(s2k.derive(WORDS, 32), pgp.compressed(pgp.literal(b"plain"), pgp.ZLIB), make=pgp.in_pieces),
        ):
            assert gpg.run("-q", "-d", stdin=pgp.armored(message)) == b"plain"
