// Random sequences of calls, with each cipher that OpenSSL has too: both must answer the same. What is left out is what
// docs/openssl.md lists as different. PHALANX_PROVIDER_SEQUENCES says how many, PHALANX_PROVIDER_SEED where they begin.
#include <cstdlib>
#include <random>

#include "compared_contexts.hpp"

namespace phalanx {
namespace {

std::uint64_t number_of_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class Sequence {
 public:
  Sequence(std::uint64_t seed, const EVP_CIPHER* ours, const EVP_CIPHER* theirs)
      : random_(seed), contexts_(ours, theirs), cipher_(ours), mode_(EVP_CIPHER_get_mode(ours)) {
    iv_bytes_ = static_cast<std::size_t>(EVP_CIPHER_get_iv_length(ours));
    is_stealing_ = (EVP_CIPHER_get_flags(ours) & EVP_CIPH_FLAG_CTS) != 0;
    is_gcm_ = mode_ == EVP_CIPH_GCM_MODE;
    is_des_ = (EVP_CIPHER_get_flags(ours) & EVP_CIPH_RAND_KEY) != 0;
    has_blocks_ = EVP_CIPHER_get_block_size(ours) > 1;
  }

  void run() {
    start(true);
    const std::size_t num_calls = 1 + below(12);
    for (std::size_t i = 0; i < num_calls && !testing::Test::HasFailure(); ++i) one_call();
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool one_in(std::size_t count) { return below(count) == 0; }
  ByteVector bytes(std::size_t count) {
    ByteVector made(count);
    for (std::uint8_t& byte : made) byte = static_cast<std::uint8_t>(random_());
    return made;
  }

  // A direction may change without the key only where OpenSSL's schedule of AES serves both ways.
  void start(bool is_first) {
    const bool serves_both_ways =
        is_des_ || (mode_ != EVP_CIPH_ECB_MODE && mode_ != EVP_CIPH_CBC_MODE && mode_ != EVP_CIPH_XTS_MODE);
    const bool gives_key = is_first || one_in(2);
    bool gives_iv = is_first || one_in(2);
    if (is_gcm_ && gives_key) gives_iv = true;  // a message under two keys is refused
    int encrypts = static_cast<int>(below(2));
    if (!gives_key && !serves_both_ways) encrypts = encrypts_;
    if (is_gcm_ && is_first && one_in(3)) set_iv_length(true);
    const ByteVector key = bytes(static_cast<std::size_t>(EVP_CIPHER_get_key_length(cipher_))), iv = bytes(128);
    contexts_.call("init", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher, ByteVector&) {
      const bool names_cipher = is_first && !has_cipher_;
      return EVP_CipherInit_ex2(context, names_cipher ? cipher : nullptr, gives_key ? key.data() : nullptr,
                                gives_iv ? iv.data() : nullptr, encrypts, nullptr);
    });
    has_cipher_ = true;
    encrypts_ = encrypts;
    num_kept_ = num_text_ = 0;
    if (gives_iv) iv_ = ByteVector(iv.begin(), iv.begin() + static_cast<std::ptrdiff_t>(iv_bytes_));
  }

  void one_call() {
    switch (below(is_gcm_ ? 15 : 11)) {
      case 0:
        return start(false);
      case 1:
        return finish();
      case 2:
        return contexts_.copy();
      case 3:
        return get_parameters();
      case 4:
        return set_parameters();
      case 5:
        return crypt();
      case 11:
        return add_associated_data();
      case 12:
        return one_in(2) ? set_iv_length(false) : use_tls_iv();
      case 13:
        return use_tag();
      case 14:
        return crypt_record();
      default:
        return update();
    }
  }

  std::size_t length() {
    if (mode_ == EVP_CIPH_XTS_MODE || is_stealing_) return one_in(8) ? below(20) : 16 + below(100) * (one_in(4) ? 40 : 1);
    return one_in(3) ? below(20) : one_in(4) ? 16 * below(12) : below(200) * (one_in(6) ? 30 : 1);
  }

  void update() {
    const ByteVector in = bytes(length());
    // In place where nothing was kept, which would move the result on.
    const bool is_in_place = num_kept_ == 0 && one_in(3);
    contexts_.call("update", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER*, ByteVector& out) {
      out.assign(in.size() + 32, 0xa5);
      if (is_in_place) std::copy(in.begin(), in.end(), out.begin());
      int written = -1;
      const int returned =
          EVP_CipherUpdate(context, out.data(), &written, is_in_place ? out.data() : in.data(), static_cast<int>(in.size()));
      out.push_back(static_cast<std::uint8_t>(written));
      if (returned != 1) out.clear();
      return returned;
    });
    if (has_blocks_) num_kept_ += in.size();
    num_text_ += in.size();
  }

  void finish() {
    contexts_.call("final", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER*, ByteVector& out) {
      out.assign(40, 0xa5);
      int written = -1;
      const int returned = EVP_CipherFinal_ex(context, out.data(), &written);
      out.push_back(static_cast<std::uint8_t>(written));
      if (returned != 1) out.clear();
      return returned;
    });
  }

  // EVP_Cipher, of whole blocks where there are such.
  void crypt() {
    if (is_gcm_ && one_in(2)) return;
    const std::size_t wanted = length();
    const ByteVector in = bytes(has_blocks_ ? wanted / 16 * 16 : std::max<std::size_t>(wanted, 1));
    contexts_.call("EVP_Cipher", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER*, ByteVector& out) {
      out.assign(in.size() + 16, 0xa5);
      const int returned = EVP_Cipher(context, out.data(), in.data(), static_cast<unsigned>(in.size()));
      if (returned <= 0) out.clear();
      return returned;
    });
    num_text_ += in.size();
  }

  void get_parameters() {
    contexts_.call("get_params", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER*, ByteVector& out) {
      out.assign(128 * 2 + 40, 0xa5);
      std::size_t sizes[3] = {7, 7, 7};
      unsigned numbers[2] = {7, 7};
      OSSL_PARAM parameters[8];
      std::size_t count = 0;
      parameters[count++] = OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_KEYLEN, &sizes[0]);
      parameters[count++] = OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_IVLEN, &sizes[1]);
      parameters[count++] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_IV, out.data(), 128);
      parameters[count++] = OSSL_PARAM_construct_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, out.data() + 128, 128);
      if (is_gcm_) {
        parameters[count++] = OSSL_PARAM_construct_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, &sizes[2]);
      } else {
        parameters[count++] = OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_PADDING, &numbers[0]);
        parameters[count++] = OSSL_PARAM_construct_uint(OSSL_CIPHER_PARAM_NUM, &numbers[1]);
      }
      parameters[count] = OSSL_PARAM_construct_end();
      const int returned = EVP_CIPHER_CTX_get_params(context, parameters);
      for (const std::size_t size : sizes) out.push_back(static_cast<std::uint8_t>(size));
      for (const unsigned number : numbers) out.push_back(static_cast<std::uint8_t>(number));
      for (std::size_t i = 0; i < count; ++i) out.push_back(static_cast<std::uint8_t>(parameters[i].return_size));
      return returned;
    });
  }

  void set_parameters() {
    if (is_gcm_) return;
    if (is_stealing_ && one_in(2)) {
      const char* const orders[] = {"CS1", "CS2", "CS3", "cs2", "CS4"};
      const char* const order = orders[below(5)];
      contexts_.call("cts_mode", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER*, ByteVector&) {
        const OSSL_PARAM parameters[] = {
            OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, const_cast<char*>(order), 0),
            OSSL_PARAM_construct_end()};
        return EVP_CIPHER_CTX_set_params(context, parameters);
      });
    } else if (!has_blocks_ && mode_ != EVP_CIPH_XTS_MODE && one_in(2)) {
      const int number = static_cast<int>(one_in(2) ? 0 : below(is_des_ ? 8 : 16));
      if (number != 0 && !takes_num()) return;
      contexts_.call("num", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER*, ByteVector&) {
        return EVP_CIPHER_CTX_set_num(context, number);
      });
    } else {
      const int pads = static_cast<int>(below(2));
      contexts_.call("padding", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER*, ByteVector&) {
        return EVP_CIPHER_CTX_set_padding(context, pads);
      });
      ++num_kept_;  // a block may wait that would not have
    }
  }

  // Later releases of OpenSSL 3.0 and others refuse it in modes without blocks; a probe of theirs says whether this one does.
  bool takes_num() {
    static const bool takes = [] {
      const ContextPointer context(EVP_CIPHER_CTX_new());
      const ByteVector key(16, 0);
      EVP_EncryptInit_ex(context.get(), EVP_aes_128_ctr(), nullptr, key.data(), key.data());
      const bool is_taken = EVP_CIPHER_CTX_set_num(context.get(), 3) == 1;
      ERR_clear_error();
      return is_taken;
    }();
    return takes;
  }

  void add_associated_data() {
    const ByteVector in = bytes(below(50));
    contexts_.call("associated data", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER*, ByteVector& out) {
      int written = -1;
      const int returned = EVP_CipherUpdate(context, nullptr, &written, in.data(), static_cast<int>(in.size()));
      if (returned == 1) out.push_back(static_cast<std::uint8_t>(written));
      return returned;
    });
  }

  // At the first call the cipher is named before, so that the iv comes in that length.
  void set_iv_length(bool is_first) {
    const int size = static_cast<int>(one_in(4) ? below(140) : one_in(2) ? 12 : 1 + below(128));
    const Answer answer = contexts_.call("ivlen", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher, ByteVector&) {
      if (is_first && EVP_CipherInit_ex2(context, cipher, nullptr, nullptr, 1, nullptr) != 1) return -7;
      return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, size, nullptr);
    });
    if (is_first) has_cipher_ = true;
    if (answer.returned == 1) iv_bytes_ = static_cast<std::size_t>(size);
  }

  // The whole iv, since what is drawn for a part of it differs.
  void use_tls_iv() {
    ByteVector iv = bytes(128);
    const std::size_t kind = below(4);
    const int size = static_cast<int>(kind == 2 ? below(20) : 1 + below(12));
    if (iv_bytes_ < 8) return;
    contexts_.call("tls iv", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER*, ByteVector& out) {
      ByteVector given = iv;
      if (kind == 0) return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IV_FIXED, -1, given.data());
      if (kind == 1 && encrypts_ == 0 && static_cast<std::size_t>(size) <= iv_bytes_)
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IV_FIXED, size, given.data());
      if (kind == 2) {
        out.assign(140, 0xa5);  // of no size, it is the whole iv
        return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_IV_GEN, size, out.data());
      }
      if (static_cast<std::size_t>(size) > iv_bytes_) return 1;
      return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_IV_INV, size, given.data());
    });
  }

  void use_tag() {
    const int size = static_cast<int>(below(18));
    ByteVector tag = bytes(18);
    const bool sets = one_in(2) || has_lost_tag_;
    const Answer answer =
        contexts_.call(sets ? "set tag" : "get tag", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER*, ByteVector& out) {
          ByteVector given = tag;
          if (sets) return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, size, given.data());
          out.assign(20, 0xa5);
          const int returned = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, size, out.data());
          if (returned != 1) out.clear();
          return returned;
        });
    if (sets && answer.returned != 1)
      has_lost_tag_ = true;  // OpenSSL refuses a tag after it has overwritten the one it made
  }

  // OpenSSL keeps a record's header where the tag is: nobody may ask for a tag after it.
  void crypt_record() {
    if (iv_bytes_ < 8) return;  // OpenSSL reads before the iv's beginning
    const std::size_t text_bytes = below(300), whole = text_bytes + 24;
    ByteVector record = bytes(whole), header = bytes(one_in(10) ? 12 : 13);
    header[header.size() - 2] = static_cast<std::uint8_t>((encrypts_ != 0 ? text_bytes + 8 : whole) >> 8);
    header[header.size() - 1] = static_cast<std::uint8_t>(encrypts_ != 0 ? text_bytes + 8 : whole);
    contexts_.call("record", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER*, ByteVector& out) {
      ByteVector given = header;
      const int grown = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_TLS1_AAD, static_cast<int>(given.size()), given.data());
      out = record;
      int written = -1;
      const int returned = EVP_CipherUpdate(context, out.data(), &written, out.data(), static_cast<int>(out.size()));
      if (returned != 1) out.clear();
      out.push_back(static_cast<std::uint8_t>(written));
      out.push_back(static_cast<std::uint8_t>(grown));
      return returned;
    });
    has_lost_tag_ = true;
    start(true);
  }

  std::mt19937_64 random_;
  ComparedContexts contexts_;
  const EVP_CIPHER* cipher_;
  int mode_;
  std::size_t iv_bytes_;
  bool is_stealing_, is_gcm_, is_des_, has_blocks_;
  bool has_cipher_ = false;
  bool has_lost_tag_ = false;
  int encrypts_ = 1;
  std::size_t num_kept_ = 0, num_text_ = 0;
  ByteVector iv_;
};

TEST(RandomCalls, GetTheAnswersOfOpenssl) {
  const ThreeProviders providers;
  std::vector<std::pair<CipherPointer, CipherPointer>> ciphers;
  for (const std::string& name : providers.names()) {
    CipherPointer theirs = providers.theirs(name.c_str());
    if (theirs != nullptr) ciphers.emplace_back(providers.ours(name.c_str()), std::move(theirs));
  }
  ASSERT_FALSE(ciphers.empty());
  const std::uint64_t num_sequences = number_of_environment("PHALANX_PROVIDER_SEQUENCES", 20000);
  const std::uint64_t first_seed = number_of_environment("PHALANX_PROVIDER_SEED", 1);
  for (std::uint64_t seed = first_seed; seed < first_seed + num_sequences; ++seed) {
    const auto& [ours, theirs] = ciphers[seed % ciphers.size()];
    Sequence(seed, ours.get(), theirs.get()).run();
    ASSERT_FALSE(HasFailure()) << EVP_CIPHER_get0_name(ours.get()) << ", PHALANX_PROVIDER_SEED=" << seed;
  }
}

// A data unit of XTS has at most 2^20 blocks (IEEE 1619-2018 section 5.1), either way.
TEST(RandomCalls, LongDataUnitsAreRefusedAsInOpenssl) {
  const ThreeProviders providers;
  const CipherPointer ours = providers.ours("AES-128-XTS"), theirs = providers.theirs("AES-128-XTS");
  ByteVector key(32, 1);
  key[0] = 2;
  for (const int encrypts : {1, 0}) {
    for (const std::size_t size : {std::size_t{16} << 20, (std::size_t{16} << 20) + 1}) {
      ComparedContexts contexts(ours.get(), theirs.get());
      const Answer answer =
          contexts.call("a long unit", [&](EVP_CIPHER_CTX* context, const EVP_CIPHER* cipher, ByteVector& out) {
            if (EVP_CipherInit_ex2(context, cipher, key.data(), key.data(), encrypts, nullptr) != 1) return -7;
            ByteVector text(size, 3);
            int written = 0;
            const int returned = EVP_CipherUpdate(context, text.data(), &written, text.data(), static_cast<int>(size));
            if (returned == 1) out.assign(text.end() - 100, text.end());
            return returned;
          });
      EXPECT_EQ(answer.returned, size == std::size_t{16} << 20 ? 1 : 0);
    }
  }
}

}  // namespace
}  // namespace phalanx
