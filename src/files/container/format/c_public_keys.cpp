#include "files/container/format/c_public_keys.hpp"

#include <span>
#include <string>
#include <vector>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"

struct phalanx_wrapped_file_key {
  phalanx::WrappedFileKey wrapped;
};

int phalanx_wrapped_file_key_add_stanza(phalanx_wrapped_file_key* wrapped, const char* text) {
  using phalanx::not_null;
  return phalanx::guarded(
      [&] { not_null(wrapped, "what was wrapped").wrapped.stanzas.emplace_back(&not_null(text, "the stanza")); });
}

int phalanx_wrapped_file_key_add_label(phalanx_wrapped_file_key* wrapped, const char* label) {
  using phalanx::not_null;
  return phalanx::guarded(
      [&] { not_null(wrapped, "what was wrapped").wrapped.labels.emplace_back(&not_null(label, "the label")); });
}

namespace phalanx {

phalanx_public_key_calls calls_at(const std::uint8_t* secret, std::size_t secret_bytes) {
  const auto* const calls = reinterpret_cast<const phalanx_public_key_calls*>(secret);
  const bool fits = secret != nullptr && reinterpret_cast<std::uintptr_t>(secret) % alignof(phalanx_public_key_calls) == 0 &&
                    secret_bytes >= sizeof(calls->struct_bytes) && calls->struct_bytes == secret_bytes;
  if (fits) return taken_struct(calls, PHALANX_PUBLIC_KEY_CALLS_INIT);
  throw Error(ErrorCode::usage,
              "the secret of PHALANX_PUBLIC_KEY_CALLS is a phalanx_public_key_calls: give its address and its size");
}

WrapFileKey wrap_in_c(const phalanx_public_key_calls& calls) {
  if (calls.wrap == nullptr) throw Error(ErrorCode::usage, "`wrap` is null: a recipient's calls have it");
  return [calls](MutableBytes file_key) {
    phalanx_wrapped_file_key place{};
    if (calls.wrap(calls.user_data, file_key.data(), &place) != 0) {
      throw Error(ErrorCode::runtime, "the call that wraps a file key for a public key failed");
    }
    return std::move(place.wrapped);
  };
}

UnwrapFileKey unwrap_in_c(const phalanx_public_key_calls& calls) {
  if (calls.unwrap == nullptr) throw Error(ErrorCode::usage, "`unwrap` is null: an identity's calls have it");
  return [calls](std::span<const std::string> stanzas, MutableBytes file_key) {
    std::vector<const char*> texts;
    for (const std::string& stanza : stanzas) texts.push_back(stanza.c_str());
    const int outcome = calls.unwrap(calls.user_data, texts.data(), texts.size(), file_key.data());
    if (outcome != 0 && outcome != 1) {
      throw Error(ErrorCode::runtime, "the call that unwraps a file key by an identity failed");
    }
    return outcome == 0;
  };
}

}  // namespace phalanx
