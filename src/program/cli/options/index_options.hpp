// The options that say by which index a command over a folder of containers goes, and what it is authentic under.
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

/// As given.
struct IndexOptions {
  std::optional<std::string> path;
  SecretSources key{.prefix = "index-", .named = {}};  ///< the secret one, or what signs or is signed by
  std::uint64_t at_least = 0;
  bool digest = false;
  bool forget = false;
  bool strict = false;
};

/// For what writes an index: --index, --index-key-file, --index-signing-key, --index-digest, --index-forget, --at-least.
void add_index_writing_options(CLI::App& command, IndexOptions& options, const MessageOptions& messages);
/// For what changes recipients of containers that are in one: --index, --index-key-file, --index-signing-key, --at-least.
void add_index_changing_options(CLI::App& command, IndexOptions& options, const MessageOptions& messages);
/// For what reads one: --index, --index-key-file, --index-public-key, --at-least, --strict.
void add_index_reading_options(CLI::App& command, IndexOptions& options, const MessageOptions& messages);

/// Without --index: throws Error (usage) where an option is given that goes with it; and where the keys do not fit.
void check_index_options(const IndexOptions& options, bool writes);

/// The index that is named, and the memory of its key.
struct NamedIndex {
  SecretBytes key;
  TreeIndexOptions options;
};

/// Reads the key, once the options are checked. Nothing without --index. Throws as read_secret does, and Error (usage) for a
/// file that holds no such key.
[[nodiscard]] std::optional<NamedIndex> read_named_index(const IndexOptions& options, bool writes);

/// Opens the index that a run writes, which `needed` learns of, and says what was cut off. Throws as TreeIndexRun does.
void hold_index(const NamedIndex& named, std::optional<TreeIndexRun>& index, ProtectedFiles& needed, bool quiet);

/// The key that signs, of such a file. Throws Error: usage where it holds none, runtime.
[[nodiscard]] SecretBytes read_index_signing_key(const std::string& path);

/// The line of a file that holds a key of this kind, line end and all.
[[nodiscard]] SecretBytes index_key_line(IndexKeyKind kind, Bytes key);

/// The generation and the digest that are to be kept elsewhere, on standard output.
void print_generation(const std::string& path, const IndexGeneration& generation);

/// That the index says nothing of some headers, since a run of an earlier version put their containers in.
void say_no_headers(const std::string& path, const IndexGeneration& generation, bool quiet);

/// Tells of the headers that a run found to be others than the index has, and of those of which it says nothing. Returns
/// their number: what is doubtful.
[[nodiscard]] std::uint64_t say_strange_headers(const TreeIndexRun& index, const IndexGeneration& generation, bool quiet);

/// That behind the last segment is what a killed run had left.
void say_half_segment(const std::string& path, const IndexGeneration& generation, bool quiet);

}  // namespace phalanx
