#include "program/cli/commands/raw.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "files/foreign/message_files.hpp"
#include "files/foreign/message_range.hpp"
#include "files/foreign/openssl_keys.hpp"
#include "files/foreign/search/opened_file.hpp"
#include "files/foreign/search/unopened_file.hpp"
#include "files/in_place/in_place.hpp"
#include "files/system/input.hpp"
#include "files/system/output/atomic_file.hpp"
#include "files/system/output/half_done.hpp"
#include "files/system/output/output.hpp"
#include "program/cli/commands/raw_aead.hpp"
#include "program/cli/commands/raw_cms.hpp"
#include "program/cli/commands/raw_luks.hpp"
#include "program/cli/commands/raw_openpgp.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/lost_attributes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/options/byte_range.hpp"
#include "program/cli/options/changing_input.hpp"
#include "program/cli/options/engine_choice.hpp"
#include "program/cli/options/length_limits.hpp"
#include "program/cli/options/raw_plan.hpp"
#include "program/cli/secrets/openssl_passphrase.hpp"
#include "program/cli/secrets/secret_files.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {
namespace {

// This is one run of the command.
class RawRun {
 public:
  RawRun(const RawOptions& options, Direction direction) : options_(options), plan_(plan_raw(options, direction)) {}

  void run();

 private:
  void run_in_place();
  void encrypt_stream();
  void decrypt_stream();
  void decrypt_range(OldMessage& message, InputWatch& watch, Output& output, const MessageNews& news) const;
  [[nodiscard]] SecretBytes read_the_key() const;
  [[nodiscard]] SecretBytes read_new_secret() const;
  [[nodiscard]] Candidates read_candidates(const Input& input) const;
  [[nodiscard]] std::unique_ptr<OpenedFile> open_foreign(Candidates& candidates, Input& input) const;
  std::uint64_t decrypt_opened(OpenedFile& opened, InputWatch& watch, Output& output, const MessageNews& news,
                               Progress& progress) const;
  [[nodiscard]] WeakKeyRule weak_keys() const { return {options_.allow_weak_key || !encrypting(), "give --allow-weak-key"}; }
  [[nodiscard]] MessageNews news(const FoundCalibration& found) const;
  void say_what_runs(const std::string& engine, const FoundCalibration& found) const;
  void finish(const Output& output, std::uint64_t message_bytes, ProgressReport& progress) const;
  [[nodiscard]] InputChanges changes() const { return {options_.changing_input, changing_input_option}; }
  [[nodiscard]] bool encrypting() const { return plan_.job.direction == Direction::encrypt; }
  [[nodiscard]] bool quiet() const { return options_.messages.quiet; }
  [[nodiscard]] ProgressStyle style_for(const Output& output) const {
    const ProgressStyle style = style_of(options_.messages);
    return output.is_held_back() ? without_bar(style) : style;
  }

  const RawOptions& options_;
  const MessagePlan plan_;
};

void RawRun::run() {
  if (options_.in_place) return run_in_place();
  encrypting() ? encrypt_stream() : decrypt_stream();
}

SecretBytes RawRun::read_the_key() const {
  SecretSources sources = options_.secrets;
  sources.hint_of_size = hint_of_key_size(options_);
  return read_key(sources, key_bytes(plan_.cipher), encrypting() ? SecretUse::seals : SecretUse::opens);
}

SecretBytes RawRun::read_new_secret() const {
  if (!plan_.from_passphrase) return read_the_key();
  std::vector<PassphraseReading> readings = read_openssl_passphrases(options_.secrets, SecretUse::seals);
  SecretBytes passphrase = std::move(readings.front().passphrase);
  if (passphrase.size() == 0) throw Error(ErrorCode::usage, "the passphrase is empty: choose one");
  if (readings.size() > 1) print_note("the passphrase is taken " + readings.front().name, quiet());
  return passphrase;
}

Candidates RawRun::read_candidates(const Input& input) const {
  if (!plan_.from_passphrase) return make_candidates(plan_, read_the_key());
  return candidates_of(read_openssl_passphrases(options_.secrets, SecretUse::opens), plan_, input, quiet());
}

// Where several readings of a passphrase were tried and none is seen to fit, opening the first says what is wrong.
std::unique_ptr<OpenedFile> RawRun::open_foreign(Candidates& candidates, Input& input) const {
  KeyTrials trials;
  try {
    return std::make_unique<OpenedFile>(candidates, input, trials);
  } catch (const OtherFile&) {
    throw;
  } catch (const UndecryptableFile&) {
    if (candidates.secrets.size() == 1 || plan_.openssl.find_digest) throw;
  }
  candidates = first_reading_of(std::move(candidates), input, quiet());
  return std::make_unique<OpenedFile>(candidates, input, trials);
}

void RawRun::say_what_runs(const std::string& engine, const FoundCalibration& found) const {
  if (!options_.messages.verbose) return;
  print_note(describe_engine(full_name(plan_.cipher), engine, choose_engine(options_.engine, found)), false);
  if (plan_.cipher.is_of_libcrypto()) return;
  const std::string crossover = describe_crossover(engine, *plan_.cipher.engine.cipher, found);
  if (!crossover.empty()) print_note(crossover, false);
}

MessageNews RawRun::news(const FoundCalibration& found) const {
  return {.on_begun = [this, &found](const RawCipher& cipher) { say_what_runs(cipher.engine(), found); },
          .on_input_change = [this](const std::string& what) { say_what_changed(what, quiet()); }};
}

void RawRun::run_in_place() {
  ProtectedFiles needed;
  add_secret_files(options_.secrets, needed);
  const auto warn = [this](const std::string& warning) { print_note("warning: " + warning, quiet()); };
  InPlaceFile file(*options_.in_place, needed,
                   {.needs_room = !options_.allow_unmarked, .option = "--allow-unmarked", .tell = warn});
  const SecretBytes key = read_the_key();
  check_weak_key(plan_.cipher.engine, key, weak_keys());
  const FoundCalibration found = use_calibration();
  const RawCipher cipher(plan_.cipher.engine, key, plan_.job.sectors.sector_bytes != 0, plan_.options);
  say_what_runs(cipher.engine(), found);
  ProgressReport progress(style_of(options_.messages), file.size_bytes());
  const JournalUse journal{.key = key,
                           .num_threads = plan_.options.num_threads,
                           .any_device = options_.trust_journal,
                           .any_device_name = "--trust-journal"};
  const std::uint64_t found_bytes = file.crypt(cipher, plan_.job, journal, progress);
  progress.finish();
  if (found_bytes != 0) print_note(fmt::format("resumed a run that was stopped after {} bytes", found_bytes), quiet());
  warn_of_length(plan_, file.size_bytes(), quiet());
}

void RawRun::finish(const Output& output, std::uint64_t message_bytes, ProgressReport& progress) const {
  progress.finish();
  say_lost_attributes(output, quiet());
  warn_of_length(plan_, message_bytes, quiet());
}

void RawRun::encrypt_stream() {
  const ProtectedFiles needed = secret_files(options_.secrets, options_.in);
  Input input(options_.in);
  refuse_half_done(input);
  const OutputOptions writing{
      .force = options_.force, .binary = !plan_.openssl.base64, .needed = &needed, .names = output_option_names};
  Output output(options_.out, writing, &input);
  SecretBytes secret = read_new_secret();
  const bool is_unsalted = plan_.from_passphrase && !plan_.openssl.salted;
  if (is_unsalted) print_note("warning: without a salt, equal passphrases give equal keys and ivs", quiet());
  const FoundCalibration found = use_calibration();
  InputWatch watch(input, changes());
  ProgressReport progress(style_of(options_.messages), input.remaining_bytes());
  finish(output, encrypt_message(plan_, std::move(secret), weak_keys(), watch, output, news(found), progress), progress);
}

void RawRun::decrypt_range(OldMessage& message, InputWatch& watch, Output& output, const MessageNews& news) const {
  const MessageRange range(dynamic_cast<const MessageCipher&>(message.decryption()), watch, parse_range(*options_.range));
  output.open();
  ProgressReport progress(style_for(output), range.read_bytes());
  range.decrypt(output, plan_.options, news, progress);
  finish(output, range.end_of_reading(), progress);
}

// A file that is not opened may be of another kind.
std::uint64_t RawRun::decrypt_opened(OpenedFile& opened, InputWatch& watch, Output& output, const MessageNews& news,
                                     Progress& progress) const {
  try {
    return decrypt_message(plan_, opened.message(), watch, output, news, progress);
  } catch (const Error& error) {
    if (opened.start()) explain_unopened(error, watch.input(), *opened.start(), plan_, false);
    throw;
  }
}

void RawRun::decrypt_stream() {
  const ProtectedFiles needed = secret_files(options_.secrets, options_.in);
  Input input(options_.in);
  refuse_half_done(input);
  const OutputOptions writing{
      .force = options_.force, .text_on_terminal = true, .needed = &needed, .names = output_option_names};
  Output output(options_.out, writing, &input);
  if (options_.skip) skip_bytes(input, parse_skip(*options_.skip));
  refuse_salted(plan_, input);  // refused before a passphrase is asked for
  Candidates candidates = read_candidates(input);
  const FoundCalibration found = use_calibration();
  InputWatch watch(input, changes());
  const std::unique_ptr<OpenedFile> opened = open_foreign(candidates, input);
  say_what_runs(opened->message().engine(), found);
  if (!opened->choice().with.note.empty()) print_note(opened->choice().with.note, quiet());
  if (plan_.cipher.way == ForeignWay::no_tag)
    print_note("warning: `openssl enc` wrote no tag behind its GCM, and nothing shows that the plaintext is right", quiet());
  if (options_.range) return decrypt_range(opened->message(), watch, output, news(found));
  output.open();
  ProgressReport progress(style_for(output), opened->message().remaining_bytes());
  finish(output, decrypt_opened(*opened, watch, output, news(found), progress), progress);
}

constexpr const char *encrypt_action = "encrypt", *decrypt_action = "decrypt";

void run_raw(const RawOptions& options, Direction direction) {
  if (options.cms.is_given) return run_raw_cms(options);
  if (options.luks.is_given) return run_raw_luks(options);
  if (options.openpgp.is_given) return run_raw_openpgp(options);
  if (names_aead(options)) return run_raw_aead(options, direction);
  RawRun(options, direction).run();
}

void add_action(CLI::App& raw, const char* name, const char* description, const char* examples, Direction direction,
                CommandRun& run) {
  CLI::App* command = raw.add_subcommand(name, description);
  set_examples(*command, examples);
  const auto options = std::make_shared<RawOptions>();
  add_raw_options(*command, *options, direction);
  command->callback([options, direction, &run] {
    check_cms_options(*options);
    if (!options->luks.is_given) refuse_luks_options(*options);
    if (!options->openpgp.is_given) refuse_openpgp_options(*options);
    require_cipher(*options);
    run = [options, direction](RunExecutor* executor) {
      options->engine.executor = executor;
      run_raw(*options, direction);
      return 0;
    };
  });
}

}  // namespace

void add_raw_command(CLI::App& program, CommandRun& run, std::string_view action) {
  CLI::App* raw = program.add_subcommand("raw", "Encrypt or decrypt by a cipher and mode alone, for other programs");
  set_examples(*raw,
               "phalanx raw decrypt --openssl --cipher des3 --md auto --passphrase-file pass old.enc plain\n"
               "phalanx raw encrypt --openssl --cipher aes-256-cbc --passphrase-file pass notes notes.enc");
  raw->require_subcommand(1);
  if (action != decrypt_action) {
    add_action(*raw, encrypt_action, "Encrypt IN to OUT by a cipher and mode alone",
               "phalanx raw encrypt --openssl --cipher aes-256-cbc --passphrase-file pass notes notes.enc\n"
               "openssl rand -hex 16 > iv    # a new one for each file\n"
               "phalanx raw encrypt --cipher aes-256-ctr --iv \"$(cat iv)\" --key-file key notes notes.ctr",
               Direction::encrypt, run);
  }
  if (action == encrypt_action) return;
  add_action(*raw, decrypt_action, "Decrypt IN to OUT by a cipher and mode alone",
             "phalanx raw decrypt --openssl --cipher des3 --md auto --passphrase-file pass old.enc plain\n"
             "phalanx raw decrypt --cipher aes-256-ctr --iv \"$(cat iv)\" --key-file key notes.ctr notes.copy\n"
             "phalanx raw decrypt --cms --private-key-file key.pem smime.p7m letter",
             Direction::decrypt, run);
}

}  // namespace phalanx
