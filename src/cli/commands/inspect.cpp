#include "cli/commands/inspect.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/described_recipients.hpp"
#include "container/format/chunked_encryption.hpp"
#include "container/format/header.hpp"
#include "files/file_descriptor.hpp"
#include "files/input.hpp"
#include "foreign/openssl_enc.hpp"
#include "in_place/journal.hpp"
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

// The beginning of a file, and its size.
struct Sample {
  std::vector<std::uint8_t> beginning;
  std::uint64_t file_bytes = 0;
};

Sample read_sample(Input& input) {
  Sample sample;
  const std::optional<std::uint64_t> size = input.remaining_bytes();
  sample.beginning.resize(max_header_bytes);
  sample.beginning.resize(input.read(sample.beginning));
  sample.file_bytes = sample.beginning.size();
  if (size) {
    sample.file_bytes = std::max(sample.file_bytes, *size);
    return sample;
  }
  std::vector<std::uint8_t> rest(max_header_bytes);
  while (const std::size_t got = input.read(rest)) sample.file_bytes += got;
  return sample;
}

void report_recipients(Report& report, const ContainerHeader& header) {
  report.json["recipients"] = Json::array();
  for (const DescribedRecipient& recipient : describe_recipients(header)) {
    report.json["recipients"].push_back(recipient.json);
    report.line(report.json["recipients"].size() == 1 ? "recipients" : "", recipient.text);
  }
}

// The chunks, of which only the number of bytes is known.
void report_chunks(Report& report, std::uint64_t sealed_bytes, std::uint64_t file_bytes) {
  try {
    const std::uint64_t plain_bytes = plain_bytes_of_chunks(sealed_bytes);
    report.json["length_possible"] = true;
    report.json["chunks"] = num_chunks_of_plain(plain_bytes);
    report.json["plaintext_bytes"] = plain_bytes;
    report.json["overhead_bytes"] = file_bytes - plain_bytes;
    report.line("chunks", fmt::format("{}", num_chunks_of_plain(plain_bytes)));
    report.line("plaintext", fmt::format("{} bytes, if nothing was cut off or added; {} bytes are overhead", plain_bytes,
                                         file_bytes - plain_bytes));
  } catch (const Error& error) {
    report.json["length_possible"] = false;
    report.json["problem"] = error.what();
    report.line("plaintext", fmt::format("none has this length: {}", error.what()));
  }
}

Report report_container(const Sample& sample) {
  const ContainerHeader header = parse_header(sample.beginning);
  Report report;
  report.json = {{"format", "phalanx container"}, {"version", container_version}, {"suite", header.suite->name}};
  report.line("format", fmt::format("Phalanx container, version {}", container_version));
  report.line("suite",
              fmt::format("{} ({} in chunks of {} bytes)", header.suite->name, header.suite->aead_name, plain_chunk_bytes));
  report_recipients(report, header);
  const std::uint64_t before_chunks = header.bytes.size() + message_prefix_bytes;
  report.json["file_bytes"] = sample.file_bytes;
  report.json["header_bytes"] = header.bytes.size();
  report.line("file", fmt::format("{} bytes, of which {} are the header", sample.file_bytes, header.bytes.size()));
  report_chunks(report, sample.file_bytes - std::min(sample.file_bytes, before_chunks), sample.file_bytes);
  report.cannot_know({"whether the header and the chunks are as they were written",
                      "whose the keys and passphrases are, and whether a given one opens the file",
                      "what the plaintext is, its name, and when it was sealed"});
  return report;
}

Report report_openssl(const Sample& sample) {
  const OpensslSalt salt = parse_openssl_header(sample.beginning);
  const std::uint64_t ciphertext_bytes = sample.file_bytes - openssl_header_bytes;
  Report report;
  report.json = {{"format", "openssl enc"},
                 {"salt", encode_hex(salt)},
                 {"file_bytes", sample.file_bytes},
                 {"ciphertext_bytes", ciphertext_bytes}};
  report.json["whole_blocks_of_8"] = ciphertext_bytes % 8 == 0;
  report.json["whole_blocks_of_16"] = ciphertext_bytes % 16 == 0;
  report.line("format", "a file of `openssl enc`, under a passphrase, not authenticated");
  report.line("salt", encode_hex(salt));
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

Report inspect(const Sample& sample, const std::string& name) {
  const Bytes beginning = sample.beginning;
  const auto begins_with = [&](std::string_view text) {
    return beginning.size() >= text.size() && std::equal(text.begin(), text.end(), beginning.begin());
  };
  const OpensslEncoding openssl = openssl_encoding_of(beginning);
  if (openssl == OpensslEncoding::binary) return report_openssl(sample);
  if (is_container(beginning)) return report_container(sample);
  std::string what =
      "neither a container nor a file of `openssl enc` with a salt: raw ciphertext and --bare messages look like random "
      "bytes";
  if (beginning.empty()) throw Error(ErrorCode::truncated, name + " is empty");
  if (openssl == OpensslEncoding::base64) {
    what = "a file of `openssl enc` in base64: phalanx raw decrypt --openssl -a reads it, phalanx migrate --from-base64 too";
  }
  if (begins_with(journal_magic) || begins_with(earlier_journal_magic))
    what = "the journal of a `raw --in-place` that was stopped: give that command again";
  throw Error(ErrorCode::usage, name + " is " + what);
}

void run_inspect(const std::string& file, bool json) {
  Input input(file);
  const Report report = inspect(read_sample(input), input.name());
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
