// The engine in a program that has no libcrypto: linked with the library's archive, and with functions of the program's own
// in place of host.hpp's. It would not link if the engine reached libcrypto by any other way.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <phalanx/aead.hpp>
#include <phalanx/chunked.hpp>
#include <phalanx/cipher.hpp>
#include <phalanx/secret.hpp>

#include "engine/host/host.hpp"
#include "engine/host/wiped_memory.hpp"

namespace phalanx {
namespace {

std::size_t num_allocated = 0, num_freed = 0, num_filled = 0, num_expanded = 0;

}  // namespace

SecretPiece allocate_secret_memory(std::size_t num_bytes) {
  ++num_allocated;
  const std::size_t capacity = (num_bytes + 63) / 64 * 64;
  void* const memory = std::aligned_alloc(64, capacity);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory, 0, capacity);
  return {static_cast<std::uint8_t*>(memory), capacity};
}
void free_secret_memory(SecretPiece piece) noexcept {
  ++num_freed;
  wipe_memory(piece.data, piece.capacity);
  std::free(piece.data);
}
void fill_random(MutableBytes out) {
  ++num_filled;
  for (std::uint8_t& byte : out)
    byte = static_cast<std::uint8_t>(num_filled * 31 + static_cast<std::size_t>(&byte - out.data()));
}
// No HKDF: it need only give the same for the same.
void expand_hkdf_sha512(Bytes pseudorandom_key, Bytes info, MutableBytes out) {
  ++num_expanded;
  std::uint8_t sum = 1;
  for (const std::uint8_t byte : pseudorandom_key) sum = static_cast<std::uint8_t>(sum * 5 + byte);
  for (const std::uint8_t byte : info) sum = static_cast<std::uint8_t>(sum * 3 + byte);
  for (std::uint8_t& byte : out) byte = sum = static_cast<std::uint8_t>(sum * 7 + 1);
}

namespace {

using ByteVector = std::vector<std::uint8_t>;

TEST(Guest, SealsAndOpensUnderRandomNonces) {
  const std::size_t filled = num_filled, allocated = num_allocated, freed = num_freed;
  const ByteVector in(1000, 7);
  ByteVector sealed(in.size() + Aead::nonce_and_tag_bytes), out(in.size());
  {
    const Secret key = random_secret(32);
    const Aead aead("xaes-256-gcm", key);
    aead.seal_with_new_nonce({}, in, sealed);
    aead.open_with_leading_nonce({}, sealed, out);
  }
  EXPECT_EQ(out, in);
  EXPECT_EQ(num_filled, filled + 2);
  EXPECT_GT(num_allocated, allocated);
  EXPECT_EQ(num_allocated - allocated, num_freed - freed);
}

TEST(Guest, CryptsRangesAndBatches) {
  const ByteVector key(24, 3), iv(8, 5), in(4096, 9);
  const Cipher cipher("des-ede3-cbc", key);
  ByteVector out(in.size());
  cipher.decrypt(iv, in, out);
  std::vector<ByteVector> outs(20, ByteVector(in.size()));
  std::vector<Message> messages;
  for (ByteVector& each : outs) messages.push_back({.iv = iv, .in = in, .out = each, .key = {}});
  cipher.decrypt_batch(messages);
  for (const ByteVector& each : outs) EXPECT_EQ(each, out);
  EXPECT_TRUE(equal_in_constant_time(out, outs[0]));
}

TEST(Guest, SealsChunks) {
  const std::size_t expanded = num_expanded;
  const ByteVector key(32, 3), in(100000, 9);
  const ChunkedAead chunked("cobblestone-256", key);
  ByteVector sealed(ChunkedAead::sealed_bytes(in.size())), out(in.size());
  chunked.seal(in, sealed);
  chunked.open(sealed, out);
  EXPECT_EQ(out, in);
  EXPECT_GT(num_expanded, expanded);
}

}  // namespace
}  // namespace phalanx
