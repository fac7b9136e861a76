"""raw decrypt --openssl and migrate of every name that `openssl enc -list` has, and of GCM and XTS as version 1.0 wrote them."""

import hashlib
import itertools
import os
import pathlib
import re
import subprocess
import zlib

import pytest
from conftest import KEY, aes_gcm, aes_xts, contents, openssl, random_bytes, run_openssl, unknown_format

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/old_ciphers.md").read_text(encoding="utf-8")
PASSPHRASE = b"correct horse"
SIZES = [0, 1, 7, 8, 9, 16, 1000, 20000]
OF_1_0 = {f"aes-{bits}-gcm" for bits in (128, 192, 256)} | {f"aes-{bits}-xts" for bits in (128, 256)}
LEGACY = ["-provider", "legacy", "-provider", "default"]
TEXT = b"Dear all, this is what the old files hold.\n" * 30_000
# Parts of the names that are refused, and words of the reason.
REFUSED = {"wrap": "wraps keys, and is no cipher for files"}


def listed_names():
    return sorted({word.removeprefix("-") for word in run_openssl("enc", "-list").decode().split() if word.startswith("-")})


def reason_of(name):
    return next((words for part, words in REFUSED.items() if part in name.lower()), None)


def enc(phalanx, name, *options, stdin):
    return openssl("enc", *LEGACY, f"-{name}", *options, "-pass", "file:pass", stdin=stdin, cwd=phalanx.folder)


def decrypt(phalanx, name, *options, **settings):
    return phalanx.run("raw", "decrypt", "--openssl", "--cipher", name, *options, "--passphrase-file", "pass", **settings)


@pytest.fixture
def passphrase(phalanx):
    phalanx.write("pass", PASSPHRASE + b"\n")
    return phalanx


@pytest.mark.parametrize("name", listed_names())
def test_every_listed_name_is_read_or_refused_with_a_reason(passphrase, name):
    phalanx = passphrase
    if words := reason_of(name):
        return phalanx.assert_refused(decrypt(phalanx, name, stdin=bytes(64)), 2, name.lower(), words)
    for size in SIZES:
        plain = random_bytes(size, seed=size)
        assert decrypt(phalanx, name, stdin=enc(phalanx, name, stdin=plain), check=0).stdout == plain, size


def expanded(pattern):
    """"a-{1,2}" is a-1 and a-2."""
    parts = [part.split(",") for part in re.split(r"[{}]", pattern)]
    return {"".join(words) for words in itertools.product(*parts)}


def names_of_page(heading):
    """The first cells of the table below a heading."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return set().union(*(expanded(pattern) for cell in cells for pattern in re.findall(r"`([^`]*)`", cell)))


def test_the_page_names_what_openssl_lists():
    read, refused = names_of_page("Which names are read"), names_of_page("Which names are refused")
    assert OF_1_0 <= read
    assert not read & refused
    assert {name for name in listed_names() if name not in read | refused} == set()
    assert {name for name in listed_names() if reason_of(name)} <= refused


@pytest.mark.parametrize("name", sorted(names_of_page("Which names are read")))
def test_each_name_of_the_page_is_known(passphrase, name):
    done = decrypt(passphrase, name, "--md", "no-digest", stdin=b"")
    passphrase.assert_refused(done, 2, "no-digest")  # the name was parsed before


@pytest.mark.parametrize("name", sorted(names_of_page("Which names are refused")))
def test_each_refused_name_of_the_page_has_its_reason(passphrase, name):
    done = decrypt(passphrase, name, stdin=bytes(64))
    passphrase.assert_refused(done, 2, name.lower())
    assert any(words in done.stderr for words in (b"wraps keys", b"is in no OpenSSL of Debian's", b"has a tag"))


@pytest.mark.parametrize("name", [
    "aes-256-cfb8", "aes-128-cfb1", "des-cfb8", "des-ede3-cfb1", "camellia-128-cfb1", "camellia-256-cbc", "aria-192-ecb", "bf-ofb", "rc2-cfb",
    "rc4", "chacha20", "desx"
])  # fmt: skip
@pytest.mark.parametrize("size", [(1 << 20) - 8, (1 << 20) + 7, 2_500_001])
def test_messages_of_several_pieces(passphrase, name, size):
    plain = random_bytes(size)
    sealed = passphrase.write("in", enc(passphrase, name, stdin=plain))
    decrypt(passphrase, name, "in", "out", check=0)
    assert passphrase.read("out") == plain
    with sealed.open("rb") as file:
        assert decrypt(passphrase, name, "--threads", "2", stdin_file=file, check=0).stdout == plain
    assert decrypt(passphrase, name, stdin=passphrase.read("in"), check=0).stdout == plain


@pytest.mark.parametrize("options, ours", [
    ("-md md5", "--md md5"), ("-pbkdf2", "--pbkdf2"), ("-a", "-a"), ("-nosalt", "--no-salt"), ("-md md5", "--md auto"), ("-nopad", "--padding none")
])  # fmt: skip
@pytest.mark.parametrize("name", ["bf", "camellia-192-cbc", "seed-ecb", "cast"])
def test_options_of_openssl(passphrase, name, options, ours):
    plain = random_bytes(1600)
    passphrase.write("in", enc(passphrase, name, *options.split(), stdin=plain))
    decrypt(passphrase, name, *ours.split(), "in", "out", check=0)
    assert passphrase.read("out") == plain


@pytest.mark.parametrize("name", ["bf", "rc2-40", "sm4", "desx", "camellia-256-ecb"])
def test_a_wrong_passphrase_shows_in_the_padding(passphrase, name):
    passphrase.write("in", enc(passphrase, name, stdin=bytes(400)))
    passphrase.write("pass", b"wrong\n")
    passphrase.assert_refused(decrypt(passphrase, name, "in", "out"), 4, "padding does not check")
    passphrase.assert_refused(decrypt(passphrase, name, stdin=passphrase.read("in")[:-3]), 5, "no whole blocks")


@pytest.mark.parametrize("digest", ["md4", "whirlpool", "MD4"])
@pytest.mark.parametrize("options", [[], ["-pbkdf2", "-iter", "7"]])
def test_digests_of_the_legacy_provider(passphrase, digest, options):
    plain = random_bytes(500)
    sealed = enc(passphrase, "aes-256-cbc", "-md", digest, *options, stdin=plain)
    ours = [option.replace("-", "--", 1) for option in options]
    assert decrypt(passphrase, "aes-256-cbc", "--md", digest, *ours, stdin=sealed, check=0).stdout == plain


@pytest.mark.parametrize("arguments", [["rc4"], ["aes-256-cbc", "--md", "whirlpool"]])
def test_without_the_legacy_provider_its_package_is_named(passphrase, arguments, tmp_path):
    passphrase.write("in", enc(passphrase, "rc4", stdin=TEXT))
    done = decrypt(passphrase, *arguments, "in", "out", env={**os.environ, "OPENSSL_MODULES": str(tmp_path / "none")})
    passphrase.assert_refused(done, 1, "legacy provider, which cannot be loaded here", "libssl3", "openssl-provider-legacy")
    assert not (passphrase.folder / "out").exists()
    done = decrypt(passphrase, "camellia-128-cbc", stdin=enc(passphrase, "camellia-128-cbc", stdin=b"x"), env={**os.environ, "OPENSSL_MODULES": "none"})
    assert done.stdout == b"x"


@pytest.mark.parametrize("name, key_bytes, iv_bytes", [
    ("bf-cbc", 16, 8), ("rc4", 16, 0), ("rc4-40", 5, 0), ("chacha20", 32, 16), ("camellia-192-cfb", 24, 16), ("rc2-64", 8, 8), ("aes-256-cfb8", 32, 16),
    ("des-ede3-cfb1", 24, 8), ("desx", 24, 8)
])  # fmt: skip
@pytest.mark.parametrize("with_openssl", [True, False])
def test_a_key_instead_of_a_passphrase(phalanx, name, key_bytes, iv_bytes, with_openssl):
    plain, content, iv = random_bytes(999), random_bytes(key_bytes, 3), random_bytes(iv_bytes, 4).hex()
    phalanx.write("key", content)
    sealed = openssl("enc", *LEGACY, f"-{name}", "-K", content.hex(), *(["-iv", iv] if iv else []), stdin=plain)
    options = [*(["--openssl"] if with_openssl else []), "--cipher", name, *KEY, *(["--iv", iv] if iv else [])]
    assert phalanx.run("raw", "decrypt", *options, stdin=sealed, check=0).stdout == plain
    if not iv:
        phalanx.assert_refused(phalanx.run("raw", "decrypt", *options, "--iv", "00", stdin=sealed), 2, "takes no iv")


@pytest.mark.parametrize("name, key_digits", [("des-ede3-cbc", 48), ("bf-cbc", 32)])
@pytest.mark.parametrize("given", ["a1b2c3", "a1b2c", 30 * "9c"])
def test_a_key_of_another_length_is_written_as_openssl_takes_it(phalanx, name, key_digits, given):
    """The command of docs/old_ciphers.md."""
    command = next(line for line in PAGE.splitlines() if line.startswith("printf"))
    plain = random_bytes(999)
    sealed = openssl("enc", *LEGACY, f"-{name}", "-K", given, "-iv", "0011223344556677", stdin=plain)
    phalanx.write("short", given.encode() + b"\n")
    options = ["raw", "decrypt", "--openssl", "--cipher", name, "--iv", "0011223344556677", "--key-file"]
    if len(given) != 60 or key_digits == 32:
        phalanx.assert_refused(phalanx.run(*options, "short", stdin=sealed), 2, "-K that is too short", "the first digits")
    line = command.replace("48.48", f"{key_digits}.{key_digits}")
    subprocess.run(["sh", "-c", f"umask 077; {line}"], cwd=phalanx.folder, check=True)
    assert phalanx.run(*options, "old.key", stdin=sealed, check=0).stdout == plain


@pytest.mark.parametrize("name", ["blowfish", "aes-256-cfb8", "rc4", "aes-256-gcm", "aes-128-xts", "sm4-ctr"])
@pytest.mark.parametrize("options", [[], ["--allow-legacy"]])
def test_none_of_them_is_written(passphrase, name, options):
    passphrase.write("in", b"plain")
    done = passphrase.run("raw", "encrypt", "--openssl", "--cipher", name, *options, "--passphrase-file", "pass", "in", "out")
    passphrase.assert_refused(done, 2, "Phalanx reads ", ", and does not write it")
    assert passphrase.read("in") == b"plain" and not (passphrase.folder / "out").exists()


def test_nor_in_place_nor_in_part(phalanx):
    phalanx.write("key", random_bytes(16))
    phalanx.write("in", bytes(64))
    options = ["raw", "decrypt", "--cipher", "bf-cfb", "--iv", "0011223344556677", *KEY]
    phalanx.assert_refused(phalanx.run(*options, "--in-place", "in"), 2, "Phalanx reads bf-cfb, and does not change a file of it in place")
    phalanx.assert_refused(phalanx.run(*options, "--range", "1:2", "in"), 2, "is not read alone: decrypt all")
    assert phalanx.read("in") == bytes(64)


# Files of version 1.0, which no OpenSSL of today writes: the derivation is Python's, and each data unit and message libcrypto's.


def derived(num_bytes, salt):
    """As EVP_BytesToKey does it by MD5."""
    bytes_, last = b"", b""
    while len(bytes_) < num_bytes:
        last = hashlib.md5(last + PASSPHRASE + salt).digest()
        bytes_ += last
    return bytes_[:num_bytes]


def gcm_of_1_0(plain, key_bytes=32):
    """Without the tag, as `openssl enc` 1.0 wrote it: 12 bytes of iv are derived."""
    salt = b"saltsalt"
    both = derived(key_bytes + 12, salt)
    sealed = aes_gcm(both[:key_bytes], both[key_bytes:], plain)
    return b"Salted__" + salt + sealed[: len(plain)]


def xts_of_1_0(plain, unit, key_bytes=64):
    """Each unit under the same tweak: BIO_f_cipher handed 4096 bytes on at once, and EVP_aes_256_xts began anew."""
    salt = b"saltsalt"
    both = derived(key_bytes + 16, salt)
    units = [plain[at : at + unit] for at in range(0, len(plain), unit)]
    return b"Salted__" + salt + b"".join(aes_xts(both[:key_bytes], both[key_bytes:], part) for part in units)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 1000, 1_100_000])
@pytest.mark.parametrize("key_bytes", [16, 32])
def test_gcm_without_a_tag(passphrase, size, key_bytes):
    plain = random_bytes(size)
    for name in (f"aes-{8 * key_bytes}-gcm", f"id-aes{8 * key_bytes}-GCM"):
        done = decrypt(passphrase, name, "--md", "md5", stdin=gcm_of_1_0(plain, key_bytes), check=0)
        assert done.stdout == plain
        assert b"wrote no tag behind its GCM" in done.stderr


def migrate(phalanx, name, *options, how="--from-auto"):
    old = [how, "--from-cipher", name, "--from-passphrase-file", "pass", "--from-md", "md5"]
    return phalanx.run("migrate", *old, *KEY, *options, "in", "box")


def opened(phalanx):
    return phalanx.run("decrypt", *KEY, "box", check=0).stdout


def test_gcm_without_a_tag_is_doubtful_whatever_it_holds(passphrase):
    phalanx = passphrase
    phalanx.write("key", random_bytes(32))
    phalanx.write("in", gcm_of_1_0(TEXT))
    done = migrate(phalanx, "aes-256-gcm")
    assert done.returncode == 7 and b"wrote no tag behind its GCM" in done.stdout + done.stderr
    assert opened(phalanx) == TEXT


@pytest.mark.parametrize("size", [16, 17, 31, 4095, 4096, 4096 + 16, 4096 + 4095, 20_000, (1 << 20) + 17])
@pytest.mark.parametrize("key_bytes", [32, 64])
def test_xts_that_begins_anew_every_4096_bytes(passphrase, size, key_bytes):
    phalanx = passphrase
    plain = random_bytes(size)
    name = f"aes-{4 * key_bytes}-xts"
    phalanx.write("in", xts_of_1_0(plain, 4096, key_bytes))
    done = decrypt(phalanx, name, "--md", "md5", "in", check=0)
    assert done.stdout == plain
    assert (b"nothing shows whether that is right" in done.stderr) == (size > 4096)
    assert decrypt(phalanx, name, "--md", "md5", stdin=phalanx.read("in"), check=0).stdout == plain


@pytest.mark.parametrize("unit, words", [(4096, b"data units of 4096 bytes"), (8192, b"data units of 8192 bytes"), (1 << 30, b"one data unit")])
@pytest.mark.parametrize("encode", [bytes, None])
def test_text_shows_how_long_its_data_units_are(passphrase, unit, words, encode):
    phalanx = passphrase
    sealed = xts_of_1_0(TEXT, unit)
    phalanx.write("key", random_bytes(32))
    phalanx.write("in", sealed if encode else openssl("base64", stdin=sealed))
    done = decrypt(phalanx, "aes-256-xts", "--md", "md5", *([] if encode else ["-a"]), "in", check=0)
    assert done.stdout == TEXT and words + b", which gives text" in done.stderr
    assert migrate(phalanx, "aes-256-xts").returncode == 0  # text vouches, and no other units give text
    assert opened(phalanx) == TEXT


def test_what_is_no_text_is_doubtful_under_xts(passphrase):
    phalanx = passphrase
    phalanx.write("key", random_bytes(32))
    phalanx.write("in", xts_of_1_0(b"%PDF-1.4\n" + random_bytes(20_000), 4096))
    assert migrate(phalanx, "aes-256-xts").returncode == 7


def test_an_impossible_length_of_xts(passphrase):
    done = decrypt(passphrase, "aes-256-xts", "--md", "md5", stdin=xts_of_1_0(bytes(16), 4096)[:-1])
    assert done.returncode == 5 and b"XTS needs at least 16 bytes" in done.stderr


# What a migration finds among the names that it is given, and how it judges.


@pytest.fixture
def old_files(passphrase):
    (passphrase.folder / "old").mkdir()
    passphrase.write("key", random_bytes(32))
    for number, name in enumerate(["bf", "rc4", "aes-128-cfb8", "camellia-256-ctr", "cast5-ecb", "des-ede3-cfb1", "chacha20"]):
        passphrase.write(f"old/{name}", enc(passphrase, name, "-md", "md5", stdin=TEXT[number:]))
    return passphrase


def test_a_migration_takes_the_names_that_it_is_given(old_files):
    phalanx = old_files
    names = "rc4,bf,aes-128-cfb8,camellia-256-ctr,cast5-ecb,des-ede3-cfb1,chacha20"
    tree = ["migrate", "--manifest", "M", "--from-tree", "old", "--to-tree", "new", "--from-passphrase-file", "pass", *KEY]
    phalanx.run(*tree, "--from-auto", "--from-cipher", names, check=0)
    for number, name in enumerate(["bf", "rc4", "aes-128-cfb8", "camellia-256-ctr", "cast5-ecb", "des-ede3-cfb1", "chacha20"]):
        assert phalanx.run("decrypt", *KEY, f"new/{name}.phalanx", check=0).stdout == TEXT[number:]
        assert f'"found":"{"bf-cbc" if name == "bf" else name}, md5' in phalanx.read("M").decode()


def test_none_is_tried_that_was_not_named(old_files):
    done = old_files.run(*"migrate --dry-run --from-auto --from-cipher des3 --from-passphrase-file pass old/rc4".split())
    assert done.returncode in (4, 5)


def png():
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(13)) + chunk(b"IDAT", random_bytes(4000)) + chunk(b"IEND", b"")


# How a migration ends with a text, a PNG, a PDF, what begins with zeros and what looks like noise: rows of the page's table.
JUDGED = {"cbc": (0, 0, 0, 0, 7), "ecb": (0, 0, 0, 0, 0), "cfb": (0, 0, 7, 7, 7), "ofb": (0, 0, 7, 7, 7)}
NAMES_JUDGED = {
    "bf": "cbc", "camellia-128-cbc": "cbc", "des-ede3": "ecb", "cast5-ecb": "ecb", "aes-256-cfb8": "cfb", "aria-128-cfb1": "cfb", "sm4-cfb": "cfb",
    "bf-ofb": "ofb", "aes-128-ctr": "ofb", "rc4": "ofb", "rc4-40": "ofb", "chacha20": "ofb",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES_JUDGED)
def test_each_name_is_judged_as_the_page_says(passphrase, name):
    phalanx = passphrase
    phalanx.write("key", random_bytes(32))
    plains = [TEXT[:20_009], png(), b"%PDF-1.4\n" + random_bytes(5000), unknown_format(5001), random_bytes(5001)]
    assert {len(plain) % 8 for plain in plains} == {1}  # 7 bytes of padding or 15, which no chance explains
    for plain, code in zip(plains, JUDGED[NAMES_JUDGED[name]]):
        phalanx.write("in", enc(phalanx, name, "-md", "md5", stdin=plain))
        assert migrate(phalanx, name, how="--from-openssl").returncode == code, plain[:9]
        assert opened(phalanx) == plain
        (phalanx.folder / "box").unlink()
    is_stream = NAMES_JUDGED[name] in ("cfb", "ofb")
    assert migrate(phalanx, name).returncode == (4 if is_stream else code)  # the search takes what is recognised
    assert (phalanx.folder / "box").exists() != is_stream


def test_libcrypto_is_named(passphrase):
    done = decrypt(passphrase, "bf", "-v", stdin=enc(passphrase, "bf", stdin=b"x"), check=0)
    assert b"bf-cbc is decrypted by libcrypto, on one thread" in done.stderr


def test_nothing_is_lost_of_a_file_that_fails(passphrase):
    passphrase.write("in", enc(passphrase, "bf", stdin=bytes(3_000_000))[:-8])
    passphrase.write("out", b"before")
    before = contents(passphrase)
    assert decrypt(passphrase, "bf", "--force", "in", "out").returncode == 4
    assert contents(passphrase) == before
