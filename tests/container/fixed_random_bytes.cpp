#include "fixed_random_bytes.hpp"

#include <openssl/evp.h>

#include <array>
#include <mutex>
#include <vector>

#include "engine/host/host.hpp"

namespace phalanx {
namespace {

struct FixedBytes {
  std::vector<std::uint8_t> hashed;  // the seed, then the counter
  std::vector<std::uint8_t> rest;
};
FixedBytes fixed;
std::mutex fixed_mutex;  // of fill_random: any thread may seal

void hash_next_block() {
  std::array<std::uint8_t, 64> digest{};
  EVP_Digest(fixed.hashed.data(), fixed.hashed.size(), digest.data(), nullptr, EVP_sha512(), nullptr);
  fixed.rest.insert(fixed.rest.end(), digest.begin(), digest.end());
  for (std::size_t i = fixed.hashed.size(); ++fixed.hashed[--i] == 0;) {
  }
}

}  // namespace

namespace test {
void set_random_seed(const std::string& seed) {
  fixed = {{seed.begin(), seed.end()}, {}};
  fixed.hashed.resize(seed.size() + 8);
}
}  // namespace test

void fill_random(MutableBytes out) {
  const std::lock_guard lock(fixed_mutex);
  if (fixed.hashed.empty()) test::set_random_seed("default");
  for (std::uint8_t& byte : out) {
    if (fixed.rest.empty()) hash_next_block();
    byte = fixed.rest.front();
    fixed.rest.erase(fixed.rest.begin());
  }
}

}  // namespace phalanx
