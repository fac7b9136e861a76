#include "files/inspection/inspection.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/container/format/header.hpp"
#include "files/foreign/openssl_enc.hpp"
#include "files/in_place/journal.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

bool begins_with(Bytes beginning, std::string_view text) {
  return beginning.size() >= text.size() && std::equal(text.begin(), text.end(), beginning.begin());
}

InspectedContainer inspect_container(Bytes beginning, std::uint64_t file_bytes) {
  const ContainerHeader header = parse_header(beginning);
  InspectedContainer container;
  container.version = header.version;
  container.suite = header.suite->name;
  container.aead = header.suite->aead_name;
  container.recipients = list_recipients(beginning);
  container.needs_context = header.binding.needs_context();
  container.has_name = header.binding.has_name();
  container.header_bytes = header.bytes.size();
  const std::uint64_t before_chunks = header.bytes.size() + message_prefix_bytes;
  try {
    container.plain_bytes = plain_bytes_of_chunks(file_bytes - std::min(file_bytes, before_chunks));
    container.num_chunks = num_chunks_of_plain(container.plain_bytes);
  } catch (const Error& error) {
    container.problem = error.what();
  }
  return container;
}

}  // namespace

InspectedFile inspect_input(Input& input) {
  const std::optional<std::uint64_t> size = input.remaining_bytes();
  std::vector<std::uint8_t> beginning(max_header_bytes);
  beginning.resize(input.read(beginning));
  if (beginning.empty()) throw Error(ErrorCode::truncated, input.name() + " is empty");
  std::uint64_t file_bytes = beginning.size();
  if (size) return inspect(beginning, std::max(file_bytes, *size));
  std::vector<std::uint8_t> rest(max_header_bytes);
  while (const std::size_t got = input.read(rest)) file_bytes += got;
  return inspect(beginning, file_bytes);
}

inline namespace PHALANX_VERSION_NAMESPACE {

InspectedFile inspect(Bytes beginning, std::uint64_t file_bytes) {
  InspectedFile file;
  file.file_bytes = file_bytes;
  if (beginning.empty()) throw Error(ErrorCode::truncated, "the file is empty");
  const OpensslEncoding openssl = openssl_encoding_of(beginning);
  if (openssl != OpensslEncoding::none) {
    file.format = FileFormat::openssl_enc;
    file.is_base64 = openssl == OpensslEncoding::base64;
    if (file.is_base64) return file;
    file.salt = parse_openssl_header(beginning);
    file.ciphertext_bytes = file_bytes - std::min<std::uint64_t>(file_bytes, openssl_header_bytes);
  } else if (is_container(beginning)) {
    file.format = FileFormat::container;
    file.container = inspect_container(beginning, file_bytes);
  } else if (begins_with(beginning, journal_magic) || begins_with(beginning, earlier_journal_magic)) {
    file.format = FileFormat::in_place_journal;
  }
  return file;
}

InspectedFile inspect_file(const std::string& path) {
  Input input(file_named(path));
  return inspect_input(input);
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
