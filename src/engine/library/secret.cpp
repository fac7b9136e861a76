#include <phalanx/secret.hpp>

#include "engine/bytes/equal_bytes.hpp"
#include "engine/host/host.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

struct Secret::State {
  SecretBytes bytes;
};

Secret::Secret() = default;
Secret::Secret(std::size_t num_bytes) : state_(new State{SecretBytes(num_bytes)}) {}
Secret::Secret(Bytes bytes) : state_(new State{SecretBytes(bytes)}) {}
Secret::~Secret() = default;
Secret::Secret(Secret&&) noexcept = default;
Secret& Secret::operator=(Secret&&) noexcept = default;

std::size_t Secret::size() const { return state_ == nullptr ? 0 : state_->bytes.size(); }
const std::uint8_t* Secret::data() const { return state_ == nullptr ? nullptr : state_->bytes.data(); }
std::uint8_t* Secret::data() { return state_ == nullptr ? nullptr : state_->bytes.data(); }

inline namespace PHALANX_VERSION_NAMESPACE {

Secret random_secret(std::size_t num_bytes) {
  Secret secret(num_bytes);
  fill_random(secret);
  return secret;
}

void random_bytes(MutableBytes out) { fill_random(out); }

void wipe_memory(MutableBytes memory) noexcept { phalanx::wipe_memory(memory.data(), memory.size()); }

bool equal_in_constant_time(Bytes a, Bytes b) noexcept {
  return a.size() == b.size() && are_equal(a.data(), b.data(), a.size());
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
