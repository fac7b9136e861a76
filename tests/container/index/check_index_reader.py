#!/usr/bin/env python3
"""Reads the indexes of tests/vectors/index/ by read_index.py, and writes them anew by write_index.py: both must come out as they are
committed.

usage: check_index_reader.py VECTORS_FOLDER        exits 77 (skipped) where the Python package cryptography is missing
"""

import pathlib
import sys
import tempfile

try:
    import read_index as reader
    import write_index
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def records_of(path):
    for text in path.read_text().split("\n\n"):
        fields = dict(line.split(" = ", 1) for line in text.splitlines() if line and not line.startswith("#"))
        if fields:
            yield fields


def read(fields):
    """As a record has it."""
    key = (reader.Secret if fields["authenticator"] == "secret" else reader.PublicKey)(bytes.fromhex(fields["key"]))
    try:
        generations, num_left = reader.read_index(bytes.fromhex(fields["index"]), key)
    except reader.Refused as refused:
        return {"result": str(refused.code)}
    last = generations[-1]
    found = {"generation": last.number, "digest": last.digest.hex(), "num_containers": len(last.tree)}
    found |= {"tree": write_index.digest_of_tree(last.tree), "cut_bytes": num_left}
    return {name: str(value) for name, value in found.items()}


def main(folder):
    names = [f"version_{version}.txt" for version in (1, 2)]
    records = [fields for name in names for fields in records_of(folder / "index" / name)]
    for number, fields in enumerate(records):
        found = read(fields)
        expected = {name: value for name, value in fields.items() if name not in ("authenticator", "key", "index")}
        if found != expected:
            sys.exit(f"check_index_reader: record {number}: {found}, not {expected}")
    with tempfile.TemporaryDirectory() as made:
        write_index.main(pathlib.Path(made))
        for name in names:
            if (pathlib.Path(made) / "index" / name).read_bytes() != (folder / "index" / name).read_bytes():
                sys.exit(f"check_index_reader: write_index.py gives another {name}")
    print(f"{len(records)} indexes")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
