// Takes an upload from standard input, piece by piece, into a container that appears only when all of it is there.
#include <cstdio>
#include <phalanx/files/container_file.hpp>
#include <string_view>
#include <vector>

namespace {

void take_upload(const char* path, std::string_view passphrase) {
  const phalanx::Recipient recipient{phalanx::KeyKind::passphrase, phalanx::bytes_of(passphrase), {}};
  phalanx::NewContainerFile container(path, "aes-256", {&recipient, 1});
  std::vector<std::uint8_t> piece(1 << 16);
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), stdin)) {
    container.write(phalanx::Bytes(piece).first(size));
  }
  if (std::ferror(stdin) == 0) container.finish();  // otherwise nothing is left of it
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: %s OUT PASSPHRASE <UPLOAD\n", argv[0]), 2;
  try {
    take_upload(argv[1], argv[2]);  // only in an example: keep secrets out of your program's arguments
    return 0;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
