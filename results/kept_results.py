"""Reads and writes kept results: JSON, packed by xz (README.md beside this file says more). What has another ending is plain JSON."""

import json
import lzma
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent
ENDING = ".json.xz"


def read(path):
    packed = pathlib.Path(path).read_bytes()
    return json.loads(lzma.decompress(packed) if str(path).endswith(".xz") else packed)


def write(path, result):
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    pathlib.Path(path).write_bytes(lzma.compress(text.encode(), preset=9))
