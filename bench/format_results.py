#!/usr/bin/env python3
"""Prints a kept result (bench/results/.../*.json) as Markdown tables: format_results.py FILE [--summary].

--summary: the few rows of the README, of the fastest engine there.
"""

import argparse
import json
import pathlib

SUMMARY = ["des-ede3-ecb", "des-ede3-ctr", "des-ede3-cbc", "des-cbc", "aes-256-ctr", "aes-256-xts", "serpent-256-ctr",
           "twofish-256-ctr"]


def origin(result, size, engine=""):
    return (f"{result['cpu']}; {engine}one core; messages of {size // 1024} KiB; {result['compiler']}, {result['flags'].split(',')[0]}; "
            f"commit {result['commit']}, {result['date']}; peers {result['openssl'].rsplit(' ', 3)[0]} and libgcrypt "
            f"{result['libgcrypt']}; medians; every byte compared.")


def peer_name(row):
    return "libgcrypt, same mode" if row["peer"] == "libgcrypt" else f"OpenSSL {row['peer']}"


def print_table(rows):
    print("| cipher | | engine | MB/s | cycles/byte | against | its MB/s | ratio |")
    print("|---|---|---|---:|---:|---|---:|---:|")
    for row in rows:
        print(f"| {row['cipher']} | {row['direction']} | {row['engine']} | {row['megabytes_per_second']:,.0f} "
              f"| {row['cycles_per_byte']:.2f} | {peer_name(row)} | {row['peer_megabytes_per_second']:,.0f} "
              f"| {row['ratio']:.2f} |")


def print_summary(rows, engine):
    print("| cipher | MB/s | against | its MB/s | ratio |")
    print("|---|---:|---|---:|---:|")
    for name in SUMMARY:
        row = next(row for row in rows if row["cipher"] == name and row["engine"] == engine
                   and (row["direction"] == "decrypt") == name.endswith("-cbc"))
        verb = f" ({row['direction']}ion)" if name.endswith("-cbc") else ""
        print(f"| {name}{verb} | {row['megabytes_per_second']:,.0f} | {peer_name(row)} "
              f"| {row['peer_megabytes_per_second']:,.0f} | {row['ratio']:.1f} x |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--summary", action="store_true")
    arguments = parser.parse_args()
    result = json.loads(arguments.file.read_text())
    sizes = sorted({row["message_bytes"] for row in result["rows"]})
    for size in sizes[:1] if arguments.summary else sizes:
        rows = [row for row in result["rows"] if row["message_bytes"] == size]
        if arguments.summary:
            print_summary(rows, rows[-1]["engine"])
        else:
            print_table(rows)
        engine = f"engine {rows[-1]['engine']}; " if arguments.summary else ""
        print(f"\n{origin(result, size, engine)}\n")


if __name__ == "__main__":
    main()
