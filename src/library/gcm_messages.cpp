// Many messages of GCM under one key: what the chunks of a container are made of. On a CPU one after another on the caller's
// thread; on GPUs the text of all in one batch.
#include <vector>

#include "engines/cpu/threads.hpp"
#include "engines/secret_bytes.hpp"
#include "library/gcm_ends.hpp"
#include "library/keyed_mode.hpp"

namespace phalanx {

void KeyedMode::crypt_gcm_messages(Direction direction, std::span<const GcmMessage> messages, std::uint8_t* tags) const {
  // The key stream of all ends at once: single blocks are slow where a cipher works on many side by side.
  WipedArray<32 * max_gcm_messages> keystream;
  std::size_t num_keystream = 0;
  for (const GcmMessage& message : messages) {
    WipedArray<16> first_counter;  // in a container the nonce is secret
    write_first_counter(message.nonce, first_counter.bytes);
    num_keystream += write_end_counters(first_counter.bytes, message.num_bytes, keystream.bytes + 16 * num_keystream);
  }
  data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, keystream.bytes, keystream.bytes, num_keystream);

  const bool encrypts = direction == Direction::encrypt;
  const auto crypt_and_hash = encrypts ? &KeyedCipher::encrypt_and_hash_to_end : &KeyedCipher::decrypt_and_hash_to_end;
  const std::uint8_t* masks = keystream.bytes;
  for (const GcmMessage& message : messages) {
    const std::size_t whole = message.num_bytes / 16 * 16;
    const std::size_t rest = message.num_bytes - whole;
    std::uint8_t text_end[16];
    if (!encrypts && rest != 0) std::memcpy(text_end, message.in + whole, rest);
    xor_into(message.out + whole, message.in + whole, masks + 16, rest);
    if (encrypts && rest != 0) std::memcpy(text_end, message.out + whole, rest);
    const HashedEnd end({text_end, rest}, 0, message.num_bytes);
    WipedArray<16> y;
    WipedArray<16> counter;
    write_first_counter(message.nonce, counter.bytes);
    copy_counter_after(counter.bytes, 1, counter.bytes);
    ((*data_key).*crypt_and_hash)(*hash, counter.bytes, y.bytes, message.in, message.out, whole / 16, end.blocks,
                                  end.num_blocks);
    xor_into(tags, y.bytes, masks, 16);
    tags += 16;
    masks += rest == 0 ? 16 : 32;
  }
}

void KeyedMode::crypt_gcm_batch(Direction direction, std::span<const GcmMessage> messages, std::uint8_t* tags,
                                int num_threads) const {
  const std::size_t count = messages.size();
  SecretBytes ends(32 * count);  // the key stream of both ends of each message
  SecretBytes counters(16 * count);
  std::vector<Stream> streams;
  for (std::size_t i = 0; i < count; ++i) {
    const GcmMessage& message = messages[i];
    std::uint8_t* counter = counters.data() + 16 * i;
    write_first_counter(message.nonce, counter);
    write_end_counters(counter, message.num_bytes, ends.data() + 32 * i);
    copy_counter_after(counter, 1, counter);
    streams.push_back({{}, counter, message.in, message.out, message.num_bytes / 16});
  }
  data_key->crypt_range(Mode::ecb, Direction::encrypt, nullptr, ends.data(), ends.data(), 2 * count);
  const auto hash_all = [&](bool of_output) {
    run_parallel(num_threads, count, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const GcmMessage& message = messages[i];
        const Bytes text{of_output ? message.out : message.in, message.num_bytes};
        const std::size_t whole = text.size() / 16 * 16;
        const HashedEnd end(text.subspan(whole), 0, text.size());
        WipedArray<16> y;
        hash->update_to_end(y.bytes, text.data(), whole / 16, end.blocks, end.num_blocks);
        xor_into(tags + 16 * i, y.bytes, ends.data() + 32 * i, 16);
      }
    });
  };
  if (direction == Direction::decrypt) hash_all(false);  // first: in place the ciphertext is overwritten
  data_key->crypt_streams(Mode::ctr, Direction::encrypt, streams);
  for (std::size_t i = 0; i < count; ++i) {
    const GcmMessage& message = messages[i];
    const std::size_t whole = message.num_bytes / 16 * 16;
    xor_into(message.out + whole, message.in + whole, ends.data() + 32 * i + 16, message.num_bytes - whole);
  }
  if (direction == Direction::encrypt) hash_all(true);
}

}  // namespace phalanx
