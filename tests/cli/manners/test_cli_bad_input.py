"""Every wrong input: its exit code, one clear line, and nothing left where OUT would be."""

import pytest
from conftest import IV8, IV16, openssl, random_bytes

AES = "--cipher aes-256-cbc"
IV = f"--iv {IV16}"

# command line after `raw`, exit code, words of the message
USAGE = [
    ("encrypt --cipher aes-256 IN OUT", 2, ["lacks a mode", "cbc", "xts"]),
    ("encrypt --cipher aes-257-cbc IN OUT", 2, ["unknown", "aes-256"]),
    ("encrypt --cipher aes-256-xyz IN OUT", 2, ["aes-256-xyz"]),
    ("encrypt --cipher des-xts IN OUT", 2, ["xts", "des"]),
    ("encrypt --cipher des-gcm IN OUT", 2, ["gcm", "16-byte"]),
    ("encrypt --cipher aes-257-gcm IN OUT", 2, ["unknown", "aes-256"]),
    ("encrypt IN OUT", 2, ["--cipher"]),
    (f"encrypt {AES} --key-file key IN OUT", 2, ["--iv", "32 hex digits"]),
    (f"encrypt {AES} --key-file key --iv 00 IN OUT", 2, ["--iv", "32"]),
    (f"encrypt {AES} --key-file key --iv {IV16}0 IN OUT", 2, ["--iv", "odd"]),
    (f"encrypt {AES} --key-file key --iv {'zz' * 16} IN OUT", 2, ["--iv", "hex"]),
    (f"encrypt --cipher aes-256-ecb --allow-legacy --key-file key {IV} IN OUT", 2, ["ECB", "--iv"]),
    (f"encrypt --cipher aes-256-ctr --padding pkcs7 --key-file key {IV} IN OUT", 2, ["--padding"]),
    (f"encrypt {AES} --padding nonsense --key-file key {IV} IN OUT", 2, ["nonsense", "pkcs7"]),
    (f"encrypt {AES} --key-file short {IV} IN OUT", 2, ["31 bytes", "32 bytes"]),
    (f"encrypt {AES} --key-file long {IV} IN OUT", 2, ["33 bytes", "32 bytes"]),
    (f"encrypt {AES} --key-file huge {IV} IN OUT", 2, ["more than", "32 bytes"]),
    (f"encrypt {AES} --key-file odd {IV} IN OUT", 2, ["63 hex digits", "odd"]),
    (f"encrypt {AES} --key-file nothex {IV} IN OUT", 2, ["hex"]),
    (f"encrypt {AES} --key-file missing {IV} IN OUT", 1, ["--key-file", "not repeated", "No such file"]),
    (f"encrypt {AES} --key-fd 77 {IV} IN OUT", 1, ["--key-fd 77"]),
    (f"encrypt {AES} --key-env NOT_SET {IV} IN OUT", 2, ["--key-env"]),
    (f"encrypt {AES} --key-file key --key-env HOME {IV} IN OUT", 2, ["more than one"]),
    (f"encrypt --openssl {AES} --passphrase-file key --key-file key {IV} IN OUT", 2, ["more than one"]),
    (f"encrypt {AES} --key-file key {IV} --sector-size 512 IN OUT", 2, ["XTS"]),
    ("encrypt --cipher aes-128-xts --key-file key IN OUT", 2, ["--iv", "--sector-size"]),
    (f"encrypt --cipher aes-128-xts --key-file key {IV} --sector-size 512 IN OUT", 2, ["--iv"]),
    ("encrypt --cipher aes-128-xts --key-file key --sector-size 528 IN OUT", 2, ["512"]),
    ("encrypt --cipher aes-128-xts --key-file key --sector-size 520 IN OUT", 2, ["--sector-size 520 is not a multiple of 16 from 16"]),
    ("encrypt --cipher aes-128-xts --key-file key --sector-size 8 --iv-large-sectors IN OUT", 2, ["16"]),
    ("encrypt --cipher aes-128-xts --key-file key --sector-size 520 --iv-large-sectors IN OUT", 2, ["--sector-size 520", "multiple of 16"]),
    ("encrypt --cipher aes-128-xts --key-file key --sector-offset -1 IN OUT", 2, ["--sector-offset", "whole number"]),
    (f"encrypt {AES} --key-file key {IV} --padding none -a --in-place IN", 2, ["--in-place keeps the length, and -a does not"]),
    (f"encrypt {AES} --key-file key {IV} --md md5 IN OUT", 2, ["--openssl"]),
    (f"encrypt {AES} --passphrase-file key {IV} IN OUT", 2, ["--openssl"]),
    ("encrypt --openssl --cipher aes256 --passphrase-file key --md nothing IN OUT", 2, ["nothing"]),
    ("encrypt --openssl --cipher aes256 --passphrase-file key --md auto IN OUT", 2, ["auto"]),
    ("encrypt --openssl --cipher aes256 --passphrase-file key --iter 0 IN OUT", 2, ["--iter"]),
    ("encrypt --openssl --cipher aes256 --passphrase-file key --iter 10 --no-pbkdf2 IN OUT", 2, ["--no-pbkdf2"]),
    ("encrypt --openssl --cipher aes256 --passphrase-file empty IN OUT", 2, ["empty"]),
    ("encrypt --openssl --cipher aes-256-xts --passphrase-file key IN OUT", 2, ["xts"]),
    ("decrypt --openssl --cipher aes-256-ctr --md auto --passphrase-file key IN OUT", 2, ["auto", "padding"]),
    ("decrypt --openssl --cipher aes256 --padding none --md auto --passphrase-file key IN OUT", 2, ["auto", "padding"]),
    ("decrypt --openssl --cipher aes256 --md auto --passphrase-file key - OUT", 2, ["digest", "seek"]),
    (f"encrypt {AES} --key-file key {IV} missing OUT", 1, ["missing", "No such file"]),
    (f"encrypt {AES} --key-file key {IV} . OUT", 2, ["folder"]),
    (f"encrypt {AES} --key-file key {IV} IN nowhere/OUT", 1, ["nowhere/OUT"]),
    (f"encrypt {AES} --key-file - {IV} - OUT", 2, ["standard input"]),
    (f"encrypt {AES} --key-fd 0 {IV}", 2, ["standard input"]),
    (f"encrypt {AES} --key-file key {IV} --engine cpu:none IN OUT", 2, ["cpu:none", "cpu:scalar"]),
    (f"encrypt {AES} --key-file key {IV} --threads x IN OUT", 2, ["--threads"]),
    (f"encrypt {AES} --key-file key {IV} --progress maybe IN OUT", 2, ["--progress"]),
    (f"encrypt {AES} --key-file key {IV} IN OUT extra", 2, ["too many"]),
    (f"encrypt {AES} {AES} IN OUT", 2, ["more than once"]),
    ("encrypt --cipher", 2, ["--cipher", "value"]),
    ("", 2, ["encrypt", "decrypt"]),
]


@pytest.fixture
def files(phalanx):
    phalanx.write("IN", random_bytes(1000))
    phalanx.write("key", random_bytes(32))
    phalanx.write("short", random_bytes(31))
    phalanx.write("long", random_bytes(33))
    phalanx.write("huge", random_bytes(5000))
    phalanx.write("odd", random_bytes(32).hex()[1:].encode() + b"\n")
    phalanx.write("nothex", b"g" * 64 + b"\n")
    phalanx.write("empty", b"\n")
    return phalanx


@pytest.mark.parametrize("command, exit_code, words", USAGE)
def test_usage(files, command, exit_code, words):
    before = files.names()
    done = files.run("raw", *command.split(), stdin=b"x" * 40)
    files.assert_refused(done, exit_code, *words)
    assert done.stdout == b"" and files.names() == before


# cipher options, how many zero bytes IN holds, exit code, words; decrypting
CIPHERTEXTS = [
    (f"{AES} {IV}", 0, 5, ["truncated"]),
    (f"{AES} {IV}", 15, 5, ["no whole blocks", "cut short", "16"]),
    (f"{AES} {IV}", 33, 5, ["no whole blocks", "cut short"]),
    (f"{AES} {IV} --padding none", 33, 5, ["no whole blocks", "cut short"]),
    (f"{AES} {IV} --padding x923", (4 << 20) + 1, 5, ["no whole blocks", "cut short"]),
    (f"{AES} {IV}", 64, 4, ["padding"]),
    (f"{AES} {IV}", 8 << 20, 4, ["padding"]),
    ("--cipher aes-256-ecb", 64, 4, ["padding"]),
    ("--cipher aes-256-ecb", 65, 5, ["no whole blocks", "cut short"]),
    (f"--cipher aes-128-xts {IV}", 15, 5, ["16"]),
    (f"--cipher aes-128-xts {IV}", 0, 5, ["16"]),
    ("--cipher aes-128-xts --sector-size 512", 512 + 3, 5, ["16"]),
]


@pytest.mark.parametrize("options, length, exit_code, words", CIPHERTEXTS)
def test_ciphertext(files, options, length, exit_code, words):
    files.write("IN", bytes(length))
    for out in ["OUT", "-"]:
        done = files.run("raw", "decrypt", *options.split(), "--key-file", "key", "IN", out)
        files.assert_refused(done, exit_code, *words)
    assert not [name for name in files.names() if name.startswith("OUT")]


@pytest.mark.parametrize("over", [0, 1])
def test_a_text_file_is_not_read_without_end(files, over):
    """The whole file is read, up to 1 MiB."""
    line = b"# a comment\n"
    files.write("friends", (line * ((1 << 20) // len(line) + 1))[: (1 << 20) + over])
    done = files.run("encrypt", "--recipients-file", "friends", "IN", "OUT", stdin=b"")
    files.assert_refused(done, 2, "friends is longer than 1 MiB" if over else "friends")
    assert (b"longer" in done.stderr) == bool(over) and "OUT" not in files.names()


def test_wrong_key(files):
    sealed = openssl("enc", "-aes-256-cbc", "-K", "11" * 32, "-iv", IV16, stdin=random_bytes(100_000))
    files.write("IN", sealed)
    files.assert_refused(files.run(*f"raw decrypt {AES} {IV} --key-file key IN OUT".split()), 4, "padding", "key")
    assert "OUT" not in files.names()


@pytest.mark.parametrize("length, options", [(13, AES + " " + IV), (8, AES + " " + IV), (17, "--cipher aes-256-ecb --allow-legacy")])
def test_a_length_that_no_padding_fits(files, length, options):
    files.write("IN", random_bytes(length))
    done = files.run("raw", "encrypt", *options.split(), "--padding", "none", "--key-file", "key", "IN", "OUT")
    files.assert_refused(done, 2, "16 bytes", "choose a padding")
    assert "OUT" not in files.names()


def test_xts_shorter_than_a_block(files):
    files.write("IN", b"short")
    files.assert_refused(files.run(*f"raw encrypt --cipher aes-128-xts {IV} --key-file key IN OUT".split()), 2, "16")
    assert "OUT" not in files.names()


# what IN holds, further options, exit code, words
OPENSSL_FILES = [
    (b"", "", 5, ["empty"]),
    (b"Salted__", "", 5, ["header"]),
    (b"Salted__1234567", "", 5, ["header"]),
    (b"Salted__12345678", "", 5, ["truncated"]),
    (b"Salted__12345678" + bytes(9), "", 5, ["no whole blocks", "cut short"]),
    (b"Salted__12345678" + bytes(16), "", 4, ["padding"]),
    (b"Salted__12345678" + bytes(16), "--md auto", 4, ["digest"]),
    (b"Salted__12345678" + bytes(17), "--md auto", 5, ["no whole blocks", "cut short"]),
    (b"Salted__12345678", "--md auto", 5, ["truncated"]),
    (b"salted__12345678" + bytes(16), "", 2, ["Salted__"]),
    (b"Salt", "", 5, ["header"]),
    (b"U2FsdGVkX18xMjM0NTY3OA==", "", 2, ["openssl enc", "base64", "give -a"]),
    (b"U2FsdGVkX18xMjM0NTY3OA==", "-a", 5, ["truncated"]),
    (b"U2FsdGVkX18xMjM0NTY3O", "-a", 5, ["base64"]),
    (b"U2FsdGVkX18xMjM0!NTY3OA==", "-a", 2, ["base64"]),
    (b"U2FsdGVkX18xMjM0!NTY3OA==", "-a --md auto", 2, ["base64"]),
    (b"U2FsdGVkX18xMjM0NTY3OA==AAAA", "-a", 2, ["base64"]),
]


@pytest.mark.parametrize("content, options, exit_code, words", OPENSSL_FILES)
def test_openssl_files(files, content, options, exit_code, words):
    files.write("IN", content)
    files.write("pass", b"passphrase 21\n")
    done = files.run(*f"raw decrypt --openssl --cipher des3 {options} --passphrase-file pass IN OUT".split())
    files.assert_refused(done, exit_code, *words)
    assert not [name for name in files.names() if name.startswith("OUT")]


def test_8_byte_iv_for_8_byte_blocks(files):
    files.write("key8", random_bytes(8))
    done = files.run(*f"raw decrypt --cipher des-ctr --iv {IV16} --key-file key8 IN OUT".split())
    files.assert_refused(done, 2, "16 (8 bytes)")
    files.run(*f"raw decrypt --cipher des-ctr --iv {IV8} --key-file key8 IN OUT".split(), check=0)
    assert len(files.read("OUT")) == 1000


def test_a_name_cannot_break_the_line(files):
    done = files.run("raw", "decrypt", *AES.split(), *IV.split(), "--key-file", "key", "no\nsuch\x1b[2Jfile", "OUT")
    files.assert_refused(done, 1, "no?such?")


@pytest.mark.parametrize("command", ["", "encrypt", "decrypt", "recipients", "recipients add", "recipients remove", "recipients replace", "recipients list", "migrate", "inspect", "verify", "help", "raw", "raw encrypt", "raw decrypt", "keygen", "engines"])
def test_help_everywhere(phalanx, command):
    for flag in ("--help", "-h", "--help-all"):
        done = phalanx.run(*command.split(), flag, check=0)
        assert done.stdout.startswith(b"Phalanx encrypts" if not command else b"") and b"Usage: phalanx" in done.stdout
        assert b"--help" in done.stdout and done.stderr == b""


def test_version(phalanx):
    import re

    lines = phalanx.run("--version", check=0).stdout.decode().splitlines()
    assert re.fullmatch(r"phalanx \d+\.\d+\.\d+", lines[0])
    assert [line.split(": ")[0] for line in lines[1:]] == ["commit", "engines", "libcrypto", "CUDA"]
    assert re.fullmatch(r"commit: ([0-9a-f]{12}(-modified)?|unknown)", lines[1])
    assert "cpu:scalar" in lines[2] and lines[3].startswith("libcrypto: OpenSSL ") and len(lines[4]) > len("CUDA: ")


@pytest.mark.parametrize(
    "command", ["encrypt", "decrypt", "recipients add", "recipients remove", "recipients replace", "recipients list", "migrate", "inspect", "verify", "raw encrypt", "raw decrypt", "keygen", "engines", "bench"]
)
def test_every_option_is_in_the_manual(phalanx, command):
    import re
    from pathlib import Path

    manual = (Path(__file__).parents[3] / "docs" / "phalanx.1").read_text().replace("\\-", "-")
    shown = phalanx.run(*command.split(), "--help-all", check=0).stdout.decode()
    options = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", shown, re.MULTILINE))
    assert len(options) >= 2
    for option in options:
        assert re.search(re.escape(option) + r"(?![\w-])", manual), option
