#include "program/cli/commands/raw_cms.hpp"

#include <fmt/format.h>

#include "files/foreign/cms/cms_files.hpp"
#include "files/foreign/message_range.hpp"
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

namespace phalanx {
namespace {

ProtectedFiles needed_files(const RawOptions& options) {
  ProtectedFiles needed = secret_files(options.secrets, options.in);
  for (const SecretSources* const sources : {&options.cms.private_key, &options.cms.certificate}) {
    check_standard_input(*sources, options.in);
    add_secret_files(*sources, needed);
  }
  return needed;
}

void say_what_runs(const RawOptions& options, const CmsMessage& message, const FoundCalibration& found) {
  if (!options.messages.verbose) return;
  const std::string& cipher = message.front().content.name;
  print_note(describe_engine(cipher, message.engine(), choose_engine(options.engine, found)), false);
  print_note(
      message.is_authenticated() ? "the tag of the content verifies" : "nothing authenticates the content, as always in CBC",
      false);
}

// Counts one reading of the content, or both, as one whole.
class ContentProgress {
 public:
  ContentProgress(Progress& report, const CmsMessage& message, std::uint64_t most_bytes)
      : progress_(report, message.content_bytes().value_or(most_bytes), message.is_authenticated() ? 2 : 1) {}
  [[nodiscard]] Progress& progress() { return progress_; }

 private:
  FileProgress progress_;
};

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
  CmsMessage message(input);
  const CmsKeys keys = read_cms_keys(options, message.front(), message.name());
  const FoundCalibration found = use_calibration();
  const RunOptions engine = options.engine.library_options();
  const std::optional<std::uint64_t> num_bytes = message.content_bytes() ? message.content_bytes() : input.remaining_bytes();
  const ProgressStyle style = style_of(options.messages);
  ProgressReport report(output.is_held_back() ? without_bar(style) : style, num_bytes);
  ContentProgress counted(report, message, num_bytes.value_or(UINT64_MAX));
  message.open(keys, engine, counted.progress());
  say_what_runs(options, message, found);
  output.open();
  decrypt_cms(message, output, engine, counted.progress());
  const std::string change = watch.judge();
  if (!change.empty()) say_what_changed(change, quiet);
  output.commit();
  report.finish();
  say_lost_attributes(output, quiet);
}

}  // namespace

void run_raw_cms(const RawOptions& options) { decrypt(options, needed_files(options)); }

}  // namespace phalanx
