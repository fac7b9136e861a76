#include "files/foreign/luks/key_slots.hpp"

#include <algorithm>
#include <phalanx/error.hpp>
#include <phalanx/files/key_derivation.hpp>
#include <phalanx/secret.hpp>
#include <string>

#include "files/foreign/luks/key_stripes.hpp"
#include "files/foreign/luks/luks_cipher.hpp"
#include "files/libcrypto/argon2.hpp"
#include "files/libcrypto/named_digest.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_key_bytes = 512;
constexpr std::uint64_t most_material_bytes = std::uint64_t{16} << 20;

[[noreturn]] void refuse_cost(const std::string& what, std::uint64_t number, std::uint64_t most) {
  throw Error(ErrorCode::policy, "it asks for " + std::to_string(number) + " " + what + ", and at most " +
                                     std::to_string(most) + " are allowed here: cryptsetup may take it");
}

void derive_pbkdf2_of(const std::string& hash, std::uint32_t num_iterations, Bytes passphrase, Bytes salt,
                      MutableBytes out) {
  check_cost({.hash = hash, .num_iterations = num_iterations});
  if (num_iterations == 0) throw Error(ErrorCode::format, "its PBKDF2 has no iterations");
  static_cast<void>(NamedDigest(hash));  // PBKDF2 would fail with one of no fixed size, and not say why
  derive_pbkdf2(hash, passphrase, salt, static_cast<int>(num_iterations), out);
}

void derive(const LuksDerivation& derivation, Bytes passphrase, MutableBytes out) {
  if (derivation.kind == LuksDerivation::Kind::pbkdf2)
    return derive_pbkdf2_of(derivation.hash, derivation.num_iterations, passphrase, derivation.salt, out);
  check_cost(derivation);
  const Argon2Kind kind = derivation.kind == LuksDerivation::Kind::argon2i ? Argon2Kind::i : Argon2Kind::id;
  derive_argon2(kind, passphrase, derivation.salt, {derivation.num_iterations, derivation.memory_kib, derivation.num_lanes},
                out);
}

// Returns the digest that has the slot and all segments, or nullptr.
const LuksDigest* digest_of(const LuksHeader& header, unsigned slot) {
  const auto has = [](const std::vector<unsigned>& numbers, unsigned number) {
    return std::ranges::find(numbers, number) != numbers.end();
  };
  const auto found = std::ranges::find_if(header.digests, [&](const LuksDigest& digest) {
    return has(digest.slots, slot) && std::ranges::all_of(header.segments, [&](const LuksSegment& segment) {
             return has(digest.segments, segment.number);
           });
  });
  return found == header.digests.end() ? nullptr : &*found;
}

// Throws Error (format) for a slot whose problem, numbers or cipher keep it from being tried.
void check_slot(const LuksSlot& slot) {
  const auto refuse = [](const std::string& what) { throw Error(ErrorCode::format, what); };
  if (!slot.problem.empty()) refuse(slot.problem);
  if (slot.volume_key_bytes == 0 || slot.volume_key_bytes > most_key_bytes)
    refuse("it has a volume key of " + std::to_string(slot.volume_key_bytes) + " bytes");
  const std::uint64_t material_bytes = std::uint64_t{slot.volume_key_bytes} * slot.num_stripes;
  if (slot.num_stripes == 0 || material_bytes > most_material_bytes)
    refuse("its key has " + std::to_string(slot.num_stripes) + " stripes");
  if (material_bytes > slot.area_bytes)
    refuse("its stripes take " + std::to_string(material_bytes) + " bytes, and its area has " +
           std::to_string(slot.area_bytes));
  const std::string refusal = refuse_luks_cipher(slot.encryption, slot.area_key_bytes);
  if (!refusal.empty()) refuse("it " + refusal);
}

// Reads the stripes of a slot, and decrypts them.
SecretBytes read_material(const LuksSlot& slot, const VolumeBytes& bytes, Bytes passphrase) {
  const std::size_t stripes_bytes = slot.volume_key_bytes * slot.num_stripes;
  SecretBytes material((stripes_bytes + luks_sector_bytes - 1) / luks_sector_bytes * luks_sector_bytes);
  bytes.read(slot.area_offset, material);
  SecretBytes area_key(slot.area_key_bytes);
  derive(slot.derivation, passphrase, area_key);
  EngineOptions one_thread;
  one_thread.num_threads = 1;
  LuksCipher(slot.encryption, area_key, luks_sector_bytes, one_thread).decrypt(0, material);
  return material;
}

bool is_volume_key(Bytes key, const LuksDigest& digest) {
  constexpr std::size_t least_digest_bytes = 16;
  if (digest.digest.size() < least_digest_bytes || digest.digest.size() > most_key_bytes)
    throw Error(ErrorCode::format, "its digest has " + std::to_string(digest.digest.size()) + " bytes");
  SecretBytes computed(digest.digest.size());
  derive_pbkdf2_of(digest.hash, digest.num_iterations, key, digest.salt, computed);
  return equal_in_constant_time(computed, digest.digest);
}

// Returns the slots in the order in which they are tried.
std::vector<const LuksSlot*> slots_to_try(const LuksHeader& header, const VolumeBytes& bytes,
                                          const std::optional<unsigned>& number) {
  std::vector<const LuksSlot*> slots;
  for (const LuksSlot& slot : header.slots) {
    const bool is_wanted = number ? slot.number == *number : slot.priority != LuksSlot::Priority::only_by_number;
    if (is_wanted) slots.push_back(&slot);
  }
  if (slots.empty() && number) {
    throw Error(ErrorCode::usage, bytes.name() + " has no key in slot " + std::to_string(*number) +
                                      ": `phalanx inspect` lists the slots that are in use");
  }
  std::stable_partition(slots.begin(), slots.end(),
                        [](const LuksSlot* slot) { return slot->priority == LuksSlot::Priority::preferred; });
  return slots;
}

// Keeps the first reason why a slot could not be tried.
struct Failure {
  std::optional<Error> first{};

  void keep(const LuksSlot& slot, const Error& error) {
    if (!first) first.emplace(error, "key slot " + std::to_string(slot.number) + " cannot be tried: " + error.what());
  }
};

[[noreturn]] void throw_no_slot(const VolumeBytes& bytes, std::size_t num_tried, std::size_t num_slots) {
  if (num_slots == 0) {
    throw Error(ErrorCode::format, bytes.name() +
                                       " has no key slot that is tried, so that no passphrase opens it: name a slot, if "
                                       "`phalanx inspect` lists one");
  }
  throw Error(ErrorCode::wrong_key, "the passphrase opens no key slot of " + bytes.name() + ": " +
                                        (num_tried == 1 ? "one was" : std::to_string(num_tried) + " were") + " tried");
}

}  // namespace

void check_cost(const LuksDerivation& derivation) {
  if (derivation.kind == LuksDerivation::Kind::pbkdf2) {
    if (derivation.num_iterations > most_pbkdf2_iterations)
      refuse_cost("iterations of PBKDF2", derivation.num_iterations, most_pbkdf2_iterations);
    return;
  }
  const std::uint64_t passes_kib = std::uint64_t{derivation.num_iterations} * derivation.memory_kib;
  if (derivation.memory_kib > most_argon2_kib) refuse_cost("KiB of memory", derivation.memory_kib, most_argon2_kib);
  if (derivation.num_lanes > most_argon2_lanes) refuse_cost("lanes of Argon2", derivation.num_lanes, most_argon2_lanes);
  if (passes_kib > most_argon2_passes_kib) refuse_cost("KiB in all passes of Argon2", passes_kib, most_argon2_passes_kib);
}

OpenedSlot open_key_slot(const LuksHeader& header, const VolumeBytes& bytes, Bytes passphrase, const KeySlotChoice& choice) {
  const std::vector<const LuksSlot*> slots = slots_to_try(header, bytes, choice.number);
  Failure failure;
  std::size_t num_tried = 0;
  for (const LuksSlot* const slot : slots) {
    const LuksDigest* const digest = digest_of(header, slot->number);
    if (digest == nullptr && !choice.number) continue;
    try {
      check_slot(*slot);
      if (digest == nullptr) throw Error(ErrorCode::format, "its key is not that of the volume's data");
      check_cost(slot->derivation);
      if (choice.on_trial) choice.on_trial(*slot);
      const SecretBytes material = read_material(*slot, bytes, passphrase);
      SecretBytes key = merge_stripes(material, slot->volume_key_bytes, slot->num_stripes, slot->stripes_hash);
      if (is_volume_key(key, *digest)) return {slot->number, std::move(key)};
      ++num_tried;
    } catch (const Error& error) {
      // A digest that libcrypto lacks, or a cost that Argon2 does not take, is the header's fault and no caller's.
      failure.keep(*slot, error.code() == ErrorCode::usage ? Error(ErrorCode::format, error.what()) : error);
    }
  }
  if (failure.first) throw Error(*failure.first);
  throw_no_slot(bytes, num_tried, slots.size());
}

}  // namespace phalanx
