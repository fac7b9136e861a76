// A thousand small messages in 3DES-CBC, each under a key of its own, in one call, for a system that takes nothing newer:
// other messages fill the lanes that a single message of CBC encryption leaves empty.
#include <array>
#include <cstdio>
#include <exception>
#include <phalanx/phalanx.hpp>
#include <vector>

namespace {

struct Card {
  std::array<std::uint8_t, 24> key;
  std::array<std::uint8_t, 8> iv;
  std::array<std::uint8_t, 64> data;
};

int run() {
  std::vector<Card> cards(1000);
  std::uint8_t counter = 0;
  for (Card& card : cards) {  // numbers stand in for the random keys of a real system
    for (auto* field : {card.key.data(), card.iv.data(), card.data.data()}) *field = ++counter;
  }
  const std::vector<Card> before = cards;

  std::vector<phalanx::Message> messages;
  for (Card& card : cards) messages.push_back({card.iv, card.data, card.data, card.key});

  const phalanx::CipherPolicy policy{.allow_legacy = true};  // triple DES is for reading old data otherwise
  const phalanx::Cipher cipher("des-ede3-cbc", cards.front().key, {}, policy);  // its key is for messages without one
  cipher.encrypt_batch(messages);
  std::printf("%s on %s: %zu messages\n", cipher.facts().name.c_str(), cipher.engine().c_str(), messages.size());

  std::array<std::uint8_t, 64> alone;  // one of them, by itself, is the same
  phalanx::Cipher(cipher.facts().name, cards[500].key, {}, policy).encrypt(cards[500].iv, before[500].data, alone);
  if (alone != cards[500].data) return 1;

  cipher.decrypt_batch(messages);
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (cards[i].data != before[i].data) return 1;
  }
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
