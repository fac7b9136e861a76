"""raw decrypt --openpgp of a message that changes while it is read; and what inspect says of messages."""

import json

import pytest
from conftest import CHUNK, random_bytes

pytest.importorskip("cryptography", reason="cryptography is not installed")

import openpgp_writer as pgp  # noqa: E402
from openpgp_messages import decrypt  # noqa: E402
from write_openpgp_by_hand import KEY  # noqa: E402

WORDS = b"horse"
BY_PASSPHRASE = ["--passphrase-file", "pass"]
FRONT = pgp.skesk_4(WORDS, session_key=KEY)


def in_pieces(tag, *body):
    return pgp.in_pieces(tag, b"".join(body), 12)


FORMS = {
    "MDC": lambda plain: FRONT + pgp.seipd_1(KEY, pgp.literal(plain)),
    "MDC in pieces": lambda plain: FRONT + pgp.seipd_1(KEY, pgp.literal(plain), make=in_pieces),
    "OCB": lambda plain: pgp.skesk_6(WORDS, KEY) + pgp.seipd_2(KEY, pgp.literal(plain), chunk=10),
}


@pytest.fixture
def files(phalanx):
    phalanx.write("pass", WORDS + b"\n")
    return phalanx


@pytest.mark.parametrize("form", ["MDC", "OCB"])
def test_what_is_appended_is_no_part_of_it(files, faults, form):
    plain = random_bytes(3 * CHUNK)
    files.write("MESSAGE", FORMS[form](plain))
    done = decrypt(files, *BY_PASSPHRASE, env=faults("pread:MESSAGE@2=run", actor="echo more >> MESSAGE"), check=0)
    assert files.read("OUT") == plain and b"grew" in done.stderr
    again = decrypt(files, "--force", *BY_PASSPHRASE)
    files.assert_refused(again, 2, "has more behind its message")
    assert files.read("OUT") == plain


@pytest.mark.parametrize("form", FORMS)
def test_a_message_that_changes_meanwhile(files, faults, form):
    """It is refused, or was read before it changed, and no OUT has anything else."""
    plain, codes = random_bytes(2 * CHUNK), set()
    message = FORMS[form](plain)
    change = f"""python3 -S -c 'import os; f = os.open("MESSAGE", 2); os.pwrite(f, bytes([{message[CHUNK] ^ 1}]), {CHUNK})'"""
    call = "read" if "pieces" in form else "pread"
    for number in (*range(1, 12, 2), 31):
        files.write("MESSAGE", message)
        environment = faults(f"{call}:MESSAGE@{number}=run", actor=change)
        done = decrypt(files, "--threads", "1", *BY_PASSPHRASE, env=environment)
        codes.add(done.returncode)
        assert done.returncode in (0, 1, 4), done
        if done.returncode == 0:
            assert files.read("OUT") == plain
            files.folder.joinpath("OUT").unlink()
        assert "OUT" not in files.names()
    assert codes & {1, 4} and 0 in codes, codes


def inspected(files, message):
    files.write("MESSAGE", message)
    return json.loads(files.run("inspect", "--json", "MESSAGE", check=0).stdout)


def test_inspect_says_what_opens_a_message(files):
    found = inspected(files, pgp.pkesk_3() + FRONT + FORMS["MDC"](b"text")[len(FRONT) :])
    assert found["integrity"] == "MDC" and found["cipher"] == ""
    assert [recipient["kind"] for recipient in found["recipients"]] == ["passphrase", "public key"]
    assert found["recipients"][1]["key_id"] == "0123456789ABCDEF" and found["recipients"][1]["algorithm"] == "RSA"
    assert inspected(files, FORMS["OCB"](b"text"))["cipher"] == "aes-256-ocb"
    old = inspected(files, FRONT + pgp.sed(KEY, pgp.literal(b"text")))
    assert old["integrity"] == "none"
    shown = files.run("inspect", "MESSAGE", check=0).stdout
    assert b"integrity   none: nothing shows whether it was changed" in shown and b"raw decrypt --openpgp" in shown
