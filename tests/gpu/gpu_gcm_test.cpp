// GCM of the engine cuda where tests/library does not reach: batches that many threads bring at once, which go to the GPU
// together.
#include <algorithm>
#include <optional>
#include <phalanx/phalanx.hpp>
#include <thread>

#include "device_fixture.hpp"

namespace phalanx {
namespace {

constexpr std::size_t num_threads = 16, messages_of_thread = 24, message_bytes = 16384 + 5, nonce_bytes = 12, tag_bytes = 16;

// What one thread seals and opens.
struct ThreadData {
  ByteVector nonces, plain, sealed, tags, opened;

  void seal(const Aead& aead) {
    std::vector<MessageToSeal> messages;
    for (std::size_t i = 0; i < messages_of_thread; ++i) {
      messages.push_back({.nonce = Bytes(nonces).subspan(i * nonce_bytes, nonce_bytes),
                          .associated_data = {},
                          .in = Bytes(plain).subspan(i * message_bytes, message_bytes),
                          .out = MutableBytes(sealed).subspan(i * message_bytes, message_bytes),
                          .tag = MutableBytes(tags).subspan(i * tag_bytes, tag_bytes),
                          .key = {}});
    }
    aead.seal_batch(messages);
  }

  // Which messages are authentic.
  std::vector<bool> open(const Aead& aead) {
    std::vector<MessageToOpen> messages;
    for (std::size_t i = 0; i < messages_of_thread; ++i) {
      messages.push_back({.nonce = Bytes(nonces).subspan(i * nonce_bytes, nonce_bytes),
                          .associated_data = {},
                          .in = Bytes(sealed).subspan(i * message_bytes, message_bytes),
                          .out = MutableBytes(opened).subspan(i * message_bytes, message_bytes),
                          .tag = Bytes(tags).subspan(i * tag_bytes, tag_bytes),
                          .key = {}});
    }
    static_cast<void>(aead.open_batch(messages));
    std::vector<bool> found;
    for (const MessageToOpen& message : messages) found.push_back(message.is_authentic);
    return found;
  }
};

class GpuGcm : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (IsSkipped()) return;
    cuda.emplace("aes-256-gcm", key, EngineOptions{"cuda", 0});
    for (ThreadData& data : all) {
      data.nonces = random_bytes(messages_of_thread * nonce_bytes);
      data.plain = random_bytes(messages_of_thread * message_bytes);
      data.sealed = data.opened = ByteVector(data.plain.size(), 0xa5);
      data.tags.resize(messages_of_thread * tag_bytes);
    }
  }

  // body(data) for the data of every thread, all threads at once.
  template <class Body>
  void on_all_threads(const Body& body) {
    std::vector<std::thread> threads;
    for (ThreadData& data : all) threads.emplace_back([&] { body(data); });
    for (std::thread& thread : threads) thread.join();
  }

  ByteVector key = random_bytes(32);
  Aead cpu{"aes-256-gcm", key, {"cpu", 0}};
  std::optional<Aead> cuda;
  std::vector<ThreadData> all{num_threads};
};

TEST_F(GpuGcm, BatchesOfManyThreadsAreSealedAsByTheCpu) {
  for (int round = 0; round < 8; ++round) {
    on_all_threads([&](ThreadData& data) { data.seal(*cuda); });
    for (ThreadData& data : all) {
      const ByteVector sealed = data.sealed, tags = data.tags;
      data.seal(cpu);
      ASSERT_TRUE(sealed == data.sealed && tags == data.tags);
    }
  }
}

// Of every other thread, one message is forged: that one alone is refused, and its plaintext never written.
TEST_F(GpuGcm, EachThreadHearsOfItsOwnForgery) {
  for (ThreadData& data : all) data.seal(cpu);
  constexpr std::size_t forged = 7;
  for (std::size_t i = 0; i < num_threads; i += 2) all[i].tags[forged * tag_bytes] ^= 1;
  std::vector<std::vector<bool>> found(num_threads);
  on_all_threads([&](ThreadData& data) { found[static_cast<std::size_t>(&data - all.data())] = data.open(*cuda); });
  for (std::size_t i = 0; i < num_threads; ++i) {
    for (std::size_t message = 0; message < messages_of_thread; ++message) {
      const bool good = i % 2 != 0 || message != forged;
      EXPECT_EQ(found[i][message], good) << i << " " << message;
      const Bytes opened = Bytes(all[i].opened).subspan(message * message_bytes, message_bytes);
      const Bytes plain = Bytes(all[i].plain).subspan(message * message_bytes, message_bytes);
      EXPECT_EQ(std::ranges::equal(opened, plain), good);
      if (!good) {
        EXPECT_TRUE(std::ranges::all_of(opened, [](std::uint8_t byte) { return byte == 0xa5; }));
      }
    }
  }
}

// Messages of one batch in the host's memory: around blocks, slices and staging buffers, with associated data and tags of
// several sizes.
struct HostBatch {
  std::vector<ByteVector> nonces, associated, in, out, tags;
  std::vector<std::size_t> tag_sizes;

  // In place where `out` is `in`.
  std::vector<AeadMessage> messages(bool in_place) {
    std::vector<AeadMessage> all(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      all[i].nonce = nonces[i].data();
      all[i].nonce_bytes = nonce_bytes;
      all[i].associated_data = associated[i].data();
      all[i].associated_bytes = associated[i].size();
      all[i].in = in[i].data();
      all[i].out = in_place ? in[i].data() : out[i].data();
      all[i].num_bytes = in[i].size();
      all[i].tag = tags[i].data();
      all[i].expected_tag = tags[i].data();
      all[i].tag_bytes = tag_sizes[i];
    }
    return all;
  }
};

class GpuHostMessages : public DeviceTest, public testing::WithParamInterface<const char*> {
 protected:
  HostBatch make() {
    constexpr std::size_t slice = std::size_t{4} << 20, buffer = std::size_t{16} << 20;
    HostBatch batch;
    std::vector<std::size_t> sizes = {0,     1,         15, 16,           17,         16384, slice - 100,
                                      slice, slice + 1, 0,  buffer - 200, buffer + 1, 33};
    for (std::size_t i = 0; i < 600; ++i) sizes.push_back(random() % 20'000);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      batch.nonces.push_back(random_bytes(nonce_bytes));
      batch.associated.push_back(random_bytes(i % 5 == 0 ? 0 : i % 7 == 0 ? 70'000 : i % 50));
      batch.in.push_back(random_bytes(sizes[i]));
      batch.out.push_back(ByteVector(sizes[i], 0xa5));
      batch.tags.push_back(ByteVector(tag_bytes));
      batch.tag_sizes.push_back(i % 100 < 90 ? 16 : 12);
    }
    return batch;
  }

  const CipherSpec& spec = *find_cipher(GetParam());
  ByteVector key = random_bytes(32);
  std::unique_ptr<KeyedAead> cpu = find_engine("cpu").set_aead_key({&spec, Mode::gcm}, key, 0);
};

TEST_P(GpuHostMessages, AreSealedAsByTheCpu) {
  const auto cuda = find_engine("cuda").set_aead_key({&spec, Mode::gcm}, key, 0);
  HostBatch batch = make();
  std::vector<AeadMessage> messages = batch.messages(false);
  cuda->crypt(Direction::encrypt, messages);
  HostBatch wanted = batch;
  std::vector<AeadMessage> by_cpu = wanted.messages(true);
  cpu->crypt(Direction::encrypt, by_cpu);
  EXPECT_TRUE(batch.out == wanted.in && batch.tags == wanted.tags);
  messages = batch.messages(true);
  cuda->crypt(Direction::encrypt, messages);
  EXPECT_TRUE(batch.in == wanted.in && batch.tags == wanted.tags);
}

TEST_P(GpuHostMessages, AreOpenedAndForgedOnesAreNot) {
  const auto cuda = find_engine("cuda").set_aead_key({&spec, Mode::gcm}, key, 0);
  for (const Unverified unverified : {Unverified::never_written, Unverified::wiped}) {
    for (const bool in_place : {false, true}) {
      HostBatch batch = make();
      const std::vector<ByteVector> plain = batch.in;
      std::vector<AeadMessage> messages = batch.messages(true);
      cpu->crypt(Direction::encrypt, messages);
      const auto is_forged = [](std::size_t i) { return i % 31 == 5; };
      for (std::size_t i = 0; i < plain.size(); ++i) {
        if (!is_forged(i)) continue;
        (i % 2 == 0 && !batch.in[i].empty() ? batch.in[i].back() : batch.tags[i][3]) ^= 1;
      }
      const std::vector<ByteVector> sealed = batch.in;
      messages = batch.messages(in_place);
      cuda->crypt(Direction::decrypt, messages, unverified);
      for (std::size_t i = 0; i < plain.size(); ++i) {
        EXPECT_EQ(messages[i].is_authentic, !is_forged(i)) << i;
        const ByteVector untouched = in_place ? sealed[i] : ByteVector(plain[i].size(), 0xa5);
        const ByteVector refused = unverified == Unverified::wiped ? ByteVector(plain[i].size()) : untouched;
        EXPECT_TRUE((in_place ? batch.in[i] : batch.out[i]) == (is_forged(i) ? refused : plain[i])) << i;
      }
    }
  }
}

// Chunks side by side, as a container has them: sealed ones with their tags behind them, in one memory whose pages are locked.
struct LockedChunks {
  static constexpr std::size_t chunk = 16384, count = 700, last = 77;
  ByteVector plain = ByteVector((count - 1) * chunk + last), sealed = ByteVector(plain.size() + count * tag_bytes);
  ByteVector nonces;

  std::vector<AeadMessage> messages(Direction direction) {
    std::vector<AeadMessage> all(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint8_t* const open = plain.data() + i * chunk;
      std::uint8_t* const closed = sealed.data() + i * (chunk + tag_bytes);
      all[i].num_bytes = i + 1 == count ? last : chunk;
      all[i].in = direction == Direction::encrypt ? open : closed;
      all[i].out = direction == Direction::encrypt ? closed : open;
      all[i].nonce = nonces.data() + i * nonce_bytes;
      all[i].nonce_bytes = nonce_bytes;
      all[i].tag = closed + all[i].num_bytes;
      all[i].expected_tag = all[i].tag;
      all[i].tag_bytes = tag_bytes;
    }
    return all;
  }
};

class GpuLockedChunks : public GpuHostMessages {
 protected:
  void SetUp() override {
    GpuHostMessages::SetUp();
    if (IsSkipped()) return;
    cuda = find_engine("cuda").set_aead_key({&spec, Mode::gcm}, key, 0);
    chunks.plain = random_bytes(chunks.plain.size());
    chunks.nonces = random_bytes(LockedChunks::count * nonce_bytes);
  }
  void lock(MutableBytes memory) {
    locks.push_back(cuda->lock_pages(memory));
    EXPECT_NE(locks.back(), nullptr);
  }
  void seal_by_cpu(LockedChunks& some) const {
    std::vector<AeadMessage> messages = some.messages(Direction::encrypt);
    cpu->crypt(Direction::encrypt, messages);
  }

  std::unique_ptr<KeyedAead> cuda;
  LockedChunks chunks;
  std::vector<std::unique_ptr<PageLock>> locks;
};

TEST_P(GpuLockedChunks, AreSealedAsByTheCpu) {
  LockedChunks wanted = chunks;
  seal_by_cpu(wanted);
  for (const bool locks_all : {true, false}) {  // else the sealed ones go through a staging buffer
    locks.clear();
    lock(chunks.plain);
    if (locks_all) lock(chunks.sealed);
    std::ranges::fill(chunks.sealed, 0xa5);
    std::vector<AeadMessage> messages = chunks.messages(Direction::encrypt);
    cuda->crypt(Direction::encrypt, messages);
    EXPECT_TRUE(chunks.sealed == wanted.sealed && chunks.plain == wanted.plain) << locks_all;
  }
}

TEST_P(GpuLockedChunks, AreOpenedAndForgedOnesAreNot) {
  seal_by_cpu(chunks);
  const ByteVector plain = chunks.plain;
  const auto is_forged = [](std::size_t i) { return i % 97 == 5 || i + 1 == LockedChunks::count; };
  for (std::size_t i = 0; i < LockedChunks::count; ++i) {
    if (is_forged(i)) chunks.sealed[i * (LockedChunks::chunk + tag_bytes) + i % 90] ^= 1;
  }
  lock(chunks.plain);
  lock(chunks.sealed);
  for (const Unverified unverified : {Unverified::wiped, Unverified::never_written}) {
    std::ranges::fill(chunks.plain, 0xa5);
    std::vector<AeadMessage> messages = chunks.messages(Direction::decrypt);
    cuda->crypt(Direction::decrypt, messages, unverified);
    ByteVector wanted = plain;
    for (std::size_t i = 0; i < LockedChunks::count; ++i) {
      EXPECT_EQ(messages[i].is_authentic, !is_forged(i)) << i;
      if (is_forged(i))
        std::fill_n(wanted.begin() + static_cast<std::ptrdiff_t>(i * LockedChunks::chunk), messages[i].num_bytes,
                    unverified == Unverified::wiped ? 0 : 0xa5);
    }
    EXPECT_TRUE(chunks.plain == wanted);
  }
}

// What only begins in locked pages, and what does not lie in rows, comes out right all the same.
TEST_P(GpuLockedChunks, ThatAreLockedInPartAreSealedAsByTheCpu) {
  LockedChunks wanted = chunks;
  seal_by_cpu(wanted);
  lock(MutableBytes(chunks.plain).first(chunks.plain.size() / 2 + 3));
  lock(MutableBytes(chunks.sealed).first(chunks.sealed.size() / 3 + 1));
  std::vector<AeadMessage> messages = chunks.messages(Direction::encrypt);
  std::ranges::reverse(messages);
  cuda->crypt(Direction::encrypt, messages);
  EXPECT_TRUE(chunks.sealed == wanted.sealed);
  locks.clear();
  EXPECT_EQ(cuda->lock_pages(MutableBytes(chunks.plain).first(1000)), nullptr) << "it gains nothing";
  EXPECT_EQ(cpu->lock_pages(chunks.plain), nullptr);
}

INSTANTIATE_TEST_SUITE_P(All, GpuHostMessages, testing::Values("aes-256", "serpent-256", "twofish-256"),
                         [](const testing::TestParamInfo<const char*>& cipher) {
                           std::string name = cipher.param;
                           std::erase(name, '-');
                           return name;
                         });
INSTANTIATE_TEST_SUITE_P(All, GpuLockedChunks, testing::Values("aes-256", "twofish-256"),
                         [](const testing::TestParamInfo<const char*>& cipher) {
                           std::string name = cipher.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace phalanx
