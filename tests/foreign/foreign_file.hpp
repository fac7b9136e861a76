// Old ciphertext to read, made by the library's own ciphers, which other tests judge; and a folder to put it in.
#pragma once

#include <phalanx/migration.hpp>
#include <string>
#include <vector>

namespace phalanx::test {

using Buffer = std::vector<std::uint8_t>;

inline const Options one_thread{.engine = "cpu:scalar", .num_threads = 1};

/// A name's own bytes, which do not repeat soon.
Buffer varied(std::size_t size, unsigned seed);

/// The ciphertext of a message: padded where the mode takes it, behind its iv where the format begins with it, in base64 and
/// with its salt as `openssl enc` has them.
Buffer encrypt_old(const ForeignFormat& format, Bytes plain);

/// Removed with all that is in it when it goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::string path_of(const std::string& name) const { return path_ + '/' + name; }
  std::string write(const std::string& name, Bytes content) const;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::string path_;
};

Buffer read_file(const std::string& path);

}  // namespace phalanx::test
