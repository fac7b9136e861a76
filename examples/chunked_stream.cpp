// Seals a file as one message of chunked encryption and opens that again, a MiB at a time, whatever the file's size.
#include <sys/random.h>

#include <cstdio>
#include <fstream>
#include <phalanx/chunked.hpp>
#include <vector>

// All of a file through a ChunkedSealer or a ChunkedOpener, into another file.
template <class Stream>
void run(const phalanx::ChunkedAead& aead, const char* from, const char* to) {
  std::ifstream in(from, std::ios::binary);
  std::ofstream out(to, std::ios::binary);
  out.exceptions(std::ios::failbit | std::ios::badbit);
  Stream stream(aead, [&](phalanx::Bytes bytes) {
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  });
  std::vector<char> piece(1 << 20);
  while (in.read(piece.data(), static_cast<std::streamsize>(piece.size())), in.gcount() != 0)
    stream.write({reinterpret_cast<const std::uint8_t*>(piece.data()), static_cast<std::size_t>(in.gcount())});
  stream.finish();  // an opener throws here where the message's end is missing
}

int main() {
  try {
    std::vector<std::uint8_t> key(16);
    if (getrandom(key.data(), key.size(), 0) != 16) throw std::runtime_error("no random bytes");
    const phalanx::ChunkedAead aead("cobblestone-128", key);
    std::ofstream("stream.plain") << std::string(5'000'000, 'x');
    run<phalanx::ChunkedSealer>(aead, "stream.plain", "stream.sealed");
    run<phalanx::ChunkedOpener>(aead, "stream.sealed", "stream.opened");
    std::printf("%lld bytes again\n", static_cast<long long>(std::ifstream("stream.opened", std::ios::ate).tellg()));
    for (const char* name : {"stream.plain", "stream.sealed", "stream.opened"}) std::remove(name);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
