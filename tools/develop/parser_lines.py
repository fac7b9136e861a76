#!/usr/bin/env python3
"""Prints the share of lines of each parser that was run, the lines that were not, and the sum: of what `llvm-cov export` says.

usage: llvm-cov export ... | parser_lines.py
"""

import json
import os
import pathlib
import re
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
# What takes apart what others wrote.
PARSERS = re.compile(r"""src/(
    engine/text/(base64|hex|json_line|utf8) | engine/chunked/message_reader
  | files/(
      age/.* | system/line_reader | container/format/(binding|fixed_part|header|body_facts|public_key_record)
    | container/file/resume_record | container/index/index_(change|reader|segment) | container/trees/tree_record
    | foreign/luks/(luks.*|key_(slots|stripes)) | foreign/(base64_stream|base64_text|openssl_enc|padding|padding_evidence) | foreign/asn1/.* | foreign/search/sniff
    | foreign/cms/(cms_front|cms_source|content_cipher|key_algorithms|recipients) | recognition/.*
    | foreign/openpgp/packets/.* | foreign/openpgp/(message_front|session_keys|string_to_key)
    | migration/png_sums | migration/manifest/manifest(_record)? | in_place/journal)
  | parquet/(chunk_pages|compact_protocol|decrypting|file_parts|file_rewrite|footer|key_material|module_crypting)
  | program/(
      cluster/(job_codec|job_description|key_agreement|worker_share) | cli/engine/calibration_file
    | cli/secrets/first_line | cli/plugins/plugin_(dialogue|sessions))
  )[.]cpp | bench/measuring/(results|selection)[.]cpp""", re.VERBOSE)


def lines_of(segments):
    """The lines with code, and those of which nothing ran, as `llvm-cov show` has them: a line has the largest count of what
    it begins within and what begins on it. Each segment, [line, column, count, has_count, is_entry, is_gap], reaches to the
    next one."""
    lines, missed = [], []
    by_line = {}
    for segment in segments:
        by_line.setdefault(segment[0], []).append(segment)
    within = None
    for line in range(segments[0][0], segments[-1][0] + 1) if segments else ():
        here = by_line.get(line, [])
        counts = [count for _, _, count, has_count, is_entry, is_gap in here if has_count and is_entry and not is_gap]
        if within and within[3]:
            counts.append(within[2])
        if counts:
            lines.append(line)
        if counts and max(counts) == 0:
            missed.append(line)
        within = here[-1] if here else within
    return lines, missed


def ranges_of(numbers):
    text = []
    for number in numbers:
        if text and text[-1][1] == number - 1:
            text[-1][1] = number
        else:
            text.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in text)


def main():
    covered = total = 0
    rows = []
    for file in json.load(sys.stdin)["data"][0]["files"]:
        path = pathlib.Path(os.path.normpath(file["filename"]))  # ccache makes it one from the build's folder on
        if not path.is_relative_to(REPOSITORY) or not PARSERS.fullmatch(str(name := path.relative_to(REPOSITORY))):
            continue
        lines, missed = lines_of(file["segments"])
        rows.append((str(name), len(lines) - len(missed), len(lines), ranges_of(missed)))
        covered, total = covered + len(lines) - len(missed), total + len(lines)
    for name, ran, count, missed in sorted(rows):
        print(f"{name:48} {ran:4} of {count:4} lines {100 * ran / count:4.0f} %  {missed}")
    print(f"{covered} of {total} lines of {len(rows)} files, {100 * covered / total:.1f} %")


if __name__ == "__main__":
    main()
