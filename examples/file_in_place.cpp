// Encrypts a file where it lies, and decrypts it again. If it is killed, the same call goes on where it was.
#include <cstdio>
#include <fstream>
#include <phalanx/files/in_place.hpp>
#include <string>
#include <vector>

namespace {

int run(const char* path) {
  std::ofstream(path) << "in lockstep";
  const std::vector<std::uint8_t> key(32, 1), iv(16, 2);  // only in an example: keys are random bytes
  const phalanx::InPlaceFormat format{.cipher = "aes-256-ctr", .key = key, .iv = iv};
  const phalanx::CryptedInPlace done = phalanx::encrypt_in_place(path, format);
  std::printf("%llu bytes, %llu of them done by an earlier run\n", static_cast<unsigned long long>(done.file_bytes),
              static_cast<unsigned long long>(done.resumed_bytes));
  const phalanx::CryptedInPlace back = phalanx::decrypt_in_place(path, format);
  if (!back.warning.empty()) std::printf("%s\n", back.warning.c_str());
  std::string text;
  std::ifstream file(path);
  std::getline(file, text);
  return text == "in lockstep" ? 0 : 1;
}

}  // namespace

int main() {
  try {
    const int code = run("file_in_place.data");
    std::remove("file_in_place.data");
    return code;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
