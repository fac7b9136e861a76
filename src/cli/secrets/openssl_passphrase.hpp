// The passphrase of `openssl enc`, which reads the same file otherwise than we read our own.
#pragma once

#include <string>
#include <vector>

#include "cli/secrets/secret_source.hpp"
#include "files/input.hpp"
#include "foreign/message_plan.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {

/// A passphrase, as one reader of its source takes it.
struct PassphraseReading {
  SecretBytes passphrase;
  std::string name;  ///< what sets it apart: "with its CR, as openssl -pass reads it"; "" where there is one reading only
};

/// The passphrase from the only source named, or asked for on the terminal, twice if it seals. First comes what -pass file:
/// and fd: of `openssl enc` take from the source: the first line with a CR at its end, up to a zero byte, and 1023 bytes at
/// most. Where that differs, the line without CRLF comes next, as -kfile takes it, and this program everywhere else.
[[nodiscard]] std::vector<PassphraseReading> read_openssl_passphrases(const SecretSources& sources, SecretUse use);

/// What to say where only this one of several readings can be tried.
[[nodiscard]] std::string about_one_reading(const PassphraseReading& reading);

/// The reading that opens a file of `openssl enc`; where that cannot be found out, the first. Where there are several, says
/// which, unless `quiet`. The input stands where it stood before.
[[nodiscard]] SecretBytes choose_reading(std::vector<PassphraseReading> readings, const MessagePlan& plan, Input& input,
                                         bool quiet);

}  // namespace phalanx
