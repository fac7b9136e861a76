// What tests of null pointers and wild sizes share: keyed objects, sizes that no memory has, and what a usage error is.
#pragma once

#include <gtest/gtest.h>
#include <phalanx/phalanx.h>

#include <cstring>

#include "tests/library/tested_engines.hpp"

namespace phalanx::test {

inline constexpr std::size_t too_many = SIZE_MAX - 7;

inline phalanx_engine_options scalar_options() {
  phalanx_engine_options options = PHALANX_ENGINE_OPTIONS_INIT;
  options.engine = "cpu:scalar";
  options.num_threads = 1;
  return options;
}
inline const phalanx_engine_options scalar = scalar_options();

/// What most calls want.
class CNull : public testing::Test {
 protected:
  Buffer bytes = Buffer(64, 7);
  std::uint8_t* const data = bytes.data();
  phalanx_cipher* ctr = nullptr;
  phalanx_sector_cipher* xts = nullptr;
  phalanx_aead* gcm = nullptr;
  CNull() {
    bytes.front() = 8;  // the halves of XTS's key differ
    EXPECT_EQ(phalanx_cipher_new(&ctr, "aes-128-ctr", data, 16, nullptr, &scalar), PHALANX_OK);
    EXPECT_EQ(phalanx_sector_cipher_new(&xts, "aes-128-xts", data, 32, nullptr, &scalar), PHALANX_OK);
    EXPECT_EQ(phalanx_aead_new(&gcm, "aes-128-gcm", data, 16, nullptr, &scalar), PHALANX_OK);
  }
  ~CNull() override {
    phalanx_cipher_free(ctr);
    phalanx_sector_cipher_free(xts);
    phalanx_aead_free(gcm);
  }
};

#define EXPECT_USAGE(call)                                                                               \
  do {                                                                                                   \
    EXPECT_EQ(call, PHALANX_USAGE) << #call;                                                             \
    EXPECT_EQ(std::strchr(phalanx_last_error(), '\n'), nullptr) << "one line: " << phalanx_last_error(); \
    EXPECT_STRNE(phalanx_last_error(), "");                                                              \
  } while (false)

}  // namespace phalanx::test
