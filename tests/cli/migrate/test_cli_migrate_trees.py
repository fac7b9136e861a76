"""migrate --manifest: many files, good and bad; killed at any moment and given again."""

import hashlib
import itertools
import json
import os
import random
import signal
import subprocess

import pytest
from conftest import CHUNK, FLIP, PROGRAM, openssl, random_bytes, unknown_format, wait_for

PASSPHRASE = b"correct horse battery staple\n"
OLD = "--from-openssl --from-cipher des3 --from-pbkdf2 --from-iter 10 --from-passphrase-file pass".split()
NEW = ["--key-file", "new"]
OLD_AES = [word.replace("des3", "aes-128-cbc") for word in OLD]  # of which openssl makes large files fast
TREE = "migrate --manifest M --from-tree old --to-tree new.d".split()
NUM_KILLS = int(os.environ.get("PHALANX_KILLS", "40"))
SEED = os.environ.get("PHALANX_KILLS_SEED", str(random.SystemRandom().randrange(1 << 32)))
RUN_NUMBERS = itertools.count()
WHEN_WRITTEN = "fsync:OUT.phalanx-partial@1="  # before the container is read back


def seal_old(folder, name, plain, passphrase="pass", cipher="des3"):
    path = folder / "old" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    options = [f"-{cipher}", "-pbkdf2", "-iter", "10", "-pass", f"file:{passphrase}"]
    path.write_bytes(openssl("enc", *options, stdin=plain, cwd=folder))


def seal_under_another(folder, name, plain):
    """Under the passphrase `wrong`, where the right one does not fit by chance, as it does once in 256 times."""
    opens = ["openssl", "enc", "-d", "-des3", "-pbkdf2", "-iter", "10", "-pass", "file:pass", "-in", f"old/{name}"]
    opened = True
    while opened:
        seal_old(folder, name, plain, "wrong")
        opened = subprocess.run(opens, cwd=folder, capture_output=True).returncode == 0


@pytest.fixture
def files(phalanx):
    phalanx.write("new", random_bytes(32, seed=3))
    phalanx.write("pass", PASSPHRASE)
    phalanx.write("wrong", b"incorrect horse\n")
    return phalanx


@pytest.fixture
def plains(files):
    """Good files in folders of their own; returns their plaintexts by name."""
    plains = {
        "a.des3": unknown_format(100_000),
        "2014/march.des3": b"",
        "2014/april with spaces.des3": unknown_format(16384),
        "2015/q1/deep.des3": unknown_format(CHUNK + 77),
        "na\udcefve\n.des3": b"a name that is not UTF-8, and a line end in it",
    }
    for name, plain in plains.items():
        seal_old(files.folder, name, plain)
    return plains


def run_tree(files, *extra, check=None, options=OLD, **keywords):
    return files.run(*TREE, *options, *NEW, *extra, check=check, **keywords)


def records(files):
    """The newest record of each name, and the header."""
    lines = [json.loads(line) for line in files.read("M").decode().splitlines()]
    newest = {}
    for line in lines[1:]:
        name = bytes.fromhex(line["name_hex"]).decode(errors="surrogateescape") if "name_hex" in line else line["name"]
        newest[name] = line
    return newest, lines[0]


def tree(folder):
    """Every file below it and its content."""
    return {
        os.path.relpath(os.path.join(where, name), folder): open(os.path.join(where, name), "rb").read()
        for where, _, names in os.walk(folder)
        for name in names
    }


def assert_complete(files, plains):
    """One container for each plaintext, which opens to it, and nothing else."""
    assert set(tree(files.folder / "new.d")) == {name + ".phalanx" for name in plains}
    for name, plain in plains.items():
        assert files.run("decrypt", *NEW, files.folder / "new.d" / (name + ".phalanx"), check=0).stdout == plain, name


def test_a_tree(files, plains):
    before = tree(files.folder / "old")
    done = run_tree(files, "--progress", "json", check=0)
    assert_complete(files, plains)
    newest, header = records(files)
    assert header == {"phalanx_manifest": 1, "from_tree": str(files.folder / "old"), "to_tree": str(files.folder / "new.d")}
    assert set(newest) == set(plains)
    for name, record in newest.items():
        assert record["state"] == "done" and record["verified"] is True and record["deleted"] is False
        assert record["in_bytes"] == len(before[name]) and record["out_bytes"] == len(tree(files.folder / "new.d")[name + ".phalanx"])
    assert sorted(done.stdout.splitlines()) == sorted(
        b"done     " + os.fsencode(name).replace(b"\n", b"?") for name in plains
    )
    lines = done.stderr.decode().splitlines()
    assert "5 done, 0 done before, 0 failed, 0 skipped" in lines[-1]
    assert json.loads(lines[-2])["finished"] is True
    assert tree(files.folder / "old") == before
    again = run_tree(files, check=0)
    assert b"0 done, 5 done before" in again.stderr and again.stdout == b""


def test_the_manifest_holds_nothing_secret(files, plains):
    done = run_tree(files, "--sha256", check=0)
    manifest = files.read("M")
    for secret in [files.read("new"), files.read("new").hex().encode(), PASSPHRASE.strip(), unknown_format(100_000)[16:32]]:
        assert secret not in manifest
    for plain in plains.values():
        digest = hashlib.sha256(plain).hexdigest().encode()
        assert digest not in manifest and done.stdout.count(digest) == 1


def test_good_and_bad_files(files, plains):
    """What fails is recorded with its reason and its code, and stops nothing."""
    folder = files.folder / "old"
    seal_under_another(files.folder, "other.des3", bytes(1000))
    (folder / "cut.des3").write_bytes((folder / "a.des3").read_bytes()[:-3])
    (folder / "empty.des3").write_bytes(b"")
    (folder / "notes.txt").write_bytes(b"not of openssl")
    (folder / "link").symlink_to("a.des3")
    (folder / "dangling").symlink_to("nowhere")
    os.mkfifo(folder / "pipe")
    (folder / "old.phalanx-partial").write_bytes(bytes(10))
    files.write("plain", b"sealed already")
    files.run("encrypt", *NEW, "plain", "old/ours.phalanx", check=0)
    (files.folder / "new.d").mkdir()
    before = tree(folder / "2014")
    done = run_tree(files)
    newest, _ = records(files)
    states = {name: record["state"] for name, record in newest.items() if name not in plains}
    failed = {"other.des3": 4, "cut.des3": 5, "empty.des3": 5, "notes.txt": 2}
    skipped = {"link": "link", "dangling": "link", "pipe": "regular", "old.phalanx-partial": "unfinished", "ours.phalanx": "container"}
    assert states == {**dict.fromkeys(failed, "failed"), **dict.fromkeys(skipped, "skipped")}
    for name, code in failed.items():
        assert newest[name]["exit_code"] == code and newest[name]["why"]
        assert f"phalanx: {name}: {newest[name]['why']}".encode() in done.stderr
    for name, word in skipped.items():
        assert word in newest[name]["why"]
    assert done.returncode == 1 and b"5 done, 0 done before, 4 failed (1 cut short, 1 empty, 1 not as described, 1 wrong key), 5 skipped" in done.stderr
    assert_complete(files, plains)
    assert tree(folder / "2014") == before
    # With the other passphrase, and only those that failed are tried.
    other = ["wrong" if word == "pass" else word for word in OLD]
    done = run_tree(files, options=other)
    assert b"1 done, 5 done before, 3 failed" in done.stderr
    assert_complete(files, {**plains, "other.des3": bytes(1000)})
    for name in ["notes.txt", "cut.des3", "empty.des3"]:
        (folder / name).unlink()
    run_tree(files, options=other, check=0)


def test_the_exit_code_is_that_of_failures_that_are_alike(files, plains):
    for name in ("x.des3", "y.des3"):
        (files.folder / "old" / name).write_bytes(b"Salted__12345678" + bytes(7))
    assert run_tree(files).returncode == 5


def test_a_list(files, plains):
    files.write("list", b"a.des3\n./2014/../2014/march.des3\n\na.des3\nmissing.des3\n")
    done = run_tree(files, "--from-list", "list", "--json", "--sha256")
    assert done.returncode == 1
    newest, _ = records(files)
    assert {name: record["state"] for name, record in newest.items()} == {
        "a.des3": "done", "2014/march.des3": "done", "missing.des3": "failed",
    }  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[-1] == {
        "done": 2, "done_before": 0, "failed": 1, "failed_by_reason": {"input or output": 1}, "skipped": 0, "doubtful": 0,
        "left": 0, "deleted": 0,
    }  # fmt: skip
    digest = hashlib.sha256(plains["a.des3"]).hexdigest()
    assert next(line for line in lines if line.get("name") == "a.des3")["plaintext_sha256"] == digest
    for line in (b"../a", b"/etc/passwd", b"2014/../../x"):
        files.write("list", line + b"\n")
        files.assert_refused(run_tree(files, "--from-list", "list"), 2, "list names")


def test_refused_as_a_whole(files, plains):
    def refused(code, words, *arguments):
        files.assert_refused(files.run("migrate", *OLD, *NEW, *arguments), code, *words)

    for old, new in (("old", "old/new"), ("old", "old"), ("old/2014", "old"), ("old/2014", ".")):
        refused(2, ["lies in the other"], "--manifest", "M", "--from-tree", old, "--to-tree", new)
        refused(2, ["lies in the other"], "--manifest", "M", "--dry-run", "--from-tree", old, "--to-tree", new)
    assert not (files.folder / "old/new").exists()
    refused(1, ["missing"], "--manifest", "M", "--from-tree", "missing", "--to-tree", "x")
    files.write("M", b"my notes\n")
    refused(2, ["not a manifest"], "--manifest", "M", "--from-tree", "old", "--to-tree", "new.d")
    assert files.read("M") == b"my notes\n"
    (files.folder / "M").unlink()
    run_tree(files, check=0)
    refused(2, ["is the manifest of"], "--manifest", "M", "--from-tree", "old", "--to-tree", "other.d")
    manifest = files.read("M")
    files.write("M", manifest + b'{"name":"x","state":"odd"}\n')
    refused(2, ["line 7", "damaged"], "--manifest", "M", "--from-tree", "old", "--to-tree", "new.d")


def test_a_torn_last_line_is_cut_off(files, plains):
    run_tree(files, check=0)
    whole = files.read("M")
    for torn in (whole[:-1], whole[:-30], whole + b'{"na', whole[:20], b""):
        files.write("M", torn)
        run_tree(files, check=0)
        newest, _ = records(files)
        assert set(newest) == set(plains)
    assert_complete(files, plains)


def test_an_existing_container_is_taken_only_if_it_holds_the_same(files, plains):
    """As after a kill between the container's name and the manifest's line."""
    run_tree(files, check=0)
    (files.folder / "M").unlink()
    before = tree(files.folder / "new.d")
    done = run_tree(files, check=0)
    assert b"5 done, 0 done before" in done.stderr and tree(files.folder / "new.d") == before
    seal_old(files.folder, "a.des3", b"another content")
    assert run_tree(files).returncode == 2 and records(files)[0]["a.des3"]["state"] == "failed"
    (files.folder / "M").unlink()
    files.write("new.d/2014/march.des3.phalanx", b"no container at all")
    done = run_tree(files)
    newest, _ = records(files)
    assert done.returncode == 2 and newest["a.des3"]["state"] == newest["2014/march.des3"]["state"] == "failed"
    assert "--force" in newest["a.des3"]["why"]
    assert files.read("new.d/2014/march.des3.phalanx") == b"no container at all"
    run_tree(files, "--force", "--doubt-is-ok", check=0)
    assert_complete(files, {**plains, "a.des3": b"another content"})


def test_two_runs_at_once(files, plains):
    """The first holds the manifest while it waits for a pipe that its list names."""
    os.mkfifo(files.folder / "list")
    first = files.start(*TREE, *OLD, *NEW, "--from-list", "list", stdin=subprocess.DEVNULL)
    wait_for(lambda: (files.folder / "M").exists() and files.read("M"))
    files.assert_refused(run_tree(files), 2, "M is in use")
    (files.folder / "list").write_bytes(b"a.des3\n")
    first.communicate()
    assert first.returncode == 0
    run_tree(files, check=0)


def test_sources_go_only_when_asked_and_after_they_are_verified(files, plains, faults):
    before = tree(files.folder / "old")
    # One job syncs each file by itself.
    done = run_tree(files, "--delete-source", "--jobs", "1", env=faults("fsync:.phalanx-partial@every=run", actor=FLIP))
    newest, _ = records(files)
    # The fault needs a container of 40,000 bytes: the two that have them fail, and theirs are the files that stay.
    stay = {"a.des3", "2015/q1/deep.des3"}
    assert done.returncode == 3 and {name for name, record in newest.items() if record["state"] == "failed"} == stay
    assert tree(files.folder / "old") == {name: before[name] for name in stay}
    assert not [name for name in tree(files.folder / "new.d") if name.endswith("partial") or name[:-8] in stay]
    run_tree(files, check=0)
    assert set(tree(files.folder / "old")) == stay
    run_tree(files, "--delete-source", check=0)
    newest, _ = records(files)
    assert tree(files.folder / "old") == {} and all(record["deleted"] for record in newest.values())
    assert_complete(files, plains)


def test_a_container_that_was_changed_since_keeps_its_source(files, plains):
    run_tree(files, check=0)
    container = files.folder / "new.d" / "a.des3.phalanx"
    content = bytearray(container.read_bytes())
    content[50_000] ^= 1
    container.write_bytes(bytes(content))
    done = run_tree(files, "--delete-source")
    assert done.returncode == 2 and set(tree(files.folder / "old")) == {"a.des3"}


def test_without_reading_back(files, plains):
    done = run_tree(files, "--no-verify", "--jobs", "2", check=0)
    assert_complete(files, plains)
    assert all(record["verified"] is False for record in records(files)[0].values())
    assert not any(len(word) == 64 for word in done.stdout.split())


def assert_intact(files, before, plains, checked=None):
    """Every source is as it was, and every container that has its name is right; those in `checked` were seen before."""
    assert tree(files.folder / "old") == before
    checked = set() if checked is None else checked
    for name, content in tree(files.folder / "new.d").items():
        if name.endswith(".phalanx") and content not in checked:
            plain = plains[name.removesuffix(".phalanx")]
            assert files.run("decrypt", *NEW, files.folder / "new.d" / name, check=0).stdout == plain, name
            checked.add(content)


def test_kills_at_random_calls(files, faults):
    """A run over a tree is killed again and again; each next run goes on, and the last one ends."""
    plains = {f"{number % 3}/{number}.aes": unknown_format(1000 * number, seed=number) for number in range(6)}
    plains["big.aes"] = unknown_format(7 * CHUNK + 5, seed=99)
    for name, plain in plains.items():
        seal_old(files.folder, name, plain, cipher="aes-128-cbc")
    (files.folder / "new.d").mkdir()
    before = tree(files.folder / "old")
    command = [*TREE, *OLD_AES, *NEW, "--jobs", "2"]
    num_calls = faults.count(files, "change", *command)
    num_kills, checked = 0, set()
    for turn in range(NUM_KILLS // 2):
        if turn % 3 == 0:
            clear(files)
        num_kills += kill_somewhere(files, faults, num_calls // 2, *command) == -signal.SIGKILL
        assert_intact(files, before, plains, checked)
    run_tree(files, options=OLD_AES, check=0)
    assert num_kills >= NUM_KILLS // 6  # at least those of fresh runs
    assert_complete(files, plains)
    assert {record["state"] for record in records(files)[0].values()} == {"done"}


def kill_somewhere(files, faults, most, *command):
    """The exit code of a run with a kill at one of so many calls that change the disk, if it makes that many."""
    print(f"PHALANX_KILLS_SEED={SEED}")
    chance = random.Random(f"{SEED} {most} {next(RUN_NUMBERS)}")
    rule = f"change@{chance.randint(1, most)}={chance.choice(['kill', 'tear', 'kill-after'])}"
    return files.run(*command, env=faults(rule)).returncode


def clear(files):
    subprocess.run(["rm", "-rf", "M", "new.d"], cwd=files.folder, check=True)
    (files.folder / "new.d").mkdir()


def test_crashes_at_every_change_of_the_disk(files, faults):
    """SIGKILL at the first call that writes, syncs, renames, cuts or removes, then at the second, ... (here at every fifth, another
    one each time), with deletion."""
    plains = {"a.des3": unknown_format(50_000), "b/c.des3": b"a few words"}
    step = 1 if NUM_KILLS > 40 else 5
    for call in range(random.Random(SEED).randint(1, step), 200, step):
        clear(files)
        for name, plain in plains.items():
            seal_old(files.folder, name, plain)
        command = [*TREE, *OLD, *NEW, "--jobs", "1", "--delete-source", "-q"]
        code = files.run(*command, env=faults(f"change@{call}=tear")).returncode
        for name, plain in plains.items():  # at any moment the data are somewhere, whole
            if not (files.folder / "old" / name).exists():
                assert files.run("decrypt", *NEW, f"new.d/{name}.phalanx", check=0).stdout == plain
        if code == 0:
            break
        assert code == -signal.SIGKILL
        files.run(*command, check=0)
        assert_complete(files, plains)
        assert tree(files.folder / "old") == {}
    assert 20 < call < 199


def test_kills_of_a_single_migration(files, faults):
    """Killed and continued by --resume until it is complete; IN stays, and OUT is never anything but right."""
    plain = unknown_format(6 * CHUNK + 12_345, seed=4)
    seal_old(files.folder, "IN", plain, cipher="aes-128-cbc")
    before = files.read("old/IN")
    command = ["migrate", *OLD_AES, *NEW, "old/IN", "OUT", "--resume"]
    num_calls = faults.count(files, "change", *command)
    num_kills = 0
    for _ in range(NUM_KILLS // 2):
        if "OUT" in files.names():
            assert files.run("decrypt", *NEW, "OUT", check=0).stdout == plain
            (files.folder / "OUT").unlink()
        num_kills += kill_somewhere(files, faults, num_calls, *command) == -signal.SIGKILL
    (files.folder / "OUT").unlink(missing_ok=True)
    assert files.run(*command, env=faults(WHEN_WRITTEN + "kill")).returncode == -signal.SIGKILL
    assert b"then going on" in files.run(*command, check=0).stderr
    assert files.run("decrypt", *NEW, "OUT", check=0).stdout == plain
    assert num_kills >= NUM_KILLS // 8 and files.read("old/IN") == before
    assert not [name for name in files.names() if name.endswith("partial")]


def test_resume_refuses_another_old_file(files, faults):
    plain = unknown_format(8 * CHUNK, seed=4)
    seal_old(files.folder, "IN", plain, cipher="aes-128-cbc")
    seal_old(files.folder, "OTHER", plain[::-1], cipher="aes-128-cbc")
    command = ["migrate", *OLD_AES, *NEW, "old/IN", "OUT", "--resume"]
    assert files.run(*command, env=faults(WHEN_WRITTEN + "kill")).returncode == -signal.SIGKILL
    done = files.run("migrate", *OLD_AES, *NEW, "old/OTHER", "OUT", "--resume", "-q")
    files.assert_refused(done, 2, "another content")
    assert "OUT" not in files.names()
    done = files.run(*command, check=0)
    assert b"then going on" in done.stderr
    assert files.run("decrypt", *NEW, "OUT", check=0).stdout == plain


@pytest.mark.parametrize("fault", ["read@{}=EIO", "write@{}=ENOSPC", "sync@{}=EIO"])
def test_failing_calls(files, plains, faults, fault):
    """Whatever call fails, no container is wrong and no source is lost; the next run completes."""
    before = tree(files.folder / "old")
    for number in (1, 4, 11):
        clear(files)
        done = run_tree(files, "--jobs", "1", env=faults(fault.format(number)))
        assert_intact(files, before, plains)
        assert done.returncode in (0, 1)
        run_tree(files, check=0)
        assert_complete(files, plains)


def test_short_reads_and_writes(files, plains, faults):
    run_tree(files, check=0, env=faults("read,write@every=ragged"))
    assert_complete(files, plains)


def test_a_full_disk_fails_what_does_not_fit_and_keeps_every_source(files, plains):
    before = tree(files.folder / "old")
    script = f"""mkdir small && mount -t tmpfs -o size=1m none small || exit 99
      {PROGRAM} {" ".join([*TREE, *OLD, *NEW])} --to-tree small; echo $?; ls -AR small"""
    script = script.replace("--to-tree new.d ", "")
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=files.folder, capture_output=True)
    if done.returncode == 99 or b"unshare" in done.stderr:
        pytest.skip("this system does not let us mount a small file system")
    assert done.stdout.decode(errors="replace").splitlines()[-20:].count("1") <= 1
    newest, _ = records(files)
    assert newest["2015/q1/deep.des3"]["state"] == "failed" and "No space left" in newest["2015/q1/deep.des3"]["why"]
    assert newest["2014/march.des3"]["state"] == "done"
    assert tree(files.folder / "old") == before and b"partial" not in done.stdout


def test_a_folder_that_may_not_be_read_fails_its_files(files):
    """One that is there and may only be written to: encrypt --each says so too."""
    seal_old(files.folder, "a/x", b"a text that anybody can read\n")
    seal_old(files.folder, "y", b"another text that anybody can read\n")
    (files.folder / "new.d/a").mkdir(parents=True)
    (files.folder / "new.d/a").chmod(0o300)
    without = "-dac_override,-dac_read_search"
    as_others = ["setpriv", f"--bounding-set={without}", f"--inh-caps={without}"] if os.geteuid() == 0 else []
    command = [*as_others, PROGRAM, *TREE, *OLD, *NEW]
    done = subprocess.run(command, cwd=files.folder, capture_output=True, timeout=60)
    (files.folder / "new.d/a").chmod(0o700)
    assert done.returncode == 1 and b"a/x: " in done.stderr and b"1 done, 0 done before, 1 failed" in done.stderr
    assert (files.folder / "old/a/x").exists() and not (files.folder / "new.d/a/x.phalanx").exists()
