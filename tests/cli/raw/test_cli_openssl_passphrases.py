"""Passphrase files that `openssl enc` reads otherwise than the first line: a CR before the LF, a zero byte, 1024 bytes and more."""

import json
import os

import pytest
from conftest import openssl, random_bytes, unknown_format

PLAIN = unknown_format(3000)
TEXT = b"Dear reader,\nthese are words, and they are the beginning of a text.\n" * 40
FILES = {  # its content, and what -pass file: takes of it
    "CR": (b"open sesame\r\n", b"open sesame\r"),
    "CR and more": (b"open sesame\r\nsecond line\n", b"open sesame\r"),
    "two CRs": (b"open sesame\r\r\n", b"open sesame\r\r"),
    "zero byte": (b"open\0 sesame\n", b"open"),
    "zero byte, CR": (b"open\0 sesame\r\n", b"open"),
    "long": (b"long" * 260 + b"\n", b"long" * 255 + b"lon"),
}
LINES = {"CR": b"open sesame", "CR and more": b"open sesame", "two CRs": b"open sesame\r", "long": b"long" * 260}
READ_AS = {"zero byte": "up to its zero byte", "zero byte, CR": "up to its zero byte", "long": "as its first 1023 bytes"}
CBC = "--cipher aes-256-cbc --pbkdf2 --iter 10".split()
THEIR_CBC = "-aes-256-cbc -pbkdf2 -iter 10".split()
RAW = ["raw", "decrypt", "--openssl", *CBC, "--passphrase-file", "pass"]


def enc(files, *options, stdin):
    return openssl("enc", *options, stdin=stdin, cwd=files.folder)


@pytest.fixture(params=FILES)
def files(request, phalanx):
    content, phalanx.taken = FILES[request.param]
    phalanx.how = READ_AS.get(request.param, "with its CR")
    phalanx.line = LINES.get(request.param)
    phalanx.write("pass", content)
    phalanx.write("taken", phalanx.taken)
    return phalanx


def test_what_openssl_sealed_is_opened(files):
    sealed = enc(files, *THEIR_CBC, "-pass", "file:pass", stdin=PLAIN)
    assert sealed[:8] == b"Salted__"
    files.write("IN", sealed)
    done = files.run(*RAW, "IN", check=0)
    assert done.stdout == PLAIN
    assert f"the search took the passphrase {files.how}, as openssl -pass reads it" in done.stderr.decode()
    assert files.run(*RAW, "-q", "IN", check=0).stderr == b""
    done = files.run(*RAW, stdin=sealed, check=0)  # which cannot be gone back in: openssl's reading is taken
    assert done.stdout == PLAIN and b"as openssl -pass reads it" in done.stderr


def test_openssl_opens_what_is_sealed(files):
    done = files.run("raw", "encrypt", "--openssl", *CBC, "--passphrase-file", "pass", stdin=PLAIN, check=0)
    assert b"the passphrase is taken" in done.stderr and b"as openssl -pass reads it" in done.stderr
    for file in ("pass", "taken"):
        assert enc(files, "-d", *THEIR_CBC, "-pass", f"file:{file}", stdin=done.stdout) == PLAIN


def test_by_descriptor(files):
    for direction in ("encrypt", "decrypt"):
        with (files.folder / "pass").open("rb") as file:
            number = file.fileno()
            arguments = ["raw", direction, "--openssl", *CBC, "--passphrase-fd", number]
            if direction == "encrypt":
                sealed = files.run(*arguments, stdin=PLAIN, pass_fds=[number], check=0).stdout
                assert enc(files, "-d", *THEIR_CBC, "-pass", "file:pass", stdin=sealed) == PLAIN
            else:
                files.write("IN", sealed)
                assert files.run(*arguments, "IN", pass_fds=[number], check=0).stdout == PLAIN


@pytest.mark.parametrize("options, theirs", [
    (["--from-openssl", "--from-cipher", "des3"], ["-des3"]),
    (["--from-auto", "--from-cipher", "des3,aes-256-cbc"], ["-aes-256-cbc", "-md", "md5", "-a"]),
    (["--from-openssl", "--from-md", "auto", "--from-cipher", "aes-256-ctr"], ["-aes-256-ctr", "-md", "sha1"]),
])  # fmt: skip
def test_migrate(files, options, theirs):
    files.write("key", random_bytes(32))
    files.write("IN", enc(files, *theirs, "-pass", "file:pass", stdin=TEXT))
    done = files.run("migrate", *options, "--from-passphrase-file", "pass", "--key-file", "key", "IN", "BOX", check=0)
    assert b"as openssl -pass reads it" in done.stderr
    assert files.run("decrypt", "--key-file", "key", "BOX", check=0).stdout == TEXT


def test_migrate_from_a_pipe(files):
    """It cannot be gone back in: openssl's reading is taken, and a word tells of the other."""
    files.write("key", random_bytes(32))
    sealed = enc(files, *THEIR_CBC, "-pass", "file:pass", stdin=TEXT)
    options = "--from-openssl --from-cipher aes-256-cbc --from-pbkdf2 --from-iter 10 --from-passphrase-file pass --key-file key"
    done = files.run("migrate", *options.split(), "-", "BOX", stdin=sealed, check=0)
    assert b"is taken" in done.stderr and b"as openssl -pass reads it" in done.stderr
    assert files.run("decrypt", "--key-file", "key", "BOX", check=0).stdout == TEXT


def test_migrate_a_tree(files):
    files.write("key", random_bytes(32))
    (files.folder / "old").mkdir()
    files.write("old/theirs", enc(files, *THEIR_CBC, "-pass", "file:pass", stdin=TEXT))
    if files.line is not None and len(files.line) < 1024:
        files.write("line", files.line)
        files.write("old/ours", enc(files, *THEIR_CBC, "-pass", "file:line", stdin=TEXT))
    options = "--from-openssl --from-cipher aes-256-cbc --from-pbkdf2 --from-iter 10 --from-passphrase-file pass --key-file key"
    files.run("migrate", "--manifest", "M", "--from-tree", "old", "--to-tree", "new", *options.split(), check=0)
    for name in os.listdir(files.folder / "old"):
        assert files.run("decrypt", "--key-file", "key", f"new/{name}.phalanx", check=0).stdout == TEXT
    records = [json.loads(line) for line in files.read("M").splitlines()]
    found = " ".join(str(record.get("found", "")) for record in records)
    assert "as openssl -pass reads it" in found


@pytest.mark.parametrize("name", ["CR", "CR and more", "two CRs"])
def test_what_is_under_the_line_alone_is_opened_too(phalanx, name):
    """By earlier versions of this program, which took the CR off, and by -kfile, which does."""
    phalanx.write("pass", FILES[name][0])
    phalanx.write("line", LINES[name])
    theirs = ["-kfile", "pass"] if name == "CR" else ["-pass", "file:line"]
    phalanx.write("IN", enc(phalanx, *THEIR_CBC, *theirs, stdin=PLAIN))
    done = phalanx.run(*RAW, "IN", check=0)
    assert done.stdout == PLAIN and b"took the passphrase as the line without its end" in done.stderr
    phalanx.write("CTR", enc(phalanx, "-aes-256-ctr", "-pbkdf2", "-pass", "file:line", stdin=TEXT))
    done = phalanx.run(*"raw decrypt --openssl --cipher aes-256-ctr --pbkdf2 --passphrase-file pass CTR".split(), check=0)
    assert done.stdout == TEXT and b"as the line without its end" in done.stderr


@pytest.mark.parametrize("line", [b"0123456789abcdef" * 8 + b"\n", b"x" * 127 + b"\n", b"x" * 126 + b"\r\r\n", b"y" * 1500 + b"\n", b"two\r\r\n", b"one\r"])
def test_what_kfile_takes_is_opened_too(phalanx, line):
    """127 bytes of a line: `openssl rand -hex 64` makes one of 128."""
    phalanx.write("pass", line)
    phalanx.write("key", random_bytes(32))
    sealed = enc(phalanx, *THEIR_CBC, "-kfile", "pass", stdin=PLAIN)
    phalanx.write("IN", sealed)
    done = phalanx.run(*RAW, "IN", check=0)
    assert done.stdout == PLAIN
    is_own_reading = len(line.rstrip(b"\n")) > 127 or b"\r\r" in line or line.endswith(b"\r")
    taken = line.rstrip(b"\n")[:127].rstrip(b"\r")
    words = f"took the passphrase as its first {len(taken)} bytes, as openssl -kfile reads it"
    assert (words in done.stderr.decode()) == is_own_reading
    migrate = "migrate --from-openssl --from-cipher aes-256-cbc --from-pbkdf2 --from-iter 10 --from-passphrase-file pass"
    done = phalanx.run(*migrate.split(), "--key-file", "key", "IN", "BOX", check=0)
    assert (b"as openssl -kfile reads it" in done.stderr) == is_own_reading
    assert phalanx.run("decrypt", "--key-file", "key", "BOX", check=0).stdout == PLAIN


def test_where_nothing_tells_the_readings_apart(phalanx):
    """In CTR a plaintext of no known kind: openssl's reading, and a word about it."""
    phalanx.write("pass", b"open sesame\r\n")
    phalanx.write("IN", enc(phalanx, "-aes-256-ctr", "-pbkdf2", "-pass", "file:pass", stdin=PLAIN))
    done = phalanx.run(*"raw decrypt --openssl --cipher aes-256-ctr --pbkdf2 --passphrase-file pass IN".split(), check=0)
    assert done.stdout == PLAIN and b"is taken with its CR" in done.stderr


def test_neither_reading_opens_it(phalanx):
    phalanx.write("pass", b"open sesame\r\n")
    phalanx.write("other", b"another\n")  # without a salt: the padding that a wrong key gives is no chance
    phalanx.write("IN", enc(phalanx, *THEIR_CBC, "-nosalt", "-pass", "file:other", stdin=PLAIN))
    done = phalanx.run(*RAW, "--no-salt", "IN", "OUT")
    assert done.returncode == 4 and "OUT" not in phalanx.names()


@pytest.mark.parametrize("content", [b"open sesame", b"open sesame\n", b"open sesame\nx\r\n"])
def test_one_reading_is_not_spoken_of(phalanx, content):
    def said(done):  # but that the file has more lines
        return [line for line in done.stderr.splitlines() if b"has more lines" not in line]

    phalanx.write("pass", content)
    done = phalanx.run("raw", "encrypt", "--openssl", *CBC, "--passphrase-file", "pass", stdin=PLAIN, check=0)
    assert said(done) == [] and enc(phalanx, "-d", *THEIR_CBC, "-pass", "file:pass", stdin=done.stdout) == PLAIN
    phalanx.write("IN", done.stdout)
    done = phalanx.run(*RAW, "IN", check=0)
    assert done.stdout == PLAIN and said(done) == []


def test_an_empty_one_is_refused_as_openssl_refuses_it(phalanx):
    phalanx.write("pass", b"\0open sesame\n")
    done = phalanx.run("raw", "encrypt", "--openssl", *CBC, "--passphrase-file", "pass", stdin=PLAIN)
    phalanx.assert_refused(done, 2, "empty")


def test_containers_keep_the_line(phalanx):
    """Theirs is the first line without its end, zero bytes and all, as it always was."""
    for name, line in LINES.items():
        phalanx.write("pass", FILES[name][0])
        phalanx.write("line", line)
        sealed = phalanx.run("encrypt", "--scrypt-log-n", 10, "--passphrase-file", "pass", stdin=b"x", check=0).stdout
        assert phalanx.run("decrypt", "--passphrase-file", "line", stdin=sealed, check=0).stdout == b"x"
