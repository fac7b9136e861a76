#include "program/cli/plugins/plugin_sessions.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "engine/host/host.hpp"
#include "files/age/age_stanza.hpp"
#include "files/age/native_keys.hpp"
#include "files/container/format/public_key_record.hpp"
#include "program/cli/plugins/plugin_dialogue.hpp"
#include "program/cli/plugins/plugin_process.hpp"

namespace phalanx {
namespace {

constexpr std::array<std::size_t, 3> keys_of_session = {16, 64, 256};
constexpr std::size_t most_sets_of_session = 256;
constexpr std::size_t most_asides_of_session = 4096;  // messages, questions and errors: sixteen of each file
constexpr std::size_t most_stanzas_bytes = 65535;     // as many as all records of a header have

// Reads a number as the protocol has it, below `limit`: without a sign or leading zeros.
std::size_t index_of(const PluginProcess& plugin, const std::string& text, std::size_t limit) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc() && end == text.data() + text.size() && text == std::to_string(number);
  if (!is_number || number >= limit) plugin.fail("it speaks of a file that it was not given");
  return number;
}

// In identity-v1, "error stanza FILE STANZA" is about one file.
void take_complaint(const PluginProcess& plugin, const AgeStanza& stanza, std::size_t num_files,
                    PluginComplaints& complaints) {
  const bool is_of_one = stanza.arguments.size() == 4 && stanza.arguments[1] == "stanza" && num_files != 0;
  std::string& kept = is_of_one ? complaints.of_one[index_of(plugin, stanza.arguments[2], num_files)] : complaints.of_all;
  if (kept.empty()) kept = complaint_of(stanza);
  if (kept.empty()) kept = "it failed, and does not say why";
}

// Hears the stanzas of phase 2 until "done". `take` returns false for a command that is none of the session's own. Errors
// may be about `num_files` files.
PluginComplaints hear(PluginProcess& plugin, std::size_t num_files,
                      const std::function<bool(const AgeStanza& stanza)>& take) {
  PluginComplaints complaints;
  for (std::size_t left = most_asides_of_session;;) {
    const AgeStanza stanza = plugin.receive();
    const std::string& command = stanza.arguments.front();
    if (command == "done") return complaints;
    if (command != "error" && take(stanza)) {
      plugin.send({"ok"});
      continue;
    }
    if (left-- == 0)
      plugin.fail("it sends more than " + std::to_string(most_asides_of_session) + " messages and errors in a session");
    if (command == "error") {
      take_complaint(plugin, stanza, num_files, complaints);
      plugin.send({"ok"});
    } else {
      answer_plugin(plugin, stanza);
    }
  }
}

// Refuses more stanzas than a header has room for.
void check_room(const PluginProcess& plugin, const std::vector<std::string>& stanzas) {
  std::size_t num_bytes = 0;
  for (const std::string& text : stanzas) num_bytes += text.size();
  if (stanzas.size() > most_stanzas || num_bytes > most_stanzas_bytes) {
    plugin.fail("it makes too many stanzas of one key: a container has room for " + std::to_string(most_stanzas) +
                " of a recipient, and " + std::to_string(most_stanzas_bytes) + " bytes");
  }
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
  const PluginComplaints complaints = hear(plugin, 0, [&](const AgeStanza& stanza) {
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
    check_room(plugin, stanzas);
    return true;
  });
  if (!complaints.of_all.empty()) plugin.fail(complaints.of_all);
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
      unwrap_all(sets, false);
    } catch (const Error& error) {
      for (const StanzaSet& set : sets) keep_failure(set, error);
    }
  }
  const Outcome& outcome = known_.at(stanzas);
  if (outcome.failure) throw Error(*outcome.failure);
  if (outcome.file_key.size() == 0) return false;
  std::ranges::copy(Bytes(outcome.file_key), file_key.begin());
  return true;
}

void PluginIdentities::ask_to_unwrap(PluginProcess& plugin, std::span<const StanzaSet> sets) const {
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

PluginIdentities::Session PluginIdentities::hold_session(std::span<const StanzaSet> sets) const {
  PluginProcess plugin(plugin_, "identity-v1");
  Session session;
  const auto take = [&](const AgeStanza& stanza) {
    if (stanza.arguments.front() != "file-key") return false;
    if (stanza.arguments.size() != 2) plugin.fail("it gives a file key that is none");
    const std::size_t index = index_of(plugin, stanza.arguments[1], sets.size());
    if (stanza.body.size() != age_file_key_bytes) plugin.fail("it gives a file key that is none");
    if (!session.found.emplace(index, SecretBytes(Bytes(stanza.body))).second) plugin.fail("it gives a file key twice");
    return true;
  };
  try {
    ask_to_unwrap(plugin, sets);
    session.complaints = hear(plugin, sets.size(), take);
  } catch (const Error& error) {
    session.death.emplace(error);
  }
  return session;
}

// Keeps the failure of a set, unless this session or one before gave its file key.
void PluginIdentities::keep_failure(const StanzaSet& set, const Error& failure) {
  Outcome& outcome = known_[set];
  if (outcome.file_key.size() == 0) outcome.failure.emplace(failure);
}

// Keeps what a session found. Returns the sets without a file key where the session died.
std::vector<StanzaSet> PluginIdentities::keep_outcomes(std::span<const StanzaSet> sets, Session& session) {
  std::vector<StanzaSet> left;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const auto key = session.found.find(i);
    if (key != session.found.end()) {
      known_[sets[i]].file_key = std::move(key->second);
    } else if (session.death) {
      left.push_back(sets[i]);
    } else {
      const auto own = session.complaints.of_one.find(i);
      const std::string& complaint = own != session.complaints.of_one.end() ? own->second : session.complaints.of_all;
      known_.try_emplace(sets[i]);
      if (!complaint.empty()) keep_failure(sets[i], {ErrorCode::runtime, "age-plugin-" + plugin_ + ": " + complaint});
    }
  }
  return left;
}

// One container may hold what kills the plugin, and then that container alone does not open. The stanzas of the others are
// given to sessions of their own, with ever fewer in each. A plugin that dies of no stanza at all would die each time.
void PluginIdentities::unwrap_all(std::span<const StanzaSet> sets, bool is_known_to_work) {
  Session session = hold_session(sets);
  const std::vector<StanzaSet> left = keep_outcomes(sets, session);
  if (left.empty()) return;
  if (sets.size() == 1 || (!is_known_to_work && hold_session({}).death)) {
    for (const StanzaSet& set : left) keep_failure(set, *session.death);
    return;
  }
  const std::span<const StanzaSet> all = left;
  const std::size_t half = (all.size() + 1) / 2;
  unwrap_all(all.first(half), true);
  if (half < all.size()) unwrap_all(all.subspan(half), true);
}

}  // namespace phalanx
