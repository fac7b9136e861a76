"""Files of any size that are not what they should be, and memory: a run takes no more than it says."""

import os
import resource
import subprocess

import pytest
from conftest import CHUNK, IV16, KEY, OLD, PROGRAM, RAW_CTR, TREE, random_bytes, without_sanitizer


def limited(megabytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


@without_sanitizer
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
    files.assert_refused(files.run("recipients", "remove", "--passphrase-file", "wrong", "--scrypt-budget", "63", "--remove", "1", "OUT"), 6)


@without_sanitizer
@pytest.mark.parametrize("megabytes", range(16, 40, 4))
def test_with_little_memory_a_run_ends_with_one_line(files, megabytes):
    """Threads and buffers are taken one after the other: whichever is the first that finds none."""
    def little():
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))

    files.write("IN", random_bytes(3 * CHUNK))
    done = files.run("encrypt", *KEY, "--threads", "8", "IN", "OUT", preexec_fn=little)
    if done.returncode != 0:
        files.assert_refused(done, 1, "memory")
        assert not [name for name in files.names() if name.startswith("OUT")]
        return
    done = files.run("decrypt", *KEY, "--threads", "8", "OUT", preexec_fn=little)
    if done.returncode != 0:
        files.assert_refused(done, 1, "memory")
    else:
        assert done.stdout == files.read("IN")


def peak_megabytes(files, *arguments, stdin=b""):
    """The most memory that a run holds, by the kernel's count."""
    script = "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:]).returncode\n"
    script += "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10, file=sys.stderr)"
    done = subprocess.run(["/usr/bin/python3", "-c", script, PROGRAM, *arguments],
                          cwd=files.folder, input=stdin, capture_output=True)  # fmt: skip
    code, megabytes = done.stderr.split()[-2:]
    assert code == b"0", done.stderr
    return int(megabytes)


@without_sanitizer
def test_memory_stays_within_what_the_manual_says(files):
    """A fixed amount for each command, 128 MiB more for scrypt at its default cost while a passphrase is tried, and so much for each
    file that is migrated at once."""
    plain = random_bytes(24 * CHUNK)
    files.write("IN", plain)
    assert peak_megabytes(files, "encrypt", *KEY, "IN", "OUT") < 100
    assert peak_megabytes(files, "decrypt", *KEY, "OUT", "BACK") < 100
    assert peak_megabytes(files, "encrypt", "--passphrase-file", "pass", "IN", "OUT2") < 100 + 128
    assert peak_megabytes(files, "raw", "encrypt", *RAW_CTR, "IN", "RAW") < 64
    gcm = ["--cipher", "aes-256-gcm", *KEY]
    assert peak_megabytes(files, "raw", "encrypt", *gcm, "IN", "GCM") < 64
    assert peak_megabytes(files, "raw", "decrypt", *gcm, "GCM", "GCM2") < 64
    assert peak_megabytes(files, "raw", "decrypt", *gcm, "-", "GCM3", stdin=files.read("GCM")) < 64
    files.write("key16", random_bytes(16))
    old = ["--from-cipher", "aes-128-cbc", "--from-iv", IV16, "--from-key-file", "key16"]
    (files.folder / "old").mkdir()
    files.run("raw", "encrypt", "--cipher", "aes-128-cbc", "--iv", IV16, "--key-file", "key16", "IN", "old/0", check=0)
    for number in range(1, 8):
        os.link(files.folder / "old" / "0", files.folder / "old" / str(number))
    for jobs in (1, 8):
        subprocess.run(["rm", "-rf", "M", "new"], cwd=files.folder, check=True)
        assert peak_megabytes(files, *TREE, *old, *KEY, "--doubt-is-ok", "--jobs", str(jobs)) < 40 + 70 * jobs
