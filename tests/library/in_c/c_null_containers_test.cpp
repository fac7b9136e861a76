// Every function of container.h with every pointer null, one at a time, and with sizes that no memory has: a usage error; never a
// crash.
#include <phalanx/files/container.h>

#include "tests/library/in_c/c_null.hpp"

namespace phalanx::test {
namespace {

int read_nothing(void* /*user_data*/, std::uint64_t /*offset*/, std::uint8_t* /*out*/, std::size_t /*size*/) { return 1; }

TEST_F(CNull, MakingContainers) {
  const phalanx_recipient good = {sizeof(phalanx_recipient), PHALANX_KEY, data, 32, 0, 0, 0};
  const phalanx_recipient without_secret = {sizeof(phalanx_recipient), PHALANX_KEY, nullptr, 32, 0, 0, 0};
  const phalanx_recipient too_long = {sizeof(phalanx_recipient), PHALANX_PASSPHRASE, data, too_many, 0, 0, 0};
  std::uint64_t size = 0;
  EXPECT_USAGE(phalanx_container_bytes(nullptr, &good, 1, 9, nullptr, &size));
  EXPECT_USAGE(phalanx_container_bytes("aes-256", nullptr, 1, 9, nullptr, &size));
  EXPECT_USAGE(phalanx_container_bytes("aes-256", &good, 1, 9, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_bytes("aes-256", &good, 1, UINT64_MAX, nullptr, &size));
  EXPECT_USAGE(phalanx_container_bytes("aes-256", &good, too_many, 9, nullptr, &size));
  EXPECT_USAGE(phalanx_container_bytes("aes-256", &without_secret, 1, 9, nullptr, &size));
  for (const phalanx_recipient& bad : {phalanx_recipient{sizeof(phalanx_recipient), PHALANX_KEY, data, 31, 0, 0, 0},
                                       {sizeof(phalanx_recipient), PHALANX_KEY, data, 0, 0, 0, 0},
                                       {sizeof(phalanx_recipient), PHALANX_PASSPHRASE, data, 0, 0, 0, 0},
                                       {sizeof(phalanx_recipient), PHALANX_PUBLIC_KEY, data, 20, 0, 0, 0},
                                       {0, PHALANX_KEY, data, 32, 0, 0, 0}}) {
    EXPECT_USAGE(phalanx_container_bytes("aes-256", &bad, 1, 9, nullptr, &size));
  }
  const phalanx_recipient costly = {sizeof(phalanx_recipient), PHALANX_PASSPHRASE, data, 8, 30, 8, 1};
  EXPECT_EQ(phalanx_container_bytes("aes-256", &costly, 1, 9, nullptr, &size), PHALANX_POLICY);
  EXPECT_USAGE(phalanx_container_bytes("aes-256", &good, 0, 9, nullptr, &size));
  ASSERT_EQ(phalanx_container_bytes("aes-256", &good, 1, 9, nullptr, &size), PHALANX_OK);
  Buffer out(size);
  EXPECT_USAGE(phalanx_container_seal(nullptr, &good, 1, data, 9, out.data(), size, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_seal("aes-256", nullptr, 1, data, 9, out.data(), size, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_seal("aes-256", &good, 1, nullptr, 9, out.data(), size, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_seal("aes-256", &good, 1, data, 9, nullptr, size, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_seal("aes-256", &good, 1, data, too_many, out.data(), size, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_seal("aes-256", &good, 1, data, 9, out.data(), too_many, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_seal("aes-256", &without_secret, 1, data, 9, out.data(), size, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_seal("aes-256", &too_long, 1, data, 9, out.data(), size, nullptr, nullptr));
}

int append_nothing(void* /*user_data*/, const std::uint8_t* /*bytes*/, std::size_t /*size*/) { return 0; }
int fail_to_append(void* /*user_data*/, const std::uint8_t* /*bytes*/, std::size_t /*size*/) { return 1; }

TEST_F(CNull, WritingContainers) {
  const phalanx_recipient good = {sizeof(phalanx_recipient), PHALANX_KEY, data, 32, 0, 0, 0};
  phalanx_container_writer* writer = nullptr;
  EXPECT_USAGE(phalanx_container_writer_new(nullptr, append_nothing, nullptr, "aes-256", &good, 1, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_writer_new(&writer, nullptr, nullptr, "aes-256", &good, 1, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_writer_new(&writer, append_nothing, nullptr, nullptr, &good, 1, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_writer_new(&writer, append_nothing, nullptr, "aes-256", nullptr, 1, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_writer_new(&writer, append_nothing, nullptr, "aes-256", nullptr, 0, nullptr, nullptr));
  EXPECT_EQ(phalanx_container_writer_new(&writer, fail_to_append, nullptr, "aes-256", &good, 1, nullptr, nullptr),
            PHALANX_RUNTIME);
  EXPECT_EQ(writer, nullptr);
  ASSERT_EQ(phalanx_container_writer_new(&writer, append_nothing, nullptr, "aes-256", &good, 1, nullptr, nullptr),
            PHALANX_OK);
  EXPECT_USAGE(phalanx_container_writer_write(nullptr, data, 9));
  EXPECT_USAGE(phalanx_container_writer_write(writer, nullptr, 9));
  EXPECT_USAGE(phalanx_container_writer_write(writer, data, too_many));
  EXPECT_EQ(phalanx_container_writer_write(writer, nullptr, 0), PHALANX_OK);
  EXPECT_USAGE(phalanx_container_writer_finish(nullptr));
  EXPECT_EQ(phalanx_container_writer_finish(writer), PHALANX_OK);
  EXPECT_USAGE(phalanx_container_writer_finish(writer));
  phalanx_container_writer_free(writer);
  phalanx_container_writer_free(nullptr);
}

TEST_F(CNull, ReadingContainers) {
  const phalanx_recipient recipient = {sizeof(phalanx_recipient), PHALANX_KEY, data, 32, 0, 0, 0};
  const phalanx_identity good = {sizeof(phalanx_identity), PHALANX_KEY, data, 32};
  std::uint64_t size = 0;
  ASSERT_EQ(phalanx_container_bytes("aes-256", &recipient, 1, 9, nullptr, &size), PHALANX_OK);
  Buffer sealed(size);
  ASSERT_EQ(phalanx_container_seal("aes-256", &recipient, 1, data, 9, sealed.data(), size, nullptr, nullptr), PHALANX_OK);
  phalanx_container_reader* reader = nullptr;
  EXPECT_USAGE(phalanx_container_reader_new(nullptr, read_nothing, nullptr, size, &good, 1, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_reader_new(&reader, nullptr, nullptr, size, &good, 1, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_reader_new(&reader, read_nothing, nullptr, size, nullptr, 1, nullptr, nullptr, nullptr));
  EXPECT_EQ(phalanx_container_reader_new(&reader, read_nothing, nullptr, size, &good, 1, nullptr, nullptr, nullptr),
            PHALANX_RUNTIME);
  const auto open = [&](phalanx_container_reader** place, const std::uint8_t* in, std::size_t in_bytes,
                        const phalanx_identity* who, const phalanx_cost_limits* limits) {
    return phalanx_container_reader_of_memory(place, in, in_bytes, who, 1, limits, nullptr, nullptr);
  };
  phalanx_cost_limits bad = PHALANX_COST_LIMITS_INIT;
  bad.struct_bytes = 0;
  EXPECT_USAGE(open(nullptr, sealed.data(), size, &good, nullptr));
  EXPECT_USAGE(open(&reader, nullptr, size, &good, nullptr));
  EXPECT_USAGE(open(&reader, sealed.data(), size, nullptr, nullptr));
  EXPECT_USAGE(open(&reader, sealed.data(), too_many, &good, nullptr));
  EXPECT_USAGE(open(&reader, sealed.data(), size, &good, &bad));
  EXPECT_EQ(open(&reader, nullptr, 0, &good, nullptr), PHALANX_TRUNCATED);
  EXPECT_USAGE(phalanx_container_reader_of_file(nullptr, "/", &good, 1, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_reader_of_file(&reader, nullptr, &good, 1, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_container_reader_of_file(&reader, "/", nullptr, 1, nullptr, nullptr, nullptr));
  EXPECT_EQ(phalanx_container_reader_of_file(&reader, "/", &good, 1, nullptr, nullptr, nullptr), PHALANX_RUNTIME);
  ASSERT_EQ(open(&reader, sealed.data(), size, &good, nullptr), PHALANX_OK);
  std::uint64_t plain_bytes = 0;
  const char* suite = nullptr;
  EXPECT_USAGE(phalanx_container_reader_size(nullptr, &plain_bytes));
  EXPECT_USAGE(phalanx_container_reader_size(reader, nullptr));
  EXPECT_USAGE(phalanx_container_reader_suite(nullptr, &suite));
  EXPECT_USAGE(phalanx_container_reader_suite(reader, nullptr));
  EXPECT_USAGE(phalanx_container_reader_read(nullptr, 0, data, 9));
  EXPECT_USAGE(phalanx_container_reader_read(reader, 0, nullptr, 9));
  EXPECT_USAGE(phalanx_container_reader_read(reader, 0, data, too_many));
  EXPECT_EQ(phalanx_container_reader_read(reader, 9, nullptr, 0), PHALANX_OK);
  phalanx_container_reader_free(reader);
  phalanx_container_reader_free(nullptr);
}

}  // namespace
}  // namespace phalanx::test
