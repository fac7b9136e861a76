// The passphrase of `openssl enc`, which reads the same file otherwise than we read our own.
#pragma once

#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/message_plan.hpp"
#include "files/foreign/search/candidates.hpp"
#include "files/system/input.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

/// A passphrase, as one reader of its source takes it.
struct PassphraseReading {
  SecretBytes passphrase;
  std::string name;  ///< what sets it apart: "with its CR, as openssl -pass reads it"; "" where there is one reading only
};

/// The passphrase from the only source named, or asked for on the terminal, twice if it seals. First comes what -pass file:
/// and fd: of `openssl enc` take from the source: the first line with a CR at its end, up to a zero byte, and 1023 bytes at
/// most. Where that differs, the line without CRLF comes next, as this program takes it everywhere else. Last comes what
/// -kfile takes, where it is neither: 127 bytes at most, without CRs at their end, and up to a zero byte.
[[nodiscard]] std::vector<PassphraseReading> read_openssl_passphrases(const SecretSources& sources, SecretUse use);

/// What to say where only this one of several readings can be tried.
[[nodiscard]] std::string about_one_reading(const PassphraseReading& reading);

/// All that may open a file of `openssl enc`: each of the readings, with each digest that the plan leaves open. Of what
/// cannot seek only the first reading can be tried; that is said, unless `quiet`.
[[nodiscard]] Candidates candidates_of(std::vector<PassphraseReading> readings, const MessagePlan& plan, const Input& input,
                                       bool quiet);

/// Where none of them is seen to open it: the first reading alone, which is said, unless `quiet`.
[[nodiscard]] Candidates first_reading_of(Candidates candidates, const Input& input, bool quiet);

}  // namespace phalanx
