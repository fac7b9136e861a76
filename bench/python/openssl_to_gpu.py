#!/usr/bin/env python3
"""Pages of AES-256-GCM decrypted into a GPU's memory by the OpenSSL that PyPI's `cryptography` carries, beside a plain copy.

usage: openssl_to_gpu.py [--gib N] [--page BYTES] [--workers N] [--rounds N]

What bench/gpu/gpu_parquet_benchmark does by phalanx: pages as encrypted Parquet has them (nonce, text, tag; 40 bytes of associated
data) lie in the host's memory. Here processes, one a core, decrypt them into page-locked memory, and each piece of 16 MiB is copied
to the GPU while the next are decrypted. Needs PyTorch with a GPU. Every byte is compared once, on the GPU.
"""

import argparse
import mmap
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

from cryptography.hazmat.backends.openssl import backend
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

KEY = bytes(range(32))
NONCE_BYTES, TAG_BYTES, AAD_BYTES = 12, 16, 40
PIECE_BYTES = 16 << 20


class Pages:
    """The sealed pages and, behind one another, the plain ones, in memory that all processes share."""

    def __init__(self, num_bytes: int, page_bytes: int) -> None:
        self.page_bytes, self.num_pages = page_bytes, num_bytes // page_bytes
        self.sealed_bytes = NONCE_BYTES + page_bytes + TAG_BYTES
        self.plain_memory = mmap.mmap(-1, self.num_pages * page_bytes)
        self.plain = memoryview(self.plain_memory)
        self.sealed = memoryview(mmap.mmap(-1, self.num_pages * self.sealed_bytes))
        self.pages_of_piece = PIECE_BYTES // page_bytes

    def plain_page(self, number: int) -> memoryview:
        return self.plain[number * self.page_bytes : (number + 1) * self.page_bytes]

    def sealed_page(self, number: int) -> memoryview:
        return self.sealed[number * self.sealed_bytes : (number + 1) * self.sealed_bytes]

    @staticmethod
    def aad(number: int) -> bytes:
        return number.to_bytes(AAD_BYTES, "little")

    def seal(self, number: int) -> None:
        nonce, plain = number.to_bytes(NONCE_BYTES, "big"), os.urandom(64) * (self.page_bytes // 64)
        self.sealed_page(number)[:] = nonce + AESGCM(KEY).encrypt(nonce, plain, self.aad(number))
        self.plain_page(number)[:] = plain

    def open(self, number: int) -> None:
        page = self.sealed_page(number)
        AESGCM(KEY).decrypt_into(page[:NONCE_BYTES], page[NONCE_BYTES:], self.aad(number), self.plain_page(number))


class Workers:
    """Processes that take the pages of a round piece by piece; piece_is_there says when one is decrypted."""

    def __init__(self, pages: Pages, count: int) -> None:
        self.pages, self.num_pieces = pages, pages.num_pages // pages.pages_of_piece
        self.next_page = multiprocessing.Value("q", 0)
        self.num_open: Any = multiprocessing.Array("q", self.num_pieces)  # of each piece
        self.begin, self.end = multiprocessing.Barrier(count + 1), multiprocessing.Barrier(count + 1)
        self.processes = [multiprocessing.Process(target=self.work, daemon=True) for _ in range(count)]
        for process in self.processes:
            process.start()

    def work(self) -> None:
        share = max(1, (256 << 10) // self.pages.page_bytes)
        self.seal_all()
        while True:
            self.begin.wait()
            while True:
                with self.next_page.get_lock():
                    first = self.next_page.value
                    self.next_page.value += share
                if first >= self.pages.num_pages:
                    break
                for number in range(first, min(first + share, self.pages.num_pages)):
                    self.pages.open(number)
                with self.num_open.get_lock():
                    self.num_open[first // self.pages.pages_of_piece] += share
            self.end.wait()

    def seal_all(self) -> None:
        while True:
            with self.next_page.get_lock():
                number = self.next_page.value
                self.next_page.value += 1
            if number >= self.pages.num_pages:
                break
            self.pages.seal(number)
        self.end.wait()

    def start_round(self) -> None:
        self.next_page.value = 0
        for piece in range(self.num_pieces):
            self.num_open[piece] = 0
        self.begin.wait()

    def wait_for_piece(self, piece: int) -> None:
        while self.num_open.get_obj()[piece] < self.pages.pages_of_piece:
            time.sleep(0.00002)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gib", type=int, default=4)
    parser.add_argument("--page", type=int, default=1 << 20)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    multiprocessing.set_start_method("fork")  # which shares the pages
    pages = Pages(arguments.gib << 30, arguments.page)
    workers = Workers(pages, arguments.workers)
    workers.end.wait()  # all are sealed

    import torch  # once the processes are there, which shall have no CUDA

    host = torch.frombuffer(pages.plain_memory, dtype=torch.uint8)
    error = torch.cuda.cudart().cudaHostRegister(host.data_ptr(), host.numel(), 0)
    assert int(error) == 0, f"page-locked memory: {error}"
    wanted = host.cuda()
    device = torch.empty_like(wanted)

    def copy_piece(piece: int) -> None:
        part = slice(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES)
        device[part].copy_(host[part], non_blocking=True)

    def load() -> None:
        workers.start_round()
        for piece in range(workers.num_pieces):
            workers.wait_for_piece(piece)
            copy_piece(piece)
        torch.cuda.synchronize()
        workers.end.wait()

    def copy() -> None:
        device.copy_(host, non_blocking=True)
        torch.cuda.synchronize()

    def seconds(body: Callable[[], None]) -> float:
        start = time.perf_counter()
        body()
        return time.perf_counter() - start

    host.zero_()
    device.zero_()
    load()
    assert torch.equal(device, wanted), "wrong bytes"
    times: dict[Callable[[], None], list[float]] = {load: [], copy: []}
    for _ in range(arguments.rounds):
        for body, found in times.items():
            found.append(seconds(body))
    rates = {body: device.numel() / statistics.median(found) / 1e9 for body, found in times.items()}
    print(
        f"{backend.openssl_version_text()}, {arguments.workers} processes, pages of {arguments.page}: {rates[load]:.1f} GB/s; "
        f"a copy {rates[copy]:.1f}; ratio {rates[load] / rates[copy]:.2f}; {torch.cuda.get_device_name()}"
    )


if __name__ == "__main__":
    main()
