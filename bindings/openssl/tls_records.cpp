// GCM of TLS records (RFC 5288; RFC 5246 section 6.2.3.3): nonces of a fixed field and a counter, and a record at once.
#include <cstring>

#include "engine/bytes/byte_order.hpp"
#include "gcm_context.hpp"
#include "parameter_calls.hpp"

namespace phalanx {
namespace {

constexpr std::size_t fixed_bytes = 4, explicit_bytes = 8, record_tag_bytes = 16;

}  // namespace

// The nonce's last bytes are a counter, big-endian, which moves on once its value is out.
void GcmContext::count_iv() {
  std::uint8_t* const counter = iv_.bytes + iv_bytes_ - explicit_bytes;
  store_u64(counter, reverse_bytes(reverse_bytes(load_u64(counter)) + 1));
}

bool GcmContext::write_generated_iv(MutableBytes out) {
  if (!makes_ivs_ || !has_key_ || iv_bytes_ < explicit_bytes) return false;
  begin_message();
  const std::size_t num_bytes = out.empty() || out.size() > iv_bytes_ ? iv_bytes_ : out.size();
  std::memcpy(out.data(), iv_.bytes + iv_bytes_ - num_bytes, num_bytes);
  count_iv();
  return true;
}

// EVP_CTRL_GCM_IV_GEN gives no size where it wants all of it.
bool GcmContext::get_generated_iv(OSSL_PARAM& asked) {
  if (asked.data == nullptr || asked.data_type != OSSL_PARAM_OCTET_STRING) return false;
  return write_generated_iv({static_cast<std::uint8_t*>(asked.data), asked.data_size});
}

bool GcmContext::place_received_iv(Bytes iv) {
  if (!makes_ivs_ || !has_key_ || direction_ == Direction::encrypt || iv.size() > iv_bytes_) return false;
  if (!iv.empty()) std::memcpy(iv_.bytes + iv_bytes_ - iv.size(), iv.data(), iv.size());
  return true;
}

bool GcmContext::set_received_iv(Bytes iv) {
  if (!place_received_iv(iv)) return false;
  begin_message();
  return true;
}

bool GcmContext::set_fixed_iv(const OSSL_PARAM& given) {
  if (given.data_type != OSSL_PARAM_OCTET_STRING || given.data == nullptr) return false;
  constexpr auto whole_iv = static_cast<std::size_t>(-1);  // EVP_CTRL_AEAD_SET_IV_FIXED: the whole iv again
  const bool is_whole = given.data_size == whole_iv;
  const std::size_t num_bytes = is_whole ? iv_bytes_ : given.data_size;
  if (!is_whole && (num_bytes < fixed_bytes || num_bytes > iv_bytes_ || iv_bytes_ - num_bytes < explicit_bytes))
    return false;
  std::memcpy(iv_.bytes, given.data, num_bytes);
  const MutableBytes rest(iv_.bytes + num_bytes, iv_bytes_ - num_bytes);
  if (direction_ == Direction::encrypt && !rest.empty() && !provider().fill_random(rest)) return false;
  makes_ivs_ = true;
  iv_state_ = IvState::given;
  return true;
}

// The header comes with the record's length, and authenticates that of the text.
bool GcmContext::set_record_header(const OSSL_PARAM& given) {
  if (given.data_type != OSSL_PARAM_OCTET_STRING) return fail(PROV_R_FAILED_TO_GET_PARAMETER);
  if (given.data == nullptr || given.data_size != sizeof header_.bytes) return fail(PROV_R_INVALID_AAD);
  std::memcpy(header_.bytes, given.data, sizeof header_.bytes);
  has_header_ = true;
  std::uint8_t* const length = header_.bytes + 11;
  const std::size_t record_bytes = std::size_t{length[0]} << 8 | length[1];
  const std::size_t beside_text = explicit_bytes + (direction_ == Direction::decrypt ? record_tag_bytes : 0);
  if (record_bytes < beside_text) return fail(PROV_R_INVALID_AAD);
  const std::size_t text_bytes = record_bytes - beside_text;
  length[0] = static_cast<std::uint8_t>(text_bytes >> 8);
  length[1] = static_cast<std::uint8_t>(text_bytes);
  record_growth_ = record_tag_bytes;
  return true;
}

// The explicit part of the nonce, the text, the tag, all in their place. A record that fails leaves nothing to go on with.
bool GcmContext::crypt_record(const Output& out, Bytes in) {
  has_header_ = false;
  iv_state_ = IvState::spent;
  constexpr std::size_t beside_text = explicit_bytes + record_tag_bytes;
  if (!has_key_ || in.data() != out.data || in.size() < beside_text || !makes_ivs_ || iv_bytes_ < explicit_bytes)
    return false;
  const bool encrypts = direction_ == Direction::encrypt;
  if (encrypts && ++num_records_ == 0) return fail(PROV_R_TOO_MANY_RECORDS);
  if (!encrypts && !place_received_iv({out.data, explicit_bytes})) return false;
  const KeptBytes<most_iv_bytes> nonce = iv_;
  if (encrypts) {
    std::memcpy(out.data, iv_.bytes + iv_bytes_ - explicit_bytes, explicit_bytes);
    count_iv();
  }
  const std::size_t text_bytes = in.size() - beside_text;
  tag_bytes_ = record_tag_bytes;
  if (!crypt_record_text(nonce.bytes, out.data + explicit_bytes, text_bytes)) return false;
  *out.written = encrypts ? in.size() : text_bytes;
  return true;
}

bool GcmContext::crypt_record_text(const std::uint8_t* nonce, std::uint8_t* text, std::size_t num_bytes) {
  AeadMessage message;
  message.nonce = nonce;
  message.nonce_bytes = iv_bytes_;
  message.associated_data = header_.bytes;
  message.associated_bytes = sizeof header_.bytes;
  message.in = message.out = text;
  message.num_bytes = num_bytes;
  message.tag = text + num_bytes;
  message.expected_tag = message.tag;
  message.tag_bytes = record_tag_bytes;
  gcm_->crypt(direction_, {&message, 1}, Unverified::wiped);
  return direction_ == Direction::encrypt || message.is_authentic;
}

}  // namespace phalanx
