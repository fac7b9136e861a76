// Bech32 and files of age's keys of any bytes: what decodes is the one text of its data, and a key that is taken is one.
#include "files/age/age_stanza.hpp"
#include "files/age/bech32.hpp"
#include "files/age/key_files.hpp"
#include "files/age/native_keys.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

void check_decoding(std::string_view text) {
  Bech32 decoded;
  if (error_of([&] { decoded = decode_bech32(text); })) return;
  const std::string prefix(text.substr(0, text.rfind('1')));
  std::string lower(characters_of(encode_bech32(decoded.prefix, decoded.data))), given(text);
  for (char& c : given) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  require(lower == given, "what decodes is the one text of its data");
}

void check_files(std::string_view text) {
  const auto error = error_of([&] {
    for (const AgeIdentity& identity : read_identity_file(text, "F"))
      require(identity.text.size() != 0, "an identity has a text");
  });
  require(!error || error == ErrorCode::usage, "a file that is none is the caller's to mend");
  const auto other = error_of([&] {
    for (const AgeRecipient& recipient : read_recipients_file(text, "F")) {
      require(recipient.plugin.find('/') == std::string::npos, "no plugin's name leads elsewhere");
      if (!recipient.plugin.empty()) continue;
      require(native_recipient_text(read_native_recipient(recipient.text)) == recipient.text, "a key has one text");
    }
  });
  require(!other || other == ErrorCode::usage, "a file that is none is the caller's to mend");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_decoding(text);
  check_files(text);
  return 0;
}
