// This lets plugins wrap and unwrap file keys, in as few sessions as can be, since each session starts the plugin.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <phalanx/files/container.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/age/key_files.hpp"

namespace phalanx {

class PluginProcess;

/// Wraps file keys for one recipient of a plugin. recipient-v1 does not say whose a stanza is, so each recipient has
/// sessions of its own. Any number of threads may use it.
class PluginRecipient {
 public:
  /// `many`: file keys are wrapped ahead, more of them in each session than in the one before.
  PluginRecipient(AgeRecipient recipient, bool many) : recipient_(std::move(recipient)), many_(many) {}

  /// Puts a file key of its own, and wraps it, as WrapFileKey does.
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

/// Holds what a plugin's errors say, in one session.
struct PluginComplaints {
  std::string of_all{};                         ///< "" where there was none
  std::map<std::size_t, std::string> of_one{};  ///< by the number of the file whose stanza it is about
};

/// These are the stanzas of one record.
using StanzaSet = std::vector<std::string>;

/// Returns stanzas of the containers that are to be opened next, or none where there are no more.
using NextStanzas = std::function<std::vector<StanzaSet>()>;

/// Holds all identities of one plugin. Any number of threads may use it.
class PluginIdentities {
 public:
  explicit PluginIdentities(std::string plugin) : plugin_(std::move(plugin)) {}

  void add(SecretBytes identity) { identities_.push_back(std::move(identity)); }
  /// Sets the function that is asked, when a session is needed, what else may be unwrapped in it.
  void ask_ahead(NextStanzas next) { next_ = std::move(next); }

  /// Unwraps a file key as UnwrapFileKey does. Stanzas that end a session before it is done fail alone: the others are asked
  /// for anew.
  [[nodiscard]] bool unwrap(const StanzaSet& stanzas, MutableBytes file_key);

 private:
  struct Session {
    std::map<std::size_t, SecretBytes> found;  // file keys, by the numbers of their sets
    PluginComplaints complaints;
    std::optional<Error> death;  // the error that ended it before it was done
  };
  void ask_to_unwrap(PluginProcess& plugin, std::span<const StanzaSet> sets) const;
  [[nodiscard]] Session hold_session(std::span<const StanzaSet> sets) const;
  void unwrap_all(std::span<const StanzaSet> sets, bool is_known_to_work);
  [[nodiscard]] std::vector<StanzaSet> keep_outcomes(std::span<const StanzaSet> sets, Session& session);
  void keep_failure(const StanzaSet& set, const Error& failure);

  std::string plugin_;
  std::vector<SecretBytes> identities_;
  NextStanzas next_;
  std::mutex mutex_;
  struct Outcome {
    SecretBytes file_key;          // none where no identity unwraps it
    std::optional<Error> failure;  // not tried again
  };
  std::map<StanzaSet, Outcome> known_;
};

}  // namespace phalanx
