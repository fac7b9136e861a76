"""Where OUT goes, what is refused, and that it appears complete or not at all."""

import os
import shutil
import signal
import stat
import subprocess
import tempfile
import threading

import pytest
from conftest import CHUNK, IV16, MOST_SECONDS, PROGRAM, is_root, random_bytes, run_on_terminal, wait_for

CTR = f"--cipher aes-256-ctr --iv {IV16} --key-file key".split()


@pytest.fixture
def files(phalanx):
    phalanx.write("IN", random_bytes(50_000))
    phalanx.write("key", random_bytes(32))
    phalanx.expected = phalanx.run("raw", "encrypt", *CTR, "IN", check=0).stdout
    return phalanx


def test_dash_and_nothing_are_the_standard_streams(files):
    content = files.read("IN")
    for names in [[], ["-"], ["-", "-"], ["/dev/stdin"], ["/dev/stdin", "/dev/stdout"], ["/dev/fd/0", "/dev/fd/1"]]:
        assert files.run("raw", "encrypt", *CTR, *names, stdin=content, check=0).stdout == files.expected


def test_never_overwrites_without_force(files):
    files.write("OUT", b"precious")
    files.assert_refused(files.run("raw", "encrypt", *CTR, "IN", "OUT"), 2, "OUT exists", "--force")
    assert files.read("OUT") == b"precious"
    files.run("raw", "encrypt", *CTR, "--force", "IN", "OUT", check=0)
    assert files.read("OUT") == files.expected


def test_a_failed_run_keeps_what_force_would_replace(files):
    files.write("OUT", b"precious")
    files.write("IN", bytes(99))
    done = files.run("raw", "decrypt", "--cipher", "aes-256-ecb", "--key-file", "key", "--force", "IN", "OUT")
    assert done.returncode == 5 and files.read("OUT") == b"precious"
    assert files.names() == ["IN", "OUT", "key"]


def test_new_files_follow_the_umask_and_replaced_ones_keep_their_mode(files):
    for umask, mode in [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)]:
        files.run("raw", "encrypt", *CTR, "--force", "IN", f"new{umask}", umask=umask, check=0)
        assert stat.S_IMODE((files.folder / f"new{umask}").stat().st_mode) == mode
    (files.write("old", b"x")).chmod(0o640)
    files.run("raw", "encrypt", *CTR, "--force", "IN", "old", check=0)
    assert stat.S_IMODE((files.folder / "old").stat().st_mode) == 0o640


def test_links_are_followed(files):
    (files.folder / "sub").mkdir()
    files.write("sub/target", b"old")
    (files.folder / "link").symlink_to("sub/target")
    (files.folder / "link2").symlink_to("link")
    (files.folder / "dangling").symlink_to("sub/new")
    (files.folder / "loop").symlink_to("loop")
    assert files.run("raw", "encrypt", *CTR, "IN", "link2").returncode == 2
    files.run("raw", "encrypt", *CTR, "--force", "IN", "link2", check=0)
    files.run("raw", "encrypt", *CTR, "IN", "dangling", check=0)
    assert (files.folder / "link").is_symlink() and (files.folder / "dangling").is_symlink()
    assert files.read("sub/target") == files.read("sub/new") == files.expected
    assert files.run("raw", "encrypt", *CTR, "IN", "loop").returncode in (1, 2)


def test_in_is_out_is_refused(files):
    os.link(files.folder / "IN", files.folder / "hard")
    (files.folder / "soft").symlink_to("IN")
    before = files.read("IN")
    for out in ["IN", "./IN", "hard", "soft"]:
        files.assert_refused(files.run("raw", "encrypt", *CTR, "--force", "IN", out), 2, "same file")
    with (files.folder / "IN").open("rb") as source, (files.folder / "IN").open("ab") as target:
        done = subprocess.run([PROGRAM, "raw", "encrypt", *CTR], stdin=source, stdout=target, cwd=files.folder)
    assert done.returncode == 2 and files.read("IN") == before


def test_a_folder_is_refused(files):
    (files.folder / "folder").mkdir()
    files.assert_refused(files.run("raw", "encrypt", *CTR, "IN", "folder"), 2, "folder")


def test_pipes_and_devices_are_written_straight(files):
    os.mkfifo(files.folder / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append(files.read("pipe")))
    reader.start()
    files.run("raw", "encrypt", *CTR, "IN", "pipe", check=0)
    reader.join()
    assert got == [files.expected] and stat.S_ISFIFO((files.folder / "pipe").stat().st_mode)
    files.run("raw", "encrypt", *CTR, "IN", "/dev/null", check=0)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_inherited_descriptors_are_used_where_they_stand(files):
    with (files.folder / "log").open("wb") as log:
        log.write(b"before ")
        log.flush()
        files.run("raw", "encrypt", *CTR, "IN", f"/dev/fd/{log.fileno()}", pass_fds=[log.fileno()], check=0)
    assert files.read("log") == b"before " + files.expected


def test_binary_output_to_a_terminal_is_refused(files):
    for out in [[], ["-"], ["/dev/tty"], ["/dev/stdout"]]:
        code, shown = run_on_terminal(["raw", "encrypt", *CTR, "IN", *out], files.folder)
        assert code == 2 and b"terminal" in shown and len(shown.splitlines()) == 1
    code, shown = run_on_terminal(["keygen"], files.folder)
    assert code == 2 and b"terminal" in shown
    code, shown = run_on_terminal(["keygen", "--hex"], files.folder)
    assert code == 0 and len(shown.strip()) == 64
    files.write("pass", b"a passphrase\n")
    command = "raw encrypt --openssl --cipher aes256 -a --passphrase-file pass --progress none IN".split()
    code, shown = run_on_terminal(command, files.folder)
    assert code == 0 and shown.startswith(b"U2FsdGVkX1")


def start_half_way(files, *options, **settings):
    """A run that has written a part of OUT and waits for more input."""
    process = files.start("raw", "encrypt", *CTR, *options, "-", "OUT", **settings)
    process.stdin.write(bytes(3 * CHUNK))
    process.stdin.flush()
    partial = files.folder / "OUT.phalanx-partial"
    wait_for(lambda: partial.exists() and partial.stat().st_size >= CHUNK)
    return process


@pytest.mark.parametrize("number, exit_code", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_half_way(files, number, exit_code):
    process = start_half_way(files)
    assert "OUT" not in files.names()
    process.send_signal(number)
    assert process.wait(timeout=MOST_SECONDS) == exit_code
    assert process.stderr.read() == b"phalanx: interrupted\n"
    assert files.names() == ["IN", "key"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_what_the_caller_ignores_stays_ignored(files, number):
    """nohup, `trap '' INT` around a run over night, and what a script starts in the background."""
    process = start_half_way(files, preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
    process.send_signal(number)
    process.stdin.close()
    assert process.wait(timeout=MOST_SECONDS) == 0 and len(files.read("OUT")) == 3 * CHUNK


def test_a_killed_run_leaves_its_partial_which_force_removes(files):
    process = start_half_way(files)
    process.kill()
    process.wait()
    assert "OUT.phalanx-partial" in files.names() and "OUT" not in files.names()
    files.assert_refused(files.run("raw", "encrypt", *CTR, "IN", "OUT"), 2, "OUT.phalanx-partial", "--force")
    files.run("raw", "encrypt", *CTR, "--force", "IN", "OUT", check=0)
    assert files.read("OUT") == files.expected and files.names() == ["IN", "OUT", "key"]


def test_two_runs_do_not_share_a_partial(files):
    process = start_half_way(files)
    files.assert_refused(files.run("raw", "encrypt", *CTR, "--force", "IN", "OUT"), 2, "is in use: another run is writing it")
    process.stdin.close()
    assert process.wait(timeout=MOST_SECONDS) == 0 and len(files.read("OUT")) == 3 * CHUNK


def test_a_link_that_was_turned_meanwhile_is_told(files):
    """As a service does that switches from one copy to the other."""
    files.write("one", b"one")
    files.write("two", b"two")
    link = files.folder / "OUT"
    link.symlink_to("one")
    process = files.start("raw", "encrypt", *CTR, "--force", "-", "OUT")
    process.stdin.write(bytes(3 * CHUNK))
    process.stdin.flush()
    wait_for(lambda: (files.folder / "one.phalanx-partial").exists())
    link.unlink()
    link.symlink_to("two")
    process.stdin.close()
    assert process.wait(timeout=MOST_SECONDS) == 2 and b"OUT was a link to" in process.stderr.read()
    assert files.read("one") == b"one" and files.read("two") == b"two" and "one.phalanx-partial" not in files.names()


def test_a_partial_that_is_a_link_is_not_followed(files):
    files.write("precious", b"precious")
    (files.folder / "OUT.phalanx-partial").symlink_to("precious")
    assert files.run("raw", "encrypt", *CTR, "--force", "IN", "OUT").returncode == 2
    assert files.read("precious") == b"precious"


def test_out_that_appears_meanwhile_is_not_replaced(files):
    process = start_half_way(files)
    files.write("OUT", b"mine")
    process.stdin.close()
    assert process.wait(timeout=MOST_SECONDS) == 2 and b"exists" in process.stderr.read()
    assert files.read("OUT") == b"mine" and files.names() == ["IN", "OUT", "key"]


def test_a_closed_pipe(files):
    with open("/dev/zero", "rb") as zeros:
        process = files.start("raw", "encrypt", *CTR, stdin=zeros)
        assert len(process.stdout.read(10)) == 10
        process.stdout.close()
        assert process.wait(timeout=MOST_SECONDS) == 1
    assert process.stderr.read() == b"phalanx: cannot write standard output: Broken pipe\n"


def test_closed_standard_streams(files):
    def close(number):
        return lambda: os.close(number)

    done = subprocess.run(
        [PROGRAM, "raw", "encrypt", *CTR, "IN"], cwd=files.folder, preexec_fn=close(1), stderr=subprocess.PIPE
    )
    files.assert_refused(done, 1, "standard output")
    done = files.run("raw", "encrypt", *CTR, "-", "OUT", preexec_fn=close(0))
    files.assert_refused(done, 1, "standard input")
    done = subprocess.run([PROGRAM, "raw", "encrypt", *CTR, "IN", "OUT"], cwd=files.folder, preexec_fn=close(2))
    assert done.returncode == 0 and files.read("OUT") == files.expected


def test_a_full_device(files):
    files.assert_refused(files.run("raw", "encrypt", *CTR, "IN", "/dev/full"), 1, "/dev/full", "No space")


def test_a_file_past_its_limit(files):
    import resource

    files.write("IN", random_bytes(3 * CHUNK))
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (CHUNK, CHUNK))  # noqa: E731
    files.assert_refused(files.run("raw", "encrypt", *CTR, "IN", "OUT", preexec_fn=limit), 1, "OUT", "too large")
    assert files.names() == ["IN", "key"]


def test_a_full_disk(files):
    files.write("IN", random_bytes(2 * CHUNK))
    script = f"""mkdir small && mount -t tmpfs -o size=1m none small || exit 99
      {PROGRAM} raw encrypt {' '.join(CTR)} IN small/OUT; echo $?; ls -A small"""
    done = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=files.folder, capture_output=True)
    if done.returncode == 99 or b"unshare" in done.stderr:
        pytest.skip("this system does not let us mount a small file system")
    assert done.stdout == b"1\n" and b"No space left" in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_read_only_folder():
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(PROGRAM, f"{name}/phalanx")
        os.mkdir(f"{name}/folder")
        for file, content in [("IN", bytes(100)), ("key", random_bytes(32))]:
            with open(f"{name}/{file}", "wb") as out:
                out.write(content)
        os.chmod(f"{name}/folder", 0o555)
        os.chmod(name, 0o755)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if is_root() else {}
        done = subprocess.run(
            ["./phalanx", "raw", "encrypt", "-q", *CTR, "IN", "folder/OUT"], cwd=name, capture_output=True, **nobody
        )
        assert done.returncode == 1 and done.stderr.count(b"\n") == 1 and b"Permission denied" in done.stderr
        assert os.listdir(f"{name}/folder") == []


def test_an_unprivileged_user_reads_and_writes_descriptors():
    """Memory protection makes /proc/self root's; /dev/fd/N must work all the same."""
    with tempfile.TemporaryDirectory() as name:
        shutil.copy(PROGRAM, f"{name}/phalanx")
        with open(f"{name}/key", "wb") as out:
            out.write(random_bytes(32))
        os.chmod(name, 0o755)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if is_root() else {}
        done = subprocess.run(
            ["./phalanx", "raw", "encrypt", *CTR, "/dev/fd/0", "/dev/fd/1"], cwd=name, input=bytes(9), capture_output=True, **nobody
        )
        assert done.returncode == 0 and len(done.stdout) == 9, done.stderr
