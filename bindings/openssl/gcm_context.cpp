#include "gcm_context.hpp"

#include <algorithm>
#include <cstring>

#include "engine/bytes/equal_bytes.hpp"
#include "engine/bytes/xor_bytes.hpp"
#include "engine/library/xaes.hpp"
#include "parameter_calls.hpp"

namespace phalanx {
namespace {

// A call of memcpy takes longer than to copy so few bytes: of the usual size it is none.
template <std::size_t usual_bytes>
void copy_mostly(std::uint8_t* to, const void* from, std::size_t num_bytes) {
  if (num_bytes == usual_bytes) {
    std::memcpy(to, from, usual_bytes);
  } else {
    std::memcpy(to, from, num_bytes);
  }
}

}  // namespace

GcmContext::GcmContext(const Provider& provider, const ServedCipher& served)
    : CipherContext(provider, served), iv_bytes_(served.iv_bytes) {}

std::unique_ptr<CipherContext> GcmContext::copy() const { return std::unique_ptr<CipherContext>(new GcmContext(*this)); }

void GcmContext::set_key(Bytes key) {
  take_key(provider().engine->set_aead_key({find_cipher(served().cipher), Mode::gcm}, key, provider().num_threads));
}

Bytes GcmContext::begin_nonce(Bytes nonce) { return nonce; }

bool GcmContext::start(Direction direction, const std::uint8_t* key, std::size_t key_bytes, const std::uint8_t* iv,
                       std::size_t iv_bytes) {
  direction_ = direction;
  if (iv != nullptr) {
    if (!takes_iv_bytes(iv_bytes)) return fail(PROV_R_INVALID_IV_LENGTH);
    iv_bytes_ = iv_bytes;
    copy_mostly<12>(iv_.bytes, iv, iv_bytes);
    iv_state_ = IvState::given;
  }
  if (key == nullptr) return true;
  if (key_bytes != served().key_bytes) return fail(PROV_R_INVALID_KEY_LENGTH);
  set_key({key, key_bytes});
  has_key_ = true;
  num_records_ = 0;
  if (iv_state_ == IvState::in_use) iv_state_ = IvState::spent;  // what was begun under the old key cannot go on
  return true;
}

// The iv that was given, or a random one to encrypt with, begins a message with its first byte.
bool GcmContext::require_message() {
  if (!has_key_ || iv_state_ == IvState::spent) return false;
  if (iv_state_ == IvState::missing) {
    constexpr std::size_t least_random_bytes = 12;  // SP 800-38D section 8.2.2
    if (direction_ == Direction::decrypt || iv_bytes_ < least_random_bytes) return false;
    if (!provider().fill_random({iv_.bytes, iv_bytes_})) return false;
    iv_state_ = IvState::given;
    has_random_iv_ = true;
  }
  if (iv_state_ == IvState::given) begin_message();
  return true;
}

void GcmContext::begin_message() {
  const Bytes nonce = begin_nonce({iv_.bytes, iv_bytes_});
  nonce_bytes_ = nonce.size();
  parts_->write_first_counter_of(nonce, first_counter_.bytes);
  std::memset(y_.bytes, 0, sizeof y_.bytes);
  associated_bytes_ = text_bytes_ = 0;
  iv_state_ = IvState::in_use;
}

void GcmContext::hash_waiting() {
  const std::size_t num_bytes = (text_bytes_ == 0 ? associated_bytes_ : text_bytes_) % 16;
  if (num_bytes != 0) parts_->hash_padded(y_.bytes, {waiting_.bytes, num_bytes});
}

bool GcmContext::add_associated_data(Bytes in) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 61;  // SP 800-38D section 5.2.1.1
  if (text_bytes_ != 0 || in.size() > most_bytes - associated_bytes_) return false;
  const std::size_t kept = associated_bytes_ % 16;
  associated_bytes_ += in.size();
  if (kept != 0) {
    const std::size_t head = std::min(in.size(), 16 - kept);
    std::memcpy(waiting_.bytes + kept, in.data(), head);
    if (kept + head == 16) parts_->hash_padded(y_.bytes, waiting_.bytes);
    in = in.subspan(head);
  }
  const std::size_t whole = in.size() / 16 * 16;
  parts_->hash_padded(y_.bytes, in.first(whole));
  if (whole != in.size()) std::memcpy(waiting_.bytes, in.data() + whole, in.size() - whole);
  return true;
}

// Goes on within a block, whose key stream is there.
void GcmContext::crypt_in_block(Bytes in, std::uint8_t* out) {
  for (std::size_t i = 0; i < in.size(); ++i, ++text_bytes_) {
    const std::uint8_t given = in[i];
    out[i] = static_cast<std::uint8_t>(given ^ keystream_.bytes[text_bytes_ % 16]);
    waiting_.bytes[text_bytes_ % 16] = direction_ == Direction::encrypt ? out[i] : given;
  }
}

void GcmContext::crypt_parts(Bytes in, std::uint8_t* out) {
  const ComposedGcm& gcm = *parts_;
  if (text_bytes_ == 0) hash_waiting();  // the end of the associated data
  if (const std::size_t place = text_bytes_ % 16; place != 0) {
    const std::size_t head = std::min(in.size(), 16 - place);
    crypt_in_block(in.first(head), out);
    if (place + head == 16) gcm.hash_padded(y_.bytes, waiting_.bytes);
    in = in.subspan(head);
    out += head;
  }
  const std::size_t whole = in.size() / 16 * 16;
  if (whole != 0) {
    gcm.crypt_part(direction_, {first_counter_.bytes, nonce_bytes_, text_bytes_, in.data(), out, whole}, y_.bytes);
    text_bytes_ += whole;
  }
  if (whole == in.size()) return;
  gcm.write_keystream(first_counter_.bytes, text_bytes_ / 16, keystream_.bytes);
  crypt_in_block(in.subspan(whole), out + whole);
}

bool GcmContext::crypt_text(Bytes in, std::uint8_t* out) {
  if (in.size() > ComposedGcm::most_text_bytes - text_bytes_) return false;
  if (overlap_partly(in.data(), out, in.size())) {
    crypt_parts(SecretBytes(in), out);
  } else {
    crypt_parts(in, out);
  }
  return true;
}

bool GcmContext::end_message() {
  if (direction_ == Direction::decrypt && !tag_bytes_) {
    return provider().core_version >= 400 ? fail(PROV_R_TAG_NOT_SET) : false;  // earlier ones say nothing
  }
  hash_waiting();
  KeptBytes<16> tag;
  parts_->write_tag(first_counter_.bytes, associated_bytes_, text_bytes_, y_.bytes, tag.bytes);
  if (direction_ == Direction::decrypt) {
    const bool is_right =
        *tag_bytes_ == 16 ? are_equal(tag.bytes, tag_.bytes, 16) : are_equal(tag.bytes, tag_.bytes, *tag_bytes_);
    if (!is_right) return false;
  } else {
    tag_ = tag;
    tag_bytes_ = 16;
  }
  iv_state_ = IvState::spent;
  return true;
}

bool GcmContext::crypt(const Output& out, Bytes in) {
  if (out.room < in.size()) return fail(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
  *out.written = 0;
  if (has_header_) return crypt_record(out, in);
  if (!require_message()) return false;
  const bool is_text = out.data != nullptr;
  if (in.data() == nullptr) return end_message();
  if (!(is_text ? crypt_text(in, out.data) : add_associated_data(in))) return false;
  *out.written = in.size();
  return true;
}

bool GcmContext::update(const Output& out, Bytes in) {
  *out.written = 0;
  if (in.empty()) return true;
  if (out.room < in.size()) return fail(PROV_R_OUTPUT_BUFFER_TOO_SMALL);
  return GcmContext::crypt(out, in) || fail(PROV_R_CIPHER_OPERATION_FAILED);
}

bool GcmContext::finish(const Output& out) {
  *out.written = 0;
  if (has_header_) return crypt_record(out, {});
  return require_message() && end_message();
}

bool GcmContext::get_iv(OSSL_PARAM& asked) const {
  if (iv_state_ == IvState::missing) return false;
  if (iv_bytes_ > asked.data_size) return fail(PROV_R_INVALID_IV_LENGTH);
  return write_bytes(asked, {iv_.bytes, iv_bytes_}) || write_pointer(asked, iv_.bytes, iv_bytes_) ||
         fail(PROV_R_FAILED_TO_SET_PARAMETER);
}

bool GcmContext::get_tag(OSSL_PARAM& asked) const {
  const std::size_t num_bytes = asked.data_size;
  if (num_bytes == 0 || num_bytes > 16 || direction_ == Direction::decrypt || !tag_bytes_) return fail(PROV_R_INVALID_TAG);
  return write_bytes(asked, {tag_.bytes, num_bytes}) || fail(PROV_R_FAILED_TO_SET_PARAMETER);
}

// A message of a few bytes takes about as long as to answer for its iv's length and its tag: the first letter says which it may be.
bool GcmContext::answer_one(OSSL_PARAM& asked) {
  const auto is = [&asked](const auto& name) { return is_name(asked.key, name); };
  const auto said = [this](bool succeeded) { return succeeded || fail(PROV_R_FAILED_TO_SET_PARAMETER); };
  switch (asked.key[0]) {
    case 'i':
      if (is(OSSL_CIPHER_PARAM_IVLEN)) return said(write_size(asked, iv_bytes_));
      if (is(OSSL_CIPHER_PARAM_IV)) return get_iv(asked);
      return !are_equal_names(asked.key, iv_generated_name) || said(write_number(asked, has_random_iv_ ? 1 : 0));
    case 't':
      if (is(OSSL_CIPHER_PARAM_AEAD_TAG)) return get_tag(asked);
      if (is(OSSL_CIPHER_PARAM_AEAD_TAGLEN)) return said(write_size(asked, tag_bytes_.value_or(16)));
      if (is(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD)) return said(write_size(asked, record_growth_));
      return !is(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN) || get_generated_iv(asked);
    case 'k':
      return !is(OSSL_CIPHER_PARAM_KEYLEN) || said(write_size(asked, served().key_bytes));
    default:
      return !is(OSSL_CIPHER_PARAM_UPDATED_IV) || get_iv(asked);
  }
}

bool GcmContext::get(OSSL_PARAM* parameters) {
  for (; parameters != nullptr && parameters->key != nullptr; ++parameters) {
    if (!answer_one(*parameters)) return false;
  }
  return true;
}

bool GcmContext::set_tag(const OSSL_PARAM& given) {
  if (given.data_type != OSSL_PARAM_OCTET_STRING || given.data_size > 16) return fail(PROV_R_FAILED_TO_GET_PARAMETER);
  if (!takes_tag_bytes(given.data_size) || direction_ == Direction::encrypt) return fail(PROV_R_INVALID_TAG);
  if (given.data == nullptr) return fail(PROV_R_FAILED_TO_GET_PARAMETER);
  copy_mostly<16>(tag_.bytes, given.data, given.data_size);
  tag_bytes_ = given.data_size;
  return true;
}

bool GcmContext::set_iv_length(const OSSL_PARAM& given) {
  const std::optional<std::size_t> size = size_in(given);
  if (!size) return fail(PROV_R_FAILED_TO_GET_PARAMETER);
  if (!takes_iv_bytes(*size)) return fail(PROV_R_INVALID_IV_LENGTH);
  if (*size == iv_bytes_) return true;
  if (iv_state_ != IvState::missing) iv_state_ = IvState::spent;  // it had another length
  iv_bytes_ = *size;
  return true;
}

bool GcmContext::set(const OSSL_PARAM* parameters) {
  if (parameters == nullptr || parameters[0].key == nullptr) return true;
  const bool is_tag_alone = parameters[1].key == nullptr && is_name(parameters[0].key, OSSL_CIPHER_PARAM_AEAD_TAG);
  if (is_tag_alone) return set_tag(parameters[0]);  // as each message has it that is opened
  const auto given = [parameters](const char* name) { return find_parameter(parameters, name); };
  if (const OSSL_PARAM* tag = given(OSSL_CIPHER_PARAM_AEAD_TAG); tag != nullptr && !set_tag(*tag)) return false;
  if (const OSSL_PARAM* size = given(OSSL_CIPHER_PARAM_AEAD_IVLEN); size != nullptr && !set_iv_length(*size)) return false;
  if (served().manner == Manner::xaes_gcm) return true;
  if (const OSSL_PARAM* header = given(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD); header != nullptr && !set_record_header(*header)) {
    return false;
  }
  if (const OSSL_PARAM* fixed = given(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED); fixed != nullptr && !set_fixed_iv(*fixed)) {
    return fail(PROV_R_FAILED_TO_GET_PARAMETER);
  }
  const OSSL_PARAM* const received = given(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV);
  if (received == nullptr) return true;
  return received->data != nullptr && received->data_type == OSSL_PARAM_OCTET_STRING &&
         set_received_iv({static_cast<const std::uint8_t*>(received->data), received->data_size});
}

std::unique_ptr<CipherContext> XaesContext::copy() const { return std::unique_ptr<CipherContext>(new XaesContext(*this)); }

void XaesContext::set_key(Bytes key) { key_ = std::make_shared<const SecretBytes>(key); }

Bytes XaesContext::begin_nonce(Bytes nonce) {
  take_key(set_xaes_message_key(*provider().engine, *key_, nonce, provider().num_threads));
  return nonce.subspan(nonce.size() / 2);
}

}  // namespace phalanx
