#include "parameters.hpp"

#include <climits>
#include <cstdint>
#include <cstring>

namespace phalanx {
namespace {

// Numbers are in the machine's byte order, which of x86-64 is the lowest byte first.
std::optional<std::uint64_t> natural_number_in(const OSSL_PARAM& parameter) {
  const auto* const bytes = static_cast<const std::uint8_t*>(parameter.data);
  const std::size_t num_bytes = parameter.data_size;
  if (bytes == nullptr || num_bytes == 0) return {};
  if (parameter.data_type == OSSL_PARAM_INTEGER && (bytes[num_bytes - 1] & 0x80) != 0) return {};
  std::uint64_t value = 0;
  for (std::size_t i = num_bytes; i-- > 0;) {
    if (value >> 56 != 0) return {};
    value = value << 8 | bytes[i];
  }
  return value;
}

std::optional<std::uint64_t> whole_real_in(const OSSL_PARAM& parameter) {
  double value = 0;
  if (parameter.data == nullptr || parameter.data_size != sizeof value) return {};
  std::memcpy(&value, parameter.data, sizeof value);
  constexpr double first_too_large = 18446744073709551616.0;  // 2^64
  if (!(value >= 0 && value < first_too_large)) return {};
  const auto whole = static_cast<std::uint64_t>(value);
  if (static_cast<double>(whole) != value) return {};
  return whole;
}

std::optional<std::uint64_t> any_number_in(const OSSL_PARAM& parameter) {
  switch (parameter.data_type) {
    case OSSL_PARAM_INTEGER:
    case OSSL_PARAM_UNSIGNED_INTEGER:
      return natural_number_in(parameter);
    case OSSL_PARAM_REAL:
      return whole_real_in(parameter);
    default:
      return {};
  }
}

bool write_real(OSSL_PARAM& parameter, std::uint64_t value) {
  const auto real = static_cast<double>(value);
  parameter.return_size = sizeof real;
  if (parameter.data == nullptr) return true;
  if (parameter.data_size != sizeof real || value >> 53 != 0) return false;
  std::memcpy(parameter.data, &real, sizeof real);
  return true;
}

// None of ours is negative, so that the bytes above the number are zeros.
bool write_natural(OSSL_PARAM& parameter, std::uint64_t value, std::size_t usual_bytes) {
  if (parameter.data_type == OSSL_PARAM_REAL) return write_real(parameter, value);
  if (parameter.data_type != OSSL_PARAM_INTEGER && parameter.data_type != OSSL_PARAM_UNSIGNED_INTEGER) return false;
  parameter.return_size = usual_bytes;
  if (parameter.data == nullptr) return true;
  const std::size_t num_bits = 8 * parameter.data_size - (parameter.data_type == OSSL_PARAM_INTEGER ? 1 : 0);
  if (parameter.data_size == 0 || (num_bits < 64 && value >> num_bits != 0)) return false;
  auto* const bytes = static_cast<std::uint8_t*>(parameter.data);
  for (std::size_t i = 0; i < parameter.data_size; ++i) {
    bytes[i] = static_cast<std::uint8_t>(i < sizeof value ? value >> (8 * i) : 0);
  }
  parameter.return_size = parameter.data_size;
  return true;
}

}  // namespace

std::optional<std::size_t> size_in(const OSSL_PARAM& parameter) { return any_number_in(parameter); }

std::optional<unsigned> number_in(const OSSL_PARAM& parameter) {
  const std::optional<std::uint64_t> value = any_number_in(parameter);
  if (!value || *value > UINT_MAX) return {};
  return static_cast<unsigned>(*value);
}

bool write_size_of_any_kind(OSSL_PARAM& parameter, std::size_t value) {
  return write_natural(parameter, value, sizeof value);
}
bool write_number(OSSL_PARAM& parameter, unsigned value) { return write_natural(parameter, value, sizeof value); }
bool write_signed(OSSL_PARAM& parameter, int value) {
  return write_natural(parameter, static_cast<std::uint64_t>(value), sizeof value);
}

bool write_bytes(OSSL_PARAM& parameter, Bytes bytes) {
  if (parameter.data_type != OSSL_PARAM_OCTET_STRING) return false;
  parameter.return_size = bytes.size();
  if (parameter.data == nullptr) return true;
  if (parameter.data_size < bytes.size()) return false;
  if (!bytes.empty()) std::memcpy(parameter.data, bytes.data(), bytes.size());
  return true;
}

bool write_pointer(OSSL_PARAM& parameter, const void* bytes, std::size_t num_bytes) {
  if (parameter.data_type != OSSL_PARAM_OCTET_PTR) return false;
  parameter.return_size = num_bytes;
  if (parameter.data != nullptr) *static_cast<const void**>(parameter.data) = bytes;
  return true;
}

bool write_text(OSSL_PARAM& parameter, const char* text) {
  const std::size_t length = std::strlen(text);
  parameter.return_size = length;
  if (parameter.data_type == OSSL_PARAM_UTF8_PTR) {
    if (parameter.data != nullptr) *static_cast<const char**>(parameter.data) = text;
    return true;
  }
  if (parameter.data_type != OSSL_PARAM_UTF8_STRING) return false;
  if (parameter.data == nullptr) return true;
  if (parameter.data_size < length) return false;
  std::memcpy(parameter.data, text, length + (parameter.data_size > length ? 1 : 0));
  return true;
}

}  // namespace phalanx
