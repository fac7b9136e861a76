"""What docs/compatibility.md promises of the program: names of the command line, exit codes, and members of its JSON.

kept_names.txt has a line for each option of each command, and one for each word that an option takes. A name that was taken away is an
error; a new one is an error until its line is kept.
"""

import json
import pathlib
import re

from conftest import openssl

KEPT = pathlib.Path(__file__).with_name("kept_names.txt")
KEY = ["--key-file", "key"]
PASS = ["--passphrase-file", "pass"]
OLD = ["--from-auto", "--from-cipher", "des3", "--from-passphrase-file", "pass"]
TEXT = b"Dear all, this is what the old files hold.\n" * 1000

# Members that are always there in the case at hand, with their types; others may come beside them.
FOUND = {"file_bytes": int, "kind": str, "form": str, "protection": str, "description": str, "opened_by": str, "certain": bool, "cut": bool}
CONTAINER = FOUND | {
    "format": str, "version": int, "suite": str, "needs_context": bool, "bound_to_name": bool, "recipients": list, "header_bytes": int,
    "length_possible": bool, "chunks": int, "plaintext_bytes": int, "overhead_bytes": int, "cannot_know": list,
}  # fmt: skip
OPENSSL_FILE = FOUND | {"format": str, "salt": str, "ciphertext_bytes": int, "cannot_know": list}
RECIPIENTS = {
    "key": {"number": int},
    "passphrase": {"number": int, "scrypt": dict, "refused": bool},
    "public_key": {"number": int, "stanzas": list, "labels": list, "strength_bits": int},
}
SCRYPT = {"log2_n": int, "r": int, "p": int, "bytes": int}
ENGINE = {"name": str, "description": str, "usable": bool}
ENGINE_OR_NULL = {"reason", "self_test", "failure"}
MIGRATED = {"in_bytes": int, "out_bytes": int, "verified": bool, "deleted": bool, "plain_bytes": int, "found": str, "padding_bytes": int, "kind": str}
DONE = MIGRATED | {"name": str, "state": str, "source": str}
FAILED = {"name": str, "state": str, "why": str, "reason": str, "exit_code": int}
COUNTS = {"done": int, "done_before": int, "failed": int, "failed_by_reason": dict, "skipped": int, "doubtful": int, "left": int, "deleted": int}
MANIFEST = {"phalanx_manifest": int, "from_tree": str, "to_tree": str}
PROGRESS = {"bytes", "total_bytes", "bytes_per_second", "seconds", "seconds_left", "finished"}


def assert_has(entry, members):
    for name, kind in members.items():
        assert type(entry.get(name)) is kind, (name, entry)


def test_no_name_of_the_command_line_is_lost(phalanx):
    """By what the shells complete, which is made of the definitions themselves. Engines differ from machine to machine."""
    script = phalanx.run("completions", "bash", check=0).stdout.decode()
    now = set()
    for cases, words in re.findall(r"^    ('.*)\) _phalanx_reply '([^']*)' ;;$", script, re.MULTILINE):
        for case in re.findall(r"'([^']*)'", cases):
            now |= {f"phalanx {case.replace(':', ' ')} {word}".replace("  ", " ") for word in words.split() if not case.endswith("--engine")}
    kept = set(KEPT.read_text().splitlines())
    assert not kept - now, "taken away:\n" + "\n".join(sorted(kept - now))
    assert not now - kept, "new, and not in kept_names.txt yet:\n" + "\n".join(sorted(now - kept))


def prepare(phalanx):
    phalanx.run("keygen", "key", check=0)
    phalanx.run("keygen", "other", check=0)
    phalanx.run("keygen", "--identity", "me", check=0)
    phalanx.write("pass", b"open sesame\n")
    phalanx.write("IN", TEXT)
    (phalanx.folder / "old").mkdir()
    phalanx.write("old/one.enc", openssl("enc", "-des3", "-md", "sha256", "-pass", "pass:open sesame", stdin=TEXT))
    public = re.search(r"age1\w+", phalanx.read("me").decode())[0]
    phalanx.run("encrypt", *KEY, *PASS, "--scrypt-log-n", "10", "-r", public, "IN", "BOX", check=0)


def test_exit_codes(phalanx):
    prepare(phalanx)
    box = phalanx.read("BOX")
    phalanx.write("changed", box[:-1] + bytes([box[-1] ^ 1]))
    phalanx.write("cut", box[:20])
    phalanx.write("noise.enc", b"Salted__" + bytes(8) + TEXT[:64])
    raw = ["raw", "encrypt", "--cipher", "des-ede3-ecb", *KEY, "IN"]
    phalanx.run("decrypt", *KEY, "BOX", check=0)
    phalanx.run("decrypt", *KEY, "BOX", "no/such/folder/OUT", check=1)
    phalanx.run("decrypt", *KEY, "IN", check=2)
    phalanx.run("decrypt", *KEY, "changed", check=3)
    phalanx.run("decrypt", "--key-file", "other", "BOX", check=4)
    phalanx.run("decrypt", *KEY, "cut", check=5)
    phalanx.run("keygen", "--cipher", "des-ede3", "-f", "key", check=0)
    phalanx.run(*raw, check=6)


def test_a_doubt_ends_with_7(phalanx):
    prepare(phalanx)
    noise = openssl("enc", "-aes-256-ctr", "-K", "0" * 64, "-iv", "0" * 32, stdin=bytes(4096))
    phalanx.write("noise.enc", openssl("enc", "-des3", "-md", "sha256", "-pass", "pass:open sesame", stdin=noise))
    phalanx.run("migrate", *OLD, *KEY, "noise.enc", "OUT", check=7)
    phalanx.run("migrate", *OLD, *KEY, "--doubt-is-ok", "-f", "noise.enc", "OUT", check=0)


def test_files_of_a_later_version_are_refused(phalanx):
    prepare(phalanx)
    box = phalanx.read("BOX")
    phalanx.write("later", box[:8] + b"\x03" + box[9:])
    phalanx.run("decrypt", *KEY, "later", check=2)
    phalanx.write("manifest", b'{"phalanx_manifest":2,"from_tree":"/old","to_tree":"/new"}\n')
    done = phalanx.run("migrate", "--manifest", "manifest", "--from-tree", "old", "--to-tree", "new", *OLD, *KEY, check=2)
    assert b"later version" in done.stderr and not list(phalanx.folder.glob("new/*"))


def inspected(phalanx, *arguments):
    return json.loads(phalanx.run("inspect", "--json", *arguments, check=0).stdout)


def test_members_of_what_is_inspected(phalanx):
    prepare(phalanx)
    container = inspected(phalanx, "BOX")
    assert_has(container, CONTAINER)
    assert (container["format"], container["kind"], container["suite"]) == ("phalanx container", "container", "aes-256")
    listed = json.loads(phalanx.run("recipients", "list", "--json", *KEY, "BOX", check=0).stdout)
    for recipients in (container["recipients"], listed):
        assert [recipient["kind"] for recipient in recipients] == list(RECIPIENTS)
        for recipient in recipients:
            assert_has(recipient, RECIPIENTS[recipient["kind"]])
        assert_has(recipients[1]["scrypt"], SCRYPT)
    assert len(listed[0]["opened_by"]) == 1 and "opened_by" not in listed[1]
    assert_has(inspected(phalanx, "old/one.enc"), OPENSSL_FILE)
    many = inspected(phalanx, "BOX", "old/one.enc")
    assert [entry["name"] for entry in many] == ["BOX", "old/one.enc"]


def test_members_of_what_is_migrated(phalanx):
    prepare(phalanx)
    done = phalanx.run("migrate", *OLD, *KEY, "--json", "--sha256", "old/one.enc", "OUT", check=0)
    assert_has(json.loads(done.stdout), MIGRATED | {"plaintext_sha256": str})
    phalanx.write("old/two.enc", TEXT)
    tree = ["migrate", "--manifest", "manifest", "--from-tree", "old", "--to-tree", "new", *OLD, *KEY]
    *lines, counts = map(json.loads, phalanx.run(*tree, "--json").stdout.splitlines())
    header, *kept = map(json.loads, phalanx.read("manifest").splitlines())
    assert_has(counts, COUNTS)
    assert_has(header, MANIFEST)
    assert header["phalanx_manifest"] == 1
    for entries, of_done in ((lines, DONE), (kept, {name: kind for name, kind in DONE.items() if name != "plain_bytes"})):
        states = {entry["name"]: entry for entry in entries}
        assert states["one.enc"]["state"] == "done" and states["two.enc"]["state"] == "failed"
        assert_has(states["one.enc"], of_done)
        assert_has(states["two.enc"], FAILED)


def test_members_of_engines_and_progress(phalanx):
    prepare(phalanx)
    for engine in json.loads(phalanx.run("engines", "--json", check=0).stdout):
        assert_has(engine, ENGINE)
        assert set(engine) >= ENGINE_OR_NULL
        assert engine["self_test"] in ("ok", "failed", None)
    shown = phalanx.run("encrypt", *KEY, "--progress", "json", "IN", "OUT", check=0).stderr.splitlines()
    last = json.loads([line for line in shown if line.startswith(b"{")][-1])
    assert set(last) >= PROGRESS and last["finished"] is True and last["bytes"] == len(TEXT)
