// Seals a stream, a piece at a time, into a file, as for a backup of any length; then reads a part of that file.
#include <sys/random.h>

#include <algorithm>
#include <cstdio>
#include <phalanx/files/container.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Buffer = std::vector<std::uint8_t>;

constexpr std::size_t piece_bytes = 100'000;
constexpr int num_pieces = 100;

Buffer piece_of(int number) { return Buffer(piece_bytes, static_cast<std::uint8_t>(number)); }

void write_file(const std::string& path, const phalanx::Recipient& recipient) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) throw std::runtime_error("cannot write " + path);
  const phalanx::Append append = [&](phalanx::Bytes bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) throw std::runtime_error("cannot write " + path);
  };
  phalanx::ContainerWriter writer(append, "aes-256", {&recipient, 1});
  for (int i = 0; i < num_pieces; ++i) writer.write(piece_of(i));
  writer.finish();
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write " + path);
}

int run(const std::string& path) {
  Buffer key(32);
  if (getrandom(key.data(), key.size(), 0) != static_cast<ssize_t>(key.size())) throw std::runtime_error("no random bytes");
  write_file(path, {phalanx::KeyKind::key, key, {}});

  const phalanx::Identity identity{phalanx::KeyKind::key, key};
  const phalanx::ContainerReader reader(path, {&identity, 1});
  Buffer part(piece_bytes);
  reader.read(42 * piece_bytes, part);
  std::printf("read %zu of %llu bytes\n", part.size(), static_cast<unsigned long long>(reader.size()));
  return part == piece_of(42) ? 0 : 1;
}

}  // namespace

int main() {
  const std::string path = "container_stream.phalanx";
  try {
    const int code = run(path);
    std::remove(path.c_str());
    return code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::remove(path.c_str());
    return 1;
  }
}
