"""Encrypts a CuPy array where it is, on CuPy's current stream, and decrypts it again. Without a GPU it says so and ends."""

import os
import sys

import phalanx


def main() -> None:
    try:
        import cupy
    except ImportError:
        sys.exit("no CuPy here: pip install cupy-cuda13x")
    if not any(engine.name == "cuda" and engine.usable for engine in phalanx.engines()):
        sys.exit("no GPU to run on")
    cipher = phalanx.Cipher("aes-256-ctr", os.urandom(32))
    iv = os.urandom(16)  # never twice under one key
    prices = cupy.random.random(1_000_000)
    sealed = cipher.encrypt(prices, iv=iv)  # a new array of the same kind; nothing leaves the GPU
    assert not cupy.array_equal(sealed, prices)
    cipher.decrypt_into(sealed, sealed, iv=iv)  # in place
    assert cupy.array_equal(sealed, prices)
    print(f"{prices.nbytes} bytes there and back on {prices.device}")


if __name__ == "__main__":
    main()
