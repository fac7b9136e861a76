#!/usr/bin/env python3
"""Writes tests/vectors/openssl_enc/VERSION.txt: a short file of every name that an `openssl enc -list` has, and of options that came later.

usage: write_openssl_files.py VERSION OPENSSL [ARGUMENT...] >tests/vectors/openssl_enc/VERSION.txt

OPENSSL ARGUMENT... runs that version's program: its own loader, say, and the libraries of its package. Of names that it
refuses to encrypt with the line says so. test_cli_openssl_versions.py reads the lines.
"""

import subprocess
import sys

PLAIN = b"a text that anybody can read, in any case\n"  # 42 bytes: no whole blocks
PASSPHRASE = "correct horse"
REFUSED = "refused"
OPTIONS = [
    "-aes-256-cbc -md md5", "-des3 -md sha1", "-aes-256-cbc -pbkdf2", "-aes-256-ctr -pbkdf2 -iter 7", "-aes-128-cbc -a", "-aes-256-cbc -nosalt",
    "-aes-256-cbc -S 0102030405060708", "-aes-256-cbc -pbkdf2 -saltlen 16", "-aes-256-cbc -pbkdf2 -saltlen 1", "-bf -md md4", "-aes-128-cbc -md whirlpool",
]  # fmt: skip


def main(version, *program):
    # Where the version has providers, Blowfish and its like are in the one called legacy.
    providers = [] if version.startswith("1.") else ["-provider", "legacy", "-provider", "default"]

    def run(*arguments, **settings):
        return subprocess.run([*program, "enc", *providers, *arguments], capture_output=True, timeout=60, check=False, **settings)

    listed = run("-list", stdin=subprocess.DEVNULL).stdout.decode().split()
    print(f"# OpenSSL {version}: options of `openssl enc`, and the file that it wrote in hex. The text is {PLAIN!r}, the passphrase '{PASSPHRASE}'.")
    for options in [*sorted(word for word in listed if word.startswith("-")), *OPTIONS]:
        done = run(*options.split(), "-pass", f"pass:{PASSPHRASE}", input=PLAIN)
        print(f"{options}\t{done.stdout.hex() if done.returncode == 0 else REFUSED}")


if __name__ == "__main__":
    main(*sys.argv[1:])
