"""migrate --delete-source: what a wrong mode, size of sectors or iv gives may begin rightly; it vouches for nothing."""

import io
import tarfile
import zipfile
import zlib

import pytest
from conftest import IV16, KEY, random_bytes

NEW = ["--key-file", "new"]
STREAMS = ["aes-256-ctr", "aes-256-cfb", "aes-256-ofb"]
TEXT = b"Every line of this is like the one before, and all of them can be read.\n"


def zipped(data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a name", data)
    return out.getvalue()


def tarred(data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo("a name")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def png(data):
    def chunk(name, content):
        return len(content).to_bytes(4, "big") + name + content + zlib.crc32(name + content).to_bytes(4, "big")

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes(13)) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


NOISE = random_bytes(100_000, seed=3)
WHOLE = {  # of which the end is known, too
    "text": TEXT * 2000,
    "short text": TEXT[:40],
    "long characters": "Ж".encode() * 700_001,
    "PDF": b"%PDF-1.7\n" + NOISE + b"\nstartxref\n116\n%%EOF\r\n",
    "zip": zipped(NOISE),
    "PNG": png(NOISE),
    "JPEG": b"\xff\xd8\xff\xe0\0\x10JFIF\0" + NOISE + b"\xff\xd9",
    "tar": tarred(NOISE),
}
BEGUN = {  # whose beginning alone is known
    "PDF": b"%PDF-1.7\n" + NOISE,
    "gzip": b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + NOISE,
    "GIF": b"GIF89a" + NOISE + b";",
    "text and more": TEXT * 2000 + NOISE,
}


def old(cipher, *options, prefix="", key="old"):
    iv = [] if cipher.endswith("-ecb") or "--sector-size" in options or "--iv" in options else ["--iv", IV16]
    return [word if not word.startswith("--") else f"--{prefix}{word[2:]}" for word in ["--cipher", cipher, "--key-file", key, *iv, *options]]


@pytest.fixture
def migrating(files):
    """Encrypts a plaintext by some options, and migrates it by others."""
    files.write("old", random_bytes(32, seed=21))
    files.write("old64", random_bytes(64, seed=22))
    files.write("new", random_bytes(32, seed=23))

    def run(plain, sealed_as, opened_as, *more):
        files.write("IN", plain)
        files.run("raw", "encrypt", "--allow-legacy", *old(*sealed_as[:1], *sealed_as[1:], key=key_of(sealed_as)), "-f", "IN", "OLD", check=0)
        return files.run("migrate", *old(*opened_as, prefix="from-", key=key_of(opened_as)), *NEW, "-f", "--delete-source", *more, "OLD", "OUT")

    def key_of(options):
        return "old64" if "-xts" in options[0] else "old"

    return run


def assert_kept(files, done, *words):
    assert done.returncode == 0 and b"doubtful and stays" in done.stderr, done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    assert "OLD" in files.names()


def assert_vouched(files, done, plain):
    assert (done.returncode, done.stderr) == (0, b"") and "OLD" not in files.names(), done.stderr
    assert files.run("decrypt", *NEW, "OUT", check=0).stdout == plain


@pytest.mark.parametrize("opened_as", STREAMS)
@pytest.mark.parametrize("sealed_as", STREAMS)
def test_streams_that_agree_in_the_first_block(files, migrating, sealed_as, opened_as):
    for plain in [*BEGUN.values(), *WHOLE.values()]:
        done = migrating(plain, [sealed_as], [opened_as])
        if sealed_as == opened_as and plain in WHOLE.values():
            assert_vouched(files, done, plain)
        else:
            assert_kept(files, done)
    done = migrating(BEGUN["PDF"], [sealed_as], [opened_as], "--delete-doubtful")
    assert done.returncode == 0 and "OLD" not in files.names()


SECTORS = [[], ["--sector-size", "512"], ["--sector-size", "4096"], ["--sector-size", "131072"],
           ["--sector-size", "4096", "--iv-large-sectors"]]  # fmt: skip


@pytest.mark.parametrize("opened_as", range(len(SECTORS)))
@pytest.mark.parametrize("sealed_as", range(len(SECTORS)))
def test_xts_that_agrees_in_the_first_sector(files, migrating, sealed_as, opened_as):
    """All begin with a tweak of zeros."""

    def options(number):
        return ["aes-256-xts", *(SECTORS[number] or ["--iv", "00" * 16])]

    for plain in [*BEGUN.values(), *WHOLE.values()]:
        plain += b"" if plain in WHOLE.values() else bytes(-len(plain) % 16)
        if len(plain) % 512 != 0 and len(plain) < 512:
            continue
        done = migrating(plain, options(sealed_as), options(opened_as))
        if sealed_as == opened_as and plain in WHOLE.values():
            assert_vouched(files, done, plain)
        elif done.returncode == 0:  # lengths that are not whole sectors may be refused
            right = files.run("decrypt", *NEW, "OUT", check=0).stdout == plain
            assert right or "OLD" in files.names(), (sealed_as, opened_as)
            assert plain in WHOLE.values() or "OLD" in files.names()


@pytest.mark.parametrize("cipher", ["aes-256-cbc", "aes-256-ecb"])
def test_without_padding_the_end_must_be_recognised_too(files, migrating, cipher):
    options = [cipher, "--padding", "none"]
    assert_kept(files, migrating(BEGUN["PDF"][: 6000 * 16], options, options))
    text = (TEXT * 100)[: 400 * 16]
    assert_vouched(files, migrating(text, options, options), text)


@pytest.mark.parametrize("number", [0, 1])
def test_an_iv_of_zeros_is_none(files, migrating, number):
    """The first block of ECB is that of CBC with an iv of zeros."""
    both = [["aes-256-ecb"], ["aes-256-cbc", "--iv", "00" * 16]]
    for tail in range(3000):
        plain = b"%PDF-1.7" + random_bytes(39, seed=tail)
        done = migrating(plain, both[number], both[1 - number])
        if done.returncode == 0:
            assert_kept(files, done, b"may be chance")
            return
        assert done.returncode == 4
    pytest.fail("no padding that fits by chance")


def test_a_magic_number_and_padding_vouch_together(files, migrating):
    """One byte of padding alone would not."""
    plain = b"%PDF-1.7" + random_bytes(39, seed=1)
    assert_vouched(files, migrating(plain, ["aes-256-cbc"], ["aes-256-cbc"]), plain)


@pytest.mark.parametrize("plain", [random_bytes(4096, seed=8), (TEXT * 100)[:4096], b"%PDF-1.7\n" + random_bytes(4087, seed=8)])
def test_a_wrong_iv_of_cbc_is_not_vouched_for(files, migrating, plain):
    """It spoils the first block, which a whole block of padding at the end says nothing of."""
    right, wrong = ["aes-256-cbc"], ["aes-256-cbc", "--iv", "ab" * 16]
    assert_kept(files, migrating(plain, right, wrong), b"the iv")
    done = migrating(plain, right, right)
    if b"%PDF" in plain or TEXT in plain:
        assert_vouched(files, done, plain)
    else:
        assert_kept(files, done, b"the iv")


def test_padding_vouches_where_no_iv_was_named(files, migrating):
    plain = random_bytes(4096, seed=8)
    assert_vouched(files, migrating(plain, ["aes-256-ecb"], ["aes-256-ecb"]), plain)
