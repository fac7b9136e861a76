// The checks of arguments that more than one type needs: one line each, what is wrong and what to do.
#pragma once

#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/catalog.hpp>
#include <phalanx/options.hpp>
#include <string>

namespace phalanx {

[[noreturn]] void fail_usage(const std::string& message);
[[noreturn]] void fail_usage(const char* message);  // makes no string where every call would have room for it

/// "1 byte", "2 bytes"
std::string text_of(std::uint64_t num_bytes);

/// The state of an object; one that was moved from has none. Throws Error (usage) then.
template <class State>
State& state_of(const std::unique_ptr<State>& state, const char* moved_from) {
  if (state == nullptr) [[unlikely]]
    fail_usage(moved_from);
  return *state;
}

/// Throws Error (usage) if the number of threads is none.
void check_options(const EngineOptions& options);

/// Throws Error (usage) for a key of another size.
void check_key(const CipherFacts& facts, Bytes key);

/// Throws Error (usage) for tags of a size that the aead does not take.
void check_tag_bytes(const CipherFacts& facts, std::size_t tag_bytes);

/// Returns whether the data key and the tweak key of XTS are the same, in a time that does not depend on them.
[[nodiscard]] bool has_equal_halves(Bytes key);

inline bool share_memory(Bytes a, Bytes b) {
  const auto a_start = reinterpret_cast<std::uintptr_t>(a.data());
  const auto b_start = reinterpret_cast<std::uintptr_t>(b.data());
  return !a.empty() && !b.empty() && a_start < b_start + b.size() && b_start < a_start + a.size();
}

/// Throws the Error of check_out.
[[noreturn]] void fail_out(Bytes in, Bytes out);

/// Throws Error (usage) unless both have the same size, and are the same memory or disjoint. Inline: every call has it.
inline void check_out(Bytes in, Bytes out) {
  const bool apart = in.data() == out.data() || !share_memory(in, out);
  if (out.size() != in.size() || !apart) [[unlikely]]
    fail_out(in, out);
}

/// Throws Error (usage) if they share memory.
void check_disjoint(Bytes in, Bytes out);

}  // namespace phalanx
