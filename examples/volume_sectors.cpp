// The sectors of a volume in AES-256-XTS, as dm-crypt's plain64 has them; one of them is read alone.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <numeric>
#include <phalanx/cipher.hpp>
#include <vector>

namespace {

int run() {
  constexpr std::size_t sector_bytes = 512;
  std::vector<std::uint8_t> key(64);  // two keys; numbers stand in for the random ones of a real system
  std::iota(key.begin(), key.end(), std::uint8_t{1});
  const phalanx::SectorCipher cipher("aes-256-xts", key);

  std::vector<std::uint8_t> volume(1000 * sector_bytes);
  for (std::size_t i = 0; i < volume.size(); ++i) volume[i] = static_cast<std::uint8_t>(i / sector_bytes);
  const std::vector<std::uint8_t> before = volume;
  cipher.encrypt(0, 1, sector_bytes, volume, volume);

  // The first tweak is that of sector 777, and the tweaks of two sectors are 1 apart. A tweak of plain64 counts 512 bytes:
  // with sectors of 4096 bytes these two are 8 * 777 and 8.
  std::vector<std::uint8_t> sector(sector_bytes);
  cipher.decrypt(777, 1, sector_bytes, phalanx::Bytes(volume).subspan(777 * sector_bytes, sector_bytes), sector);
  std::printf("%s on %s: sector 777 read\n", cipher.facts().name.c_str(), cipher.engine().c_str());
  return std::equal(sector.begin(), sector.end(), before.begin() + 777 * sector_bytes) ? 0 : 1;
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
