"""What the shells complete, asked of the shells themselves."""

import os
import re
import select
import shutil
import subprocess

import pytest
from conftest import MOST_SECONDS, open_terminal

COMMANDS = {"encrypt", "decrypt", "recipients", "migrate", "inspect", "verify", "raw", "keygen", "engines", "bench", "help", "version"}
# What is typed, and the words that a shell then offers.
CASES = [
    ("phalanx enc", {"encrypt"}),
    ("phalanx en", {"encrypt", "engines"}),
    ("phalanx raw ", {"encrypt", "decrypt"}),
    ("phalanx raw d", {"decrypt"}),
    ("phalanx recipients re", {"remove", "replace"}),
    ("phalanx help k", {"keygen"}),
    ("phalanx encrypt --key-fi", {"--key-file"}),
    ("phalanx encrypt --sc", {"--scrypt-log-n"}),
    ("phalanx decrypt --ran", {"--range"}),
    ("phalanx decrypt --he", {"--help", "--help-all"}),
    ("phalanx raw encrypt --al", {"--allow-legacy", "--allow-nonce", "--allow-unmarked", "--allow-weak-key"}),
    ("phalanx migrate --from-pass", {"--from-passphrase-file", "--from-passphrase-fd"}),
    ("phalanx raw decrypt --padding ", {"pkcs7", "none", "x923", "iso7816", "zero"}),
    ("phalanx raw decrypt --padding i", {"iso7816"}),
    ("phalanx migrate --from-padding x", {"x923"}),
    ("phalanx encrypt --cipher ", {"aes-256", "aes-128", "serpent-256", "twofish-256"}),
    ("phalanx raw decrypt --tag", {"--tag", "--tag-bytes", "--tag-first"}),
    ("phalanx raw decrypt --cipher xa", {"xaes-256-gcm"}),
    ("phalanx raw decrypt --cipher bf", {"bf", "bf-ecb", "bf-cbc", "bf-cfb", "bf-ofb"}),
    ("phalanx migrate --from-cipher rc4", {"rc4", "rc4-40"}),
    ("phalanx raw encrypt --cipher rc4", set()),
    ("phalanx raw encrypt --cipher des-ede3-c", {"des-ede3-cbc", "des-ede3-ctr", "des-ede3-cfb"}),
    ("phalanx keygen --cipher 2", {"2des"}),
    ("phalanx bench aes-256-x", {"aes-256-xts"}),
    ("phalanx encrypt IN OUT --progress ba", {"bar"}),
    ("phalanx encrypt no", {"notes"}),
    ("phalanx encrypt encrypt decr", set()),
    ("phalanx encrypt --key-file no", {"notes"}),
    ("phalanx migrate --to-tree fo", {"folder/"}),
    ("phalanx encrypt -o no", {"notes"}),
]  # fmt: skip


@pytest.fixture
def folder(phalanx):
    (phalanx.folder / "folder").mkdir()
    phalanx.write("notes", b"")
    for shell in ("bash", "zsh", "fish"):
        phalanx.write(f"script.{shell}", phalanx.run("completions", shell, check=0).stdout)
    return phalanx.folder


def shell(name, *arguments, folder):
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    home = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    return subprocess.run([name, *arguments], cwd=folder, env=home, capture_output=True, timeout=MOST_SECONDS, text=True)


def offered_by_bash(folder, line):
    # Files are the shell's own completion, which the function leaves them to by offering nothing and keeping that option.
    script = f"""source script.bash
      keeps_files=1
      compopt() {{ [[ $* != "+o default" ]] || keeps_files=0; }}
      COMP_LINE={line!r} COMP_POINT={len(line)}
      _phalanx
      if [[ ${{#COMPREPLY[@]}} = 0 && $keeps_files = 1 ]]; then compgen -f -- "${{COMP_LINE##*[ =]}}"; fi
      printf '%s\\n' "${{COMPREPLY[@]}}" """
    done = shell("bash", "-c", script, folder=folder)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return set(done.stdout.split())


@pytest.mark.parametrize("line, words", CASES)
def test_bash(folder, line, words):
    assert offered_by_bash(folder, line) == {word.rstrip("/") for word in words}


@pytest.mark.parametrize("line, words", [("phalanx", COMMANDS), ("phalanx encrypt --padding=", set()), ("phalanx raw encrypt --padding=n", {"none"})])
def test_bash_of_all_commands_and_of_joined_values(folder, line, words):
    found = offered_by_bash(folder, line + ("" if "=" in line else " "))
    assert found == words or (words == set() and "none" not in found)


def test_bash_offers_what_follows_a_colon(folder):
    assert offered_by_bash(folder, "phalanx encrypt --engine cpu:av") == {"avx2", "avx2+vaes", "avx512"}


@pytest.mark.parametrize("line, words", CASES)
def test_fish(folder, line, words):
    done = shell("fish", "--no-config", "-c", f"source script.fish; complete -C '{line}'", folder=folder)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    found = {offer.split("\t")[0] for offer in done.stdout.splitlines()}
    typed = line.split(" ")[-1]  # later versions also offer, behind those, what has these letters within
    assert {word for word in found if word.startswith(typed)} == words


ONE = [(line, words) for line, words in CASES if len(words) == 1]


@pytest.mark.parametrize("line, words", ONE)
def test_zsh_completes_what_is_typed(folder, line, words):
    """On a terminal of its own: the word that is completed goes to a function that shows it."""
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    (word,) = words
    master, terminal = open_terminal()
    (folder / "_phalanx").write_text((folder / "script.zsh").read_text())
    environment = {**os.environ, "HOME": str(folder), "ZDOTDIR": str(folder), "TERM": "dumb", "PS1": "ready "}
    process = subprocess.Popen(["zsh", "-f", "-i"], cwd=folder, env=environment, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True)
    os.close(terminal)
    shown = ""

    def wait_for_text(pattern):
        nonlocal shown
        while re.search(pattern, shown) is None:
            assert select.select([master], [], [], MOST_SECONDS)[0], shown
            shown += os.read(master, 4096).decode()
        shown = shown[re.search(pattern, shown).end() :]

    setup = "unsetopt zle_bracketed_paste beep; fpath=($PWD $fpath); autoload -Uz compinit && compinit -u -D; " \
            "phalanx() { print -r -- 'got <'${(j: :)@}'>' }; print 'pre''pared'"  # fmt: skip
    try:
        wait_for_text("ready ")
        os.write(master, setup.encode() + b"\r")
        wait_for_text("prepared\r?\n")
        os.write(master, line.encode() + b"\t\r")
        wait_for_text(r"got <" + re.escape(line.removeprefix("phalanx ").rpartition(" ")[0] + " " + word.rstrip("/")).lstrip("\\ ") + r"[/ ]*>")
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_zsh_reads_the_script(folder):
    done = shell("zsh", "-f", "-n", "script.zsh", folder=folder)
    assert done.returncode == 0 and done.stderr == ""


def test_every_option_of_every_command_is_offered(phalanx, folder):
    for command in sorted(COMMANDS - {"raw"}) + ["raw encrypt", "raw decrypt"]:
        shown = phalanx.run(*command.split(), "--help-all", check=0).stdout.decode()
        options = set(re.findall(r"^  (?:-\w,)?(--[\w-]+)", shown, re.MULTILINE))
        assert options and options <= offered_by_bash(folder, f"phalanx {command} --"), command


def test_other_shells_are_refused(phalanx):
    phalanx.assert_refused(phalanx.run("completions", "csh"), 2, "bash, zsh and fish")
    assert b"completions" not in phalanx.run("--help", check=0).stdout
