// File keys wrapped and unwrapped by plugins, in as few sessions as can be: each starts the plugin once.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <phalanx/container.hpp>
#include <string>
#include <vector>

#include "age/key_files.hpp"
#include "secrets/secret_bytes.hpp"

namespace phalanx {

class PluginProcess;

/// A recipient of a plugin. recipient-v1 does not say whose a stanza is, so each has sessions of its own. Any number of
/// threads may use it.
class PluginRecipient {
 public:
  /// `many`: file keys are wrapped ahead, more of them in each session than in the one before.
  PluginRecipient(AgeRecipient recipient, bool many) : recipient_(std::move(recipient)), many_(many) {}

  /// As WrapFileKey: puts a file key of its own.
  [[nodiscard]] WrappedFileKey wrap(MutableBytes file_key);

 private:
  struct Ready {
    SecretBytes file_key;
    WrappedFileKey wrapped;
  };
  void ask_to_wrap(PluginProcess& plugin, std::vector<Ready>& made) const;
  void wrap_more();

  AgeRecipient recipient_;
  bool many_;
  std::mutex mutex_;
  std::vector<Ready> ready_;
  std::size_t num_sessions_ = 0;
  std::optional<Error> failure_;
};

/// The stanzas of one record.
using StanzaSet = std::vector<std::string>;

/// Gives stanzas of the containers that are to be opened next; none where there are no more.
using NextStanzas = std::function<std::vector<StanzaSet>()>;

/// All identities of one plugin. Any number of threads may use it.
class PluginIdentities {
 public:
  explicit PluginIdentities(std::string plugin) : plugin_(std::move(plugin)) {}

  void add(SecretBytes identity) { identities_.push_back(std::move(identity)); }
  /// Who is asked, when a session is needed, what else may be unwrapped in it.
  void ask_ahead(NextStanzas next) { next_ = std::move(next); }

  /// As UnwrapFileKey.
  [[nodiscard]] bool unwrap(const StanzaSet& stanzas, MutableBytes file_key);

 private:
  void ask_to_unwrap(PluginProcess& plugin, const std::vector<StanzaSet>& sets) const;
  void unwrap_all(const std::vector<StanzaSet>& sets);

  std::string plugin_;
  std::vector<SecretBytes> identities_;
  NextStanzas next_;
  std::mutex mutex_;
  struct Outcome {
    SecretBytes file_key;          // none where no identity unwraps it
    std::optional<Error> failure;  // a failed session is not tried again
  };
  std::map<StanzaSet, Outcome> known_;
};

}  // namespace phalanx
