"""Journals of `raw --in-place` as an earlier version wrote them, in any state that a kill may leave: written from src/files/in_place/journal.hpp,
by none of our code. Of raw encrypt and decrypt under RAW_CTR."""

import hashlib
import hmac
import os

from conftest import CHUNK, IV16

MAGIC = b"phalanx journal3"
SLOTS = 4096
RECORD = 8 + 8 + 8 + 16 + 5 * 32 + 32


def number(value):
    return value.to_bytes(8, "little")


class EarlierJournal:
    def __init__(self, path, direction, key, before, after):
        self.path, self.before, self.after = path, before, after
        self.salt = bytes(range(16))
        self.key = hmac.digest(key, self.salt + b"phalanx in-place journal: key", "sha256")
        size = len(before)
        self.num_pieces = size // CHUNK + (0 if size >= CHUNK and size % CHUNK < 16 else 1)
        self.slot_bytes = min(size, CHUNK + 16)
        self.sealed = after if direction == "encrypt" else before
        self.text = f"aes-256-ctr {direction} iv={IV16} sector=0 tweak=0 step=1 piece={CHUNK} length={size}"

    def mac(self, *parts):
        return hmac.digest(self.key, b"".join(parts), "sha256")

    def piece(self, content, piece):
        return content[piece * CHUNK :] if piece == self.num_pieces - 1 else content[piece * CHUNK : (piece + 1) * CHUNK]

    def digest(self, content, piece):
        if not 0 <= piece < self.num_pieces:
            return bytes(32)
        text = self.piece(content, piece)
        if len(text) <= CHUNK:
            return self.mac(b"piece", number(piece), text)
        parts = [self.mac(b"part", text[:CHUNK]), self.mac(b"part", text[CHUNK:])]
        return self.mac(b"parts", number(piece), *parts)

    def header(self):
        status = os.stat(self.path)
        parameters = hashlib.sha256(self.salt + self.text.encode()).digest()
        identity = self.mac(b"file", number(status.st_dev), number(status.st_ino))
        return MAGIC + self.salt + parameters + self.mac(b"check") + identity

    def record(self, piece):
        content, last = self.piece(self.sealed, piece), self.num_pieces - 1
        fields = number(piece) + number(len(content)) + number(0) + bytes(16) + self.digest(self.sealed, piece)
        fields += self.digest(self.after, 0) if piece > 0 else bytes(32)
        fields += self.digest(self.after, piece - 1)
        fields += self.digest(self.before, piece + 1)
        fields += self.digest(self.before, last) if last > 0 else bytes(32)
        return fields + self.mac(b"record", fields) + content

    def content(self, num_records, torn=False):
        """With the records of so many pieces, of which the newest is torn."""
        slots = [bytes(RECORD + self.slot_bytes)] * 2
        for piece in range(num_records):
            record = self.record(piece)
            if torn and piece == num_records - 1:
                record = record[: len(record) // 2]
            slots[piece % 2] = record + slots[piece % 2][len(record) :]
        return self.header().ljust(SLOTS, b"\0") + slots[0] + slots[1]

    def file(self, num_done, torn=False):
        """The file with so many pieces done, and perhaps a half of the next."""
        edge = min(num_done * CHUNK + (3000 if torn else 0), len(self.before))
        return self.after[:edge] + self.before[edge:]
