// cms.h: it does what C++ does; null pointers and impossible sizes are usage errors.
#include <gtest/gtest.h>
#include <phalanx/files/cms.h>

#include <algorithm>

#include "tests/temporary_folder.hpp"
#include "tests/vector_file.hpp"

namespace phalanx::test {
namespace {

#define EXPECT_USAGE(call) EXPECT_EQ(call, PHALANX_USAGE) << #call << ": " << phalanx_last_error()

const std::size_t too_many = SIZE_MAX - 7;

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

class CCms : public testing::Test {
 protected:
  Record example = load_records(vectors_folder() / "cms" / "rfc4134.txt").front();
  Buffer message = example.bytes("message"), private_key = example.bytes("key"), content = example.bytes("content");
  phalanx_cms_keys keys = PHALANX_CMS_KEYS_INIT;
  phalanx_cms_reader* reader = nullptr;
  Buffer out = Buffer(100);
  std::size_t got_bytes = 0;

  CCms() {
    keys.private_key = private_key.data();
    keys.private_key_bytes = private_key.size();
  }
  ~CCms() override { phalanx_cms_reader_free(reader); }
};

TEST_F(CCms, ReadsMessages) {
  const TemporaryFolder folder;
  const std::string path = folder.write("message", message);
  Rest rest{message};
  for (const bool is_file : {false, true}) {
    ASSERT_EQ(is_file ? phalanx_cms_reader_of_file(&reader, path.c_str(), &keys, nullptr)
                      : phalanx_cms_reader_new(&reader, read_rest, &rest, &keys, nullptr),
              PHALANX_OK)
        << phalanx_last_error();
    EXPECT_EQ(phalanx_cms_reader_read(reader, out.data(), out.size(), &got_bytes), PHALANX_OK);
    EXPECT_TRUE(std::ranges::equal(Bytes(out).first(got_bytes), content));
    const char* cipher = nullptr;
    int is_authenticated = 2;
    EXPECT_EQ(phalanx_cms_reader_cipher(reader, &cipher), PHALANX_OK);
    EXPECT_STREQ(cipher, "des-ede3-cbc");
    EXPECT_EQ(phalanx_cms_reader_is_authenticated(reader, &is_authenticated), PHALANX_OK);
    EXPECT_EQ(is_authenticated, 0);
    phalanx_cms_reader_free(std::exchange(reader, nullptr));
  }
}

TEST_F(CCms, FailsTheSameAgainAndAgain) {
  message.back() ^= 0x40;
  Rest rest{message};
  ASSERT_EQ(phalanx_cms_reader_new(&reader, read_rest, &rest, &keys, nullptr), PHALANX_OK);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(phalanx_cms_reader_read(reader, out.data(), out.size(), &got_bytes), PHALANX_WRONG_KEY);
}

TEST_F(CCms, RefusesNullAndImpossibleSizes) {
  Rest rest{message};
  const auto begin = [&] { return phalanx_cms_reader_new(&reader, read_rest, &rest, &keys, nullptr); };
  EXPECT_USAGE(phalanx_cms_reader_new(nullptr, read_rest, &rest, &keys, nullptr));
  EXPECT_USAGE(phalanx_cms_reader_new(&reader, nullptr, &rest, &keys, nullptr));
  EXPECT_USAGE(phalanx_cms_reader_new(&reader, read_rest, &rest, nullptr, nullptr));
  EXPECT_USAGE(phalanx_cms_reader_of_file(&reader, nullptr, &keys, nullptr));
  keys.key_bytes = 1;
  EXPECT_USAGE(begin());
  keys.key = private_key.data();
  EXPECT_USAGE(begin()) << "two keys";
  keys.key_bytes = too_many;
  EXPECT_USAGE(begin());
  keys = PHALANX_CMS_KEYS_INIT;
  EXPECT_USAGE(begin()) << "no key";
  keys.passphrase = private_key.data();
  EXPECT_EQ(begin(), PHALANX_WRONG_KEY) << "an empty passphrase opens no recipient of this message";
  keys.struct_bytes = 1;
  EXPECT_USAGE(begin());
  EXPECT_EQ(reader, nullptr);
  EXPECT_USAGE(phalanx_cms_reader_read(nullptr, out.data(), 1, &got_bytes));
  EXPECT_USAGE(phalanx_cms_reader_cipher(nullptr, nullptr));
  EXPECT_USAGE(phalanx_cms_reader_is_authenticated(nullptr, nullptr));
  phalanx_cms_reader_free(nullptr);
}

}  // namespace
}  // namespace phalanx::test
