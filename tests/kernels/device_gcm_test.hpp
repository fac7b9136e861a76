// A batch of GCM messages in the host's memory, and what a GPU's kernels do with it, lane by lane.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/ciphers/aes/gpu_aes.hpp"
#include "engine/ciphers/serpent/gpu_serpent.hpp"
#include "engine/ciphers/twofish/gpu_twofish.hpp"
#include "engine/modes/device_batches/gcm_hash_steps.hpp"
#include "engine/modes/device_batches/gcm_text_steps.hpp"
#include "engine/modes/device_batches/xaes_inputs.hpp"
#include "reference/plain_gcm.hpp"
#include "reference/plain_xaes.hpp"
#include "reference/reference.hpp"

namespace phalanx {
namespace {

using ByteVector = std::vector<std::uint8_t>;
using Numbers = std::vector<std::uint64_t>;

GhashElement element_of(const reference::GcmBlock& block) {
  std::uint32_t words[4];
  std::memcpy(words, block.data(), 16);
  return ghash_element(words);
}

// A batch in the host's memory: arenas, arrays and what kernels keep.
struct HostBatch {
  ByteVector in, out, associated, nonces, tags;
  Numbers in_offsets, out_offsets, lengths, associated_offsets;
  DeviceBatchArrays arrays{};
  DeviceBatchJob job{};
  std::vector<DeviceBatchMessage> messages;
  std::vector<std::uint64_t> starts[2], groups[2];
  std::vector<std::array<std::uint32_t, 4>> hashes, given_tags;
  std::vector<std::uint8_t> verdicts;
  TagPlace tag_place = TagPlace::apart;

  [[nodiscard]] std::size_t size() const { return lengths.size(); }

  // As the first two kernels do it. How many messages are misplaced.
  unsigned plan(bool is_open, unsigned step_blocks, bool in_place) {
    arrays = {.in = in_place ? out.data() : in.data(),
              .in_bytes = in_place ? out.size() : in.size(),
              .out = out.data(),
              .out_bytes = out.size(),
              .associated = associated.data(),
              .associated_bytes = associated.size(),
              .in_offsets = in_place ? out_offsets.data() : in_offsets.data(),
              .out_offsets = out_offsets.data(),
              .lengths = lengths.data(),
              .associated_offsets = associated_offsets.data(),
              .nonces = nonces.data(),
              .keys = nullptr,
              .tags = tags.data(),
              .num_messages = size(),
              .offset_bytes = 8,
              .tag_bytes = 16,
              .key_bytes = 0,
              .nonce_bytes = 12,
              .tag_place = tag_place};
    job = {};
    job.arrays = arrays;
    job.is_open = is_open;
    job.step_blocks = step_blocks;
    place();
    unsigned num_misplaced = 0;
    std::uint64_t units[2] = {};
    for (std::size_t i = 0; i < size(); ++i) {
      const bool fits =
          read_gcm_message(arrays, i, messages[i]) && (i == 0 || ends_before(arrays, messages[i - 1], messages[i]));
      num_misplaced += fits ? 0 : 1;
      if (is_open && fits) read_gcm_tag(arrays, i, messages[i], given_tags[i].data());
      for (unsigned kind = 0; kind < 2; ++kind) {
        if (i % DeviceBatchJob::group == 0) groups[kind][i / DeviceBatchJob::group] = units[kind];
        starts[kind][i] = units[kind] - groups[kind][i / DeviceBatchJob::group];
        units[kind] += kind == 0 ? gcm_crypt_units(messages[i], step_blocks) : gcm_hash_units(messages[i]);
      }
    }
    for (unsigned kind = 0; kind < 2; ++kind) groups[kind].back() = units[kind];
    return num_misplaced;
  }

 private:
  void place() {
    messages.assign(size(), {});
    hashes.assign(size(), {});
    given_tags.assign(size(), {});
    verdicts.assign(size(), 0xa5);
    for (unsigned kind = 0; kind < 2; ++kind) {
      starts[kind].assign(size(), 0);
      groups[kind].assign(job.num_groups() + 1, 0);
    }
    job.messages = messages.data();
    job.crypt_starts = {starts[0].data(), groups[0].data()};
    job.hash_starts = {starts[1].data(), groups[1].data()};
    job.hashes = reinterpret_cast<std::uint32_t(*)[4]>(hashes.data());
    job.tags = reinterpret_cast<std::uint32_t(*)[4]>(given_tags.data());
    job.verdicts = verdicts.data();
  }
};

struct SmallHashTables {
  using Tables = LaneTablesOf<256>;
  ByteVector memory = ByteVector(Tables::bytes_of(4));
  GhashTimes<8, Tables> times;

  explicit SmallHashTables(GhashElement element)
      : times{Tables::fill<4>(memory.data(), [multiples = GhashTimes<8, Tables>::Multiples(element)](
                                                 unsigned v, std::uint32_t words[4]) { multiples.entry(v, words); })} {}
};

template <class Core>
class DeviceGcm {
 public:
  DeviceGcm(const char* name, const ByteVector& key)
      : schedule_(std::make_unique<typename Core::Schedule>()),
        shared_(Core::shared_bytes + 1),
        key_(std::make_unique<GcmHashKey>()) {
    Core::expand_key(key.data(), key.size(), *schedule_);
    core_.template prepare<Direction::encrypt>(*schedule_, shared_.data());
    reference::GcmBlock h{};
    reference::make_cipher(name, key)->encrypt_block(h.data(), h.data());
    fill_powers(element_of(h));
    tables_ = std::make_unique<SmallHashTables>(key_->lane[31]);
  }

  void run(HostBatch& batch, std::uint64_t num_shares) {
    batch.job.hash_key = key_.get();
    if (!batch.job.is_open) crypt(batch, num_shares);
    for (std::uint64_t share = 0; share < num_shares; ++share) {
      for (unsigned lane = 0; lane < 32; ++lane) hash_gcm_share(tables_->times, *key_, batch.job, share, num_shares, lane);
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      finish_gcm_message(batch.job, i, [&](GpuBlock128& x) {
        GpuBlock128 blocks[Core::blocks_per_thread] = {x};
        core_.template crypt<Direction::encrypt>(*schedule_, blocks);
        x = blocks[0];
      });
    }
    if (batch.job.is_open) crypt(batch, num_shares);
  }

  // x * H^(32 steps), one step at a time.
  GhashElement move_slowly(GhashElement x, std::uint64_t steps) const {
    for (; steps != 0; --steps) x = ghash_multiply(x, key_->lane[31]);
    return x;
  }
  [[nodiscard]] const GcmHashKey& key() const { return *key_; }

 private:
  void crypt(HostBatch& batch, std::uint64_t num_shares) {
    for (std::uint64_t share = 0; share < num_shares; ++share) {
      for (unsigned lane = 0; lane < 32; ++lane) {
        crypt_gcm_share(
            core_, [this](std::uint64_t) -> const auto& { return *schedule_; }, batch.job, share, num_shares, lane);
      }
    }
  }
  void fill_powers(GhashElement h) {
    const GhashElement one{{0x80000000, 0, 0, 0}};
    const auto fill = [](GhashElement* powers, GhashElement base, unsigned count) {
      for (unsigned i = 1; i < count; ++i) powers[i] = ghash_multiply(powers[i - 1], base);
    };
    key_->lane[0] = h;
    fill(key_->lane, h, 32);
    key_->near[0] = key_->far[0] = key_->farther[0] = one;
    fill(key_->near, key_->lane[31], 1025);
    fill(key_->far, key_->near[1024], 1025);
    fill(key_->farther, key_->far[1024], 257);
  }

  std::unique_ptr<typename Core::Schedule> schedule_;
  ByteVector shared_;
  Core core_;
  std::unique_ptr<GcmHashKey> key_;
  std::unique_ptr<SmallHashTables> tables_;
};

// The same where every message has a key of its own.
template <class KeyedCore>
class KeyedDeviceAead {
  using Keys = typename GcmKeyedCore<KeyedCore>::Schedule;

 public:
  KeyedDeviceAead() : shared_(KeyedCore::shared_bytes + 1) {
    core_.core.template prepare<Direction::encrypt>(shared_.data());
  }

  void run(HostBatch& batch, const ByteVector& keys, std::size_t key_bytes, std::uint64_t num_shares) {
    core_.key_bytes = static_cast<unsigned>(key_bytes);
    batch.job.arrays.keys = keys.data();
    batch.job.arrays.key_bytes = static_cast<unsigned>(key_bytes);
    std::vector<GpuBlock128> vectors(KeyedCore::key_vectors * batch.size());
    std::vector<std::array<std::uint32_t, 4>> subkeys(batch.size());
    batch.job.key_vectors = reinterpret_cast<std::uint8_t*>(vectors.data());
    batch.job.num_key_vectors = KeyedCore::key_vectors;
    batch.job.subkeys = reinterpret_cast<std::uint32_t(*)[4]>(subkeys.data());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const GpuMessageKeys expanded = gcm_keys_of(batch.job, i);
      KeyedCore::template expand_key<Direction::encrypt>(keys.data() + i * key_bytes, key_bytes, expanded);
      GpuBlock128 h{};
      core_.template crypt<Direction::encrypt>(Keys(expanded), &h);
      std::copy_n(h.word, 4, subkeys[i].begin());
    }
    if (!batch.job.is_open) crypt(batch, num_shares);
    for (std::uint64_t share = 0; share < num_shares; ++share) {
      for (unsigned lane = 0; lane < 32; ++lane) hash_keyed_gcm_share(batch.job, share, num_shares, lane);
    }
    for (std::size_t i = 0; i < batch.size(); ++i) {
      finish_gcm_message(batch.job, i, [&](GpuBlock128& x) {
        core_.template crypt<Direction::encrypt>(Keys(gcm_keys_of(batch.job, i)), &x);
      });
    }
    if (batch.job.is_open) crypt(batch, num_shares);
  }

 private:
  void crypt(HostBatch& batch, std::uint64_t num_shares) {
    const auto keys_of = [&](std::uint64_t message) { return Keys(gcm_keys_of(batch.job, message)); };
    for (std::uint64_t share = 0; share < num_shares; ++share) {
      for (unsigned lane = 0; lane < 32; ++lane) crypt_gcm_share(core_, keys_of, batch.job, share, num_shares, lane);
    }
  }

  ByteVector shared_;
  GcmKeyedCore<KeyedCore> core_{};
};

}  // namespace
}  // namespace phalanx
