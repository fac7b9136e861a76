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
WHOLE = {  # text wherever it is looked at, or a format that has sums of all of it
    "text": TEXT * 2000,
    "short text": TEXT[:40],
    "long characters": "Ж".encode() * 700_001,
    "PNG": png(NOISE),
}
PACKED = {  # whose inside looks like noise: the two ends say little of what is between them
    "PDF": b"%PDF-1.7\n" + NOISE + b"\nstartxref\n116\n%%EOF\r\n",
    "zip": zipped(NOISE),
    "JPEG": b"\xff\xd8\xff\xe0\0\x10JFIF\0" + NOISE + b"\xff\xd9",
    "tar": tarred(NOISE),
}
BEGUN = {  # whose beginning alone is known
    "PDF": b"%PDF-1.7\n" + NOISE,
    "gzip": b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + NOISE,
    "GIF": b"GIF89a" + NOISE + b";",
    "text and more": TEXT * 2000 + NOISE,
    "text at both ends": TEXT * 2000 + NOISE + TEXT * 2000,
    "PNG and more": png(NOISE) + b"\n",
}
DOUBTFUL = [*PACKED.values(), *BEGUN.values()]


def old(cipher, *options, prefix="", key="old"):
    iv = [] if cipher.endswith("-ecb") or {"--sector-size", "--iv", "--iv-prefix"} & {*options} else ["--iv", IV16]
    return [word if not word.startswith("--") else f"--{prefix}{word[2:]}" for word in ["--cipher", cipher, "--key-file", key, *iv, *options]]


@pytest.fixture
def migrating(files):
    """Encrypts a plaintext by some options, and migrates it by others."""
    files.write("old", random_bytes(32, seed=21))
    files.write("old64", random_bytes(64, seed=22))
    files.write("new", random_bytes(32, seed=23))

    def run(plain, sealed_as, opened_as, *more):
        files.write("IN", plain)
        in_front = "--iv-prefix" in sealed_as
        sealed_as = [word for word in sealed_as if word != "--iv-prefix"]
        files.run("raw", "encrypt", "--allow-legacy", *old(*sealed_as[:1], *sealed_as[1:], key=key_of(sealed_as)), "-f", "IN", "OLD", check=0)
        if in_front:
            files.write("OLD", bytes.fromhex(IV16) + files.read("OLD"))
        return files.run("migrate", *old(*opened_as, prefix="from-", key=key_of(opened_as)), *NEW, "-f", "--delete-source", *more, "OLD", "OUT")

    def key_of(options):
        return "old64" if "-xts" in options[0] else "old"

    return run


def assert_kept(files, done, *words):
    assert done.returncode == 7 and b"doubtful and stays" in done.stderr, done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    assert "OLD" in files.names()


def assert_vouched(files, done, plain):
    assert (done.returncode, done.stderr) == (0, b"") and "OLD" not in files.names(), done.stderr
    assert files.run("decrypt", *NEW, "OUT", check=0).stdout == plain


@pytest.mark.parametrize("opened_as", STREAMS)
@pytest.mark.parametrize("sealed_as", STREAMS)
def test_streams_that_agree_in_the_first_block(files, migrating, sealed_as, opened_as):
    for plain in [*DOUBTFUL, *WHOLE.values()]:
        done = migrating(plain, [sealed_as], [opened_as])
        if sealed_as == opened_as and plain in WHOLE.values():
            assert_vouched(files, done, plain)
        else:
            assert_kept(files, done)
    done = migrating(BEGUN["PDF"], [sealed_as], [opened_as], "--delete-doubtful")
    assert done.returncode == 7 and "OLD" not in files.names()


SECTORS = [[], ["--sector-size", "512"], ["--sector-size", "4096"], ["--sector-size", "131072"],
           ["--sector-size", "4096", "--iv-large-sectors"]]  # fmt: skip


@pytest.mark.parametrize("opened_as", range(len(SECTORS)))
@pytest.mark.parametrize("sealed_as", range(len(SECTORS)))
def test_xts_that_agrees_in_the_first_sector(files, migrating, sealed_as, opened_as):
    """All begin with a tweak of zeros."""

    def options(number):
        return ["aes-256-xts", *(SECTORS[number] or ["--iv", "00" * 16])]

    for plain in [*DOUBTFUL, *WHOLE.values()]:
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
def test_without_padding_all_must_be_recognised(files, migrating, cipher):
    options = [cipher, "--padding", "none"]
    assert_kept(files, migrating(BEGUN["PDF"][: 6000 * 16], options, options))
    text = (TEXT * 100)[: 400 * 16]
    assert_vouched(files, migrating(text, options, options), text)
    image = png(NOISE[: len(NOISE) - len(png(NOISE)) % 16])
    assert len(image) % 16 == 0
    assert_vouched(files, migrating(image, options, options), image)


@pytest.mark.parametrize("padding", ["none", "zero"])
@pytest.mark.parametrize("cipher", ["aes-256-cbc", "aes-256-ecb"])
def test_padding_that_stays_behind_the_text(files, migrating, cipher, padding):
    """Bytes of padding may be tabs and line ends."""
    for padding_bytes in [9, 10, 13]:
        for plain in [(TEXT * 100)[: 16 * 100 - padding_bytes], b"%PDF-1.7\n" + NOISE[: 1590 - padding_bytes - 15] + b"\nstartxref\n%%EOF"]:
            assert_kept(files, migrating(plain, [cipher], [cipher, "--padding", padding]))


def test_sectors_of_another_size_agree_at_both_ends(files, migrating):
    """In one file of eight, whose length is a little more than whole sectors of the longer kind."""
    wide, narrow = ["aes-256-xts", "--sector-size", "4096"], ["aes-256-xts", "--sector-size", "512"]
    for plain in [b"%PDF-1.4\n" + random_bytes(4096 * 60 + 284, seed=5) + b"\n%%EOF\n", zipped(random_bytes(4096 * 20 + 100, seed=6)),
                  png(random_bytes(4096 * 30, seed=7))]:  # fmt: skip
        done = migrating(plain, wide, narrow)
        assert files.run("decrypt", *NEW, "OUT", check=0).stdout != plain
        assert_kept(files, done)
        assert plain.startswith(b"\x89PNG") or b"doubtful" in migrating(plain, wide, wide).stderr


def test_sectors_that_would_give_text_too_are_named(files, migrating):
    text = TEXT * 2000
    assert_kept(files, migrating(text, ["aes-256-xts", "--sector-size", "4096"], ["aes-256-xts", "--sector-size", "512"]), b"sectors of 4096 bytes")


@pytest.mark.parametrize("cipher", ["aes-256-cbc", "aes-256-cfb", "aes-256-ctr", "des-ede3-cbc"])
def test_an_iv_that_is_not_there(files, migrating, cipher):
    """The first block is taken for it, and text without that is text: what it was is nowhere then."""
    key, iv = random_bytes(24 if "des" in cipher else 32, seed=21), "ab" * (8 if "des" in cipher else 16)
    files.write("old", key)
    text = b"PIN 4711-8822-19\nthe rest of an ordinary text file, which can be read as well\n"
    assert_kept(files, migrating(text, [cipher, "--iv", iv], [cipher, "--iv-prefix"]))


@pytest.mark.parametrize("plain", [*PACKED.values(), BEGUN["gzip"], WHOLE["PNG"]], ids=[*PACKED, "gzip", "PNG"])
def test_an_iv_that_is_there(files, migrating, plain):
    """A format's beginning and padding show that it is; text cannot."""
    both = ["aes-256-cbc", "--iv-prefix"]
    assert_vouched(files, migrating(plain, both, both), plain)
    assert_kept(files, migrating(TEXT * 20, both, both), b"the iv")


@pytest.mark.parametrize("number", [0, 1])
def test_an_iv_of_zeros_is_none(files, migrating, number):
    """The first block of ECB is that of CBC with an iv of zeros."""
    both = [["aes-256-ecb"], ["aes-256-cbc", "--iv", "00" * 16]]
    for tail in range(3000):
        plain = b"%PDF-1.7" + random_bytes(39, seed=tail)
        done = migrating(plain, both[number], both[1 - number])
        if done.returncode == 7:
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
