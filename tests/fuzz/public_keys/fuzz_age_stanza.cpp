// Stanzas of any bytes: what is read is written as it was, and takes as many bytes as its line ends say.
#include "files/age/age_stanza.hpp"
#include "files/age/native_keys.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

void check_stanzas(std::string_view text) {
  phalanx::SecretBytes identity(phalanx::x25519_bytes);
  identity.data()[0] = 1;
  const auto no_argument = error_of([&] { static_cast<void>(age_stanza_text({"two words"}, bytes_of(text))); });
  require(no_argument == ErrorCode::usage, "what is no argument is not written");
  while (!text.empty()) {
    const auto size = first_stanza_bytes(text);
    const std::string_view before = text;
    AgeStanza stanza;
    const auto error = error_of([&] { stanza = read_age_stanza(text); });
    require(!error || (error == ErrorCode::format && text.size() == before.size()), "what is none is left, and malformed");
    if (error) return;
    const std::string_view taken = before.substr(0, before.size() - text.size());
    require(size == taken.size(), "line ends say how long it is");
    require(characters_of(age_stanza_text({stanza.arguments.begin(), stanza.arguments.end()}, stanza.body)) == taken,
            "what is read has one text");
    static_cast<void>(error_of([&] { static_cast<void>(unwrap_file_key(identity, stanza)); }));
  }
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  phalanx::fuzz::check_stanzas({reinterpret_cast<const char*>(data), size});
  return 0;
}
