#include "cli/commands/raw.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/console/lost_attributes.hpp"
#include "cli/console/messages.hpp"
#include "cli/console/progress_report.hpp"
#include "cli/options/changing_input.hpp"
#include "cli/options/engine_choice.hpp"
#include "cli/options/length_limits.hpp"
#include "cli/options/raw_plan.hpp"
#include "cli/options/weak_keys.hpp"
#include "cli/secrets/openssl_passphrase.hpp"
#include "cli/secrets/secret_source.hpp"
#include "files/input.hpp"
#include "files/output/atomic_file.hpp"
#include "files/output/output.hpp"
#include "foreign/base64_stream.hpp"
#include "foreign/message.hpp"
#include "foreign/openssl_keys.hpp"
#include "foreign/search/opened_file.hpp"
#include "in_place/in_place.hpp"
#include "pipeline/growing_pieces.hpp"
#include "pipeline/piece_sinks.hpp"
#include "pipeline/scheduler.hpp"

namespace phalanx {
namespace {

// The most that a message of so many bytes may become.
std::optional<std::uint64_t> with_padding(std::optional<std::uint64_t> num_bytes) {
  if (num_bytes) *num_bytes += max_padding_bytes;
  return num_bytes;
}

// One run of the command.
class RawRun {
 public:
  RawRun(const RawOptions& options, Direction direction) : options_(options), plan_(plan_raw(options, direction)) {}

  void run();

 private:
  void run_in_place();
  void encrypt_stream();
  void decrypt_stream();
  [[nodiscard]] SecretBytes read_the_key() const;
  [[nodiscard]] SecretBytes read_new_secret() const;
  [[nodiscard]] Candidates read_candidates(const Input& input) const;
  [[nodiscard]] std::unique_ptr<OpenedFile> open_foreign(Candidates& candidates, Input& input) const;
  void check_key(Bytes key) const;
  [[nodiscard]] RawCipher make_cipher(Bytes key) const;
  void say_what_runs(const RawCipher& cipher, const FoundCalibration& found) const;
  std::uint64_t crypt_stream(PieceReader& reader, PieceStage& cipher, PieceSink& sink, const std::string& engine,
                             std::optional<std::uint64_t> total_bytes, ProgressStyle style) const;
  [[nodiscard]] InputChanges changes() const { return {options_.changing_input, changing_input_option}; }
  void warn_of_length(std::uint64_t message_bytes) const;
  [[nodiscard]] bool encrypting() const { return plan_.job.direction == Direction::encrypt; }
  [[nodiscard]] bool quiet() const { return options_.messages.quiet; }
  [[nodiscard]] ProgressStyle progress_style() const;

  const RawOptions& options_;
  MessagePlan plan_;
};

void RawRun::run() {
  if (options_.in_place) return run_in_place();
  encrypting() ? encrypt_stream() : decrypt_stream();
}

SecretBytes RawRun::read_the_key() const {
  return read_key(options_.secrets, key_bytes(plan_.cipher), encrypting() ? SecretUse::seals : SecretUse::opens);
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
  } catch (const UnopenedFile&) {
    if (candidates.secrets.size() == 1 || plan_.openssl.find_digest) throw;
  }
  candidates = first_reading_of(std::move(candidates), input, quiet());
  return std::make_unique<OpenedFile>(candidates, input, trials);
}

void RawRun::check_key(Bytes key) const {
  if (!encrypting() || options_.allow_weak_key) return;
  const std::string weakness = key_weakness(plan_.cipher, key);
  if (weakness.empty()) return;
  throw Error(ErrorCode::policy, weakness + ": choose another key, or give --allow-weak-key");
}

void RawRun::say_what_runs(const RawCipher& cipher, const FoundCalibration& found) const {
  if (!options_.messages.verbose) return;
  print_note(describe_engine(cipher, choose_engine(options_.engine, found)), false);
  const std::string crossover = describe_crossover(cipher.engine(), cipher.facts().cipher, found);
  if (!crossover.empty()) print_note(crossover, false);
}

RawCipher RawRun::make_cipher(Bytes key) const {
  check_key(key);
  const FoundCalibration found = use_calibration();
  RawCipher cipher(full_name(plan_.cipher), key, plan_.job.sectors.sector_bytes != 0, plan_.options);
  say_what_runs(cipher, found);
  return cipher;
}

ProgressStyle RawRun::progress_style() const { return style_of(options_.messages); }

void RawRun::warn_of_length(std::uint64_t message_bytes) const { phalanx::warn_of_length(plan_, message_bytes, quiet()); }

void RawRun::run_in_place() {
  ProtectedFiles needed;
  add_secret_files(options_.secrets, needed);
  const auto warn = [this](const std::string& warning) { print_note("warning: " + warning, quiet()); };
  InPlaceFile file(*options_.in_place, needed,
                   {.needs_room = !options_.allow_unmarked, .option = "--allow-unmarked", .tell = warn});
  const SecretBytes key = read_the_key();
  warn_of_readable_secrets(options_.secrets, quiet());
  const RawCipher cipher = make_cipher(key);
  ProgressReport progress(progress_style(), file.size_bytes());
  const JournalUse journal{.key = key,
                           .num_threads = plan_.options.num_threads,
                           .any_device = options_.trust_journal,
                           .any_device_name = "--trust-journal"};
  const std::uint64_t found_bytes = file.crypt(cipher, plan_.job, journal, progress);
  progress.finish();
  if (found_bytes != 0) print_note(fmt::format("resumed a run that was stopped after {} bytes", found_bytes), quiet());
  warn_of_length(file.size_bytes());
}

void RawRun::encrypt_stream() {
  const bool base64 = plan_.openssl.base64;
  Input input(options_.in);
  ProtectedFiles needed;
  add_secret_files(options_.secrets, needed);
  Output output(options_.out, {.force = options_.force, .binary = !base64, .needed = &needed, .names = output_option_names},
                &input);
  SecretBytes secret = read_new_secret();
  warn_of_readable_secrets(options_.secrets, quiet());
  std::optional<OpensslHeader> header;
  if (plan_.from_passphrase) {
    OpensslKeys keys = make_openssl_keys(plan_, secret);
    secret = std::move(keys.key);
    plan_.job.iv = keys.iv;
    header = keys.header;
    if (!header) print_note("warning: without a salt, equal passphrases give equal keys and ivs", quiet());
  }
  const auto total_bytes = input.remaining_bytes();
  Base64Sink encoded(output);
  ByteSink& sink = base64 ? static_cast<ByteSink&>(encoded) : output;
  const RawCipher cipher = make_cipher(secret);
  MessageCipher piece_cipher(cipher, plan_.job);
  // A wrong length shows before anything is written, where it is known; files of /proc say that they are empty.
  if (total_bytes.value_or(0) != 0) piece_cipher.check_length(*total_bytes);
  output.open();
  const Bytes beginning = header ? Bytes(*header) : Bytes();
  if (base64) sink.write(beginning);
  InputWatch watch(input, changes());
  const std::unique_ptr<PieceReader> reader =
      pieces_of(watch, piece_bytes_for(plan_.job, is_gpu(cipher.engine())), cipher.facts().block_bytes);
  const std::unique_ptr<PieceSink> pieces =
      base64 ? std::make_unique<StreamSink>(sink) : sink_to(output, beginning, with_padding(total_bytes));
  const std::uint64_t message_bytes =
      crypt_stream(*reader, piece_cipher, *pieces, cipher.engine(), total_bytes, progress_style());
  say_what_changed(watch, quiet());
  output.commit();
  say_lost_attributes(output, quiet());
  warn_of_length(message_bytes);
}

void RawRun::decrypt_stream() {
  Input input(options_.in);
  ProtectedFiles needed;
  add_secret_files(options_.secrets, needed);
  const OutputOptions writing{
      .force = options_.force, .text_on_terminal = true, .needed = &needed, .names = output_option_names};
  Output output(options_.out, writing, &input);
  refuse_salted(plan_, input);  // before a passphrase is asked for
  Candidates candidates = read_candidates(input);
  warn_of_readable_secrets(options_.secrets, quiet());
  const FoundCalibration found = use_calibration();
  InputWatch watch(input, changes());
  const std::unique_ptr<OpenedFile> opened = open_foreign(candidates, input);
  ForeignMessage& message = opened->message();
  say_what_runs(message.cipher(), found);
  if (!opened->choice().note.empty()) print_note(opened->choice().note, quiet());
  const auto total_bytes = message.remaining_bytes();
  output.open();
  const std::size_t piece_bytes = piece_bytes_for(plan_.job, is_gpu(message.cipher().engine()));
  const std::unique_ptr<PieceReader> reader = message.reader(piece_bytes, &watch);
  const std::unique_ptr<PieceSink> sink = sink_to(output, {}, total_bytes);
  const ProgressStyle style = output.is_held_back() ? without_bar(progress_style()) : progress_style();
  std::uint64_t message_bytes = 0;
  try {
    message_bytes = crypt_stream(*reader, message.decryption(), *sink, message.cipher().engine(), total_bytes, style);
  } catch (const Error& error) {
    throw Error(error, explain_foreign(error, plan_));
  }
  say_what_changed(watch, quiet());
  output.commit();
  warn_of_length(message_bytes);
  say_lost_attributes(output, quiet());
}

std::uint64_t RawRun::crypt_stream(PieceReader& reader, PieceStage& cipher, PieceSink& sink, const std::string& engine,
                                   std::optional<std::uint64_t> total_bytes, ProgressStyle style) const {
  ProgressReport progress(style, total_bytes);
  PieceStage* const stages[] = {&cipher};
  const std::uint64_t bytes = run_pieces(reader, stages, sink, progress, piece_threads(plan_.options, engine));
  progress.finish();
  return bytes;
}

}  // namespace

void add_raw_command(CLI::App& program, CommandRun& run) {
  CLI::App* raw = program.add_subcommand("raw", "Encrypt or decrypt by a bare cipher and mode, without a header");
  raw->require_subcommand(1);
  const auto add = [&](const char* name, const char* description, Direction direction) {
    CLI::App* command = raw->add_subcommand(name, description);
    const auto options = std::make_shared<RawOptions>();
    add_raw_options(*command, *options, direction);
    command->callback([options, direction, &run] {
      run = [options, direction](RunPlace* place) {
        options->engine.place = place;
        RawRun(*options, direction).run();
        return 0;
      };
    });
  };
  add("encrypt", "Encrypt IN to OUT", Direction::encrypt);
  add("decrypt", "Decrypt IN to OUT", Direction::decrypt);
}

}  // namespace phalanx
