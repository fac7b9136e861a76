#include "files/container/format/passphrase_keys.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <phalanx/files/key_derivation.hpp>
#include <vector>

#include "engine/host/host.hpp"
#include "engine/host/process_mark.hpp"
#include "engine/library/secret.hpp"

namespace phalanx {
namespace {

// A folder that was sealed night after night, each under a salt of its own, has fewer salts than this in two years. They
// take 64 KiB of secret memory, however many salts somebody has planted.
constexpr std::size_t most_opening_keys = 1024;
constexpr std::size_t most_sealing_keys = 16;  // a run has one suite and one cost for each passphrase

std::vector<std::uint8_t> labelled_salt(const FixedPart& fixed_part, Bytes salt) {
  std::vector<std::uint8_t> labelled = labelled_fixed_part(fixed_part, "scrypt");
  labelled.insert(labelled.end(), salt.begin(), salt.end());
  return labelled;
}

DerivedKey derive(Bytes passphrase, const ScryptRequest& request) {
  const ScryptCost& cost = request.cost;
  SecretBytes key(request.fixed_part.suite->key_bytes);
  derive_scrypt(passphrase, labelled_salt(request.fixed_part, request.salt), cost.log2_n, cost.r, cost.p, key);
  return std::make_shared<const SecretBytes>(std::move(key));
}

DerivedKey copy_of(const SecretBytes& key) { return std::make_shared<const SecretBytes>(Bytes(key)); }

SealingKey new_sealing_key(Bytes passphrase, const FixedPart& fixed_part, const ScryptCost& cost) {
  ScryptRequest request{.fixed_part = fixed_part, .cost = cost};
  fill_random(request.salt);
  return {request.salt, derive(passphrase, request)};
}

// Without a salt it is that of all requests for sealing.
RequestId joined_id(const FixedPart& fixed_part, Bytes salt, const ScryptCost& cost) {
  std::vector<std::uint8_t> bytes = labelled_salt(fixed_part, salt);
  bytes.insert(bytes.end(), {cost.log2_n, cost.r, cost.p});
  return {bytes.begin(), bytes.end()};
}

// Keeps the keys of one passphrase. Any number of threads may use it.
struct PassphraseKeys : SecretCompanion {
  DerivedKey opening_key(Bytes passphrase, const ScryptRequest& request);
  SealingKey sealing_key(Bytes passphrase, const FixedPart& fixed_part, const ScryptCost& cost);
  [[nodiscard]] std::optional<SealingKey> sealing_key_of(const RequestId& id);
  void trust(const ScryptRequest& request);

  // A lock of another thread is held for ever in a child.
  [[nodiscard]] bool is_of_this_process() const { return process_.is_of_this_process(); }

 private:
  struct OpeningKey {
    std::mutex mutex;  // is held while the key is derived
    DerivedKey key;
    std::uint64_t last_use = 0;
  };

  std::shared_ptr<OpeningKey> place_of(const RequestId& id);
  [[nodiscard]] DerivedKey derived_before(const RequestId& id);
  SealingKey keep_sealing_key(const RequestId& id, const SealingKey& key);

  ProcessMark process_;
  std::mutex mutex_;
  std::map<RequestId, std::shared_ptr<OpeningKey>> opening_keys_;
  std::map<RequestId, SealingKey> sealing_keys_;
  std::uint64_t num_uses_ = 0;
  std::mutex deriving_to_seal_;
};

std::shared_ptr<PassphraseKeys::OpeningKey> PassphraseKeys::place_of(const RequestId& id) {
  const std::lock_guard lock(mutex_);
  if (opening_keys_.size() == most_opening_keys && !opening_keys_.contains(id)) {
    const auto by_use = [](const auto& one, const auto& other) { return one.second->last_use < other.second->last_use; };
    opening_keys_.erase(std::ranges::min_element(opening_keys_, by_use));
  }
  const std::shared_ptr<OpeningKey> place = opening_keys_.try_emplace(id, std::make_shared<OpeningKey>()).first->second;
  place->last_use = ++num_uses_;
  return place;
}

DerivedKey PassphraseKeys::opening_key(Bytes passphrase, const ScryptRequest& request) {
  const std::shared_ptr<OpeningKey> place = place_of(id_of(request));
  const std::lock_guard lock(place->mutex);
  if (place->key == nullptr) place->key = derive(passphrase, request);
  return place->key;
}

DerivedKey PassphraseKeys::derived_before(const RequestId& id) {
  std::shared_ptr<OpeningKey> place;
  {
    const std::lock_guard lock(mutex_);
    const auto found = opening_keys_.find(id);
    if (found == opening_keys_.end()) return nullptr;
    place = found->second;
  }
  const std::lock_guard lock(place->mutex);
  return place->key;
}

std::optional<SealingKey> PassphraseKeys::sealing_key_of(const RequestId& id) {
  const std::lock_guard lock(mutex_);
  const auto found = sealing_keys_.find(id);
  return found == sealing_keys_.end() ? std::nullopt : std::optional(found->second);
}

// The first stays.
SealingKey PassphraseKeys::keep_sealing_key(const RequestId& id, const SealingKey& key) {
  const std::lock_guard lock(mutex_);
  if (sealing_keys_.size() == most_sealing_keys && !sealing_keys_.contains(id)) sealing_keys_.erase(sealing_keys_.begin());
  return sealing_keys_.try_emplace(id, key).first->second;
}

SealingKey PassphraseKeys::sealing_key(Bytes passphrase, const FixedPart& fixed_part, const ScryptCost& cost) {
  const RequestId id = joined_id(fixed_part, {}, cost);
  const std::lock_guard lock(deriving_to_seal_);
  if (std::optional<SealingKey> known = sealing_key_of(id)) return *std::move(known);
  return keep_sealing_key(id, new_sealing_key(passphrase, fixed_part, cost));
}

// The copy lies elsewhere: where memory fails, what is sealed under one does not open by the other.
void PassphraseKeys::trust(const ScryptRequest& request) {
  const RequestId id = joined_id(request.fixed_part, {}, request.cost);
  if (sealing_key_of(id)) return;
  const DerivedKey key = derived_before(id_of(request));
  if (key != nullptr) static_cast<void>(keep_sealing_key(id, {request.salt, copy_of(*key)}));
}

std::unique_ptr<SecretCompanion> make_passphrase_keys() { return std::make_unique<PassphraseKeys>(); }

// Returns nullptr where nothing can be kept.
PassphraseKeys* keys_beside(const SharedSecret& passphrase) {
  auto* const keys = static_cast<PassphraseKeys*>(SecretCompanion::of(passphrase, make_passphrase_keys));
  return keys != nullptr && keys->is_of_this_process() ? keys : nullptr;
}

}  // namespace

RequestId id_of(const ScryptRequest& request) { return joined_id(request.fixed_part, request.salt, request.cost); }

DerivedKey opening_key(const SharedSecret& passphrase, const ScryptRequest& request) {
  PassphraseKeys* const keys = keys_beside(passphrase);
  return keys == nullptr ? derive(passphrase, request) : keys->opening_key(passphrase, request);
}

SealingKey sealing_key(const SharedSecret& passphrase, const FixedPart& fixed_part, const ScryptCost& cost) {
  PassphraseKeys* const keys = keys_beside(passphrase);
  return keys == nullptr ? new_sealing_key(passphrase, fixed_part, cost) : keys->sealing_key(passphrase, fixed_part, cost);
}

bool has_sealing_key(const SharedSecret& passphrase, const FixedPart& fixed_part, const ScryptCost& cost) {
  PassphraseKeys* const keys = keys_beside(passphrase);
  return keys != nullptr && keys->sealing_key_of(joined_id(fixed_part, {}, cost)).has_value();
}

void trust_salt(const SharedSecret& passphrase, const ScryptRequest& request) {
  if (PassphraseKeys* const keys = keys_beside(passphrase)) keys->trust(request);
}

}  // namespace phalanx
