// This reads the passphrase of `openssl enc`, which takes a file otherwise than we take ours.
#pragma once

#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/message_plan.hpp"
#include "files/foreign/search/candidates.hpp"
#include "files/system/input.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

/// Holds a passphrase, as one reader of its source takes it.
struct PassphraseReading {
  SecretBytes passphrase;
  std::string name;  ///< what sets it apart: "with its CR, as openssl -pass reads it"; "" where there is one reading only
};

/// Reads the passphrase from the only source named, or asks for it on the terminal, twice if it seals. The readings come in
/// this order, where they differ:
/// - what -pass file: and fd: of `openssl enc` take: the first line with its CR, up to a zero byte, at most 1023 bytes
/// - the line without CRLF, as this program takes it everywhere else
/// - what -kfile takes: 127 bytes at most, without CRs at their end, and up to a zero byte
[[nodiscard]] std::vector<PassphraseReading> read_openssl_passphrases(const SecretSources& sources, SecretUse use);

/// Returns what to say where only this one of several readings can be tried.
[[nodiscard]] std::string about_one_reading(const PassphraseReading& reading);

/// Returns all that may open a file of `openssl enc`: each of the readings, with each digest that the plan leaves open. With
/// an input that cannot seek, only the first reading can be tried. A note says so, unless `quiet`.
[[nodiscard]] Candidates candidates_of(std::vector<PassphraseReading> readings, const MessagePlan& plan, const Input& input,
                                       bool quiet);

/// Returns the first reading alone, for a file that none of them is seen to open. A note says so, unless `quiet`.
[[nodiscard]] Candidates first_reading_of(Candidates candidates, const Input& input, bool quiet);

}  // namespace phalanx
