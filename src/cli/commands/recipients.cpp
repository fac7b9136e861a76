#include "cli/commands/recipients.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/console/lost_attributes.hpp"
#include "cli/console/messages.hpp"
#include "cli/console/progress_report.hpp"
#include "cli/options/container_options.hpp"
#include "cli/options/described_recipients.hpp"
#include "container/file/resume_record.hpp"
#include "container/file/stream_reader.hpp"
#include "files/file_descriptor.hpp"
#include "files/file_identity.hpp"
#include "files/input.hpp"
#include "files/named_place.hpp"
#include "files/output/atomic_file.hpp"
#include "files/output/file_copy.hpp"
#include "files/output/leftover_file.hpp"
#include "files/output/sibling_path.hpp"

namespace phalanx {
namespace {

struct RecipientChanges {
  std::string file;
  SecretSources secrets;
  SecretSources added;
  bool add_passphrase = false;
  std::set<std::size_t> removed;  // numbers from 1, as inspect shows them
  ScryptCost cost;
  std::uint64_t scrypt_budget_mib = default_scrypt_budget_mib;
  EngineOptions engine;
  MessageOptions messages;

  RecipientChanges() { added.prefix = "add-"; }
};

enum class RecipientAction : std::uint8_t { add, remove, replace };

// Each action is named, so that nobody removes by a slip: `replace` does both in one command.
void check_options(const RecipientChanges& changes, RecipientAction action) {
  const bool adds = !changes.added.named.empty() || changes.add_passphrase;
  if (action != RecipientAction::remove && !adds) {
    throw Error(ErrorCode::usage, "nobody is added: give --add-key-file, --add-passphrase-file or their like");
  }
  if (action != RecipientAction::add && changes.removed.empty()) {
    throw Error(ErrorCode::usage, "nobody is removed: give --remove N, the number that phalanx recipients list shows");
  }
}

std::vector<WrappedKey> kept_keys(const ContainerHeader& header, const std::set<std::size_t>& removed) {
  const std::size_t num_keys = header.wrapped_keys.size();
  if (!removed.empty() && *removed.rbegin() > num_keys) {
    throw Error(ErrorCode::usage,
                fmt::format("there is no recipient {}: phalanx recipients list shows all {}", *removed.rbegin(), num_keys));
  }
  std::vector<WrappedKey> kept;
  for (std::size_t i = 0; i < num_keys; ++i) {
    if (!removed.contains(i + 1)) kept.push_back(header.wrapped_keys[i]);
  }
  return kept;
}

RecipientSecrets read_added(const RecipientChanges& options, const Suite& suite) {
  RecipientSecrets added;
  if (!options.added.named.empty()) added = read_new_recipients(options.added, suite, options.cost);
  const SecretSources terminal{.prefix = options.added.prefix, .named = {}};
  if (options.add_passphrase) added.add(KeyKind::passphrase, read_passphrase(terminal, true), options.cost);
  return added;
}

ContainerHeader make_new_header(const RecipientChanges& options, const ContainerHeader& old, Bytes data_key) {
  std::vector<WrappedKey> wrapped_keys = kept_keys(old, options.removed);
  const RecipientSecrets added = read_added(options, *old.suite);
  for (const Recipient& recipient : added.recipients) wrapped_keys.push_back(wrap_data_key(*old.suite, recipient, data_key));
  if (wrapped_keys.empty()) {
    throw Error(ErrorCode::usage, "nobody could open the file any more: keep a recipient, or add one");
  }
  return make_header(*old.suite, std::move(wrapped_keys), data_key);
}

using Beginning = std::vector<std::uint8_t>;

Beginning beginning_of(int descriptor, const std::string& name) {
  constexpr std::size_t longest_header_bytes = header_start_bytes + 0xffff + header_mac_bytes;
  Beginning bytes(longest_header_bytes + message_prefix_bytes);
  bytes.resize(read_at(descriptor, bytes, 0, name));
  return bytes;
}

// The salt and the commitment behind a container's header: of one message alone. "" where it has none.
std::string prefix_in(const Beginning& beginning) {
  try {
    const std::size_t header_size = header_bytes(beginning);
    if (beginning.size() < header_size + message_prefix_bytes) return "";
    return {reinterpret_cast<const char*>(beginning.data()) + header_size, message_prefix_bytes};
  } catch (const Error&) {
    return "";
  }
}

// Zeros, since files have their size before their bytes, or a header, whole or cut short.
bool holds_no_chunk(const Beginning& beginning, std::uint64_t file_bytes) {
  if (file_bytes > beginning.size()) return false;
  if (std::ranges::all_of(beginning, [](std::uint8_t byte) { return byte == 0; })) return true;
  try {
    return file_bytes <= header_bytes(beginning) + message_prefix_bytes;
  } catch (const Error& error) {
    return error.code() == ErrorCode::truncated;
  }
}

// A killed change leaves FILE's message under another header, and loses nothing. Anything else may be worth going on with.
void refuse_partial_of_others(const Input& input, const std::string& path, const ProtectedFiles& needed) {
  const std::string partial = sibling_path(path, partial_suffix);
  const std::optional<LeftoverFile> left = open_leftover(partial, &needed);
  if (!left) return;
  const int descriptor = left->file.get();
  if (!lock_file(descriptor, partial)) throw Error(ErrorCode::usage, partial + " is in use: another run is writing it");
  const Beginning beginning = beginning_of(descriptor, partial);
  const std::string prefix = prefix_in(beginning);
  if (!prefix.empty() && prefix == prefix_in(beginning_of(input.descriptor(), input.name()))) return;
  const auto num_bytes = static_cast<std::uint64_t>(stamp_of(descriptor, partial).size);
  if (holds_no_chunk(beginning, num_bytes) && !identity_at(sibling_path(path, record_suffix))) return;
  throw Error(ErrorCode::usage,
              partial + " is what another command left: finish that, with --resume where it has it, or remove it");
}

// What is known of FILE only once nobody else changes its recipients.
void require_same_file(const Input& input, const std::string& path) {
  const FileStamp now = stamp_of(input.descriptor(), input.name());
  if (now == FileStamp(input.status()) && identity_at(path) == now.identity) return;
  throw Error(ErrorCode::usage, input.name() +
                                    " was changed by another program meanwhile: it is left as it is; give the "
                                    "command again");
}

void say_what_is_kept(const RecipientChanges& options, const Input& input) {
  if (options.removed.empty()) return;
  print_note("note: who was removed and has seen the file may have kept its data key; only encrypting anew shuts him out",
             options.messages.quiet);
  if (input.status().st_nlink < 2) return;
  print_note(
      fmt::format("warning: {} has other names (hard links: {}), which keep the old header: whoever was removed still opens "
                  "those",
                  input.name(), input.status().st_nlink - 1),
      options.messages.quiet);
}

// The lock on the partial file comes first; what is read then is what it protects.
void change_recipients(const RecipientChanges& options, RecipientAction action) {
  const ProgressStyle style = style_of(options.messages);
  check_options(options, action);
  ProtectedFiles needed;
  add_secret_files(options.secrets, needed);
  add_secret_files(options.added, needed);
  const std::string path = resolve_links(options.file);
  Input input = open_regular_file(path);
  needed.refuse(input.status(), input.name());
  needed.add(input.status(), "FILE");
  refuse_partial_of_others(input, path, needed);
  AtomicFile file(path, {.replace = true,
                         .replaced = FileIdentity(input.status()),
                         .needed = &needed,
                         .names = {.force = "the --force of the command that began it", .resume = "its --resume"}});
  require_same_file(input, path);
  const UnlockedContainer old = unlock_container(input, options.secrets, options.scrypt_budget_mib);
  const Suite& suite = *old.header.suite;
  const ChunkedCipher cipher =
      read_prefix(input, suite, old.data_key, body_context(suite), options.engine.library_options());
  SeekableMessage(input, cipher).authenticate_length();
  const ContainerHeader header = make_new_header(options, old.header, old.data_key);
  warn_of_readable_secrets(options.secrets, options.messages.quiet);
  warn_of_readable_secrets(options.added, options.messages.quiet);
  ProgressReport progress(style, input.remaining_bytes());
  file.append(header.bytes);
  file.append(cipher.prefix());
  copy_rest(input, file, progress);
  require_same_file(input, path);
  file.commit();
  progress.finish();
  say_lost_attributes(options.file, file.lost_attributes(), options.messages.quiet);
  say_what_is_kept(options, input);
}

void list_recipients(const std::string& file, bool json) {
  Input input(file);
  std::vector<std::uint8_t> beginning(max_header_bytes);
  beginning.resize(input.read(beginning));
  const std::vector<DescribedRecipient> recipients = describe_recipients(parse_header(beginning));
  std::string text;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DescribedRecipient& recipient : recipients) {
    text += recipient.text + "\n";
    list.push_back(recipient.json);
  }
  if (json) text = list.dump(2) + "\n";
  write_all(STDOUT_FILENO, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "standard output");
}

void add_new_recipients(CLI::App& command, RecipientChanges& changes) {
  add_secret_options(command, changes.added, changes.messages);
  command.add_flag("--add-passphrase", changes.add_passphrase, "a passphrase asked for on the terminal")
      ->group("New recipients");
  add_scrypt_option(command, changes.cost);
}

void add_removed_recipients(CLI::App& command, RecipientChanges& changes) {
  const auto remove = [&changes](const std::string& number) { changes.removed.insert(std::stoul(number)); };
  command
      .add_option_function<std::string>("--remove", remove,
                                        "the recipient with this number, as phalanx recipients list shows it")
      ->trigger_on_parse()
      ->transform(whole_number(1, 65535))
      ->type_name("N");
}

void add_action(CLI::App& parent, const char* name, const char* description, RecipientAction action, CommandRun& run) {
  CLI::App* command = parent.add_subcommand(name, description);
  const auto options = std::make_shared<RecipientChanges>();
  command->add_option("FILE", options->file, "the container: it is written anew beside itself, then replaced")
      ->type_name("")
      ->required();
  add_secret_options(*command, options->secrets, options->messages);
  if (action != RecipientAction::remove) add_new_recipients(*command, *options);
  if (action != RecipientAction::add) add_removed_recipients(*command, *options);
  add_scrypt_budget_option(*command, options->scrypt_budget_mib);
  add_engine_options(*command, options->engine);
  add_message_options(*command, options->messages);
  command->callback([options, action, &run] {
    run = [options, action](RunPlace*) {
      change_recipients(*options, action);
      return 0;
    };
  });
}

void add_list(CLI::App& parent, CommandRun& run) {
  CLI::App* command = parent.add_subcommand("list", "Show them, without a key");
  const auto file = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  command->add_option("FILE", *file, "the container; - for standard input")->type_name("")->required();
  command->add_flag("--json", *json, "as JSON");
  command->callback([file, json, &run] {
    run = [file, json](RunPlace*) {
      list_recipients(*file, *json);
      return 0;
    };
  });
}

}  // namespace

void add_recipients_command(CLI::App& program, CommandRun& run) {
  CLI::App* recipients = program.add_subcommand("recipients", "Who can open a container: add, remove, replace or list them");
  recipients->require_subcommand(1);
  add_action(*recipients, "add", "Let others open it too", RecipientAction::add, run);
  add_action(*recipients, "remove", "Remove some", RecipientAction::remove, run);
  add_action(*recipients, "replace", "Add some and remove some, at once", RecipientAction::replace, run);
  add_list(*recipients, run);
}

}  // namespace phalanx
