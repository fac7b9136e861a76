#include "program/cli/commands/inspect.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "engine/text/hex.hpp"
#include "files/container/format/header.hpp"
#include "files/inspection/inspection.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/input.hpp"
#include "program/cli/console/exit_codes.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/options/described_recipients.hpp"
#include "program/cli/options/file_kinds.hpp"
#include "program/cli/options/general_options.hpp"
#include "program/cli/secrets/secret_files.hpp"

namespace phalanx {
namespace {

using Json = nlohmann::ordered_json;

// Holds what a file shows: the facts as JSON, and again for people.
struct Report {
  Json json;
  std::string text;
  std::string unknown{};    // what cannot be known, which stands last
  std::string not_named{};  // why the file is not named for certain; "" if it is

  void line(const std::string& name, const std::string& value) { text += fmt::format("{:<12}{}\n", name, value); }
  void cannot_know(const std::vector<std::string>& questions) {
    json["cannot_know"] = questions;
    unknown += "What cannot be known without a key:\n";
    for (const std::string& question : questions) unknown += "  " + question + "\n";
  }
  [[nodiscard]] std::string whole_text() const { return text + unknown; }
};

void report_recipients(Report& report, const std::vector<DescribedRecipient>& recipients) {
  report.json["recipients"] = Json::array();
  for (const DescribedRecipient& recipient : recipients) {
    report.json["recipients"].push_back(recipient.json);
    report.line(report.json["recipients"].size() == 1 ? "recipients" : "", recipient.text);
  }
}

std::string without_comma(std::string text) {
  if (text.ends_with(',')) text.pop_back();
  return text;
}

// Reports the chunks, whose number and size follow from the file's length alone.
void report_chunks(Report& report, const InspectedContainer& container, std::uint64_t file_bytes) {
  report.json["length_possible"] = container.problem.empty();
  if (!container.problem.empty()) {
    report.json["problem"] = container.problem;
    report.line("plaintext", fmt::format("none has this length: {}", container.problem));
    return;
  }
  const std::uint64_t overhead_bytes = file_bytes - container.plain_bytes;
  report.json["chunks"] = container.num_chunks;
  report.json["plaintext_bytes"] = container.plain_bytes;
  report.json["overhead_bytes"] = overhead_bytes;
  report.line("chunks", fmt::format("{}", container.num_chunks));
  report.line("plaintext", fmt::format("{} bytes, if nothing was cut off or added; {} bytes are overhead",
                                       container.plain_bytes, overhead_bytes));
}

void report_binding(Report& report, const InspectedContainer& container) {
  report.json["needs_context"] = container.needs_context;
  report.json["bound_to_name"] = container.has_name;
  if (!container.needs_context && !container.has_name) return;
  const char* const name = "its name, which is sealed within";
  const char* const context = "a context, which whoever opens it must give: --context or --context-text";
  if (container.needs_context) report.line("bound to", context);
  if (container.has_name) report.line(container.needs_context ? "" : "bound to", name);
}

Report report_container(const InspectedFile& file, const std::vector<DescribedRecipient>& recipients) {
  const InspectedContainer& container = file.container;
  Report report;
  report.json = {{"format", "phalanx container"}, {"version", container.version}, {"suite", container.suite}};
  report.line("format", fmt::format("Phalanx container, version {}", container.version));
  report.line("suite", fmt::format("{} ({} in chunks of {} bytes)", container.suite, container.aead, plain_chunk_bytes));
  report_binding(report, container);
  report_recipients(report, recipients);
  report.json["file_bytes"] = file.file_bytes;
  report.json["header_bytes"] = container.header_bytes;
  report.line("file", fmt::format("{} bytes, of which {} are the header", file.file_bytes, container.header_bytes));
  report_chunks(report, container, file.file_bytes);
  report.cannot_know({"whether the header and the chunks are as they were written",
                      "whose the keys and passphrases are, and whether a given one opens the file",
                      "what the plaintext is, its name, and when it was sealed"});
  return report;
}

Report report_openssl(const InspectedFile& file) {
  const std::uint64_t ciphertext_bytes = file.ciphertext_bytes;
  Report report;
  report.json = {{"format", "openssl enc"},
                 {"salt", encode_hex(file.salt)},
                 {"file_bytes", file.file_bytes},
                 {"ciphertext_bytes", ciphertext_bytes}};
  report.json["whole_blocks_of_8"] = ciphertext_bytes % 8 == 0;
  report.json["whole_blocks_of_16"] = ciphertext_bytes % 16 == 0;
  report.line("format", "a file of `openssl enc`, under a passphrase, not authenticated");
  report.line("salt", encode_hex(file.salt));
  report.line("ciphertext",
              fmt::format("{} bytes: {}", ciphertext_bytes,
                          ciphertext_bytes == 0        ? "none, as of an empty message in a stream mode"
                          : ciphertext_bytes % 16 == 0 ? "any cipher and mode"
                          : ciphertext_bytes % 8 == 0  ? "DES or triple DES in any mode, or any cipher in a stream mode"
                                                       : "a stream mode (CTR, CFB, OFB), unless its end is missing"));
  report.cannot_know({"the cipher and the mode; the file does not say",
                      "the digest, and whether the key comes from PBKDF2 and by how many iterations",
                      "whether -saltlen of OpenSSL 3.2 made the salt longer or shorter: it is shown with the usual 8 bytes",
                      "whether it was changed: nothing in it would show that, even with the passphrase"});
  return report;
}

Report report_openssl_base64(const InspectedFile& file) {
  Report report;
  report.json = {{"format", "openssl enc"}, {"base64", true}, {"file_bytes", file.file_bytes}};
  report.line("format", "a file of `openssl enc` in base64, under a passphrase, not authenticated");
  report.line("file", fmt::format("{} bytes", file.file_bytes));
  return report;
}

Report report_journal(const InspectedFile& file) {
  Report report;
  report.json = {{"format", "journal of raw --in-place"}, {"file_bytes", file.file_bytes}};
  report.line("format", "the journal of a `raw --in-place` that was stopped");
  report.line("to go on", "give that command again");
  return report;
}

void report_key_slots(Report& report, const InspectedVolume& volume) {
  report.json["key_slots"] = Json::array();
  for (const InspectedKeySlot& slot : volume.key_slots) {
    report.json["key_slots"].push_back({{"number", slot.number},
                                        {"derivation", slot.derivation},
                                        {"encryption", slot.encryption},
                                        {"priority", slot.priority},
                                        {"problem", slot.problem}});
    const std::string priority = slot.priority == "normal" ? "" : "; " + slot.priority;
    const std::string what = slot.problem.empty() ? slot.derivation + "; " + slot.encryption + priority : slot.problem;
    report.line(report.json["key_slots"].size() == 1 ? "key slots" : "", fmt::format("{}: {}", slot.number, what));
  }
}

Report report_luks(const InspectedFile& file) {
  const InspectedVolume& volume = file.volume;
  Report report;
  report.json = {{"format", file.kind},
                 {"version", volume.version},
                 {"uuid", volume.uuid},
                 {"label", volume.label},
                 {"cipher", volume.cipher},
                 {"key_bytes", volume.key_bytes},
                 {"sector_bytes", volume.sector_bytes},
                 {"data_offset", volume.data_offset},
                 {"plaintext_bytes", volume.plain_bytes},
                 {"problem", volume.problem},
                 {"note", volume.note},
                 {"file_bytes", file.file_bytes}};
  report.line("format", file.description);
  report.line("file", fmt::format("{} bytes", file.file_bytes));
  if (volume.version != 0) {
    report.line("uuid", volume.uuid);
    if (!volume.label.empty()) report.line("label", volume.label);
    report.line("cipher", fmt::format("{}, with a key of {} bytes", volume.cipher, volume.key_bytes));
    report.line("sectors", fmt::format("{} bytes", volume.sector_bytes));
    report.line("data", fmt::format("from byte {} on: {} bytes", volume.data_offset, volume.plain_bytes));
    report_key_slots(report, volume);
  }
  if (!volume.note.empty()) report.line("note", volume.note);
  if (!volume.problem.empty()) report.line("problem", volume.problem);
  report.cannot_know({"whether a given passphrase opens it", "what the data are, and whether they were changed"});
  return report;
}

std::vector<DescribedRecipient> recipients_of(const InspectedFile& file, const Input& input, const SecretSources& secrets) {
  std::vector<DescribedRecipient> recipients = describe_recipients(file.container.recipients);
  if (secrets.named.empty()) return recipients;
  if (!S_ISREG(input.status().st_mode)) {
    throw Error(ErrorCode::usage, "which recipient a key is shows in a file alone: name one, or leave the key out");
  }
  std::vector<std::uint8_t> beginning(max_header_bytes);
  beginning.resize(read_at(input.descriptor(), beginning, 0, input.name()));
  describe_who_opens(recipients, beginning, secrets);
  return recipients;
}

// Reports what is known of every kind, ours and others'.
void report_kind(Report& report, const Inspection& inspection) {
  const InspectedFile& file = inspection.file;
  const std::string command = command_for(inspection.recognised);
  report.json["kind"] = file.kind;
  report.json["form"] = file.form;
  report.json["protection"] = file.protection;
  report.json["description"] = file.description;
  report.json["opened_by"] = command;
  report.json["certain"] = file.is_certain;
  report.json["cut"] = file.is_cut;
  if (!command.empty()) report.line(file.protection == "none" ? "read by" : "opened by", without_comma(command));
}

// Reports other programs' files, and text.
Report report_other(const InspectedFile& file) {
  Report report;
  report.json = {{"format", file.kind}, {"file_bytes", file.file_bytes}};
  report.line("format", (file.is_certain ? "" : "perhaps ") + file.description);
  report.line("file", fmt::format("{} bytes{}", file.file_bytes, file.is_cut ? ": its end is missing" : ""));
  report.line("protection", file.protection == "none" ? "none: everybody can read it" : file.protection);
  return report;
}

std::string describe(const CmsRecipientFacts& recipient) {
  std::string words = recipient.kind;
  if (!recipient.algorithm.empty()) words += fmt::format(" ({})", recipient.algorithm);
  if (!recipient.issuer.empty()) words += fmt::format(", certificate {} of {}", recipient.serial, recipient.issuer);
  if (!recipient.key_id.empty()) words += fmt::format(", key identifier {}", recipient.key_id);
  return words;
}

// An encrypted message of CMS: for whom, and by what.
void report_cms(Report& report, const CmsFacts& cms) {
  if (!cms.problem.empty()) {
    report.json["problem"] = cms.problem;
    report.line("problem", cms.problem);
  }
  if (cms.type.empty()) return;
  report.json["type"] = cms.type;
  report.json["cipher"] = cms.cipher;
  report.json["recipients"] = Json::array();
  for (const CmsRecipientFacts& recipient : cms.recipients) {
    report.json["recipients"].push_back({{"kind", recipient.kind},
                                         {"issuer", recipient.issuer},
                                         {"serial", recipient.serial},
                                         {"key_id", recipient.key_id},
                                         {"algorithm", recipient.algorithm}});
    report.line(report.json["recipients"].size() == 1 ? "recipients" : "", describe(recipient));
  }
}

std::string describe(const OpenPgpRecipientFacts& recipient) {
  std::string words = recipient.kind;
  if (recipient.kind == "public key") words += recipient.key_id.empty() ? ", hidden" : " 0x" + recipient.key_id;
  return words + fmt::format(" ({})", recipient.algorithm);
}

// An encrypted message of OpenPGP: what opens it, and what protects it.
void report_openpgp(Report& report, const OpenPgpFacts& openpgp) {
  if (!openpgp.problem.empty()) {
    report.json["problem"] = openpgp.problem;
    report.line("problem", openpgp.problem);
  }
  if (openpgp.protection.empty()) return;
  report.json["integrity"] = openpgp.protection;
  report.json["cipher"] = openpgp.cipher;
  report.line("integrity", openpgp.protection == "none" ? "none: nothing shows whether it was changed" : openpgp.protection);
  if (!openpgp.cipher.empty()) report.line("cipher", openpgp.cipher);
  report.json["recipients"] = Json::array();
  for (const OpenPgpRecipientFacts& recipient : openpgp.recipients) {
    report.json["recipients"].push_back(
        {{"kind", recipient.kind}, {"key_id", recipient.key_id}, {"algorithm", recipient.algorithm}});
    report.line(report.json["recipients"].size() == 1 ? "recipients" : "", describe(recipient));
  }
}

// Only the length says something of bytes that look random.
std::string describe_unknown(const InspectedFile& file) {
  if (file.kind == name_of(FileKind::data))
    return "it is neither a container nor another known kind, and its bytes are not random";
  if (file.kind != name_of(FileKind::unknown))
    return "it may be " + file.description + ": too little of it shows to be sure";
  const char* const blocks = file.file_bytes % 16 == 0  ? "in whole blocks of 16"
                             : file.file_bytes % 8 == 0 ? "in whole blocks of 8, as DES has them"
                                                        : "in no whole blocks, as stream modes leave them";
  return fmt::format(
      "its {} bytes look random, {}. Nothing tells apart raw ciphertext, `openssl enc` without a header "
      "(-nosalt, -K, or -S of OpenSSL 3), what `phalanx encrypt --bare` wrote, a volume of VeraCrypt, and a key",
      file.file_bytes, blocks);
}

Report report_input(Input& input, const SecretSources& secrets) {
  const Inspection inspection = inspect_input(input);
  const InspectedFile& file = inspection.file;
  Report report;
  switch (file.format) {
    case FileFormat::container:
      report = report_container(file, recipients_of(file, input, secrets));
      break;
    case FileFormat::openssl_enc:
      report = file.is_base64 ? report_openssl_base64(file) : report_openssl(file);
      break;
    case FileFormat::in_place_journal:
      report = report_journal(file);
      break;
    case FileFormat::luks:
      report = report_luks(file);
      break;
    case FileFormat::unknown:
      report = report_other(file);
      report_cms(report, file.cms);
      report_openpgp(report, file.openpgp);
      if (!file.is_certain) report.not_named = describe_unknown(file);
      break;
  }
  report_kind(report, inspection);
  return report;
}

struct InspectOptions {
  std::vector<std::string> files;
  bool json = false;
  SecretSources secrets;
  MessageOptions messages;
};

Report report_file(const std::string& name, const InspectOptions& options) {
  check_standard_input(options.secrets, name);
  Input input(name);
  return report_input(input, options.secrets);
}

// Inspects each of several files by itself. So a file that nothing is known of keeps no other from being explained.
int inspect_many(const InspectOptions& options) {
  FailureCount failures;
  Json all = Json::array();
  for (const std::string& name : options.files) {
    try {
      Report report = report_file(name, options);
      Json named = {{"name", name}};
      named.update(report.json);
      all.push_back(std::move(named));
      if (!report.not_named.empty()) throw Error(ErrorCode::format, report.not_named, {.name = name});
      if (!options.json) print_result(name + ":\n" + report.whole_text() + "\n");
    } catch (const Error& error) {
      failures.add(exit_code_of(error.code()));
      print_error(about_file(name, error.what()));
    }
  }
  if (options.json) print_result(all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  return failures.exit_code();
}

int run_inspect(const InspectOptions& options) {
  if (options.files.size() > 1) return inspect_many(options);
  const std::string& name = options.files.front();
  const Report report = report_file(name, options);
  if (options.json || report.not_named.empty())
    print_result(options.json ? report.json.dump(2) + "\n" : report.whole_text());
  if (!report.not_named.empty()) throw Error(ErrorCode::format, name + ": " + report.not_named, {.name = name});
  return 0;
}

}  // namespace

void add_inspect_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("inspect", "Say what a file is, without a key, and what opens it");
  set_examples(*command,
               "phalanx inspect notes.phalanx\n"
               "phalanx inspect --json old.enc");
  const auto options = std::make_shared<InspectOptions>();
  command->add_option("FILE", options->files, "files to read; - for standard input")->type_name("")->required();
  mark_common(command->add_flag("--json", options->json, "print it as JSON"));
  options->secrets.is_asked_for = false;
  add_secret_options(*command, options->secrets, options->messages);
  add_identity_option(*command, options->secrets);
  command->callback([options, &run] { run = [options](RunExecutor*) { return run_inspect(*options); }; });
}

}  // namespace phalanx
