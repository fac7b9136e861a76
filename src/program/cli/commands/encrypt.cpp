#include "program/cli/commands/encrypt.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "files/container/file/file_sealing.hpp"
#include "files/container/results/result_parts.hpp"
#include "files/container/trees/tree_sealing.hpp"
#include "files/system/input.hpp"
#include "files/system/output/half_done.hpp"
#include "files/system/output/output.hpp"
#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/lost_attributes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/engine/calibration_file.hpp"
#include "program/cli/options/bare_message.hpp"
#include "program/cli/options/changing_input.hpp"
#include "program/cli/options/cipher_arguments.hpp"
#include "program/cli/options/container_options.hpp"
#include "program/cli/options/engine_choice.hpp"
#include "program/cli/options/index_options.hpp"
#include "program/cli/options/scrypt_sum.hpp"
#include "program/cli/options/tree_options.hpp"
#include "program/cli/options/tree_report.hpp"
#include "program/cli/secrets/secret_files.hpp"

namespace phalanx {
namespace {

struct EncryptOptions {
  std::string in, out;
  EachOptions each;
  TreeOptions tree;
  IndexOptions index;
  ContainerOptions container;
  BareOptions bare;
  BindingOptions binding;
  bool resume = false;
  RequestedEngine engine;
  MessageOptions messages;
};

void say_what_was_found(const ContainerFileWriter& writer, const Output& output, bool quiet) {
  const std::string& partial = output.file()->partial_path();
  if (writer.is_lost()) {
    print_note(partial + unread_from_disk + ": began afresh, under new keys, in a new file", quiet);
  } else if (writer.started_over()) {
    print_note(partial + " holds nothing sealed yet: began afresh, under new keys", quiet);
  } else if (output.file()->found_bytes() != 0) {
    print_note(fmt::format("{} and its record hold {} bytes of plaintext that are done: comparing them, then going on",
                           partial, writer.resumed_bytes()),
               quiet);
    say_unless_from_disk(partial, output.file()->found_source(), quiet);
  }
}

// The secrets stay where the job refers to them.
struct PreparedJob {
  ContainerJob job;
  RecipientSecrets recipients;
  SecretBytes bare_key;
  FoundCalibration calibration;  // which is in use from then on
  bool can_open = false;         // this run can open what it seals
};

PreparedJob prepare_job(const EncryptOptions& options, const Suite& suite, const Binding& binding) {
  PreparedJob prepared{
      .job =
          {.suite = &suite, .recipients = {}, .bare = options.bare.bare, .bare_key = {}, .bare_context = {}, .options = {}},
      .recipients = {},
      .bare_key = {},
      .calibration = use_calibration(),
      .can_open = false};
  prepared.job.options = options.engine.library_options();
  if (options.bare.bare) {
    prepared.bare_key = read_key(options.container.secrets, suite.key_bytes, SecretUse::seals);
    prepared.job.bare_key = prepared.bare_key;
    prepared.job.bare_context = binding.context;
  } else {
    prepared.job.binding = binding;
    prepared.job.binding_names = binding_option_names;
    prepared.recipients = read_new_recipients(options.container.secrets, suite, options.container.cost, options.each.each);
    prepared.job.recipients = prepared.recipients.recipients;
    prepared.job.identities = prepared.recipients.identities.list();
  }
  prepared.can_open = can_open(prepared.job);
  return prepared;
}

void say_engine(const ContainerFileWriter& writer, const PreparedJob& prepared) {
  const Suite& suite = *prepared.job.suite;
  print_note(fmt::format("{} runs on {}", suite.cipher, writer.engine()), false);
  const std::string crossover = describe_crossover(writer.engine(), *aead_of(suite).cipher, prepared.calibration);
  if (!crossover.empty()) print_note(crossover, false);
}

// Returns what is said of each file. The job stays the caller's.
FileSealing sealing_of(const EncryptOptions& options, const PreparedJob& prepared) {
  const bool quiet = options.messages.quiet;
  FileSealing sealing{.verify = options.tree.sealing.verify, .without_verifying = "leave --verify out"};
  sealing.on_begun = [&options, &prepared](const ContainerFileWriter& writer) {
    if (options.messages.verbose) say_engine(writer, prepared);
  };
  sealing.on_input_change = [quiet](const std::string& what) { say_what_changed(what, quiet); };
  return sealing;
}

void encrypt_to(const EncryptOptions& options, const PreparedJob& prepared, InputWatch& watch, Output& output,
                Progress& progress) {
  const bool quiet = options.messages.quiet;
  FileSealing sealing = sealing_of(options, prepared);
  const auto say_begun = sealing.on_begun;
  sealing.on_begun = [&](const ContainerFileWriter& writer) {
    if (options.resume) say_what_was_found(writer, output, quiet);
    say_begun(writer);
  };
  sealing.on_left_out = [&](std::uint64_t num_bytes) {
    print_note(fmt::format("{} has {} bytes more than when OUT was begun and its length was settled: they are not in OUT",
                           watch.input().name(), num_bytes),
               quiet);
  };
  sealing.on_written = [&](const ContainerFileWriter& writer) {
    if (options.tree.sealing.verify) say_unless_from_disk(output.name(), writer.read_back_source(), quiet);
  };
  seal_input(prepared.job, sealing, watch, output, progress);
  say_lost_attributes(output, quiet);
}

void say_what_was_untried(const EncryptOptions& options, const PreparedJob& prepared) {
  if (options.tree.sealing.verify && !prepared.can_open) print_note(untried_recipients, options.messages.quiet);
}

std::uint64_t num_readings(const EncryptOptions& options) { return options.tree.sealing.verify ? 2 : 1; }

// Returns what OUT is bound to. Its own name is compared when it is opened, and not now.
Binding binding_of_one(const EncryptOptions& options, const Binding& given, const Input& input, const Output& output) {
  if (!options.binding.bind_name) return given;
  Binding binding = placed_at(given, input.own_name());
  if (binding.name.empty()) throw Error(ErrorCode::usage, "--bind-name needs a name, and IN has none: give --name");
  const Binding out = placed_at({.below = given.below}, name_of_container(output.own_name()));
  if (!out.name.empty() && out.name != binding.name) {
    print_note(
        fmt::format("note: OUT is bound to the name '{}', and is called '{}': to open it, rename it, or give --name or "
                    "--any-name",
                    binding.name, out.name),
        options.messages.quiet);
  }
  return binding;
}

int encrypt_one(const EncryptOptions& options, const Suite& suite, const Binding& given, const ProtectedFiles& needed,
                const ProgressStyle& style) {
  Input input(options.in);
  refuse_half_done(input);
  OutputOptions writing{.force = options.tree.sealing.replace,
                        .can_resume = true,
                        .resume = options.resume,
                        .needed = &needed,
                        .names = names_beside(options.out, false)};
  if (!options.each.no_keep) keep_of_named(input, true, writing);
  Output output(options.out, writing, &input);
  const PreparedJob prepared = prepare_job(options, suite, binding_of_one(options, given, input, output));
  InputWatch watch(input, {options.tree.sealing.changing_input, changing_input_option});
  const auto in_bytes = input.remaining_bytes();
  ProgressReport progress(style, in_bytes ? std::optional(*in_bytes * num_readings(options)) : std::nullopt);
  encrypt_to(options, prepared, watch, output, progress);
  progress.finish();
  say_what_was_untried(options, prepared);
  return 0;
}

// Returns what the sealing is told before the files are listed.
TreeSealing sealing_of_tree(const EncryptOptions& options) {
  TreeSealing sealing;
  sealing.options = options.tree.seal_options();
  sealing.options.keep = !options.each.no_keep;
  sealing.names = tree_option_names;
  sealing.on_done = [quiet = options.messages.quiet](const Output& output) { say_lost_attributes(output, quiet); };
  return sealing;
}

// Holds the sources of a run whose containers go into one folder.
struct SealedPart {
  ResultPart part;
  TreeSealing sealing;
  std::optional<TreeSealer> sealer{};
};

// If several sources are given, each folder keeps its name.
class SealedParts {
 public:
  SealedParts(const EncryptOptions& options, TreeIndexRun* index, const ProtectedFiles& needed)
      : options_(options), index_(index), needed_(&needed) {
    const std::string* const to = options.each.to();
    std::vector<ResultPart> parts = parts_of(names_of_each(options.in, options.out, options.each), to);
    if (to != nullptr) refuse_other_layout(parts, *to);
    protect_named_files(parts, needed_);
    for (ResultPart& part : parts) {
      SealedPart& sealed = parts_.emplace_back();
      sealed.part = std::move(part);
      sealed.sealing = sealing_of_tree(options);
      sealed.sealing.to = sealed.part.to ? &*sealed.part.to : nullptr;
      sealed.sealing.within = sealed.part.within ? &*sealed.part.within : nullptr;
      sealed.sealing.place = sealed.part.place;
      sealed.sealing.index = index;
      sealed.sealer.emplace(sealed.part.from, sealed.sealing, sealed.part.place.empty() ? needed : needed_);
    }
  }

  [[nodiscard]] std::uint64_t total_bytes() const {
    std::uint64_t sum = 0;
    for (const SealedPart& part : parts_) sum += part.sealer->total_bytes();
    return sum;
  }

  void prepare(const PreparedJob& prepared) {
    for (SealedPart& part : parts_) {
      part.sealing.job = prepared.job;
      std::string& below = part.sealing.job.binding.below;
      if (!part.part.place.empty()) below = placed_at({.below = below}, part.part.place).name;
      part.sealing.options.bind_names = options_.binding.bind_name;
      part.sealing.sealing = sealing_of(options_, prepared);
    }
    say_what_opening_costs();
  }

  TreeCounts run(const TreeProgress& how) {
    if (parts_.size() == 1) return parts_.front().sealer->run(how);
    TreeCounts sum;
    for (SealedPart& part : parts_) add_counts(sum, part.sealer->run(how), *part.part.to);
    if (index_ != nullptr) finish_index();
    return sum;
  }

  [[nodiscard]] const IndexGeneration& index_generation() const {
    return parts_.size() == 1 ? parts_.front().sealer->index_generation() : generation_;
  }

 private:
  // Where containers of earlier runs are opened to be compared, each that has a salt of its own costs a derivation.
  void say_what_opening_costs() const {
    std::vector<std::string> paths;
    for (const SealedPart& part : parts_) {
      const SealTreeOptions& how = part.sealing.options;
      if (how.update != TreeUpdate::by_content && !how.update_recipients) return;
      const std::vector<std::string> more = part.sealer->container_paths();
      paths.insert(paths.end(), more.begin(), more.end());
    }
    say_scrypt_of(paths, parts_.front().sealing.job.recipients, options_.container.secrets.warn);
  }

  void finish_index() {
    const RootedFolder all(*options_.each.to());
    index_->forget_where_asked([&](const std::string& name) { return all.look_at(name).has_value(); });
    generation_ = index_->finish();
  }

  const EncryptOptions& options_;
  TreeIndexRun* index_;
  ProtectedFiles needed_;
  std::list<SealedPart> parts_;
  IndexGeneration generation_;
};

int encrypt_each(const EncryptOptions& options, const Suite& suite, const Binding& given, ProtectedFiles& needed,
                 const ProgressStyle& style) {
  const bool quiet = options.messages.quiet;
  const std::optional<NamedIndex> named = read_named_index(options.index, true);
  std::optional<TreeIndexRun> index;
  if (named) hold_index(*named, index, needed, quiet);
  SealedParts parts(options, index ? &*index : nullptr, needed);
  const PreparedJob prepared = prepare_job(options, suite, given);
  parts.prepare(prepared);
  ProgressReport progress(style, parts.total_bytes() * num_readings(options));
  const OnTreeFileResult on_file = say_each(quiet, options.tree.sealing.dry_run);
  FilesAtOnce at_once(options.container.secrets, options.engine.library_options(), SharedSync::num_files_together());
  const TreeCounts counts = parts.run({.progress = progress, .on_file = on_file, .running = at_once.running()});
  progress.finish();
  say_what_was_untried(options, prepared);
  const IndexGeneration& generation = parts.index_generation();
  const std::uint64_t num_doubtful = index ? say_strange_headers(*index, generation, quiet) : 0;
  if (generation.number != 0) print_generation(index->path(), generation);
  const int exit_code = say_all(counts, options.tree.sealing.dry_run ? "to encrypt" : "encrypted",
                                !options.tree.update.empty(), quiet, options.tree.sealing.dry_run);
  return exit_code_with_doubts(exit_code, num_doubtful, false);
}

void check_without_each(const EncryptOptions& options) {
  refuse_tree_options(options.tree);
  refuse_without_each(options.index.path.has_value(), "--index");
  refuse_more_files(options.each, options.in, "encrypt");
  check_standard_input(options.container.secrets, options.in);
}

// Refuses options that do not go together, before anything is read.
void check_options(const EncryptOptions& options) {
  check_bare_options(options.bare, options.binding, options.container.secrets);
  check_sealing_bindings(options.binding);
  refuse_unopened(options.container.secrets, options.resume, "--resume");
  refuse_unopened(options.container.secrets, options.tree.update == "content", "--update=content");
  if (options.each.each) {
    refuse_name_of_tree(options.binding);
  } else {
    check_without_each(options);
  }
  check_index_options(options.index, true);
}

int run_encrypt(const EncryptOptions& options, const Suite& suite) {
  const ProgressStyle style = style_of(options.messages);
  ProtectedFiles needed;
  add_secret_files(options.container.secrets, needed);
  add_secret_files(options.index.key, needed);
  const GivenBinding given(options.binding, options.bare.bare);
  if (options.each.each) return encrypt_each(options, suite, given.binding(), needed, style);
  return encrypt_one(options, suite, given.binding(), needed, style);
}

}  // namespace

void add_encrypt_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("encrypt", "Encrypt IN to OUT, authenticated");
  set_examples(*command,
               "phalanx encrypt --key-file key notes notes.phalanx\n"
               "phalanx encrypt --each --update --key-file key photos --to-tree photos.sealed");
  const auto options = std::make_shared<EncryptOptions>();
  add_stream_arguments(*command, options->in, options->out);
  add_container_options(*command, options->container, options->messages);
  mark_common(command->get_option("--cipher"));
  add_bare_options(*command, options->bare);
  add_sealing_bindings(*command, options->binding);
  mark_common(
      command->add_flag("--verify", options->tree.sealing.verify, "read OUT back and compare it before it gets its name"));
  add_resume_option(*command, options->resume);
  add_force_option(*command, options->tree.sealing.replace);
  add_changing_input_option(*command, options->tree.sealing.changing_input);
  add_each_options(*command, options->each, "encrypt named files, and all files of named folders, to NAME.phalanx");
  add_tree_options(*command, options->tree);
  add_index_writing_options(*command, options->index, options->messages);
  add_engine_options(*command, options->engine);
  add_message_options(*command, options->messages);
  command->callback([options, &run] {
    const Suite& suite = read_suite_name(options->container.cipher);
    check_options(*options);
    run = [options, &suite](RunExecutor* executor) {
      options->engine.executor = executor;
      return run_encrypt(*options, suite);
    };
  });
}

}  // namespace phalanx
