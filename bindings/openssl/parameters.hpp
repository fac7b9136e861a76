// Parameters of OpenSSL (OSSL_PARAM(3)), read and written without libcrypto, whose functions for them a provider may not
// call.
#pragma once

#include <openssl/core.h>

#include <cstddef>
#include <cstring>
#include <optional>
#include <phalanx/bytes.hpp>
#include <utility>

namespace phalanx {

/// Whether two names are equal. They are short, and a call is asked for many: the C library's function takes longer to call.
inline bool are_equal_names(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b) {
    if (*a == 0) return true;
  }
  return false;
}

/// Says whether `given` is a name that the compiler knows: by a comparison for each letter, and no loop.
template <std::size_t size>
inline bool is_name(const char* given, const char (&name)[size]) {
  return [&]<std::size_t... places>(std::index_sequence<places...>) {
    return ((given[places] == name[places]) && ...);  // it ends where a letter differs, and reads no further
  }
  (std::make_index_sequence<size>());
}

/// The parameter of that name; nullptr if there is none, or no parameters at all.
inline const OSSL_PARAM* find_parameter(const OSSL_PARAM* parameters, const char* name) {
  if (parameters == nullptr) return nullptr;
  for (; parameters->key != nullptr; ++parameters) {
    if (are_equal_names(parameters->key, name)) return parameters;
  }
  return nullptr;
}
inline OSSL_PARAM* find_parameter(OSSL_PARAM* parameters, const char* name) {
  return const_cast<OSSL_PARAM*>(find_parameter(static_cast<const OSSL_PARAM*>(parameters), name));
}

/// A number that is not negative, of any size in bytes, as an integer or as a real number that is whole; nothing if the
/// parameter has no such number, or one that does not fit.
std::optional<std::size_t> size_in(const OSSL_PARAM& parameter);
std::optional<unsigned> number_in(const OSSL_PARAM& parameter);

/// Write a number into the memory of a parameter, whatever size that has. False if it is no number, or too small for it.
/// Where there is no memory, they say how large it has to be.
bool write_size_of_any_kind(OSSL_PARAM& parameter, std::size_t value);
/// EVP asks for sizes once or twice in each message, and always in this kind.
inline bool write_size(OSSL_PARAM& parameter, std::size_t value) {
  const bool is_usual = parameter.data_type == OSSL_PARAM_UNSIGNED_INTEGER && parameter.data_size == sizeof value;
  if (!is_usual || parameter.data == nullptr) return write_size_of_any_kind(parameter, value);
  std::memcpy(parameter.data, &value, sizeof value);
  parameter.return_size = sizeof value;
  return true;
}
bool write_number(OSSL_PARAM& parameter, unsigned value);
bool write_signed(OSSL_PARAM& parameter, int value);

/// Copies bytes into the memory of a parameter that is an octet string. False if it is none, or too small.
bool write_bytes(OSSL_PARAM& parameter, Bytes bytes);
/// Makes a parameter that is a pointer to octets point to them. False if it is none.
bool write_pointer(OSSL_PARAM& parameter, const void* bytes, std::size_t num_bytes);
/// Copies a text that ends with a zero byte, or points to it, as the parameter has it.
bool write_text(OSSL_PARAM& parameter, const char* text);

/// What a caller learns of a parameter's kind. A size of 0 says that any will do.
constexpr OSSL_PARAM described(const char* name, unsigned type, std::size_t num_bytes) {
  return {name, type, nullptr, num_bytes, static_cast<std::size_t>(-1)};
}
constexpr OSSL_PARAM described_size(const char* name) {
  return described(name, OSSL_PARAM_UNSIGNED_INTEGER, sizeof(std::size_t));
}
constexpr OSSL_PARAM described_number(const char* name) {
  return described(name, OSSL_PARAM_UNSIGNED_INTEGER, sizeof(unsigned));
}
constexpr OSSL_PARAM described_signed(const char* name) { return described(name, OSSL_PARAM_INTEGER, sizeof(int)); }
constexpr OSSL_PARAM described_bytes(const char* name) { return described(name, OSSL_PARAM_OCTET_STRING, 0); }
constexpr OSSL_PARAM described_pointer(const char* name) { return described(name, OSSL_PARAM_OCTET_PTR, 0); }
constexpr OSSL_PARAM described_text(const char* name) { return described(name, OSSL_PARAM_UTF8_STRING, 0); }
/// OSSL_CIPHER_PARAM_AEAD_IV_GENERATED and OSSL_CIPHER_PARAM_PIPELINE_AEAD_TAG, which OpenSSL 3.0's headers lack.
inline constexpr const char *iv_generated_name = "iv-generated", *pipeline_tags_name = "pipeline-tag";
inline constexpr OSSL_PARAM last_described{nullptr, 0, nullptr, 0, 0};

}  // namespace phalanx
