"""A folder of old files, each in one of two ciphers, looked at, made into containers, compared and removed."""

import pathlib
import tempfile

import phalanx

folder, new_key = pathlib.Path(tempfile.mkdtemp()), bytes(range(32))
(folder / "old").mkdir()
old = []
for name, key in (("des-ede3-cbc", bytes(range(24))), ("aes-256-cbc", bytes(range(9, 41)))):
    cipher = phalanx.Cipher(name, key, allow_legacy=True)
    letter = cipher.encrypt(b"in lockstep, line by line\n" * 99, iv=bytes(cipher.block_bytes), padding="pkcs7")
    (folder / "old" / name).write_bytes(letter)
    old.append(phalanx.ForeignFormat(name, key=key, iv=bytes(cipher.block_bytes)))

paths = folder / "old", folder / "new", folder / "moved.jsonl"
assert phalanx.preview_tree(*paths, old, on_file=lambda file: print(file.name, file.verdict, file.detail)).failing == 0
counts = phalanx.migrate_tree(*paths, old, key=new_key, on_file=lambda file: print(file.name, file.state, file.found))
print(f"{counts.done} done, {counts.failed} failed")
assert phalanx.verify_tree(*paths, old, key=new_key).same == 2
counts = phalanx.migrate_tree(*paths, old, key=new_key, delete_source=True)
print(f"{counts.deleted} old files removed")
assert all(file.authentic for file in phalanx.verify_many([folder / "new"], key=new_key))
