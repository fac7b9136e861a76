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
    cuda.emplace("aes-256-gcm", key, Options{"cuda", 0});
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

}  // namespace
}  // namespace phalanx
