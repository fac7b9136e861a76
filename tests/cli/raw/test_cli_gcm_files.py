"""raw encrypt and decrypt in GCM: files of other programs in their own orders of nonce, ciphertext and tag, at every kind of length."""

import pathlib
import re
import sys

import pytest
from conftest import CHUNK, random_bytes

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "container"))
pytest.importorskip("cryptography", reason="cryptography is not installed")

from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: E402

LENGTHS = [0, 1, 15, 16, 17, 100, 4096, 32_768, 65_541]
EDGES = [CHUNK - 1, CHUNK, CHUNK + 1, CHUNK + 15, CHUNK + 16, CHUNK + 17, 2 * CHUNK, 3 * CHUNK + 5, 5 * CHUNK + 31]
KEY = random_bytes(32, seed=7)
NONCE = bytes(range(0x20, 0x2C))
GCM = ["--cipher", "aes-256-gcm", "--key-file", "key"]


@pytest.fixture
def files(phalanx):
    phalanx.write("key", KEY)
    return phalanx


def records():
    """What other programs wrote: {layout: fields}."""
    text = (ROOT / "tests/vectors/gcm_files/gcm_files.txt").read_text(encoding="utf-8")
    found = {}
    for block in re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).strip().split("\n\n"):
        fields = dict(line.split(" = ", 1) for line in block.splitlines())
        found[fields["layout"]] = fields
    return found


def layouts():
    """The table of docs/gcm_files.md: {layout: options}."""
    page = (ROOT / "docs/gcm_files.md").read_text(encoding="utf-8")
    return {row[0]: row[1].split() for row in re.findall(r"^\| ([^|`]+) \| [^|]+ \| `phalanx raw decrypt ([^`]+)` \|$", page, re.MULTILINE)}


@pytest.mark.parametrize("layout", records())
def test_files_of_other_programs(files, layout):
    """The options are those of the page's table."""
    fields = records()[layout]
    files.write("key", bytes.fromhex(fields["key"]))
    files.write("IN", bytes.fromhex(fields["file"]))
    given = {"NONCE": fields.get("nonce"), "TAG": fields.get("tag")}
    options = [given.get(word, word) for word in layouts()[layout]]
    if "aad" in fields:
        options += ["--associated-data", bytes.fromhex(fields["aad"]).decode()]
    assert options[:2] == ["--cipher", fields["cipher"]] and options[2:4] == ["--key-file", "key"]
    files.run("raw", "decrypt", *options, "IN", "OUT", check=0)
    assert files.read("OUT") == bytes.fromhex(fields["plaintext"])


def test_each_file_is_in_the_table_and_each_row_is_tried():
    assert set(layouts()) == {*records(), "pyca, nonce in front", "pyca, nonce apart"}


def test_each_file_is_of_its_program():
    assert all(fields["program"] for fields in records().values())
    for fields in records().values():
        assert fields["plaintext"] == bytes((7 * i + 1) % 256 for i in range(100)).hex()


@pytest.mark.parametrize("size", LENGTHS + EDGES)
def test_pyca_reads_what_is_written_and_the_other_way(files, size):
    plain = random_bytes(size, seed=size + 1)
    files.write("IN", plain)
    for source, target in (("IN", "OUT"), ("IN", "-"), ("-", "OUT"), ("-", "-")):
        done = files.run("raw", "encrypt", *GCM, "-f", "--associated-data", "page 7", source, target, stdin=plain, check=0)
        sealed = done.stdout if target == "-" else files.read("OUT")
        assert len(sealed) == 12 + size + 16
        assert AESGCM(KEY).decrypt(sealed[:12], sealed[12:], b"page 7") == plain
    theirs = NONCE + AESGCM(KEY).encrypt(NONCE, plain, b"page 7")
    files.write("IN", theirs)
    for source, target in (("IN", "OUT"), ("IN", "-"), ("-", "OUT"), ("-", "-")):
        done = files.run("raw", "decrypt", *GCM, "-f", "--associated-data", "page 7", source, target, stdin=theirs, check=0)
        assert (done.stdout if target == "-" else files.read("OUT")) == plain


@pytest.mark.parametrize("layout", ["pyca, nonce in front", "pyca, nonce apart"])
def test_pyca_by_the_rows_of_the_table(files, layout):
    plain = random_bytes(70_000, seed=3)
    sealed = AESGCM(KEY).encrypt(NONCE, plain, None)
    files.write("IN", sealed if "apart" in layout else NONCE + sealed)
    options = [NONCE.hex() if word == "NONCE" else word for word in layouts()[layout]]
    assert files.run("raw", "decrypt", *options, "IN", check=0).stdout == plain


@pytest.mark.parametrize("nonce_bytes", [1, 8, 11, 12, 13, 16, 32, 128])
@pytest.mark.parametrize("tag_first", [False, True])
def test_nonces_and_tags_of_other_lengths(files, nonce_bytes, tag_first):
    """pyca takes nonces of 8 to 128 bytes; of a shorter one our own seal is opened."""
    plain, nonce = random_bytes(CHUNK + 40, seed=4), random_bytes(nonce_bytes, seed=5)
    if nonce_bytes >= 8:
        sealed = AESGCM(KEY).encrypt(nonce, plain, None)
    else:
        sealed = files.run("raw", "encrypt", *GCM, "--nonce", nonce.hex(), "--allow-nonce", stdin=plain, check=0).stdout
    text, tag = sealed[:-16], sealed[-16:]
    for tag_bytes in (12, 15, 16):
        short = tag[:tag_bytes]
        files.write("IN", nonce + (short + text if tag_first else text + short))
        where = ["--nonce-bytes", nonce_bytes, "--tag-bytes", tag_bytes, *(["--tag-first"] if tag_first else [])]
        assert files.run("raw", "decrypt", *GCM, *where, "IN", check=0).stdout == plain
        files.write("IN", text)
        apart = ["--nonce", nonce.hex(), "--tag", short.hex()]
        assert files.run("raw", "decrypt", *GCM, *apart, "IN", check=0).stdout == plain


def test_a_nonce_of_ones_own(files):
    plain = random_bytes(1000)
    sealed = files.run("raw", "encrypt", *GCM, "--nonce", NONCE.hex(), "--allow-nonce", stdin=plain, check=0).stdout
    assert sealed == AESGCM(KEY).encrypt(NONCE, plain, None)
    files.assert_refused(files.run("raw", "encrypt", *GCM, "--nonce", NONCE.hex(), stdin=plain), 6, "--allow-nonce", "twice")
    files.assert_refused(files.run("raw", "encrypt", *GCM, "--allow-nonce", stdin=plain), 2, "--nonce")


def test_nonces_are_drawn_anew(files):
    drawn = {files.run("raw", "encrypt", *GCM, stdin=b"x", check=0).stdout[:12] for _ in range(8)}
    assert len(drawn) == 8


@pytest.mark.parametrize("bits", [128, 192, 256])
def test_every_key_of_aes(files, bits):
    key, plain = random_bytes(bits // 8, seed=bits), random_bytes(CHUNK + 3)
    files.write("key", key)
    cipher = ["--cipher", f"aes-{bits}-gcm", "--key-file", "key"]
    sealed = files.run("raw", "encrypt", *cipher, stdin=plain, check=0).stdout
    assert AESGCM(key).decrypt(sealed[:12], sealed[12:], None) == plain
    assert files.run("raw", "decrypt", *cipher, stdin=sealed, check=0).stdout == plain


@pytest.mark.parametrize("cipher", ["serpent-256", "twofish-256"])
def test_serpent_and_twofish_beside_libgcrypt(files, cipher):
    gcrypt = pytest.importorskip("libgcrypt_gcm", reason="libgcrypt is not installed")
    oracle = {"serpent-256": gcrypt.SerpentGcm, "twofish-256": gcrypt.TwofishGcm}[cipher](KEY)
    options = ["--cipher", f"{cipher}-gcm", "--key-file", "key"]
    for size in (0, 33, CHUNK + 17):
        plain = random_bytes(size, seed=size)
        sealed = files.run("raw", "encrypt", *options, stdin=plain, check=0).stdout
        assert oracle.decrypt(sealed[:12], sealed[12:], b"") == plain
        assert files.run("raw", "decrypt", *options, stdin=NONCE + oracle.encrypt(NONCE, plain, b""), check=0).stdout == plain


@pytest.mark.parametrize("cipher", ["serpent-128", "serpent-192", "twofish-128", "twofish-192"])
def test_the_other_keys_come_back(files, cipher):
    key_bytes = int(cipher[-3:]) // 8
    files.write("key", KEY[:key_bytes])
    options = ["--cipher", f"{cipher}-gcm", "--key-file", "key"]
    sealed = files.run("raw", "encrypt", *options, stdin=b"a line\n", check=0).stdout
    assert files.run("raw", "decrypt", *options, stdin=sealed, check=0).stdout == b"a line\n"


def test_xaes(files):
    """The vectors of its specification, and what is written comes back."""
    vectors = (ROOT / "tests/vectors/xaes_256_gcm.txt").read_text(encoding="utf-8")
    for block in re.sub(r"^#.*\n", "", vectors, flags=re.MULTILINE).strip().split("\n\n"):
        fields = {name: value.strip() for name, value in (line.split("=", 1) for line in block.splitlines())}
        fields = {name.strip(): value for name, value in fields.items()}
        files.write("key", bytes.fromhex(fields["key"]))
        options = ["--cipher", "XAES-256-GCM", "--key-file", "key"]
        options += ["--associated-data", bytes.fromhex(fields["aad"]).decode()] if fields["aad"] else []
        sealed = bytes.fromhex(fields["iv"] + fields["ciphertext"] + fields["tag"])
        assert files.run("raw", "decrypt", *options, stdin=sealed, check=0).stdout == bytes.fromhex(fields["plaintext"])
        for size in (0, 5, CHUNK + 100):
            plain = random_bytes(size)
            ours = files.run("raw", "encrypt", *options, stdin=plain, check=0).stdout
            assert len(ours) == 24 + size + 16
            assert files.run("raw", "decrypt", *options, stdin=ours, check=0).stdout == plain


def test_associated_data_of_a_file(files):
    associated = random_bytes(100_001, seed=9)
    files.write("header", associated)
    plain = random_bytes(50)
    sealed = files.run("raw", "encrypt", *GCM, "--associated-data-file", "header", stdin=plain, check=0).stdout
    assert AESGCM(KEY).decrypt(sealed[:12], sealed[12:], associated) == plain
    assert files.run("raw", "decrypt", *GCM, "--associated-data-file", "header", stdin=sealed, check=0).stdout == plain
    files.assert_refused(files.run("raw", "decrypt", *GCM, stdin=sealed), 3, "associated data")
    files.assert_refused(files.run("raw", "encrypt", *GCM, "--associated-data-file", "header", "key", "header", "-f"), 2, "header")
    assert files.read("header") == associated
    with open(files.folder / "long", "wb") as file:
        file.truncate((16 << 20) + 1)
    files.assert_refused(files.run("raw", "encrypt", *GCM, "--associated-data-file", "long", "header", "OUT"), 2, "16777216")


@pytest.mark.parametrize("engine", ["cpu:scalar", "cpu"])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_engine_and_any_threads_give_the_same(files, engine, threads):
    plain = random_bytes(3 * CHUNK + 777, seed=6)
    run = ["--engine", engine, "--threads", threads]
    sealed = files.run("raw", "encrypt", *GCM, *run, "--nonce", NONCE.hex(), "--allow-nonce", stdin=plain, check=0).stdout
    assert sealed == AESGCM(KEY).encrypt(NONCE, plain, None)
    assert files.run("raw", "decrypt", *GCM, *run, "--nonce", NONCE.hex(), stdin=sealed, check=0).stdout == plain


def test_verbose_names_the_engine(files):
    files.write("IN", b"x")
    done = files.run("raw", "encrypt", *GCM, "-v", "--engine", "cpu:scalar", "IN", "OUT", check=0)
    assert b"aes-256-gcm runs on cpu:scalar" in done.stderr


def test_a_message_behind_other_bytes(files):
    files.write("IN", b"HEADER" + NONCE + AESGCM(KEY).encrypt(NONCE, b"a line\n", None))
    assert files.run("raw", "decrypt", *GCM, "--skip", 6, "IN", check=0).stdout == b"a line\n"
    assert files.run("raw", "decrypt", *GCM, "--skip", 6, stdin=files.read("IN"), check=0).stdout == b"a line\n"


def test_standard_input_is_taken_where_it_stands(files):
    files.write("IN", b"HEADER" + NONCE + AESGCM(KEY).encrypt(NONCE, b"a line\n", None))
    with open(files.folder / "IN", "rb") as file:
        file.seek(6)
        done = files.run("raw", "decrypt", *GCM, stdin_file=file, check=0)
    assert done.stdout == b"a line\n"


REFUSED = [  # options behind GCM, exit code, words
    ("encrypt --iv 00112233445566778899aabb IN OUT", 2, ["--nonce"]),
    ("encrypt --padding pkcs7 IN OUT", 2, ["--padding"]),
    ("encrypt --sector-size 512 IN OUT", 2, ["XTS"]),
    ("encrypt --in-place IN", 2, ["in place"]),
    ("encrypt --md md5 IN OUT", 2, ["--openssl"]),
    ("encrypt -a IN OUT", 2, ["--openssl"]),
    ("encrypt --nonce 0 --allow-nonce IN OUT", 2, ["--nonce", "odd"]),
    ("encrypt --nonce zz --allow-nonce IN OUT", 2, ["--nonce", "hex"]),
    ("encrypt --tag 00 IN OUT", 2, ["--tag"]),
    ("decrypt --nonce 00 --nonce-bytes 1 IN OUT", 2, ["--nonce-bytes"]),
    ("decrypt --tag 0011 IN OUT", 2, ["12 to 16", "2"]),
    ("decrypt --tag-bytes 8 IN OUT", 2, ["--tag-bytes"]),
    ("decrypt --tag 00112233445566778899aabb --tag-first IN OUT", 2, ["--tag-first"]),
    ("decrypt --tag 00112233445566778899aabb --tag-bytes 12 IN OUT", 2, ["--tag-bytes"]),
    ("decrypt --associated-data a --associated-data-file key IN OUT", 2, ["--associated-data-file"]),
    ("decrypt --associated-data-file - IN OUT", 2, ["--associated-data-file"]),
    ("decrypt --associated-data-file nowhere IN OUT", 1, ["nowhere"]),
    ("decrypt --range 0:5 IN OUT", 2, ["gcm", "tag"]),
    ("decrypt --skip x IN OUT", 2, ["--skip"]),
    ("decrypt --nonce-bytes 0 IN OUT", 2, ["--nonce-bytes"]),
]


@pytest.mark.parametrize("command, code, words", REFUSED)
def test_what_does_not_fit_is_refused(files, command, code, words):
    files.write("IN", random_bytes(100))
    action, *options = command.split()
    files.assert_refused(files.run("raw", action, *GCM, *options), code, *words)
    assert files.names() == ["IN", "key"]


def test_xaes_takes_its_own_sizes_alone(files):
    files.write("IN", random_bytes(100))
    xaes = ["--cipher", "xaes-256-gcm", "--key-file", "key"]
    files.assert_refused(files.run("raw", "decrypt", *xaes, "--nonce", "00" * 12, "IN", "OUT"), 2, "24 bytes")
    files.assert_refused(files.run("raw", "decrypt", *xaes, "--nonce-bytes", 12, "IN", "OUT"), 2, "24 bytes")
    files.assert_refused(files.run("raw", "decrypt", *xaes, "--tag-bytes", 12, "IN", "OUT"), 2, "16 bytes")


@pytest.mark.parametrize("options", ["--nonce 00", "--nonce-bytes 12", "--tag 00", "--tag-first", "--associated-data x", "--tag-bytes 12"])
def test_other_modes_take_none_of_its_options(files, options):
    files.write("IN", bytes(16))
    ctr = ["--cipher", "aes-256-ctr", "--iv", "00" * 16, "--key-file", "key"]
    files.assert_refused(files.run("raw", "decrypt", *ctr, *options.split(), "IN", "OUT"), 2, options.split()[0], "gcm")


def test_a_passphrase_is_no_key(files):
    files.write("pass", b"secret\n")
    files.assert_refused(files.run("raw", "encrypt", "--cipher", "aes-256-gcm", "--passphrase-file", "pass", "key", "OUT"), 2, "key")


def test_openssl_enc_has_none_but_of_aes(files):
    files.write("pass", b"secret\n")
    openssl = ["--openssl", "--cipher", "serpent-256-gcm", "--passphrase-file", "pass"]
    files.assert_refused(files.run("raw", "decrypt", *openssl, "key", "OUT"), 2, "gcm", "without --openssl")


def test_migrate_says_what_reads_it(files):
    files.write("new", random_bytes(32, seed=8))
    old = ["--from-cipher", "aes-256-gcm", "--from-key-file", "key", "--key-file", "new"]
    files.assert_refused(files.run("migrate", *old, "key", "OUT"), 2, "gcm", "phalanx raw decrypt")


def test_more_than_a_message_may_have_is_refused_first(files):
    most = (1 << 36) - 32
    with open(files.folder / "IN", "wb") as file:
        file.truncate(most + 1)
    files.assert_refused(files.run("raw", "encrypt", *GCM, "IN", "OUT"), 2, str(most))
    done = files.run("raw", "encrypt", *GCM, "IN", "-")
    assert done.returncode == 2 and done.stdout == b""
    with open(files.folder / "IN", "wb") as file:
        file.truncate(most + 12 + 16 + 1)
    files.assert_refused(files.run("raw", "decrypt", *GCM, "IN", "OUT"), 2, "longer than any message")
    assert files.names() == ["IN", "key"]
