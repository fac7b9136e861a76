#include "io/plaintext_mac.hpp"

#include <algorithm>

#include "formats/random_bytes.hpp"

namespace phalanx {
namespace {

constexpr std::size_t leaf_bytes = std::size_t{1} << 20;
constexpr std::size_t key_bytes = 32, nonce_bytes = 12;

// On the CPU by one thread, whatever crypts: it takes a tenth of the time that the slowest of our ciphers does.
Aead new_aead() {
  SecretBytes key(key_bytes);
  fill_random(key);
  return Aead("aes-256-gcm", key, {.engine = "cpu", .num_threads = 1});
}

std::array<std::uint8_t, nonce_bytes> nonce_of(std::uint64_t number) {
  std::array<std::uint8_t, nonce_bytes> nonce{};
  for (std::size_t i = 0; i < sizeof number; ++i) nonce[i] = static_cast<std::uint8_t>(number >> (8 * i));
  return nonce;
}

}  // namespace

PlaintextMacKey::PlaintextMacKey() : aead_(new_aead()) {}

// That a nonce comes again, for another file or reading, would show something about the key to whoever saw both tags.
PlaintextMacKey::Tag PlaintextMacKey::tag_of(std::uint64_t leaf, Bytes part) const {
  Tag tag{};
  aead_.seal(nonce_of(leaf), part, {}, {}, tag);
  return tag;
}

void PlaintextMac::add_leaf(Bytes leaf) {
  PlaintextMacKey::Tag tag = key_.tag_of(num_leaves_++, leaf);
  tags_.update(tag);
  wipe_memory(tag.data(), tag.size());
}

void PlaintextMac::update(Bytes part) {
  num_bytes_ += part.size();
  while (!part.empty()) {
    if (begun_bytes_ == 0 && part.size() >= leaf_bytes) {
      add_leaf(part.first(leaf_bytes));
      part = part.subspan(leaf_bytes);
      continue;
    }
    if (begun_.size() == 0) begun_ = SecretBytes(leaf_bytes);
    const std::size_t size = std::min(part.size(), leaf_bytes - begun_bytes_);
    std::ranges::copy(part.first(size), begun_.begin() + begun_bytes_);
    begun_bytes_ += size;
    part = part.subspan(size);
    if (begun_bytes_ == leaf_bytes) {
      add_leaf(begun_);
      begun_bytes_ = 0;
    }
  }
}

// The last leaf is shorter than the others, even empty: no two lengths have the same leaves.
std::string PlaintextMac::finish() {
  add_leaf(Bytes(begun_).first(begun_bytes_));
  return tags_.finish();
}

}  // namespace phalanx
