// These are options that commands share.
#pragma once

#include <cstdint>
#include <string>

#include "files/pipeline/run_executor.hpp"
#include "files/system/output/atomic_file.hpp"
#include "program/cli/console/command_line_library.hpp"
#include "program/cli/console/message_options.hpp"
#include "program/cli/engine/requested_engine.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

struct RequestedEngine {
  std::string engine;
  int num_threads = 0;
  RunExecutor* executor = nullptr;  ///< stays with the caller of the program

  /// Returns the options for the library, with the environment's engine where no option names one.
  [[nodiscard]] RunOptions library_options() const {
    return {{.engine = requested_engine(engine), .num_threads = num_threads}, executor};
  }
};

/// Takes decimal digits only. CLI11 alone would read 010 as 8, -1 as 2^64 - 1, and what is too large as 2^64 - 1 too.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t lowest, std::uint64_t highest);

/// Takes how many seconds a measurement lasts: from a thousandth to sixty, as a decimal number.
[[nodiscard]] CLI::Validator number_of_seconds();

/// Adds IN and OUT of a command that reads one and writes the other.
void add_stream_arguments(CLI::App& command, std::string& in, std::string& out);
/// Adds OUT, behind IN or alone, or as -o.
void add_output_argument(CLI::App& command, std::string& out, const std::string& description);
void add_force_option(CLI::App& command, bool& force);
/// These are the options' names, for messages about OUT.
inline constexpr OutputSettingNames output_option_names{.force = "--force", .resume = "--resume"};
inline constexpr OutputSettingNames output_option_names_with_each{
    .force = "--force", .resume = "--resume", .each = "--each"};
void add_engine_options(CLI::App& command, RequestedEngine& options);
void add_message_options(CLI::App& command, MessageOptions& options);
/// Adds the options for secrets. Their names begin with the sources' prefix. `messages` say whether warnings are given, and
/// stay the caller's.
void add_secret_options(CLI::App& command, SecretSources& sources, const MessageOptions& messages);
/// Adds -i, or --remove-identity, for what opens containers. Files that are named stand among the other secrets.
void add_identity_option(CLI::App& command, SecretSources& sources);
/// Adds -r, -R and --allow-mixed-recipients, for what seals containers; with the prefix "add-", --add-recipient and its
/// like.
void add_public_key_options(CLI::App& command, SecretSources& sources);

}  // namespace phalanx
