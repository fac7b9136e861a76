"""Keys of age that a plugin knows: how often it is started, what it may ask and say, and what it cannot do to us."""

import os
import signal
import tempfile
from pathlib import Path

import pytest
from conftest import KEY, MOST_SECONDS, random_bytes, run_on_terminal, wait_for

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
     ("lie", b"not given")],
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
