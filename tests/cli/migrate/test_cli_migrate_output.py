"""migrate over many files: a line for each or one line of progress, and what is counted at the end."""

import json

import pytest
from conftest import CHUNK, KEY, OLD, TREE, run_on_terminal, seal_old, unknown_format

TEXT = b"a text that anybody can read, long enough\n"
BAR = b"\r\x1b[K"
AUTO = ["auto" if word == "sha256" else word for word in OLD]
WAIT_FOR_GO = "while [ ! -e go ]; do :; done"


@pytest.fixture
def old(files):
    for name in ("a", "b", "c"):
        seal_old(files, f"old/{name}", TEXT)
    (files.folder / "old/cut").write_bytes((files.folder / "old/a").read_bytes()[:-3])
    (files.folder / "old/notes").write_bytes(b"notes that are no ciphertext\n")
    return files


def test_on_a_terminal_each_file_has_a_line_and_there_is_no_bar(old, faults):
    """However long it takes: here longer than the 0.3 seconds after which a bar would show."""
    environment = faults("read:old/c@1=run", actor="sleep 0.7")
    code, shown = run_on_terminal([*TREE, *OLD, *KEY, "--jobs", "1"], old.folder, env=environment)
    assert code == 1 and BAR not in shown
    lines = shown.decode().splitlines()
    assert [line for line in lines if line.startswith("done ")] == ["done     a", "done     b", "done     c"]
    assert len(lines) == 6 and lines[-1].startswith("phalanx: 3 done, 0 done before, 2 failed")


def test_a_bar_on_the_terminal_stands_alone(old, faults):
    """The run waits at its last file until a bar shows; the lines of those before it come after the bar."""
    (old.folder / "old/c").rename(old.folder / "old/z")
    environment = faults("read:old/z@1=run", actor=WAIT_FOR_GO)
    go = (b"B/s", lambda: (old.folder / "go").touch())
    command = [*TREE, *OLD, *KEY, "--jobs", "1", "--progress", "bar"]
    code, shown = run_on_terminal(command, old.folder, env=environment, when=go)
    assert code == 1
    before, _, after = shown.rpartition(BAR)
    assert b"B/s" in before and b"phalanx" not in before and b"done" not in before
    lines = after.decode().splitlines()
    assert "B/s" in lines[0] and [line.split(": ")[1] for line in lines[1:-1]] == ["cut", "notes"] and len(lines) == 4


def test_where_only_messages_are_on_the_terminal_the_bar_is_there_too(old, faults, tmp_path):
    environment = faults("read:old/c@1=run", actor=WAIT_FOR_GO)
    go = (b"B/s", lambda: (old.folder / "go").touch())
    with open(tmp_path / "lines", "wb") as lines:
        code, shown = run_on_terminal([*TREE, *OLD, *KEY, "--jobs", "1"], old.folder, env=environment, when=go, stdout=lines)
    assert code == 1 and b"B/s" in shown and b"done     " not in shown
    assert (tmp_path / "lines").read_bytes() == b"done     a\ndone     b\ndone     c\n"
    for line in shown.replace(BAR, b"\n").splitlines():
        assert not (b"B/s" in line and b"phalanx" in line)


def test_bytes_are_counted_once(old):
    """Each file is read, and its container too; what is counted is the old files, those that fail included."""
    seal_old(old, "old/big", unknown_format(CHUNK + 5))
    total = sum(path.stat().st_size for path in (old.folder / "old").iterdir())
    done = old.run(*TREE, *OLD, *KEY, "--progress", "json")
    last = [json.loads(line) for line in done.stderr.splitlines() if line.startswith(b"{")][-1]
    assert last["bytes"] == last["total_bytes"] == total and last["finished"] is True
    size = (old.folder / "old/big").stat().st_size
    done = old.run("migrate", *OLD, *KEY, "--progress", "json", "old/big", "OUT", check=0)
    last = [json.loads(line) for line in done.stderr.splitlines() if line.startswith(b"{")][-1]
    assert last["bytes"] == last["total_bytes"] == size


def test_what_is_counted_at_the_end(old):
    (old.folder / "old/notes").write_bytes(b"notes that are no ciphertext, but certainly plain text\n")
    done = old.run(*TREE, *AUTO, *KEY, "--delete-source", "--json")
    summary = json.loads(done.stdout.splitlines()[-1])
    assert summary == {
        "done": 3, "done_before": 0, "failed": 2, "failed_by_reason": {"cut short": 1, "plaintext": 1}, "skipped": 0,
        "doubtful": 0, "left": 0, "deleted": 3,
    }  # fmt: skip
    assert b"3 done, 0 done before, 2 failed (1 cut short, 1 plaintext), 0 skipped" in done.stderr
    reasons = {line["name"]: line["reason"] for line in map(json.loads, done.stdout.splitlines()[:-1]) if "reason" in line}
    assert reasons == {"cut": "cut short", "notes": "plaintext"}


def test_what_a_run_that_stops_early_leaves_is_counted(files):
    (files.folder / "old").mkdir()
    for number in range(60):
        (files.folder / "old" / f"{number:02}").write_bytes(b"Salted__12345678" + bytes(7))
    done = files.run(*TREE, *OLD, *KEY, "--jobs", "1", "--json")
    summary = json.loads(done.stdout.splitlines()[-1])
    assert done.returncode == 5 and summary["failed"] == 20 and summary["left"] == 40 and "stopped_early" in summary
    assert b"40 left untried" in done.stderr


def test_plain_files_do_not_stop_a_run(files):
    """They say nothing about the passphrase."""
    seal_old(files, "old/z", TEXT)
    for number in range(60):
        (files.folder / "old" / f"{number:02}").write_bytes(b"a plain file that lies between the old ones, again\n")
    done = files.run(*TREE, *AUTO, *KEY, "--jobs", "1", "--json")
    summary = json.loads(done.stdout.splitlines()[-1])
    assert summary["done"] == 1 and summary["failed_by_reason"] == {"plaintext": 60} and summary["left"] == 0
