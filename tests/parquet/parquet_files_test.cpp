// Files by pyarrow, kept in tests/vectors/parquet, and those that the library makes of them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <phalanx/parquet/modular_encryption.hpp>

#include "files/age/raw_base64.hpp"
#include "parquet/footer.hpp"

namespace phalanx {
namespace {

using Buffer = std::vector<std::uint8_t>;
namespace fs = std::filesystem;

// As write_parquet_vectors.py has them.
Buffer counted_key(std::uint8_t from) {
  Buffer key(16);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(from + i);
  return key;
}
const Buffer footer_key = counted_key(0);

Buffer read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}
Buffer vector_file(const std::string& name) {
  return read_file(fs::path(PHALANX_VECTORS_DIR) / "parquet" / (name + ".parquet"));
}

Secret one_key(const ParquetKeyRequest& /*request*/) { return Secret(footer_key); }

// A service that wraps by XOR with its key.
Secret unwrap(const ParquetWrappedKey& wrapped) {
  std::string text = wrapped.wrapped;
  while (text.ends_with('=')) text.pop_back();
  const auto bytes = decode_raw_base64(text);
  const Buffer master = counted_key(wrapped.master_key_id == "footer" ? 0 : 100);
  Secret key(bytes->size());
  for (std::size_t i = 0; i < key.size(); ++i) key.data()[i] = bytes->data()[i] ^ master[i];
  return key;
}

std::optional<ErrorCode> code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

Buffer decrypted(const Buffer& file, const ParquetKeyFinder& keys = one_key, const DecryptParquetOptions& options = {}) {
  Buffer plain;
  static_cast<void>(decrypt_parquet(file, plain, keys, options));
  return plain;
}
Buffer encrypted(const Buffer& file, const EncryptParquetOptions& options = {}) {
  Buffer out;
  static_cast<void>(encrypt_parquet(file, out, ParquetKey(footer_key), options));
  return out;
}

TEST(ParquetFiles, OfPyarrowAreDecrypted) {
  struct Case {
    const char* name;
    ParquetKeyFinder keys;
    bool is_verified;
    bool is_signed;
    std::uint64_t num_plain_chunks;
  };
  const Case cases[] = {{"gcm", one_key, true, false, 0},
                        {"gcm_signed", one_key, true, true, 0},
                        {"ctr", one_key, false, false, 0},
                        {"prefix", one_key, true, false, 0},
                        {"kms_double", parquet_keys_of_kms(unwrap), false, false, 4},
                        {"kms_single_signed", parquet_keys_of_kms(unwrap), false, true, 4}};
  for (const Case& one : cases) {
    Buffer plain;
    DecryptParquetOptions options;
    if (one.name == std::string("prefix")) options.aad_prefix = Buffer{'t', 'a', 'b', 'l', 'e', ' ', '7'};
    const DecryptedParquet found = decrypt_parquet(vector_file(one.name), plain, one.keys, options);
    EXPECT_EQ(found.verified, one.is_verified) << one.name;
    EXPECT_EQ(found.had_plaintext_footer, one.is_signed) << one.name;
    EXPECT_EQ(found.num_plain_chunks, one.num_plain_chunks) << one.name;
    EXPECT_EQ(found.num_pages, one.num_plain_chunks == 0 ? 8U : 4U) << one.name;
    // A file that is written again without keys between is the same: it is as our own plain files are.
    EXPECT_EQ(decrypted(encrypted(plain)), plain) << one.name;
  }
}

TEST(ParquetFiles, ComeBackAsTheyWere) {
  const Buffer plain = vector_file("plain");
  for (const ParquetAlgorithm algorithm : {ParquetAlgorithm::aes_gcm_v1, ParquetAlgorithm::aes_gcm_ctr_v1}) {
    for (const bool is_signed : {false, true}) {
      for (const bool has_plain : {false, true}) {
        EncryptParquetOptions options{.algorithm = algorithm, .plaintext_footer = is_signed};
        options.column_keys.emplace("name", ParquetKey(counted_key(50), bytes_of("names")));
        if (has_plain) options.plain_columns = {"id"};
        const auto keys = [](const ParquetKeyRequest& request) {
          if (request.is_footer) return Secret(footer_key);
          EXPECT_EQ(request.column, "name");
          EXPECT_EQ(std::string(request.key_metadata.begin(), request.key_metadata.end()), "names");
          return Secret(counted_key(50));
        };
        EXPECT_EQ(decrypted(encrypted(plain, options), keys), plain);
      }
    }
  }
}

// Each byte of an encrypted file is a module's, a length or a magic number.
TEST(ParquetFiles, EachChangedByteIsTold) {
  for (const Buffer& file : {vector_file("gcm"), vector_file("gcm_signed"), encrypted(vector_file("plain"))}) {
    for (std::size_t i = 0; i < file.size(); ++i) {
      Buffer changed = file;
      changed[i] ^= 0x10;
      Buffer plain{1, 2, 3};
      const auto code = code_of([&] { static_cast<void>(decrypt_parquet(changed, plain, one_key)); });
      EXPECT_TRUE(code == ErrorCode::authentication || code == ErrorCode::wrong_key || code == ErrorCode::format ||
                  code == ErrorCode::truncated || code == ErrorCode::usage)
          << i;
      EXPECT_EQ(plain, (Buffer{1, 2, 3})) << i;
    }
  }
}

// Plain bytes that say anything of where their parts are. What is not noticed is at least read within the file.
TEST(ParquetFiles, AnyPlainBytesAreReadOrRefused) {
  const Buffer file = vector_file("plain");
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const std::uint8_t bits : {0x01, 0x80, 0xff}) {
      Buffer changed = file;
      changed[i] ^= bits;
      const auto code = code_of([&] {
        const Buffer out = encrypted(changed);
        EXPECT_LE(out.size(), 3 * file.size()) << i;
      });
      EXPECT_TRUE(!code || code == ErrorCode::format || code == ErrorCode::truncated || code == ErrorCode::usage) << i;
    }
  }
  for (std::size_t size = 0; size < file.size(); ++size) {
    EXPECT_TRUE(code_of([&] { encrypted(Buffer(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size))); })) << size;
  }
}

// A plain file of nothing but row groups, each with so many empty columns.
Buffer only_row_groups(std::size_t num_groups, std::size_t num_columns) {
  CompactStruct group, metadata;
  if (num_columns > 0) group.set_structures(row_group::columns, std::vector<Buffer>(num_columns, Buffer{0}));
  metadata.set_structures(file_metadata::row_groups, std::vector<Buffer>(num_groups, group.bytes()));
  MemorySink sink;
  PartSink parts(sink);
  parts.write(bytes_of("PAR1"));
  write_footer(metadata, {.kind = FooterKind::plain}, nullptr, parts);
  return sink.bytes;
}

std::string refusal_of(const Buffer& file) {
  try {
    encrypted(file);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    return error.what();
  }
  return "";
}

// Before anything is kept in memory of them.
TEST(ParquetFiles, MoreThanAFileCanHaveIsRefused) {
  EXPECT_EQ(refusal_of(only_row_groups(32768, 0)), "");
  EXPECT_TRUE(refusal_of(only_row_groups(32769, 0)).ends_with("more than 32768 row groups"));
  EXPECT_TRUE(refusal_of(only_row_groups(1, 32769)).ends_with("more than 32768 columns in a row group"));
  EXPECT_TRUE(refusal_of(only_row_groups(128, 32768)).ends_with("a column chunk has no metadata"));
  EXPECT_TRUE(refusal_of(only_row_groups(129, 32768)).ends_with("more than 4194304 column chunks"));
}

TEST(ParquetFiles, TheCountOfAKeyIsKept) {
  const Buffer plain = vector_file("plain");
  const ParquetKey key(footer_key, {}, ParquetKey::most_invocations - 100);
  Buffer out;
  const EncryptedParquet facts = encrypt_parquet(plain, out, key);
  EXPECT_EQ(key.num_invocations(), ParquetKey::most_invocations - 100 + facts.num_modules);
  const ParquetKey worn = ParquetKey(footer_key, {}, ParquetKey::most_invocations - facts.num_modules + 1);
  Buffer kept{7};
  EXPECT_EQ(code_of([&] { static_cast<void>(encrypt_parquet(plain, kept, worn)); }), ErrorCode::policy);
  EXPECT_EQ(kept, Buffer{7});
  EXPECT_EQ(code_of([] { ParquetKey(Buffer(15)); }), ErrorCode::usage);
}

class ParquetOnDisk : public testing::Test {
 protected:
  ParquetOnDisk() : folder_(fs::temp_directory_path() / ("parquet_files_test_" + std::to_string(getpid()))) {
    fs::create_directory(folder_);
  }
  ~ParquetOnDisk() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t num_files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static void write(const std::string& path, const Buffer& bytes) {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  fs::path folder_;
};

TEST_F(ParquetOnDisk, FilesAreWhatMemoryIs) {
  const Buffer plain = vector_file("plain");
  write(path("plain"), plain);
  const EncryptedParquet facts = encrypt_parquet_file(path("plain"), path("encrypted"), ParquetKey(footer_key));
  EXPECT_EQ(facts.encrypted_bytes, fs::file_size(path("encrypted")));
  EXPECT_TRUE(decrypt_parquet_file(path("encrypted"), path("back"), one_key).verified);
  EXPECT_EQ(read_file(path("back")), plain);
  EXPECT_EQ(num_files(), 3U);
  EXPECT_EQ(code_of([&] { static_cast<void>(decrypt_parquet_file(path("encrypted"), path("back"), one_key)); }),
            ErrorCode::usage);
  EXPECT_EQ(code_of([&] {
              static_cast<void>(decrypt_parquet_file(path("encrypted"), path("encrypted"), one_key, {.replace = true}));
            }),
            ErrorCode::usage);
}

// The last page of the last column is changed: all before it is authentic and written, and yet no file is seen.
TEST_F(ParquetOnDisk, NoFileIsSeenThatIsNotAuthentic) {
  Buffer file = vector_file("gcm");
  std::size_t last = 0;
  for (std::size_t i = 4; i < file.size() / 2; ++i) {
    Buffer changed = file;
    changed[i] ^= 1;
    if (code_of([&] { decrypted(changed); }) == ErrorCode::authentication) last = i;
  }
  ASSERT_GT(last, file.size() / 3);
  file[last] ^= 1;
  write(path("encrypted"), file);
  EXPECT_EQ(code_of([&] { static_cast<void>(decrypt_parquet_file(path("encrypted"), path("plain"), one_key)); }),
            ErrorCode::authentication);
  EXPECT_EQ(num_files(), 1U);
  write(path("plain"), {1});
  EXPECT_EQ(code_of([&] {
              static_cast<void>(decrypt_parquet_file(path("encrypted"), path("plain"), one_key, {.replace = true}));
            }),
            ErrorCode::authentication);
  EXPECT_EQ(read_file(path("plain")), Buffer{1});
  EXPECT_EQ(num_files(), 2U);
}

}  // namespace
}  // namespace phalanx
