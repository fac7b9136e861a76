"""Keys of age that a plugin knows: how often it is started, what it may ask and say, and what it cannot do to us."""

import ctypes
import errno
import fcntl
import os
import signal
import struct
import subprocess
import tempfile
from pathlib import Path

import pytest
from conftest import KEY, MOST_SECONDS, openssl, random_bytes, run_on_terminal, wait_for

PLUGIN = Path(__file__).with_name("age_test_plugin.py")
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def bech32(prefix, data):
    """BIP 173."""
    bits = "".join(f"{byte:08b}" for byte in data)
    values = [int(bits[i : i + 5].ljust(5, "0"), 2) for i in range(0, len(bits), 5)]
    state = 1
    for value in [ord(c) >> 5 for c in prefix] + [0] + [ord(c) & 31 for c in prefix] + values + [0] * 6:
        top, state = state >> 25, (state & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            state ^= generator if top >> bit & 1 else 0
    values += [(state ^ 1) >> 5 * (5 - place) & 31 for place in range(6)]
    return prefix + "1" + "".join(BECH32[value] for value in values)


RECIPIENT, IDENTITY = bech32("age1test", b"me"), bech32("age-plugin-test-", b"me").upper()


class Plugin:
    def __init__(self, files):
        self.files = files
        (files.folder / "bin").mkdir()
        (files.folder / "bin" / "age-plugin-test").symlink_to(PLUGIN)
        files.write("id", f"# a card\n{IDENTITY}\n".encode())
        files.write("starts", b"")
        self.path = f"relative:.:{files.folder}/bin:{os.environ['PATH']}"

    def environment(self, behaviour="", **more):
        self.files.write("behaviour", behaviour.encode())
        return {**os.environ, "PATH": self.path, "PLUGIN_BEHAVIOUR": str(self.files.folder / "behaviour"),
                "PLUGIN_STARTS": str(self.files.folder / "starts"), **more}  # fmt: skip

    def run(self, behaviour, *arguments, **options):
        return self.files.run(*arguments, env=self.environment(behaviour, **options.pop("more", {})), **options)

    def starts(self):
        return self.files.read("starts").decode().splitlines()


@pytest.fixture
def plugin(files):
    files.write("IN", random_bytes(5000))
    return Plugin(files)


def test_it_wraps_and_unwraps(plugin):
    plugin.run("", "encrypt", "-r", RECIPIENT, "IN", "OUT", check=0)
    assert plugin.run("", "decrypt", "-i", "id", "OUT", check=0).stdout == plugin.files.read("IN")
    assert b"(test)" in plugin.run("", "inspect", "OUT", check=0).stdout
    assert [line.split()[1] for line in plugin.starts()] == ["--age-plugin=recipient-v1", "--age-plugin=identity-v1"]


def test_it_has_three_descriptors_and_no_secret(plugin):
    more = {"OUR_KEY": "00" * 32}
    with open(plugin.files.folder / "key", "rb") as key:
        arguments = ["--key-env", "OUR_KEY", "--key-fd", str(key.fileno()), "-r", RECIPIENT]
        plugin.run("", "encrypt", *arguments, "IN", "OUT", check=0, more=more, pass_fds=[key.fileno()])
    assert "[0, 1, 2]" in plugin.starts()[0] and "OUR_KEY" not in plugin.starts()[0]


def without_close_range():
    """For a child: the call fails, as on a kernel before 5.9."""
    class Filter(ctypes.Structure):
        _fields_ = [("size", ctypes.c_ushort), ("steps", ctypes.c_char_p)]

    libc = ctypes.CDLL(None, use_errno=True)
    load, is_equal, answer, number_of_close_range = 0x20, 0x15, 0x06, 436
    steps = [(load, 0, 0, 0), (is_equal, 0, 1, number_of_close_range), (answer, 0, 0, 0x50000 | errno.ENOSYS), (answer, 0, 0, 0x7FFF0000)]
    code = b"".join(struct.pack("HBBI", *step) for step in steps)
    set_no_new_privileges, set_seccomp = 38, 22
    assert libc.prctl(set_no_new_privileges, 1, 0, 0, 0) == 0
    assert libc.prctl(set_seccomp, 2, ctypes.byref(Filter(len(steps), code)), 0, 0) == 0


def without_proc():
    libc = ctypes.CDLL(None, use_errno=True)
    new_mounts, private_and_below = 0x20000, 0x44000
    assert libc.unshare(new_mounts) == 0 and libc.mount(b"none", b"/", None, private_and_below, None) == 0
    assert libc.mount(b"none", b"/proc", b"tmpfs", 0, None) == 0
    without_close_range()


@pytest.mark.parametrize("way", [without_close_range, without_proc])
def test_it_has_no_descriptor_on_an_older_kernel(plugin, way):
    key = os.open(plugin.files.folder / "key", os.O_RDONLY)
    numbers = [key, fcntl.fcntl(key, fcntl.F_DUPFD, 900)]
    arguments = ["encrypt", "--key-fd", numbers[0], "-r", RECIPIENT, "IN", "OUT"]
    try:
        done = plugin.run("", *arguments, pass_fds=numbers, preexec_fn=way)
    except subprocess.SubprocessError:
        pytest.skip("this machine gives no seccomp, or no mount namespace")
    assert done.returncode == 0, done.stderr
    assert "[0, 1, 2]" in plugin.starts()[0], plugin.starts()


@pytest.mark.parametrize("option", ["--key-env", "--add-key-env", "--remove-key-env", "--from-key-env"])
def test_no_variable_that_holds_a_key_reaches_it(plugin, option):
    """Whatever is read first: the plugin is started before some of them were read."""
    plugin.run("", "encrypt", "-r", RECIPIENT, *KEY, "IN", "OUT", check=0)
    plugin.files.write("starts", b"")
    command = {
        "--key-env": ["decrypt", "-i", "id", option, "A_KEY", "OUT", "-"],
        "--add-key-env": ["recipients", "add", "-i", "id", option, "A_KEY", "OUT"],
        "--remove-key-env": ["recipients", "remove", "-i", "id", option, "A_KEY", "OUT"],
        "--from-key-env": ["migrate", "--doubt-is-ok", "--from-cipher", "aes-256-cbc", "--from-iv", "00" * 16, option, "A_KEY", "-r", RECIPIENT, "-i", "id",
                           "OLD", "NEW"],
    }[option]  # fmt: skip
    secret = "07" * 32 if option != "--remove-key-env" else plugin.files.read("key").hex()
    plugin.files.write("OLD", openssl("enc", "-aes-256-cbc", "-K", secret, "-iv", "00" * 16, stdin=b"old text"))
    plugin.run("", *command, check=0, more={"A_KEY": secret})
    assert plugin.starts() and not any("A_KEY" in line or secret in line for line in plugin.starts())


@pytest.fixture
def in_memory():
    """A folder that no disk waits for, where there is one."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        yield Path(folder)


def test_a_tree_of_a_thousand_files_starts_it_seldom(plugin, in_memory):
    tree, sealed, back = (in_memory / name for name in ("tree", "sealed", "back"))
    tree.mkdir()
    for number in range(1000):
        (tree / str(number)).write_bytes(b"%d" % number)
    plugin.run("", "encrypt", "--each", "-r", RECIPIENT, tree, "--to-tree", sealed, check=0)
    assert len(plugin.starts()) <= 10
    plugin.files.write("starts", b"")
    plugin.run("", "decrypt", "--each", "-i", "id", sealed, "--to-tree", back, check=0)
    assert len(plugin.starts()) <= 10
    assert (back / "777").read_bytes() == b"777"
    plugin.files.write("starts", b"")
    failed = plugin.run("error", "verify", "-i", "id", sealed)
    assert failed.returncode == 1 and b"no card" in failed.stderr
    assert len(plugin.starts()) <= 10, "who fails is not asked for each file"


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [("early", b"ended before it was done"), ("die", b"it burns"), ("garbage", b"protocol"), ("long", b"1 MiB"), ("error", b"no card"),
     ("lie", b"not given"), ("flood", b"too many stanzas"), ("chatter", b"messages and errors in a session")],
)  # fmt: skip
def test_what_goes_wrong_when_it_wraps_leaves_nothing(plugin, behaviour, words):
    failed = plugin.run(behaviour, "encrypt", "-r", RECIPIENT, "IN", "OUT")
    assert failed.returncode == 1 and words in failed.stderr, failed.stderr
    assert b"\x1b" not in failed.stderr and b"\x07" not in failed.stderr
    assert not (plugin.files.folder / "OUT").exists()


def test_who_lies_opens_nothing_and_another_still_does(plugin):
    plugin.run("", "encrypt", "-r", RECIPIENT, *KEY, "IN", "OUT", check=0)
    assert plugin.run("lie", "decrypt", "-i", "id", "OUT").returncode == 3
    assert plugin.run("die", "decrypt", "-i", "id", "OUT").returncode == 1
    assert plugin.run("die", "decrypt", "-i", "id", *KEY, "OUT", check=0).stdout == plugin.files.read("IN")


def test_it_may_talk(plugin):
    done = plugin.run("talk", "encrypt", "-r", RECIPIENT, "IN", "OUT", start_new_session=True)
    assert done.returncode == 0, done.stderr
    assert b"age-plugin-test: touch" in done.stderr and b"\x1b" not in done.stderr


def test_it_may_ask_whom_sits_at_the_terminal(plugin):
    answers = [b"1234\n", b"somebody\n", b"1\n", b"2\n", b"\n"]
    arguments = ["encrypt", "-r", RECIPIENT, "IN", "OUT"]
    code, shown = run_on_terminal(arguments, plugin.files.folder, answers, env=plugin.environment("ask"))
    assert code == 0, shown
    assert b"age-plugin-test: PIN" in shown and b"1234" not in shown, "a secret is not shown"
    assert b"somebody" in shown and b"[1: go on, 2: stop" in shown and b"\x1b[31m" not in shown
    assert b"/sage-plugin" not in shown, "no question stands behind the bar"
    assert plugin.run("", "decrypt", "-i", "id", "OUT", check=0).stdout == plugin.files.read("IN")


def test_who_waits_for_it_is_told_so(plugin):
    said = plugin.files.folder / "said"
    with open(said, "wb") as stderr:
        process = plugin.files.start("encrypt", "-r", RECIPIENT, "IN", "OUT", env=plugin.environment("wait"), stderr=stderr)
    wait_for(lambda: b"waiting for age-plugin-test" in said.read_bytes())
    plugin.files.write("behaviour.over", b"")
    process.communicate(timeout=MOST_SECONDS)
    assert process.returncode == 0 and said.read_bytes().count(b"waiting for") == 1


def test_its_labels_say_whom_it_stands_beside(plugin):
    native = plugin.files.run("keygen", "--identity", "native", check=0).stderr.split()[-1].decode()
    both = ["encrypt", "-r", RECIPIENT, "-r", native]
    refused = plugin.run("labels", *both, "IN", "OUT")
    assert refused.returncode == 6 and b"postquantum" in refused.stderr
    plugin.run("labels", "encrypt", "-r", RECIPIENT, *KEY, "IN", "OUT", check=0)
    assert plugin.run("labels", "recipients", "add", *KEY, "-r", native, "OUT").returncode == 6
    plugin.run("labels", *both, "--allow-mixed-recipients", "IN", "2", check=0)
    assert plugin.files.run("decrypt", "-i", "native", "2", check=0).stdout == plugin.files.read("IN")


def is_gone(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_what_ends_us_ends_one_that_hangs(plugin, number):
    process = plugin.files.start("encrypt", "-r", RECIPIENT, "IN", "OUT", env=plugin.environment("hang"))
    wait_for(plugin.starts)
    process.send_signal(number)
    process.communicate(timeout=MOST_SECONDS)
    wait_for(lambda: is_gone(plugin.starts()[0].split()[0]))


def test_one_that_is_not_installed(plugin):
    missing = plugin.files.run("encrypt", "-r", RECIPIENT, "IN", "OUT")
    plugin.files.assert_refused(missing, 2, "age-plugin-test", "PATH")


def test_one_that_leaves_its_pipes_to_a_child_has_ended(plugin):
    try:
        failed = plugin.run("heir", "encrypt", "-r", RECIPIENT, "IN", "OUT")
    finally:
        plugin.files.write("behaviour.over", b"")
    assert failed.returncode == 1 and b"it left a child" in failed.stderr, failed.stderr


def test_a_folder_of_its_name_is_passed_by(plugin):
    (plugin.files.folder / "first" / "age-plugin-test").mkdir(parents=True)
    plugin.path = f"{plugin.files.folder}/first:{plugin.path}"
    plugin.run("", "encrypt", "-r", RECIPIENT, "IN", "OUT", check=0)


@pytest.fixture
def poisoned_tree(plugin):
    tree = plugin.files.folder / "tree"
    tree.mkdir()
    for number in range(8):
        (tree / str(number)).write_bytes(b"%d" % number)
    plugin.run("", "encrypt", "--each", "-r", RECIPIENT, "tree", "--to-tree", "sealed", check=0)
    plugin.run("poison", "encrypt", "-r", RECIPIENT, "IN", "sealed/3-evil.phalanx", check=0)
    plugin.files.write("starts", b"")
    return plugin.files.folder / "sealed"


def test_a_container_that_kills_the_plugin_fails_alone(plugin, poisoned_tree):
    failed = plugin.run("", "verify", "-i", "id", "sealed")
    assert failed.returncode == 1 and b"8 verified, 1 failed" in failed.stderr, failed.stderr
    assert b"sealed/3-evil.phalanx: age-plugin-test: it ended before it was done: poisoned" in failed.stderr
    assert len(plugin.starts()) <= 9
    (poisoned_tree / "4-evil.phalanx").write_bytes((poisoned_tree / "3-evil.phalanx").read_bytes())
    failed = plugin.run("", "decrypt", "--each", "-i", "id", "sealed", "--to-tree", "back")
    assert failed.returncode == 1 and failed.stderr.count(b"poisoned") == 2
    assert sorted(path.name for path in (plugin.files.folder / "back").iterdir()) == [str(number) for number in range(8)]


def test_one_that_dies_of_no_container_is_not_asked_for_each(plugin, poisoned_tree):
    failed = plugin.run("die", "verify", "-i", "id", "sealed")
    assert failed.returncode == 1 and failed.stderr.count(b"it burns") == 9
    assert len(plugin.starts()) <= 3


def test_an_error_about_one_container_is_of_that_alone(plugin, poisoned_tree):
    (poisoned_tree / "3-evil.phalanx").unlink()
    failed = plugin.run("one", "verify", "-i", "id", "sealed")
    assert failed.returncode == 1 and b"7 verified, 1 failed" in failed.stderr and b"of another card" in failed.stderr
    assert len(plugin.starts()) == 1
