#include "data_unit_context.hpp"

#include "engine/bytes/equal_bytes.hpp"
#include "engine/engines/data_unit.hpp"
#include "parameter_calls.hpp"

namespace phalanx {
namespace {

// IEEE 1619-2018 section 5.1; SP 800-38E section 4.
constexpr std::size_t most_unit_bytes = std::size_t{16} << 20;

}  // namespace

std::unique_ptr<CipherContext> DataUnitContext::copy() const {
  return std::unique_ptr<CipherContext>(new DataUnitContext(*this));
}

// Equal halves (FIPS 140-3 IG C.I) decrypt what there is, as in the default provider.
bool DataUnitContext::set_key(Bytes key) {
  const std::size_t half = key.size() / 2;
  if (direction_ == Direction::encrypt && are_equal(key.data(), key.data() + half, half)) {
    return fail(PROV_R_XTS_DUPLICATED_KEYS);
  }
  std::shared_ptr<const KeyedCipher> data_key = keyed(key.first(half));
  tweak_key_ = keyed(key.subspan(half));
  key_ = std::move(data_key);
  return true;
}

bool DataUnitContext::crypt_piece(Bytes in, std::uint8_t* out) {
  KeptBytes<16> tweak;
  tweak_key_->crypt_range(Mode::ecb, Direction::encrypt, nullptr, iv_.bytes, tweak.bytes, 1);
  crypt_data_unit(*key_, direction_, tweak.bytes, in, {out, in.size()});
  return true;
}

bool DataUnitContext::crypt(const Output& out, Bytes in) {
  if (key_ == nullptr || !has_iv_ || out.data == nullptr || in.data() == nullptr || in.size() < block_bytes()) return false;
  if (in.size() > most_unit_bytes) return fail(PROV_R_XTS_DATA_UNIT_IS_TOO_LARGE);
  crypt_anywhere(in, out.data);
  *out.written = in.size();
  return true;
}

bool DataUnitContext::update(const Output& out, Bytes in) {
  if (out.room < in.size()) return fail(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
  return crypt(out, in) || fail(PROV_R_CIPHER_OPERATION_FAILED);
}

bool DataUnitContext::finish(const Output& out) {
  *out.written = 0;
  return true;
}

bool DataUnitContext::set(const OSSL_PARAM* parameters) {
  const OSSL_PARAM* const given = find_parameter(parameters, OSSL_CIPHER_PARAM_KEYLEN);
  if (given == nullptr) return true;
  const std::optional<std::size_t> size = size_in(*given);
  return size ? *size == served().key_bytes : fail(PROV_R_FAILED_TO_GET_PARAMETER);
}

}  // namespace phalanx
