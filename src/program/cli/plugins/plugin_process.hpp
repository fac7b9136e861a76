// This runs a plugin of age as a process, with stanzas to its standard input and from its standard output.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/age/age_stanza.hpp"
#include "files/system/file_descriptor.hpp"

namespace phalanx {

/// Returns the program that a plugin's name stands for. It is the file age-plugin-NAME in the first absolute entry of PATH
/// that has one which may be executed. Throws Error (usage) where none has.
[[nodiscard]] std::string find_plugin(const std::string& name);

/// The process ends with this object, and with the thread that started it, however that ends. One thread at a time may use
/// it.
class PluginProcess {
 public:
  /// Starts the process, which gets the environment and no descriptor but three. Throws Error: usage where the program is
  /// not found, runtime.
  PluginProcess(const std::string& name, const std::string& state_machine);
  ~PluginProcess();
  PluginProcess(const PluginProcess&) = delete;
  PluginProcess& operator=(const PluginProcess&) = delete;

  /// Queues a stanza, which receive writes.
  void send(const std::vector<std::string_view>& arguments, Bytes body = {});

  /// Returns the next stanza from the plugin, however long that takes. After 5 seconds a note says what is waited for.
  /// Throws Error (runtime):
  /// - where the plugin ends, even if a process that it started holds its pipes, with the last line of its standard error
  /// - where it sends what is no stanza, or is longer than 1 MiB
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
  FileDescriptor watch_;  // is readable once the process has ended, where the kernel has such
  SecretBytes outgoing_;
  std::size_t num_written_ = 0;
  SecretBytes incoming_;  // the first num_read_ bytes
  std::size_t num_read_ = 0;
  std::string complaints_;
  int milliseconds_waited_ = 0;
  bool has_ended_ = false, has_said_so_ = false;
};

}  // namespace phalanx
