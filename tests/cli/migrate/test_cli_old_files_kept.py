"""Old files that a wrong key may have opened, that change meanwhile, or that a list names from afar: none is deleted."""

import os
import random
import re
import subprocess
from pathlib import Path

import pytest
from conftest import CHUNK, IV16, KEY, OLD, RAW_CTR, TREE, contents, openssl, random_bytes, seal_old, unknown_format


# --- Old files that a wrong key may have opened.


def random_old_files(files, number, size=24):
    """Files as of openssl, of random ciphertext: whatever the passphrase, padding fits one in 256 of them by chance."""
    (files.folder / "old").mkdir()
    randomness = random.Random(4)
    for i in range(number):
        (files.folder / "old" / f"{i:04}").write_bytes(b"Salted__" + randomness.randbytes(8 + size))


def test_a_wrong_passphrase_deletes_nothing(files):
    random_old_files(files, 700)
    done = files.run(*TREE, *OLD, *KEY, "--delete-source", "--keep-going", "-q")
    assert done.returncode == 4
    lines = [line for line in done.stdout.splitlines() if line.startswith(b"doubtful ")]
    assert len(lines) >= 1 and b"may be chance" in lines[0] and b"done " not in done.stdout
    assert len(list((files.folder / "old").iterdir())) == 700
    manifest = files.read("M").decode()
    names = {line.split('"')[3] for line in manifest.splitlines() if '"doubt":' in line}  # again at the end, when more is known
    assert len(names) == len(lines) and '"deleted":true' not in manifest
    name = lines[0].split()[1].rstrip(b":").decode()
    files.run(*TREE, *OLD, *KEY, "--delete-source", "--delete-doubtful", "--keep-going", "-q")
    assert not (files.folder / "old" / name).exists()


def test_a_tree_of_which_most_files_fail_stops_early(files):
    random_old_files(files, 300)
    done = files.run(*TREE, *OLD, *KEY, "--jobs", "1", "-q")
    assert done.returncode == 4 and b"stopped early" in done.stderr and b"passphrase" in done.stderr
    assert b"--keep-going" in done.stderr and files.read("M").count(b"\n") < 60
    (files.folder / "M").unlink()
    done = files.run(*TREE, *OLD, *KEY, "--jobs", "4")
    failed = re.search(rb"(\d+) failed \(\1 wrong key\)", done.stderr)[1]
    done_now = re.search(rb"(\d+) done, 0 done before", done.stderr)[1]
    assert b"stopped early: %s of %d files failed" % (failed, int(failed) + int(done_now)) in done.stderr, done.stderr
    (files.folder / "M").unlink()
    done = files.run(*TREE, *KEY, "--from-cipher", "aes-128-cbc", "--from-iv", IV16, "--from-key-file", "pass16", "--jobs", "1")
    assert done.returncode != 0


@pytest.mark.parametrize("num_done", [0, 30])
def test_files_that_failed_before_hold_no_others_up(files, num_done):
    """The same command goes on after a kill: 25 files that nothing opens come last, and those that are done count too."""
    random_old_files(files, 0)
    # `openssl enc -des3 -md md5 -pass pass:secret` wrote it, and its padding fits under no passphrase of ours.
    strange = bytes.fromhex("53616c7465645f5f7ba0fb1d96df09807df08c0cd5c834b4f88134ddf596b27c")
    for number in range(25):
        files.write(f"old/b{number:02}", strange)
    for number in range(num_done):
        seal_old(files, f"old/a{number:02}", b"a text that anybody can read, in any case\n")
    files.run(*TREE, *OLD, *KEY, "--keep-going", "-q", check=4)
    for number in range(15):
        seal_old(files, f"old/c{number:02}", b"a text that anybody can read, in any case\n")
    done = files.run(*TREE, *OLD, *KEY, "--jobs", "1")
    assert done.returncode == 4 and b" 15 done, " in b" " + done.stderr, done.stderr
    assert (b"stopped early" in done.stderr) == (num_done == 0)
    assert len(list((files.folder / "new").glob("*.phalanx"))) == num_done + 15


def test_one_byte_of_padding_is_doubtful_until_more_speaks_for_the_key(files):
    """One file alone might be chance; twenty under one key are not. ECB has no iv that could be wrong."""
    old = ["des-ede3" if word == "des3" else word for word in OLD]
    (files.folder / "old").mkdir()
    for number in range(20):
        sealed = openssl("enc", "-des-ede3", "-md", "sha256", "-pass", "file:pass", stdin=random_bytes(15, seed=number), cwd=files.folder)
        (files.folder / "old" / f"{number:02}").write_bytes(sealed)
    one = ["migrate", *old, *KEY, "--delete-source", "old/00", "OUT"]
    done = files.run(*one, check=7)
    assert b"doubtful and stays" in done.stderr and (files.folder / "old/00").exists()
    done = files.run(*TREE, *old, *KEY, "--delete-source", check=0)
    assert b"0 doubtful, 20 deleted" in done.stderr and not list((files.folder / "old").iterdir())


def test_an_iv_that_may_have_been_given_beside_the_passphrase_is_shown_by_the_first_block_alone(files):
    """`openssl enc -pass .. -iv ..` derives the key alone, and writes the header that it always writes."""
    text = b'{"name": "this_is_my_name", "number": 012345}\n'
    plains = {"text": text, "binary": unknown_format(1000), "noise": random_bytes(1000), "shut": text[:11]}
    encrypt = ["enc", "-aes-256-cbc", "-md", "sha256", "-pass", "file:pass"]
    (files.folder / "old").mkdir()
    for name, plain in plains.items():
        for more in ([], ["-iv", IV16]):
            sealed = openssl(*encrypt, *more, stdin=plain, cwd=files.folder)
            (files.folder / "old" / (name + "-iv" * bool(more))).write_bytes(sealed)
    old = [word for word in OLD if word not in ("--from-cipher", "des3")] + ["--from-cipher", "aes-256-cbc"]
    done = files.run(*TREE, *old, *KEY, "--keep-going", "--delete-source")
    doubtful = sorted(line.split()[1] for line in done.stdout.splitlines() if line.startswith(b"doubtful "))
    assert doubtful == [b"binary-iv:", b"noise-iv:", b"noise:", b"text-iv:"], done.stdout
    left = sorted(path.name for path in (files.folder / "old").iterdir())
    assert left == ["binary-iv", "noise", "noise-iv", "shut-iv", "text-iv"] and b"shut-iv" in done.stderr
    (files.folder / "M").unlink()
    done = files.run(*TREE, *old, *KEY, "--from-iv", IV16, "--force", "--keep-going", "--delete-source")
    left = sorted(path.name for path in (files.folder / "old").iterdir())
    assert left == ["noise", "noise-iv"] and done.returncode == 7, (left, done.stderr)
    assert files.run("decrypt", *KEY, "new/text-iv.phalanx", check=0).stdout == text


def test_copies_of_one_file_do_not_vouch_for_each_other(files):
    seal_old(files, "old/00", random_bytes(15))
    for number in range(1, 20):
        (files.folder / "old" / f"{number:02}").write_bytes((files.folder / "old/00").read_bytes())
    done = files.run(*TREE, *OLD, *KEY, "--delete-source", check=7)
    assert b"20 doubtful, 0 deleted" in done.stderr and len(list((files.folder / "old").iterdir())) == 20


@pytest.mark.parametrize(
    "plain, vouched",
    [
        (b"Dear reader, this is a letter that anybody can read.\n", True), ("Grüße aus der Küche, ein Text in UTF-8.".encode(), True),
        (b"%PDF-1.7\n" + random_bytes(100) + b"\n%%EOF\n", False), (b"%PDF-1.7\n" + random_bytes(100), False),
        (random_bytes(1000), False), (unknown_format(1000), False), (b"short", False), (b"", False), (b"text and then \0 a zero, which no text has in it", False),
    ],
)  # fmt: skip
def test_without_padding_the_plaintext_must_be_recognised(files, plain, vouched):
    files.write("IN", plain)
    files.run("raw", "encrypt", *RAW_CTR, "IN", "OLD", check=0)
    done = files.run("migrate", *("--from-" + word[2:] if word.startswith("--") else word for word in RAW_CTR), *KEY, "--delete-source", "OLD", "OUT", check=0 if vouched else 7)
    assert ("OLD" in files.names()) != vouched and (b"doubtful" in done.stderr) != vouched
    assert files.run("decrypt", *KEY, "OUT", check=0).stdout == plain


def test_salted_files_are_refused_where_no_salt_is_expected(files):
    seal_old(files, "OLD", b"text")
    seal_old(files, "OLD64", b"text", "-a")
    before = contents(files)
    for options, name, word in [
        ([*OLD, "--from-no-salt"], "OLD", "--from-no-salt"), ([*OLD, "--from-no-salt", "--from-base64"], "OLD64", "--from-no-salt"),
        ("--from-cipher aes-256-ctr --from-key-file key --from-iv-prefix".split(), "OLD", "Salted__"),
    ]:  # fmt: skip
        done = files.run("migrate", *options, *KEY, "--delete-source", name, "OUT")
        files.assert_refused(done, 2, "Salted__", word)
    raw = ["raw", "decrypt", "--openssl", "--cipher", "des3", "--passphrase-file", "pass", "--no-salt", "OLD", "OUT"]
    files.assert_refused(files.run(*raw), 2, "--no-salt")
    assert contents(files) == before


# --- Sources that change, and lists that lead out of the tree.


def test_a_source_that_changes_and_gets_its_time_back_stays(files, faults):
    seal_old(files, "old/a", random_bytes(3 * CHUNK))
    seal_old(files, "other", random_bytes(3 * CHUNK, seed=2))
    change = """python3 -S -c 'import os; was = os.stat("old/a"); new = open("other", "rb").read()
open("old/a", "r+b").write(new); os.utime("old/a", ns=(was.st_atime_ns, was.st_mtime_ns))'"""
    for rule in ("read:old/a@2=run", "fsync:a.phalanx.phalanx-partial@1=run", "rename@1=run"):
        subprocess.run(["rm", "-rf", "M", "new", "../log"], cwd=files.folder, check=True)
        log = files.folder.parent / "log"
        files.run(*TREE, *OLD, *KEY, "--delete-source", "--delete-doubtful", "-q", env=faults(rule, actor=change, log=log))
        assert "hit run" in log.read_text() and files.read("old/a") == files.read("other"), rule


def test_a_container_is_durable_before_its_source_goes(files, faults):
    seal_old(files, "old/a", b"a text that anybody can read, long enough")
    files.run(*TREE, *OLD, *KEY, check=0)
    log = files.folder.parent / "log"
    files.run(*TREE, *OLD, *KEY, "--delete-source", env=faults(log=log), check=0)
    calls = [line.split(maxsplit=2) for line in log.read_text().splitlines()]
    removed = next(i for i, call in enumerate(calls) if call[0] == "unlink" and call[2].endswith("a"))
    synced = [call[2] for call in calls[:removed] if call[0] == "fsync"]
    assert any(path.endswith("a.phalanx") for path in synced) and any(path.rstrip("/").endswith("new") for path in synced)


@pytest.mark.parametrize("kernel", ["openat2", "by hand"])
def test_a_list_leads_nowhere_out_of_the_tree(files, faults, kernel):
    seal_old(files, "old/a", b"a text that anybody can read, long enough")
    seal_old(files, "old/sub/b", b"a text that anybody can read, long enough")
    seal_old(files, "outside/c", b"a text that anybody can read, long enough")
    (files.folder / "old" / "link").symlink_to("../outside")
    (files.folder / "old" / "file").symlink_to("../outside/c")
    files.write("list", b"a\nsub/b\nlink/c\nfile\nmissing/x\n")
    lacking = ";".join(f"open:{name}@every=ENOSYS" for name in ("sub/b", "link/c", "missing/x"))
    environment = faults(lacking) if kernel == "by hand" else None
    done = files.run(*TREE, *OLD, *KEY, "--from-list", "list", "--delete-source", env=environment)
    assert done.returncode == 1 and b"link/c: " in done.stderr and b"symbolic link" in done.stderr
    assert (files.folder / "outside" / "c").exists() and not (files.folder / "new" / "link").exists()
    assert not (files.folder / "old" / "a").exists() and not (files.folder / "old" / "sub" / "b").exists()


# --- Containers that are there already.


@pytest.mark.parametrize("new", [["--key-file", "key2"], ["--passphrase-file", "pass", "--scrypt-log-n", "10"]], ids=["key", "passphrase"])
def test_a_container_that_one_recipient_cannot_open_deletes_nothing(files, new):
    files.write("key2", random_bytes(32, seed=2))
    seal_old(files, "old/text", b"a text that anybody can read, long enough\n")
    files.run(*TREE, *OLD, *KEY, check=0)
    before = contents(files)
    both = [*TREE, *OLD, *KEY, *new]
    done = files.run(*both, "--verify-only")
    assert done.returncode == 4 and b"differs  text" in done.stdout and b"recipient 2" in done.stdout
    done = files.run(*both, "--delete-source")
    assert done.returncode == 2 and b"new/text.phalanx" in done.stderr and b"recipient 2" in done.stderr and b"recipients" in done.stderr
    assert b"--force" in done.stderr and {**contents(files), Path("M"): b""} == {**before, Path("M"): b""}
    add = [word.replace("--", "--add-", 1) if "log" not in word else word for word in new]
    files.run("recipients", "add", *KEY, *add, "new/text.phalanx", check=0)
    files.run(*both, "--delete-source", check=0)
    files.run(*both, "--verify-only", check=0)
    assert not (files.folder / "old/text").exists()
    assert files.run("decrypt", *new[:2], "new/text.phalanx", check=0).stdout.startswith(b"a text")
    # The order is another, and one that the container has besides is no harm.
    seal_old(files, "old/text", b"a text that anybody can read, long enough\n")
    files.run(*TREE, *OLD, *new, *KEY, "--delete-source", check=0)
    seal_old(files, "old/text", b"a text that anybody can read, long enough\n")
    files.run(*TREE, *OLD, *new, "--delete-source", check=0)


def test_force_makes_a_container_for_all_recipients(files):
    files.write("key2", random_bytes(32, seed=2))
    seal_old(files, "old/text", b"a text that anybody can read, long enough\n")
    files.run(*TREE, *OLD, *KEY, check=0)
    (files.folder / "M").unlink()
    files.run(*TREE, *OLD, *KEY, "--key-file", "key2", "--delete-source", "--force", check=0)
    assert files.run("decrypt", "--key-file", "key2", "new/text.phalanx", check=0).stdout.startswith(b"a text")


# --- Old files with several names.


def hard_links(files, number, plain):
    seal_old(files, "old/00", plain)
    for i in range(1, number):
        os.link(files.folder / "old/00", files.folder / f"old/{i:02}")


@pytest.mark.parametrize("plain", [b"a text that anybody can read, long enough\n", random_bytes(15)], ids=["vouched for", "doubtful"])
@pytest.mark.parametrize("jobs", [1, 8])
def test_names_of_one_file_are_all_removed(files, jobs, plain):
    """Removing one changes the time of the others' inode; each is read first, or while another goes."""
    hard_links(files, 40, plain)
    done = files.run(*TREE, *OLD, *KEY, "--delete-source", "--delete-doubtful", "--doubt-is-ok", "--jobs", str(jobs), check=0)
    assert b"40 deleted" in done.stderr and not list((files.folder / "old").iterdir())
    for number in (0, 39):
        assert files.run("decrypt", *KEY, f"new/{number:02}.phalanx", check=0).stdout == plain


@pytest.mark.parametrize("act", ["written", "touched"])
def test_a_file_that_changes_after_a_name_of_it_was_removed_stays(files, faults, act):
    hard_links(files, 3, random_bytes(15))  # doubtful: removed at the end, when all are read
    time = "touch -r old/02 time; " + ("printf x | dd of=old/02 conv=notrunc status=none; " if act == "written" else "") + "touch -r time old/02"
    done = files.run(*TREE, *OLD, *KEY, "--delete-source", "--delete-doubtful", "--jobs", "1", env=faults("fsync:/old@1=run", actor=time))
    assert done.returncode == 1 and done.stderr.count(b"is no longer the file that was migrated") == 2
    assert sorted(path.name for path in (files.folder / "old").iterdir()) == ["01", "02"]
