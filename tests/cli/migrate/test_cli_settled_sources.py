"""migrate --delete-source: an old file goes only once its next save would show, and its container's name is on the disk. What
cannot go for such a reason is kept, which no option overrides."""

import json
import os
import signal

import pytest
from conftest import CHUNK, KEY, OLD, TREE, random_bytes, seal_old, unknown_format

TEXT = b"a text that anybody can read, long enough\n"
NEWER = TEXT.replace(b"text", b"news")  # of the same length
ONE = ["migrate", *OLD, *KEY, "old/a", "new/a.phalanx"]
SAVE = "cat newer > old/a"  # by a program that keeps the file and its length
DELETING = ["--delete-source", "--delete-doubtful", "--force"]
COMMANDS = {"one": [*ONE, *DELETING], "tree": [*TREE, *OLD, *KEY, "--jobs", "1", *DELETING]}
modes = pytest.mark.parametrize("mode", COMMANDS)


@pytest.fixture
def old(files):
    (files.folder / "new").mkdir()
    seal_old(files, "old/a", TEXT)
    seal_old(files, "newer", NEWER)
    return files


@pytest.fixture
def log(tmp_path_factory):
    return tmp_path_factory.mktemp("log") / "calls"


def hits(log, what):
    return sum(line.startswith(f"hit {what} ") for line in log.read_text(errors="surrogateescape").splitlines())


def newest_record(files, name):
    return [line for line in map(json.loads, files.read("M").splitlines()) if line.get("name") == name][-1]


def opened(files, name):
    return files.run("decrypt", *KEY, name, check=0).stdout


def assert_kept(files, done, mode, *words):
    """The container is there, the old file too, and that is said."""
    assert done.returncode == 1 and (files.folder / "old/a").exists() and (files.folder / "new/a.phalanx").exists()
    lines = [line for line in done.stderr.decode().splitlines() if "the old file is kept: " in line]
    assert len(lines) == 1 and all(word in lines[0] for word in words), done.stderr
    assert mode == "one" or (b" 0 deleted, 1 kept" in done.stderr and all(word in newest_record(files, "a")["kept"] for word in words))
    assert not [path for path in files.folder.rglob("*phalanx-partial")]


# --- The clock.


@modes
def test_no_save_is_lost_that_the_clock_does_not_show(old, faults, log, mode):
    """All happens within one step of the clock: only what happens after a wait has another time. Whenever the file is saved,
    what was saved last is in the old file or in its container."""
    calls = "open,read,close:old/a"
    num_calls = faults.count(old, calls, *COMMANDS[mode])
    assert num_calls > 2 and not (old.folder / "old/a").exists()
    others = ["sleep@1", "fsync:a.phalanx.phalanx-partial@1", "rename@1", "fsync:/new@1"]
    num_saved = 0
    for moment in [*(f"{calls}@{number}" for number in range(1, num_calls + 1)), *others]:
        for path in ("new/a.phalanx", "M"):
            (old.folder / path).unlink(missing_ok=True)
        seal_old(old, "old/a", TEXT)
        log.unlink(missing_ok=True)
        old.run(*COMMANDS[mode], "-q", env=faults(f"{moment}=run", actor=SAVE, log=log, clock="coarse"))
        if hits(log, "run") == 0:
            continue
        num_saved += 1
        assert "actor 0" in log.read_text()
        kept = (old.folder / "old/a").exists() and old.read("old/a") == old.read("newer")
        assert kept or opened(old, "new/a.phalanx") == NEWER, moment
    assert num_saved >= num_calls


@modes
def test_a_run_waits_once(old, faults, log, mode):
    for number in range(5 if mode == "tree" else 0):
        seal_old(old, f"old/sub/{number}", TEXT)
    old.run(*COMMANDS[mode], env=faults("sleep@every=note", log=log), check=0)
    assert hits(log, "note") == 1 and not [path for path in (old.folder / "old").rglob("*") if path.is_file()]


@modes
def test_a_file_that_is_old_enough_is_not_waited_for(old, faults, log, mode):
    old.run(*COMMANDS[mode], env=faults("sleep@every=note", log=log, clock=10), check=0)
    assert hits(log, "note") == 0 and not (old.folder / "old/a").exists()


def test_only_young_files_are_put_off(old, faults, log):
    """Those that are old enough go meanwhile: what the run has in mind does not grow with the number of files."""
    for name in "bcd":
        seal_old(old, f"old/{name}", TEXT)
    touch = faults("open:a@1=run;sleep@every=note", actor="touch old/b", log=log, clock=10)
    old.run(*COMMANDS["tree"], env=touch, check=0)
    lines = log.read_text().splitlines()
    slept = next(number for number, line in enumerate(lines) if line.startswith("hit note sleep"))
    removed = [line.split()[2] for line in lines[:slept] if line.startswith("unlink ") and line.split()[2] in "abcd"]
    assert removed == ["a", "c", "d"] and not list((old.folder / "old").iterdir())


def test_nothing_waits_where_nothing_is_to_be_removed(old, faults, log):
    for command in (ONE, [*TREE, *OLD, *KEY, "--force"]):
        old.run(*command, env=faults("sleep@every=note", log=log), check=0)
    assert hits(log, "note") == 0


@modes
def test_a_file_with_times_in_the_future_is_kept(old, mode):
    now = os.stat(old.folder / "old/a").st_mtime
    os.utime(old.folder / "old/a", (now, now + 3600))
    assert_kept(old, old.run(*COMMANDS[mode]), mode, "future", "touch")
    os.utime(old.folder / "old/a")
    old.run(*COMMANDS[mode], check=0)
    assert not (old.folder / "old/a").exists() and opened(old, "new/a.phalanx") == TEXT
    assert mode == "one" or "kept" not in newest_record(old, "a")


@modes
def test_a_clock_that_stands_still_keeps_the_file(old, faults, log, mode):
    """However long the run waits."""
    done = old.run(*COMMANDS[mode], env=faults("sleep@every=note", log=log, clock="stopped"))
    assert_kept(old, done, mode, "changed just now")
    assert hits(log, "note") < 10


@modes
def test_without_a_time_the_file_is_kept(old, faults, mode):
    for error in ("EACCES", "ENOSPC", "EROFS"):
        assert_kept(old, old.run(*COMMANDS[mode], env=faults(f"open:./@every={error}")), mode, "take the time of the file system")


@modes
def test_file_systems_without_files_without_names(old, faults, mode):
    lacking = "open:./@every=EOPNOTSUPP"
    for kill in ("kill", "kill-after"):
        done = old.run(*COMMANDS[mode], env=faults(f"{lacking};unlink:.phalanx-partial@1={kill}"))
        assert done.returncode == -signal.SIGKILL and (old.folder / "old/a").exists()
    assert len(list((old.folder / "old").glob(".phalanx-clock-*"))) == 1  # which the kill left
    done = old.run(*COMMANDS[mode], env=faults(lacking), check=0)
    assert [path.name[:14] for path in (old.folder / "old").iterdir()] == [".phalanx-clock"]
    assert mode == "one" or b"unfinished file" in done.stdout


# --- Durable names.


@modes
@pytest.mark.parametrize("fault", ["open:new/@every=EACCES", "fsync:/new@every=EINVAL"])
def test_without_a_durable_name_the_file_is_kept(old, faults, mode, fault):
    """The folder may be written, but not be read, or its file system says that it makes no folder durable."""
    assert_kept(old, old.run(*COMMANDS[mode], env=faults(fault)), mode, "on the disk")
    old.run(*COMMANDS[mode], check=0)
    assert not (old.folder / "old/a").exists()


def test_a_container_that_is_compared_must_be_durable_too(old, faults):
    old.run(*TREE, *OLD, *KEY, check=0)
    done = old.run(*TREE, *OLD, *KEY, "--delete-source", env=faults("open:new/@every=EACCES"))
    assert_kept(old, done, "tree", "on the disk")


def test_the_folders_of_a_container_are_durable(old, faults, log):
    """That of its folder's name too, which a run that was killed may have made and not synced."""
    seal_old(old, "old/sub/b", TEXT)
    for name in ("M", "new/a.phalanx"):
        (old.folder / name).unlink(missing_ok=True)
    done = old.run(*TREE, *OLD, *KEY, "--jobs", "1", env=faults("mkdir:sub@1=kill-after"))
    assert done.returncode == -signal.SIGKILL and (old.folder / "new/sub").is_dir()
    (old.folder / "old/a").unlink()
    (old.folder / "new/a.phalanx").unlink(missing_ok=True)
    old.run(*TREE, *OLD, *KEY, "--delete-source", env=faults(log=log), check=0)
    lines = [line.split(" ", 2) for line in log.read_text().splitlines()]
    removed = next(number for number, line in enumerate(lines) if line[0] == "unlink" and line[2] == "b")
    assert any(line[0] == "fsync" and line[2].endswith("/new") for line in lines[:removed])


def test_a_folder_that_holds_the_name_of_the_folder_must_be_durable(old, faults):
    (old.folder / "new").rmdir()
    done = old.run(*TREE, *OLD, *KEY, "--delete-source", env=faults(f"open:{old.folder}/@every=EACCES"))
    assert_kept(old, done, "tree", "on the disk")


# --- What is said.


def test_json_of_one_file_tells_doubt_and_deletion(old):
    def result(*options, code=0):
        (old.folder / "new/a.phalanx").unlink(missing_ok=True)
        return json.loads(old.run(*ONE, "--json", "-q", *options, check=code).stdout)

    found = result()
    assert found["deleted"] is False and "doubt" not in found and "kept" not in found
    seal_old(old, "old/a", random_bytes(15))
    found = result("--delete-source", code=7)
    assert found["deleted"] is False and "chance" in found["doubt"] and "kept" not in found
    assert "chance" in result(code=7)["doubt"] and "chance" in result("--doubt-is-ok")["doubt"]
    os.utime(old.folder / "old/a", (1, 1 << 32))
    found = result("--delete-source", "--delete-doubtful", code=1)
    assert found["deleted"] is False and "future" in found["kept"] and "chance" in found["doubt"]
    found = result("--delete-source", code=7)  # it would not go anyway
    assert found["deleted"] is False and "kept" not in found
    seal_old(old, "old/a", TEXT)
    found = result("--delete-source")
    assert found["deleted"] is True and "doubt" not in found and not (old.folder / "old/a").exists()


def test_json_is_whole_where_the_old_file_cannot_be_removed(old, faults):
    done = old.run(*ONE, "--json", "--delete-source", env=faults("unlink:a@every=EACCES"))
    old.assert_refused(done, 1, "cannot remove old/a")
    assert json.loads(done.stdout)["deleted"] is False


def test_json_of_many_counts_what_is_kept(old):
    seal_old(old, "old/b", TEXT)
    os.utime(old.folder / "old/b", (1, 1 << 32))
    done = old.run(*COMMANDS["tree"], "--json", "-q", check=1)
    lines = {line.get("name"): line for line in map(json.loads, done.stdout.splitlines())}
    assert lines["b"]["state"] == "done" and "future" in lines["b"]["kept"] and "kept" not in lines["a"]
    assert lines[None]["done"] == 2 and lines[None]["deleted"] == 1 and lines[None]["kept"] == 1 and lines[None]["failed"] == 0


def test_what_was_kept_is_compared_again(old):
    """Even where nothing is to be removed: an old file that changed after it was read is not what its container holds."""
    os.utime(old.folder / "old/a", (1, 1 << 32))
    old.run(*TREE, *OLD, *KEY, "--delete-source", check=1)
    (old.folder / "old/a").write_bytes(old.read("newer"))
    done = old.run(*TREE, *OLD, *KEY)
    assert done.returncode == 2 and b"is not the container of this file" in done.stderr


def test_kills_while_a_run_waits_and_removes(old, faults):
    """The manifest never says more than is on the disk, and the next run removes what is left, by the same rules."""
    for name in ("b", "sub/c"):
        seal_old(old, f"old/{name}", unknown_format(CHUNK + 3))
    seal_old(old, "old/z", TEXT)
    command = [*TREE, *OLD, *KEY, "--jobs", "2", *DELETING[:2]]
    for rule in ("sleep@1=kill", "sleep@1=kill-after", "unlink:b@1=kill", "unlink:c@1=kill-after", "fsync:/old@1=kill"):
        done = old.run(*command, env=faults(rule))
        assert done.returncode in (-signal.SIGKILL, 0), done.stderr
        for line in map(json.loads, old.read("M").splitlines()[1:]):
            assert (old.folder / f"new/{line['name']}.phalanx").exists()
            assert not line["deleted"] or not (old.folder / f"old/{line['name']}").exists()
    old.run(*command, check=0)
    assert not [path for path in (old.folder / "old").rglob("*") if path.is_file()]
    for name, plain in {"a": TEXT, "b": unknown_format(CHUNK + 3), "sub/c": unknown_format(CHUNK + 3), "z": TEXT}.items():
        assert opened(old, f"new/{name}.phalanx") == plain
