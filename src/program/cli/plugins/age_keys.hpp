// This takes public keys of age and their identities from where the user named them, for the library. Keys of X25519 go by
// their text, and others by their plugins.
#pragma once

#include <list>
#include <memory>
#include <phalanx/files/container.hpp>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/age/key_files.hpp"
#include "program/cli/plugins/plugin_sessions.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

/// Holds the plugins of recipients, to which the recipients refer. They stay where they are when this is moved.
class AgeRecipients {
 public:
  /// Returns the recipients that one source names. `many`: they are for many containers. Throws Error (usage) for a text
  /// that names none, with what to do, or for a plugin that is not installed.
  [[nodiscard]] std::vector<Recipient> add(const SecretSources& sources, const SecretSource& source, bool many);

 private:
  std::list<PluginRecipient> plugins_;
};

/// Holds identities, and the plugins that they refer to, which stay where they are when this is moved.
class AgeIdentities {
 public:
  /// Adds the identities of a file. Throws Error: usage where it holds none that can be read, runtime where it cannot be
  /// opened.
  void add(const SecretSources& sources, const SecretSource& source);

  /// Returns one for each identity of X25519, and one for each plugin, whatever the number of its identities.
  [[nodiscard]] const std::vector<Identity>& list() const { return list_; }

  /// Lets plugins ask what else is to be opened soon, and unwrap that too.
  void ask_ahead(const NextStanzas& next);

 private:
  std::map<std::string, std::unique_ptr<PluginIdentities>> plugins_;
  std::vector<Identity> list_;
};

}  // namespace phalanx
