// This header seals and unseals containers as whole files, and goes on after a kill. phalanx.hpp has the conventions.
//
// OUT appears under its name only when it is complete and durable. Meanwhile it is OUT.phalanx-partial, which an error
// removes and a kill leaves. Names are as a user gives them, and "-" is a file of that name. Symbolic links are followed,
// except those that another user has put into a folder to which others may write. OUT may also be a pipe or a device, which
// is written straight. Any number of threads may work on different files at once.
#pragma once

#include <phalanx/version.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <phalanx/files/cancellation.hpp>
#include <phalanx/files/container.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

struct SealFileOptions {
  bool replace = false;  ///< replace a file that has OUT's name; else that is an Error (usage)
  bool resume = false;   ///< go on with the OUT.phalanx-partial of a run that was killed, and keep it if this one fails
  bool verify = false;   ///< read OUT back before it gets its name, and compare
  bool changing_input = false;  ///< take IN as it comes, even if it becomes shorter or is changed without growing
  bool keep = true;   ///< where IN is a file: a new OUT gets its mode, less the umask and never wider, and any OUT its time
  Binding binding{};  ///< the name is given, or there is none
  OnProgress on_progress{};
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
  /// These open the container that `resume` finds and that `verify` reads back, where all recipients are public keys.
  /// Without them `verify` reads back by the data key in memory, and `resume` is an Error (usage).
  std::vector<Identity> identities{};
};

struct SealedFile {
  std::uint64_t plain_bytes = 0;
  std::uint64_t container_bytes = 0;  ///< 0 where OUT is no regular file
  std::uint64_t resumed_bytes = 0;    ///< bytes of plaintext that an earlier run had sealed; they were only compared
  std::string input_change{};         ///< how IN changed while it was read, in a line; "" if it did not
  std::vector<std::string> lost_attributes{};  ///< names of extended attributes of a replaced OUT that could not be kept
};

/// Seals IN, a file, a pipe or a device, as the container OUT. Throws Error with these codes:
/// - usage: OUT exists or is IN, or this call cannot resume it
/// - wrong_key: `resume` finds a container that other secrets or another context sealed
/// - runtime: IN became shorter or was changed without growing, or a disk fails
/// - authentication: OUT does not read back
[[nodiscard]] SealedFile seal_file(const std::string& in, const std::string& out, std::string_view suite,
                                   std::span<const Recipient> recipients, const SealFileOptions& options = {});

struct UnsealFileOptions {
  bool replace = false;
  bool resume = false;  ///< only for all of the plaintext: an earlier run's recorded bytes are read back, not opened again
  std::uint64_t offset = 0;                  ///< the first byte to write
  std::optional<std::uint64_t> num_bytes{};  ///< how many bytes to write; nothing: to the end
  bool keep = true;                          ///< as in SealFileOptions; a part does not get the time
  CostLimits limits{};
  Binding binding{};  ///< compared with IN's name
  OnProgress on_progress{};
  const Cancellation* cancellation = nullptr;
  EngineOptions engine{};
};

struct UnsealedFile {
  std::uint64_t written_bytes = 0;  ///< bytes of plaintext in OUT
  std::uint64_t resumed_bytes = 0;  ///< of those, the bytes that an earlier run had written
  std::vector<std::string> lost_attributes{};
};

/// Opens the container IN, a regular file, and writes its plaintext to OUT, each byte once it is authentic. A part reads and
/// authenticates the chunks that it needs. Throws Error as ContainerReader does when it opens and reads. Throws Error
/// (usage) where OUT exists or is IN, where a part begins or ends behind the plaintext's end, and where a part is to be
/// resumed.
[[nodiscard]] UnsealedFile unseal_file(const std::string& in, const std::string& out, std::span<const Identity> identities,
                                       const UnsealFileOptions& options = {});

/// Writes a container as it comes, and gives it its name once it is finished. One thread at a time may use it. In a process
/// that is forked meanwhile its calls throw Error (usage), and to destroy it changes nothing of its parent's.
class NewContainerFile {
 public:
  /// Throws Error: usage if OUT exists and `replace` is not given; runtime if a file cannot be made.
  NewContainerFile(const std::string& out, std::string_view suite, std::span<const Recipient> recipients,
                   bool replace = false, const EngineOptions& options = {}, const Binding& binding = {});
  ~NewContainerFile();  ///< without finish, nothing of it is left, and a file that has OUT's name stays as it is
  NewContainerFile(NewContainerFile&&) noexcept;
  NewContainerFile& operator=(NewContainerFile&&) noexcept;

  /// Seals the next bytes. After a call that threw, it takes nothing more.
  void write(Bytes plain);
  /// Seals the rest. The file is durable and has its name when this returns.
  void finish();

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<State> state_;
};

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
