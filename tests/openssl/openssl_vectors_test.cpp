// OpenSSL's own test vectors of our ciphers, by OpenSSL's provider and by ours: whole, by bytes, and in pieces; in place too.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "vector_blocks.hpp"

namespace phalanx {
namespace {

// How a text is cut into updates: pieces of that many bytes; 0: one piece.
constexpr std::size_t cuts[] = {0, 1, 7, 16, 33};

struct Outcome {
  bool succeeded = false;
  ByteVector out;
  ByteVector tag;
  ByteVector next_iv;
};

class Run {
 public:
  Run(const EVP_CIPHER* cipher, const VectorBlock& block, bool encrypts, std::size_t cut, bool is_in_place)
      : cipher_(cipher), block_(block), encrypts_(encrypts), cut_(cut), is_in_place_(is_in_place) {}

  Outcome run() {
    outcome_.succeeded = start() && crypt() && finish();
    ERR_clear_error();
    return outcome_;
  }

 private:
  [[nodiscard]] bool is_aead() const { return (EVP_CIPHER_get_flags(cipher_) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0; }

  bool start() {
    const ByteVector key = block_.bytes("Key"), iv = block_.bytes("IV");
    if (EVP_CipherInit_ex2(context_.get(), cipher_, nullptr, nullptr, encrypts_, nullptr) != 1) return false;
    if (is_aead() &&
        EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(iv.size()), nullptr) != 1) {
      return false;
    }
    if (!is_aead() && static_cast<int>(iv.size()) != EVP_CIPHER_get_iv_length(cipher_)) return false;
    if (static_cast<int>(key.size()) != EVP_CIPHER_get_key_length(cipher_)) return false;
    if (EVP_CipherInit_ex2(context_.get(), nullptr, key.data(), iv.empty() ? nullptr : iv.data(), -1, nullptr) != 1)
      return false;
    if (block_.has("CTSMode") && !set_order()) return false;
    EVP_CIPHER_CTX_set_padding(context_.get(), 0);
    if (!is_aead()) return true;
    if (!encrypts_ && !set_tag()) return false;
    return add_associated_data();
  }

  bool set_order() {
    std::string order = block_.text("CTSMode");
    const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, order.data(), 0),
                                     OSSL_PARAM_construct_end()};
    return EVP_CIPHER_CTX_set_params(context_.get(), parameters) == 1;
  }

  bool set_tag() {
    ByteVector tag = block_.bytes("Tag");
    return EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, static_cast<int>(tag.size()), tag.data()) == 1;
  }

  bool add_associated_data() {
    const ByteVector data = block_.bytes("AAD");
    return in_pieces(data.size(), [&](std::size_t place, std::size_t size) {
      int written = 0;
      return EVP_CipherUpdate(context_.get(), nullptr, &written, data.data() + place, static_cast<int>(size)) == 1;
    });
  }

  template <class Piece>
  bool in_pieces(std::size_t size, const Piece& piece) const {
    const std::size_t step = cut_ == 0 ? std::max<std::size_t>(size, 1) : cut_;
    for (std::size_t place = 0; place < size; place += step) {
      if (!piece(place, std::min(step, size - place))) return false;
    }
    return true;
  }

  bool crypt() {
    const ByteVector in = block_.bytes(encrypts_ ? "Plaintext" : "Ciphertext");
    outcome_.out = in;
    outcome_.out.resize(in.size() + 64);
    return in_pieces(in.size(), [&](std::size_t place, std::size_t size) {
      int written = 0;
      const std::uint8_t* const from = is_in_place_ ? outcome_.out.data() : in.data();
      const bool succeeded = EVP_CipherUpdate(context_.get(), outcome_.out.data() + num_out_, &written, from + place,
                                              static_cast<int>(size)) == 1;
      num_out_ += static_cast<std::size_t>(written);
      return succeeded;
    });
  }

  bool finish() {
    int written = 0;
    if (EVP_CipherFinal_ex(context_.get(), outcome_.out.data() + num_out_, &written) != 1) return false;
    outcome_.out.resize(num_out_ + static_cast<std::size_t>(written));
    outcome_.next_iv.assign(static_cast<std::size_t>(EVP_CIPHER_CTX_get_iv_length(context_.get())), 0);
    if (EVP_CIPHER_CTX_get_updated_iv(context_.get(), outcome_.next_iv.data(), outcome_.next_iv.size()) != 1) return false;
    if (!is_aead() || !encrypts_) return true;
    outcome_.tag.assign(block_.bytes("Tag").size(), 0);
    return EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, static_cast<int>(outcome_.tag.size()),
                               outcome_.tag.data()) == 1;
  }

  const EVP_CIPHER* cipher_;
  const VectorBlock& block_;
  int encrypts_;
  std::size_t cut_;
  bool is_in_place_;
  ContextPointer context_{EVP_CIPHER_CTX_new()};
  std::size_t num_out_ = 0;
  Outcome outcome_;
};

bool takes_one_update(const EVP_CIPHER* cipher) {
  return EVP_CIPHER_get_mode(cipher) == EVP_CIPH_XTS_MODE || (EVP_CIPHER_get_flags(cipher) & EVP_CIPH_FLAG_CTS) != 0;
}

// In pieces that are no blocks, results of ECB and CBC move on: in place that would overwrite what is to come.
bool may_be_in_place(const EVP_CIPHER* cipher, std::size_t cut) {
  return EVP_CIPHER_get_block_size(cipher) == 1 || cut % 16 == 0;
}

void expect_outcome(const EVP_CIPHER* cipher, const VectorBlock& block, bool encrypts, std::size_t cut, bool is_in_place) {
  const Outcome outcome = Run(cipher, block, encrypts, cut, is_in_place).run();
  EXPECT_EQ(outcome.succeeded, !block.has("Result"));
  if (!outcome.succeeded || block.has("Result")) return;
  EXPECT_EQ(outcome.out, block.bytes(encrypts ? "Ciphertext" : "Plaintext"));
  if (encrypts && block.has("Tag")) {
    EXPECT_EQ(outcome.tag, block.bytes("Tag"));
  }
  if (block.has("NextIV")) {
    EXPECT_EQ(outcome.next_iv, block.bytes("NextIV"));
  }
}

void expect_block(const EVP_CIPHER* cipher, const VectorBlock& block) {
  for (const bool encrypts : {true, false}) {
    if (block.has("Operation") && (block.text("Operation") == "ENCRYPT") != encrypts) continue;
    if (!block.has(encrypts ? "Plaintext" : "Ciphertext")) continue;
    for (const std::size_t cut : cuts) {
      if (cut != 0 && takes_one_update(cipher)) continue;
      expect_outcome(cipher, block, encrypts, cut, false);
      if (may_be_in_place(cipher, cut)) expect_outcome(cipher, block, encrypts, cut, true);
    }
  }
}

std::string vectors_folder() {
  const char* const folder = std::getenv("PHALANX_OPENSSL_VECTORS");
  return folder == nullptr ? "" : folder;
}

// How many blocks of a file are of ciphers that we have.
std::size_t check_file(const ThreeProviders& providers, const std::string& name) {
  std::size_t num_ours = 0;
  for (const VectorBlock& block : read_vector_blocks(vectors_folder() + "/" + name)) {
    const std::string cipher = block.text("Cipher");
    const CipherPointer ours = providers.ours(cipher.c_str()), theirs = providers.theirs(cipher.c_str());
    ERR_clear_error();
    if (ours == nullptr || block.text("Availablein") == "fips") continue;
    SCOPED_TRACE(name + ":" + std::to_string(block.line) + ": " + cipher);
    if (!theirs) ADD_FAILURE() << "OpenSSL has no " << cipher;
    if (theirs) expect_block(theirs.get(), block);
    expect_block(ours.get(), block);
    ++num_ours;
  }
  return num_ours;
}

TEST(OpensslVectors, AreOurs) {
  if (!std::filesystem::exists(vectors_folder() + "/evpciph_aes_common.txt")) GTEST_SKIP() << "no vectors of OpenSSL";
  const ThreeProviders providers;
  // As many as OpenSSL 3.0.22 has, of 165, 42, 13 and 3; the others are of CCM, CFB1, DESX and FIPS. Later releases add some.
  EXPECT_GE(check_file(providers, "evpciph_aes_common.txt"), 161U);
  EXPECT_GE(check_file(providers, "evpciph_aes_cts.txt"), 42U);
  EXPECT_GE(check_file(providers, "evpciph_des.txt"), 10U);
  EXPECT_GE(check_file(providers, "evpciph_des3_common.txt"), 3U);
}

}  // namespace
}  // namespace phalanx
