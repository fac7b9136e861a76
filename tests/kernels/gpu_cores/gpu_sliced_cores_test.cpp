// The GPU's cores and modes on the host, where no GPU is needed: every lane of every warp in turn, against the scalar
// engine.
#include <gtest/gtest.h>

#include <cstring>
#include <phalanx/cipher.hpp>
#include <random>
#include <string>
#include <vector>

#include "engine/ciphers/aes/gpu_aes.hpp"
#include "engine/ciphers/des/gpu_des.hpp"
#include "engine/ciphers/serpent/gpu_serpent.hpp"
#include "engine/ciphers/twofish/gpu_twofish.hpp"
#include "engine/engines/cuda/kernels/gpu_des_batch.hpp"
#include "engine/engines/cuda/kernels/gpu_single_block.hpp"
#include "engine/engines/registry.hpp"
#include "engine/modes/chaining.hpp"
#include "engine/modes/named_cipher.hpp"

namespace phalanx {
namespace {

using Buffer = std::vector<std::uint8_t>;

class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}
  Buffer bytes(std::size_t size) {
    Buffer bytes(size);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(generator_());
    return bytes;
  }
  std::size_t below(std::size_t bound) { return generator_() % bound; }

 private:
  std::mt19937_64 generator_;
};

// The CPU's result; iv becomes the chaining state after the message.
Buffer expected(const char* cipher, Bytes key, Mode mode, Direction direction, std::uint8_t* iv, const Buffer& in) {
  const CipherSpec& spec = *find_cipher(cipher);
  Buffer out(in.size());
  find_engine("cpu:scalar")
      .set_key(spec, key, 1)
      ->crypt_range(mode, direction, iv, in.data(), out.data(), in.size() / spec.block_bytes);
  return out;
}

// A range in shares of two tiles, of which the last tile is cut short.
template <class Core, class GpuMode>
Buffer run_chunks(const char* cipher, Bytes key, const std::uint8_t* iv, const Buffer& in) {
  constexpr std::uint64_t share_blocks = 2 * 32 * Core::blocks_per_thread;
  const std::uint64_t num_blocks = in.size() / Core::block_bytes;
  const std::uint64_t num_shares = (num_blocks + share_blocks - 1) / share_blocks;
  alignas(64) static typename Core::Schedule schedule;
  Core::expand_key(key.data(), find_cipher(cipher)->key_bytes, schedule);
  Buffer out(in.size(), 0xa5);
  Buffer states(16 * num_shares);
  GpuJob job{};
  job.range = {in.data(), out.data(), num_blocks, {}, states.data(), false};
  std::memcpy(job.range.iv, iv, 16);
  job.share_blocks = share_blocks;
  job.counter_low = reverse_bytes(load_u64(iv + Core::block_bytes - 8));
  if (Core::block_bytes == 16) job.counter_high = reverse_bytes(load_u64(iv));
  FieldElement power = power_of_alpha(share_blocks);
  for (auto& words : job.share_power) {
    std::memcpy(words, &power, sizeof words);
    multiply_tweak(reinterpret_cast<std::uint8_t*>(&power), FieldElement{power});
  }
  for (std::uint64_t share = 0; share < num_shares; ++share) {
    const std::uint8_t* before = share == 0 ? iv : in.data() + (share * share_blocks - 1) * Core::block_bytes;
    std::memcpy(states.data() + 16 * share, before, Core::block_bytes);
  }
  Buffer shared(Core::shared_bytes);
  Core core;
  core.template prepare<GpuMode::step.cipher_direction>(schedule, shared.data());
  for (std::uint64_t share = 0; share <= num_shares; ++share) {  // one too many: a launch may have idle warps
    for (unsigned lane = 0; lane < 32; ++lane) {
      if constexpr (Core::blocks_per_thread == 1) {
        crypt_share_by_block<Core, GpuMode>(core, schedule, job, share, lane);
      } else {
        crypt_share<Core, GpuMode>(core, schedule, job, share, lane);
      }
    }
  }
  return out;
}

template <class Core, class GpuMode>
void check(const char* cipher, Mode mode, Direction direction) {
  constexpr std::size_t tile_blocks = 32 * Core::blocks_per_thread;
  Random random(1);
  for (const std::size_t num_blocks : {std::size_t{1}, std::size_t{31}, tile_blocks - 1, tile_blocks, tile_blocks + 33,
                                       2 * tile_blocks, 5 * tile_blocks + 7}) {
    const Buffer key = random.bytes(find_cipher(cipher)->key_bytes);
    const Buffer in = random.bytes(num_blocks * Core::block_bytes);
    Buffer iv = random.bytes(16);
    if (mode == Mode::ctr) std::memset(iv.data() + Core::block_bytes - 8, 0xff, 7);  // carries into the upper half
    const Buffer got = run_chunks<Core, GpuMode>(cipher, key, iv.data(), in);
    EXPECT_EQ(got, expected(cipher, key, mode, direction, iv.data(), in)) << cipher << ", " << num_blocks << " blocks";
  }
}

template <class Core>
void check_all_modes(const char* cipher) {
  constexpr auto encrypt = Direction::encrypt;
  constexpr auto decrypt = Direction::decrypt;
  check<Core, GpuEcb<Core, encrypt>>(cipher, Mode::ecb, encrypt);
  check<Core, GpuEcb<Core, decrypt>>(cipher, Mode::ecb, decrypt);
  check<Core, GpuCbcDecrypt<Core>>(cipher, Mode::cbc, decrypt);
  check<Core, GpuCtr<Core>>(cipher, Mode::ctr, encrypt);
  check<Core, GpuCfbDecrypt<Core>>(cipher, Mode::cfb, decrypt);
  if constexpr (Core::block_bytes == 16) {
    check<Core, GpuXts<Core, encrypt>>(cipher, Mode::xts, encrypt);
    check<Core, GpuXts<Core, decrypt>>(cipher, Mode::xts, decrypt);
  }
}

TEST(GpuRange, Des) {
  for (const char* cipher : {"des", "2des", "des-ede3"}) check_all_modes<GpuDes>(cipher);
}
TEST(GpuRange, Serpent) {
  for (const char* cipher : {"serpent-128", "serpent-192", "serpent-256"}) check_all_modes<GpuSerpent<2>>(cipher);
}
TEST(GpuRange, SerpentBlockByBlock) { check_all_modes<GpuSerpent<1>>("serpent-128"); }
TEST(GpuRange, Aes) {
  check_all_modes<GpuAes<10, LaneTables>>("aes-128");
  check_all_modes<GpuAes<14, HalfLaneTables>>("aes-256");
}
TEST(GpuRange, Twofish) { check_all_modes<GpuTwofish<TwofishFourTables<LaneTables>>>("twofish-256"); }

// Messages of fewest_blocks to 19 more, each with its iv and perhaps its key, that do not fill the lanes of the last warp.
void check_des_batch(const char* cipher, unsigned share, bool keyed, Mode mode, Direction direction,
                     std::size_t fewest_blocks = 0) {
  const GpuDesStep step = GpuDesStep::of(mode, direction);
  constexpr std::size_t num_messages = 1100;
  const unsigned num_threads = (num_messages / share + 2) * 32;  // a warp too many: a launch may have idle ones
  const std::size_t key_bytes = find_cipher(cipher)->key_bytes;
  Random random(2);
  const Buffer keys = random.bytes(num_messages * key_bytes);
  Buffer ivs = random.bytes(16 * num_messages);
  Buffer ivs_after = ivs;
  std::vector<Buffer> messages;
  std::vector<Buffer> crypted;
  std::vector<GpuMessage> gpu_messages;
  for (std::size_t i = 0; i < num_messages; ++i) {
    const Bytes key(keys.data() + (keyed ? i * key_bytes : 0), key_bytes);
    messages.push_back(random.bytes(8 * (fewest_blocks + random.below(20))));
    crypted.push_back(expected(cipher, key, mode, direction, ivs_after.data() + 16 * i, messages.back()));
  }
  for (Buffer& message : messages) gpu_messages.push_back({message.data(), message.data(), message.size() / 8});
  Buffer scratch((num_messages / share + 1) * 2 * GpuDesMessages::window_bytes);
  const GpuBatch batch{gpu_messages.data(), ivs.data(), keys.data(), key_bytes, num_messages, scratch.data()};
  static GpuDesSchedule schedule;
  GpuDes::expand_key(keys.data(), key_bytes, schedule);
  static constexpr GpuDesKeySchedule key_schedule = make_key_schedule();
  for (unsigned thread = 0; thread < num_threads; ++thread) {
    const GpuDesMessages of_warp(batch, share, thread / 32, thread % 32);
    const auto crypt = [&](const auto& under) {
      if (mode == Mode::cbc && direction == Direction::encrypt) {
        crypt_des_messages<false>(of_warp, GpuDesCbcEncryption{}, under);
      } else {
        crypt_des_messages<false>(of_warp, GpuDesAnyMode{step}, under);
      }
    };
    if (!keyed) {
      crypt(GpuDesSharedKeys{schedule.keys[static_cast<unsigned>(step.cipher_direction)], schedule.num_passes});
      continue;
    }
    if (of_warp.num_messages == 0) continue;
    alignas(8) static std::uint8_t planes[GpuDesKeyPlanes::warp_bytes_per_pass * max_des_passes];
    const auto num_passes = static_cast<unsigned>(key_bytes / 8);
    const GpuDesLaneKeys lane_keys{{planes + 8 * (thread % 32)}, key_schedule, num_passes, step.cipher_direction};
    lane_keys.planes.load(num_passes, key_schedule, step.cipher_direction, [&](unsigned i) {
      return keys.data() + (of_warp.first + of_warp.present(of_warp.own(i))) * key_bytes;
    });
    crypt(lane_keys);
  }
  EXPECT_EQ(messages, crypted) << cipher;
  for (std::size_t i = 0; i < num_messages; ++i) {
    EXPECT_EQ(std::memcmp(ivs.data() + 16 * i, ivs_after.data() + 16 * i, 8), 0) << cipher << ", message " << i;
  }
}

TEST(GpuBatch, DesInEveryMode) {
  for (const Mode mode : {Mode::ecb, Mode::cbc, Mode::ctr, Mode::cfb, Mode::ofb}) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt})
      check_des_batch("des", 1024, false, mode, direction);
  }
}
// Of several whole windows, which are carried while others are crypted.
TEST(GpuBatch, DesOfManyWindows) {
  for (const unsigned share : {64, 1024}) {
    for (const std::size_t fewest_blocks : {16, 24, 40}) {
      check_des_batch("des-ede3", share, true, Mode::cbc, Direction::encrypt, fewest_blocks);
      check_des_batch("2des", share, false, Mode::cfb, Direction::decrypt, fewest_blocks);
    }
    check_des_batch("des", share, true, Mode::ctr, Direction::encrypt, 24);
  }
}
// At any address, with a short block at the end.
TEST(GpuBatch, DesOfAnyLength) {
  constexpr std::size_t num_messages = 70;
  Random random(5);
  const Buffer key = random.bytes(8);
  static GpuDesSchedule schedule;
  GpuDes::expand_key(key.data(), key.size(), schedule);
  for (const auto& [name, mode] :
       {std::pair{"des-ctr", Mode::ctr}, std::pair{"des-cfb", Mode::cfb}, std::pair{"des-ofb", Mode::ofb}}) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      Buffer ivs = random.bytes(16 * num_messages);
      std::vector<Buffer> in, out, expected_out;
      std::vector<GpuMessage> messages;
      Buffer rests;
      for (std::size_t i = 0; i < num_messages; ++i) {
        in.push_back(random.bytes(random.below(200)));
        const Cipher cpu(name, key, {.engine = "cpu:scalar", .num_threads = 1}, {.allow_legacy = true});
        const Bytes iv(ivs.data() + 16 * i, 8);
        expected_out.emplace_back(in.back().size());
        direction == Direction::encrypt ? cpu.encrypt(iv, in.back(), expected_out.back())
                                        : cpu.decrypt(iv, in.back(), expected_out.back());
        in.back().insert(in.back().begin(), i % 9, 0);
        out.emplace_back(in.back().size(), 0xa5);
      }
      for (std::size_t i = 0; i < num_messages; ++i) {
        const std::size_t size = in[i].size() - i % 9;
        messages.push_back({in[i].data() + i % 9, out[i].data() + i % 9, size / 8});
        rests.push_back(static_cast<std::uint8_t>(size % 8));
      }
      Buffer scratch(2 * GpuDesMessages::window_bytes);
      GpuBatch batch{messages.data(), ivs.data(), nullptr, 8, num_messages, scratch.data()};
      batch.rests = rests.data();
      const GpuDesStep step = GpuDesStep::of(mode, direction);
      for (unsigned lane = 0; lane < 32; ++lane) {
        crypt_des_messages<true>(
            GpuDesMessages(batch, 1024, 0, lane), GpuDesAnyMode{step},
            GpuDesSharedKeys{schedule.keys[static_cast<unsigned>(step.cipher_direction)], schedule.num_passes});
      }
      for (std::size_t i = 0; i < num_messages; ++i) {
        expected_out[i].insert(expected_out[i].begin(), i % 9, 0xa5);
        EXPECT_EQ(out[i], expected_out[i]) << name << ' ' << i;
      }
    }
  }
}
TEST(GpuBatch, DesWithAKeyForEachMessage) {
  for (const char* cipher : {"des", "2des", "des-ede3"}) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      for (const unsigned share : {64, 1024}) check_des_batch(cipher, share, true, Mode::cbc, direction);
    }
  }
}

}  // namespace
}  // namespace phalanx
