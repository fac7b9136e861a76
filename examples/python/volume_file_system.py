"""Files of an encrypted disk, read without mounting it: phalanx.open_volume gives dissect.extfs the plaintext of a volume of LUKS.

    with phalanx.open_volume("disk.luks", passphrase="correct horse") as volume:
        ExtFS(volume).get("/notes/march.txt").open().read()
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

from dissect.extfs import ExtFS

import phalanx

MIB = 1 << 20


def make_disk(folder: pathlib.Path) -> pathlib.Path:
    """An ext4 with a file, encrypted where it lies, by other programs."""
    disk, passphrase = folder / "disk.luks", folder / "passphrase"
    (folder / "files/notes").mkdir(parents=True)
    (folder / "files/notes/march.txt").write_text("Dear all,\n" * 1000)
    passphrase.write_text("correct horse")
    with open(disk, "wb") as file:
        file.truncate(16 * MIB)
    subprocess.run(["mke2fs", "-q", "-t", "ext4", "-d", str(folder / "files"), str(disk), "8M"], check=True)
    cheap = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000", "--luks2-keyslots-size", "1M"]
    encrypt = ["cryptsetup", "-q", "reencrypt", "--encrypt", "--reduce-device-size", "4M", "--key-file", str(passphrase)]
    subprocess.run([*encrypt, *cheap, str(disk)], check=True, stdin=subprocess.DEVNULL)
    return disk


def main() -> None:
    if shutil.which("cryptsetup") is None or shutil.which("mke2fs") is None:
        sys.exit("no cryptsetup and mke2fs here: there is no disk to read")
    with tempfile.TemporaryDirectory() as folder:
        disk = make_disk(pathlib.Path(folder))
        with phalanx.open_volume(disk, passphrase="correct horse") as volume:
            text = ExtFS(volume).get("/notes/march.txt").open().read()
            print(f"{len(text)} bytes of march.txt from a volume in {volume.cipher}")


if __name__ == "__main__":
    main()
