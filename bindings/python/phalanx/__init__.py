"""Bulk block ciphers on every lane of CPUs and GPUs: DES, triple DES, AES, Serpent and Twofish, in constant time.

Cipher encrypts and decrypts messages, Aead authenticates too, SectorCipher is XTS over volumes. seal, unseal and open are for
containers, which are authenticated; openssl_open and migrate read old files. docs/python.md is the guide.
"""

from ._native import (
    Aead,
    AuthenticationError,
    BufferTypeError,
    Cipher,
    CipherFacts,
    EngineInfo,
    Error,
    ForkError,
    Incremental,
    MachineError,
    OverlapError,
    PicklingError,
    PolicyError,
    ReadOnlyError,
    Secret,
    SectorCipher,
    SizeError,
    StrideError,
    TruncatedError,
    UsageError,
    WrongKeyError,
    __version__,
    ciphers,
    engines,
    self_test,
)
