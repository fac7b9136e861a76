#include "cli/plugins/plugin_sessions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "age/age_stanza.hpp"
#include "age/native_keys.hpp"
#include "cli/plugins/plugin_dialogue.hpp"
#include "cli/plugins/plugin_process.hpp"
#include "libcrypto/random_bytes.hpp"

namespace phalanx {
namespace {

constexpr std::array<std::size_t, 3> keys_of_session = {16, 64, 256};
constexpr std::size_t most_sets_of_session = 256;

// A number as the protocol has it, below `limit`: without a sign or leading zeros.
std::size_t index_of(const PluginProcess& plugin, const std::string& text, std::size_t limit) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && text == std::to_string(number);
  if (!is_number || number >= limit) plugin.fail("it speaks of a file that it was not given");
  return number;
}

// What stands in phase 2 until "done": `take` is false where a command is none of the session's own.
// Returns what an error says, "" where there was none.
std::string hear(PluginProcess& plugin, const std::function<bool(const AgeStanza& stanza)>& take) {
  std::string complaint;
  for (;;) {
    const AgeStanza stanza = plugin.receive();
    const std::string& command = stanza.arguments.front();
    if (command == "done") break;
    if (command == "error") {
      if (complaint.empty()) complaint = complaint_of(stanza);
      if (complaint.empty()) complaint = "it failed, and does not say why";
      plugin.send({"ok"});
    } else if (take(stanza)) {
      plugin.send({"ok"});
    } else {
      answer_plugin(plugin, stanza);
    }
  }
  return complaint;
}

}  // namespace

WrappedFileKey PluginRecipient::wrap(MutableBytes file_key) {
  const std::lock_guard lock(mutex_);
  if (failure_) throw Error(*failure_);
  try {
    if (ready_.empty()) wrap_more();
  } catch (const Error& error) {
    failure_.emplace(error);  // the next container would start it again, only to fail
    throw;
  }
  const Ready one = std::move(ready_.back());
  ready_.pop_back();
  std::ranges::copy(Bytes(one.file_key), file_key.begin());
  return one.wrapped;
}

void PluginRecipient::ask_to_wrap(PluginProcess& plugin, std::vector<Ready>& made) const {
  plugin.send({"add-recipient", recipient_.text});
  for (Ready& one : made) {
    one.file_key = SecretBytes(age_file_key_bytes);
    fill_random(one.file_key);
    plugin.send({"wrap-file-key"}, one.file_key);
  }
  plugin.send({"extension-labels"});
  plugin.send({"done"});
}

void PluginRecipient::wrap_more() {
  const std::size_t num_keys = many_ ? keys_of_session[std::min(num_sessions_, keys_of_session.size() - 1)] : 1;
  ++num_sessions_;
  std::vector<Ready> made(num_keys);
  PluginProcess plugin(recipient_.plugin, "recipient-v1");
  ask_to_wrap(plugin, made);
  std::optional<std::vector<std::string>> labels;
  const std::string complaint = hear(plugin, [&](const AgeStanza& stanza) {
    const std::vector<std::string>& arguments = stanza.arguments;
    if (arguments.front() == "labels") {
      if (labels) plugin.fail("it gives labels twice");
      labels.emplace(arguments.begin() + 1, arguments.end());
      return true;
    }
    if (arguments.front() != "recipient-stanza") return false;
    if (arguments.size() < 3) plugin.fail("it gives a stanza that is none");
    std::vector<std::string>& stanzas = made[index_of(plugin, arguments[1], num_keys)].wrapped.stanzas;
    stanzas.emplace_back(characters_of(age_stanza_text({arguments.begin() + 2, arguments.end()}, stanza.body)));
    return true;
  });
  if (!complaint.empty()) plugin.fail(complaint);
  for (Ready& one : made) {
    if (one.wrapped.stanzas.empty()) plugin.fail("it wrapped a key for nobody");
    if (labels) one.wrapped.labels = *labels;
  }
  ready_ = std::move(made);
}

bool PluginIdentities::unwrap(const StanzaSet& stanzas, MutableBytes file_key) {
  const std::lock_guard lock(mutex_);
  if (!known_.contains(stanzas)) {
    std::vector<StanzaSet> sets{stanzas};
    while (next_ && sets.size() < most_sets_of_session) {
      const std::vector<StanzaSet> more = next_();
      if (more.empty()) break;
      sets.insert(sets.end(), more.begin(), more.end());
    }
    try {
      unwrap_all(sets);
    } catch (const Error& error) {
      for (const StanzaSet& set : sets) known_[set].failure.emplace(error);
    }
  }
  const Outcome& outcome = known_.at(stanzas);
  if (outcome.failure) throw Error(*outcome.failure);
  if (outcome.file_key.size() == 0) return false;
  std::ranges::copy(Bytes(outcome.file_key), file_key.begin());
  return true;
}

void PluginIdentities::ask_to_unwrap(PluginProcess& plugin, const std::vector<StanzaSet>& sets) const {
  for (const SecretBytes& identity : identities_) plugin.send({"add-identity", characters_of(identity)});
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const std::string& text : sets[i]) {
      std::string_view rest = text;
      const AgeStanza stanza = read_age_stanza(rest);
      const std::string number = std::to_string(i);
      std::vector<std::string_view> arguments{"recipient-stanza", number};
      arguments.insert(arguments.end(), stanza.arguments.begin(), stanza.arguments.end());
      plugin.send(arguments, stanza.body);
    }
  }
  plugin.send({"done"});
}

void PluginIdentities::unwrap_all(const std::vector<StanzaSet>& sets) {
  PluginProcess plugin(plugin_, "identity-v1");
  ask_to_unwrap(plugin, sets);
  std::map<std::size_t, SecretBytes> found;
  const std::string complaint = hear(plugin, [&](const AgeStanza& stanza) {
    if (stanza.arguments.front() != "file-key") return false;
    if (stanza.arguments.size() != 2) plugin.fail("it gives a file key that is none");
    const std::size_t index = index_of(plugin, stanza.arguments[1], sets.size());
    if (stanza.body.size() != age_file_key_bytes) plugin.fail("it gives a file key that is none");
    if (!found.emplace(index, SecretBytes(Bytes(stanza.body))).second) plugin.fail("it gives a file key twice");
    return true;
  });
  for (std::size_t i = 0; i < sets.size(); ++i) {
    Outcome& outcome = known_[sets[i]];
    const auto key = found.find(i);
    if (key != found.end()) {
      outcome.file_key = std::move(key->second);
    } else if (!complaint.empty()) {
      outcome.failure.emplace(ErrorCode::runtime, plugin.name() + ": " + complaint);
    }
  }
}

}  // namespace phalanx
