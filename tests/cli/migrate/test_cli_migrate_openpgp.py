"""migrate --from-openpgp: messages under a passphrase become containers, and none is doubtful."""

import json
import pathlib
import sys

import pytest
from conftest import CHUNK, random_bytes

pytest.importorskip("cryptography", reason="cryptography is not installed")
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "openpgp"))

import openpgp_writer as pgp  # noqa: E402

KEY = ["--key-file", "key"]
OLD = ["--from-openpgp", "--from-passphrase-file", "pass"]
WORDS, SESSION = b"correct horse", bytes(range(32))
FRONT = pgp.skesk_4(WORDS, session_key=SESSION)
FORMS = {
    "MDC": lambda plain: FRONT + pgp.seipd_1(SESSION, pgp.literal(plain)),
    "compressed": lambda plain: FRONT + pgp.seipd_1(SESSION, pgp.compressed(pgp.literal(plain))),
    "OCB": lambda plain: pgp.skesk_6(WORDS, SESSION) + pgp.seipd_2(SESSION, pgp.literal(plain), chunk=10),
    "armor": lambda plain: pgp.armored(FRONT + pgp.seipd_1(SESSION, pgp.literal(plain))),
}


@pytest.fixture
def files(phalanx):
    phalanx.write("key", random_bytes(32, seed=9))
    phalanx.write("pass", WORDS + b"\n")
    return phalanx


def opened(files, name="BOX"):
    return files.run("decrypt", *KEY, name, "-", check=0).stdout


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [0, 1, 2 * CHUNK + 5])
def test_a_message_becomes_a_container(files, form, size):
    plain = random_bytes(size)
    files.write("MESSAGE", FORMS[form](plain))
    done = files.run("migrate", *OLD, *KEY, "--json", "--delete-source", "--delete-volatile", "MESSAGE", "BOX", check=0)
    assert opened(files) == plain and "doubt" not in json.loads(done.stdout) and "MESSAGE" not in files.names()
    files.run("migrate", *OLD, *KEY, "-f", "-", "BOX", stdin=FORMS[form](plain), check=0)
    assert opened(files) == plain


@pytest.mark.parametrize("form", ["MDC", "OCB"])
def test_what_was_changed_becomes_none_and_stays(files, form):
    message = bytearray(FORMS[form](random_bytes(CHUNK)))
    message[-30] ^= 1
    files.write("MESSAGE", bytes(message))
    done = files.run("migrate", *OLD, *KEY, "--delete-source", "--delete-volatile", "MESSAGE", "BOX")
    files.assert_refused(done, 4, "is not opened")
    assert "BOX" not in files.names() and files.read("MESSAGE") == bytes(message)


def test_a_folder_of_messages(files):
    (files.folder / "old").mkdir()
    plains = {f"{form}.gpg": random_bytes(1000, seed=number) for number, form in enumerate(FORMS)}
    for name, plain in plains.items():
        files.write(f"old/{name}", FORMS[name.removesuffix(".gpg")](plain))
    files.write("old/other.gpg", pgp.skesk_4(b"another", session_key=SESSION) + pgp.seipd_1(SESSION, pgp.literal(b"text")))
    files.write("old/old.gpg", FRONT + pgp.sed(SESSION, pgp.literal(b"text")))
    files.write("old/keys.gpg", pgp.pkesk_3() + pgp.seipd_1(SESSION, pgp.literal(b"text")))
    trees = ["--manifest", "new.jsonl", "--from-tree", "old", "--to-tree", "new"]
    done = files.run("migrate", *trees, *OLD, *KEY)
    assert done.returncode == 1, done
    for name, plain in plains.items():
        assert opened(files, f"new/{name}.phalanx") == plain
    assert sorted(path.name for path in (files.folder / "new").iterdir()) == sorted(f"{name}.phalanx" for name in plains)
    lines = [json.loads(line) for line in files.read("new.jsonl").splitlines()]
    assert {line["name"] for line in lines if line.get("state") == "failed"} == {"other.gpg", "old.gpg", "keys.gpg"}, lines


def test_options_that_do_not_fit(files):
    files.write("MESSAGE", FORMS["MDC"](b"text"))
    for others in (["--from-cipher", "aes-256-cbc"], ["--from-iv", "00"], ["--from-auto", "--from-md", "md5"]):
        files.assert_refused(files.run("migrate", *OLD, *others, *KEY, "MESSAGE", "BOX"), 2, others[-2], "does not go with --from-openpgp")
    done = files.run("migrate", "--from-openpgp", "--from-key-file", "key", *KEY, "MESSAGE", "BOX")
    files.assert_refused(done, 2, "a key does not open messages of OpenPGP")
