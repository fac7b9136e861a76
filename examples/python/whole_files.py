"""A file sealed whole, another who may open it, what shows without a key, and a file that is encrypted where it lies."""

import os
import pathlib
import tempfile

import phalanx

folder = pathlib.Path(tempfile.mkdtemp())
key, other = os.urandom(32), os.urandom(32)
(folder / "letters").write_bytes(b"in lockstep" * 1000)

phalanx.seal_file(folder / "letters", folder / "letters.phalanx", verify=True, key=key)
phalanx.change_recipients(folder / "letters.phalanx", key=key, add_key=other, remove=[1])
shown = phalanx.inspect(folder / "letters.phalanx")
print(f"{shown.suite}, {len(shown.recipients)} recipient, {shown.plain_bytes} bytes")
assert all(file.authentic for file in phalanx.verify_many([folder / "letters.phalanx"], key=other))

with phalanx.open(folder / "upload.phalanx", "xb", key=other) as upload:  # appears once it is complete
    for piece in (b"in ", b"lockstep"):
        upload.write(piece)

iv = os.urandom(16)
phalanx.encrypt_in_place(folder / "letters", "aes-256-ctr", key, iv)  # after a kill the same call goes on
phalanx.decrypt_in_place(folder / "letters", "aes-256-ctr", key, iv)
assert (folder / "letters").read_bytes() == b"in lockstep" * 1000
