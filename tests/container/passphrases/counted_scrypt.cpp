#include "tests/container/passphrases/counted_scrypt.hpp"

#include <dlfcn.h>
#include <openssl/evp.h>

#include <mutex>
#include <utility>

namespace phalanx::test {
namespace {

std::mutex mutex;
std::vector<std::uint64_t> derived;
std::uint64_t most_computed = 4;
Mishap next_mishap = Mishap::none;
unsigned num_before_mishap = 0;

Mishap count(std::uint64_t mebibytes) {
  const std::lock_guard lock(mutex);
  derived.push_back(mebibytes);
  if (next_mishap == Mishap::none || num_before_mishap-- != 0) return Mishap::none;
  return std::exchange(next_mishap, Mishap::none);
}

}  // namespace

std::vector<std::uint64_t> take_derived() {
  const std::lock_guard lock(mutex);
  return std::exchange(derived, {});
}

void compute_up_to(std::uint64_t mebibytes) { most_computed = mebibytes; }

void let_happen(Mishap mishap, unsigned after) {
  const std::lock_guard lock(mutex);
  next_mishap = mishap;
  num_before_mishap = after;
}

}  // namespace phalanx::test

extern "C" int EVP_PBE_scrypt(const char* passphrase, std::size_t passphrase_bytes, const unsigned char* salt,
                              std::size_t salt_bytes, std::uint64_t N, std::uint64_t r, std::uint64_t p,
                              std::uint64_t memory, unsigned char* key, std::size_t key_bytes) {
  using namespace phalanx::test;
  const std::uint64_t mebibytes = 128 * N * r * p / mebibyte;
  const Mishap mishap = count(mebibytes);
  if (mishap == Mishap::failure) return 0;
  if (mebibytes > most_computed) return 1;
  static const auto compute = reinterpret_cast<decltype(&EVP_PBE_scrypt)>(dlsym(RTLD_NEXT, "EVP_PBE_scrypt"));
  const int status = compute(passphrase, passphrase_bytes, salt, salt_bytes, N, r, p, memory, key, key_bytes);
  if (mishap == Mishap::wrong_bit) key[0] ^= 1;
  return status;
}
