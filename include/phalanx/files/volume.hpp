// This header reads encrypted volumes, LUKS1 and LUKS2, by a passphrase: any part of the plaintext, at any time. Nothing is
// written, and no device is made. phalanx.hpp has the conventions.
#pragma once

#include <phalanx/version.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <phalanx/bytes.hpp>
#include <phalanx/error.hpp>
#include <phalanx/options.hpp>
#include <string>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Says where a volume is, and which of its keys is meant.
struct VolumeOptions {
  std::string header_path{};    ///< a file with the header alone; empty: the volume begins with its header
  std::uint64_t start = 0;      ///< the volume begins behind so many bytes of its file, as a partition of a disk does
  int key_slot = any_key_slot;  ///< the only slot that is tried, from 0 on

  static constexpr int any_key_slot = -1;
};

/// Holds what an open volume's header says.
struct VolumeFacts {
  std::string format{};          ///< "LUKS1" or "LUKS2"
  std::string uuid{};            ///< as text
  std::string cipher{};          ///< dm-crypt's name of the first segment's: "aes-xts-plain64"
  std::size_t key_bytes = 0;     ///< the size of the volume key in bytes
  std::size_t sector_bytes = 0;  ///< the longest sector in bytes: 512 to 4096
  unsigned key_slot = 0;         ///< the slot that the passphrase opened
  std::string note{};            ///< that one of LUKS2's two headers is damaged; "" where both are right
};

/// Reads the plaintext of a volume. Nothing authenticates it: a volume that was changed gives other plaintext, without an
/// error. Any number of threads may use it at once.
class VolumeReader {
 public:
  /// Opens a file or a block device, read-only. `passphrase` has the bytes of the passphrase, or all of a key file, its line
  /// end included: to LUKS they are one thing. It is not kept. To derive the key takes seconds, and up to 4 GiB of memory,
  /// as the header says. Argon2 takes libargon2.so.1, or OpenSSL 3.2. Throws Error:
  /// - wrong_key where the passphrase opens no slot
  /// - format where the file is no volume of LUKS, or is damaged. It is thrown too for a volume that is not read here. The
  ///   message then says what it has: integrity tags, another cipher, or a reencryption that has not ended
  /// - truncated where the file ends within the header or the data
  /// - policy where a slot asks for more than 4 GiB, or 64 passes over 1 GiB, or 100,000,000 iterations
  /// - usage for a slot that is not in use, a file that cannot seek, or an engine that cannot run
  /// - runtime where reading or deriving fails
  VolumeReader(const std::string& path, Bytes passphrase, const VolumeOptions& volume = {},
               const EngineOptions& options = {});
  ~VolumeReader();
  VolumeReader(VolumeReader&&) noexcept;
  VolumeReader& operator=(VolumeReader&&) noexcept;

  [[nodiscard]] const VolumeFacts& facts() const;   ///< what its header says
  [[nodiscard]] std::uint64_t num_bytes() const;    ///< the size of the plaintext in bytes, as it was when it was opened
  [[nodiscard]] const std::string& engine() const;  ///< the engine that runs the cipher, e.g. "cpu:avx512"

  /// Reads the plaintext from `offset` on, both in bytes and of any size. Returns how many bytes were read: fewer than
  /// out.size() only at the volume's end, and 0 behind it. Throws Error (runtime) where reading fails, and for a file that
  /// has become shorter.
  [[nodiscard]] std::size_t read(std::uint64_t offset, MutableBytes out) const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<const State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
