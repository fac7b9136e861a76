#include "cli/options/index_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <string_view>

#include "cli/console/messages.hpp"
#include "cli/secrets/secret_files.hpp"
#include "files/input.hpp"
#include "text/characters.hpp"
#include "text/counted.hpp"
#include "text/hex.hpp"
#include "text/utf8.hpp"

namespace phalanx {
namespace {

constexpr const char* group = "The index of the folder";
constexpr std::string_view signing_label = "phalanx-index-signing-key-1 ", public_label = "phalanx-index-public-key-1 ";

std::string_view label_of(IndexKeyKind kind) { return kind == IndexKeyKind::signing ? signing_label : public_label; }

CLI::Option* add_path(CLI::App& command, const char* name, std::optional<std::string>& path, const char* description) {
  return command.add_option(name, path, description)->type_name("FILE")->group(group);
}

void add_both(CLI::App& command, IndexOptions& options, const MessageOptions& messages, const char* description) {
  options.secret.warn = [&messages](const std::string& warning) { print_note(warning, messages.quiet); };
  options.secret.how_to_take_raw = "phalanx keygen makes one";
  add_path(command, "--index", options.path, description);
  const auto keep = [&options](const std::string& path) { options.secret.named.emplace_back(SecretKind::key_file, path); };
  command
      .add_option_function<std::string>(
          "--index-key-file", keep,
          "the index's key, which who verifies has too: 32 bytes, or their hex digits and a newline")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--at-least", options.at_least, "end with 3 where the index has a generation below N, as an older one has")
      ->type_name("N")
      ->transform(whole_number(1, std::numeric_limits<std::int64_t>::max()))
      ->group(group);
}

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

void refuse_without_index(bool given, const char* name) {
  if (given) throw_usage(std::string(name) + " goes with --index: give both");
}

[[noreturn]] void throw_no_key(const std::string& path, IndexKeyKind kind) {
  throw_usage(path + " holds no " + (kind == IndexKeyKind::signing ? "key that signs an index" : "public key of an index") +
              ": give one that phalanx keygen --index-keys has made");
}

SecretBytes read_index_key(const std::string& path, IndexKeyKind kind, const SecretSources& sources,
                           ProtectedFiles& needed) {
  const std::string_view label = label_of(kind);
  const std::size_t num_digits = 2 * index_key_bytes;
  Input input = open_regular_file(path);
  needed.add(input.status(), "the key file " + path);
  SecretBytes text(label.size() + num_digits + 2);
  text.shrink(input.read(text));
  const std::string_view line(reinterpret_cast<const char*>(text.data()), text.size());
  const std::size_t size = label.size() + num_digits;
  const bool is_ended = line.size() == size || (line.size() == size + 1 && line.back() == '\n');
  if (!is_ended || !line.starts_with(label)) throw_no_key(path, kind);
  if (kind == IndexKeyKind::signing && (input.status().st_mode & (S_IRGRP | S_IROTH)) != 0 && sources.warn)
    sources.warn("warning: others than you may read the key file " + path + ": chmod go-rwx it");
  SecretBytes key(index_key_bytes);
  decode_hex(line.substr(label.size(), num_digits), "the key of " + path, key);
  return key;
}

}  // namespace

void add_index_writing_options(CLI::App& command, IndexOptions& options, const MessageOptions& messages) {
  add_both(command, options, messages, "append to FILE which containers the folder has now, authenticated");
  add_path(command, "--index-signing-key", options.signing_key, "the key that signs the index, of `keygen --index-keys`");
  command.add_flag("--index-digest", options.digest, "put the SHA-256 of each container into the index; needed to sign it")
      ->group(group);
  command.add_flag("--index-forget", options.forget, "take containers out of the index that are not there any more")
      ->group(group);
}

void add_index_reading_options(CLI::App& command, IndexOptions& options, const MessageOptions& messages) {
  add_both(command, options, messages,
           "compare a folder with its index: what was swapped, renamed, removed, put back or added");
  add_path(command, "--index-public-key", options.public_key, "the public key of the one that signs the index");
  command.add_flag("--strict", options.strict, "containers that are not in the index are errors")->group(group);
}

void check_index_options(const IndexOptions& options, bool writes) {
  const std::size_t num_keys = options.secret.named.size() + (options.signing_key ? 1 : 0) + (options.public_key ? 1 : 0);
  const char* const other = writes ? "--index-signing-key" : "--index-public-key";
  if (options.path && num_keys != 1) {
    throw_usage(
        fmt::format("--index needs one of --index-key-file and {}: under none of them it proves nothing, since anyone "
                    "could have written it",
                    other));
  }
  if (options.signing_key && !options.digest) {
    throw_usage("--index-signing-key needs --index-digest: who verifies a signature may have no key that opens a container");
  }
  if (options.path) return;
  refuse_without_index(!options.secret.named.empty(), "--index-key-file");
  refuse_without_index(options.signing_key.has_value(), "--index-signing-key");
  refuse_without_index(options.public_key.has_value(), "--index-public-key");
  refuse_without_index(options.at_least != 0, "--at-least");
  refuse_without_index(options.digest, "--index-digest");
  refuse_without_index(options.forget, "--index-forget");
  refuse_without_index(options.strict, "--strict");
}

std::optional<NamedIndex> read_named_index(const IndexOptions& options, bool writes, ProtectedFiles& needed) {
  check_index_options(options, writes);
  if (!options.path) return std::nullopt;
  NamedIndex index;
  IndexKeyKind kind = IndexKeyKind::secret;
  if (options.signing_key) {
    kind = IndexKeyKind::signing;
    index.key = read_index_key(*options.signing_key, kind, options.secret, needed);
  } else if (options.public_key) {
    kind = IndexKeyKind::public_key;
    index.key = read_index_key(*options.public_key, kind, options.secret, needed);
  } else {
    add_secret_files(options.secret, needed);
    const SecretUse use = writes ? SecretUse::seals : SecretUse::opens;
    index.key = read_secret(options.secret, options.secret.named.front(), index_key_bytes, use);
  }
  index.options = {.path = *options.path, .key = {.kind = kind, .bytes = index.key}};
  index.options.digest = options.digest;
  index.options.at_least = options.at_least;
  index.options.forget = options.forget;
  return index;
}

void hold_index(const NamedIndex& named, std::optional<TreeIndexRun>& index, ProtectedFiles& needed, bool quiet) {
  index.emplace(named.options);
  index->add_to(needed);
  if (index->cut_bytes() == 0) return;
  print_note(fmt::format("{}: {} of a run that was killed were cut off", index->path(), count_bytes(index->cut_bytes())),
             quiet);
}

SecretBytes index_key_line(IndexKeyKind kind, Bytes key) {
  const std::string_view label = label_of(kind);
  const SecretBytes digits = hex_line_of_secret(key);
  SecretBytes line(label.size() + digits.size());
  std::ranges::copy(Bytes(digits), std::ranges::copy(label, line.begin()).out);
  return line;
}

void print_generation(const std::string& path, const IndexGeneration& generation) {
  const char* const containers = generation.num_containers == 1 ? "container" : "containers";
  print_result(plain_line(fmt::format("{}: generation {}, digest {}, {} {}", path, generation.number, generation.digest,
                                      generation.num_containers, containers)) +
               '\n');
}

void say_half_segment(const std::string& path, const IndexGeneration& generation, bool quiet) {
  if (generation.cut_bytes == 0) return;
  print_note(fmt::format("{}: behind generation {} are {} of a run that was killed: they count as not there", path,
                         generation.number, count_bytes(generation.cut_bytes)),
             quiet);
}

}  // namespace phalanx
