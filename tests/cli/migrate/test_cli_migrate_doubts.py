"""migrate and what it is in doubt of: said by every run, by --dry-run and --verify-only, and tried again; exit code 7."""

import hashlib
import json
import random

import pytest
from conftest import IV16, KEY, TREE, contents, openssl, random_bytes, unknown_format

# Without a salt every file of a passphrase has one key, which is known here.
OLD = "--from-openssl --from-cipher des3 --from-md md5 --from-no-salt --from-passphrase-file".split()
RIGHT, WRONG = [*OLD, "right"], [*OLD, "wrong"]
CTR = ["--from-cipher", "aes-256-ctr", "--from-iv", IV16, "--from-key-file", "key"]


def derived(passphrase):
    """As EVP_BytesToKey does it by MD5: 24 bytes of key, and 8 of iv."""
    first = hashlib.md5(passphrase).digest()
    return first + hashlib.md5(first + passphrase).digest()


def key_of(passphrase):
    return derived(passphrase)[:24].hex()


def opened_by_both(number):
    """Files that the right passphrase opens with 8 bytes of padding, and the wrong one with a single byte, by chance."""
    iv = derived(b"right")[24:]
    zeros = openssl("enc", "-des-ede3", "-nopad", "-K", key_of(b"right"), stdin=iv)  # what the first block is under the right one
    blocks = random.Random(6).randbytes(8 * 4096 * number)
    right, wrong = (
        openssl("enc", "-d", "-des-ede3", "-nopad", "-K", key_of(name), stdin=blocks) for name in (b"right", b"wrong")
    )
    for place in range(0, len(blocks), 8):
        if right[place + 7] ^ wrong[place + 7] == 8 ^ 1 and right[place + 6] ^ wrong[place + 6] != 8 ^ 1:
            before = bytes(byte ^ 8 for byte in right[place : place + 8])
            yield zeros + random_bytes(792, seed=place) + before + blocks[place : place + 8]


@pytest.fixture
def old(files):
    """Three files that both passphrases open, and thirty that only the right one does."""
    (files.folder / "old").mkdir()
    for name in ("right", "wrong"):
        files.write(name, name.encode() + b"\n")
        (files.folder / name).chmod(0o600)
    for number, content in zip(range(3), opened_by_both(1), strict=False):
        (files.folder / f"old/both{number}").write_bytes(content)
    encrypt = ["enc", "-des3", "-md", "md5", "-nosalt", "-pass", "pass:right"]
    for number in range(30):
        (files.folder / f"old/{number:02}").write_bytes(openssl(*encrypt, stdin=unknown_format(400, seed=number)))
    return files


def newest(files):
    return {line["name"]: line for line in map(json.loads, files.read("M").decode().splitlines()[1:])}


def doubtful(done):
    return sorted(line.split()[1].rstrip(b":").decode() for line in done.stdout.splitlines() if line.startswith(b"doubtful "))


BOTH = ["both0", "both1", "both2"]


def test_doubts_stay_until_what_is_right_is_given(old):
    done = old.run(*TREE, *WRONG, *KEY, "--keep-going")
    assert done.returncode == 4 and doubtful(done) == BOTH and b"3 done, 0 done before, 30 failed" in done.stderr
    record = newest(old)["both1"]
    assert "may be chance: the passphrase opened 3 and failed on 30 files" in record["doubt"]
    assert (record["key_opened"], record["key_failed"]) == (3, 30)
    before = contents(old)
    again = old.run(*TREE, *WRONG, *KEY, "--keep-going")
    assert again.returncode == 4 and b"0 done, 3 done before, 30 failed (30 wrong key), 0 skipped, 3 doubtful" in again.stderr
    assert all(content == before[name] for name, content in contents(old).items() if name.suffix == ".phalanx")
    # The right passphrase opens them otherwise, and all of what it gives is vouched for.
    done = old.run(*TREE, *RIGHT, *KEY, check=0)
    assert b"33 done, 0 done before, 0 failed, 0 skipped, 0 doubtful" in done.stderr
    assert all("doubt" not in record for record in newest(old).values())
    assert old.run(*TREE, *RIGHT, *KEY, "--verify-only", check=0).stdout.count(b"same ") == 33
    assert b"0 done, 33 done before" in old.run(*TREE, *RIGHT, *KEY, check=0).stderr


def test_they_are_said_by_each_way_to_look(old):
    (old.folder / "list").write_text("\n".join(BOTH))
    chosen = [*TREE, "--from-list", "list", *WRONG]
    dry = old.run(*chosen, "--dry-run")
    assert dry.returncode == 7 and dry.stdout.count(b"1 byte of padding; doubtful: its padding, 1 byte, may be chance") == 3
    assert b"3 open, 3 doubtful, " in dry.stderr
    summary = json.loads(old.run(*chosen, "--dry-run", "--json").stdout.splitlines()[-1])
    assert (summary["opens"], summary["doubtful"]) == (3, 3)
    old.run(*chosen, "--dry-run", "--doubt-is-ok", check=0)
    assert old.run(*chosen, *KEY).returncode == 7
    done = old.run(*chosen, *KEY)
    assert done.returncode == 7 and b"3 done before" in done.stderr and b"3 doubtful" in done.stderr
    old.run(*chosen, *KEY, "--doubt-is-ok", check=0)
    dry = old.run(*chosen, "--dry-run")
    assert dry.returncode == 7 and dry.stdout.count(b": by an earlier run; doubtful: its padding") == 3
    verified = old.run(*TREE, *WRONG, *KEY, "--verify-only", "--jobs", "2")
    assert verified.returncode == 7 and verified.stdout.count(b"same     both") == verified.stdout.count(b": doubtful: its p") == 3
    assert b"3 same, 3 doubtful, " in verified.stderr
    (old.folder / "old/both1").unlink()
    verified = old.run(*TREE, *WRONG, *KEY, "--verify-only", "--json")
    lines = {line.get("name"): line for line in map(json.loads, verified.stdout.splitlines())}
    assert verified.returncode == 7 and "may be chance" in lines["both1"]["doubt"] and lines[None]["doubtful"] == 3
    # A failure's code comes first.
    (old.folder / "old/both0").write_bytes(b"x" * 17)
    assert old.run(*TREE, *WRONG, *KEY, "--verify-only").returncode not in (0, 7)


def test_what_a_key_failed_on_is_not_forgotten(old):
    """A run over those alone that it opened, by chance, must not make them look as good as all that there are."""
    more = zip(range(3, 9), list(opened_by_both(3))[3:], strict=False)
    for number, content in more:
        (old.folder / f"old/both{number}").write_bytes(content)
    old.run(*TREE, *WRONG, *KEY, "--keep-going")
    names = sorted(path.name for path in (old.folder / "old").glob("both*"))
    assert len(names) > 4, "so many that their padding would be beyond chance if nothing had failed"
    (old.folder / "list").write_text("\n".join(names))
    chosen = [*TREE, "--from-list", "list", *WRONG, *KEY]
    for more in (["--verify-only"], [], ["--delete-source"]):
        done = old.run(*chosen, *more)
        assert done.returncode == 7 and f"{len(names)} doubtful".encode() in done.stderr, (more, done.stderr)
    assert all((old.folder / "old" / name).exists() for name in names)


def forge(files, change):
    """Writes the manifest again, each line as a function has it."""
    first, *lines = files.read("M").decode().splitlines()
    lines = [json.dumps(change(json.loads(line)), separators=(",", ":")) for line in lines]
    files.write("M", "\n".join([first, *lines, ""]).encode())


def test_a_manifest_vouches_for_nothing(old):
    old.run(*TREE, *WRONG, *KEY, "--keep-going")

    def vouch(record):
        return {**{name: value for name, value in record.items() if name != "doubt"}, "key_opened": 10**9, "key_failed": 0, "padding_bytes": 8, "kind": "text"}

    forge(old, vouch)
    (old.folder / "list").write_text("\n".join(BOTH))
    done = old.run(*TREE, "--from-list", "list", *WRONG, *KEY, "--delete-source")
    assert done.returncode == 7 and b"3 doubtful, 0 deleted" in done.stderr
    assert old.run(*TREE, *WRONG, *KEY, "--verify-only").stdout.count(b"doubtful") == 3


def test_nor_does_its_doubt_replace_what_must_stay(old):
    """A container is made anew only of the very file that its line tells of, and never the only copy of another."""
    (old.folder / "list").write_text("\n".join(BOTH))
    chosen = [*TREE, "--from-list", "list"]
    old.run(*chosen, *WRONG, *KEY, "--doubt-is-ok", check=0)
    names = [f"new/{name}.phalanx" for name in BOTH]
    before = [old.read(name) for name in names]
    inode = (old.folder / "old/both0").stat().st_ino
    changes = {
        "both0": {"source": f"{inode} 1.000000000"},  # another file under its name
        "both1": {"source": ""},  # as earlier versions wrote it: which file that was is not known
        "both2": {"deleted": True},  # its container is the only copy
    }
    forge(old, lambda record: {**record, **changes[record["name"]]})
    done = old.run(*chosen, *RIGHT, *KEY)
    assert [old.read(name) for name in names] == before and done.returncode != 0
    # Nor is one doubt replaced by another: nothing speaks for CTR.
    (old.folder / "M").unlink()
    for name in names:
        (old.folder / name).unlink()
    old.run(*chosen, *WRONG, *KEY, "--doubt-is-ok", check=0)
    before = [old.read(name) for name in names]
    assert old.run(*chosen, *CTR, *KEY).returncode == 7
    assert [old.read(name) for name in names] == before


def test_a_failure_while_one_is_made_anew_loses_nothing(old, faults):
    (old.folder / "list").write_text("\n".join(BOTH))
    chosen = [*TREE, "--from-list", "list", *KEY, "--jobs", "1"]
    old.run(*chosen, *WRONG, "--doubt-is-ok", check=0)
    before = [old.read(f"new/{name}.phalanx") for name in BOTH]
    done = old.run(*chosen, *RIGHT, env=faults("rename@1=EIO"))
    after = [old.read(f"new/{name}.phalanx") for name in BOTH]
    assert done.returncode == 1 and sum(new == was for new, was in zip(after, before, strict=True)) == 1, done.stderr
    done = old.run(*chosen, *RIGHT, check=0)
    assert b"1 done, 2 done before" in done.stderr and b"0 doubtful" in done.stderr


def test_one_file_ends_with_seven_too(files):
    files.run("raw", "encrypt", "--cipher", "aes-256-ctr", "--iv", IV16, "--key-file", "key", "IN", "OLD", check=0)
    done = files.run("migrate", *CTR, *KEY, "OLD", "OUT")
    assert done.returncode == 7 and b"OUT is doubtful: nothing shows whether the key was right" in done.stderr
    files.run("migrate", *CTR, *KEY, "--force", "--doubt-is-ok", "OLD", "OUT", check=0)
    assert files.run("migrate", *CTR, *KEY, "--verify-only", "OLD", "OUT").returncode == 7
    files.run("migrate", *CTR, *KEY, "--verify-only", "--doubt-is-ok", "OLD", "OUT", check=0)
