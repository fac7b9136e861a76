// Encrypts a buffer with AES-256-GCM, opens it, and shows that a changed byte is found.
#include <sys/random.h>

#include <algorithm>
#include <cstdio>
#include <phalanx/phalanx.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace {

std::vector<std::uint8_t> random_bytes(std::size_t size) {
  std::vector<std::uint8_t> bytes(size);
  if (getrandom(bytes.data(), size, 0) != static_cast<ssize_t>(size)) throw std::runtime_error("no random bytes");
  return bytes;
}

int run() {
  constexpr std::string_view text = "Attack at dawn.";
  const std::vector<std::uint8_t> plaintext(text.begin(), text.end());
  const phalanx::Aead cipher("aes-256-gcm", random_bytes(32));
  const std::vector<std::uint8_t> nonce = random_bytes(cipher.facts().iv_bytes);  // never twice under one key

  std::vector<std::uint8_t> buffer = plaintext;
  std::vector<std::uint8_t> tag(16);
  cipher.seal(nonce, {}, buffer, buffer, tag);  // in place
  std::printf("%s on %s: sealed %zu bytes\n", cipher.facts().name.c_str(), cipher.engine().c_str(), buffer.size());

  std::vector<std::uint8_t> opened(buffer.size());
  cipher.open(nonce, {}, buffer, opened, tag);
  if (opened != plaintext) return 1;

  buffer[0] ^= 1;
  try {
    cipher.open(nonce, {}, buffer, opened, tag);
  } catch (const phalanx::Error& error) {
    std::printf("after a change: %s\n", error.what());
    return error.code() == phalanx::ErrorCode::authentication ? 0 : 1;
  }
  return 1;
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
