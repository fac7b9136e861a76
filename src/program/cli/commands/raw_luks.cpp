#include "program/cli/commands/raw_luks.hpp"

#include <fmt/format.h>

#include <optional>

#include "files/foreign/luks/opened_luks.hpp"
#include "files/foreign/luks/volume_files.hpp"
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
#include "program/cli/secrets/secret_files.hpp"

namespace phalanx {
namespace {

class RawLuksRun {
 public:
  explicit RawLuksRun(const RawOptions& options) : options_(options), needed_(needed_files(options)) {}

  void decrypt() const;

 private:
  [[nodiscard]] static ProtectedFiles needed_files(const RawOptions& options);
  [[nodiscard]] SecretBytes read_passphrase_bytes() const;
  [[nodiscard]] KeySlotChoice choice() const;
  void say_what_runs(const OpenedLuks& opened, const FoundCalibration& found) const;
  void write(const OpenedLuks& opened, InputWatch& watch, Output& output) const;
  [[nodiscard]] bool quiet() const { return options_.messages.quiet; }

  const RawOptions& options_;
  const ProtectedFiles needed_;
};

ProtectedFiles RawLuksRun::needed_files(const RawOptions& options) {
  ProtectedFiles needed = secret_files(options.secrets, options.in);
  if (options.luks.header) needed.add_path(*options.luks.header, "the header " + *options.luks.header);
  return needed;
}

// cryptsetup takes all of a key file, and of a typed passphrase the line.
SecretBytes RawLuksRun::read_passphrase_bytes() const {
  if (!options_.secrets.names_key()) return read_passphrase(options_.secrets, false);
  return read_whole_key(options_.secrets, options_.secrets.named.front());
}

KeySlotChoice RawLuksRun::choice() const {
  KeySlotChoice choice{.number = options_.luks.key_slot};
  if (!options_.messages.verbose) return choice;
  choice.on_trial = [](const LuksSlot& slot) {
    print_note(fmt::format("key slot {} is tried: {}", slot.number, describe(slot.derivation)), false);
  };
  return choice;
}

void RawLuksRun::say_what_runs(const OpenedLuks& opened, const FoundCalibration& found) const {
  if (!options_.messages.verbose) return;
  print_note(fmt::format("key slot {} opens the volume", opened.slot().number), false);
  const std::string& name = opened.header().segments.front().encryption;
  print_note(describe_engine(name, opened.volume().engine(), choose_engine(options_.engine, found)), false);
}

void RawLuksRun::write(const OpenedLuks& opened, InputWatch& watch, Output& output) const {
  const VolumeSlice slice(opened.volume(), options_.range ? parse_range(*options_.range) : Slice{});
  output.open();
  const ProgressStyle style = style_of(options_.messages);
  ProgressReport progress(output.is_held_back() ? without_bar(style) : style, slice.read_bytes());
  const auto say_change = [this](const std::string& what) { say_what_changed(what, quiet()); };
  slice.decrypt(watch, output, options_.engine.library_options(), say_change, progress);
  progress.finish();
  say_lost_attributes(output, quiet());
}

void RawLuksRun::decrypt() const {
  Input input(options_.in);
  refuse_half_done(input);
  std::optional<Input> header;
  if (options_.luks.header) header.emplace(*options_.luks.header);
  const OutputOptions writing{
      .force = options_.force, .text_on_terminal = true, .needed = &needed_, .names = output_option_names};
  Output output(options_.out, writing, &input);
  InputWatch watch(input, {options_.changing_input, changing_input_option});
  OpenedLuks opened(input, options_.skip ? parse_skip(*options_.skip) : 0, header ? &*header : nullptr);
  if (!opened.header().note.empty()) print_note("warning: " + input.name() + ": " + opened.header().note, quiet());
  const SecretBytes passphrase = read_passphrase_bytes();
  const FoundCalibration found = use_calibration();
  opened.open(passphrase, choice(), options_.engine.library_options());
  say_what_runs(opened, found);
  write(opened, watch, output);
}

}  // namespace

void refuse_luks_options(const RawOptions& options) {
  const bool has_one = options.luks.header || options.luks.key_slot;
  if (!has_one) return;
  throw Error(ErrorCode::usage,
              std::string(options.luks.header ? "--luks-header" : "--key-slot") + " goes with --luks only");
}

void run_raw_luks(const RawOptions& options) {
  check_sources(options.secrets);
  refuse_cipher_options(options, "--luks", "the volume's header says all");
  if (options.in_place)
    throw Error(ErrorCode::usage, "--luks only reads a volume, and changes none in place: name IN and OUT");
  if (options.range) static_cast<void>(parse_range(*options.range));
  if (options.skip) static_cast<void>(parse_skip(*options.skip));
  RawLuksRun(options).decrypt();
}

}  // namespace phalanx
