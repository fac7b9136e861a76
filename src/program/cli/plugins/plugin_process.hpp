// A plugin of age as a process: stanzas to its standard input and from its standard output.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/age/age_stanza.hpp"
#include "files/system/file_descriptor.hpp"

namespace phalanx {

/// The program that a plugin's name stands for: the file age-plugin-NAME, which may be executed, in the first absolute entry
/// of PATH that has it. Throws Error (usage) where none has.
[[nodiscard]] std::string find_plugin(const std::string& name);

/// Ends with this object, and with this process's thread, however that ends. Not for several threads at once.
class PluginProcess {
 public:
  /// Starts it. Of this process it gets the environment and no descriptor but three. Throws Error: usage where it is
  /// not found, runtime.
  PluginProcess(const std::string& name, const std::string& state_machine);
  ~PluginProcess();
  PluginProcess(const PluginProcess&) = delete;
  PluginProcess& operator=(const PluginProcess&) = delete;

  /// Queues a stanza: receive writes it.
  void send(const std::vector<std::string_view>& arguments, Bytes body = {});

  /// The next stanza from it, however long that takes; a note says after 5 seconds what is waited for. Throws Error
  /// (runtime) where it ends, even if what it started holds its pipes, with the last line of what it said on standard
  /// error, and where what it says is no stanza or longer than 1 MiB.
  [[nodiscard]] AgeStanza receive();

  [[nodiscard]] const std::string& name() const { return name_; }  ///< "age-plugin-NAME"

  /// Throws Error (runtime): "age-plugin-NAME: WHAT".
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void exchange();
  void write_some();
  void read_some(bool has_exited);
  void read_complaints();
  void say_that_we_wait(int milliseconds);
  [[nodiscard]] bool has_exited() const;

  std::string name_;
  pid_t child_ = -1;
  FileDescriptor to_, from_, complaints_from_;
  FileDescriptor watch_;  // of the process, where the kernel has such
  SecretBytes outgoing_;
  std::size_t num_written_ = 0;
  SecretBytes incoming_;  // the first num_read_ bytes
  std::size_t num_read_ = 0;
  std::string complaints_;
  int milliseconds_waited_ = 0;
  bool has_ended_ = false, has_said_so_ = false;
};

}  // namespace phalanx
