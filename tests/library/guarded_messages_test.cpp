// The library over memory between two pages that nobody may touch (tests/kernels/guarded_memory.hpp): messages of any
// length, batches under one key and under a key each, sectors and GCM; in place and not. guard_pages_test.cpp has the
// kernels themselves.
#include <algorithm>

#include "../kernels/guarded_memory.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "tested_engines.hpp"

namespace phalanx::test {
namespace {

std::string text_of(Edge edge) { return edge == Edge::end ? " before a page" : " behind a page"; }

class GuardedMessages : public OnEveryEngine {
 protected:
  GuardWatch watch;

  void SetUp() override {
    OnEveryEngine::SetUp();
    if (!IsSkipped() && engine() == "cuda") GTEST_SKIP() << "a GPU reads no page of ours";
  }
  // Lengths in bytes that the cipher takes: every one up to a few blocks, and around each quarter of two groups.
  [[nodiscard]] std::vector<std::size_t> sizes_of(const NamedCipher& named) const {
    const std::size_t block = named.cipher->block_bytes;
    const std::size_t quarter = std::max<std::size_t>(1, lanes_of(*named.cipher) / 4) * block;
    std::vector<std::size_t> sizes;
    for (std::size_t size = 0; size <= 8 * quarter + block + 1; ++size) {
      const std::size_t beyond = size % quarter;
      const bool is_near = beyond <= 1 || beyond == block || beyond == quarter - 1 || beyond == quarter - block;
      const bool is_possible = takes_whole_blocks(named.mode) ? size % block == 0 : named.mode != Mode::xts || size >= 16;
      if (is_possible && (size <= 3 * block || is_near)) sizes.push_back(size);
    }
    return sizes;
  }
};
PHALANX_ON_EVERY_ENGINE(GuardedMessages);

void crypt_in(Direction direction, const Cipher& cipher, Bytes iv, Bytes in, MutableBytes out) {
  direction == Direction::encrypt ? cipher.encrypt(iv, in, out) : cipher.decrypt(iv, in, out);
}

TEST_P(GuardedMessages, OfAnyLength) {
  for (const NamedCipher& named : all_names_but_gcm()) {
    if (is_slow() && named.cipher->key_bytes != 16) continue;
    const GuardedMemory key(64);
    const GuardedMemory iv(16);
    const std::vector<std::size_t> sizes = sizes_of(named);
    const GuardedMemory in(sizes.back());
    const GuardedMemory out(sizes.back());
    for (const Edge edge : both_edges) {
      const Cipher cipher(full_name(named), key.bytes(edge, key_bytes(named)), options(1), with_legacy);
      for (const std::size_t size : sizes) {
        for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
          const bool caught = watch.touches_guards([&] {
            crypt_in(direction, cipher, iv.bytes(edge, iv_bytes(named)), in.bytes(edge, size), out.bytes(edge, size));
            crypt_in(direction, cipher, iv.bytes(edge, iv_bytes(named)), out.bytes(edge, size), out.bytes(edge, size));
          });
          ASSERT_FALSE(caught) << full_name(named) << " of " << size << text_of(edge);
        }
      }
    }
  }
}

// Messages of lengths that differ, each with memory of its own.
TEST_P(GuardedMessages, OfABatch) {
  for (const NamedCipher& named : all_names_but_gcm()) {
    if (is_slow() && named.cipher->key_bytes != 16) continue;
    const std::size_t block = named.cipher->block_bytes;
    const std::size_t num_messages = std::min<std::size_t>(lanes_of(*named.cipher) + 5, 140);
    std::vector<GuardedMemory> ins, outs, keys, ivs;
    for (std::size_t i = 0; i < num_messages; ++i) {
      for (std::vector<GuardedMemory>* all : {&ins, &outs}) all->emplace_back(20 * block);
      for (std::vector<GuardedMemory>* all : {&keys, &ivs}) all->emplace_back(64);
    }
    const Cipher cipher(full_name(named), keys[0].bytes(Edge::end, key_bytes(named)), options(1), with_legacy);
    for (const Edge edge : both_edges) {
      for (const bool own_keys : {false, true}) {
        for (const bool in_place : {false, true}) {
          std::vector<Message> messages;
          for (std::size_t i = 0; i < num_messages; ++i) {
            const std::size_t rest = takes_whole_blocks(named.mode) ? 0 : i % block;
            const std::size_t size = (named.mode == Mode::xts ? 1 + i % 18 : i % 19) * block + rest;
            messages.push_back({ivs[i].bytes(edge, iv_bytes(named)), (in_place ? outs : ins)[i].bytes(edge, size),
                                outs[i].bytes(edge, size),
                                own_keys ? Bytes(keys[i].bytes(edge, key_bytes(named))) : Bytes{}});
          }
          ASSERT_FALSE(watch.touches_guards([&] { cipher.encrypt_batch(messages), cipher.decrypt_batch(messages); }))
              << full_name(named) << (own_keys ? " under a key each" : "") << (in_place ? " in place" : "") << text_of(edge);
        }
      }
    }
  }
}

TEST_P(GuardedMessages, OfSectors) {
  for (const char* name : {"aes-128-xts", "aes-256-xts", "serpent-128-xts", "twofish-128-xts"}) {
    Buffer key(key_bytes(parse_cipher_name(name)), 3);
    key.front() = 4;  // its halves differ
    const SectorCipher cipher(name, key, options(1), with_legacy);
    const GuardedMemory in(4096);
    const GuardedMemory out(4096);
    for (const Edge edge : both_edges) {
      for (const std::size_t sector_bytes : {16, is_slow() ? 64 : 512}) {
        for (std::size_t size = 0; size <= 3 * sector_bytes + 40; ++size) {
          if (size % sector_bytes != 0 && size % sector_bytes < 16) continue;
          const bool caught = watch.touches_guards([&] {
            cipher.encrypt(7, 1, sector_bytes, in.bytes(edge, size), out.bytes(edge, size));
            cipher.decrypt(7, 1, sector_bytes, out.bytes(edge, size), out.bytes(edge, size));
          });
          ASSERT_FALSE(caught) << name << " of " << size << text_of(edge);
        }
      }
    }
  }
}

// Every length up to two groups, with nonces and associated data of lengths that differ.
TEST_P(GuardedMessages, OfGcm) {
  for (const char* name : {"aes-128-gcm", "aes-256-gcm", "serpent-128-gcm", "twofish-128-gcm"}) {
    const Aead cipher(name, Buffer(key_bytes(parse_cipher_name(name)), 3), options(1), with_any_nonce);
    const std::size_t group = 16 * lanes_of(*parse_cipher_name(name).cipher);
    const std::size_t step = is_slow() ? 7 : std::string_view(name).starts_with("aes") ? 1 : 3;
    const GuardedMemory in(2 * group + 64);
    const GuardedMemory out(2 * group + 64);
    const GuardedMemory nonce(64);
    const GuardedMemory associated(64);
    const GuardedMemory tag(16);
    for (const Edge edge : both_edges) {
      for (std::size_t size = 0; size <= 2 * group + 40; size += size < 64 ? 1 : step) {
        const Bytes this_nonce = nonce.bytes(edge, size % 5 == 0 ? 1 + size % 33 : 12);
        const Bytes this_associated = associated.bytes(edge, size % 37);
        const bool caught = watch.touches_guards([&] {
          cipher.seal(this_nonce, this_associated, in.bytes(edge, size), out.bytes(edge, size), tag.bytes(edge, 16));
          cipher.open(this_nonce, this_associated, out.bytes(edge, size), out.bytes(edge, size), tag.bytes(edge, 16));
        });
        ASSERT_FALSE(caught) << name << " of " << size << text_of(edge);
      }
    }
  }
}

// By nonces of its one size, and one message of a batch beside another's key.
TEST_P(GuardedMessages, OfXaes) {
  const GuardedMemory in(300), out(300), nonce(24), associated(64), tag(16), key(32);
  for (const Edge edge : both_edges) {
    const Aead cipher("xaes-256-gcm", key.bytes(edge, 32), options(1), with_any_nonce);
    for (std::size_t size = 0; size <= 300; size += size < 40 || size > 250 ? 1 : 7) {
      const Bytes this_associated = associated.bytes(edge, size % 37);
      const MessageToSeal keyed{nonce.bytes(edge, 24), this_associated,     in.bytes(edge, size),
                                out.bytes(edge, size), tag.bytes(edge, 16), key.bytes(edge, 32)};
      const bool caught = watch.touches_guards([&] {
        cipher.seal_batch({&keyed, 1});
        cipher.seal(nonce.bytes(edge, 24), this_associated, in.bytes(edge, size), out.bytes(edge, size),
                    tag.bytes(edge, 16));
        cipher.open(nonce.bytes(edge, 24), this_associated, out.bytes(edge, size), out.bytes(edge, size),
                    tag.bytes(edge, 16));
      });
      ASSERT_FALSE(caught) << "xaes-256-gcm of " << size << text_of(edge);
    }
  }
}

}  // namespace
}  // namespace phalanx::test
