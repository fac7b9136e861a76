// Reads the published test vectors under tests/vectors; vectors/README.md describes their format.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace phalanx::test {

using ByteVector = std::vector<std::uint8_t>;

/// The bytes of hex digits. Throws std::runtime_error if they are not that.
inline ByteVector from_hex(std::string_view hex) {
  const auto value = [](char digit) -> unsigned {
    if (digit >= '0' && digit <= '9') return static_cast<unsigned>(digit - '0');
    if (digit >= 'a' && digit <= 'f') return static_cast<unsigned>(digit - 'a' + 10);
    if (digit >= 'A' && digit <= 'F') return static_cast<unsigned>(digit - 'A' + 10);
    throw std::runtime_error("not a hex digit: " + std::string(1, digit));
  };
  if (hex.size() % 2 != 0) throw std::runtime_error("an odd number of hex digits");
  ByteVector bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(value(hex[i]) << 4 | value(hex[i + 1])));
  }
  return bytes;
}

/// The bytes as lower-case hex digits.
template <class Container>
std::string to_hex(const Container& bytes) {
  std::string hex;
  for (const std::uint8_t byte : bytes) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

/// One record of a file: its fields by name, and where it stands ("nist_aes.txt:17") for messages.
struct Record {
  std::map<std::string, std::string> fields;
  std::string where;

  [[nodiscard]] bool has(const std::string& name) const { return fields.count(name) != 0; }
  /// A field's text. Throws std::runtime_error if the record lacks it.
  [[nodiscard]] const std::string& text(const std::string& name) const {
    const auto field = fields.find(name);
    if (field == fields.end()) throw std::runtime_error(where + ": the record has no field " + name);
    return field->second;
  }
  /// A field's bytes; none if the record lacks it.
  [[nodiscard]] ByteVector bytes(const std::string& name) const { return has(name) ? from_hex(text(name)) : ByteVector{}; }
};

/// The records of one file: lines `name = value`, ended by an empty line; a line that starts with # is a comment.
inline std::vector<Record> load_records(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::vector<Record> records;
  bool in_record = false;
  std::string line;
  for (std::size_t line_number = 1; std::getline(file, line); ++line_number) {
    if (line.starts_with('#')) continue;
    if (line.empty()) {
      in_record = false;
      continue;
    }
    const std::size_t equals = line.find(" =");
    if (equals == std::string::npos) throw std::runtime_error(path.string() + ": not a field: " + line);
    if (!in_record) records.push_back({{}, path.filename().string() + ":" + std::to_string(line_number)});
    in_record = true;
    const std::string value = line.size() > equals + 3 ? line.substr(equals + 3) : "";
    if (!records.back().fields.emplace(line.substr(0, equals), value).second) {
      throw std::runtime_error(path.string() + ": a field stands twice in a record: " + line);
    }
  }
  return records;
}

/// One known answer: encrypting `plaintext` gives `ciphertext`, and the other way round.
struct KnownAnswer {
  std::string cipher;  ///< full name: "des-ede3-cbc"
  ByteVector key;      ///< XTS: the data key, then the tweak key
  ByteVector iv;       ///< XTS: the tweak; GCM: the nonce, of any length; ECB: empty
  ByteVector plaintext, ciphertext;
  ByteVector aad, tag;        ///< GCM only; the tag has 12 to 16 bytes
  bool tag_is_wrong = false;  ///< GCM only: opening must fail; there is no plaintext
  std::string where;          ///< file and line, for messages
};

/// The folder of the vectors: that of the sources, or where the environment says it lies on a machine without them.
inline std::filesystem::path vectors_folder() {
  const char* from_environment = std::getenv("PHALANX_VECTORS_DIR");
  return from_environment != nullptr ? from_environment : PHALANX_VECTORS_DIR;
}

/// Every *.txt directly in `folder` of the vectors, in order of their names.
inline std::vector<std::filesystem::path> vector_files(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(vectors_folder() / folder)) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Every known answer of every cipher and mode.
inline std::vector<KnownAnswer> load_vectors() {
  std::vector<KnownAnswer> answers;
  for (const auto& path : vector_files(".")) {
    for (const Record& record : load_records(path)) {
      const bool tag_is_wrong = record.has("result");
      answers.push_back({record.text("cipher"), from_hex(record.text("key")), record.bytes("iv"), record.bytes("plaintext"),
                         from_hex(record.text("ciphertext")), record.bytes("aad"), record.bytes("tag"), tag_is_wrong,
                         record.where});
    }
  }
  if (answers.empty()) throw std::runtime_error("there are no vectors in " + vectors_folder().string());
  return answers;
}

}  // namespace phalanx::test
