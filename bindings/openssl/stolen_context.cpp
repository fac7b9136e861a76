#include "stolen_context.hpp"

#include <strings.h>

#include <cstring>

#include "engine/bytes/xor_bytes.hpp"
#include "engine/secrets/secret_bytes.hpp"
#include "parameter_calls.hpp"

namespace phalanx {
namespace {

constexpr std::size_t block_size = 16;
constexpr const char* order_names[] = {OSSL_CIPHER_CTS_MODE_CS1, OSSL_CIPHER_CTS_MODE_CS2, OSSL_CIPHER_CTS_MODE_CS3};

}  // namespace

std::unique_ptr<CipherContext> StolenContext::copy() const {
  return std::unique_ptr<CipherContext>(new StolenContext(*this));
}

bool StolenContext::start(Direction direction, const std::uint8_t* key, std::size_t key_bytes, const std::uint8_t* iv,
                          std::size_t iv_bytes) {
  is_over_ = false;
  return BareContext::start(direction, key, key_bytes, iv, iv_bytes);
}

void StolenContext::crypt_cbc(const std::uint8_t* in, std::uint8_t* out, std::size_t num_bytes) {
  key_->crypt_range(Mode::cbc, direction_, iv_.bytes, in, out, num_bytes / block_size);
}

bool StolenContext::crypt_piece(Bytes in, std::uint8_t* out) {
  if (in.size() % block_size != 0) return false;
  crypt_cbc(in.data(), out, in.size());
  return true;
}

// P(n-1) and P(n)*, which is `rest` bytes long. C(n-1) loses to P(n)* the bytes that this lacks: Figures 1 to 3.
void StolenContext::encrypt_end(const std::uint8_t* in, std::uint8_t* out, std::size_t rest, bool swaps) {
  KeptBytes<16> before_last, last;  // C(n-1), C(n)
  std::memcpy(last.bytes, in + block_size, rest);
  crypt_cbc(in, before_last.bytes, block_size);
  crypt_cbc(last.bytes, last.bytes, block_size);
  std::memcpy(out + (swaps ? block_size : 0), before_last.bytes, rest);
  std::memcpy(out + (swaps ? 0 : rest), last.bytes, block_size);
}

void StolenContext::decrypt_end(const std::uint8_t* in, std::uint8_t* out, std::size_t rest, bool swaps) {
  KeptBytes<16> before_last, last, sum;  // C(n-1), C(n), and P(n)* + C(n-1), behind which the rest of C(n-1) comes out
  std::memcpy(before_last.bytes, in + (swaps ? block_size : 0), rest);
  std::memcpy(last.bytes, in + (swaps ? 0 : rest), block_size);
  key_->crypt_range(Mode::ecb, Direction::decrypt, nullptr, last.bytes, sum.bytes, 1);
  std::memcpy(before_last.bytes + rest, sum.bytes + rest, block_size - rest);
  crypt_cbc(before_last.bytes, out, block_size);
  xor_bytes(out + block_size, sum.bytes, before_last.bytes, rest);
  std::memcpy(iv_.bytes, last.bytes, block_size);
}

void StolenContext::crypt_message(Bytes in, std::uint8_t* out) {
  const std::size_t over = in.size() % block_size;
  const bool is_plain_cbc = over == 0 && (order_ != Order::cs3 || in.size() == block_size);
  if (is_plain_cbc) return crypt_cbc(in.data(), out, in.size());
  const std::size_t rest = over == 0 ? block_size : over;
  const std::size_t before = in.size() - block_size - rest;
  crypt_cbc(in.data(), out, before);
  const bool swaps = order_ != Order::cs1;
  if (direction_ == Direction::encrypt) {
    encrypt_end(in.data() + before, out + before, rest, swaps);
  } else {
    decrypt_end(in.data() + before, out + before, rest, swaps);
  }
}

bool StolenContext::update(const Output& out, Bytes in) {
  if (in.size() < block_size || out.room < in.size()) return false;
  *out.written = in.size();
  if (out.data == nullptr) return true;
  if (is_over_) return false;
  if (!require_key()) return false;
  if (overlap_partly(in.data(), out.data, in.size())) {
    const SecretBytes copy(in);
    crypt_message(copy, out.data);
  } else {
    crypt_message(in, out.data);
  }
  is_over_ = true;
  return true;
}

bool StolenContext::finish(const Output& out) {
  *out.written = 0;
  return true;
}

bool StolenContext::get(OSSL_PARAM* parameters) {
  const char* const name = order_names[static_cast<unsigned>(order_)];
  return answer(parameters, OSSL_CIPHER_PARAM_CTS_MODE, [&](OSSL_PARAM& asked) { return write_text(asked, name); }) &&
         BareContext::get(parameters);
}

bool StolenContext::set(const OSSL_PARAM* parameters) {
  const auto take = [&](const OSSL_PARAM& given) {
    if (given.data_type != OSSL_PARAM_UTF8_STRING || given.data == nullptr) return false;
    const auto* const text = static_cast<const char*>(given.data);
    const std::size_t length = strnlen(text, given.data_size);  // a zero byte need not follow
    for (const Order order : {Order::cs1, Order::cs2, Order::cs3}) {
      const char* const name = order_names[static_cast<unsigned>(order)];
      if (length != std::strlen(name) || strncasecmp(text, name, length) != 0) continue;
      order_ = order;
      return true;
    }
    return false;
  };
  return accept(parameters, OSSL_CIPHER_PARAM_CTS_MODE, PROV_R_FAILED_TO_SET_PARAMETER, take) &&
         BareContext::set(parameters);
}

}  // namespace phalanx
