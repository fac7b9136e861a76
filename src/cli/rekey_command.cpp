#include "cli/rekey_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "cli/container_options.hpp"
#include "cli/messages.hpp"
#include "io/chunk.hpp"
#include "io/container_reading.hpp"
#include "io/input.hpp"
#include "io/output.hpp"

namespace phalanx {
namespace {

struct RekeyOptions {
  std::string file;
  SecretSources secrets;
  SecretSources added;
  bool add_passphrase = false;
  std::set<std::size_t> removed;  // numbers from 1, as inspect shows them
  ScryptCost cost;
  EngineOptions engine;
  MessageOptions messages;

  RekeyOptions() { added.prefix = "add-"; }
};

void check_options(const RekeyOptions& options) {
  if (!options.added.named.empty() || options.add_passphrase || !options.removed.empty()) return;
  throw Error(ErrorCode::usage,
              "there is nothing to do: give --add-key-file, --add-passphrase-file, --remove or their like");
}

std::vector<WrappedKey> kept_keys(const ContainerHeader& header, const std::set<std::size_t>& removed) {
  const std::size_t num_keys = header.wrapped_keys.size();
  if (!removed.empty() && *removed.rbegin() > num_keys) {
    throw Error(ErrorCode::usage,
                fmt::format("there is no recipient {}: phalanx inspect shows all {}", *removed.rbegin(), num_keys));
  }
  std::vector<WrappedKey> kept;
  for (std::size_t i = 0; i < num_keys; ++i) {
    if (!removed.contains(i + 1)) kept.push_back(header.wrapped_keys[i]);
  }
  return kept;
}

RecipientSecrets read_added(const RekeyOptions& options, const Suite& suite) {
  RecipientSecrets added;
  if (!options.added.named.empty()) added = read_new_recipients(options.added, suite, options.cost);
  const SecretSources terminal{.prefix = options.added.prefix, .named = {}};
  if (options.add_passphrase) added.add(Recipient::Kind::passphrase, read_passphrase(terminal, true), options.cost);
  return added;
}

ContainerHeader make_new_header(const RekeyOptions& options, const ContainerHeader& old, Bytes data_key) {
  std::vector<WrappedKey> wrapped_keys = kept_keys(old, options.removed);
  const RecipientSecrets added = read_added(options, *old.suite);
  for (const Recipient& recipient : added.recipients) wrapped_keys.push_back(wrap_data_key(*old.suite, recipient, data_key));
  if (wrapped_keys.empty()) {
    throw Error(ErrorCode::usage, "nobody could open the file any more: keep a recipient, or add one");
  }
  return make_header(*old.suite, std::move(wrapped_keys), data_key);
}

void copy_rest(Input& input, Output& output, Progress& progress) {
  std::vector<std::uint8_t> buffer(default_chunk_bytes);
  while (const std::size_t size = input.read(buffer)) {
    output.write(Bytes(buffer).first(size));
    progress.add(size);
  }
}

void run_rekey(const RekeyOptions& options) {
  const ProgressStyle style = parse_progress_style(options.messages.progress);
  check_options(options);
  Input input(options.file);
  if (!S_ISREG(input.status().st_mode))
    throw Error(ErrorCode::usage, input.name() + " is not a regular file: rekey works on those only");
  const UnlockedContainer old = unlock_container(input, options.secrets);
  const Suite& suite = *old.header.suite;
  const ChunkedCipher cipher =
      read_prefix(input, suite, old.data_key, body_context(suite), options.engine.library_options());
  SeekableMessage(input, cipher).authenticate_length();
  const ContainerHeader header = make_new_header(options, old.header, old.data_key);
  Output output(options.file, {.force = true});
  output.open();
  Progress progress(options.messages.quiet ? ProgressStyle::none : style, input.remaining_bytes());
  output.write(header.bytes);
  output.write(cipher.prefix());
  copy_rest(input, output, progress);
  output.commit();
  progress.finish();
  if (options.removed.empty()) return;
  print_note("note: who was removed and has seen the file may have kept its data key; only encrypting anew shuts him out",
             options.messages.quiet);
}

}  // namespace

void add_rekey_command(CLI::App& program, std::function<int()>& run) {
  CLI::App* command = program.add_subcommand("rekey", "Add recipients to a container, or remove them");
  const auto options = std::make_shared<RekeyOptions>();
  command->add_option("FILE", options->file, "the container: it is written anew beside itself, then replaced")
      ->type_name("")
      ->required();
  add_secret_options(*command, options->secrets);
  add_secret_options(*command, options->added);
  command->add_flag("--add-passphrase", options->add_passphrase, "a passphrase asked for on the terminal")
      ->group("New recipients");
  add_scrypt_option(*command, options->cost);
  const auto remove = [options](const std::string& number) { options->removed.insert(std::stoul(number)); };
  command->add_option_function<std::string>("--remove", remove, "remove the recipient with this number, as inspect shows it")
      ->trigger_on_parse()
      ->transform(whole_number(1, 65535))
      ->type_name("N");
  add_engine_options(*command, options->engine);
  add_message_options(*command, options->messages);
  command->callback([options, &run] {
    run = [options] {
      run_rekey(*options);
      return 0;
    };
  });
}

}  // namespace phalanx
