"""Files that a run needs, files that others change meanwhile, and old files that may have been opened with a wrong key: none is lost."""

import os
import random
import resource
import signal
import subprocess

import pytest
from conftest import CHUNK, IV16, PROGRAM, is_root, openssl, random_bytes, wait_for

KEY = ["--key-file", "key"]
PARTIAL, RECORD = "OUT.phalanx-partial", "OUT.phalanx-record"
OLD = "--from-openssl --from-cipher des3 --from-md sha256 --from-passphrase-file pass".split()
RAW_CTR = ["--cipher", "aes-256-ctr", "--iv", IV16, *KEY]
NOBODY = 65534


@pytest.fixture
def files(phalanx):
    phalanx.write("key", random_bytes(32))
    phalanx.write("pass", b"open sesame\n")
    phalanx.write("IN", random_bytes(100_000, seed=5))
    phalanx.run("encrypt", *KEY, "IN", "BOX", check=0)
    return phalanx


def contents(files):
    return {path.relative_to(files.folder): path.read_bytes() for path in files.folder.rglob("*") if path.is_file()}


def seal_old(files, name, plain, *options):
    path = files.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(openssl("enc", "-des3", "-md", "sha256", "-pass", "file:pass", *options, stdin=plain, cwd=files.folder))


# --- What a run needs is never its OUT, nor an input of a tree.


def other_names(files, name):
    """The file's name, a symbolic link and a hard link to it."""
    (files.folder / "symbolic").symlink_to(name)
    os.link(files.folder / name, files.folder / "hard")
    return [name, "symbolic", "hard", f"./{name}"]


@pytest.mark.parametrize(
    "command",
    [
        "encrypt -f --key-file key IN", "encrypt -f --key-file key --resume IN", "encrypt -f --key-fd 3 IN", "encrypt -f --bare --key-file key IN",
        "decrypt -f --key-file key BOX", "decrypt -f --key-file key --range 0:5 BOX",
        f"raw encrypt -f --cipher aes-256-ctr --iv {IV16} --key-file key IN",
        f"migrate -f --from-cipher aes-256-ctr --from-iv {IV16} --from-key-file key --key-file BOX.key IN",
    ],
)  # fmt: skip
def test_a_key_is_never_overwritten(files, command):
    files.write("BOX.key", random_bytes(32, seed=6))
    names = other_names(files, "key")
    before = contents(files)
    for name in names:
        with open(files.folder / "key", "rb") as key:
            done = files.run(*command.split(), name, pass_fds=(3,), preexec_fn=lambda: os.dup2(key.fileno(), 3))
        files.assert_refused(done, 2, "key file")
        assert contents(files) == before


def test_a_passphrase_file_is_never_overwritten(files):
    before = contents(files)
    done = files.run("encrypt", "-f", "--passphrase-file", "pass", "--scrypt-log-n", "10", "IN", "pass")
    files.assert_refused(done, 2, "passphrase file pass")
    files.assert_refused(files.run("raw", "encrypt", *RAW_CTR, "--in-place", "key"), 2, "key file key")
    files.assert_refused(files.run("rekey", *KEY, "--add-key-file", "BOX", "BOX"), 2, "key file BOX")
    assert contents(files) == before


def test_a_plan_and_results_are_never_overwritten(files):
    files.write("plan", b'{"selections": []}')
    files.write("results", b"{}")
    before = contents(files)
    for option, name in (("--json", "plan"), ("--report", "plan")):
        files.assert_refused(files.run("bench", "--plan", "plan", option, name, "-f"), 2, "the plan")
    files.assert_refused(files.run("bench", "--results", "results", "--report", "results", "-f"), 2, "the results")
    assert contents(files) == before


def test_a_key_is_no_partial_file_and_no_journal(files):
    os.link(files.folder / "key", files.folder / PARTIAL)
    os.link(files.folder / "key", files.folder / "IN.phalanx-journal")
    os.link(files.folder / "key", files.folder / "NEW.phalanx-record")
    before = contents(files)
    for options in ([], ["-f"], ["--resume"]):
        files.assert_refused(files.run("encrypt", *KEY, *options, "IN", "OUT"), 2, PARTIAL)
    files.assert_refused(files.run("raw", "encrypt", *RAW_CTR, "--in-place", "IN"), 2, "key file key")
    files.assert_refused(files.run("encrypt", *KEY, "IN", "NEW"), 2, "key file key")
    assert contents(files) == before


def test_migrating_the_folder_of_the_keys_leaves_them(files):
    """--from-tree is the current folder by default, with the keys, the list, the manifest and the wrapped files in it."""
    for number in range(4):
        seal_old(files, f"old{number}", b"some text that anybody can read %d" % number)
    files.write("new", random_bytes(32, seed=8))
    os.link(files.folder / "new", files.folder / "hard")
    (files.folder / "list").write_text("".join(f"old{n}\n" for n in range(4)) + "new\npass\nlist\nM\nhard\n")
    kept = {name: files.read(name) for name in ("key", "new", "pass", "list", "IN")}
    tree = ["migrate", "--manifest", "M", "--to-tree", "../to", *OLD, "--key-file", "new", "--delete-source"]
    for options, code in ((["--from-list", "list"], 0), ([], 2)):  # IN is not of openssl
        done = files.run(*tree, *options, check=code)
        assert {name: files.read(name) for name in kept} == kept and files.read("hard") == kept["new"]
        for name in ("new", "pass", "hard", *(["list"] if options else [])):
            assert f"skipped  {name}: ".encode() in done.stdout and b"which this run needs" in done.stdout
    assert not [name for name in files.names() if name.startswith("old")]
    for number in range(4):
        done = files.run("decrypt", "--key-file", "new", f"../to/old{number}.phalanx", check=0)
        assert done.stdout == b"some text that anybody can read %d" % number


def test_force_replaces_no_old_file_of_the_tree(files):
    seal_old(files, "old/a", b"text enough to be recognised as one, a")
    seal_old(files, "old/b", b"text enough to be recognised as one, b")
    (files.folder / "new").mkdir()
    (files.folder / "new" / "a.phalanx").symlink_to("../old/b")
    before = contents(files)
    done = files.run("migrate", "--manifest", "M", "--from-tree", "old", "--to-tree", "new", *OLD, *KEY, "--force")
    assert done.returncode == 2 and b"is one of the old files" in done.stderr
    assert (files.folder / "old" / "a").read_bytes() == before[(files.folder / "old" / "a").relative_to(files.folder)]
    assert files.run("decrypt", *KEY, "new/b.phalanx", check=0).stdout.endswith(b"b")


# --- IN that bears the partial file's name, and partial files of others.


@pytest.mark.parametrize(
    "command",
    [
        "encrypt --resume --key-file key", "encrypt -f --key-file key", "encrypt --key-file key", "decrypt -f --key-file key",
        "decrypt --resume --key-file key", f"raw encrypt -f --cipher aes-256-ctr --iv {IV16} --key-file key",
    ],
)  # fmt: skip
def test_in_is_never_taken_for_the_partial_file(files, command):
    os.rename(files.folder / ("BOX" if command.startswith("decrypt") else "IN"), files.folder / PARTIAL)
    before = contents(files)
    files.assert_refused(files.run(*command.split(), PARTIAL, "OUT"), 2, PARTIAL)
    assert contents(files) == before


def test_decrypt_resumes_nothing_that_is_not_its_plaintext(files):
    """Not even zeros are written before all that is there is known to agree."""
    plain = files.read("IN")
    for foreign in (b"my diary", bytes(8192) + b"my diary", plain[:50_000] + bytes(4096 * 4) + b"my diary" * 100, plain + b"more"):
        files.write(PARTIAL, foreign)
        files.assert_refused(files.run("decrypt", *KEY, "--resume", "-q", "BOX", "OUT"), 2, PARTIAL)
        assert files.read(PARTIAL) == foreign and "OUT" not in files.names()


def test_resume_adopts_no_partial_file_with_another_owner_or_name(files):
    files.write(PARTIAL, b"")
    os.link(files.folder / PARTIAL, files.folder / "hard")
    for command in ("encrypt", "decrypt"):
        files.assert_refused(files.run(command, *KEY, "--resume", "BOX", "OUT"), 2, "other names")
    (files.folder / "hard").unlink()
    if is_root():
        os.chown(files.folder / PARTIAL, NOBODY, NOBODY)
        for command in ("encrypt", "decrypt"):
            files.assert_refused(files.run(command, *KEY, "--resume", "BOX", "OUT"), 2, "another user")
        files.assert_refused(files.run("encrypt", *KEY, "-f", "IN", "OUT"), 2, PARTIAL)
    assert files.read(PARTIAL) == b""


# --- Permissions and links.


def begun(files, *arguments, options=KEY):
    """A run that waits for the rest of its standard input, its partial file there."""
    process = files.start("encrypt", *options, *arguments, "-", "OUT")
    process.stdin.write(bytes(6 * CHUNK))
    process.stdin.flush()
    wait_for(lambda: (files.folder / PARTIAL).exists() and (files.folder / PARTIAL).stat().st_size > CHUNK)
    return process


def mode_of(files, name):
    return (files.folder / name).stat().st_mode & 0o7777


def test_nobody_else_reads_the_partial_file(files):
    for existing in (0o600, 0o640, None):
        if existing is None:
            (files.folder / "OUT").unlink()
        else:
            files.write("OUT", b"old")
            (files.folder / "OUT").chmod(existing)
        process = begun(files, "-f")
        assert mode_of(files, PARTIAL) == 0o600 and mode_of(files, RECORD) == 0o600
        process.communicate()
        assert process.returncode == 0 and mode_of(files, "OUT") == (0o644 if existing is None else existing)


def test_the_umask_holds_in_the_end(files):
    files.run("encrypt", *KEY, "IN", "OUT", preexec_fn=lambda: os.umask(0o027), check=0)
    assert mode_of(files, "OUT") == 0o640


@pytest.mark.skipif(not is_root(), reason="only root can be two users")
def test_planted_links_in_sticky_folders_are_not_followed(files):
    (files.folder / "tmp").mkdir()
    (files.folder / "tmp").chmod(0o1777)
    files.write("target", b"precious")
    (files.folder / "tmp" / "OUT").symlink_to("../target")
    os.lchown(files.folder / "tmp" / "OUT", NOBODY, NOBODY)
    for command in (["encrypt", *KEY, "-f", "IN", "tmp/OUT"], ["raw", "encrypt", *RAW_CTR, "--in-place", "tmp/OUT"]):
        files.assert_refused(files.run(*command), 2, "another user put there")
    assert files.read("target") == b"precious"
    os.lchown(files.folder / "tmp" / "OUT", 0, 0)
    files.run("encrypt", *KEY, "-f", "IN", "tmp/OUT", check=0)
    assert files.run("decrypt", *KEY, "target", check=0).stdout == files.read("IN")


# --- Other programs at work on the same names.


@pytest.mark.parametrize("act", ["removed", "replaced", "moved"])
@pytest.mark.parametrize("options", [[], ["-f"], ["--resume"]])
def test_a_partial_file_that_was_taken_away_makes_no_out(files, act, options):
    process = begun(files, *options)
    partial = files.folder / PARTIAL
    if act == "moved":
        partial.rename(files.folder / "elsewhere")
    else:
        partial.unlink()
    if act == "replaced":
        partial.write_bytes(b"a stranger's")
    process.stdin.close()
    assert process.wait(timeout=60) == 1 and b"another program" in process.stderr.read()
    assert "OUT" not in files.names()
    assert act != "replaced" or partial.read_bytes() == b"a stranger's"


def test_an_out_that_appears_or_changes_meanwhile_stays(files):
    for options, existing in [([], None), (["-f"], None), (["-f"], b"old")]:
        if existing:
            files.write("OUT", existing)
        process = begun(files, *options)
        files.write("stranger", b"a stranger's")
        os.replace(files.folder / "stranger", files.folder / "OUT")
        process.stdin.close()
        assert process.wait(timeout=60) == 2 and b"OUT" in process.stderr.read()
        assert files.read("OUT") == b"a stranger's" and PARTIAL not in files.names()
        (files.folder / "OUT").unlink()


def test_a_refused_lock_is_an_error(files, faults):
    """As on a network disk without a lock server."""
    before = contents(files)
    for command in (["encrypt", *KEY, "IN", "OUT"], ["encrypt", *KEY, "--resume", "IN", "OUT"], ["decrypt", *KEY, "BOX", "OUT"],
                    ["rekey", *KEY, "--add-key-file", "key", "BOX"], ["raw", "encrypt", *RAW_CTR, "--in-place", "IN"]):  # fmt: skip
        files.assert_refused(files.run(*command, env=faults("flock@every=ENOLCK")), 1, "lock")
        assert contents(files) == before


def test_threads_that_cannot_be_started_end_no_run(files, faults):
    """With fewer threads, or none but the first, all is done or one line says why not; nothing aborts."""
    seal_old(files, "old/a", b"a text that anybody can read, long enough")
    for n in ("1+", "2+", "3"):
        environment = faults(f"pthread_create@{n}=EAGAIN")
        for command in (["encrypt", *KEY, "-f", "--progress", "json", "IN", "OUT"], ["decrypt", *KEY, "-f", "BOX", "BACK"],
                        ["migrate", "-f", *OLD, *KEY, "old/a", "NEW"], ["raw", "encrypt", "-f", *RAW_CTR, "IN", "RAW"]):  # fmt: skip
            done = files.run(*command, env=environment)
            assert done.returncode == 0 or (done.returncode == 1 and b"thread" in done.stderr), (n, command, done)


# --- rekey.


def waiting_rekey(files, *arguments):
    """A rekey that waits for a passphrase, and has the lock."""
    read_end, write_end = os.pipe()
    process = files.start("rekey", *KEY, "--scrypt-log-n", "10", "--add-passphrase-fd", str(read_end), *arguments, "BOX", pass_fds=(read_end,))
    os.close(read_end)
    wait_for(lambda: "BOX.phalanx-partial" in files.names())
    return process, write_end


def give(process, write_end):
    os.write(write_end, b"new passphrase\n")
    os.close(write_end)
    code = process.wait(timeout=60)
    return code, process.stderr.read()


def test_of_two_rekeys_at_once_one_is_refused(files):
    files.write("other", random_bytes(32, seed=9))
    files.run("rekey", *KEY, "--add-key-file", "other", "BOX", check=0)
    first, write_end = waiting_rekey(files)
    files.assert_refused(files.run("rekey", *KEY, "--remove", "2", "BOX"), 2, "BOX.phalanx-partial")
    assert give(first, write_end)[0] == 0
    files.run("rekey", *KEY, "--remove", "2", "BOX", check=0)
    assert files.run("decrypt", "--key-file", "other", "BOX").returncode == 4
    assert files.run("decrypt", *KEY, "BOX", check=0).stdout == files.read("IN")


@pytest.mark.parametrize("act", ["replaced", "written"])
def test_rekey_replaces_only_what_it_read(files, act):
    process, write_end = waiting_rekey(files)
    if act == "replaced":
        files.write("stranger", files.read("BOX") + b"more")
        os.replace(files.folder / "stranger", files.folder / "BOX")
    else:
        with open(files.folder / "BOX", "ab") as box:
            box.write(b"more")
    before = files.read("BOX")
    code, said = give(process, write_end)
    # What was added before the last chunk was looked at is an authentication failure; what came later, a change.
    assert (code == 2 and b"changed by another program" in said) or (act == "written" and code == 3)
    assert files.read("BOX") == before and "BOX.phalanx-partial" not in files.names()


def test_rekey_says_what_hard_links_keep(files):
    files.write("other", random_bytes(32, seed=9))
    files.run("rekey", *KEY, "--add-key-file", "other", "BOX", check=0)
    os.link(files.folder / "BOX", files.folder / "hard")
    done = files.run("rekey", *KEY, "--remove", "2", "BOX", check=0)
    assert b"(hard links: 1)" in done.stderr and b"keep" in done.stderr
    assert files.run("decrypt", "--key-file", "other", "hard").returncode == 0


def test_rekey_copies_where_the_file_system_cannot(files, faults):
    for rule in ("copy_file_range@every=EOPNOTSUPP", "copy_file_range@every=EXDEV", "copy_file_range@every=short"):
        files.run("rekey", *KEY, "--add-passphrase-file", "pass", "--scrypt-log-n", "10", "BOX", env=faults(rule), check=0)
        assert files.run("decrypt", *KEY, "BOX", check=0).stdout == files.read("IN")


# --- raw --in-place: a journal is of one file, in one state.


def killed_in_place(files, faults, pieces, piece, direction="encrypt", tear=True):
    """FILE, torn within that piece or with that piece done, and its journal. Returns what it was and what it is to become."""
    before = random_bytes((pieces - 1) * CHUNK + 5000, seed=11)
    files.write("FILE", before)
    after = files.run("raw", direction, *RAW_CTR, "FILE", check=0).stdout
    rule = f"pwrite:FILE@{piece + 1}=tear" if tear else f"fdatasync:FILE@{piece + 1}=kill-after"
    done = files.run("raw", direction, *RAW_CTR, "--in-place", "FILE", env=faults(rule))
    assert done.returncode == -signal.SIGKILL and "FILE.phalanx-journal" in files.names()
    return before, after


@pytest.mark.parametrize("direction", ["encrypt", "decrypt"])
@pytest.mark.parametrize("pieces, piece, tear", [(1, 0, True), (4, 0, True), (4, 2, True), (4, 2, False), (4, 3, True)])
def test_a_journal_goes_on_with_its_own_file_only(files, faults, direction, pieces, piece, tear):
    before, after = killed_in_place(files, faults, pieces, piece, direction, tear)
    command = ["raw", direction, *RAW_CTR, "--in-place", "FILE"]
    left, journal = files.read("FILE"), files.read("FILE.phalanx-journal")
    others = {
        "another file of that length": random_bytes(len(before), seed=12),
        "the first byte": bytes([left[0] ^ 1]) + left[1:],
        "the last byte": left[:-1] + bytes([left[-1] ^ 1]),
    }
    if piece > 0:
        others["the one before"] = before  # as from a backup
    for what, content in others.items():
        with open(files.folder / "FILE", "r+b") as file:
            file.write(content)
        files.assert_refused(files.run(*command), 2, "FILE.phalanx-journal", "begin anew")
        assert files.read("FILE") == content and files.read("FILE.phalanx-journal") == journal, what
    files.write("copy", left)
    os.replace(files.folder / "copy", files.folder / "FILE")
    files.assert_refused(files.run(*command), 2, "--trust-journal", "begin anew")
    assert files.read("FILE") == left
    files.run(*command, "--trust-journal", check=0)
    assert files.read("FILE") == after and "FILE.phalanx-journal" not in files.names()


def test_to_begin_anew_the_journal_is_removed(files, faults):
    before, after = killed_in_place(files, faults, 3, 1)
    with open(files.folder / "FILE", "r+b") as file:
        file.write(before)
    command = ["raw", "encrypt", *RAW_CTR, "--in-place", "FILE"]
    files.assert_refused(files.run(*command), 2, "remove")
    (files.folder / "FILE.phalanx-journal").unlink()
    files.run(*command, check=0)
    assert files.read("FILE") == after


def test_a_journal_is_never_adopted_from_others(files):
    for content in (b"my notes", bytes(5000) + b"my notes", b"phalanx journal"[:9] + b"my notes"):
        files.write("IN.phalanx-journal", content)
        files.assert_refused(files.run("raw", "encrypt", *RAW_CTR, "--in-place", "IN"), 2, "not a journal")
        assert files.read("IN.phalanx-journal") == content
    if is_root():
        files.write("IN.phalanx-journal", b"")
        os.chown(files.folder / "IN.phalanx-journal", NOBODY, NOBODY)
        files.assert_refused(files.run("raw", "encrypt", *RAW_CTR, "--in-place", "IN"), 2, "move it away")


def test_a_file_that_grows_meanwhile_is_told(files, faults):
    done = files.run("raw", "encrypt", *RAW_CTR, "--in-place", "IN", env=faults("pwrite:IN@1=run", actor="echo more >> IN"))
    files.assert_refused(done, 1, "changed its size")
    assert files.read("IN").endswith(b"more\n")


# --- Old files that a wrong key may have opened.

TREE = "migrate --manifest M --from-tree old --to-tree new".split()


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
    assert manifest.count('"doubt":') == len(lines) and '"deleted":true' not in manifest
    name = lines[0].split()[1].rstrip(b":").decode()
    files.run(*TREE, *OLD, *KEY, "--delete-source", "--delete-doubtful", "--keep-going", "-q")
    assert not (files.folder / "old" / name).exists()


def test_a_tree_of_which_most_files_fail_stops_early(files):
    random_old_files(files, 300)
    done = files.run(*TREE, *OLD, *KEY, "--jobs", "1", "-q")
    assert done.returncode == 4 and b"stopped early" in done.stderr and b"passphrase" in done.stderr
    assert b"--keep-going" in done.stderr and files.read("M").count(b"\n") < 60
    (files.folder / "M").unlink()
    done = files.run(*TREE, *KEY, "--from-cipher", "aes-128-cbc", "--from-iv", IV16, "--from-key-file", "pass16", "--jobs", "1")
    assert done.returncode != 0


def test_one_byte_of_padding_is_doubtful_until_more_speaks_for_the_key(files):
    """One file alone might be chance; twenty under one key are not."""
    for number in range(20):
        seal_old(files, f"old/{number:02}", random_bytes(15, seed=number))
    one = ["migrate", *OLD, *KEY, "--delete-source", "old/00", "OUT"]
    done = files.run(*one, check=0)
    assert b"doubtful and stays" in done.stderr and (files.folder / "old/00").exists()
    done = files.run(*TREE, *OLD, *KEY, "--delete-source", check=0)
    assert b"0 doubtful, 20 deleted" in done.stderr and not list((files.folder / "old").iterdir())


@pytest.mark.parametrize(
    "plain, vouched",
    [
        (b"Dear reader, this is a letter that anybody can read.\n", True), ("Grüße aus der Küche, ein Text in UTF-8.".encode(), True),
        (b"%PDF-1.7\n" + random_bytes(100), True), (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + random_bytes(50), True),
        (random_bytes(1000), False), (b"short", False), (b"", False), (b"text and then \0 a zero, which no text has in it", False),
    ],
)  # fmt: skip
def test_without_padding_the_plaintext_must_be_recognised(files, plain, vouched):
    files.write("IN", plain)
    files.run("raw", "encrypt", *RAW_CTR, "IN", "OLD", check=0)
    done = files.run("migrate", *("--from-" + word[2:] if word.startswith("--") else word for word in RAW_CTR), *KEY, "--delete-source", "OLD", "OUT", check=0)
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


# --- Files of any size that are not what they should be; memory.


def limited(megabytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def test_huge_manifests_and_lists_are_not_read_whole(files):
    (files.folder / "old").mkdir()
    with open(files.folder / "M", "wb") as manifest:
        manifest.truncate(8 << 30)
    command = [*TREE, *OLD, *KEY]
    files.assert_refused(files.run(*command, preexec_fn=limited(3000)), 2, "M")
    os.truncate(files.folder / "M", 0)
    files.run(*command, check=0)
    with open(files.folder / "M", "ab") as manifest:
        manifest.truncate(8 << 30)
    files.assert_refused(files.run(*command, preexec_fn=limited(3000)), 2, "M has a line of more than")
    assert (files.folder / "M").stat().st_size == 8 << 30
    (files.folder / "M").unlink()
    with open(files.folder / "list", "wb") as names:
        names.truncate(8 << 30)
    files.assert_refused(files.run(*command, "--from-list", "list", preexec_fn=limited(3000)), 2, "list has a line of more than")


def test_one_budget_bounds_what_all_passphrases_of_a_header_cost(files):
    """Records of 64 MiB each: a reader spends no more than it was told, however many there are."""
    words = []
    for number in range(4):
        files.write(f"word{number}", b"word %d\n" % number)
        words += ["--passphrase-file", f"word{number}"]
    files.run("encrypt", *words, "--scrypt-log-n", "16", "IN", "OUT", check=0)
    files.run("decrypt", "--passphrase-file", "word3", "OUT", "BACK", check=0)
    files.write("wrong", b"none of them\n")
    done = files.run("decrypt", "--passphrase-file", "wrong", "--scrypt-budget", "256", "OUT", "BACK2")
    files.assert_refused(done, 4)
    done = files.run("decrypt", "--passphrase-file", "wrong", "--scrypt-budget", "255", "OUT", "BACK2")
    files.assert_refused(done, 6)
    files.assert_refused(files.run("rekey", "--passphrase-file", "wrong", "--scrypt-budget", "63", "--remove", "1", "OUT"), 6)


def peak_megabytes(files, *arguments, stdin=b""):
    """The most memory that a run holds, by the kernel's count."""
    script = "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode\n"
    script += "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, file=sys.stderr)"
    done = subprocess.run(["/usr/bin/python3", "-c", script, PROGRAM, *arguments],
                          cwd=files.folder, input=stdin, capture_output=True)  # fmt: skip
    code, megabytes = done.stderr.split()[-2:]
    assert code == b"0", done.stderr
    return int(megabytes)


def is_sanitized():
    with open(PROGRAM, "rb") as program:
        return b"__asan_init" in program.read()


@pytest.mark.skipif(is_sanitized(), reason="a sanitizer takes memory of its own")
def test_memory_stays_within_what_the_manual_says(files):
    """A fixed amount for each command, 128 MiB more for scrypt at its default cost while a passphrase is tried, and so much for each
    file that is migrated at once."""
    plain = random_bytes(24 * CHUNK)
    files.write("IN", plain)
    assert peak_megabytes(files, "encrypt", *KEY, "IN", "OUT") < 100
    assert peak_megabytes(files, "decrypt", *KEY, "OUT", "BACK") < 100
    assert peak_megabytes(files, "encrypt", "--passphrase-file", "pass", "IN", "OUT2") < 100 + 128
    assert peak_megabytes(files, "raw", "encrypt", *RAW_CTR, "IN", "RAW") < 64
    files.write("key16", random_bytes(16))
    old = ["--from-cipher", "aes-128-cbc", "--from-iv", IV16, "--from-key-file", "key16"]
    (files.folder / "old").mkdir()
    files.run("raw", "encrypt", "--cipher", "aes-128-cbc", "--iv", IV16, "--key-file", "key16", "IN", "old/0", check=0)
    for number in range(1, 8):
        os.link(files.folder / "old" / "0", files.folder / "old" / str(number))
    for jobs in (1, 8):
        subprocess.run(["rm", "-rf", "M", "new"], cwd=files.folder, check=True)
        assert peak_megabytes(files, *TREE, *old, *KEY, "--jobs", str(jobs)) < 40 + 70 * jobs
