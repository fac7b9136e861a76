// parquet.h: what it does is what C++ does; null pointers and impossible sizes are usage errors.
#include <gtest/gtest.h>
#include <phalanx/parquet/modular_encryption.h>

#include <algorithm>
#include <phalanx/parquet/modular_encryption.hpp>
#include <string>
#include <vector>

#include "temporary_folder.hpp"
#include "vector_file.hpp"

namespace phalanx::test {
namespace {

#define EXPECT_USAGE(call) EXPECT_EQ(call, PHALANX_USAGE) << #call << ": " << phalanx_last_error()
#define ASSERT_OK(call) ASSERT_EQ(call, PHALANX_OK) << #call << ": " << phalanx_last_error()

const std::size_t too_many = SIZE_MAX - 7;

Buffer counted(std::size_t size, std::uint8_t from) {
  Buffer bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(from + i);
  return bytes;
}

class CParquet : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer footer_key = counted(16, 1), name_key = counted(32, 2);
  std::string footer_metadata = "footer", name_metadata = "names";
  phalanx_parquet_key* footer = nullptr;
  phalanx_parquet_key* name = nullptr;
  phalanx_parquet_column_key column_key{sizeof(phalanx_parquet_column_key), "name", nullptr};
  const char* plain_column = "id";
  phalanx_encrypt_parquet_options encrypting = PHALANX_ENCRYPT_PARQUET_OPTIONS_INIT;
  phalanx_decrypt_parquet_options decrypting = PHALANX_DECRYPT_PARQUET_OPTIONS_INIT;
  phalanx_encrypted_parquet encrypted = PHALANX_ENCRYPTED_PARQUET_INIT;
  phalanx_decrypted_parquet decrypted = PHALANX_DECRYPTED_PARQUET_INIT;
  std::string plain_path = (vectors_folder() / "parquet" / "plain.parquet").string();
  std::string path = folder.path_of("encrypted"), back = folder.path_of("back");
  Buffer plain = read_file(plain_path);
  std::vector<std::string> asked;

  CParquet() {
    EXPECT_EQ(new_key(&footer, footer_key, footer_metadata), PHALANX_OK);
    EXPECT_EQ(new_key(&name, name_key, name_metadata), PHALANX_OK);
    column_key.key = name;
    encrypting.column_keys = &column_key;
    encrypting.num_column_keys = 1;
  }
  ~CParquet() override {
    phalanx_parquet_key_free(footer);
    phalanx_parquet_key_free(name);
  }

  static int new_key(phalanx_parquet_key** made, const Buffer& key, const std::string& metadata) {
    return phalanx_parquet_key_new(made, key.data(), key.size(), reinterpret_cast<const std::uint8_t*>(metadata.data()),
                                   metadata.size(), 0);
  }
  static int find(void* user_data, const phalanx_parquet_key_request* request, std::uint8_t* key, std::size_t* key_bytes) {
    auto* const self = static_cast<CParquet*>(user_data);
    self->asked.push_back(std::to_string(request->is_footer) + ' ' + request->column + ' ' +
                          std::string(request->key_metadata, request->key_metadata + request->key_metadata_bytes));
    const Buffer& found = request->is_footer != 0 ? self->footer_key : self->name_key;
    std::copy(found.begin(), found.end(), key);
    *key_bytes = found.size();
    return 0;
  }
  static int take(void* user_data, const std::uint8_t* file, std::size_t size) {
    static_cast<Buffer*>(user_data)->assign(file, file + size);
    return 0;
  }
  int encrypt(Buffer& file) {
    return phalanx_encrypt_parquet(plain.data(), plain.size(), footer, &encrypting, nullptr, take, &file, &encrypted);
  }
  int decrypt(const Buffer& file, Buffer& out) {
    return phalanx_decrypt_parquet(file.data(), file.size(), out.data(), out.size(), find, this, &decrypting, nullptr,
                                   &decrypted);
  }
};

TEST_F(CParquet, ComesBack) {
  Buffer file;
  ASSERT_OK(encrypt(file));
  EXPECT_EQ(encrypted.encrypted_bytes, file.size());
  std::uint64_t num_sealed = 0, num_of_names = 0;
  ASSERT_OK(phalanx_parquet_key_num_invocations(footer, &num_sealed));
  ASSERT_OK(phalanx_parquet_key_num_invocations(name, &num_of_names));
  EXPECT_EQ(num_sealed + num_of_names, encrypted.num_modules);
  Buffer out(file.size());
  ASSERT_OK(decrypt(file, out));
  out.resize(decrypted.plain_bytes);
  EXPECT_EQ(out, plain);
  EXPECT_EQ(asked, (std::vector<std::string>{"1  footer", "0 name names"}));
  EXPECT_EQ(decrypted.algorithm, PHALANX_AES_GCM_V1);
  EXPECT_EQ(decrypted.verified, 1);
  EXPECT_EQ(decrypted.num_pages, encrypted.num_pages);
  ASSERT_OK(decrypt(file, out));
  Buffer short_out(plain.size() - 1, 7);
  EXPECT_USAGE(decrypt(file, short_out));
  EXPECT_EQ(short_out, Buffer(plain.size() - 1, 7));
  file[file.size() / 3] ^= 1;
  Buffer untouched(file.size(), 7);
  EXPECT_EQ(decrypt(file, untouched), PHALANX_AUTHENTICATION) << phalanx_last_error();
  EXPECT_EQ(untouched, Buffer(file.size(), 7));
}

TEST_F(CParquet, HasAllOptions) {
  const Buffer prefix = counted(20, 5);
  encrypting.algorithm = PHALANX_AES_GCM_CTR_V1;
  encrypting.plain_columns = &plain_column;
  encrypting.num_plain_columns = 1;
  encrypting.plaintext_footer = 1;
  encrypting.aad_prefix = prefix.data();
  encrypting.aad_prefix_bytes = prefix.size();
  encrypting.store_aad_prefix = 0;
  Buffer file;
  ASSERT_OK(encrypt(file));
  Buffer out(file.size());
  EXPECT_USAGE(decrypt(file, out));
  decrypting.aad_prefix = prefix.data();
  decrypting.aad_prefix_bytes = prefix.size();
  ASSERT_OK(decrypt(file, out));
  out.resize(decrypted.plain_bytes);
  EXPECT_EQ(out, plain);
  EXPECT_EQ(decrypted.algorithm, PHALANX_AES_GCM_CTR_V1);
  EXPECT_EQ(decrypted.had_plaintext_footer, 1);
  EXPECT_EQ(decrypted.verified, 0);
  EXPECT_NE(decrypted.num_plain_chunks, 0U);
}

TEST_F(CParquet, Files) {
  ASSERT_OK(phalanx_encrypt_parquet_file(plain_path.c_str(), path.c_str(), footer, &encrypting, nullptr, &encrypted));
  EXPECT_EQ(encrypted.encrypted_bytes, read_file(path).size());
  ASSERT_OK(phalanx_decrypt_parquet_file(path.c_str(), back.c_str(), find, this, nullptr, nullptr, &decrypted));
  EXPECT_EQ(read_file(back), plain);
  EXPECT_USAGE(phalanx_encrypt_parquet_file(plain_path.c_str(), path.c_str(), footer, &encrypting, nullptr, nullptr));
  EXPECT_USAGE(phalanx_decrypt_parquet_file(path.c_str(), back.c_str(), find, this, nullptr, nullptr, nullptr));
  encrypting.replace = decrypting.replace = 1;
  ASSERT_OK(phalanx_encrypt_parquet_file(plain_path.c_str(), path.c_str(), footer, &encrypting, nullptr, nullptr));
  ASSERT_OK(phalanx_decrypt_parquet_file(path.c_str(), back.c_str(), find, this, &decrypting, nullptr, nullptr));
}

TEST_F(CParquet, FunctionsThatFailEndTheCall) {
  Buffer file;
  ASSERT_OK(encrypt(file));
  Buffer out(file.size(), 7);
  const auto with = [&](phalanx_find_parquet_key find_key) {
    return phalanx_decrypt_parquet(file.data(), file.size(), out.data(), out.size(), find_key, this, nullptr, nullptr,
                                   nullptr);
  };
  EXPECT_EQ(with([](void*, const phalanx_parquet_key_request*, std::uint8_t*, std::size_t*) { return 1; }), PHALANX_RUNTIME);
  for (const std::size_t size : {std::size_t{0}, std::size_t{15}, std::size_t{33}, too_many}) {
    static std::size_t given;
    given = size;
    EXPECT_USAGE(with([](void*, const phalanx_parquet_key_request*, std::uint8_t*, std::size_t* key_bytes) {
      *key_bytes = given;
      return 0;
    }));
  }
  EXPECT_EQ(with([](void*, const phalanx_parquet_key_request*, std::uint8_t*, std::size_t* key_bytes) {
              *key_bytes = 16;
              return 0;
            }),
            PHALANX_WRONG_KEY);
  EXPECT_EQ(out, Buffer(file.size(), 7));
  EXPECT_EQ(phalanx_encrypt_parquet(
                plain.data(), plain.size(), footer, nullptr, nullptr,
                [](void*, const std::uint8_t*, std::size_t) { return 1; }, nullptr, nullptr),
            PHALANX_RUNTIME);
}

TEST_F(CParquet, RefusesWhatDoesNotFit) {
  Buffer file;
  ASSERT_OK(encrypt(file));
  Buffer out(file.size());
  const char* const in = plain_path.c_str();
  EXPECT_USAGE(phalanx_encrypt_parquet_file(nullptr, path.c_str(), footer, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_encrypt_parquet_file(in, nullptr, footer, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_encrypt_parquet_file(in, path.c_str(), nullptr, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_encrypt_parquet(nullptr, 100, footer, nullptr, nullptr, take, &out, nullptr));
  EXPECT_USAGE(phalanx_encrypt_parquet(plain.data(), too_many, footer, nullptr, nullptr, take, &out, nullptr));
  EXPECT_USAGE(phalanx_encrypt_parquet(plain.data(), plain.size(), nullptr, nullptr, nullptr, take, &out, nullptr));
  EXPECT_USAGE(phalanx_encrypt_parquet(plain.data(), plain.size(), footer, nullptr, nullptr, nullptr, &out, nullptr));
  EXPECT_USAGE(phalanx_decrypt_parquet_file(nullptr, back.c_str(), find, this, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_decrypt_parquet_file(path.c_str(), nullptr, find, this, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_decrypt_parquet_file(path.c_str(), back.c_str(), nullptr, this, nullptr, nullptr, nullptr));
  const auto decrypt_with = [&](const std::uint8_t* data, std::size_t size, std::uint8_t* to, std::size_t room,
                                phalanx_find_parquet_key find_key) {
    return phalanx_decrypt_parquet(data, size, to, room, find_key, this, nullptr, nullptr, nullptr);
  };
  EXPECT_USAGE(decrypt_with(nullptr, file.size(), out.data(), out.size(), find));
  EXPECT_USAGE(decrypt_with(file.data(), too_many, out.data(), out.size(), find));
  EXPECT_USAGE(decrypt_with(file.data(), file.size(), nullptr, out.size(), find));
  EXPECT_USAGE(decrypt_with(file.data(), file.size(), out.data(), too_many, find));
  EXPECT_USAGE(decrypt_with(file.data(), file.size(), out.data(), out.size(), nullptr));
  EXPECT_EQ(decrypt_with(nullptr, 0, out.data(), out.size(), find), PHALANX_TRUNCATED);
  EXPECT_USAGE(phalanx_decrypt_parquet_to_device(file.data(), file.size(), nullptr, 0, nullptr, nullptr, nullptr, nullptr,
                                                 nullptr, nullptr));
  EXPECT_USAGE(phalanx_decrypt_parquet_to_device(file.data(), file.size(), out.data(), out.size(), find, this, nullptr,
                                                 nullptr, nullptr, nullptr));  // the host's memory, or there is no GPU
  phalanx_parquet_key* made = footer;
  EXPECT_USAGE(phalanx_parquet_key_new(nullptr, footer_key.data(), 16, nullptr, 0, 0));
  EXPECT_USAGE(phalanx_parquet_key_new(&made, footer_key.data(), 15, nullptr, 0, 0));
  EXPECT_EQ(made, nullptr);
  EXPECT_USAGE(phalanx_parquet_key_new(&made, nullptr, 16, nullptr, 0, 0));
  EXPECT_USAGE(phalanx_parquet_key_new(&made, footer_key.data(), 16, nullptr, 3, 0));
  std::uint64_t number = 0;
  EXPECT_USAGE(phalanx_parquet_key_num_invocations(nullptr, &number));
  EXPECT_USAGE(phalanx_parquet_key_num_invocations(footer, nullptr));
  phalanx_parquet_key_free(nullptr);
}

TEST_F(CParquet, RefusesStructsThatDoNotFit) {
  Buffer file;
  encrypting.algorithm = 3;
  EXPECT_USAGE(encrypt(file));
  encrypting.algorithm = 0;
  column_key.key = nullptr;
  EXPECT_USAGE(encrypt(file));
  column_key.column = nullptr;
  column_key.key = name;
  EXPECT_USAGE(encrypt(file));
  column_key.column = "name";
  column_key.struct_bytes = 0;
  EXPECT_USAGE(encrypt(file));
  encrypting.column_keys = nullptr;
  EXPECT_USAGE(encrypt(file));
  encrypting.num_column_keys = 0;
  encrypting.num_plain_columns = 1;
  EXPECT_USAGE(encrypt(file));
  encrypting.num_plain_columns = 0;
  encrypting.aad_prefix_bytes = 1;
  EXPECT_USAGE(encrypt(file));
  encrypting.aad_prefix_bytes = 0;
  encrypted.struct_bytes = 0;
  EXPECT_USAGE(encrypt(file));
  encrypted = PHALANX_ENCRYPTED_PARQUET_INIT;
  ASSERT_OK(encrypt(file));
  Buffer out(file.size());
  decrypting.struct_bytes = 3;
  EXPECT_USAGE(decrypt(file, out));
  decrypting = PHALANX_DECRYPT_PARQUET_OPTIONS_INIT;
  decrypting.aad_prefix_bytes = 5;
  EXPECT_USAGE(decrypt(file, out));
  decrypting = PHALANX_DECRYPT_PARQUET_OPTIONS_INIT;
  decrypted.struct_bytes = 1;
  EXPECT_USAGE(decrypt(file, out));
}

}  // namespace
}  // namespace phalanx::test
