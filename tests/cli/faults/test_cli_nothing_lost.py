"""Files that a run needs, and files that others change meanwhile: none is lost."""

import os
from pathlib import Path

import pytest
from conftest import CHUNK, IV16, KEY, MOST_SECONDS, NOBODY, OLD, RAW_CTR, contents, is_root, random_bytes, seal_old, wait_for

PARTIAL, RECORD = "OUT.phalanx-partial", "OUT.phalanx-record"

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
    files.assert_refused(files.run("recipients", "add", *KEY, "--add-key-file", "BOX", "BOX"), 2, "key file BOX")
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
    os.link(files.folder / "old/b", files.folder / "new/a.phalanx")
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
    (files.folder / "IN").chmod(0o666)
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
    assert process.wait(timeout=MOST_SECONDS) == 1 and b"another program" in process.stderr.read()
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
        assert process.wait(timeout=MOST_SECONDS) == 2 and b"OUT" in process.stderr.read()
        assert files.read("OUT") == b"a stranger's" and PARTIAL not in files.names()
        (files.folder / "OUT").unlink()


def test_a_refused_lock_is_an_error(files, faults):
    """As on a network disk without a lock server."""
    before = contents(files)
    for command in (["encrypt", *KEY, "IN", "OUT"], ["encrypt", *KEY, "--resume", "IN", "OUT"], ["decrypt", *KEY, "BOX", "OUT"],
                    ["recipients", "add", *KEY, "--add-key-file", "key", "BOX"], ["raw", "encrypt", *RAW_CTR, "--in-place", "IN"]):  # fmt: skip
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


# --- recipients.


def is_locked(path):
    """Between the moment that a file is there and that it is locked, another run may remove it, and be the first."""
    return path.exists() and f":{path.stat().st_ino} " in Path("/proc/locks").read_text()


def waiting_recipients(files, *arguments):
    """A change of recipients that waits for a passphrase, and has the lock."""
    read_end, write_end = os.pipe()
    process = files.start("recipients", "add", *KEY, "--scrypt-log-n", "10", "--add-passphrase-fd", str(read_end), *arguments, "BOX", pass_fds=(read_end,))
    os.close(read_end)
    wait_for(lambda: is_locked(files.folder / "BOX.phalanx-partial"))
    return process, write_end


def give(process, write_end):
    os.write(write_end, b"new passphrase\n")
    os.close(write_end)
    code = process.wait(timeout=MOST_SECONDS)
    return code, process.stderr.read()


def test_of_two_changes_of_recipients_at_once_one_is_refused(files):
    files.write("other", random_bytes(32, seed=9))
    files.run("recipients", "add", *KEY, "--add-key-file", "other", "BOX", check=0)
    first, write_end = waiting_recipients(files)
    files.assert_refused(files.run("recipients", "remove", *KEY, "--remove", "2", "BOX"), 2, "BOX is in use")
    assert give(first, write_end)[0] == 0
    files.run("recipients", "remove", *KEY, "--remove", "2", "BOX", check=0)
    assert files.run("decrypt", "--key-file", "other", "BOX").returncode == 4
    assert files.run("decrypt", *KEY, "BOX", check=0).stdout == files.read("IN")


@pytest.mark.parametrize("act", ["replaced", "written"])
def test_recipients_replaces_only_what_it_read(files, act):
    process, write_end = waiting_recipients(files)
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


def test_recipients_says_what_hard_links_keep(files):
    files.write("other", random_bytes(32, seed=9))
    files.run("recipients", "add", *KEY, "--add-key-file", "other", "BOX", check=0)
    os.link(files.folder / "BOX", files.folder / "hard")
    done = files.run("recipients", "remove", *KEY, "--remove", "2", "BOX", check=0)
    assert b"(hard links: 1)" in done.stderr and b"keep" in done.stderr
    assert files.run("decrypt", "--key-file", "other", "hard").returncode == 0


def test_recipients_copies_where_the_file_system_cannot(files, faults):
    for rule in ("copy_file_range@every=EOPNOTSUPP", "copy_file_range@every=EXDEV", "copy_file_range@every=short"):
        files.run("recipients", "add", *KEY, "--add-passphrase-file", "pass", "--scrypt-log-n", "10", "BOX", env=faults(rule), check=0)
        assert files.run("decrypt", *KEY, "BOX", check=0).stdout == files.read("IN")


def test_recipients_waits_for_no_pipe(files):
    os.mkfifo(files.folder / "PIPE")
    files.assert_refused(files.run("recipients", "add", *KEY, "--add-key-file", "BOX", "PIPE"), 2, "PIPE is not a regular file")


@pytest.mark.parametrize("left", ["resumable", "sealed", "decrypted", "a stranger's"])
def test_recipients_removes_no_partial_file_but_its_own(files, faults, left):
    if left in ("resumable", "sealed"):
        resume = ["--resume"] if left == "resumable" else []
        files.write("IN", random_bytes(3 * CHUNK))
        files.run("encrypt", "--force", *resume, *KEY, "IN", "BOX", env=faults("rename@1=kill"))
    elif left == "decrypted":
        files.run("decrypt", "--force", "--resume", *KEY, "BOX", "BOX.phalanx-partial", check=0)
    else:
        files.write("BOX.phalanx-partial", b"precious")
    before = contents(files)
    assert before[Path("BOX.phalanx-partial")] != b""
    done = files.run("recipients", "add", *KEY, "--add-key-file", "key", "BOX")
    files.assert_refused(done, 2, "BOX.phalanx-partial is", "remove it")
    assert contents(files) == before and b"`" not in done.stderr
    if left == "resumable":
        files.run("encrypt", "--force", "--resume", *KEY, "IN", "BOX", check=0)
        files.run("recipients", "add", *KEY, "--add-key-file", "key", "BOX", check=0)


@pytest.mark.parametrize("moment", ["ftruncate@1=kill-after", "write:-partial@1=tear", "write:-partial@1=kill-after", "rename@1=kill", "copy_file_range@1=kill-after"])
def test_recipients_replaces_what_a_killed_change_left(files, faults, moment):
    files.write("other", random_bytes(32, seed=9))
    command = ["recipients", "add", *KEY, "--add-key-file", "other", "BOX"]
    assert files.run(*command, env=faults(moment)).returncode == -9
    assert "BOX.phalanx-partial" in files.names()
    files.run(*command, check=0)
    assert "BOX.phalanx-partial" not in files.names()
