// Modules: their bytes, put together here as Parquet Modular Encryption says it, section by section.
#include <gtest/gtest.h>

#include <algorithm>
#include <phalanx/aead.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/parquet/modular_encryption.hpp>

namespace phalanx {
namespace {

using Buffer = std::vector<std::uint8_t>;

constexpr ParquetModule all_modules[] = {ParquetModule::footer,
                                         ParquetModule::column_metadata,
                                         ParquetModule::data_page,
                                         ParquetModule::dictionary_page,
                                         ParquetModule::data_page_header,
                                         ParquetModule::dictionary_page_header,
                                         ParquetModule::column_index,
                                         ParquetModule::offset_index,
                                         ParquetModule::bloom_filter_header,
                                         ParquetModule::bloom_filter_bitset};

const Buffer prefix{'t', 'a', 'b', 'l', 'e'}, unique{9, 8, 7, 6, 5, 4, 3, 2}, plain(1000, 0x5a);
const ParquetPlace place{.row_group = 0x0102, .column = 0x0304, .page = 0x0506};

// Section 4.4.2, the table.
Buffer aad_of(ParquetModule module) {
  const auto number = static_cast<std::uint8_t>(module);
  Buffer aad{'t', 'a', 'b', 'l', 'e', 9, 8, 7, 6, 5, 4, 3, 2, number};
  if (number != 0) aad.insert(aad.end(), {0x02, 0x01, 0x04, 0x03});
  if (number == 2 || number == 4) aad.insert(aad.end(), {0x06, 0x05});
  return aad;
}

ParquetPlace place_of(ParquetModule module) {
  ParquetPlace of = place;
  of.module = module;
  return of;
}

bool is_page(ParquetModule module) { return module == ParquetModule::data_page || module == ParquetModule::dictionary_page; }

Buffer seal(const ParquetModules& modules, ParquetModule module) {
  Buffer sealed(modules.sealed_bytes(module, plain.size()));
  const ParquetModuleToSeal one{.place = place_of(module), .plain = plain, .module = sealed};
  modules.seal_batch({&one, 1});
  return sealed;
}

class Modules : public testing::TestWithParam<std::tuple<ParquetAlgorithm, std::size_t>> {
 protected:
  Modules() : key(std::get<1>(GetParam()), 3), modules(std::get<0>(GetParam()), key, prefix, unique) {}

  [[nodiscard]] std::string name(const char* mode) const { return "aes-" + std::to_string(key.size() * 8) + "-" + mode; }

  Buffer key;
  ParquetModules modules;
};

TEST_P(Modules, AreAsSpecified) {
  for (const ParquetModule module : all_modules) {
    const bool by_ctr = std::get<0>(GetParam()) == ParquetAlgorithm::aes_gcm_ctr_v1 && is_page(module);
    EXPECT_EQ(modules.is_authenticated(module), !by_ctr);
    const Buffer sealed = seal(modules, module);
    const std::size_t length = sealed[0] + sealed[1] * 256U;
    ASSERT_EQ(length, plain.size() + (by_ctr ? 12 : 28));
    ASSERT_EQ(sealed.size(), length + 4);
    const Bytes nonce = Bytes(sealed).subspan(4, 12), ciphertext = Bytes(sealed).subspan(16, plain.size());
    Buffer found(plain.size());
    if (by_ctr) {
      Buffer iv(16);
      std::ranges::copy(nonce, iv.begin());
      iv.back() = 1;
      Cipher(name("ctr"), key).decrypt(iv, ciphertext, found);
    } else {
      Aead(name("gcm"), key).open(nonce, aad_of(module), ciphertext, found, Bytes(sealed).last(16));
    }
    EXPECT_EQ(found, plain);
  }
}

TEST_P(Modules, OpenAsOneBatch) {
  std::vector<Buffer> sealed;
  for (const ParquetModule module : all_modules) sealed.push_back(seal(modules, module));
  std::vector<ParquetModuleToOpen> opened;
  for (std::size_t i = 0; i < sealed.size(); ++i) opened.push_back({.place = place_of(all_modules[i]), .module = sealed[i]});
  ASSERT_TRUE(modules.open_batch(opened));
  for (const ParquetModuleToOpen& module : opened) {
    EXPECT_TRUE(std::ranges::equal(module.plain, plain));
    EXPECT_EQ(module.is_authentic, modules.is_authenticated(module.place.module));
  }
}

TEST_P(Modules, OpenAtTheirPlaceAlone) {
  for (const ParquetModule module : all_modules) {
    if (!modules.is_authenticated(module)) continue;
    const Buffer sealed = seal(modules, module);
    const auto opens = [&](ParquetPlace at) {
      Buffer copy = sealed;
      ParquetModuleToOpen one{.place = at, .module = copy};
      const bool is_authentic = modules.open_batch({&one, 1});
      EXPECT_EQ(one.is_authentic, is_authentic);
      if (!is_authentic) {
        EXPECT_EQ(copy, sealed) << "no plaintext is written";
      }
      return is_authentic;
    };
    for (const ParquetModule other : all_modules) {
      if (!modules.is_authenticated(other)) continue;
      EXPECT_EQ(opens(place_of(other)), other == module);
    }
    ParquetPlace at = place_of(module);
    at.row_group = 1;
    EXPECT_EQ(opens(at), module == ParquetModule::footer);
    at = place_of(module);
    at.column = 1;
    EXPECT_EQ(opens(at), module == ParquetModule::footer);
    at = place_of(module);
    at.page = 1;
    EXPECT_EQ(opens(at), module != ParquetModule::data_page && module != ParquetModule::data_page_header);
  }
}

TEST_P(Modules, SignFooters) {
  const Buffer signature = modules.sign_footer(plain);
  ASSERT_EQ(signature.size(), 28U);
  Buffer ciphertext(plain.size()), tag(16);
  Aead(name("gcm"), key).seal(Bytes(signature).first(12), aad_of(ParquetModule::footer), plain, ciphertext, tag);
  EXPECT_TRUE(std::ranges::equal(tag, Bytes(signature).last(16)));
  EXPECT_TRUE(modules.verify_footer(plain, signature));
  EXPECT_FALSE(modules.verify_footer(Bytes(plain).first(999), signature));
  EXPECT_FALSE(modules.verify_footer(plain, Bytes(signature).first(27)));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    Buffer changed = signature;
    changed[i] ^= 1;
    EXPECT_FALSE(modules.verify_footer(plain, changed)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Parquet, Modules,
                         testing::Combine(testing::Values(ParquetAlgorithm::aes_gcm_v1, ParquetAlgorithm::aes_gcm_ctr_v1),
                                          testing::Values(16, 24, 32)));

TEST(ParquetModules, NoncesAreDrawn) {
  const ParquetModules modules(ParquetAlgorithm::aes_gcm_v1, Buffer(16), {}, unique);
  const Buffer one = seal(modules, ParquetModule::footer), other = seal(modules, ParquetModule::footer);
  EXPECT_FALSE(std::equal(one.begin() + 4, one.begin() + 16, other.begin() + 4));
}

TEST(ParquetModules, LengthsAreChecked) {
  const ParquetModules modules(ParquetAlgorithm::aes_gcm_v1, Buffer(16), {}, unique);
  for (const std::size_t size : {0, 3, 4, 31, 40}) {
    Buffer module(size);
    ParquetModuleToOpen one{.module = module};
    EXPECT_THROW(static_cast<void>(modules.open_batch({&one, 1})), Error) << size;
  }
  EXPECT_THROW(static_cast<void>(modules.sealed_bytes(ParquetModule::data_page, INT32_MAX - 31U)), Error);
  EXPECT_EQ(modules.sealed_bytes(ParquetModule::data_page, INT32_MAX - 32U), std::size_t{INT32_MAX});
  Buffer sealed(32);
  const ParquetModuleToSeal too_far{.place = {.module = ParquetModule::column_index, .row_group = 32768}, .module = sealed};
  EXPECT_THROW(modules.seal_batch({&too_far, 1}), Error);
  EXPECT_THROW(ParquetModules(ParquetAlgorithm::aes_gcm_v1, Buffer(17), {}, unique), Error);
}

TEST(ParquetModules, AreWalked) {
  const Buffer bytes{2, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1};
  const std::vector<ParquetSpan> spans = walk_parquet_modules(bytes);
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(spans[0].num_bytes, 6U);
  EXPECT_EQ(spans[1].offset, 6U);
  EXPECT_EQ(spans[2].num_bytes, 5U);
  EXPECT_TRUE(walk_parquet_modules({}).empty());
  for (std::size_t size : {1, 5, 8, 14}) {
    EXPECT_THROW(static_cast<void>(walk_parquet_modules(Bytes(bytes).first(size))), Error) << size;
  }
  EXPECT_THROW(static_cast<void>(walk_parquet_modules(Buffer{255, 255, 255, 255, 0})), Error);
}

}  // namespace
}  // namespace phalanx
