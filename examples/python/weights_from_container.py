"""Model weights that are nowhere in the clear but in the GPU's memory: tensors of a safetensors file in a container.

    weights_from_container.py                             two small tensors, made up
    weights_from_container.py CONTAINER KEY_FILE [PLAIN]  those of a container, timed; beside the plain file by `safetensors`

Each tensor is read by its range: ciphertext crosses the link, and the GPU opens it into the tensor's memory.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from typing import Any

import phalanx

try:
    import torch
except ImportError:
    sys.exit("no PyTorch here: pip install torch")

# The names that safetensors has for types of PyTorch.
TYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "U8": torch.uint8,
}


def load(file: phalanx.ContainerFile, device: str = "cuda") -> dict[str, Any]:
    """All tensors. The file begins with the length of a JSON text, of 8 bytes; offsets count from behind that text."""
    header_bytes = int.from_bytes(file.read(8), "little")
    header = json.loads(file.read(header_bytes))
    header.pop("__metadata__", None)
    tensors = {}
    for name, facts in header.items():
        tensor = torch.empty(facts["shape"], dtype=TYPES[facts["dtype"]], device=device)
        first, stop = facts["data_offsets"]
        file.seek(8 + header_bytes + first)
        if file.readinto_array(tensor) != stop - first:
            raise SystemExit(f"{name} ends before its last byte")
        tensors[name] = tensor
    return tensors


def made_up() -> tuple[bytes, dict[str, Any]]:
    """A small safetensors file, and its tensors."""
    tensors = {"embedding": torch.randn(1000, 64), "bias": torch.arange(100, dtype=torch.int64)}
    header, data = {}, b""
    for (name, tensor), kind in zip(tensors.items(), ("F32", "I64"), strict=True):
        offsets = [len(data), len(data) + tensor.nbytes]
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": offsets}
        data += tensor.numpy().tobytes()
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data, tensors


def check_with_made_up() -> None:
    content, expected = made_up()
    key = os.urandom(32)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "weights.safetensors.phalanx")
        with phalanx.open(path, "wb", key=key) as file:
            file.write(content)
        with phalanx.open(path, key=key) as file:
            tensors = load(file)
    assert all(torch.equal(tensors[name].cpu(), tensor) for name, tensor in expected.items())
    print(f"{len(tensors)} tensors, {sum(tensor.nbytes for tensor in tensors.values())} bytes in the GPU's memory")


def timed(what: str, run: Any) -> tuple[dict[str, Any], float]:
    """Of the second of two runs: the first one finds the file on a disk, and starts CUDA."""
    run()
    torch.cuda.synchronize()
    start = time.perf_counter()
    tensors = run()
    torch.cuda.synchronize()
    seconds = time.perf_counter() - start
    num_bytes = sum(tensor.nbytes for tensor in tensors.values())
    print(f"{what}: {len(tensors)} tensors, {num_bytes} bytes, {num_bytes / seconds / 1e9:.1f} GB/s")
    return tensors, num_bytes / seconds


def main() -> None:
    if not torch.cuda.is_available():
        sys.exit("no GPU to run on")
    if len(sys.argv) == 1:
        check_with_made_up()
        return
    container, key_file = sys.argv[1:3]
    with phalanx.open(container, key_file=key_file) as file:

        def from_container() -> dict[str, Any]:
            file.seek(0)
            return load(file)

        tensors, speed = timed("the container", from_container)
    if len(sys.argv) < 4:
        return
    from safetensors.torch import load_file

    plain, plain_speed = timed("the plain file", lambda: load_file(sys.argv[3], device="cuda"))
    if not all(torch.equal(tensor, plain[name]) for name, tensor in tensors.items()):
        sys.exit("a tensor differs")
    print(f"{speed / plain_speed:.2f} of the plain file's speed, all tensors equal")


if __name__ == "__main__":
    main()
