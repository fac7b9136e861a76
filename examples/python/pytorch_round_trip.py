"""Encrypts a PyTorch tensor on a stream of its own, and decrypts it again. Without a GPU it says so and ends."""

import os
import sys

import phalanx


def main() -> None:
    try:
        import torch
    except ImportError:
        sys.exit("no PyTorch here: pip install torch")
    if not torch.cuda.is_available():
        sys.exit("no GPU to run on")
    cipher = phalanx.Cipher("aes-256-ctr", os.urandom(32))
    iv = os.urandom(16)  # never twice under one key
    with torch.cuda.stream(torch.cuda.Stream()):
        weights = torch.randn(1_000_000, device="cuda")
        sealed = cipher.encrypt(weights, iv=iv)  # enqueued behind what made the weights
        opened = cipher.decrypt(sealed, iv=iv)
        assert not torch.equal(sealed, weights)
        assert torch.equal(opened, weights)
    print(f"{weights.nbytes} bytes there and back on {weights.device}")


if __name__ == "__main__":
    main()
