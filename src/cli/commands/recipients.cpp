#include "cli/commands/recipients.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <phalanx/recipients.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/console/lost_attributes.hpp"
#include "cli/console/messages.hpp"
#include "cli/console/progress_report.hpp"
#include "cli/options/container_options.hpp"
#include "cli/options/described_recipients.hpp"
#include "container/file/header_change.hpp"
#include "files/file_descriptor.hpp"
#include "files/input.hpp"

namespace phalanx {
namespace {

struct GivenChanges {
  std::string file;
  SecretSources secrets;
  SecretSources added;
  bool add_passphrase = false;
  std::set<std::size_t> removed;  // numbers from 1, as inspect shows them
  ScryptCost cost;
  std::uint64_t scrypt_budget_mib = default_scrypt_budget_mib;
  EngineOptions engine;
  MessageOptions messages;

  GivenChanges() { added.prefix = "add-"; }
};

enum class RecipientAction : std::uint8_t { add, remove, replace };

// Each action is named, so that nobody removes by a slip: `replace` does both in one command.
void check_options(const GivenChanges& changes, RecipientAction action) {
  const bool adds = !changes.added.named.empty() || changes.add_passphrase;
  if (action != RecipientAction::remove && !adds) {
    throw Error(ErrorCode::usage, "nobody is added: give --add-key-file, --add-passphrase-file or their like");
  }
  if (action != RecipientAction::add && changes.removed.empty()) {
    throw Error(ErrorCode::usage, "nobody is removed: give --remove N, the number that phalanx recipients list shows");
  }
}

RecipientSecrets read_added(const GivenChanges& options, const Suite& suite) {
  RecipientSecrets added;
  if (!options.added.named.empty()) added = read_new_recipients(options.added, suite, options.cost);
  const SecretSources terminal{.prefix = options.added.prefix, .named = {}};
  if (options.add_passphrase) added.add(KeyKind::passphrase, read_passphrase(terminal, true), options.cost);
  return added;
}

void say_what_is_kept(const GivenChanges& options, const std::string& name, const ChangedRecipients& changed) {
  if (options.removed.empty()) return;
  print_note("note: who was removed and has seen the file may have kept its data key; only encrypting anew shuts him out",
             options.messages.quiet);
  if (changed.num_other_names == 0) return;
  print_note(
      fmt::format("warning: {} has other names (hard links: {}), which keep the old header: whoever was removed still opens "
                  "those",
                  name, changed.num_other_names),
      options.messages.quiet);
}

void run_change(const GivenChanges& options, RecipientAction action) {
  const ProgressStyle style = style_of(options.messages);
  check_options(options, action);
  ProtectedFiles needed;
  add_secret_files(options.secrets, needed);
  add_secret_files(options.added, needed);
  HeaderChange change(options.file, needed,
                      {.list = "phalanx recipients list",
                       .resume = "--resume",
                       .output = {.force = "the --force of the command that began it", .resume = "its --resume"}});
  change.unlock(unlock_container(change.input(), options.secrets, options.scrypt_budget_mib),
                options.engine.library_options());
  change.remove(options.removed);
  change.add(read_added(options, change.suite()).recipients);
  warn_of_readable_secrets(options.secrets, options.messages.quiet);
  warn_of_readable_secrets(options.added, options.messages.quiet);
  ProgressReport progress(style, change.chunks_bytes());
  const ChangedRecipients changed = change.write(progress);
  progress.finish();
  say_lost_attributes(options.file, changed.lost_attributes, options.messages.quiet);
  say_what_is_kept(options, change.input().name(), changed);
}

void run_list(const std::string& file, bool json) {
  Input input(file);
  std::vector<std::uint8_t> beginning(max_header_bytes);
  beginning.resize(input.read(beginning));
  const std::vector<DescribedRecipient> recipients = describe_recipients(list_recipients(beginning));
  std::string text;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DescribedRecipient& recipient : recipients) {
    text += recipient.text + "\n";
    list.push_back(recipient.json);
  }
  if (json) text = list.dump(2) + "\n";
  write_all(STDOUT_FILENO, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "standard output");
}

void add_new_recipients(CLI::App& command, GivenChanges& changes) {
  add_secret_options(command, changes.added, changes.messages);
  command.add_flag("--add-passphrase", changes.add_passphrase, "a passphrase asked for on the terminal")
      ->group("New recipients");
  add_scrypt_option(command, changes.cost);
}

void add_removed_recipients(CLI::App& command, GivenChanges& changes) {
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
  const auto options = std::make_shared<GivenChanges>();
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
      run_change(*options, action);
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
      run_list(*file, *json);
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
