// Parquet files decrypted into a GPU's memory, against the images that the CPU makes of them.
#include <phalanx/parquet/modular_encryption.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <phalanx/parquet/modular_encryption.hpp>
#include <thread>

#include "device_fixture.hpp"
#include "engine/engines/cuda/gpu_device.hpp"
#include "parquet/made_parquet.hpp"
#include "vector_file.hpp"

namespace phalanx {
namespace {

const ByteVector footer_key = [] {  // as tests/vectors/parquet have it
  ByteVector key(16);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
  return key;
}();
Secret one_key(const ParquetKeyRequest& /*request*/) { return Secret(footer_key); }

constexpr std::size_t mebibyte = std::size_t{1} << 20;

class GpuParquet : public DeviceTest {
 protected:
  const ByteVector name_key = random_bytes(32);
  const ParquetKeyFinder two_keys = [this](const ParquetKeyRequest& request) {
    return Secret(request.is_footer ? footer_key : name_key);
  };

  // Some row groups of three columns, of which the second may have its own key, and the third be plain.
  ByteVector made_file(const std::vector<std::size_t>& page_bytes, int num_row_groups) {
    test::MadeParquet file([this](MutableBytes page) {
      const ByteVector bytes = random_bytes(page.size());
      std::copy(bytes.begin(), bytes.end(), page.begin());
    });
    for (int i = 0; i < num_row_groups; ++i)
      file.add_row_group({{"id", page_bytes}, {"name", page_bytes, true}, {"rest", page_bytes}});
    return file.finish();
  }
  static ByteVector encrypted(const ByteVector& plain, const EncryptParquetOptions& options = {}) {
    ByteVector file;
    (void)encrypt_parquet(plain, file, ParquetKey(footer_key), options);
    return file;
  }
  EncryptParquetOptions all_kinds(ParquetAlgorithm algorithm) const {
    EncryptParquetOptions options{.algorithm = algorithm};
    options.column_keys.emplace("name", ParquetKey(name_key, bytes_of("names")));
    options.plain_columns = {"rest"};
    return options;
  }

  static std::optional<Error> error_of_cpu(const ByteVector& file, const ParquetKeyFinder& keys) {
    ByteVector plain;
    try {
      (void)decrypt_parquet(file, plain, keys);
    } catch (const Error& error) {
      return error;
    }
    return std::nullopt;
  }

  // The GPU's image is the CPU's, and nothing behind it was written; both say the same of it.
  static void expect_image(Bytes file, const ParquetKeyFinder& keys, const DecryptParquetOptions& options = {}) {
    ByteVector plain;
    const DecryptedParquet expected = decrypt_parquet(file, plain, keys, options);
    DeviceBytes out(file.size() + 1);
    out.poison();
    ByteVector wanted = out.get();
    const DecryptedParquet found = decrypt_parquet_to_device(file, out.data() + 1, file.size(), keys, options);
    std::copy(plain.begin(), plain.end(), wanted.begin() + 1);
    EXPECT_TRUE(out.get() == wanted) << file.size();
    EXPECT_EQ(found.plain_bytes, plain.size());
    EXPECT_EQ(found.num_pages, expected.num_pages);
    EXPECT_EQ(found.num_plain_chunks, expected.num_plain_chunks);
    EXPECT_EQ(found.verified, expected.verified);
    EXPECT_EQ(found.algorithm, expected.algorithm);
  }
  // It fails as the CPU does, in the same words, and leaves no byte of the file. False if it does not fail.
  static bool expect_the_same_error(const ByteVector& file, const ParquetKeyFinder& keys) {
    const std::optional<Error> expected = error_of_cpu(file, keys);
    if (!expected) return false;
    DeviceBytes out(file.size());
    out.poison();
    const ByteVector untouched = out.get();
    try {
      (void)decrypt_parquet_to_device(file, out.data(), file.size(), keys);
      ADD_FAILURE() << "no error, where the CPU has: " << expected->what();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), expected->code());
      EXPECT_STREQ(error.what(), expected->what());
    }
    const ByteVector left = out.get();
    EXPECT_TRUE(left == untouched || left == ByteVector(file.size())) << expected->what();
    return true;
  }

  static ByteVector vector_file(const std::string& name) {
    std::ifstream file(std::filesystem::path(test::vectors_folder()) / "parquet" / (name + ".parquet"), std::ios::binary);
    EXPECT_TRUE(file) << name;
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

using GpuLargeParquet = GpuParquet;  // too much for the sanitizers

TEST_F(GpuParquet, FilesOfPyarrow) {
  for (const char* name : {"gcm", "gcm_signed", "ctr"}) expect_image(vector_file(name), one_key);
  DecryptParquetOptions options;
  options.aad_prefix = ByteVector{'t', 'a', 'b', 'l', 'e', ' ', '7'};
  expect_image(vector_file("prefix"), one_key, options);
  options.engine = {"cuda:0", 2};
  expect_image(vector_file("prefix"), one_key, options);
}

TEST_F(GpuParquet, PagesOfAnyLength) {
  const std::vector<std::size_t> lengths[] = {{0},
                                              {1, 2, 15, 16, 17, 31, 4095, 0, 70000},
                                              std::vector<std::size_t>(3000, 100),
                                              std::vector<std::size_t>(6, mebibyte)};
  for (const auto& page_bytes : lengths) {
    const ByteVector plain = made_file(page_bytes, page_bytes.size() > 20 ? 1 : 3);
    for (const ParquetAlgorithm algorithm : {ParquetAlgorithm::aes_gcm_v1, ParquetAlgorithm::aes_gcm_ctr_v1}) {
      expect_image(encrypted(plain, all_kinds(algorithm)), two_keys);
      expect_image(encrypted(plain, {.algorithm = algorithm, .plaintext_footer = true}), one_key);
    }
  }
}

// Such have memory of their own beside the staging buffers.
TEST_F(GpuLargeParquet, PagesLongerThanAStagingBuffer) {
  const ByteVector plain = made_file({5, 17 * mebibyte, 100, 16 * mebibyte - 20, 40 * mebibyte + 3, 7}, 1);
  for (const ParquetAlgorithm algorithm : {ParquetAlgorithm::aes_gcm_v1, ParquetAlgorithm::aes_gcm_ctr_v1})
    expect_image(encrypted(plain, all_kinds(algorithm)), two_keys);
  EncryptParquetOptions options;
  options.aad_prefix = random_bytes(3 * mebibyte);  // of every page, so that what the GPU is told is longer, too
  expect_image(encrypted(made_file({100, 200, 300, 400, 500, 600, 700}, 1), options), one_key);
}

TEST_F(GpuLargeParquet, PageLockedMemory) {
  const ByteVector file =
      encrypted(made_file(std::vector<std::size_t>(30, mebibyte), 1), all_kinds(ParquetAlgorithm::aes_gcm_v1));
  void* memory = nullptr;
  check_device(cudaHostAlloc(&memory, file.size(), cudaHostAllocDefault));
  std::copy(file.begin(), file.end(), static_cast<std::uint8_t*>(memory));
  expect_image({static_cast<std::uint8_t*>(memory), file.size()}, two_keys);
  const ByteVector longer = encrypted(made_file({17 * mebibyte, 3}, 1));
  check_device(cudaFreeHost(memory));
  check_device(cudaHostAlloc(&memory, longer.size(), cudaHostAllocDefault));
  std::copy(longer.begin(), longer.end(), static_cast<std::uint8_t*>(memory));
  expect_image({static_cast<std::uint8_t*>(memory), longer.size()}, one_key);
  check_device(cudaFreeHost(memory));
}

// Wherever a file of pyarrow is changed, the CPU's error comes.
TEST_F(GpuLargeParquet, EachChangedByteIsToldAsByTheCpu) {
  const ByteVector file = vector_file("gcm");
  for (std::size_t i = 0; i < file.size(); i += 7) {
    ByteVector changed = file;
    changed[i] ^= 0x10;
    EXPECT_TRUE(expect_the_same_error(changed, one_key)) << i;
  }
}

TEST_F(GpuLargeParquet, OfSeveralChangedPagesTheFirstIsNamed) {
  const ByteVector file =
      encrypted(made_file(std::vector<std::size_t>(60, mebibyte), 1), all_kinds(ParquetAlgorithm::aes_gcm_v1));
  for (int round = 0; round < 6; ++round) {
    ByteVector changed = file;
    for (int i = 0; i <= round % 3; ++i) changed[4 + random() % (110 * mebibyte)] ^= 1;  // of the columns that are encrypted
    EXPECT_TRUE(expect_the_same_error(changed, two_keys)) << round;
  }
  ByteVector swapped = file;  // two pages of a column; each module has 32 bytes more than its page
  std::swap_ranges(swapped.begin() + 20 * mebibyte, swapped.begin() + 20 * mebibyte + 100, swapped.begin() + 40 * mebibyte);
  EXPECT_TRUE(expect_the_same_error(swapped, two_keys));
  EXPECT_TRUE(expect_the_same_error(
      file, [this](const ParquetKeyRequest& request) { return Secret(request.is_footer ? footer_key : ByteVector(32)); }));
  EXPECT_TRUE(expect_the_same_error(file, [](const ParquetKeyRequest&) { return Secret(ByteVector(16)); }));
  EXPECT_TRUE(expect_the_same_error(
      file, [](const ParquetKeyRequest&) -> Secret { throw Error(ErrorCode::runtime, "no service"); }));
  EXPECT_TRUE(expect_the_same_error(made_file({1}, 1), one_key));
}

TEST_F(GpuParquet, PlacesThatDoNotFitAreRefused) {
  const ByteVector file = encrypted(made_file({1000, 2000, mebibyte}, 2));
  ByteVector plain;
  (void)decrypt_parquet(file, plain, one_key);
  const auto code_with = [&](void* out, std::size_t size, const char* engine = "") -> std::optional<ErrorCode> {
    try {
      (void)decrypt_parquet_to_device(file, out, size, one_key, {.engine = {engine, 0}});
    } catch (const Error& error) {
      return error.code();
    }
    return std::nullopt;
  };
  DeviceBytes out(file.size());
  EXPECT_EQ(code_with(out.data(), plain.size()), std::nullopt);
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{1500}, plain.size() / 2, plain.size() - 1}) {
    out.poison();
    ByteVector wanted = out.get();
    EXPECT_EQ(code_with(out.data(), size), ErrorCode::usage) << size;
    std::fill_n(wanted.begin(), size, 0);
    EXPECT_TRUE(out.get() == wanted) << size;
  }
  EXPECT_EQ(code_with(plain.data(), plain.size()), ErrorCode::usage);
  EXPECT_EQ(code_with(out.data(), file.size(), "cpu"), ErrorCode::usage);
}

TEST_F(GpuParquet, InC) {
  const ByteVector file = vector_file("prefix");
  ByteVector plain;
  DecryptParquetOptions options;
  options.aad_prefix = ByteVector{'t', 'a', 'b', 'l', 'e', ' ', '7'};
  (void)decrypt_parquet(file, plain, one_key, options);
  const auto find = [](void* /*user_data*/, const phalanx_parquet_key_request* /*request*/, std::uint8_t* key,
                       std::size_t* key_bytes) {
    std::copy(footer_key.begin(), footer_key.end(), key);
    *key_bytes = footer_key.size();
    return 0;
  };
  phalanx_decrypt_parquet_options in_c = PHALANX_DECRYPT_PARQUET_OPTIONS_INIT;
  in_c.aad_prefix = options.aad_prefix->data();
  in_c.aad_prefix_bytes = options.aad_prefix->size();
  phalanx_decrypted_parquet found = PHALANX_DECRYPTED_PARQUET_INIT;
  DeviceBytes out(plain.size());
  ASSERT_EQ(phalanx_decrypt_parquet_to_device(file.data(), file.size(), out.data(), plain.size(), find, nullptr, &in_c,
                                              nullptr, &found, nullptr),
            PHALANX_OK)
      << phalanx_last_error();
  EXPECT_TRUE(out.get() == plain);
  EXPECT_EQ(found.plain_bytes, plain.size());
  EXPECT_EQ(phalanx_decrypt_parquet_to_device(file.data(), file.size(), out.data(), plain.size() - 1, find, nullptr, &in_c,
                                              nullptr, &found, nullptr),
            PHALANX_USAGE);
}

// Each with keys and staging buffers, of which one call at a time has the device's.
TEST_F(GpuParquet, SeveralThreadsAtOnce) {
  const ByteVector file = encrypted(made_file({mebibyte, 3, 100000}, 3));
  ByteVector plain;
  (void)decrypt_parquet(file, plain, one_key);
  std::vector<std::thread> threads;
  std::atomic<int> num_right = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        DeviceBytes out(plain.size());
        (void)decrypt_parquet_to_device(file, out.data(), plain.size(), one_key);
        num_right += out.get() == plain ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_right, 20);
}

std::atomic<int> starts_until_fault{0};
cudaError_t fail_at_last() { return --starts_until_fault < 0 ? cudaErrorLaunchFailure : cudaSuccess; }

// Whenever the GPU fails, nothing of the file is left; once it does not, all is as before.
TEST_F(GpuLargeParquet, AFaultLeavesZeros) {
  const ByteVector file = encrypted(made_file(std::vector<std::size_t>(30, mebibyte), 1));
  DeviceBytes out(file.size());
  for (int starts = 0; starts < 12; ++starts) {
    out.poison();
    starts_until_fault = starts;
    injected_gpu_fault = fail_at_last;
    try {
      (void)decrypt_parquet_to_device(file, out.data(), file.size(), one_key);
      EXPECT_GT(starts, 9) << "two kernels a part ask first";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::runtime) << error.what();
      EXPECT_TRUE(out.get() == ByteVector(file.size())) << starts;
    }
    injected_gpu_fault = nullptr;
  }
  expect_image(file, one_key);
}

TEST_F(GpuParquet, WorkOnTheStreamComesFirst) {
  const ByteVector file = encrypted(made_file({mebibyte}, 1));
  ByteVector plain;
  (void)decrypt_parquet(file, plain, one_key);
  cudaStream_t stream = nullptr;
  check_device(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const std::size_t size = 64 * mebibyte;
  DeviceBytes out(size);
  for (int i = 0; i < 20; ++i) check_device(cudaMemsetAsync(out.data(), i, size, stream));
  (void)decrypt_parquet_to_device(file, out.data(), size, one_key, {}, stream);
  plain.resize(size, 19);
  EXPECT_TRUE(out.get() == plain);
  check_device(cudaStreamDestroy(stream));
}

}  // namespace
}  // namespace phalanx
