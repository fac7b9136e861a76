// These are the options of `phalanx raw` for GCM and XAES-256-GCM, and what they mean together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/ciphers/direction.hpp"
#include "files/foreign/aead/aead_files.hpp"
#include "program/cli/console/command_line_library.hpp"

namespace phalanx {

struct RawOptions;

/// Holds the options as given.
struct RawAeadOptions {
  std::optional<std::string> nonce;
  std::optional<std::uint64_t> nonce_bytes;
  bool allow_nonce = false;
  std::optional<std::string> tag;
  std::optional<std::uint64_t> tag_bytes;
  bool tag_first = false;
  std::optional<std::string> associated_data;
  std::optional<std::string> associated_data_file;
};

void add_raw_aead_options(CLI::App& command, RawAeadOptions& options, Direction direction);

/// Says whether the cipher's name is that of an AEAD, or would be one. A file of `openssl enc` has none.
[[nodiscard]] bool names_aead(const RawOptions& options);

/// Throws Error (usage) where an option for an AEAD is given, and the cipher is none.
void refuse_aead_options(const RawAeadOptions& options);

/// Plans a message. Throws Error:
/// - usage, where the options do not fit each other or the cipher
/// - policy, for a nonce of the user's own without --allow-nonce
/// - runtime, where the associated data cannot be read
[[nodiscard]] AeadPlan plan_raw_aead(const RawOptions& options, Direction direction);

}  // namespace phalanx
