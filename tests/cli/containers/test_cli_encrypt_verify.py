"""encrypt --verify: what is on the disk is read back before OUT gets its name."""

import pytest
from conftest import CHUNK, FLIP, KEY, random_bytes

FORMS = {
    "key": KEY,
    "passphrase": ["--passphrase-file", "pass", "--scrypt-log-n", "10"],
    "both": [*KEY, "--passphrase-file", "pass", "--scrypt-log-n", "10"],
    "serpent": ["--cipher", "serpent-256", *KEY],
    "bare": ["--bare", "--context", "0102", *KEY],
}
OPENS = {"both": KEY, "serpent": KEY, "passphrase": FORMS["passphrase"][:2]}
FLIPPED = "fsync:.phalanx-partial@1=run"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [0, 100_000, 2 * CHUNK + 7])
def test_a_good_container_appears(files, form, size):
    plain = random_bytes(size, seed=8)
    files.run("encrypt", "--verify", *FORMS[form], "-", "OUT", stdin=plain, check=0)
    assert files.run("decrypt", *OPENS.get(form, FORMS[form]), "OUT", check=0).stdout == plain
    assert not [name for name in files.names() if name.startswith("OUT.")]


@pytest.mark.parametrize("form", ["key", "passphrase", "bare"])
def test_one_that_the_disk_changed_does_not(files, faults, form):
    before = files.names()
    done = files.run("encrypt", "--verify", *FORMS[form], "IN", "OUT", env=faults(FLIPPED, actor=FLIP))
    files.assert_refused(done, 3, "OUT does not read back as it was written")
    assert files.names() == before
    files.run("encrypt", *FORMS[form], "IN", "OUT", env=faults(FLIPPED, actor=FLIP), check=0)  # nobody looked
    assert files.run("decrypt", *OPENS.get(form, FORMS[form]), "OUT", "OUT2").returncode == 3


def test_what_force_would_replace_stays(files, faults):
    files.write("OUT", b"precious")
    done = files.run("encrypt", "--verify", *KEY, "-f", "IN", "OUT", env=faults(FLIPPED, actor=FLIP))
    assert done.returncode == 3 and files.read("OUT") == b"precious"


def test_a_resumed_run_mends_what_did_not_read_back(files, faults):
    command = ["encrypt", "--verify", "--resume", *KEY, "IN", "OUT"]
    assert files.run(*command, env=faults(FLIPPED, actor=FLIP)).returncode == 3
    assert "OUT.phalanx-partial" in files.names() and "OUT" not in files.names()
    files.run(*command, check=0)
    assert files.run("decrypt", *KEY, "OUT", check=0).stdout == files.read("IN")


def test_a_disk_that_cannot_be_read(files, faults):
    before = files.names()
    done = files.run("encrypt", "--verify", *KEY, "IN", "OUT", env=faults("read:.phalanx-partial@1=EIO"))
    files.assert_refused(done, 1, "does not read back", "Input/output error")
    assert files.names() == before


@pytest.mark.parametrize("out", [[], ["-"], ["/dev/stdout"], ["/dev/null"]])
def test_what_cannot_be_read_back_is_refused(files, out):
    done = files.run("encrypt", "--verify", *KEY, "IN", *out)
    files.assert_refused(done, 2, "cannot be read back", "--verify")
    assert done.stdout == b""


def test_progress_counts_both_readings(files):
    done = files.run("encrypt", "--verify", *KEY, "--progress", "json", "IN", "OUT", check=0)
    assert b'"total_bytes":200000' in done.stderr
