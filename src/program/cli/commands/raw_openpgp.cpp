#include "program/cli/commands/raw_openpgp.hpp"

#include <fmt/format.h>

#include "files/foreign/message_range.hpp"
#include "files/foreign/openpgp/openpgp_files.hpp"
#include "files/system/input.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/output/half_done.hpp"
#include "files/system/output/output.hpp"
#include "program/cli/console/lost_attributes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/engine/calibration_file.hpp"
#include "program/cli/options/byte_range.hpp"
#include "program/cli/options/changing_input.hpp"
#include "program/cli/options/engine_choice.hpp"
#include "program/cli/secrets/secret_files.hpp"
#include "program/cli/secrets/source_names.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

void check_options(const RawOptions& options) {
  refuse_cipher_options(options, "--openpgp", "the message says all");
  if (options.in_place) throw_usage("--openpgp only reads a message, and changes none in place: name IN and OUT");
  if (options.range) throw_usage("--range does not go with --openpgp: a message is read from its beginning");
  check_sources(options.secrets);
  const SecretSources& session_key = options.openpgp.session_key;
  if (session_key.named.size() > 1) throw_usage("more than one session key is given: keep one");
  if (!session_key.named.empty() && !options.secrets.named.empty())
    throw_usage("a session key and another secret are given: keep one of them");
  if (options.secrets.names_key())
    throw_usage("a key does not open a message of OpenPGP: give --passphrase-file or --session-key-file");
}

ProtectedFiles needed_files(const RawOptions& options) {
  ProtectedFiles needed = secret_files(options.secrets, options.in);
  check_standard_input(options.openpgp.session_key, options.in);
  add_secret_files(options.openpgp.session_key, needed);
  return needed;
}

OpenPgpKeys read_keys(const RawOptions& options, const OpenPgpMessage& message) {
  OpenPgpKeys keys;
  keys.allows_unauthenticated = options.openpgp.allow_unauthenticated;
  keys.allowing = "give --allow-unauthenticated";
  keys.session_key_words = "--session-key-file with what `gpg --show-session-key -d` prints";
  const SecretSources& session_key = options.openpgp.session_key;
  if (!session_key.named.empty()) {
    const SecretSource& source = session_key.named.front();
    try {
      keys.session_key = parse_session_key(read_text_file(session_key, source));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::usage || !error.name().empty()) throw;
      throw Error(error, message_name_of(session_key, source) + ": " + error.what());
    }
  } else {
    message.require_passphrase_recipient(keys);
    keys.passphrase.emplace(read_passphrase(options.secrets, false));
  }
  return keys;
}

void say_what_runs(const RawOptions& options, const OpenPgpMessage& message, const FoundCalibration& found) {
  if (message.is_authenticated() && !options.messages.verbose) return;
  if (!message.is_authenticated())
    print_note("warning: " + message.name() + " has no modification detection code: nothing shows whether it was changed",
               options.messages.quiet);
  if (options.messages.verbose)
    print_note(describe_engine(message.cipher(), message.engine(), choose_engine(options.engine, found)), false);
}

void decrypt(const RawOptions& options, const ProtectedFiles& needed) {
  const bool quiet = options.messages.quiet;
  Input input(options.in);
  refuse_half_done(input);
  const OutputOptions writing{
      .force = options.force, .text_on_terminal = true, .needed = &needed, .names = output_option_names};
  Output output(options.out, writing, &input);
  if (options.skip) skip_bytes(input, parse_skip(*options.skip));
  InputWatch watch(input, {options.changing_input, changing_input_option});
  watch.begin();
  OpenPgpMessage message(input);
  const OpenPgpKeys keys = read_keys(options, message);
  const FoundCalibration found = use_calibration();
  message.open(keys, options.engine.library_options());
  say_what_runs(options, message, found);
  output.open();
  const std::optional<std::uint64_t> num_bytes =
      message.ciphertext_bytes() ? message.ciphertext_bytes() : input.remaining_bytes();
  const ProgressStyle style = style_of(options.messages);
  ProgressReport report(output.is_held_back() ? without_bar(style) : style, num_bytes);
  FileProgress counted(report, num_bytes.value_or(UINT64_MAX), is_read_twice(message, output) ? 2 : 1);
  const DecryptedOpenPgp decrypted = decrypt_openpgp(message, output, counted);
  const std::string change = watch.judge();
  if (!change.empty()) say_what_changed(change, quiet);
  output.commit();
  report.finish();
  if (decrypted.is_signed) print_note(message.name() + " is signed, and the signature was not checked: gpg -d does", quiet);
  say_lost_attributes(output, quiet);
}

}  // namespace

void run_raw_openpgp(const RawOptions& options) {
  check_options(options);
  decrypt(options, needed_files(options));
}

void refuse_openpgp_options(const RawOptions& options) {
  const RawOpenPgpOptions& openpgp = options.openpgp;
  if (!openpgp.session_key.named.empty())
    throw_usage("--" + std::string(option_name_of(openpgp.session_key.named.front().kind)) + " goes with --openpgp only");
  if (openpgp.allow_unauthenticated) throw_usage("--allow-unauthenticated goes with --openpgp only");
}

}  // namespace phalanx
