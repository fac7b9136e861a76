#include "bare_context.hpp"

#include <bit>
#include <cstring>

#include "engine/secrets/secret_bytes.hpp"
#include "parameter_calls.hpp"

namespace phalanx {
namespace {

// Such a mode begins again with the iv that it was given, when a message begins without one. CTR goes on, so that no counter
// comes twice.
bool returns_to_first_iv(Mode mode) { return mode == Mode::cbc || mode == Mode::cfb || mode == Mode::ofb; }

// FIPS 46-3: the lowest bit of each byte makes the number of ones odd.
void set_odd_parity(MutableBytes key) {
  for (std::uint8_t& byte : key) {
    const auto high = static_cast<std::uint8_t>(byte & 0xfe);
    byte = static_cast<std::uint8_t>(high | (std::popcount(high) % 2 == 0 ? 1 : 0));
  }
}

}  // namespace

BareContext::BareContext(const Provider& provider, const ServedCipher& served) : CipherContext(provider, served) {}

bool BareContext::start(Direction direction, const std::uint8_t* key, std::size_t key_bytes, const std::uint8_t* iv,
                        std::size_t iv_bytes) {
  num_used_ = 0;
  kept_ = 0;
  direction_ = direction;
  if (iv != nullptr && served().mode != Mode::ecb) {
    if (iv_bytes != served().iv_bytes) return fail(PROV_R_INVALID_IV_LENGTH);
    std::memcpy(iv_.bytes, iv, iv_bytes);
    std::memcpy(first_iv_.bytes, iv, iv_bytes);
    has_iv_ = true;
  } else if (has_iv_ && returns_to_first_iv(served().mode)) {
    iv_ = first_iv_;
  }
  if (key == nullptr) return true;
  if (key_bytes != served().key_bytes) return fail(PROV_R_INVALID_KEY_LENGTH);
  return set_key({key, key_bytes});
}

std::shared_ptr<const KeyedCipher> BareContext::keyed(Bytes key) const {
  return provider().engine->set_key(*find_cipher(served().cipher), key, provider().num_threads);
}

bool BareContext::set_key(Bytes key) {
  key_ = keyed(key);
  return true;
}

bool BareContext::require_key() const { return key_ != nullptr || fail(PROV_R_NO_KEY_SET); }

bool BareContext::crypt_anywhere(Bytes in, std::uint8_t* out) {
  if (!overlap_partly(in.data(), out, in.size())) return crypt_piece(in, out);
  const SecretBytes copy(in);
  return crypt_piece(copy, out);
}

bool BareContext::crypt(const Output& out, Bytes in) {
  if (!require_key()) return false;
  if (out.room < in.size()) return fail(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
  if (!in.empty() && !crypt_anywhere(in, out.data)) return fail(PROV_R_CIPHER_OPERATION_FAILED);
  *out.written = in.size();
  return true;
}

bool BareContext::write_random_key(const OSSL_PARAM& parameter) const {
  const MutableBytes key(static_cast<std::uint8_t*>(parameter.data), served().key_bytes);
  if (parameter.data == nullptr || !provider().fill_random(key)) return fail(PROV_R_FAILED_TO_GENERATE_KEY);
  set_odd_parity(key);
  return true;
}

bool BareContext::get(OSSL_PARAM* parameters) {
  const auto write_iv = [&](OSSL_PARAM& asked, const KeptBytes<16>& iv) {
    return write_pointer(asked, iv.bytes, served().iv_bytes) || write_bytes(asked, {iv.bytes, served().iv_bytes});
  };
  const auto size = [](std::size_t value) { return [value](OSSL_PARAM& asked) { return write_size(asked, value); }; };
  const auto number = [](unsigned value) { return [value](OSSL_PARAM& asked) { return write_number(asked, value); }; };
  const auto mac = [&](OSSL_PARAM& asked) { return write_pointer(asked, tls_mac_, tls_mac_bytes_); };
  // EVP_CTRL_RAND_KEY gives no size: whoever asks has room for a key.
  const OSSL_PARAM* const key = served().is_des ? find_parameter(parameters, OSSL_CIPHER_PARAM_RANDOM_KEY) : nullptr;
  return answer(parameters, OSSL_CIPHER_PARAM_IVLEN, size(served().iv_bytes)) &&
         answer(parameters, OSSL_CIPHER_PARAM_PADDING, number(pads_ ? 1 : 0)) &&
         answer(parameters, OSSL_CIPHER_PARAM_IV, [&](OSSL_PARAM& asked) { return write_iv(asked, first_iv_); }) &&
         answer(parameters, OSSL_CIPHER_PARAM_UPDATED_IV, [&](OSSL_PARAM& asked) { return write_iv(asked, iv_); }) &&
         answer(parameters, OSSL_CIPHER_PARAM_NUM, number(num_used_)) &&
         answer(parameters, OSSL_CIPHER_PARAM_KEYLEN, size(served().key_bytes)) &&
         answer(parameters, OSSL_CIPHER_PARAM_TLS_MAC, mac) && (key == nullptr || write_random_key(*key));
}

bool BareContext::set(const OSSL_PARAM* parameters) {
  const auto take_number = [](const OSSL_PARAM& given, unsigned& value) {
    const std::optional<unsigned> number = number_in(given);
    if (number) value = *number;
    return number.has_value();
  };
  unsigned pads = pads_ ? 1 : 0, num_used = num_used_, use_bits = 0;
  constexpr int reason = PROV_R_FAILED_TO_GET_PARAMETER;
  if (!accept(parameters, OSSL_CIPHER_PARAM_PADDING, reason, [&](auto& given) { return take_number(given, pads); }))
    return false;
  pads_ = pads != 0;
  // The parameter for a length in bits is for CFB1 alone, which is not here. It is taken and does nothing, as in the default
  // provider.
  return accept(parameters, OSSL_CIPHER_PARAM_USE_BITS, reason, [&](auto& given) { return take_number(given, use_bits); }) &&
         accept(parameters, OSSL_CIPHER_PARAM_TLS_VERSION, reason,
                [&](auto& given) { return take_number(given, tls_version_); }) &&
         accept(parameters, OSSL_CIPHER_PARAM_TLS_MAC_SIZE, reason,
                [&](auto& given) {
                  const std::optional<std::size_t> size = size_in(given);
                  if (size) tls_mac_bytes_ = *size;
                  return size.has_value();
                }) &&
         accept(parameters, OSSL_CIPHER_PARAM_NUM, reason, [&](auto& given) {
           if (!take_number(given, num_used) || num_used >= block_bytes()) return false;
           num_used_ = num_used;
           return true;
         });
}

}  // namespace phalanx
