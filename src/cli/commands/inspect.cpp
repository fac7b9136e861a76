#include "cli/commands/inspect.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/options/described_recipients.hpp"
#include "container/format/chunked_encryption.hpp"
#include "files/file_descriptor.hpp"
#include "files/input.hpp"
#include "inspection/inspection.hpp"
#include "text/hex.hpp"

namespace phalanx {
namespace {

using Json = nlohmann::ordered_json;

// What a file shows: the facts as JSON, and the same for people.
struct Report {
  Json json;
  std::string text;

  void line(const std::string& name, const std::string& value) { text += fmt::format("{:<12}{}\n", name, value); }
  void cannot_know(const std::vector<std::string>& questions) {
    json["cannot_know"] = questions;
    text += "What cannot be known without a key:\n";
    for (const std::string& question : questions) text += "  " + question + "\n";
  }
};

void report_recipients(Report& report, const std::vector<ListedRecipient>& recipients) {
  report.json["recipients"] = Json::array();
  for (const DescribedRecipient& recipient : describe_recipients(recipients)) {
    report.json["recipients"].push_back(recipient.json);
    report.line(report.json["recipients"].size() == 1 ? "recipients" : "", recipient.text);
  }
}

// The chunks, of which only the number of bytes is known.
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

Report report_container(const InspectedFile& file) {
  const InspectedContainer& container = file.container;
  Report report;
  report.json = {{"format", "phalanx container"}, {"version", container.version}, {"suite", container.suite}};
  report.line("format", fmt::format("Phalanx container, version {}", container.version));
  report.line("suite", fmt::format("{} ({} in chunks of {} bytes)", container.suite, container.aead, plain_chunk_bytes));
  report_recipients(report, container.recipients);
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
                          ciphertext_bytes == 0        ? "cut short, or of a stream mode and empty"
                          : ciphertext_bytes % 16 == 0 ? "any cipher and mode"
                          : ciphertext_bytes % 8 == 0  ? "DES or triple DES in any mode, or any cipher in a stream mode"
                                                       : "a stream mode (CTR, CFB, OFB), or cut short"));
  report.cannot_know({"the cipher and the mode; the file does not say",
                      "the digest, and whether the key comes from PBKDF2 and by how many iterations",
                      "whether it was changed: nothing in it would show that, even with the passphrase"});
  return report;
}

// What a file is of which there is nothing to report.
const char* description_of(const InspectedFile& file) {
  if (file.format == FileFormat::openssl_enc) {
    return "a file of `openssl enc` in base64: phalanx raw decrypt --openssl -a reads it, phalanx migrate --from-base64 too";
  }
  if (file.format == FileFormat::in_place_journal) {
    return "the journal of a `raw --in-place` that was stopped: give that command again";
  }
  return "neither a container nor a file of `openssl enc` with a salt: raw ciphertext and --bare messages look like random "
         "bytes";
}

Report report_file(const InspectedFile& file, const std::string& name) {
  if (file.format == FileFormat::container) return report_container(file);
  if (file.format == FileFormat::openssl_enc && !file.is_base64) return report_openssl(file);
  throw Error(ErrorCode::format, name + " is " + description_of(file), {.name = name});
}

void run_inspect(const std::string& file, bool json) {
  Input input(file);
  const Report report = report_file(inspect_input(input), input.name());
  const std::string text = json ? report.json.dump(2) + "\n" : report.text;
  write_all(STDOUT_FILENO, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}, "standard output");
}

}  // namespace

void add_inspect_command(CLI::App& program, CommandRun& run) {
  CLI::App* command = program.add_subcommand("inspect", "Explain a container, or a file of openssl enc, without a key");
  const auto file = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  command->add_option("FILE", *file, "file to read; - for standard input")->type_name("")->required();
  command->add_flag("--json", *json, "as JSON");
  command->callback([file, json, &run] {
    run = [file, json](RunPlace*) {
      run_inspect(*file, *json);
      return 0;
    };
  });
}

}  // namespace phalanx
