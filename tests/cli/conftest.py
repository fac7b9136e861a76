"""What the tests of the program share: running it, and the keys and data they run it on."""

import atexit
import collections
import ctypes
import ctypes.util
import fcntl
import functools
import hashlib
import itertools
import os
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time

import pytest

os.environ["TERM"] = "xterm"  # whatever the tests were started on
signal.signal(signal.SIGINT, signal.default_int_handler)  # a script's background commands ignore it, and so would the program
PROGRAM = os.path.abspath(os.environ.get("PHALANX_PROGRAM", "build/bin/phalanx"))
PHALANX_BENCH = os.environ.get("PHALANX_BENCH_PROGRAM")  # nothing where it is not built
with open(PROGRAM, "rb") as program:  # by a sanitizer, which takes memory of its own, and gives up where that fails
    IS_SANITIZED = re.search(rb"__[at]san_init", program.read()) is not None
without_sanitizer = pytest.mark.skipif(IS_SANITIZED, reason="a sanitizer takes memory of its own")
CHUNK = 1 << 20  # the pieces in which the program takes a message
MOST_SECONDS = 120  # what takes so long hangs; no test judges by less
IV16 = "00112233445566778899aabbccddeeff"
IV8 = "0123456789abcdef"

KEY = ["--key-file", "key"]
RAW_CTR = ["--cipher", "aes-256-ctr", "--iv", IV16, *KEY]
OLD = "--from-openssl --from-cipher des3 --from-md sha256 --from-passphrase-file pass".split()
TREE = "migrate --manifest M --from-tree old --to-tree new".split()
NOBODY = 65534
TO_OUT = {  # what makes a whole OUT of a file
    "encrypt": ["encrypt", *KEY, "IN", "OUT"],
    "decrypt": ["decrypt", *KEY, "BOX", "OUT"],
    "migrate": ["migrate", *OLD, *KEY, "OLD", "OUT"],
}

BLOCK_BYTES = {"des": 8, "2des": 8, "des-ede": 8, "des-ede3": 8}
KEY_BYTES = {
    "des": 8, "2des": 16, "des-ede": 16, "des-ede3": 24,
    "aes-128": 16, "aes-192": 24, "aes-256": 32,
    "serpent-128": 16, "serpent-192": 24, "serpent-256": 32,
    "twofish-128": 16, "twofish-192": 24, "twofish-256": 32,
}  # fmt: skip


@functools.lru_cache(maxsize=32)
def random_bytes(size, seed=1):
    return random.Random(seed).randbytes(size)


def unknown_format(size, seed=1):
    """A file of a kind that the program does not know, whose first block is not as a wrong iv would make it."""
    return (bytes(16) + random_bytes(size, seed))[:size]


def iv_for(cipher):
    return IV8 if cipher in BLOCK_BYTES else IV16


class Phalanx:
    """Runs the program in a folder of its own; file names in arguments are relative to it."""

    def __init__(self, folder, program=PROGRAM):
        self.folder = folder
        self.program = program
        self.name = os.path.basename(program)

    def run(self, *arguments, stdin=b"", check=None, **options):
        """The finished process; `check` is the exit code that is asserted. Where it would wait until files are old enough to
        be removed, the clock is moved instead."""
        if "--delete-source" in arguments:
            options["env"] = options.get("env") or fault_injector()()
        if "stdin_file" in options:
            options["stdin"] = options.pop("stdin_file")
        else:
            options["input"] = stdin
        if "user" in options:
            return self.run_as_another(*arguments, **options)
        done = subprocess.run(
            [self.program, *map(str, arguments)], cwd=self.folder, capture_output=True, timeout=MOST_SECONDS, **options
        )
        if check is not None:
            assert done.returncode == check, done.stderr
        return done

    def run_as_another(self, *arguments, **options):
        """By another user, who perhaps may not look into the folder of the program: it is opened for him."""
        with open(self.program, "rb") as program:
            return subprocess.run(
                [self.program, *map(str, arguments)], executable=f"/proc/self/fd/{program.fileno()}", pass_fds=[program.fileno()],
                cwd=self.folder, capture_output=True, timeout=MOST_SECONDS, **options
            )  # fmt: skip

    def start(self, *arguments, **options):
        options.setdefault("stdin", subprocess.PIPE)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen([self.program, *map(str, arguments)], cwd=self.folder, **options)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        path.chmod(0o600)  # others may not read a key
        return path

    def read(self, name):
        return (self.folder / name).read_bytes()

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def assert_refused(self, done, exit_code, *words):
        """The exit code, and one line on standard error that holds the words."""
        assert done.returncode == exit_code, (done.returncode, done.stderr)
        lines = done.stderr.decode().splitlines()
        assert len(lines) == 1 and lines[0].startswith(f"{self.name}: "), lines
        for word in words:
            assert word in lines[0], lines


@pytest.fixture
def phalanx(tmp_path):
    return Phalanx(tmp_path)


@pytest.fixture
def key(phalanx):
    """Makes a key file for a cipher, never a weak one, and returns its name and its hex digits."""

    def make(cipher, seed=7):
        size = KEY_BYTES[cipher.removesuffix("-xts")] * (2 if cipher.endswith("-xts") else 1)
        content = random_bytes(size, seed)
        phalanx.write(f"key-{cipher}", content)
        return f"key-{cipher}", content.hex()

    return make


def run_openssl(*arguments, stdin=b"", cwd=None):
    """Runs the real openssl and returns its output."""
    done = subprocess.run(["openssl", *map(str, arguments)], input=stdin, cwd=cwd, capture_output=True, timeout=MOST_SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout


SEALED_ALIKE = collections.defaultdict(itertools.count)


def openssl(*arguments, stdin=b"", cwd=None):
    """The same. A salt is no random one, but follows from what is encrypted: under a random one, every wrong key that a test
    tries would find valid padding in one of some 256 runs. Files that are alike in one folder have salts of their own."""
    words = [str(word) for word in arguments]
    if words[0] != "enc" or {"-d", "-nosalt", "-K", "-S", "-out"} & set(words):
        return run_openssl(*words, stdin=stdin, cwd=cwd)
    options = [word for word in words[1:] if not word.startswith(("file:", "/"))]  # not where the folder of the test is
    content = "\n".join(options).encode() + stdin
    number = next(SEALED_ALIKE[cwd, hashlib.sha256(content).digest()]) if cwd else 0
    salt = hashlib.sha256(content + bytes(number)).digest()[:8]
    header = b"Salted__" + salt
    binary = [word for word in words if word not in ("-a", "-A")]
    sealed = header + run_openssl(*binary, "-S", salt.hex(), stdin=stdin, cwd=cwd).removeprefix(header)  # 1.1 writes it, 3 does not
    return run_openssl("enc", "-base64", *(["-A"] if "-A" in words else []), stdin=sealed) if "-a" in words else sealed


@functools.lru_cache
def libcrypto():
    crypto = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")
    crypto.EVP_CIPHER_CTX_new.restype = ctypes.c_void_p
    crypto.EVP_aes_128_xts.restype = crypto.EVP_aes_256_xts.restype = ctypes.c_void_p
    return crypto


def aes_xts(key, tweak, data):
    """Encrypts one XTS data unit by libcrypto itself: `openssl enc` refuses the mode."""
    crypto = libcrypto()
    context = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    cipher = crypto.EVP_aes_128_xts() if len(key) == 32 else crypto.EVP_aes_256_xts()
    out = ctypes.create_string_buffer(len(data) + 16)
    size = ctypes.c_int()
    assert crypto.EVP_CipherInit_ex(context, ctypes.c_void_p(cipher), None, key, tweak, 1) == 1
    assert crypto.EVP_CipherUpdate(context, out, ctypes.byref(size), data, len(data)) == 1
    crypto.EVP_CIPHER_CTX_free(context)
    return out.raw[: size.value]


def aes_gcm(key, nonce, data):
    """The ciphertext and the tag, by libcrypto itself, as aes_xts."""
    crypto = libcrypto()
    cipher = getattr(crypto, f"EVP_aes_{8 * len(key)}_gcm")
    cipher.restype = ctypes.c_void_p
    context = ctypes.c_void_p(crypto.EVP_CIPHER_CTX_new())
    out, tag, size = ctypes.create_string_buffer(len(data) + 16), ctypes.create_string_buffer(16), ctypes.c_int()
    assert crypto.EVP_CipherInit_ex(context, ctypes.c_void_p(cipher()), None, key, nonce, 1) == 1
    assert crypto.EVP_CipherUpdate(context, out, ctypes.byref(size), data, len(data)) == 1
    assert crypto.EVP_CipherFinal_ex(context, tag, ctypes.byref(ctypes.c_int())) == 1
    assert crypto.EVP_CIPHER_CTX_ctrl(context, 0x10, 16, tag) == 1  # EVP_CTRL_GCM_GET_TAG
    crypto.EVP_CIPHER_CTX_free(context)
    return out.raw[: size.value] + tag.raw


def is_root():
    return os.geteuid() == 0


needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self"), reason="/proc is not mounted")


def open_terminal():
    """Both ends of a terminal. Skips the test on a machine that has none to give: a bare chroot without /dev/pts."""
    try:
        return pty.openpty()
    except OSError as error:
        pytest.skip(f"no terminal here: {error}")


def run_on_terminal(arguments, folder, answers=(), program=PROGRAM, when=None, **options):
    """Runs the program on a terminal of its own, all three streams and /dev/tty. Each answer is typed when a colon shows.
    `when` is a text and what is to be done once it shows. Returns the exit code and all that the terminal showed."""
    master, terminal = open_terminal()

    def take_terminal():
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    streams = {"stdin": terminal, "stdout": terminal, "stderr": terminal, **options}
    process = subprocess.Popen([program, *map(str, arguments)], cwd=folder, preexec_fn=take_terminal, **streams)
    os.close(terminal)
    shown, waiting = b"", list(answers)
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # the last user of the terminal is gone
            break
        shown += piece
        if waiting and shown.rstrip(b" ").endswith(b":"):
            os.write(master, waiting.pop(0))
        if when is not None and when[0] in shown:
            when[1]()
            when = None
    os.close(master)
    return process.wait(timeout=MOST_SECONDS), shown


def wait_for(condition):
    """Waits until the condition holds."""
    end = time.monotonic() + MOST_SECONDS
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


class Faults:
    """The library that faults.c describes; called with rules, the environment of a run that goes by them."""

    def __init__(self, library):
        self.library = library

    def count(self, files, calls, *arguments):
        """How many such calls the command makes; it must succeed."""
        log = files.folder.parent / "calls.log"
        log.unlink(missing_ok=True)
        files.run(*arguments, env=self(f"{calls}@every=note", log=log), check=0)
        return sum(line.startswith("hit ") for line in log.read_text(errors="surrogateescape").splitlines())

    def __call__(self, rules="", actor=None, log=None, clock=None):
        environment = {**os.environ, "LD_PRELOAD": self.library, "FAULTS": rules, "ASAN_OPTIONS": "verify_asan_link_order=0"}
        environment.update({} if actor is None else {"ACTOR": actor})
        environment.update({} if log is None else {"FAULT_LOG": str(log)})
        environment.update({} if clock is None else {"FAULT_CLOCK": str(clock)})
        return environment


# A command for an actor: changes a bit of the file of the call, as a disk might.
FLIP = """python3 -S -c 'import os; file = os.open(os.environ["FAULT_PATH"], 2); was = os.pread(file, 1, 40000)
was and os.pwrite(file, bytes([was[0] ^ 4]), 40000)'"""


FAULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faults")
sys.path.append(FAULTS)


@functools.lru_cache
def fault_injector():
    place = tempfile.mkdtemp(prefix="phalanx-faults-")
    atexit.register(shutil.rmtree, place)
    os.chmod(place, 0o755)  # for programs that another user runs
    library = os.path.join(place, "faults.so")
    names = ("faults.c", "fault_clock.c", "fault_file_calls.c", "fault_memory_calls.c")
    sources = [os.path.join(FAULTS, name) for name in names]
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, *sources, "-ldl"], check=True)
    return Faults(library)


@pytest.fixture(scope="session")
def faults():
    return fault_injector()


@pytest.fixture(scope="session")
def scenarios(tmp_path_factory):
    from sweep_scenarios import all_scenarios

    return all_scenarios(tmp_path_factory.mktemp("scenarios"))


@pytest.fixture
def files(phalanx):
    phalanx.write("key", random_bytes(32))
    phalanx.write("pass", b"open sesame\n")
    phalanx.write("IN", random_bytes(100_000, seed=5))
    phalanx.run("encrypt", *KEY, "IN", "BOX", check=0)
    return phalanx


def contents(files):
    return {path.relative_to(files.folder): path.read_bytes() for path in files.folder.rglob("*") if path.is_file()}


def seal_old(files, name, plain, *options):
    path = files.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(openssl("enc", "-des3", "-md", "sha256", "-pass", "file:pass", *options, stdin=plain, cwd=files.folder))
