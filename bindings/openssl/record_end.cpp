#include "record_end.hpp"

#include <openssl/prov_ssl.h>

#include <algorithm>
#include <cstring>

#include "engine/host/wiped_memory.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_mac_bytes = 64, most_padding_bytes = 256;

// All ones where a < b, else zero. Both are below 2^63. The assembly keeps the compiler from seeing a condition in it.
std::size_t mask_if_less(std::size_t a, std::size_t b) {
  std::size_t sign = (a - b) >> 63;
  __asm__("" : "+r"(sign));
  return std::size_t{0} - sign;
}

// The byte of padding that stands i bytes before the record's last: all ones where it is as it must be.
std::size_t mask_of_padding_byte(std::size_t padding, std::size_t i, std::uint8_t byte) {
  __asm__("" : "+r"(padding));  // else g++ counts by padding - i, and adds the padding to the address that it takes it from
  const std::size_t is_padding = ~mask_if_less(padding, i);
  const std::size_t differs = ~mask_if_less((byte ^ padding) & 0xff, 1);
  return ~(is_padding & differs);
}

// All ones where the record ends with padding. `padding` is its last byte: how many stand before that.
std::size_t mask_of_padding(const RecordEnd& end, std::size_t padding) {
  const std::size_t size = end.record.size();
  std::size_t good = ~mask_if_less(size, padding + 1 + end.mac_bytes);
  if (end.tls_version == SSL3_VERSION) return good & ~mask_if_less(end.block_bytes, padding + 1);  // its bytes are any
  const std::size_t looked_at = std::min(size, most_padding_bytes);
  for (std::size_t i = 0; i < looked_at; ++i) good &= mask_of_padding_byte(padding, i, end.record[size - 1 - i]);
  return good;
}

// Moves the window's bytes down by `distance`, which is a secret, by a power of two after another. Where the padding is right it
// is below 256, and else nobody looks.
void move_down(std::uint8_t* window, std::size_t window_bytes, std::size_t distance) {
  for (std::size_t step = 1; step < most_padding_bytes; step *= 2) {
    const auto moves = static_cast<std::uint8_t>(~mask_if_less((distance & step), 1));
    for (std::size_t i = 0; i + step < window_bytes; ++i) {
      window[i] = static_cast<std::uint8_t>((window[i + step] & moves) | (window[i] & ~moves));
    }
  }
}

}  // namespace

bool is_record_version(unsigned tls_version) {
  switch (tls_version) {
    case SSL3_VERSION:
    case TLS1_VERSION:
    case TLS1_1_VERSION:
    case TLS1_2_VERSION:
    case DTLS1_VERSION:
    case DTLS1_2_VERSION:
    case DTLS1_BAD_VER:
      return true;
    default:
      return false;
  }
}

std::size_t explicit_iv_bytes(unsigned tls_version, std::size_t block_bytes) {
  return tls_version == SSL3_VERSION || tls_version == TLS1_VERSION ? 0 : block_bytes;
}

void write_record_padding(unsigned tls_version, std::uint8_t* padding, std::size_t num_bytes) {
  const auto last = static_cast<std::uint8_t>(num_bytes - 1);
  std::memset(padding, tls_version == SSL3_VERSION ? 0 : last, num_bytes);
  padding[num_bytes - 1] = last;
}

bool take_record_end(const RecordEnd& end, const std::uint8_t* random_mac, std::uint8_t* mac, std::size_t& data_bytes) {
  const std::size_t size = end.record.size();
  if (end.mac_bytes > most_mac_bytes || size < end.mac_bytes + 1) return false;
  const std::size_t padding = end.record[size - 1];
  const std::size_t good = mask_of_padding(end, padding);
  if (end.mac_bytes == 0 && good == 0) return false;
  const std::size_t mac_start = size - end.mac_bytes - (good & (padding + 1));
  data_bytes = mac_start;
  if (end.mac_bytes == 0) return true;
  // From here on the MAC may begin at any byte: the window has all of them, and the MAC behind each.
  const std::size_t window_bytes = std::min(size, end.mac_bytes + most_padding_bytes);
  const std::size_t window_start = size - window_bytes;
  WipedArray<most_mac_bytes + most_padding_bytes> window;
  std::memcpy(window.bytes, end.record.data() + window_start, window_bytes);
  move_down(window.bytes, window_bytes, mac_start - window_start);
  const auto keeps = static_cast<std::uint8_t>(good);
  for (std::size_t i = 0; i < end.mac_bytes; ++i) {
    mac[i] = static_cast<std::uint8_t>((window.bytes[i] & keeps) | (random_mac[i] & ~keeps));
  }
  return true;
}

}  // namespace phalanx
