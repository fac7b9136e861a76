"""How often a run over many files asks for scrypt, which takes most of a second each time: once, whatever the number of files."""

import pathlib
import sys

import pytest
from conftest import KEY, OLD, TREE, random_bytes, seal_old

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "container"))

NUM_FILES = 201
PASS = ["--passphrase-file", "pass"]
CHEAP = [*PASS, "--scrypt-log-n", "10"]
SALT = slice(12 + 3, 12 + 3 + 16)  # scrypt's, in the first record of a container for a passphrase


def salts_of(phalanx, folder="boxes"):
    return {path.read_bytes()[SALT] for path in (phalanx.folder / folder).rglob("*.phalanx")}


@pytest.fixture
def folder(phalanx):
    phalanx.write("pass", b"open sesame\n")
    phalanx.write("other", b"simsalabim\n")
    phalanx.write("key", random_bytes(32))
    (phalanx.folder / "docs/deep").mkdir(parents=True)
    for number in range(NUM_FILES):
        phalanx.write(f"docs/{'deep/' if number % 3 == 0 else ''}{number}", random_bytes(100 * (number % 9), seed=number))
    return phalanx


def add_files(folder, number):
    for name in range(number):
        folder.write(f"docs/new{name}", b"new")


def test_a_folder_is_sealed_verified_and_restored_by_one_derivation_each(folder, faults):
    assert faults.count(folder, "scrypt", "encrypt", "--each", *CHEAP, "docs") == 1
    assert faults.count(folder, "scrypt", "verify", *PASS, "docs") == 1
    assert faults.count(folder, "scrypt", "decrypt", "--each", *PASS, "--to-tree", "back", "-q", "docs") == 1
    plain = {path.relative_to(folder.folder / "back"): path.read_bytes() for path in (folder.folder / "back").rglob("*") if path.is_file()}
    assert len(plain) == NUM_FILES and all((folder.folder / "docs" / name).read_bytes() == text for name, text in plain.items())
    assert len(salts_of(folder, "docs")) == 1


def test_what_is_read_back_is_derived_once_more(folder, faults):
    assert faults.count(folder, "scrypt", "encrypt", "--each", "--verify", *CHEAP, "docs") == 2


def test_the_record_of_a_folder_takes_one_more(folder, faults):
    assert faults.count(folder, "scrypt", "encrypt", "--each", *CHEAP, "--to-tree", "boxes", "docs") == 2
    add_files(folder, 3)
    night = ["encrypt", "--each", "--update", *CHEAP, "--to-tree", "boxes", "docs"]
    assert faults.count(folder, "scrypt", *night) == 2, "which opens a container of before, and so has its salt"
    assert len(salts_of(folder)) == 1
    assert faults.count(folder, "scrypt", *night) == 1, "nothing was sealed"


def test_two_passphrases_take_two(folder, faults):
    both = [*CHEAP, "--passphrase-file", "other"]
    assert faults.count(folder, "scrypt", "encrypt", "--each", *both, "docs") == 2
    assert faults.count(folder, "scrypt", "verify", *PASS, "docs") == 1
    assert faults.count(folder, "scrypt", "verify", "--passphrase-file", "other", "docs") == 2, "on both records"


def test_a_run_after_a_kill_goes_on_under_the_salt_of_before(folder, faults):
    run = ["encrypt", "--each", *CHEAP, "--to-tree", "boxes", "docs"]
    done = folder.run(*run, env=faults("rename:77.phalanx.phalanx-partial@1=kill"))
    assert done.returncode == -9 and 0 < len(list((folder.folder / "boxes").rglob("*.phalanx"))) < NUM_FILES
    before = salts_of(folder)
    folder.run(*run, check=0)
    assert len(list((folder.folder / "boxes").rglob("*.phalanx"))) == NUM_FILES
    assert salts_of(folder) == before and len(before) == 1


def test_no_salt_is_taken_of_what_was_planted(folder, faults):
    folder.run("encrypt", "--each", "--passphrase-file", "other", "--scrypt-log-n", "10", "--to-tree", "boxes", "docs", check=0)
    planted = salts_of(folder)
    add_files(folder, 3)
    night = ["encrypt", "--each", "--update", *CHEAP, "--to-tree", "boxes", "docs", "-q"]
    folder.run(*night, check=7)
    new = {(folder.folder / f"boxes/new{name}.phalanx").read_bytes()[SALT] for name in range(3)}
    assert len(new) == 1 and not new & planted


def test_recipients_are_added_by_one_derivation(folder, faults):
    folder.run("encrypt", "--each", *KEY, "docs", check=0)
    add = ["recipients", "add", "--each", *KEY, "--add-passphrase-file", "pass", "--scrypt-log-n", "10", "docs"]
    assert faults.count(folder, "scrypt", *add) == 1
    assert faults.count(folder, "scrypt", "verify", *PASS, "docs") == 1
    assert faults.count(folder, "scrypt", *add) == 1, "to find that it is there"
    remove = ["recipients", "remove", "--each", *KEY, "--remove-passphrase-file", "pass", "docs"]
    assert faults.count(folder, "scrypt", *remove) == 1


def test_a_migrated_folder_takes_one_to_seal_and_one_to_read_back(phalanx, faults):
    phalanx.write("pass", b"old\n")
    phalanx.write("new_pass", b"open sesame\n")
    for number in range(24):
        seal_old(phalanx, f"old/{number}", random_bytes(1000, seed=number))
    run = [*TREE, *OLD, "--doubt-is-ok", "--passphrase-file", "new_pass"]  # of noise the key is in doubt
    cheap = ["--scrypt-log-n", "10"]
    assert faults.count(phalanx, "scrypt", *run, *cheap, "--jobs", "4") == 2
    seal_old(phalanx, "old/later", b"later")
    assert faults.count(phalanx, "scrypt", *run, *cheap) == 1, "which opens one of before, and so seals and reads back"
    assert len(salts_of(phalanx, "new")) == 1
    assert faults.count(phalanx, "scrypt", *run, "--verify-only") == 1


def test_a_file_of_before_costs_one_of_its_own_which_is_said_first(folder, faults):
    for number in range(20):
        folder.run("encrypt", *PASS, "--scrypt-log-n", "13", f"docs/{1 + 3 * number}", f"{number}.phalanx", check=0)
    boxes = [f"{number}.phalanx" for number in range(20)]
    told = folder.run("verify", *PASS, "--scrypt-budget", "128", *boxes, check=0).stderr
    first = b"phalanx: note: 20 of these containers need a derivation of their own from a passphrase, 160 MiB of scrypt in all: about "
    assert told.splitlines()[0].startswith(first), told
    assert faults.count(folder, "scrypt", "verify", *PASS, *boxes) == 20
    again = ["encrypt", "--each", "--force", *CHEAP, "docs"]
    folder.run(*again, check=0)
    assert b"derivation" not in folder.run("verify", *PASS, "--scrypt-budget", "1", "docs", check=0).stderr


def test_what_comparing_costs_is_said_first(folder, faults):
    names = [f"docs/{1 + 3 * number}" for number in range(3)]
    folder.run("encrypt", "--each", *CHEAP, *names, check=0)
    for number, name in enumerate(names):  # three headers that ask for 1 GiB each
        box = bytearray(folder.read(f"{name}.phalanx"))
        box[SALT.start] ^= number
        box[SALT.stop] = 20
        folder.write(f"{name}.phalanx", bytes(box))
    compare = ["encrypt", "--each", "--update=content", *CHEAP, *names]
    done = folder.run(*compare, env=faults("scrypt@2=kill"))  # the first measures how long they take
    told = b"phalanx: note: 3 of these containers need a derivation of their own from a passphrase, 3072 MiB of scrypt in all: about "
    assert done.returncode == -9 and done.stderr.startswith(told), done.stderr
    assert b"derivation" not in folder.run(*[word for word in compare if word != "--update=content"], check=0).stderr


def test_the_reader_that_was_written_from_the_format_opens_all(folder):
    pytest.importorskip("cryptography", reason="cryptography is not installed")
    pytest.importorskip("libgcrypt_gcm", reason="libgcrypt is not installed")
    import read_container as reader

    folder.run("encrypt", "--each", *CHEAP, "--passphrase-file", "other", "docs", check=0)
    for number in (1, 2, 4):
        sealed = folder.read(f"docs/{number}.phalanx")
        for secret in (b"open sesame", b"simsalabim"):
            assert reader.open_container(sealed, 2, secret) == folder.read(f"docs/{number}")
