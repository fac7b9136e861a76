// A thousand packets in AES-128-GCM, each with a nonce, associated data and a key of its own, in one call; one is forged.
#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <phalanx/aead.hpp>
#include <vector>

namespace {

struct Packet {
  std::array<std::uint8_t, 16> key;
  std::array<std::uint8_t, 12> nonce;
  std::array<std::uint8_t, 8> header;
  std::array<std::uint8_t, 100> data;
  std::array<std::uint8_t, 16> tag;
};

int run() {
  std::vector<Packet> packets(1000);
  std::uint8_t counter = 0;
  for (Packet& packet : packets) {  // numbers stand in for the random keys of a real system
    for (auto* field : {packet.key.data(), packet.nonce.data(), packet.header.data(), packet.data.data()})
      *field = ++counter;
  }
  const std::vector<Packet> before = packets;

  const phalanx::Aead aead("aes-128-gcm", packets.front().key);  // its key is for messages without one
  std::vector<phalanx::MessageToSeal> to_seal;
  for (Packet& p : packets) to_seal.push_back({p.nonce, p.header, p.data, p.data, p.tag, p.key});
  aead.seal_batch(to_seal);

  packets[500].data[0] ^= 1;
  const Packet forged = packets[500];
  std::vector<phalanx::MessageToOpen> to_open;
  for (Packet& p : packets) to_open.push_back({p.nonce, p.header, p.data, p.data, p.tag, p.key});
  if (aead.open_batch(to_open)) return 1;  // not all are authentic
  std::size_t num_opened = 0;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    if (to_open[i].is_authentic != (i != 500)) return 1;
    if (to_open[i].is_authentic && packets[i].data == before[i].data) ++num_opened;
  }
  std::printf("%s on %s: %zu of %zu packets are authentic\n", aead.facts().name.c_str(), aead.engine().c_str(), num_opened,
              packets.size());
  return num_opened == 999 && packets[500].data == forged.data ? 0 : 1;
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
