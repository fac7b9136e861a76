#include "program/cli/commands/raw_aead.hpp"

#include <fmt/format.h>

#include <phalanx/catalog.hpp>

#include "files/foreign/aead/aead_files.hpp"
#include "files/foreign/message_range.hpp"
#include "files/system/input.hpp"
#include "files/system/output/half_done.hpp"
#include "files/system/output/output.hpp"
#include "program/cli/console/lost_attributes.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/console/progress_report.hpp"
#include "program/cli/engine/calibration_file.hpp"
#include "program/cli/options/byte_range.hpp"
#include "program/cli/options/changing_input.hpp"
#include "program/cli/options/engine_choice.hpp"
#include "program/cli/options/raw_aead_options.hpp"
#include "program/cli/secrets/secret_files.hpp"

namespace phalanx {
namespace {

class RawAeadRun {
 public:
  RawAeadRun(const RawOptions& options, Direction direction)
      : options_(options), plan_(plan_raw_aead(options, direction)), needed_(needed_files(options)) {}

  void encrypt() const;
  void decrypt() const;

 private:
  [[nodiscard]] static ProtectedFiles needed_files(const RawOptions& options);
  [[nodiscard]] SecretBytes read_the_key(SecretUse use) const {
    return read_key(options_.secrets, cipher_facts(plan_.name).key_bytes, use);
  }
  void say_what_runs(const AeadInParts& message, const FoundCalibration& found) const;
  [[nodiscard]] bool quiet() const { return options_.messages.quiet; }

  const RawOptions& options_;
  const AeadPlan plan_;
  const ProtectedFiles needed_;
};

ProtectedFiles RawAeadRun::needed_files(const RawOptions& options) {
  ProtectedFiles needed = secret_files(options.secrets, options.in);
  const auto& associated = options.aead.associated_data_file;
  if (associated) needed.add_path(*associated, "the associated data " + *associated);
  return needed;
}

void RawAeadRun::say_what_runs(const AeadInParts& message, const FoundCalibration& found) const {
  if (!options_.messages.verbose) return;
  const std::string reason = choose_engine(options_.engine, found).reason;
  print_note(fmt::format("{} runs on {} ({})", message.name(), message.engine(), reason), false);
}

void RawAeadRun::encrypt() const {
  Input input(options_.in);
  refuse_half_done(input);
  Output output(options_.out, {.force = options_.force, .needed = &needed_, .names = output_option_names}, &input);
  const SecretBytes key = read_the_key(SecretUse::seals);
  const FoundCalibration found = use_calibration();
  InputWatch watch(input, {options_.changing_input, changing_input_option});
  ProgressReport progress(style_of(options_.messages), input.remaining_bytes());
  const AeadNews news{.on_begun = [&](const AeadInParts& message) { say_what_runs(message, found); },
                      .on_input_change = [this](const std::string& what) { say_what_changed(what, quiet()); }};
  seal_aead_file(plan_, key, watch, output, news, progress);
  progress.finish();
  say_lost_attributes(output, quiet());
}

void RawAeadRun::decrypt() const {
  Input input(options_.in);
  refuse_half_done(input);
  const OutputOptions writing{
      .force = options_.force, .text_on_terminal = true, .needed = &needed_, .names = output_option_names};
  Output output(options_.out, writing, &input);
  if (options_.skip) skip_bytes(input, parse_skip(*options_.skip));
  const SecretBytes key = read_the_key(SecretUse::opens);
  const FoundCalibration found = use_calibration();
  AeadFile file(plan_, key, input);
  say_what_runs(file.message(), found);
  const ProgressStyle style = style_of(options_.messages);
  ProgressReport report(output.is_held_back() ? without_bar(style) : style, file.num_bytes());
  FileProgress progress(report, file.num_bytes(), 2);
  file.verify(progress);
  output.open();
  file.decrypt(output, progress);
  report.finish();
  say_lost_attributes(output, quiet());
}

}  // namespace

void run_raw_aead(const RawOptions& options, Direction direction) {
  if (options.range) require_ranges(Mode::gcm);
  if (options.skip) static_cast<void>(parse_skip(*options.skip));
  const RawAeadRun run(options, direction);
  direction == Direction::encrypt ? run.encrypt() : run.decrypt();
}

}  // namespace phalanx
