// openpgp.h: it does what C++ does; null pointers are usage errors.
#include <gtest/gtest.h>
#include <phalanx/files/openpgp.h>

#include <algorithm>

#include "tests/foreign/openpgp/kept_messages.hpp"
#include "tests/temporary_folder.hpp"

namespace phalanx::test {
namespace {

struct Rest {
  Bytes left;
};

int read_rest(void* user_data, std::uint8_t* out, std::size_t size, std::size_t* got_bytes) {
  Bytes& left = static_cast<Rest*>(user_data)->left;
  *got_bytes = std::min(size, left.size());
  std::copy_n(left.begin(), *got_bytes, out);
  left = left.subspan(*got_bytes);
  return 0;
}

class COpenPgp : public testing::Test {
 protected:
  KeptMessage kept = kept_messages("gnupg_2.2.40").at(0);
  phalanx_openpgp_secrets secrets = PHALANX_OPENPGP_SECRETS_INIT;
  phalanx_openpgp_reader* reader = nullptr;
  Buffer out = Buffer(1000);
  std::size_t got_bytes = 0;

  COpenPgp() {
    secrets.passphrase = reinterpret_cast<const std::uint8_t*>(kept.passphrase.data());
    secrets.passphrase_bytes = kept.passphrase.size();
  }
  ~COpenPgp() override { phalanx_openpgp_reader_free(reader); }
};

TEST_F(COpenPgp, ReadsMessages) {
  const TemporaryFolder folder;
  const std::string path = folder.write("message", kept.file);
  Rest rest{kept.file};
  for (const bool is_file : {false, true}) {
    ASSERT_EQ(is_file ? phalanx_openpgp_reader_of_file(&reader, path.c_str(), &secrets, nullptr)
                      : phalanx_openpgp_reader_new(&reader, read_rest, &rest, &secrets, nullptr),
              PHALANX_OK)
        << phalanx_last_error();
    EXPECT_EQ(phalanx_openpgp_reader_read(reader, out.data(), out.size(), &got_bytes), PHALANX_OK);
    EXPECT_TRUE(std::ranges::equal(Bytes(out).first(got_bytes), kept.plaintext));
    const char* cipher = nullptr;
    int is_authenticated = 2, is_signed = 2;
    EXPECT_EQ(phalanx_openpgp_reader_cipher(reader, &cipher), PHALANX_OK);
    EXPECT_STREQ(cipher, "des-ede3-cfb");
    EXPECT_EQ(phalanx_openpgp_reader_is_authenticated(reader, &is_authenticated), PHALANX_OK);
    EXPECT_EQ(phalanx_openpgp_reader_is_signed(reader, &is_signed), PHALANX_OK);
    EXPECT_EQ(is_authenticated, 1);
    EXPECT_EQ(is_signed, 0);
    phalanx_openpgp_reader_free(reader);
    reader = nullptr;
  }
}

TEST_F(COpenPgp, NullIsUsage) {
  EXPECT_EQ(phalanx_openpgp_reader_of_file(nullptr, "message", &secrets, nullptr), PHALANX_USAGE);
  EXPECT_EQ(phalanx_openpgp_reader_of_file(&reader, nullptr, &secrets, nullptr), PHALANX_USAGE);
  EXPECT_EQ(phalanx_openpgp_reader_of_file(&reader, "message", nullptr, nullptr), PHALANX_USAGE);
  EXPECT_EQ(phalanx_openpgp_reader_new(&reader, nullptr, nullptr, &secrets, nullptr), PHALANX_USAGE);
  EXPECT_EQ(reader, nullptr);
  EXPECT_EQ(phalanx_openpgp_reader_read(nullptr, out.data(), out.size(), &got_bytes), PHALANX_USAGE);
  const char* cipher = nullptr;
  int answer = 0;
  EXPECT_EQ(phalanx_openpgp_reader_cipher(nullptr, &cipher), PHALANX_USAGE);
  EXPECT_EQ(phalanx_openpgp_reader_is_authenticated(nullptr, &answer), PHALANX_USAGE);
  EXPECT_EQ(phalanx_openpgp_reader_is_signed(nullptr, &answer), PHALANX_USAGE);
  phalanx_openpgp_reader_free(nullptr);
}

}  // namespace
}  // namespace phalanx::test
