// The options of `phalanx raw`.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "ciphers/direction.hpp"
#include "cli/general_options.hpp"

namespace phalanx {

/// As given.
struct RawOptions {
  std::string in, out;
  std::string cipher;
  std::optional<std::string> iv;
  std::optional<std::string> padding;
  std::optional<std::uint64_t> sector_size;
  std::optional<std::uint64_t> sector_offset;
  bool iv_large_sectors = false;
  std::optional<std::string> in_place;
  bool openssl = false;
  bool base64 = false;
  std::optional<std::string> digest;
  bool pbkdf2 = false;
  bool no_pbkdf2 = false;
  std::optional<int> num_iterations;
  bool no_salt = false;
  bool allow_legacy = false;
  bool allow_weak_key = false;
  bool force = false;
  SecretSources secrets;
  EngineOptions engine;
  MessageOptions messages;
};

void add_raw_options(CLI::App& command, RawOptions& options, Direction direction);

}  // namespace phalanx
