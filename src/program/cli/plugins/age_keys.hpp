// Public keys of age and their identities, from where the user named them, for the library: those of X25519 by their text,
// others by their plugins.
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

/// The plugins of recipients, to which these refer. They stay where they are when this is moved.
class AgeRecipients {
 public:
  /// Those that one source names. `many`: they are for many containers. Throws Error (usage) for one that is none, naming it
  /// and what to do, or whose plugin is not installed.
  [[nodiscard]] std::vector<Recipient> add(const SecretSources& sources, const SecretSource& source, bool many);

 private:
  std::list<PluginRecipient> plugins_;
};

/// Identities, and the plugins that they refer to, which stay where they are when this is moved.
class AgeIdentities {
 public:
  /// Reads those of an identity file. Throws as above.
  void add(const SecretSources& sources, const SecretSource& source);

  /// One for each of X25519, and one for each plugin, whatever the number of its identities.
  [[nodiscard]] const std::vector<Identity>& list() const { return list_; }

  /// Plugins ask what else is to be opened soon, and unwrap that too.
  void ask_ahead(const NextStanzas& next);

 private:
  std::map<std::string, std::unique_ptr<PluginIdentities>> plugins_;
  std::vector<Identity> list_;
};

}  // namespace phalanx
