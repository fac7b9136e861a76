// OCB and EAX: published vectors, and OCB beside libcrypto's over lengths around blocks and slices.
#include "files/foreign/openpgp/chunk_aead.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <memory>

#include "files/foreign/openpgp/eax.hpp"
#include "files/foreign/openpgp/ocb.hpp"
#include "tests/foreign/foreign_file.hpp"
#include "tests/vector_file.hpp"

namespace phalanx::test {
namespace {

const RunOptions on_one_thread{one_thread};

// What a vector of RFC 7253 or of the paper of EAX says: ciphertext with its tag.
struct AeadVector {
  const char *key, *nonce, *associated_data, *text, *sealed;
};

void expect_opened(const ChunkAead& aead, const AeadVector& vector) {
  Buffer sealed = from_hex(vector.sealed);
  const MutableBytes text = MutableBytes(sealed).first(sealed.size() - ChunkAead::tag_bytes);
  Bytes tag = Bytes(sealed).last(ChunkAead::tag_bytes);
  const Buffer nonce = from_hex(vector.nonce), associated_data = from_hex(vector.associated_data);
  EXPECT_TRUE(aead.open(nonce, associated_data, text, tag)) << vector.sealed;
  EXPECT_EQ(Buffer(text.begin(), text.end()), from_hex(vector.text));

  for (std::size_t byte = 0; byte < sealed.size(); ++byte) {
    Buffer changed = from_hex(vector.sealed);
    changed[byte] ^= 0x10;
    const MutableBytes changed_text = MutableBytes(changed).first(text.size());
    tag = Bytes(changed).last(ChunkAead::tag_bytes);
    EXPECT_FALSE(aead.open(nonce, associated_data, changed_text, tag)) << byte;
  }
}

TEST(Ocb, OpensTheVectorsOfTheStandard) {  // RFC 7253, appendix A
  const char* const key = "000102030405060708090A0B0C0D0E0F";
  const AeadVector vectors[] = {
      {key, "BBAA99887766554433221100", "", "", "785407BFFFC8AD9EDCC5520AC9111EE6"},
      {key, "BBAA99887766554433221101", "0001020304050607", "0001020304050607",
       "6820B3657B6F615A5725BDA0D3B4EB3A257C9AF1F8F03009"},
      {key, "BBAA99887766554433221102", "0001020304050607", "", "81017F8203F081277152FADE694A0A00"},
      {key, "BBAA99887766554433221103", "", "0001020304050607", "45DD69F8F5AAE72414054CD1F35D82760B2CD00D2F99BFA9"},
      {key, "BBAA99887766554433221104", "000102030405060708090A0B0C0D0E0F", "000102030405060708090A0B0C0D0E0F",
       "571D535B60B277188BE5147170A9A22C3AD7A4FF3835B8C5701C1CCEC8FC3358"},
  };
  const Ocb ocb("aes-128", from_hex(key), on_one_thread);
  for (const AeadVector& vector : vectors) expect_opened(ocb, vector);
}

TEST(Eax, OpensTheVectorsOfThePaper) {  // appendix G
  const AeadVector vectors[] = {
      {"233952DEE4D5ED5F9B9C6D6FF80FF478", "62EC67F9C3A4A407FCB2A8C49031A8B3", "6BFB914FD07EAE6B", "",
       "E037830E8389F27B025A2D6527E79D01"},
      {"91945D3F4DCBEE0BF45EF52255F095A4", "BECAF043B0A23D843194BA972C66DEBD", "FA3BFD4806EB53FA", "F7FB",
       "19DD5C4C9331049D0BDAB0277408F67967E5"},
  };
  for (const AeadVector& vector : vectors) expect_opened(Eax("aes-128", from_hex(vector.key), on_one_thread), vector);
}

// What libcrypto's OCB makes of a text: ciphertext, and the tag behind it.
Buffer sealed_by_libcrypto(const char* name, Bytes key, Bytes nonce, Bytes associated_data, Bytes text) {
  const std::unique_ptr<EVP_CIPHER, decltype(&EVP_CIPHER_free)> cipher(EVP_CIPHER_fetch(nullptr, name, nullptr),
                                                                       EVP_CIPHER_free);
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  Buffer sealed(text.size() + ChunkAead::tag_bytes);
  int size = 0, last = 0;
  EVP_EncryptInit_ex2(context.get(), cipher.get(), nullptr, nullptr, nullptr);
  EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_IVLEN, static_cast<int>(nonce.size()), nullptr);
  EVP_EncryptInit_ex2(context.get(), nullptr, key.data(), nonce.data(), nullptr);
  if (!associated_data.empty())
    EVP_EncryptUpdate(context.get(), nullptr, &size, associated_data.data(), static_cast<int>(associated_data.size()));
  size = 0;
  if (!text.empty()) EVP_EncryptUpdate(context.get(), sealed.data(), &size, text.data(), static_cast<int>(text.size()));
  EXPECT_EQ(EVP_EncryptFinal_ex(context.get(), sealed.data() + size, &last), 1);
  EXPECT_EQ(static_cast<std::size_t>(size + last), text.size());
  EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, ChunkAead::tag_bytes, sealed.data() + text.size());
  return sealed;
}

TEST(Ocb, OpensWhatLibcryptoSealed) {
  const Buffer text = varied(40100, 1);
  for (const std::size_t key_bytes : {16, 24, 32}) {
    const std::string name = "aes-" + std::to_string(8 * key_bytes);
    const Buffer key = varied(key_bytes, 2), associated_data = varied(45, 4);
    const Ocb ocb(name, key, on_one_thread);
    for (const std::size_t size : {0, 1, 15, 16, 17, 31, 32, 33, 4096, 16383, 16384, 16385, 32768, 40100}) {
      const Buffer nonce = varied(15, static_cast<unsigned>(size));
      const Bytes data = Bytes(associated_data).first(size % 46), part = Bytes(text).first(size);
      Buffer sealed = sealed_by_libcrypto((name + "-ocb").c_str(), key, nonce, data, part);
      const MutableBytes opened = MutableBytes(sealed).first(size);
      EXPECT_TRUE(ocb.open(nonce, data, opened, Bytes(sealed).last(16))) << name << ", " << size;
      EXPECT_TRUE(std::ranges::equal(opened, part)) << name << ", " << size;
    }
  }
}

}  // namespace
}  // namespace phalanx::test
