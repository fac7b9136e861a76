#include "program/cli/options/index_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>
#include <string_view>

#include "engine/text/characters.hpp"
#include "engine/text/counted.hpp"
#include "engine/text/hex.hpp"
#include "engine/text/utf8.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/secrets/source_names.hpp"

namespace phalanx {
namespace {

constexpr const char* group = "The index of the folder";
constexpr const char* signing_key_description = "the key that signs the index, of `keygen --index-keys`";
constexpr std::string_view signing_label = "phalanx-index-signing-key-1 ", public_label = "phalanx-index-public-key-1 ";

std::string_view label_of(IndexKeyKind kind) { return kind == IndexKeyKind::signing ? signing_label : public_label; }

void add_key(CLI::App& command, IndexOptions& options, SecretKind kind, const char* name, const char* description) {
  const auto keep = [&options, kind](const std::string& path) { options.key.named.emplace_back(kind, path); };
  command.add_option_function<std::string>(name, keep, description)->type_name("FILE")->group(group);
}

void add_both(CLI::App& command, IndexOptions& options, const MessageOptions& messages, const char* description) {
  options.key.warn = [&messages](const std::string& warning) { print_note(warning, messages.quiet); };
  options.key.prefix = "index-";
  options.key.how_to_take_raw = "phalanx keygen makes one";
  command.add_option("--index", options.path, description)->type_name("FILE")->group(group);
  add_key(command, options, SecretKind::key_file, "--index-key-file",
          "the key of the index: 32 bytes, or their hex digits and a newline");
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

bool names(const IndexOptions& options, SecretKind kind) {
  return std::ranges::any_of(options.key.named, [&](const SecretSource& source) { return source.kind == kind; });
}

IndexKeyKind kind_of(const SecretSource& source) {
  if (source.kind == SecretKind::signing_key_file) return IndexKeyKind::signing;
  return source.kind == SecretKind::public_key_file ? IndexKeyKind::public_key : IndexKeyKind::secret;
}

// Reads a line as index_key_line makes it, alone in the file. A file that holds none gets that error alone, without a
// warning before it.
SecretBytes read_labelled_key(const SecretSources& sources, const SecretSource& source) {
  const IndexKeyKind kind = kind_of(source);
  std::string warning;
  SecretSources held_back = sources;
  held_back.warn = [&](const std::string& said) { warning = said; };
  const SecretBytes text = read_text_file(held_back, source);
  std::string_view line(reinterpret_cast<const char*>(text.data()), text.size());
  if (line.ends_with('\n')) line.remove_suffix(1);
  const std::string_view label = label_of(kind);
  if (!line.starts_with(label) || line.size() != label.size() + 2 * index_key_bytes) {
    throw_usage(message_name_of(sources, source) + " holds no " +
                (kind == IndexKeyKind::signing ? "key that signs an index" : "public key of an index") +
                ": give one that phalanx keygen --index-keys has made");
  }
  SecretBytes key(index_key_bytes);
  decode_hex(line.substr(label.size()), name_of(sources, source), key);
  if (!warning.empty()) sources.warn(warning);
  return key;
}

}  // namespace

void add_index_writing_options(CLI::App& command, IndexOptions& options, const MessageOptions& messages) {
  add_both(command, options, messages, "append to FILE which containers the folder has now, authenticated");
  add_key(command, options, SecretKind::signing_key_file, "--index-signing-key", signing_key_description);
  command.add_flag("--index-digest", options.digest, "put the SHA-256 of each container into the index; needed to sign it")
      ->group(group);
  command.add_flag("--index-forget", options.forget, "take containers out of the index that are not there any more")
      ->group(group);
}

// There is no --index-digest here. Bodies stay as they are, so that each keeps its digest in the index.
void add_index_changing_options(CLI::App& command, IndexOptions& options, const MessageOptions& messages) {
  add_both(command, options, messages, "with --each FOLDER: append the new headers to FILE, the folder's index");
  add_key(command, options, SecretKind::signing_key_file, "--index-signing-key", signing_key_description);
}

void add_index_reading_options(CLI::App& command, IndexOptions& options, const MessageOptions& messages) {
  add_both(command, options, messages,
           "compare a folder with its index: what was swapped, renamed, removed, put back or added");
  mark_common(command.get_option("--index"));
  mark_common(command.get_option("--index-key-file"));
  add_key(command, options, SecretKind::public_key_file, "--index-public-key",
          "the public key of the one that signs the index");
  command
      .add_flag("--strict", options.strict,
                "containers that are not in the index, and headers that were changed, are errors")
      ->group(group);
}

void check_index_options(const IndexOptions& options, bool writes) {
  const char* const other = writes ? "--index-signing-key" : "--index-public-key";
  if (options.path && options.key.named.size() != 1) {
    throw_usage(
        fmt::format("--index needs one of --index-key-file and {}: under none of them it proves nothing, since anyone "
                    "could have written it",
                    other));
  }
  if (options.path && names(options, SecretKind::signing_key_file) && !options.digest) {
    throw_usage("--index-signing-key needs --index-digest: who verifies a signature may have no key that opens a container");
  }
  if (options.path) return;
  refuse_without_index(names(options, SecretKind::key_file), "--index-key-file");
  refuse_without_index(names(options, SecretKind::signing_key_file), "--index-signing-key");
  refuse_without_index(names(options, SecretKind::public_key_file), "--index-public-key");
  refuse_without_index(options.at_least != 0, "--at-least");
  refuse_without_index(options.digest, "--index-digest");
  refuse_without_index(options.forget, "--index-forget");
  refuse_without_index(options.strict, "--strict");
}

std::optional<NamedIndex> read_named_index(const IndexOptions& options, bool writes) {
  if (!options.path) return std::nullopt;
  const SecretSource& source = options.key.named.front();
  const IndexKeyKind kind = kind_of(source);
  const SecretUse use = writes ? SecretUse::seals : SecretUse::opens;
  NamedIndex index;
  index.key = kind == IndexKeyKind::secret ? read_secret(options.key, source, index_key_bytes, use)
                                           : read_labelled_key(options.key, source);
  index.options = {.path = *options.path, .key = {.kind = kind, .bytes = index.key}};
  index.options.digest = options.digest;
  index.options.at_least = options.at_least;
  index.options.forget = options.forget;
  return index;
}

SecretBytes read_index_signing_key(const std::string& path) {
  IndexOptions options;
  options.key.warn = [](const std::string&) {};
  return read_labelled_key(options.key, SecretSource(SecretKind::signing_key_file, path));
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

void say_no_headers(const std::string& path, const IndexGeneration& generation, bool quiet) {
  if (generation.num_without_header == 0) return;
  print_note(fmt::format("{}: it says nothing of {} headers, which are of before version 2: encrypt --update=content or "
                         "recipients --each takes them in",
                         path, generation.num_without_header),
             quiet);
}

std::uint64_t say_strange_headers(const TreeIndexRun& index, const IndexGeneration& generation, bool quiet) {
  const TreeIndexRun::StrangeHeaders headers = index.strange_headers();
  for (const std::string& name : headers.taken) {
    print_error(name + ": its header was changed without the index: it opened, and is in the index from now on");
  }
  for (const std::string& name : headers.older) {
    print_error(name + ": a header of an earlier generation was put back: who was removed since may have opened it");
  }
  say_no_headers(index.path(), generation, quiet);
  return headers.taken.size() + headers.older.size();
}

void say_half_segment(const std::string& path, const IndexGeneration& generation, bool quiet) {
  if (generation.cut_bytes == 0) return;
  print_note(fmt::format("{}: behind generation {} are {} of a run that was killed: they count as not there", path,
                         generation.number, count_bytes(generation.cut_bytes)),
             quiet);
}

}  // namespace phalanx
