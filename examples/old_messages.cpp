// Ten thousand old messages in 3DES-CBC under one key, decrypted in one call: they fill all cores and lanes together.
#include <array>
#include <cstdio>
#include <exception>
#include <phalanx/phalanx.hpp>
#include <vector>

namespace {

struct OldMessage {
  std::array<std::uint8_t, 8> iv;
  std::vector<std::uint8_t> data;  // whole blocks of 8 bytes
};

// What an old system wrote. It is here so that the example has something to read: new data takes an Aead.
std::vector<OldMessage> written_long_ago(phalanx::Bytes key) {
  const phalanx::Cipher old("des-ede3-cbc", key, {}, {.allow_legacy = true});
  std::vector<OldMessage> messages(10000);
  std::uint8_t counter = 0;
  for (OldMessage& message : messages) {
    message.iv.fill(++counter);
    message.data.assign(8 * (1 + counter % 32), 'x');
    old.encrypt(message.iv, message.data, message.data);
  }
  return messages;
}

int run() {
  std::array<std::uint8_t, 24> key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
  std::vector<OldMessage> messages = written_long_ago(key);

  const phalanx::Cipher cipher("des-ede3-cbc", key);  // to decrypt it needs no permission
  std::vector<phalanx::Message> batch;                // each in its place, under the key of the cipher
  for (OldMessage& message : messages) batch.push_back({message.iv, message.data, message.data, {}});
  cipher.decrypt_batch(batch);

  for (const OldMessage& message : messages) {
    for (const std::uint8_t byte : message.data) {
      if (byte != 'x') return 1;
    }
  }
  std::printf("%s on %s: %zu messages\n", cipher.facts().name.c_str(), cipher.engine().c_str(), messages.size());
  return 0;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
