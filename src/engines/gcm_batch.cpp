#include "engines/gcm_batch.hpp"

#include <algorithm>
#include <vector>

#include "bytes/xor_bytes.hpp"
#include "engines/gcm_ends.hpp"
#include "secrets/secret_bytes.hpp"
#include "threads/threads.hpp"

namespace phalanx {
namespace {

class GcmBatch {
 public:
  // Computes the counters, and the key stream of both ends of each message.
  GcmBatch(const KeyedCipher& cipher, const CpuHash& hash, std::span<GcmMessage> messages, int num_threads)
      : cipher_(cipher),
        hash_(hash),
        messages_(messages),
        num_threads_(num_threads),
        ends_(32 * messages.size()),
        counters_(16 * messages.size()),
        tags_(16 * messages.size()) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      write_first_counter(messages[i].nonce, counter_of(i));
      write_end_counters(counter_of(i), messages[i].num_bytes, end_of(i));
      copy_counter_after(counter_of(i), 1, counter_of(i));
    }
    cipher.crypt_range(Mode::ecb, Direction::encrypt, nullptr, ends_.data(), ends_.data(), 2 * messages.size());
  }

  void seal() {
    crypt([](const GcmMessage&) { return true; });
    hash([](const GcmMessage& message) { return Bytes(message.out, message.num_bytes); });
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      std::copy_n(tag_of(i), messages_[i].tag_bytes, messages_[i].tag);
    }
  }

  // Hashes first: in place the ciphertext is overwritten.
  void open(Unverified unverified) {
    hash([](const GcmMessage& message) { return Bytes(message.in, message.num_bytes); });
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      GcmMessage& message = messages_[i];
      message.is_authentic = are_equal(tag_of(i), message.expected_tag, message.tag_bytes);
    }
    crypt([](const GcmMessage& message) { return message.is_authentic; });
    if (unverified == Unverified::never_written) return;
    for (const GcmMessage& message : messages_) {
      if (!message.is_authentic) wipe_memory(message.out, message.num_bytes);
    }
  }

 private:
  std::uint8_t* counter_of(std::size_t i) { return counters_.data() + 16 * i; }
  std::uint8_t* end_of(std::size_t i) { return ends_.data() + 32 * i; }
  std::uint8_t* tag_of(std::size_t i) { return tags_.data() + 16 * i; }

  void hash_padded(std::uint8_t* y, Bytes in) const {
    const std::size_t rest = in.size() % 16;
    WipedArray<16> last;
    std::copy(in.end() - static_cast<std::ptrdiff_t>(rest), in.end(), last.bytes);
    hash_.update_to_end(y, in.data(), in.size() / 16, last.bytes, rest == 0 ? 0 : 1);
  }

  template <class TextOf>
  void hash(const TextOf& text_of) {
    run_parallel(num_threads_, messages_.size(), [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const Bytes text = text_of(messages_[i]);
        const std::size_t whole = text.size() / 16 * 16;
        const HashedEnd end(text.subspan(whole), messages_[i].associated_bytes, text.size());
        WipedArray<16> y;
        if (messages_[i].associated_bytes != 0) hash_padded(y.bytes, messages_[i].associated_span());
        hash_.update_to_end(y.bytes, text.data(), whole / 16, end.blocks, end.num_blocks);
        xor_bytes(tag_of(i), y.bytes, end_of(i), 16);
      }
    });
  }

  // The messages that are `wanted`.
  template <class Wanted>
  void crypt(const Wanted& wanted) {
    std::vector<BlockMessage> whole_messages;
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const GcmMessage& message = messages_[i];
      if (wanted(message)) whole_messages.push_back({{}, counter_of(i), message.in, message.out, message.num_bytes / 16});
    }
    cipher_.crypt_batch(Mode::ctr, Direction::encrypt, whole_messages);
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const GcmMessage& message = messages_[i];
      const std::size_t whole = message.num_bytes / 16 * 16;
      if (wanted(message)) xor_bytes(message.out + whole, message.in + whole, end_of(i) + 16, message.num_bytes - whole);
    }
  }

  const KeyedCipher& cipher_;
  const CpuHash& hash_;
  std::span<GcmMessage> messages_;
  int num_threads_;
  SecretBytes ends_;
  SecretBytes counters_;
  SecretBytes tags_;  // of a forged message the right one is secret
};

}  // namespace

bool fit_gcm_batch(std::span<const GcmMessage> messages) {
  return std::all_of(messages.begin(), messages.end(),
                     [](const GcmMessage& message) { return message.nonce_bytes == 12 && message.key.empty(); });
}

void seal_gcm_batch(const KeyedCipher& cipher, const CpuHash& hash, std::span<GcmMessage> messages, int num_threads) {
  GcmBatch(cipher, hash, messages, num_threads).seal();
}

void open_gcm_batch(const KeyedCipher& cipher, const CpuHash& hash, std::span<GcmMessage> messages, Unverified unverified,
                    int num_threads) {
  GcmBatch(cipher, hash, messages, num_threads).open(unverified);
}

}  // namespace phalanx
