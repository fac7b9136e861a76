// The accumulated randomized tests of c2sp.org/XAES-256-GCM: messages out of one SHAKE128 stream, and a hash of what sealing
// them gives.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace phalanx::test {

/// As the specification has it, in the order in which the stream gives them.
struct AccumulatedCase {
  std::span<const std::uint8_t> key, nonce, plaintext, aad;
};

/// The stream of the deterministic RNG: SHAKE128 of nothing. libcrypto's before 3.3 gives it in one piece, which is made here.
class AccumulatedCases {
 public:
  /// Enough of it for so many cases; each takes 57 to 568 bytes, 313 on average.
  explicit AccumulatedCases(std::size_t num_cases) : stream_(320 * num_cases + 4096) {
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    const bool made = EVP_DigestInit_ex(context, EVP_shake128(), nullptr) == 1 &&
                      EVP_DigestFinalXOF(context, stream_.data(), stream_.size()) == 1;
    EVP_MD_CTX_free(context);
    if (!made) throw std::runtime_error("libcrypto has no SHAKE128");
  }
  [[nodiscard]] std::span<const std::uint8_t> beginning() const { return std::span(stream_).first(16); }

  /// The next one; valid as long as this.
  AccumulatedCase next() {
    const auto key = take(32), nonce = take(24);
    const auto plaintext = take(take(1)[0]);
    return {key, nonce, plaintext, take(take(1)[0])};
  }

 private:
  std::span<const std::uint8_t> take(std::size_t size) {
    place_ += size;
    return std::span(stream_).subspan(place_ - size, size);
  }
  std::vector<std::uint8_t> stream_;
  std::size_t place_ = 0;
};

/// The hash of the ciphertexts: a second SHAKE128, of 32 bytes.
class AccumulatedHash {
 public:
  AccumulatedHash() : context_(EVP_MD_CTX_new()) { EVP_DigestInit_ex(context_, EVP_shake128(), nullptr); }
  AccumulatedHash(const AccumulatedHash&) = delete;
  AccumulatedHash& operator=(const AccumulatedHash&) = delete;
  ~AccumulatedHash() { EVP_MD_CTX_free(context_); }
  void add(std::span<const std::uint8_t> bytes) { EVP_DigestUpdate(context_, bytes.data(), bytes.size()); }
  std::vector<std::uint8_t> finish() {
    std::vector<std::uint8_t> hash(32);
    EVP_DigestFinalXOF(context_, hash.data(), hash.size());
    return hash;
  }

 private:
  EVP_MD_CTX* context_;
};

}  // namespace phalanx::test
