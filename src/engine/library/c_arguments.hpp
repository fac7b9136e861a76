// These check the pointers and sizes that C gives: a null pointer or a size that no memory has is an error, not a
// crash.
#pragma once

#include <phalanx/phalanx.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <phalanx/aead.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/error.hpp>
#include <phalanx/options.hpp>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

struct phalanx_device_cipher {
  phalanx::DeviceCipher cipher;
};

namespace phalanx {

/// Nothing in memory is longer: x86-64 gives a program 2^47 bytes of addresses, unless it asks for places above them. A
/// machine that gives more has no such memory.
inline constexpr std::size_t most_memory_bytes = (std::size_t{1} << 47) - 1;

/// These throw the Errors of the two below. They are out of line: what makes a sentence would have each call save registers.
[[noreturn]] void fail_null(const char* what);
[[noreturn]] void fail_elements(const void* first, std::size_t count, const char* what);

/// Throws Error (usage) if the pointer is null. `what` names it: "the cipher".
template <class T>
T& not_null(T* pointer, const char* what) {
  if (pointer == nullptr) [[unlikely]]
    fail_null(what);
  return *pointer;
}

/// Returns `count` elements, which may be none. Throws Error (usage) if there are some and the pointer is null, or no
/// memory at this address can have so many.
template <class T>
std::span<T> elements_at(T* first, std::size_t count, const char* what) {
  if (count == 0) return {};
  // One comparison finds an end beyond all addresses, and null, which has the last of them before it.
  const std::uintptr_t before_first = reinterpret_cast<std::uintptr_t>(first) - 1;
  if (count > most_memory_bytes / sizeof(T) || before_first >= ~(count * sizeof(T))) [[unlikely]]
    fail_elements(first, count, what);
  return {first, count};
}

/// A struct has at least these struct_bytes: its size in version 0.1. A change that makes it grow keeps that number
/// here.
template <class Struct>
inline constexpr std::size_t first_struct_bytes = sizeof(Struct);

/// "PHALANX_FACTS_INIT" of phalanx_facts: what a caller's struct begins with, as the headers name them.
template <class Struct>
std::string init_of() {
  const std::string_view function = __PRETTY_FUNCTION__;  // "... Struct = phalanx_facts]" or "...; ..."
  const std::size_t begin = function.find("Struct = ") + std::string_view("Struct = ").size();
  std::string name(function.substr(begin, function.find_first_of(";]", begin) - begin));
  for (char& character : name) {
    if (character >= 'a' && character <= 'z') character = static_cast<char>(character - 'a' + 'A');
  }
  return name + "_INIT";
}

[[noreturn]] inline void throw_wrong_struct_size(std::size_t size, const std::string& init) {
  throw Error(ErrorCode::usage,
              "struct_bytes is " + std::to_string(size) + ", which is not the struct's size: begin with " + init);
}

/// Throws Error (usage) for a size that no version of the struct has.
template <class Struct>
void check_struct_size(std::size_t size) {
  if (size < first_struct_bytes<Struct> || size > 4096) throw_wrong_struct_size(size, init_of<Struct>());
}

/// Takes what a caller's struct of `size` bytes has. Throws Error (usage) where it asks for what this version does not have.
template <class Struct>
void copy_struct(Struct& result, const void* given, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(given);
  if (size > sizeof(Struct) && std::any_of(bytes + sizeof(Struct), bytes + size, [](std::uint8_t b) { return b != 0; })) {
    throw Error(ErrorCode::usage, "the struct asks for what this version of the library does not have");
  }
  std::memcpy(&result, given, std::min(size, sizeof(Struct)));
}

/// Takes a caller's struct, whose headers may be older or newer than the library's. Fields that only ours has are as in
/// `defaults`, the struct's _INIT. Fields that only theirs has must be 0. Null means the defaults. Throws Error
/// (usage).
template <class Struct>
Struct taken_struct(const Struct* given, const std::type_identity_t<Struct>& defaults) {
  Struct result = defaults;
  if (given == nullptr) return result;
  check_struct_size<Struct>(given->struct_bytes);
  copy_struct(result, given, given->struct_bytes);
  return result;
}

/// Fills as much of a caller's struct as it has.
template <class Struct>
void give_struct(const Struct& from, Struct& to) {
  const std::size_t size = to.struct_bytes;
  check_struct_size<Struct>(size);
  std::memcpy(&to, &from, std::min(size, sizeof(Struct)));
  to.struct_bytes = size;
}

/// A call fills this and gives it to the caller's struct, unless that is null. The struct's size is checked before
/// anything is done.
template <class Struct>
class StructPlace {
 public:
  /// Throws as taken_struct does.
  StructPlace(Struct* place, const std::type_identity_t<Struct>& defaults)
      : filled(taken_struct(place, defaults)), place_(place) {}
  void give() const {
    if (place_ != nullptr) give_struct(filled, *place_);
  }

  Struct filled;

 private:
  Struct* place_;
};

/// A caller's array of structs, each as taken_struct takes one. All have the struct_bytes of the first.
template <class Struct>
class StructsAt {
  using Taken = std::remove_const_t<Struct>;
  using Byte = std::conditional_t<std::is_const_v<Struct>, const std::uint8_t, std::uint8_t>;

 public:
  /// `what` names it: "the batch". Throws Error (usage) for a size that no version of the struct has, and as elements_at
  /// does.
  StructsAt(Struct* first, std::size_t count, const std::type_identity_t<Taken>& defaults, const char* what)
      : defaults_(defaults), what_(what) {
    auto* const bytes = reinterpret_cast<Byte*>(first);
    if (elements_at(bytes, count, what).empty()) return;
    std::memcpy(&struct_bytes_, bytes, sizeof struct_bytes_);
    check_struct_size<Taken>(struct_bytes_);
    if (count > most_memory_bytes / struct_bytes_) fail_elements(first, count, what);
    bytes_ = elements_at(bytes, count * struct_bytes_, what);
  }

  [[nodiscard]] std::size_t size() const { return bytes_.size() / struct_bytes_; }

  /// A copy, in our layout. Throws Error (usage) where its size is not the first's, and where it asks for what this version
  /// does not have.
  [[nodiscard]] Taken operator[](std::size_t i) const {
    Taken result = defaults_;
    copy_struct(result, checked(i), struct_bytes_);
    return result;
  }

  /// Writes a member of the caller's struct, one that the first version has. Throws Error (usage) where its size is not the
  /// first's.
  template <class Member>
  void put(std::size_t i, Member Taken::*member, std::type_identity_t<Member> value) const {
    const Taken ours{};
    const auto offset = reinterpret_cast<const Byte*>(&(ours.*member)) - reinterpret_cast<const Byte*>(&ours);
    std::memcpy(checked(i) + offset, &value, sizeof(Member));
  }
  /// Fills as much of it as the caller has.
  void give(std::size_t i, Taken value) const {
    value.struct_bytes = struct_bytes_;
    std::memcpy(checked(i), &value, std::min(struct_bytes_, sizeof(Taken)));
  }

 private:
  [[nodiscard]] Byte* checked(std::size_t i) const {
    Byte* const place = bytes_.data() + i * struct_bytes_;
    std::size_t size = 0;
    std::memcpy(&size, place, sizeof size);
    if (size != struct_bytes_) throw_other_size(i, size);
    return place;
  }
  [[noreturn]] void throw_other_size(std::size_t i, std::size_t size) const {
    throw Error(ErrorCode::usage, "element " + std::to_string(i) + " of " + what_ + " has the struct_bytes " +
                                      std::to_string(size) + ", and the first has " + std::to_string(struct_bytes_) +
                                      ": begin each with " + init_of<Taken>());
  }

  Taken defaults_;
  const char* what_;
  std::span<Byte> bytes_;
  std::size_t struct_bytes_ = sizeof(Taken);
};

/// Cut where the caller's array ends, which is then still a string.
template <std::size_t num_chars>
void put_text(const std::string& text, char (&place)[num_chars]) {
  std::memset(place, 0, num_chars);
  text.copy(place, num_chars - 1);
}

/// Null means the defaults, here and in the two below.
inline EngineOptions engine_in_c(const phalanx_engine_options* options) {
  const phalanx_engine_options given = taken_struct(options, PHALANX_ENGINE_OPTIONS_INIT);
  return {.engine = given.engine == nullptr ? "" : given.engine, .num_threads = given.num_threads};
}
inline CipherPolicy policy_in_c(const phalanx_cipher_policy* policy) {
  const phalanx_cipher_policy given = taken_struct(policy, PHALANX_CIPHER_POLICY_INIT);
  return {.allow_legacy = given.allow_legacy != 0};
}
inline AeadOptions aead_options_in_c(const phalanx_aead_options* options) {
  const phalanx_aead_options given = taken_struct(options, PHALANX_AEAD_OPTIONS_INIT);
  return {.tag_bytes = given.tag_bytes, .any_nonce_size = given.any_nonce_size != 0};
}

inline PlaintextRelease release_in_c(const phalanx_aead_options* options) {
  const phalanx_aead_options given = taken_struct(options, PHALANX_AEAD_OPTIONS_INIT);
  switch (given.release) {
    case PHALANX_RELEASE_WHEN_VERIFIED:
      return PlaintextRelease::when_verified;
    case PHALANX_RELEASE_WIPED_ON_FAILURE:
      return PlaintextRelease::wiped_on_failure;
    default:
      throw Error(ErrorCode::usage, "release is " + std::to_string(given.release) + ": give one of PHALANX_RELEASE_...");
  }
}

/// The caller's place for a new object; null until there is one.
template <class Handle>
Handle*& place_of(Handle** handle) {
  Handle*& place = not_null(handle, "the place of what is made");
  place = nullptr;
  return place;
}

}  // namespace phalanx
