// Records of public keys of any bytes: nothing is read beyond one, and what is read is all of it.
#include "age/age_stanza.hpp"
#include "age/native_keys.hpp"
#include "container/format/public_key_record.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"
#include "text/characters.hpp"

namespace phalanx::fuzz {
namespace {

void check_record(Bytes data) {
  const FixedPart fixed = unbound(find_suite("aes-128"));
  const auto record = read_public_key_record(*fixed.suite, data);
  const std::string identity(characters_of(native_identity_text(SecretBytes(x25519_bytes))));
  std::optional<SecretBytes> opened;
  const auto error = error_of([&] {
    opened = open_public_key_record(fixed, data, {KeyKind::public_key, bytes_of(identity)});
  });
  if (!record) return require(!error && !opened, "a malformed record is nobody's");
  std::size_t size = record->salt.size() + 2 + record->message.size();
  for (const std::string& label : record->labels) size += 1 + label.size();
  for (const std::string& stanza : record->stanzas) size += stanza.size();
  require(size == data.size(), "its parts are all of it");
  require(!record->stanzas.empty() && record->stanzas.size() <= most_stanzas, "it has stanzas");
  require(!stanza_types_of(*record).empty(), "they have types");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  phalanx::fuzz::check_record({data, size});
  return 0;
}
