// chunked.h: the same as chunked.hpp, and every pointer null, one at a time, and sizes that no memory has.
#include <fcntl.h>
#include <phalanx/files/chunked_file.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "chunked_fixture.hpp"

namespace phalanx::test {
namespace {

const std::size_t too_many = SIZE_MAX - 7;

int append_to_vector(void* user_data, const std::uint8_t* bytes, std::size_t size) {
  auto& all = *static_cast<ByteVector*>(user_data);
  all.insert(all.end(), bytes, bytes + size);
  return 0;
}
int fail_to_append(void* /*user_data*/, const std::uint8_t* /*bytes*/, std::size_t /*size*/) { return 1; }
int read_from_vector(void* user_data, std::uint64_t offset, std::uint8_t* out, std::size_t size) {
  const auto& all = *static_cast<const ByteVector*>(user_data);
  if (offset > all.size() || size > all.size() - offset) return -1;
  std::copy_n(all.begin() + static_cast<long>(offset), size, out);
  return 0;
}

#define EXPECT_USAGE(call)                                                                               \
  do {                                                                                                   \
    EXPECT_EQ(call, PHALANX_USAGE) << #call;                                                             \
    EXPECT_EQ(std::strchr(phalanx_last_error(), '\n'), nullptr) << "one line: " << phalanx_last_error(); \
    EXPECT_STRNE(phalanx_last_error(), "");                                                              \
  } while (false)

class ChunkedInC : public testing::Test {
 protected:
  SealedMessage message{"cobblestone-128", 2 * 16384 + 50, 6};
  phalanx_chunked* chunked = nullptr;

  ChunkedInC() {
    EXPECT_EQ(phalanx_chunked_new(&chunked, "cobblestone-128", message.key.data(), 16, message.context.data(),
                                  message.context.size(), nullptr),
              PHALANX_OK);
  }
  ~ChunkedInC() override { phalanx_chunked_free(chunked); }

  int open(const ByteVector& sealed, ByteVector& out) {
    return phalanx_chunked_open(chunked, sealed.data(), sealed.size(), out.data(), out.size());
  }
};

TEST_F(ChunkedInC, WholeMessages) {
  const char* engine = nullptr;
  EXPECT_EQ(phalanx_chunked_engine(chunked, &engine), PHALANX_OK);
  EXPECT_EQ(message.aead.engine(), engine);
  std::uint64_t size = 0;
  ASSERT_EQ(phalanx_chunked_sealed_bytes(message.plain.size(), &size), PHALANX_OK);
  EXPECT_EQ(size, message.sealed.size());
  ByteVector sealed(size);
  ASSERT_EQ(phalanx_chunked_seal(chunked, message.plain.data(), message.plain.size(), sealed.data(), size), PHALANX_OK);
  EXPECT_EQ(open_whole(message.aead, sealed), message.plain);
  ASSERT_EQ(phalanx_chunked_plain_bytes(size, &size), PHALANX_OK);
  ByteVector plain(size);
  EXPECT_EQ(open(sealed, plain), PHALANX_OK);
  EXPECT_EQ(plain, message.plain);
  sealed.back() ^= 1;
  EXPECT_EQ(open(sealed, plain), PHALANX_AUTHENTICATION);
  EXPECT_EQ(plain, ByteVector(plain.size()));
  sealed[30] ^= 1;
  EXPECT_EQ(open(sealed, plain), PHALANX_WRONG_KEY);
  EXPECT_EQ(phalanx_chunked_open(chunked, sealed.data(), 56 + 16400, plain.data(), 16384), PHALANX_TRUNCATED);
  EXPECT_EQ(phalanx_chunked_plain_bytes(56 + 16400, &size), PHALANX_TRUNCATED);
}

TEST_F(ChunkedInC, Streams) {
  ByteVector sealed, plain;
  phalanx_chunked_sealer* sealer = nullptr;
  ASSERT_EQ(phalanx_chunked_sealer_new(&sealer, chunked, append_to_vector, &sealed), PHALANX_OK);
  EXPECT_EQ(phalanx_chunked_sealer_write(sealer, message.plain.data(), message.plain.size()), PHALANX_OK);
  EXPECT_EQ(phalanx_chunked_sealer_finish(sealer), PHALANX_OK);
  EXPECT_USAGE(phalanx_chunked_sealer_finish(sealer));
  phalanx_chunked_sealer_free(sealer);
  EXPECT_EQ(open_whole(message.aead, sealed), message.plain);
  for (const bool is_cut : {false, true}) {
    plain.clear();
    phalanx_chunked_opener* opener = nullptr;
    ASSERT_EQ(phalanx_chunked_opener_new(&opener, chunked, append_to_vector, &plain), PHALANX_OK);
    const std::size_t size = is_cut ? 56 + 2 * 16400 : sealed.size();
    EXPECT_EQ(phalanx_chunked_opener_write(opener, sealed.data(), size), PHALANX_OK);
    EXPECT_EQ(plain.size(), 2 * 16384U);
    EXPECT_EQ(phalanx_chunked_opener_finish(opener), is_cut ? PHALANX_TRUNCATED : PHALANX_OK);
    EXPECT_USAGE(phalanx_chunked_opener_write(opener, sealed.data(), 1));
    phalanx_chunked_opener_free(opener);
  }
}

void expect_part(phalanx_chunked_reader* reader, const ByteVector& plain) {
  std::uint64_t size = 0;
  EXPECT_EQ(phalanx_chunked_reader_size(reader, &size), PHALANX_OK);
  EXPECT_EQ(size, plain.size());
  ByteVector part(17'000);
  EXPECT_EQ(phalanx_chunked_reader_read(reader, 15'000, part.data(), part.size()), PHALANX_OK);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), plain.begin() + 15'000));
  EXPECT_USAGE(phalanx_chunked_reader_read(reader, size, part.data(), 1));
  phalanx_chunked_reader_free(reader);
}

TEST_F(ChunkedInC, Readers) {
  const ByteVector& sealed = message.sealed;
  const std::string path = testing::TempDir() + "message_in_c_" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(sealed.data()), static_cast<std::streamsize>(sealed.size()));
  phalanx_chunked_reader* reader = nullptr;
  ASSERT_EQ(phalanx_chunked_reader_new(&reader, chunked, read_from_vector, &message.sealed, sealed.size()), PHALANX_OK);
  expect_part(reader, message.plain);
  ASSERT_EQ(phalanx_chunked_reader_of_memory(&reader, chunked, sealed.data(), sealed.size()), PHALANX_OK);
  expect_part(reader, message.plain);
  ASSERT_EQ(phalanx_chunked_reader_of_file(&reader, chunked, path.c_str()), PHALANX_OK);
  expect_part(reader, message.plain);
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  ASSERT_EQ(phalanx_chunked_reader_of_descriptor(&reader, chunked, descriptor), PHALANX_OK);
  close(descriptor);
  expect_part(reader, message.plain);
  std::remove(path.c_str());
  EXPECT_EQ(phalanx_chunked_reader_new(&reader, chunked, read_from_vector, &message.sealed, sealed.size() + 1),
            PHALANX_RUNTIME);
  EXPECT_EQ(reader, nullptr) << "as after any failure";
  EXPECT_EQ(phalanx_chunked_reader_of_memory(&reader, chunked, sealed.data(), 70), PHALANX_TRUNCATED);
  EXPECT_EQ(phalanx_chunked_reader_of_file(&reader, chunked, path.c_str()), PHALANX_RUNTIME);
  EXPECT_EQ(phalanx_chunked_reader_of_descriptor(&reader, chunked, -1), PHALANX_RUNTIME);
}

TEST_F(ChunkedInC, NullsInMakingAndWholeMessages) {
  const std::uint8_t* key = message.key.data();
  phalanx_chunked* made = chunked;
  EXPECT_USAGE(phalanx_chunked_new(nullptr, "cobblestone-128", key, 16, nullptr, 0, nullptr));
  EXPECT_USAGE(phalanx_chunked_new(&made, nullptr, key, 16, nullptr, 0, nullptr));
  EXPECT_EQ(made, nullptr) << "as after any failure";
  EXPECT_USAGE(phalanx_chunked_new(&made, "cobblestone-128", nullptr, 16, nullptr, 0, nullptr));
  EXPECT_USAGE(phalanx_chunked_new(&made, "cobblestone-128", nullptr, 0, nullptr, 0, nullptr));
  EXPECT_USAGE(phalanx_chunked_new(&made, "cobblestone-128", key, too_many, nullptr, 0, nullptr));
  EXPECT_USAGE(phalanx_chunked_new(&made, "cobblestone-128", key, 16, nullptr, 1, nullptr));
  EXPECT_USAGE(phalanx_chunked_new(&made, "cobblestone-128", key, 16, key, too_many, nullptr));
  phalanx_engine_options options = PHALANX_ENGINE_OPTIONS_INIT;
  options.num_threads = -1;
  EXPECT_USAGE(phalanx_chunked_new(&made, "cobblestone-128", key, 16, nullptr, 0, &options));
  const char* engine = nullptr;
  EXPECT_USAGE(phalanx_chunked_engine(nullptr, &engine));
  EXPECT_USAGE(phalanx_chunked_engine(chunked, nullptr));
  EXPECT_USAGE(phalanx_chunked_sealed_bytes(5, nullptr));
  EXPECT_USAGE(phalanx_chunked_plain_bytes(72, nullptr));
  std::uint64_t size = 0;
  EXPECT_USAGE(phalanx_chunked_sealed_bytes(UINT64_MAX, &size));
  ByteVector memory(200);
  std::uint8_t* data = memory.data();
  for (const auto crypt : {phalanx_chunked_seal, phalanx_chunked_open}) {
    EXPECT_USAGE(crypt(nullptr, data, 0, data + 72, 72));
    EXPECT_USAGE(crypt(chunked, nullptr, 72, data, 128));
    EXPECT_USAGE(crypt(chunked, data, 72, nullptr, 144));
    EXPECT_USAGE(crypt(chunked, data, too_many, data, 9));
    EXPECT_USAGE(crypt(chunked, data, 72, data, too_many));
  }
  EXPECT_EQ(phalanx_chunked_seal(chunked, nullptr, 0, data, 72), PHALANX_OK) << "no plaintext needs no memory";
  EXPECT_EQ(phalanx_chunked_open(chunked, data, 72, nullptr, 0), PHALANX_OK);
  EXPECT_EQ(phalanx_chunked_open(chunked, nullptr, 0, nullptr, 0), PHALANX_TRUNCATED);
  phalanx_chunked_free(nullptr);
}

TEST_F(ChunkedInC, NullsInStreams) {
  ByteVector all;
  phalanx_chunked_sealer* sealer = nullptr;
  EXPECT_USAGE(phalanx_chunked_sealer_new(nullptr, chunked, append_to_vector, &all));
  EXPECT_USAGE(phalanx_chunked_sealer_new(&sealer, nullptr, append_to_vector, &all));
  EXPECT_USAGE(phalanx_chunked_sealer_new(&sealer, chunked, nullptr, &all));
  EXPECT_EQ(phalanx_chunked_sealer_new(&sealer, chunked, fail_to_append, nullptr), PHALANX_RUNTIME);
  ASSERT_EQ(phalanx_chunked_sealer_new(&sealer, chunked, append_to_vector, &all), PHALANX_OK);
  EXPECT_USAGE(phalanx_chunked_sealer_write(nullptr, all.data(), 1));
  EXPECT_USAGE(phalanx_chunked_sealer_write(sealer, nullptr, 1));
  EXPECT_USAGE(phalanx_chunked_sealer_write(sealer, all.data(), too_many));
  EXPECT_EQ(phalanx_chunked_sealer_write(sealer, nullptr, 0), PHALANX_OK);
  EXPECT_USAGE(phalanx_chunked_sealer_finish(nullptr));
  EXPECT_EQ(phalanx_chunked_sealer_finish(sealer), PHALANX_OK);
  phalanx_chunked_sealer_free(sealer);
  phalanx_chunked_sealer_free(nullptr);
  const ByteVector sealed = all;
  phalanx_chunked_opener* opener = nullptr;
  EXPECT_USAGE(phalanx_chunked_opener_new(nullptr, chunked, append_to_vector, &all));
  EXPECT_USAGE(phalanx_chunked_opener_new(&opener, nullptr, append_to_vector, &all));
  EXPECT_USAGE(phalanx_chunked_opener_new(&opener, chunked, nullptr, &all));
  ASSERT_EQ(phalanx_chunked_opener_new(&opener, chunked, append_to_vector, &all), PHALANX_OK);
  EXPECT_USAGE(phalanx_chunked_opener_write(nullptr, sealed.data(), 1));
  EXPECT_USAGE(phalanx_chunked_opener_write(opener, nullptr, 1));
  EXPECT_USAGE(phalanx_chunked_opener_write(opener, sealed.data(), too_many));
  EXPECT_EQ(phalanx_chunked_opener_write(opener, sealed.data(), sealed.size()), PHALANX_OK);
  EXPECT_USAGE(phalanx_chunked_opener_finish(nullptr));
  EXPECT_EQ(phalanx_chunked_opener_finish(opener), PHALANX_OK);
  phalanx_chunked_opener_free(opener);
  phalanx_chunked_opener_free(nullptr);
}

TEST_F(ChunkedInC, NullsInReaders) {
  const std::uint8_t* sealed = message.sealed.data();
  const std::size_t size = message.sealed.size();
  phalanx_chunked_reader* reader = nullptr;
  EXPECT_USAGE(phalanx_chunked_reader_new(nullptr, chunked, read_from_vector, &message.sealed, size));
  EXPECT_USAGE(phalanx_chunked_reader_new(&reader, nullptr, read_from_vector, &message.sealed, size));
  EXPECT_USAGE(phalanx_chunked_reader_new(&reader, chunked, nullptr, &message.sealed, size));
  EXPECT_USAGE(phalanx_chunked_reader_of_memory(nullptr, chunked, sealed, size));
  EXPECT_USAGE(phalanx_chunked_reader_of_memory(&reader, nullptr, sealed, size));
  EXPECT_USAGE(phalanx_chunked_reader_of_memory(&reader, chunked, nullptr, size));
  EXPECT_USAGE(phalanx_chunked_reader_of_memory(&reader, chunked, sealed, too_many));
  EXPECT_USAGE(phalanx_chunked_reader_of_file(nullptr, chunked, "/"));
  EXPECT_USAGE(phalanx_chunked_reader_of_file(&reader, chunked, nullptr));
  EXPECT_EQ(phalanx_chunked_reader_of_file(&reader, chunked, "/"), PHALANX_RUNTIME);
  EXPECT_USAGE(phalanx_chunked_reader_of_descriptor(nullptr, chunked, 0));
  ASSERT_EQ(phalanx_chunked_reader_of_memory(&reader, chunked, sealed, size), PHALANX_OK);
  std::uint64_t plain_bytes = 0;
  ByteVector out(5);
  EXPECT_USAGE(phalanx_chunked_reader_size(nullptr, &plain_bytes));
  EXPECT_USAGE(phalanx_chunked_reader_size(reader, nullptr));
  EXPECT_USAGE(phalanx_chunked_reader_read(nullptr, 0, out.data(), 5));
  EXPECT_USAGE(phalanx_chunked_reader_read(reader, 0, nullptr, 5));
  EXPECT_USAGE(phalanx_chunked_reader_read(reader, 0, out.data(), too_many));
  EXPECT_EQ(phalanx_chunked_reader_read(reader, 0, nullptr, 0), PHALANX_OK);
  phalanx_chunked_reader_free(reader);
  phalanx_chunked_reader_free(nullptr);
}

}  // namespace
}  // namespace phalanx::test
