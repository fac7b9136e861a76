#!/usr/bin/env python3
"""Writes tests/vectors/parquet: small files by pyarrow, plain and encrypted. They are kept, since nonces and keys are random.

usage: write_parquet_vectors.py FOLDER        needs pyarrow; the kept ones are of 26.0.1
"""

import base64
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

FOOTER_KEY = bytes(range(16))  # as parquet_files_test.cpp and the fuzz target have them
MASTER_KEYS = {"footer": bytes(range(16)), "names": bytes(range(100, 116))}

TABLE = pa.table(
    {
        "id": pa.array(range(12), pa.int64()),
        "name": pa.array([None if i == 5 else f"name {i % 3}" for i in range(12)]),
        "list": pa.array([[i, i + 1] if i % 2 else [] for i in range(12)], pa.list_(pa.int32())),
    }
)
SETTINGS = {"row_group_size": 6, "write_page_index": True, "compression": "none", "use_dictionary": ["name"]}


class Kms(pe.KmsClient):
    """Wraps a key by XOR with the master key, which is enough for a test."""

    def __init__(self, _configuration):
        pe.KmsClient.__init__(self)

    def wrap_key(self, key_bytes, master_key_identifier):
        return base64.b64encode(bytes(a ^ b for a, b in zip(key_bytes, MASTER_KEYS[master_key_identifier], strict=True)))

    def unwrap_key(self, wrapped_key, master_key_identifier):
        return bytes(a ^ b for a, b in zip(base64.b64decode(wrapped_key), MASTER_KEYS[master_key_identifier], strict=True))


def under_kms(path, **settings):
    factory = pe.CryptoFactory(Kms)
    configuration = pe.EncryptionConfiguration(footer_key="footer", column_keys={"names": ["name"]}, **settings)
    pq.write_table(
        TABLE,
        path,
        encryption_properties=factory.file_encryption_properties(pe.KmsConnectionConfig(), configuration),
        **SETTINGS,
    )


def main():
    folder = pathlib.Path(sys.argv[1])
    bloom = {"bloom_filter_options": {"id": {"ndv": 12, "fpp": 0.1}}}
    pq.write_table(TABLE, folder / "plain.parquet", **SETTINGS, **bloom)
    for name, settings in {
        "gcm": {},
        "gcm_signed": {"plaintext_footer": True},
        "ctr": {"encryption_algorithm": "AES_GCM_CTR_V1"},
        "prefix": {"aad_prefix": b"table 7", "store_aad_prefix": False},
    }.items():
        properties = pe.create_encryption_properties(FOOTER_KEY, **settings)
        pq.write_table(TABLE, folder / f"{name}.parquet", encryption_properties=properties, **SETTINGS)
    under_kms(folder / "kms_double.parquet", double_wrapping=True)
    under_kms(folder / "kms_single_signed.parquet", double_wrapping=False, plaintext_footer=True)


if __name__ == "__main__":
    main()
