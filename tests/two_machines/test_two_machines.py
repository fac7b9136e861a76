"""What the program leaves on one machine is read and continued on another, whose numbers may have their bytes in another order.

PHALANX_PROGRAM: the other machine's program, as a command that takes arguments; PHALANX_GUEST_PRELOAD names what is preloaded into it.
PHALANX_GUEST_COMPILER: its C compiler, with options. PHALANX_NATIVE_PROGRAM: this machine's program.
"""

import os
import pathlib
import random
import re
import shutil
import signal
import subprocess

import pytest

GUEST, NATIVE = os.environ.get("PHALANX_PROGRAM", ""), os.environ.get("PHALANX_NATIVE_PROGRAM", "")
GUEST_COMPILER = os.environ.get("PHALANX_GUEST_COMPILER", "")
pytestmark = pytest.mark.skipif(
    not all(os.access(program, os.X_OK) for program in (GUEST, NATIVE)), reason="the program is not built for two machines: make build"
)

FAULTS = pathlib.Path(__file__).resolve().parents[1] / "cli/faults"
FAULT_SOURCES = [FAULTS / name for name in ("faults.c", "fault_clock.c", "fault_file_calls.c", "fault_memory_calls.c")]
MIB = 1 << 20
MOST_SECONDS = 600  # what takes so long hangs, under an emulator too
KEY = ["--key-file", "key"]
IV = "00112233445566778899aabbccddeeff"
OPENSSL = ["-pbkdf2", "-iter", "10", "-pass", "file:pass"]
OLD = "--from-openssl --from-cipher des3 --from-pbkdf2 --from-iter 10 --from-passphrase-file pass".split()


def noise(num_bytes, seed=1):
    return random.Random(seed).randbytes(num_bytes)


class Machine:
    def __init__(self, program, preload_name, compiler):
        self.program, self.preload_name, self.compiler, self.library = program, preload_name, compiler, None

    def run(self, folder, *arguments, check=0, rule=""):
        """With a rule, as faults.c has them: by it the program's calls go."""
        environment = {**os.environ, **({self.preload_name: self.library, "FAULTS": rule} if rule else {})}
        done = subprocess.run([self.program, *map(str, arguments)], cwd=folder, env=environment, capture_output=True, timeout=MOST_SECONDS)
        assert done.returncode == check, (arguments, done.returncode, done.stderr)
        return done


@pytest.fixture(scope="session")
def machines(tmp_path_factory):
    made = {"guest": Machine(GUEST, "PHALANX_GUEST_PRELOAD", GUEST_COMPILER.split()), "native": Machine(NATIVE, "LD_PRELOAD", ["cc"])}
    for name, machine in made.items():
        machine.library = str(tmp_path_factory.mktemp("faults") / f"{name}.so")
        subprocess.run([*machine.compiler, "-shared", "-fPIC", "-O1", "-o", machine.library, *FAULT_SOURCES, "-ldl"], check=True)
    return made


@pytest.fixture(params=["native", "guest"])
def pair(request, machines):
    """Who begins, and who goes on."""
    second = {"native": "guest", "guest": "native"}[request.param]
    return machines[request.param], machines[second]


def put(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o600)  # others may not read a key
    return path


@pytest.fixture
def folder(tmp_path):
    put(tmp_path, "key", noise(32))
    put(tmp_path, "secret", noise(32, 3))
    put(tmp_path, "pass", b"open sesame\n")
    put(tmp_path, "IN", noise(3 * MIB + 12_345, 5))
    return tmp_path


def seal_old(folder, name, plain):
    sealed = subprocess.run(["openssl", "enc", "-des3", *OPENSSL], input=plain, cwd=folder, capture_output=True, check=True)
    put(folder, name, sealed.stdout)


@pytest.mark.parametrize("cipher", ["aes-256", "aes-128", "serpent-256", "twofish-256"])
def test_containers_are_opened(pair, folder, cipher):
    first, second = pair
    put(folder, "key", noise(16 if cipher == "aes-128" else 32))
    made = first.run(folder, "keygen", "--identity", "id")
    public_key = re.search(rb"age1[a-z0-9]{58}", made.stderr)[0].decode()
    first.run(folder, "encrypt", "--cipher", cipher, *KEY, "-r", public_key, "--passphrase-file", "pass", "--scrypt-log-n", "10", "IN", "BOX")
    for by in (KEY, ["-i", "id"], ["--passphrase-file", "pass"]):
        second.run(folder, "decrypt", *by, "--force", "BOX", "OUT")
        assert (folder / "OUT").read_bytes() == (folder / "IN").read_bytes(), by
    second.run(folder, "verify", *KEY, "BOX")
    assert first.run(folder, "inspect", "BOX").stdout == second.run(folder, "inspect", "BOX").stdout
    changed = bytearray((folder / "BOX").read_bytes())
    changed[len(changed) // 2] ^= 1
    put(folder, "BOX", bytes(changed))
    second.run(folder, "verify", *KEY, "BOX", check=3)


@pytest.mark.parametrize("cipher", ["des", "des-ede3", "aes-128", "aes-256", "serpent-256", "twofish-256"])
def test_ciphertexts_are_the_same(machines, folder, cipher):
    num_bytes = {"des": 8, "des-ede3": 24, "aes-128": 16}.get(cipher, 32)
    put(folder, "IN", noise(MIB + 48, 5))
    for mode in ["ecb", "cbc", "ctr", "cfb", "ofb", *(["xts", "gcm"] if "des" not in cipher else [])]:
        put(folder, "key", noise(2 * num_bytes if mode == "xts" else num_bytes, 7))
        iv = [] if mode == "ecb" else ["--nonce", IV[:24]] if mode == "gcm" else ["--iv", IV[:16] if "des" in cipher else IV]
        options = ["--cipher", f"{cipher}-{mode}", *iv, *KEY, "--allow-legacy", "-q", "--force"]
        for name, machine in machines.items():
            machine.run(folder, "raw", "encrypt", *options, *(["--allow-nonce"] if mode == "gcm" else []), "IN", name)
        assert (folder / "guest").read_bytes() == (folder / "native").read_bytes(), mode
        for name, machine in machines.items():
            machine.run(folder, "raw", "decrypt", *options, "native" if name == "guest" else "guest", "OUT")
            assert (folder / "OUT").read_bytes() == (folder / "IN").read_bytes(), (mode, name)


@pytest.mark.parametrize("command", ["encrypt", "decrypt"])
def test_a_resume_record_is_continued(pair, folder, command):
    first, second = pair
    plain = (folder / "IN").read_bytes()
    if command == "decrypt":
        first.run(folder, "encrypt", *KEY, "IN", "BOX")
        (folder / "IN").rename(folder / "PLAIN")
        (folder / "BOX").rename(folder / "IN")
    words = [command, *KEY, "-q", "--resume", "IN", "OUT"]
    first.run(folder, *words, check=-signal.SIGKILL, rule="pwrite:OUT.phalanx-partial@4=tear")
    left = (folder / "OUT.phalanx-partial").read_bytes()
    assert left and not (folder / "OUT").exists()
    done = second.run(folder, *[word for word in words if word != "-q"])
    assert b"are done" in done.stderr, done.stderr
    if command == "decrypt":
        assert (folder / "OUT").read_bytes() == plain
    else:
        num_bytes = 12 + int.from_bytes(left[10:12], "big") + 64 + 56  # the header and what the message begins with: not begun anew
        assert (folder / "OUT").read_bytes()[:num_bytes] == left[:num_bytes]
        assert first.run(folder, "decrypt", *KEY, "OUT").stdout == plain


@pytest.mark.parametrize("cipher", ["aes-256-cbc", "aes-256-ctr", "aes-256-xts", "serpent-256-ofb"])
@pytest.mark.parametrize("call", [7, 9, 10, 12])
def test_a_journal_is_continued(pair, folder, cipher, call):
    first, second = pair
    put(folder, "key", noise(64 if cipher.endswith("xts") else 32))
    put(folder, "FILE", noise(2 * MIB + 4096, 9))
    options = ["--cipher", cipher, *KEY, "--iv", IV, "-q", *(["--padding", "none"] if cipher.endswith("cbc") else [])]
    sealed = second.run(folder, "raw", "encrypt", *options, "FILE").stdout
    words = ["raw", "encrypt", *options, "--in-place", "FILE"]
    first.run(folder, *words, check=-signal.SIGKILL, rule=f"change@{call}=tear")
    assert (folder / "FILE.phalanx-journal").exists()
    second.run(folder, *words)
    assert (folder / "FILE").read_bytes() == sealed and not (folder / "FILE.phalanx-journal").exists()


def test_a_manifest_is_continued(pair, folder):
    first, second = pair
    plains = {f"{number % 3}/file {number}": bytes(16) + noise(20_000 * number + 1, number) for number in range(8)}
    for name, plain in plains.items():
        seal_old(folder, f"old/{name}", plain)
    put(folder, "list", "".join(f"{name}\n" for name in list(plains)[:3]).encode())
    words = ["migrate", "--manifest", "M", "--from-tree", "old", "--to-tree", "new", *OLD, *KEY]
    assert b"3 done, 0 done before, 0 failed" in first.run(folder, *words, "--from-list", "list").stderr
    second.run(folder, *words, check=-signal.SIGKILL, rule="rename@3=kill")
    assert (folder / "M").read_bytes() and len(list((folder / "new").rglob("*.phalanx"))) < len(plains)
    told = re.search(rb"(\d+) done, (\d+) done before, 0 failed", first.run(folder, *words).stderr)
    assert int(told[1]) + int(told[2]) == len(plains) and int(told[2]) >= 3, told
    assert b"0 done, 8 done before" in second.run(folder, *words).stderr
    for name, plain in plains.items():
        assert first.run(folder, "decrypt", *KEY, f"new/{name}.phalanx").stdout == plain


def test_a_tree_its_record_and_its_index_are_continued(pair, folder):
    first, second = pair
    for number in range(12):
        put(folder, f"src/{number % 3}/file {number}", noise(7_000 * number, number))
    index = ["--index", "index", "--index-key-file", "secret"]
    night = ["encrypt", "--each", *KEY, "src", "--to-tree", "bk", "--update", "--prune", *index]
    first.run(folder, *night)
    assert b"12 unchanged" in second.run(folder, *night).stderr
    (folder / "src/1/file 1").unlink()
    put(folder, "src/2/file 2", b"another content")
    done = second.run(folder, *night)
    assert b"11 unchanged" not in done.stderr and b"10 unchanged" in done.stderr, done.stderr
    for machine in pair:
        machine.run(folder, "verify", *index, "--strict", "bk")
        machine.run(folder, "decrypt", "--each", *KEY, "bk", "--to-tree", "back")
        subprocess.run(["diff", "-r", "src", "back"], cwd=folder, check=True)
        shutil.rmtree(folder / "back")
    copy = folder / "bk/0/file 0.phalanx"
    copy.write_bytes((folder / "bk/0/file 3.phalanx").read_bytes())
    for machine in pair:
        machine.run(folder, "verify", *index, "bk", check=3)


def test_a_signed_index_is_verified(pair, folder):
    first, second = pair
    first.run(folder, "keygen", "--index-keys", "sign")
    put(folder, "src/one", b"one")
    first.run(folder, *["encrypt", "--each", *KEY, "src", "--to-tree", "bk", "--index", "index", "--index-signing-key", "sign", "--index-digest"])
    second.run(folder, "verify", "--index", "index", "--index-public-key", "sign.pub", "--strict", "bk")
