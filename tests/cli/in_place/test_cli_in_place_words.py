"""raw --in-place: whatever ends a run, who does what it says gets the file crypted once."""

import signal

import pytest
from conftest import CHUNK, RAW_CTR, random_bytes

JOURNAL = "FILE.phalanx-journal"
COMMAND = ["raw", "encrypt", *RAW_CTR, "--in-place", "FILE"]
RESUMES, IS_DONE = b"the same command again resumes it", b"is complete"


def prepare(files):
    """What FILE is, and what it is to become."""
    before = random_bytes(CHUNK + 5000, seed=11)
    files.write("FILE", before)
    return before, files.run("raw", "encrypt", *RAW_CTR, "FILE", check=0).stdout


def complaint_of(files, done, before, after):
    """What is untrue of the end of a run, after which the command is given again only where it may be."""
    if done.returncode == 0 or IS_DONE in done.stderr:
        return "" if files.read("FILE") == after else "it says that it is done, and is not"
    if RESUMES not in done.stderr and JOURNAL not in files.names():
        allowed = (before, after) if done.returncode == -signal.SIGKILL else (before,)
        return "" if files.read("FILE") in allowed else "it does not say that it is done"
    again = files.run(*COMMAND)
    if again.returncode != 0 or files.read("FILE") != after:
        return f"given again: {again.returncode}, {again.stderr}"
    return ""


@pytest.mark.parametrize("what", ["term", "EIO", "EINTR", "kill", "kill-after"])
def test_what_is_said_at_every_call_is_true(files, faults, what):
    before, after = prepare(files)
    calls = "any" if what != "term" else "any,flock,close"
    complaints = []
    for call in range(1, 1 + faults.count(files, calls, *COMMAND)):
        for name in (JOURNAL, "FILE"):
            (files.folder / name).unlink(missing_ok=True)
        files.write("FILE", before)
        done = files.run(*COMMAND, env=faults(f"{calls}@{call}={what}"))
        if complaint := complaint_of(files, done, before, after):
            complaints.append(f"{calls}@{call}={what}: {done.returncode} {done.stderr} {complaint}")
    assert not complaints, "\n" + "\n".join(complaints)


@pytest.mark.parametrize("call", [f"unlink:{JOURNAL}@1", "fsync@every"])
@pytest.mark.parametrize("what", ["term", "int", "hup"])
def test_a_signal_after_the_last_piece_does_not_undo_it(files, faults, call, what):
    """Where the journal goes, and where the folder is made durable without it."""
    before, after = prepare(files)
    rule = call.replace("every", str(faults.count(files, "fsync", *COMMAND)))
    files.write("FILE", before)
    log = files.folder.parent / "log"
    log.unlink(missing_ok=True)
    done = files.run(*COMMAND, env=faults(f"{rule}={what}", log=log))
    assert f"hit {what}" in log.read_text()
    assert (done.returncode, done.stderr) == (0, b"")
    assert files.read("FILE") == after and JOURNAL not in files.names()


def test_a_journal_that_cannot_be_removed_is_told(files, faults):
    before, after = prepare(files)
    done = files.run(*COMMAND, env=faults(f"unlink:{JOURNAL}@1=EACCES"))
    files.assert_refused(done, 1, JOURNAL, "is complete", "as long as")
    assert files.read("FILE") == after and JOURNAL in files.names()
    files.run(*COMMAND, check=0)
    assert files.read("FILE") == after and JOURNAL not in files.names()


def test_what_is_cut_meanwhile_is_not_said_to_resume(files, faults):
    files.write("FILE", random_bytes(5 * CHUNK))
    done = files.run(*COMMAND, env=faults("pwrite:FILE@1=run", actor="truncate -s 70000 FILE"))
    files.assert_refused(done, 1, "became shorter")
    assert RESUMES not in done.stderr
