// A file by GCM that somebody without a key makes pass for one by CTR: what is told of it, and what GCM that is required refuses.
#include <gtest/gtest.h>
#include <phalanx/parquet/modular_encryption.h>

#include <algorithm>
#include <functional>
#include <phalanx/parquet/modular_encryption.hpp>

#include "encrypted_footer.hpp"
#include "made_parquet.hpp"
#include "parquet/module_facts.hpp"
#include "temporary_folder.hpp"
#include "vector_file.hpp"

namespace phalanx::test {
namespace {

const Buffer key(16, 7);

Secret find_key(const ParquetKeyRequest& /*request*/) { return Secret(key); }

std::optional<ErrorCode> code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

Buffer encrypted(const Buffer& plain, const EncryptParquetOptions& options = {}) {
  Buffer file;
  static_cast<void>(encrypt_parquet(plain, file, ParquetKey(key), options));
  return file;
}

// The algorithm stands in the clear. A page by GCM is nonce, ciphertext and tag: its ciphertext moves over the tag, where CTR's
// key stream fits it, and 16 bytes of anything come before it.
Buffer made_ctr(const Buffer& file, unsigned char changed_bits = 0) {
  EncryptedFooter footer(file);
  CompactStruct crypto = CompactStruct::read(footer.clear);
  const CompactStruct algorithm = crypto.structure(1).value();
  CompactStruct by_ctr;
  by_ctr.set_structure(2, algorithm.structure(1).value());
  crypto.set_structure(1, by_ctr);
  footer.clear = crypto.bytes();
  constexpr std::size_t magic_bytes = 4;
  const std::size_t header_bytes = module_length_bytes + load_u32(footer.body.data() + magic_bytes);
  std::uint8_t* const page = footer.body.data() + magic_bytes + header_bytes;
  const std::size_t num_bytes = load_u32(page) - module_nonce_bytes - module_tag_bytes;
  std::uint8_t* const ciphertext = page + ctr_module_added_bytes;
  std::memmove(ciphertext + module_tag_bytes, ciphertext, num_bytes);
  std::memset(ciphertext, 0, module_tag_bytes);
  ciphertext[module_tag_bytes] ^= changed_bits;
  return footer.file();
}

// What compression a file without a codec has, nobody knows.
Buffer made_file() {
  MadeParquet made([](MutableBytes page) { std::ranges::fill(page, std::uint8_t{'1'}); });
  made.add_row_group({{.path = "amounts", .page_bytes = {64}}});
  return made.finish();
}

// Its pages are not compressed, and it says so.
Buffer plain_vector() { return read_file((vectors_folder() / "parquet" / "plain.parquet").string()); }

TEST(RequiredGcm, RefusesWhatSaysCtrBeforeAKeyIsAsked) {
  const auto none = [](const ParquetKeyRequest&) -> Secret { throw std::logic_error("asked"); };
  for (const Buffer& file :
       {made_ctr(encrypted(made_file()), '1' ^ '9'), encrypted(made_file(), {.algorithm = ParquetAlgorithm::aes_gcm_ctr_v1}),
        encrypted(made_file(), {.algorithm = ParquetAlgorithm::aes_gcm_ctr_v1, .plaintext_footer = true})}) {
    Buffer plain{7};
    EXPECT_EQ(code_of([&] { static_cast<void>(decrypt_parquet(file, plain, none, {.require_gcm = true})); }),
              ErrorCode::policy);
    EXPECT_EQ(plain, Buffer{7});
  }
}

TEST(RequiredGcm, TakesGcm) {
  const Buffer file = plain_vector();
  for (const bool is_signed : {false, true}) {
    Buffer plain;
    const DecryptedParquet found =
        decrypt_parquet(encrypted(file, {.plaintext_footer = is_signed}), plain, find_key, {.require_gcm = true});
    EXPECT_TRUE(found.verified);
    EXPECT_EQ(found.num_authentic_pages, found.num_pages);
    EXPECT_EQ(plain, file);
  }
}

TEST(RequiredGcm, IsNotTheDefaultAndThenNoPageCountsAsAuthentic) {
  Buffer plain;
  const DecryptedParquet found = decrypt_parquet(made_ctr(encrypted(made_file()), '1' ^ '9'), plain, find_key);
  EXPECT_FALSE(found.verified);
  EXPECT_EQ(found.num_pages, 1U);
  EXPECT_EQ(found.num_authentic_pages, 0U);
  const Buffer forged{'9', '1', '1', '1'};
  EXPECT_NE(std::search(plain.begin(), plain.end(), forged.begin(), forged.end()),
            plain.end());  // so nobody tells without it
}

// Where the pages are not compressed, their headers say how long they are.
TEST(RequiredGcm, PagesThatAreTooLongAreTold) {
  const Buffer file = encrypted(plain_vector());
  Buffer plain;
  EXPECT_TRUE(decrypt_parquet(file, plain, find_key).verified);
  EXPECT_EQ(code_of([&] { static_cast<void>(decrypt_parquet(made_ctr(file), plain, find_key)); }),
            ErrorCode::authentication);
}

// What is refused when it is decrypted is refused when it is encrypted. The length stands in the first page's header.
TEST(RequiredGcm, NoPageIsEncryptedByCtrThatWouldBeTold) {
  Buffer plain = plain_vector();
  CompactStruct header = CompactStruct::read(Bytes(plain).subspan(4));
  const std::size_t num_bytes = header.num_bytes();
  header.set_integer(page_header::uncompressed_page_size, CompactType::i32,
                     header.integer(page_header::uncompressed_page_size).value() + 1);
  const Buffer changed = header.bytes();
  ASSERT_EQ(changed.size(), num_bytes);
  std::ranges::copy(changed, plain.begin() + 4);
  EXPECT_EQ(code_of([&] { static_cast<void>(encrypted(plain, {.algorithm = ParquetAlgorithm::aes_gcm_ctr_v1})); }),
            ErrorCode::format);
}

int give_key(void* /*user_data*/, const phalanx_parquet_key_request* /*request*/, std::uint8_t* out,
             std::size_t* key_bytes) {
  std::ranges::copy(key, out);
  *key_bytes = key.size();
  return 0;
}

TEST(RequiredGcm, InC) {
  const Buffer file = encrypted(made_file(), {.algorithm = ParquetAlgorithm::aes_gcm_ctr_v1});
  Buffer out(file.size(), 7);
  phalanx_decrypt_parquet_options options = PHALANX_DECRYPT_PARQUET_OPTIONS_INIT;
  phalanx_decrypted_parquet found = PHALANX_DECRYPTED_PARQUET_INIT;
  const auto decrypt = [&] {
    return phalanx_decrypt_parquet(file.data(), file.size(), out.data(), out.size(), give_key, nullptr, &options, nullptr,
                                   &found);
  };
  options.require_gcm = 1;
  EXPECT_EQ(decrypt(), PHALANX_POLICY);
  EXPECT_EQ(out, Buffer(file.size(), 7));
  options.struct_bytes = offsetof(phalanx_decrypt_parquet_options, require_gcm);
  EXPECT_EQ(decrypt(), PHALANX_USAGE) << "there was no smaller version";
  options = PHALANX_DECRYPT_PARQUET_OPTIONS_INIT;
  found.struct_bytes = offsetof(phalanx_decrypted_parquet, num_authentic_pages);
  EXPECT_EQ(decrypt(), PHALANX_USAGE);
  found = PHALANX_DECRYPTED_PARQUET_INIT;
  found.num_authentic_pages = 99;
  EXPECT_EQ(decrypt(), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(found.num_pages, 1U);
  EXPECT_EQ(found.num_authentic_pages, 0U);
}

}  // namespace
}  // namespace phalanx::test
