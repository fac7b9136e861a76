// Seals a buffer in a container for a key and a passphrase, then reads a part of it. A file of any size is read the same
// way.
#include <sys/random.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <phalanx/files/container.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace {

using Buffer = std::vector<std::uint8_t>;

Buffer random_bytes(std::size_t size) {
  Buffer bytes(size);
  if (getrandom(bytes.data(), size, 0) != static_cast<ssize_t>(size)) throw std::runtime_error("no random bytes");
  return bytes;
}

int run() {
  constexpr std::string_view text = "correct horse battery staple";
  const Buffer key = random_bytes(32);
  const Buffer passphrase(text.begin(), text.end());
  const phalanx::Recipient by_key{phalanx::KeyKind::key, key, {}};
  const phalanx::Recipient by_passphrase{phalanx::KeyKind::passphrase, passphrase, {}};

  Buffer plain(1'000'000);
  std::iota(plain.begin(), plain.end(), std::uint8_t{0});
  const std::vector<phalanx::Recipient> recipients{by_key, by_passphrase};
  Buffer sealed(phalanx::container_bytes("aes-256", recipients, plain.size()));
  phalanx::seal_container("aes-256", recipients, plain, sealed);
  std::printf("%zu bytes in a container of %zu\n", plain.size(), sealed.size());

  const phalanx::ReadAt read_at = [&](std::uint64_t offset, phalanx::MutableBytes out) {  // pread, of a file
    std::copy_n(sealed.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
  };
  const phalanx::Identity identity{phalanx::KeyKind::passphrase, passphrase};
  const phalanx::ContainerReader reader(read_at, sealed.size(), {&identity, 1});
  Buffer part(1000);
  reader.read(777'000, part);
  std::printf("read %zu of %llu bytes\n", part.size(), static_cast<unsigned long long>(reader.size()));
  return std::equal(part.begin(), part.end(), plain.begin() + 777'000) ? 0 : 1;
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
