"""raw decrypt --cms: what a wrong key, a cut, a change and a lie end with; and a message that changes while it is read."""

import pytest
from conftest import CHUNK, random_bytes, run_openssl

pytest.importorskip("cryptography", reason="cryptography is not installed")

import made_messages as made  # noqa: E402
from made_messages import KEK  # noqa: E402
from sealed_messages import BY_KEY, IS_NOT_OPENED, RECIPIENTS, decrypt, files, keys, seal  # noqa: E402, F401


def refused_as_one(files, *options, tries=3, **more):
    """A wrong key in CBC has right padding once in 256 times, and three times in a row never."""
    for _ in range(tries):
        done = decrypt(files, *options, **more)
        if done.returncode != 0:
            files.assert_refused(done, 4, IS_NOT_OPENED)
            return done.stderr
    raise AssertionError("a wrong key opens a message again and again")


@pytest.mark.parametrize("cipher", ["-aes256", "-aes-256-gcm"])
def test_every_failure_under_a_key_is_the_same(files, cipher):
    """A wrong key, a changed key of the content, and a changed content are told in one message, with one exit code."""
    message = seal(files, random_bytes(1000), ["-keyid", "-recip", "cert.pem"], cipher)
    messages = set()
    messages.add(refused_as_one(files, "--private-key-file", "other.pem"))
    for at in range(120, 300, 60):  # within the key that RSA encrypted
        files.write("MESSAGE", message[:at] + bytes([message[at] ^ 0x20]) + message[at + 1 :])
        messages.add(refused_as_one(files, *BY_KEY))
    files.write("MESSAGE", message)
    content = len(message) - (20 if "gcm" in cipher else 3)
    for flip in (1, 0x80, 0xFF):
        damaged = message[:content] + bytes([message[content] ^ flip]) + message[content + 1 :]
        files.write("MESSAGE", damaged)
        done = decrypt(files, *BY_KEY)
        if done.returncode != 0:
            messages.add(done.stderr)
    assert len(messages) == 1, messages


@pytest.mark.parametrize("kind", ["key", "passphrase", "ECDH", "OAEP"])
def test_a_wrong_secret_is_refused_at_once(files, kind):
    seal(files, b"plain" * 300_000, RECIPIENTS[kind][0])
    files.write("wrong", bytes(32))
    files.write("wrong_pass", b"incorrect horse\n")
    run_openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "wrong_ec.pem", cwd=files.folder)
    wrong = {
        "key": ["--key-file", "wrong"], "passphrase": ["--passphrase-file", "wrong_pass"],
        "ECDH": ["--private-key-file", "wrong_ec.pem"], "OAEP": ["--private-key-file", "other.pem"],
    }[kind]  # fmt: skip
    files.assert_refused(decrypt(files, *wrong), 4, IS_NOT_OPENED)
    assert "OUT" not in files.names()


def test_what_everybody_sees_is_told(files):
    seal(files, b"plain", ["-recip", "cert.pem"])
    for options, code, words in (
        (["--private-key-file", "key.pem", "--from-cert", "other_cert.pem"], 2, ["not that of the private key"]),
        (["--private-key-file", "other.pem", "--from-cert", "other_cert.pem"], 4, ["not for this certificate", "CN=key", "quoted"]),
        (["--private-key-file", "small.pem"], 4, ["other sizes"]),
        (["--private-key-file", "ec.pem"], 4, ["a key of a curve", "an RSA key"]),
        (["--passphrase-file", "pass"], 4, ["a passphrase", "an RSA key"]),
        (["--key-file", "kek"], 4, ["no recipient with a key", "an RSA key"]),
        ([], 2, ["--private-key-file"]),
        (["--from-cert", "cert.pem"], 2, ["--from-cert", "--private-key-file"]),
        (["--private-key-file", "kek"], 2, ["no private key"]),
        (["--private-key-file", "cert.pem"], 2, ["no private key"]),
        (["--private-key-file", "key.pem", "--from-cert", "key.pem"], 2, ["no X.509 certificate"]),
        (["--private-key-file", "missing"], 1, ["cannot open", "--private-key-file"]),
        ([*BY_KEY, "--key-file", "kek"], 2, ["keep one"]),
        ([*BY_KEY, *BY_KEY], 2, ["more than one private key"]),
        ([*BY_KEY, "--cipher", "aes-256-cbc"], 2, ["a message names its own"]),
        ([*BY_KEY, "--range", "0:1"], 2, ["--range"]),
        ([*BY_KEY, "-a"], 2, ["base64 is found"]),
        ([*BY_KEY, "--nonce", "00"], 2, ["--nonce"]),
    ):
        files.assert_refused(decrypt(files, *options), code, *words)
    files.assert_refused(files.run("raw", "decrypt", *BY_KEY, "MESSAGE", "OUT"), 2, "--cms")
    assert "OUT" not in files.names()


def test_changed_attributes_are_refused(files):
    key = random_bytes(32, 5)
    attribute = made.element(made.SEQUENCE, made.object_id("1.2.3.4"), made.element(made.SET, made.number(7)))
    message = made.auth_enveloped([made.kek_recipient(KEK, key)], key, b"plain", [attribute])
    assert message.count(attribute) == 1
    other = made.element(made.SEQUENCE, made.object_id("1.2.3.4"), made.element(made.SET, made.number(8)))
    files.write("MESSAGE", message.replace(attribute, other))
    files.assert_refused(decrypt(files, "--key-file", "kek"), 4, IS_NOT_OPENED)


@pytest.mark.parametrize("cipher", ["-aes256", "-aes-256-gcm"])
@pytest.mark.parametrize("form", [["DER"], ["DER", "-stream"], ["PEM"], ["SMIME", "-stream"]], ids=lambda form: "".join(form))
def test_cut_anywhere(files, cipher, form):
    """A message that has no end is told by that, or in CBC opened by what it has up to its end mark."""
    plain = random_bytes(100)
    message = seal(files, plain, ["-secretkey", KEK.hex(), "-secretkeyid", "00"], cipher, form)
    for size in range(0, len(message.rstrip()), 1 if form[0] == "DER" else 4):  # four characters are three bytes
        done = decrypt(files, "--key-file", "kek", source="-", stdin=message[:size])
        if done.returncode == 0:  # nothing but the text's end is missing
            assert files.read("OUT") == plain and form[0] != "DER"
            files.folder.joinpath("OUT").unlink()
            continue
        assert done.returncode in (2, 5), (size, done)
        assert len(done.stderr.splitlines()) == 1 and "OUT" not in files.names()
        files.write("MESSAGE", message[:size])
        again = decrypt(files, "--key-file", "kek")
        assert again.returncode == done.returncode, (size, again, done)


@pytest.mark.parametrize("cipher", ["-aes256", "-aes-256-gcm"])
def test_each_byte_changed(files, cipher):
    """Nothing but a line is said, and GCM gives no other plaintext."""
    plain = random_bytes(40)
    message = seal(files, plain, ["-secretkey", KEK.hex(), "-secretkeyid", "00"], cipher, ["DER", "-stream"])
    for at in range(len(message)):
        for flip in (1, 0x80):
            done = decrypt(files, "--key-file", "kek", source="-", stdin=message[:at] + bytes([message[at] ^ flip]) + message[at + 1 :])
            if done.returncode == 0:
                assert cipher == "-aes256" or files.read("OUT") == plain, at
                files.folder.joinpath("OUT").unlink()
                continue
            assert done.returncode in (2, 4, 5, 6), (at, done)
            assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith(b"phalanx: ") and "OUT" not in files.names()


HOSTILE = dict(made.hostile_messages())


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_structures(files, what):
    files.write("MESSAGE", HOSTILE[what])
    for options in (["--key-file", "kek"], BY_KEY, ["--passphrase-file", "pass"]):
        for source, stdin in (("MESSAGE", b""), ("-", HOSTILE[what])):
            done = decrypt(files, *options, source=source, stdin=stdin)
            assert done.returncode in (2, 4, 5), done
            assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith(b"phalanx: "), done
    files.run("inspect", "--json", "MESSAGE")
    assert "OUT" not in files.names()


def test_a_passphrase_that_would_take_for_ever(files):
    """The number of iterations is the message's, and nobody is kept waiting for ever."""
    recipient = made.passphrase_recipient(b"horse", bytes(32), said_iterations=2**31 - 1)
    files.write("MESSAGE", made.enveloped([recipient], bytes(32), b"plain"))
    files.assert_refused(decrypt(files, "--passphrase-file", "pass"), 6, "2147483647 iterations")


@pytest.mark.parametrize("form", [["DER"], ["DER", "-stream"], ["PEM"]], ids=lambda form: "".join(form))
@pytest.mark.parametrize("cipher", ["-aes256", "-aes-256-gcm"])
def test_what_is_appended_is_no_part_of_it(files, faults, cipher, form):
    plain = random_bytes(3 * CHUNK)
    seal(files, plain, ["-recip", "cert.pem"], cipher, form)
    done = decrypt(files, *BY_KEY, env=faults("pread:MESSAGE@4=run", actor="echo more >> MESSAGE"), check=0)
    assert files.read("OUT") == plain and b"grew" in done.stderr
    decrypt(files, *BY_KEY, check=0)
    assert files.read("OUT") == plain, "what stands behind a message is none of it"


@pytest.mark.parametrize("form", [["DER"], ["DER", "-stream"]], ids=lambda form: "".join(form))
@pytest.mark.parametrize("cipher", ["-aes256", "-aes-256-gcm"])
def test_a_message_that_changes_meanwhile(files, faults, cipher, form):
    """It is refused, or was read before it changed, and no OUT has anything else."""
    plain, codes = random_bytes(2 * CHUNK), set()
    message = seal(files, plain, ["-recip", "cert.pem"], cipher, form)
    change = f"""python3 -S -c 'import os; f = os.open("MESSAGE", 2); os.pwrite(f, bytes([{message[CHUNK] ^ 1}]), {CHUNK})'"""
    for number in (*range(1, 24, 2), 31, 41, 61, 101):
        files.write("MESSAGE", message)
        environment = faults(f"pread:MESSAGE@{number}=run", actor=change)
        done = decrypt(files, "--threads", "1", *BY_KEY, env=environment)
        codes.add(done.returncode)
        assert done.returncode in (0, 1, 4), done
        if done.returncode == 0:
            assert files.read("OUT") == plain
            files.folder.joinpath("OUT").unlink()
        assert "OUT" not in files.names()
    assert 1 in codes and 0 in codes, codes
