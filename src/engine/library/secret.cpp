#include "engine/library/secret.hpp"

#include <atomic>
#include <phalanx/secret.hpp>

#include "engine/bytes/equal_bytes.hpp"
#include "engine/host/host.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

struct Secret::State {
  explicit State(SecretBytes secret) : bytes(std::move(secret)) {}
  ~State() { delete companion.load(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  SecretBytes bytes;
  std::atomic<SecretCompanion*> companion{nullptr};
};

Secret::Secret() = default;
Secret::Secret(std::size_t num_bytes) : state_(new State(SecretBytes(num_bytes))) {}
Secret::Secret(Bytes bytes) : state_(new State(SecretBytes(bytes))) {}
Secret::~Secret() = default;
Secret::Secret(Secret&&) noexcept = default;
Secret& Secret::operator=(Secret&&) noexcept = default;

std::size_t Secret::size() const { return state_ == nullptr ? 0 : state_->bytes.size(); }
const std::uint8_t* Secret::data() const { return state_ == nullptr ? nullptr : state_->bytes.data(); }
std::uint8_t* Secret::data() { return state_ == nullptr ? nullptr : state_->bytes.data(); }

// No lock: a process that is forked meanwhile would find it held for ever.
SecretCompanion* SecretCompanion::of(const SharedSecret& secret, Make make) {
  if (secret.secret_ == nullptr || secret.secret_->state_ == nullptr) return nullptr;
  std::atomic<SecretCompanion*>& companion = secret.secret_->state_->companion;
  if (SecretCompanion* const found = companion.load()) return found;
  std::unique_ptr<SecretCompanion> made = make();
  SecretCompanion* first = nullptr;
  return companion.compare_exchange_strong(first, made.get()) ? made.release() : first;
}

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
