// These options say by which index a command over a folder of containers goes, and under which key that is authentic.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/files/tree_index.hpp>
#include <string>

#include "engine/secrets/secret_bytes.hpp"
#include "files/container/index/tree_index_run.hpp"
#include "files/system/protected_files.hpp"
#include "program/cli/console/command_line_library.hpp"
#include "program/cli/options/general_options.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

/// Holds the options as given.
struct IndexOptions {
  std::optional<std::string> path;
  SecretSources key{.prefix = "index-", .named = {}};  ///< the secret key, or the one that signs or verifies
  std::uint64_t at_least = 0;
  bool digest = false;
  bool forget = false;
  bool strict = false;
};

/// Adds --index, --index-key-file, --index-signing-key, --index-digest, --index-forget and --at-least, for what writes an
/// index.
void add_index_writing_options(CLI::App& command, IndexOptions& options, const MessageOptions& messages);
/// Adds --index, --index-key-file, --index-signing-key and --at-least, for what changes recipients of containers in an
/// index.
void add_index_changing_options(CLI::App& command, IndexOptions& options, const MessageOptions& messages);
/// Adds --index, --index-key-file, --index-public-key, --at-least and --strict, for what reads an index.
void add_index_reading_options(CLI::App& command, IndexOptions& options, const MessageOptions& messages);

/// Throws Error (usage) where the keys of --index do not fit, or an option that goes with it is given without it.
void check_index_options(const IndexOptions& options, bool writes);

/// Holds the index that is named, and the memory of its key.
struct NamedIndex {
  SecretBytes key;
  TreeIndexOptions options;
};

/// Reads the key, once the options are checked. Returns nothing without --index. Throws as read_secret does, and Error
/// (usage) for a file that holds no such key.
[[nodiscard]] std::optional<NamedIndex> read_named_index(const IndexOptions& options, bool writes);

/// Opens the index that a run writes, adds its file to `needed`, and says what was cut off. Throws as TreeIndexRun does.
void hold_index(const NamedIndex& named, std::optional<TreeIndexRun>& index, ProtectedFiles& needed, bool quiet);

/// Reads the key that signs from such a file. Throws Error: usage where it holds none, runtime.
[[nodiscard]] SecretBytes read_index_signing_key(const std::string& path);

/// Returns the line of a file that holds a key of this kind, with its line end.
[[nodiscard]] SecretBytes index_key_line(IndexKeyKind kind, Bytes key);

/// Prints the generation and the digest, which are to be kept elsewhere, on standard output.
void print_generation(const std::string& path, const IndexGeneration& generation);

/// Says that the index says nothing of some headers, since a run of an earlier version put their containers in.
void say_no_headers(const std::string& path, const IndexGeneration& generation, bool quiet);

/// Tells of the headers that a run found to be others than the index has, and of those of which it says nothing. Returns the
/// number of the first, which are doubtful.
[[nodiscard]] std::uint64_t say_strange_headers(const TreeIndexRun& index, const IndexGeneration& generation, bool quiet);

/// Says that a killed run has left something behind the last segment.
void say_half_segment(const std::string& path, const IndexGeneration& generation, bool quiet);

}  // namespace phalanx
