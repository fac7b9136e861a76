#include "program/cli/commands/recipients.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <phalanx/files/recipients.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "files/container/format/recipient.hpp"
#include "files/container/recipients/header_change.hpp"
#include "files/system/input.hpp"
#include "program/cli/commands/recipients_list.hpp"
#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/lost_attributes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/options/binding_options.hpp"
#include "program/cli/options/container_options.hpp"
#include "program/cli/options/index_options.hpp"
#include "program/cli/options/tree_report.hpp"
#include "program/cli/secrets/secret_files.hpp"

namespace phalanx {
namespace {

struct GivenChanges {
  std::vector<std::string> files;
  bool each = false;
  SecretSources secrets;
  SecretSources added;
  bool add_passphrase = false;
  std::set<std::size_t> removed;  // by their numbers from 1, as inspect shows them
  SecretSources removed_by;
  bool remove_others = false;  // remove all that no given secret opens
  bool yes = false;
  ScryptCost cost;
  std::uint64_t scrypt_budget_mib = default_scrypt_budget_mib;
  BindingOptions binding;
  IndexOptions index;
  RequestedEngine engine;
  MessageOptions messages;

  GivenChanges() {
    added.prefix = "add-";
    removed_by.prefix = "remove-";
  }
};

enum class RecipientAction : std::uint8_t { add, remove, replace };

// Each action is named, so that nobody removes by a slip: `replace` does both in one command.
void check_options(const GivenChanges& changes, RecipientAction action) {
  const bool adds = !changes.added.named.empty() || changes.add_passphrase;
  if (action != RecipientAction::remove && !adds) {
    throw Error(ErrorCode::usage,
                "nobody is added: give --add-key-file, --add-passphrase-file, --add-recipient or their like");
  }
  const bool removes = !changes.removed.empty() || !changes.removed_by.named.empty() || changes.remove_others;
  if (action != RecipientAction::add && !removes) {
    throw Error(ErrorCode::usage,
                "nobody is removed: give --remove-key-file or its like, --remove-others, or --remove N, the number that "
                "phalanx recipients list shows");
  }
  if (changes.remove_others && !changes.yes) {
    throw Error(
        ErrorCode::usage,
        "--remove-others takes away everybody whom none of the given secrets is, also those whose secrets are merely "
        "elsewhere: look at phalanx recipients list, and give --yes too");
  }
  if (changes.each && !changes.removed.empty()) {
    throw Error(ErrorCode::usage,
                "--remove N names another recipient in each file: with --each give --remove-key-file, or --remove-others");
  }
  if (changes.each) refuse_name_of_tree(changes.binding);
  if (changes.index.path && !changes.each)
    throw Error(ErrorCode::usage, "--index goes with --each FOLDER: its index has all containers of the folder");
  check_index_options(changes.index, true);
  if (!changes.each && changes.files.size() > 1) {
    throw Error(ErrorCode::usage, "too many arguments: give one FILE, or --each for several");
  }
}

// Holds the secrets for one length of key. They are kept, since a descriptor gives a secret once only.
struct ChangedSecrets {
  RecipientSecrets added, removed;
};

class SecretsToChange {
 public:
  explicit SecretsToChange(const GivenChanges& options) : options_(options) {}

  const ChangedSecrets& of(const Suite& suite) {
    const auto [place, is_new] = by_key_bytes_.try_emplace(suite.key_bytes);
    if (is_new) read(suite, place->second);
    return place->second;
  }

  [[nodiscard]] std::string name_of_added(std::size_t index) const {
    return by_key_bytes_.begin()->second.added.names.at(index);
  }

 private:
  void read(const Suite& suite, ChangedSecrets& secrets) const {
    if (!options_.added.named.empty()) {
      secrets.added = read_new_recipients(options_.added, suite, options_.cost, options_.each);
    }
    const SecretSources terminal{.prefix = options_.added.prefix, .named = {}};
    if (options_.add_passphrase) {
      secrets.added.add(KeyKind::passphrase, read_passphrase(terminal, true), options_.cost);
      secrets.added.names.emplace_back("the passphrase");
    }
    for (const SecretSource& source : options_.removed_by.named) {
      if (source.is_identity()) {
        secrets.removed.identities.add(options_.removed_by, source);
        continue;
      }
      secrets.removed.add(source.key_kind(), read_secret(options_.removed_by, source, suite.key_bytes, SecretUse::opens));
    }
  }

  const GivenChanges& options_;
  std::map<std::size_t, ChangedSecrets> by_key_bytes_;
};

void say_what_is_kept(const GivenChanges& options, const std::string& name, const ChangedRecipients& changed) {
  if (options.removed.empty() && options.removed_by.named.empty() && !options.remove_others) return;
  print_note(
      "note: who was removed and has seen the file, or has a copy of it, may have kept its data key; only encrypting "
      "anew shuts him out",
      options.messages.quiet);
  if (changed.num_other_names == 0) return;
  print_note(
      fmt::format("warning: {} has other names (hard links: {}), which keep the old header: whoever was removed still opens "
                  "those",
                  name, changed.num_other_names),
      options.messages.quiet);
}

// This is one run over one file or many.
class RecipientsRun {
 public:
  // `index` may be nullptr.
  RecipientsRun(const GivenChanges& options, ProtectedFiles& needed, TreeIndexRun* index)
      : options_(options),
        needed_(needed),
        index_(index),
        given_(options.binding),
        unlocker_(options.secrets, options.scrypt_budget_mib, given_.binding()),
        secrets_(options) {}

  // Changes the container that is called `name`, and returns what was done. The index has it as `indexed`.
  ChangedRecipients change(const std::string& file, const std::string& name, const std::string& indexed,
                           Progress& progress) {
    ProtectedFiles needed(&needed_);
    HeaderChange change(file, needed,
                        {.list = "phalanx recipients list",
                         .resume = "--resume",
                         .output = {.force = "the --force of the command that began it", .resume = "its --resume"}});
    change.unlock(opening(name), options_.engine.library_options());
    const bool is_indexed = index_ != nullptr && index_->admit_opened(indexed, change.facts());
    if (index_ != nullptr && !is_indexed) ++num_not_indexed_;
    const ChangedSecrets& secrets = secrets_.of(change.suite());
    const CostLimits limits{.all_passphrases = options_.scrypt_budget_mib << 20};
    RecipientChanges changes{.added = secrets.added.recipients,
                             .removed = {options_.removed.begin(), options_.removed.end()},
                             .removed_by = identities_of(secrets.removed.recipients)};
    const std::vector<Identity>& removed = secrets.removed.identities.list();
    changes.removed_by.insert(changes.removed_by.end(), removed.begin(), removed.end());
    // In a run over many files, an earlier run may have removed some already. So a secret that opens nothing there any more
    // is no mistake.
    if (options_.each) {
      changes.removed = recipients_opened_by(change.header(), changes.removed_by, limits);
    } else {
      const std::set<std::size_t> numbers = removed_numbers(change.header(), changes, limits);
      changes.removed.assign(numbers.begin(), numbers.end());
    }
    changes.removed_by.clear();  // a passphrase is derived once
    if (options_.remove_others) add_others(change.header(), limits, changes.removed);
    if (!options_.yes) refuse_to_lock_out(change.header(), changes, limits);
    ChangedRecipients changed = apply(change, changes, limits, progress);
    if (is_indexed) index_->put(indexed, change.facts());
    say_lost_attributes(file, changed.lost_attributes, options_.messages.quiet);
    return changed;
  }

  // Returns the number of containers that the index does not have, since others made them, or runs without the index.
  [[nodiscard]] std::uint64_t num_not_indexed() const { return num_not_indexed_; }

  void expect(std::vector<std::string> paths) { unlocker_.expect(std::move(paths)); }
  void name_input(const std::string& file) { unlocker_.name_input(file); }

  void say_who_was_there(const std::string& file, const ChangedRecipients& changed) const {
    for (const std::size_t index : changed.already) {
      print_note(fmt::format("{}: {} can open it already, and is not added once more", file, secrets_.name_of_added(index)),
                 options_.messages.quiet);
    }
  }

 private:
  // Adds the numbers of those whom no given secret is.
  void add_others(const ContainerHeader& header, const CostLimits& limits, std::vector<std::size_t>& removed) {
    const std::vector<std::size_t> own = recipients_opened_by(header, unlocker_.identities_for(header), limits);
    for (std::size_t number = 1; number <= header.wrapped_keys.size(); ++number) {
      const bool is_there = std::ranges::find(removed, number) != removed.end();
      if (!is_there && std::ranges::find(own, number) == own.end()) removed.push_back(number);
    }
  }

  // Refuses a change after which no given secret opens the container, since those who stay may be out of reach.
  void refuse_to_lock_out(const ContainerHeader& header, const RecipientChanges& changes, const CostLimits& limits) {
    const std::set<std::size_t> removed(changes.removed.begin(), changes.removed.end());
    if (removed.empty() || !identities_of(changes.added).empty()) return;  // a key or a passphrase that is given, and stays
    const bool nobody_stays = changes.added.empty() && removed.size() >= header.wrapped_keys.size();
    if (nobody_stays) return;  // which is refused with --yes, too
    const std::vector<std::size_t> own = recipients_opened_by(header, unlocker_.identities_for(header), limits);
    if (own.empty() || !std::includes(removed.begin(), removed.end(), own.begin(), own.end())) return;
    throw Error(ErrorCode::usage,
                fmt::format("recipient {} is you, and none of the given secrets would open the container any more: give a "
                            "secret of one who stays, too, or --yes",
                            own.front()));
  }

  // A run that was stopped may have added the new recipients and removed the others. So the new secrets open a container,
  // too.
  HeaderOpening opening(const std::string& name) {
    HeaderOpening opening = unlocker_.opening(name);
    if (!options_.each) return opening;
    const auto by_given = opening.open;
    opening.open = [this, by_given, binding = placed_at(given_.binding(), name)](const ContainerHeader& header) {
      try {
        return by_given(header);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::wrong_key) throw;
        const ChangedSecrets& secrets = secrets_.of(*header.suite);
        if (identities_of(secrets.added.recipients).empty()) throw;
        return open_header(header, identities_of(secrets.added.recipients),
                           {.all_passphrases = options_.scrypt_budget_mib << 20}, binding, binding_option_names)
            .data_key;
      }
    };
    return opening;
  }

  const GivenChanges& options_;
  ProtectedFiles& needed_;
  TreeIndexRun* index_;
  std::uint64_t num_not_indexed_ = 0;
  GivenBinding given_;
  ContainerUnlocker unlocker_;
  SecretsToChange secrets_;
};

// Appends what was done to the index, even where some of the containers failed: those keep their entries. Returns the exit
// code.
int finish_index(TreeIndexRun& index, std::uint64_t num_not_indexed, int exit_code, bool quiet) {
  const IndexGeneration generation = index.finish();
  const std::uint64_t num_doubtful = say_strange_headers(index, generation, quiet);
  if (num_not_indexed != 0) {
    print_note(fmt::format("{}: not in it, and not taken in: {} of the containers; encrypt --each --index does that",
                           index.path(), num_not_indexed),
               quiet);
  }
  print_generation(index.path(), generation);
  return exit_code_with_doubts(exit_code, num_doubtful, false);
}

int change_each(const GivenChanges& options, ProtectedFiles& needed) {
  const ProgressStyle style = style_of(options.messages);
  const std::optional<NamedIndex> named = read_named_index(options.index, true);
  std::optional<TreeIndexRun> index;
  if (named) hold_index(*named, index, needed, options.messages.quiet);
  const TreeListing files(options.files, needed);
  if (index && !files.is_one_folder())
    throw Error(ErrorCode::usage, "--index is of one folder: name that, and nothing else");
  RecipientsRun run(options, needed, index ? &*index : nullptr);
  run.expect(files.paths());
  ProgressReport progress(style, std::nullopt);
  ChangedRecipients any;
  const auto work = [&](Input& input, const ListedFile& file) -> std::string {
    if (!is_meant_as_container(input, file)) return no_container;
    const ChangedRecipients changed = run.change(file.path, container_name_of(file), file.name, progress);
    any.num_other_names += changed.num_other_names;
    return changed.num_changes == 0 ? "done before" : "";
  };
  TreeReport report("changed", options.messages, true);
  const int exit_code = report_tree(files, work, report, {});
  progress.finish();
  say_what_is_kept(options, "one of the files", any);
  return index ? finish_index(*index, run.num_not_indexed(), exit_code, options.messages.quiet) : exit_code;
}

int change_one(const GivenChanges& options, ProtectedFiles& needed) {
  const ProgressStyle style = style_of(options.messages);
  const std::string& file = options.files.front();
  RecipientsRun run(options, needed, nullptr);
  run.name_input(file);
  ProgressReport progress(style, std::nullopt);
  const ChangedRecipients changed = run.change(file, name_of_container(own_name_of(file)), "", progress);
  progress.finish();
  run.say_who_was_there(file, changed);
  say_what_is_kept(options, file, changed);
  return 0;
}

int run_change(const GivenChanges& options, RecipientAction action) {
  check_options(options, action);
  ProtectedFiles needed;
  for (const SecretSources* sources : {&options.secrets, &options.added, &options.removed_by}) {
    add_secret_files(*sources, needed);
  }
  add_secret_files(options.index.key, needed);
  return options.each ? change_each(options, needed) : change_one(options, needed);
}

void add_new_recipients(CLI::App& command, GivenChanges& changes) {
  add_secret_options(command, changes.added, changes.messages);
  add_public_key_options(command, changes.added);
  mark_common(
      command.add_flag("--add-passphrase", changes.add_passphrase, "a passphrase, which is asked for on the terminal")
          ->group("New recipients"));
  add_scrypt_option(command, changes.cost);
}

void add_removed_recipients(CLI::App& command, GivenChanges& changes) {
  const auto remove = [&changes](const std::string& number) { changes.removed.insert(std::stoul(number)); };
  mark_common(command
                  .add_option_function<std::string>("--remove", remove,
                                                    "the recipient with this number, as phalanx recipients list shows it")
                  ->trigger_on_parse()
                  ->transform(whole_number(1, 65535))
                  ->type_name("N"));
  mark_common(
      command.add_flag("--remove-others", changes.remove_others, "everybody whom none of the given secrets is; with --yes"));
  command.add_flag("--yes", changes.yes, "with --remove-others, or to remove oneself: it is meant");
  add_secret_options(command, changes.removed_by, changes.messages);
  add_identity_option(command, changes.removed_by);
}

struct ActionWords {
  const char* name;
  const char* description;
  const char* examples;
};
constexpr ActionWords add_words{"add", "Let others open a container too",
                                "phalanx recipients add --key-file key --add-passphrase-file pass notes.phalanx\n"
                                "phalanx recipients add --each --key-file key --add-key-file new.key photos.sealed"};
constexpr ActionWords remove_words{
    "remove", "Take recipients away from a container",
    "phalanx recipients remove --key-file key --remove 2 notes.phalanx\n"
    "phalanx recipients remove --each --key-file key --remove-key-file old.key photos.sealed"};
constexpr ActionWords replace_words{
    "replace", "Add recipients and remove others, at once",
    "phalanx recipients replace --key-file key --remove 2 --add-passphrase-file pass notes.phalanx\n"
    "phalanx recipients replace --each --key-file key --remove-key-file old.key \\\n"
    "  --add-key-file new.key photos.sealed"};
CLI::App* add_command(CLI::App& parent, const ActionWords& words) {
  CLI::App* command = parent.add_subcommand(words.name, words.description);
  set_examples(*command, words.examples);
  return command;
}

void add_action(CLI::App& parent, const ActionWords& words, RecipientAction action, CommandRun& run) {
  CLI::App* command = add_command(parent, words);
  const auto options = std::make_shared<GivenChanges>();
  command->add_option("FILE", options->files, "the container; with --each: containers, and folders of them")
      ->type_name("")
      ->required();
  mark_common(
      command->add_flag("--each", options->each, "change each named container, and all containers of each named folder"));
  add_secret_options(*command, options->secrets, options->messages);
  add_identity_option(*command, options->secrets);
  if (action != RecipientAction::remove) add_new_recipients(*command, *options);
  if (action != RecipientAction::add) add_removed_recipients(*command, *options);
  add_scrypt_budget_option(*command, options->scrypt_budget_mib);
  add_opening_bindings(*command, options->binding);
  add_index_changing_options(*command, options->index, options->messages);
  add_engine_options(*command, options->engine);
  add_message_options(*command, options->messages);
  command->callback([options, action, &run] {
    options->index.digest = options->index.path.has_value();  // bodies stay as they are, and keep their digests
    run = [options, action](RunExecutor*) { return run_change(*options, action); };
  });
}

}  // namespace

void add_recipients_command(CLI::App& program, CommandRun& run, std::string_view action) {
  CLI::App* recipients = program.add_subcommand("recipients", "Add, remove, replace or list those who can open a container");
  set_examples(*recipients,
               "phalanx recipients list notes.phalanx\n"
               "phalanx recipients add --key-file key --add-passphrase-file pass notes.phalanx");
  recipients->require_subcommand(1);
  const std::string_view actions[] = {"add", "remove", "replace", "list"};
  const bool one_is_enough = std::ranges::find(actions, action) != std::end(actions);
  const auto is_needed = [&](std::string_view name) { return !one_is_enough || name == action; };
  if (is_needed("add")) add_action(*recipients, add_words, RecipientAction::add, run);
  if (is_needed("remove")) add_action(*recipients, remove_words, RecipientAction::remove, run);
  if (is_needed("replace")) add_action(*recipients, replace_words, RecipientAction::replace, run);
  if (is_needed("list")) add_recipients_list(*recipients, run);
}

}  // namespace phalanx
