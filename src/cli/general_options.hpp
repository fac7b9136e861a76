// The options that commands share.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "io/secret_source.hpp"
#include "phalanx/phalanx.hpp"

namespace phalanx {

struct EngineOptions {
  std::string engine;
  int num_threads = 0;

  [[nodiscard]] Options library_options() const { return {.engine = engine, .num_threads = num_threads}; }
};

struct MessageOptions {
  bool verbose = false;
  bool quiet = false;
  std::string progress = "auto";
};

void add_engine_options(CLI::App& command, EngineOptions& options);
void add_message_options(CLI::App& command, MessageOptions& options);
void add_secret_options(CLI::App& command, SecretSources& sources);

/// For -v: the engine that runs the cipher, and what decided it.
[[nodiscard]] std::string describe_engine(const Cipher& cipher, const EngineOptions& options);

}  // namespace phalanx
