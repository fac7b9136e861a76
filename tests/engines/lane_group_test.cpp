// Lane groups over a kernel of plain functions, whose cipher XORs its key: every block once and under its own key, however
// many messages, lanes and groups there are, and which way the blocks went.
#include "engine/engines/cpu/lane_group.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <phalanx/cipher.hpp>
#include <thread>
#include <vector>

#include "engine/bytes/xor_bytes.hpp"

namespace phalanx::test {
namespace {

constexpr std::size_t num_lanes = 4, block_bytes = 8;

// What the kernel did.
struct Record {
  std::mutex mutex;
  std::map<const std::uint8_t*, int> blocks;    // how often each was crypted
  std::map<const std::uint8_t*, int> by_range;  // the first block of each range
  std::size_t most_lanes = 0, num_lane_calls = 0;
};
Record record;

using Block = std::array<std::uint8_t, block_bytes>;

Block load(const std::uint8_t* from) {
  Block block;
  std::memcpy(block.data(), from, block_bytes);
  return block;
}
Block xor_of(Block one, const Block& other) {
  for (std::size_t i = 0; i < block_bytes; ++i) one[i] ^= other[i];
  return one;
}
void store(const Block& block, std::uint8_t* to) { std::memcpy(to, block.data(), block_bytes); }

// The step of a mode: `state` is moved on.
template <Mode mode>
void crypt_block(const Block& key, std::uint8_t* state, const std::uint8_t* in, std::uint8_t* out) {
  {
    const std::lock_guard lock(record.mutex);
    ++record.blocks[in];
  }
  const Block text = load(in);
  Block result = xor_of(text, key);
  if constexpr (mode == Mode::cbc) {
    result = xor_of(result, load(state));
    store(result, state);
  } else if constexpr (mode == Mode::ofb) {
    Block next = xor_of(load(state), key);
    std::rotate(next.begin(), next.begin() + 1, next.end());  // else every other state is the same
    store(next, state);
    result = xor_of(text, next);
  }
  store(result, out);
}

template <Mode mode>
void fake_range(const void* schedule, std::uint8_t* iv, const std::uint8_t* in, std::uint8_t* out, std::size_t num_blocks) {
  {
    const std::lock_guard lock(record.mutex);
    ++record.by_range[in];
  }
  const Block key = load(static_cast<const std::uint8_t*>(schedule));
  for (std::size_t i = 0; i < num_blocks; ++i) crypt_block<mode>(key, iv, in + i * block_bytes, out + i * block_bytes);
}

template <Mode mode, bool own_keys>
void fake_lanes(const void* keys, std::uint8_t* rows, const LaneMessages& messages, std::size_t num_steps) {
  {
    const std::lock_guard lock(record.mutex);
    record.most_lanes = std::max(record.most_lanes, messages.num_lanes);
    ++record.num_lane_calls;
  }
  for (std::size_t lane = 0; lane < messages.num_lanes; ++lane) {
    const Block key = load(static_cast<const std::uint8_t*>(keys) + (own_keys ? lane * block_bytes : 0));
    for (std::size_t i = 0; i < std::min(num_steps, messages.num_blocks[lane]); ++i) {
      crypt_block<mode>(key, rows + lane * block_bytes, messages.in[lane] + i * block_bytes,
                        messages.out[lane] + i * block_bytes);
    }
  }
}

void fake_expand_key(const std::uint8_t* key, std::size_t key_bytes, void* schedule) {
  std::memcpy(schedule, key, key_bytes);
}
void fake_expand_lane_keys(const std::uint8_t* keys, std::size_t /*key_bytes*/, std::size_t first_lane, void* schedules) {
  for (std::size_t lane = first_lane; lane < first_lane + 2; ++lane) {
    std::memcpy(static_cast<std::uint8_t*>(schedules) + lane * block_bytes, keys + lane * block_bytes, block_bytes);
  }
}
void fake_set_lane(const void* schedule, std::size_t lane, void* schedules) {
  std::memcpy(static_cast<std::uint8_t*>(schedules) + lane * block_bytes, schedule, block_bytes);
}

template <Mode mode>
void put_mode(Kernel& kernel) {
  const auto number = static_cast<unsigned>(mode);
  for (unsigned direction = 0; direction < num_directions; ++direction) {
    kernel.range[number][direction] = fake_range<mode>;
    kernel.multi_buffer[number][direction] = fake_lanes<mode, false>;
    kernel.multi_key[number][direction] = fake_lanes<mode, true>;
  }
}

Kernel fake_kernel(std::size_t serial_messages) {
  Kernel kernel;
  kernel.block_bytes = block_bytes;
  kernel.lanes = num_lanes;
  kernel.schedule_bytes = 64;
  kernel.lane_schedules_bytes = num_lanes * block_bytes;
  kernel.expand_key = fake_expand_key;
  kernel.serial_messages = serial_messages;
  kernel.lane_rows_bytes = num_lanes * block_bytes;
  kernel.key_lanes = 2;
  kernel.expand_lane_keys = fake_expand_lane_keys;
  kernel.set_lane[0] = kernel.set_lane[1] = fake_set_lane;
  put_mode<Mode::ecb>(kernel);
  put_mode<Mode::cbc>(kernel);
  put_mode<Mode::ofb>(kernel);
  return kernel;
}

constexpr CipherSpec fake_cipher{"fake", CipherFamily::des, CipherKernel::des, block_bytes, block_bytes};

std::vector<std::uint8_t> bytes_from(std::size_t size, std::uint8_t first) {
  std::vector<std::uint8_t> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(first + 29 * i + i / 7);
  return bytes;
}

// Messages of these lengths, and what should become of them.
class Batch {
 public:
  Batch(const Kernel& kernel, Mode mode, LaneKeys keys, const std::vector<std::size_t>& lengths)
      : kernel_(kernel), mode_(mode), keys_(keys), cipher_(fake_cipher, kernel_, own_key_, 1) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      Message& message = *messages_.emplace_back(std::make_unique<Message>());
      message.key = keys == LaneKeys::one ? own_key_ : bytes_from(block_bytes, static_cast<std::uint8_t>(i));
      message.in = bytes_from(lengths[i] * block_bytes, static_cast<std::uint8_t>(3 * i));
      message.out.resize(message.in.size());
      message.iv = bytes_from(block_bytes, static_cast<std::uint8_t>(5 * i));
      if (keys == LaneKeys::prepared) message.prepared = std::make_unique<CpuCipher>(fake_cipher, kernel_, message.key, 1);
      list_.push_back({.key = keys == LaneKeys::expanded ? Bytes(message.key) : Bytes(),
                       .iv = message.iv.data(),
                       .in = message.in.data(),
                       .out = message.out.data(),
                       .num_blocks = lengths[i],
                       .prepared_key = message.prepared.get()});
    }
    expect();
  }

  void run(std::size_t num_groups, bool on_threads) {
    MessageQueue queue(list_);
    const auto run_group = [&] { LaneGroup(cipher_, mode_, Direction::encrypt, keys_, queue, num_groups).run(); };
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < num_groups; ++i) {
      if (on_threads) {
        threads.emplace_back(run_group);
      } else {
        run_group();
      }
    }
    for (std::thread& thread : threads) thread.join();
  }

  void check() const {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const Message& message = *messages_[i];
      EXPECT_EQ(message.out, message.expected) << "message " << i;
      EXPECT_EQ(message.iv, message.expected_iv) << "the state after message " << i;
      for (std::size_t at = 0; at < message.in.size(); at += block_bytes) {
        EXPECT_EQ(record.blocks[message.in.data() + at], 1) << "message " << i << ", byte " << at;
      }
    }
    EXPECT_LE(record.most_lanes, num_lanes);
  }
  [[nodiscard]] bool went_as_range(std::size_t i) const { return record.by_range.count(messages_[i]->in.data()) != 0; }

 private:
  struct Message {
    std::vector<std::uint8_t> key, in, out, iv, expected, expected_iv;
    std::unique_ptr<CpuCipher> prepared;
  };

  // One message after another.
  void expect() {
    for (const auto& message : messages_) {
      message->expected = message->out;
      message->expected_iv = message->iv;
      kernel_.range[static_cast<unsigned>(mode_)][0](message->key.data(), message->expected_iv.data(), message->in.data(),
                                                     message->expected.data(), message->in.size() / block_bytes);
    }
    record.blocks.clear();
    record.by_range.clear();
    record.most_lanes = record.num_lane_calls = 0;
  }

  Kernel kernel_;
  Mode mode_;
  LaneKeys keys_;
  std::vector<std::uint8_t> own_key_ = bytes_from(block_bytes, 77);
  CpuCipher cipher_;
  std::vector<std::unique_ptr<Message>> messages_;
  std::vector<BlockMessage> list_;
};

std::vector<std::size_t> mixed_lengths(std::size_t num_messages) {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < num_messages; ++i) lengths.push_back((i * 37) % 41);  // 0 too
  return lengths;
}

constexpr LaneKeys all_keys[] = {LaneKeys::one, LaneKeys::expanded, LaneKeys::prepared};
constexpr Mode modes[] = {Mode::ecb, Mode::cbc, Mode::ofb};

TEST(LaneGroup, CryptsEachBlockOnceForNumbersAroundTheLanes) {
  for (const Mode mode : modes) {
    for (const LaneKeys keys : all_keys) {
      for (std::size_t num_messages = 0; num_messages <= 2 * num_lanes + 1; ++num_messages) {
        SCOPED_TRACE(std::to_string(num_messages) + " messages in mode " + std::to_string(static_cast<int>(mode)));
        Batch batch(fake_kernel(0), mode, keys, std::vector<std::size_t>(num_messages, 5));
        batch.run(1, false);
        batch.check();
      }
    }
  }
}

TEST(LaneGroup, CryptsMixedLengthsByAnyNumberOfGroups) {
  for (const Mode mode : modes) {
    for (const LaneKeys keys : all_keys) {
      for (const std::size_t num_groups : {1U, 2U, 3U, 9U}) {
        Batch batch(fake_kernel(1), mode, keys, mixed_lengths(100));
        batch.run(num_groups, false);
        batch.check();
      }
    }
  }
}

TEST(LaneGroup, SharesTheQueueWithGroupsOfOtherThreads) {
  for (const LaneKeys keys : all_keys) {
    Batch batch(fake_kernel(1), Mode::cbc, keys, mixed_lengths(400));
    batch.run(4, true);
    batch.check();
  }
}

// CBC's encryption: serial.
TEST(LaneGroup, LeavesTheLanesWhereSoFewMessagesAreLeft) {
  Batch few(fake_kernel(2), Mode::cbc, LaneKeys::one, {9, 9});
  few.run(1, false);
  few.check();
  EXPECT_EQ(record.num_lane_calls, 0U);
  Batch more(fake_kernel(2), Mode::cbc, LaneKeys::one, {9, 9, 9});
  more.run(1, false);
  more.check();
  EXPECT_GT(record.num_lane_calls, 0U);
}

TEST(LaneGroup, CryptsAsARangeWhatFillsTheLanesByItself) {
  Batch batch(fake_kernel(1), Mode::ecb, LaneKeys::expanded, {num_lanes, num_lanes - 1, 1, 2, 3, 1, 2, 3});
  batch.run(1, false);
  batch.check();
  EXPECT_TRUE(batch.went_as_range(0));
  EXPECT_FALSE(batch.went_as_range(1));
}

TEST(LaneGroup, KeepsAllLanesBusyWhileThereAreMessages) {
  Batch batch(fake_kernel(0), Mode::cbc, LaneKeys::one, std::vector<std::size_t>(10 * num_lanes, 8));
  batch.run(1, false);
  batch.check();
  EXPECT_EQ(record.num_lane_calls, 10U) << "a call for each row of lanes, all full";
}

}  // namespace
}  // namespace phalanx::test
