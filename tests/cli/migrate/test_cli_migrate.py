"""migrate, one file: every old cipher and mode, openssl's files, wrong keys, cut files, and what is proved afterwards."""

import hashlib
import json
import subprocess

import pytest
from conftest import CHUNK, FLIP, IV8, PROGRAM, iv_for, openssl, random_bytes

PASSPHRASE = b"correct horse battery staple"
NEW = ["--key-file", "new"]
MIGRATE = ["migrate", "--doubt-is-ok"]  # noise, in modes that show nothing
MODES = ["ecb", "cbc", "ctr", "cfb", "ofb"]
NAMES = [f"des-ede3-{mode}" for mode in MODES] + [f"aes-256-{mode}" for mode in [*MODES, "xts"]]
NAMES += ["des-cbc", "2des-cfb", "des-ede-ecb", "serpent-192-cbc", "serpent-256-xts", "twofish-128-ctr", "twofish-192-ofb"]


@pytest.fixture
def files(phalanx):
    phalanx.write("new", random_bytes(32, seed=3))
    phalanx.write("pass", PASSPHRASE + b"\n")
    return phalanx


def a_pdf(size):
    """Which shows by its beginning that the iv was right, too."""
    return b"%PDF-1.7\n" + random_bytes(size)


def opened(files, name="OUT"):
    return files.run("decrypt", *NEW, name, check=0).stdout


def assert_migrated(files, done, plain, name="OUT"):
    """The exit code, one line that says that OUT was read back, and that it opens to this plaintext."""
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode() == f"read back: OUT opens to the plaintext of IN, {len(plain)} byte{'s'[: len(plain) != 1]}\n"
    assert opened(files, name) == plain
    assert not [name for name in files.names() if name.endswith("partial")]


def old_file(files, key, name, plain, *options):
    """Encrypts plain by `raw`; returns the options that name the old side."""
    key_name, _ = key(name if name.endswith("xts") else name.rsplit("-", 1)[0])
    iv = [] if name.endswith("ecb") else ["--iv", iv_for(name.rsplit("-", 1)[0])]
    common = ["--cipher", name, "--key-file", key_name, *iv, *options]
    files.write("plain", plain)
    files.run("raw", "encrypt", "--allow-legacy", "-f", *common, "plain", "IN", check=0)
    return ["--from-" + word[2:] if word.startswith("--") else word for word in common]


@pytest.mark.parametrize("name", NAMES)
def test_every_old_cipher_and_mode(files, key, name):
    plain = random_bytes(CHUNK + 16 * 1024 + 3)
    assert_migrated(files, files.run(*MIGRATE, *old_file(files, key, name, plain), *NEW, "IN", "OUT"), plain)


@pytest.mark.parametrize("size", [0, 1, 16384, CHUNK - 1, CHUNK, CHUNK + 15])
def test_sizes(files, key, size):
    plain = random_bytes(size)
    assert_migrated(files, files.run(*MIGRATE, *old_file(files, key, "des-ede3-cbc", plain), *NEW, "IN", "OUT"), plain)


@pytest.mark.parametrize("padding", ["none", "x923", "iso7816", "zero"])
def test_paddings(files, key, padding):
    plain = random_bytes(4096)[:-1] + b"\1"
    options = old_file(files, key, "des-ede3-cbc", plain, "--padding", padding)
    assert_migrated(files, files.run(*MIGRATE, *options, *NEW, "IN", "OUT"), plain)


@pytest.mark.parametrize("suite", ["aes-128", "serpent-256", "twofish-256"])
def test_suites_and_their_keys(files, key, suite):
    plain = random_bytes(100_000)
    options = old_file(files, key, "des-ede3-cbc", plain)
    files.write("new", random_bytes(16 if suite == "aes-128" else 32))
    assert_migrated(files, files.run(*MIGRATE, *options, "--cipher", suite, *NEW, "IN", "OUT"), plain)


@pytest.mark.parametrize("digest", ["md5", "sha1", "sha256", "sha512"])
@pytest.mark.parametrize("options", ["-des3", "-des3 -pbkdf2", "-aes-128-cbc -a", "-des-ede3-ecb -nosalt"])
def test_openssl_files_of_every_digest(files, digest, options):
    """Also with the digest found by the padding, for which a passphrase is tried until no other digest fits by chance."""
    plain = random_bytes(70_004)
    cipher, *others = options.split()
    sealed = openssl("enc", *options.split(), "-md", digest, "-pass", "file:pass", stdin=plain, cwd=files.folder)
    files.write("IN", sealed)
    ours = {"-pbkdf2": "--from-pbkdf2", "-a": "--from-base64", "-nosalt": "--from-no-salt"}
    old = ["--from-openssl", "--from-cipher", cipher[1:], *(ours[word] for word in others), "--from-passphrase-file", "pass"]
    assert_migrated(files, files.run(*MIGRATE, *old, "--from-md", digest, *NEW, "IN", "OUT"), plain)
    done = files.run(*MIGRATE, *old, "--from-md", "auto", *NEW, "IN", "AUTO")
    if f"took {digest}".encode() in done.stderr:
        assert_migrated(files, done, plain, "AUTO")
    else:
        assert b"bytes of padding" in done.stderr


def test_an_openssl_file_under_a_key(files, key):
    name, digits = key("des-ede3")
    plain = random_bytes(5000)
    files.write("IN", openssl("enc", "-des3", "-K", digits, "-iv", IV8, stdin=plain))
    old = ["--from-openssl", "--from-cipher", "des3", "--from-key-file", name, "--from-iv", IV8]
    assert_migrated(files, files.run(*MIGRATE, *old, *NEW, "IN", "OUT"), plain)


@pytest.mark.parametrize("name", ["des-ede3-cbc", "aes-256-ctr", "serpent-256-cfb"])
def test_the_iv_leads_the_file(files, key, name):
    plain = random_bytes(CHUNK + 16)
    options = old_file(files, key, name, plain)
    iv = iv_for(name.rsplit("-", 1)[0])
    files.write("IN", bytes.fromhex(iv) + files.read("IN"))
    options[options.index("--from-iv") : options.index("--from-iv") + 2] = ["--from-iv-prefix"]
    assert_migrated(files, files.run(*MIGRATE, *options, *NEW, "IN", "OUT"), plain)
    files.write("SHORT", files.read("IN")[:5])
    files.assert_refused(files.run(*MIGRATE, *options, *NEW, "SHORT", "OUT2"), 5, "iv")
    assert "OUT2" not in files.names()


def test_sectors(files, key):
    plain = random_bytes(64 * 4096)
    name, _ = key("aes-256-xts")
    common = ["--cipher", "aes-256-xts", "--key-file", name, "--sector-size", "4096", "--sector-offset", "9"]
    files.run("raw", "encrypt", *common, stdin=plain, check=0)
    files.write("IN", files.run("raw", "encrypt", *common, stdin=plain, check=0).stdout)
    old = ["--from-" + word[2:] if word.startswith("--") else word for word in common]
    assert_migrated(files, files.run(*MIGRATE, *old, *NEW, "IN", "OUT"), plain)


def test_pipes_both_ways(files, key):
    plain = random_bytes(300_000)
    options = old_file(files, key, "des-ede3-cbc", plain)
    done = files.run(*MIGRATE, *options, *NEW, "--no-verify", stdin=files.read("IN"), check=0)
    files.write("OUT", done.stdout)
    assert opened(files) == plain
    refused = files.run(*MIGRATE, *options, *NEW, stdin=files.read("IN"))
    files.assert_refused(refused, 2, "--no-verify")
    assert refused.stdout == b""


def test_without_reading_back_nothing_is_printed(files, key):
    plain = random_bytes(300_000)
    done = files.run(*MIGRATE, *old_file(files, key, "des-ede3-cbc", plain), *NEW, "--no-verify", "IN", "OUT", check=0)
    assert done.stdout == b"" and opened(files) == plain


def test_json_and_progress(files, key):
    plain = random_bytes(300_000)
    options = old_file(files, key, "des-ede3-cbc", plain)
    done = files.run(*MIGRATE, *options, *NEW, "--json", "--progress", "json", "-v", "IN", "OUT", check=0)
    result = json.loads(done.stdout)
    assert result["plain_bytes"] == len(plain) and result["verified"] is True and "plaintext_sha256" not in result
    assert result["in_bytes"] == len(files.read("IN")) and result["out_bytes"] == len(files.read("OUT"))
    lines = done.stderr.decode().splitlines()
    assert json.loads([line for line in lines if line.startswith("{")][0])["bytes"] >= 300_000
    assert any("des-ede3-cbc runs on" in line for line in lines) and any("sealing runs on" in line for line in lines)


def test_the_digest_is_printed_where_it_is_asked_for(files, key):
    plain = random_bytes(CHUNK + 5)
    options = [*old_file(files, key, "des-ede3-cbc", plain), *NEW, "--sha256"]
    digest = hashlib.sha256(plain).hexdigest()
    lines = files.run(*MIGRATE, *options, "IN", "OUT", check=0).stdout.decode().splitlines()
    assert len(lines) == 2 and lines[1] == f"SHA-256 of the plaintext: {digest}"
    assert json.loads(files.run(*MIGRATE, *options, "--json", "IN", "OUT2", check=0).stdout)["plaintext_sha256"] == digest
    assert digest.encode() in files.run(*MIGRATE, *options, "--no-verify", "IN", "OUT3", check=0).stdout


def test_engines_and_threads_give_the_plaintext(files, key):
    plain = random_bytes(CHUNK + 99)
    options = old_file(files, key, "des-ede3-cbc", plain)
    for number, extra in enumerate([["--engine", "cpu:scalar"], ["--threads", "1"], ["--engine", "cpu", "--threads", "3"]]):
        assert_migrated(files, files.run(*MIGRATE, *options, *NEW, *extra, "IN", f"OUT{number}"), plain, f"OUT{number}")


def change(files, name, position, bits=1):
    content = bytearray(files.read(name))
    content[position] ^= bits
    files.write(name, bytes(content))


def test_a_wrong_old_key(files, key):
    """The padding of the whole file shows it at its end; nothing is left of what was sealed before."""
    options = old_file(files, key, "des-ede3-cbc", bytes(2 * CHUNK))
    for seed in range(20, 24):
        files.write("key-des-ede3", random_bytes(24, seed))
        done = files.run(*MIGRATE, *options, *NEW, "IN", "OUT")
        if done.returncode != 0:
            files.assert_refused(done, 4, "padding")
            break
        (files.folder / "OUT").unlink()  # a padding of one byte by chance
    else:
        pytest.fail("four wrong keys in a row passed")
    assert files.names() == sorted(["IN", "key-des-ede3", "new", "pass", "plain"])


def test_a_wrong_old_passphrase(files):
    files.write("IN", openssl("enc", "-des3", "-pass", "file:pass", stdin=bytes(1000), cwd=files.folder))
    old = "--from-openssl --from-cipher des3 --from-passphrase-file".split()
    for number in range(5):
        files.write("wrong", b"incorrect horse %d\n" % number)
        done = files.run(*MIGRATE, *old, "wrong", *NEW, "IN", "OUT")
        if done.returncode != 0:
            files.assert_refused(done, 4, "--from-md")
            break
        (files.folder / "OUT").unlink()
    assert done.returncode == 4 and "OUT" not in files.names()


@pytest.mark.parametrize("keep, code, words", [(-3, 5, ["whole blocks"]), (0, 5, ["empty"]), (CHUNK + 1, 5, ["whole blocks"])])
def test_a_truncated_old_file(files, key, keep, code, words):
    options = old_file(files, key, "des-ede3-cbc", random_bytes(CHUNK + 100))
    sealed = files.read("IN")[:keep]
    for stdin, name in [(b"", "IN"), (sealed, "-")]:
        files.write("IN", sealed)
        files.assert_refused(files.run(*MIGRATE, *options, *NEW, name, "OUT", stdin=stdin), code, *words)
        assert "OUT" not in files.names() and "OUT.phalanx-partial" not in files.names()
    assert files.read("IN") == sealed


CBC = "--from-cipher des-ede3-cbc --from-key-file old --from-iv " + IV8
SSL = "--from-openssl --from-cipher des3 --from-passphrase-file pass"


@pytest.mark.parametrize(
    "options, code, words",
    [
        ("--from-cipher des-ede3-cbc --from-key-file old IN OUT", 2, ["--from-iv"]),
        ("--from-cipher des-ede3-ecb --from-key-file old --from-iv-prefix IN OUT", 2, ["ECB", "--from-iv-prefix"]),
        (f"{CBC} --from-iv-prefix IN OUT", 2, ["--from-iv-prefix", "--from-iv out"]),
        (f"{SSL} --from-iv-prefix IN OUT", 2, ["--from-iv-prefix"]),
        (f"{CBC} --from-md md5 IN OUT", 2, ["--from-md", "--from-openssl"]),
        (f"{CBC} --from-key-file new IN OUT", 2, ["key file new", "24 bytes"]),
        ("--from-cipher aes-256-gcm --from-key-file new --from-iv 00 IN OUT", 2, ["gcm"]),
        (f"{SSL} --from-md auto - OUT", 2, ["seek"]),
        (f"{SSL} --from-md nonsense IN OUT", 2, ["nonsense"]),
        (f"{CBC} --cipher des-ede3 IN OUT", 2, ["aes-256"]),
        (f"{CBC} --delete-source --no-verify IN OUT", 2, ["--delete-source", "--no-verify"]),
        (f"{CBC} --delete-source - OUT", 2, ["--delete-source"]),
        (f"{CBC} --from-tree . IN OUT", 2, ["--manifest"]),
        (f"{CBC} --jobs 2 IN OUT", 2, ["--manifest"]),
        (f"{CBC} --manifest M --to-tree T IN OUT", 2, ["IN", "--from-tree"]),
        (f"{CBC} --manifest M", 2, ["--to-tree"]),
        (f"{CBC} IN IN", 2, ["same file"]),
        (f"{CBC} IN new", 2, ["key file"]),
        (f"{CBC} missing OUT", 1, ["missing"]),
        (f"{CBC} IN OUT --passphrase secret", 2, ["secrets are never arguments"]),
        (f"{SSL} IN OUT", 2, ["Salted__"]),
    ],
)
def test_refused(files, options, code, words):
    files.write("old", random_bytes(24))
    files.write("IN", random_bytes(64))
    before = {name: files.read(name) for name in files.names()}
    files.assert_refused(files.run(*MIGRATE, *NEW, *options.split()), code, *words)
    assert {name: files.read(name) for name in files.names()} == before


def test_the_new_key_must_fit_before_anything_is_read(files, key):
    options = old_file(files, key, "des-ede3-cbc", bytes(100))
    files.write("new", bytes(31))
    files.assert_refused(files.run(*MIGRATE, *options, *NEW, "IN", "OUT"), 2, "32 bytes")
    assert "OUT" not in files.names()


def test_the_source_goes_only_when_asked_and_verified(files, key):
    plain = a_pdf(100_000)
    options = old_file(files, key, "des-ede3-cbc", plain)
    assert_migrated(files, files.run(*MIGRATE, *options, *NEW, "IN", "OUT"), plain)
    assert "IN" in files.names()
    assert_migrated(files, files.run(*MIGRATE, *options, *NEW, "--force", "--delete-source", "IN", "OUT"), plain)
    assert "IN" not in files.names()


@pytest.mark.parametrize(
    "rule, actor, code, words",
    [
        ("fsync:.phalanx-partial@1=run", FLIP, 3, ["read back", "chunk"]),
        ("read:IN@1=run", "touch -d @1000000 IN", 1, ["changed while it was read"]),
    ],
    ids=["flip", "touch"],
)
def test_the_source_stays_where_the_proof_fails(files, key, faults, rule, actor, code, words):
    """The written container is changed before it is read back; or IN changes while it is read."""
    plain = a_pdf(100_000)
    options = old_file(files, key, "des-ede3-cbc", plain)
    sealed = files.read("IN")
    command = ["migrate", *options, *NEW, "--delete-source", "IN", "OUT"]
    done = files.run(*command, env=faults(rule, actor))
    files.assert_refused(done, code, *words)
    assert files.read("IN") == sealed and not [name for name in files.names() if name.startswith("OUT")]
    assert_migrated(files, files.run(*command), plain)
    assert "IN" not in files.names()


def test_a_link_is_not_a_source_to_delete(files, key):
    options = old_file(files, key, "des-ede3-cbc", a_pdf(1000))
    (files.folder / "link").symlink_to("IN")
    done = files.run(*MIGRATE, *options, *NEW, "--delete-source", "link", "OUT")
    assert done.returncode == 1 and b"not removed" in done.stderr
    assert "IN" in files.names() and "link" in files.names()


def test_several_recipients_open_it(files, key):
    plain = random_bytes(50_000)
    options = old_file(files, key, "des-ede3-cbc", plain)
    files.write("other", random_bytes(32, seed=8))
    both = [*NEW, "--key-file", "other", "--passphrase-file", "pass", "--scrypt-log-n", "10"]
    assert_migrated(files, files.run(*MIGRATE, *options, *both, "IN", "OUT"), plain)
    for secret in (["--key-file", "other"], ["--passphrase-file", "pass"]):
        assert files.run("decrypt", *secret, "OUT", check=0).stdout == plain


def test_no_plaintext_is_ever_on_the_disk(files, key, faults):
    """Only the unfinished container is opened beside what is read, and only it is written to. OUT is looked at (O_PATH)."""
    plain = random_bytes(3 * CHUNK)
    options = old_file(files, key, "des-ede3-cbc", plain)
    (files.folder / "plain").unlink()
    log = files.folder / "log"
    assert files.run(*MIGRATE, *options, *NEW, "IN", "OUT", env=faults(log=log)).returncode == 0
    calls = [line.split(" ", 2) for line in log.read_text().splitlines()]
    calls = [(call, path.removeprefix(f"{files.folder}/")) for call, _, path in calls]
    opened = {path for call, path in calls if call == "open" and not path.startswith("/")}
    looked_for = "IN.phalanx-journal"  # that of a run in place over IN, which is not there
    assert opened == {"IN", looked_for, "new", "key-des-ede3", ".", "OUT", "OUT.phalanx-partial", "OUT.phalanx-record"}
    written = {path for call, path in calls if "write" in call or call in ("copy_file_range", "ftruncate")}
    assert {path for path in written if not path.startswith("pipe:")} == {"OUT.phalanx-partial", "OUT.phalanx-record"}
    assert plain[:64] not in files.read("OUT")


def test_a_full_disk(files, key, faults):
    options = old_file(files, key, "des-ede3-cbc", random_bytes(2 * CHUNK))
    script = f"""mkdir small && mount -t tmpfs -o size=1m none small || exit 99
      {PROGRAM} migrate {" ".join([*options, *NEW])} --delete-source IN small/OUT; echo $?; ls -A small"""
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=files.folder, capture_output=True, env=faults())
    if done.returncode == 99 or b"unshare" in done.stderr:
        pytest.skip("this system does not let us mount a small file system")
    assert done.stdout == b"1\n" and b"No space left" in done.stderr and len(done.stderr.splitlines()) == 1
    assert len(files.read("IN")) > 2 * CHUNK
