#include "program/cli/plugins/plugin_dialogue.hpp"

#include <optional>
#include <phalanx/error.hpp>

#include "engine/text/utf8.hpp"
#include "files/age/raw_base64.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/secrets/terminal_prompt.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_shown_bytes = 1024;

// Returns no more of a text than a person reads.
std::string shortened(std::string_view text) {
  return plain_line(text.substr(0, most_shown_bytes)) + (text.size() > most_shown_bytes ? " ..." : "");
}

std::string shown(const PluginProcess& plugin, std::string_view text) { return plugin.name() + ": " + shortened(text); }

void answer_with(PluginProcess& plugin, const std::string& question, bool is_secret) {
  std::optional<SecretBytes> answer;
  try {
    answer = is_secret ? prompt_secret(question, "") : prompt_public(question, "");
  } catch (const Error&) {
    plugin.send({"fail"});
    return;
  }
  plugin.send({"ok"}, *answer);
}

std::string button_of(const AgeStanza& stanza, std::size_t index) {
  const std::optional<SecretBytes> text = decode_raw_base64(stanza.arguments[index]);
  if (!text) return "";
  return shortened(characters_of(*text));
}

void confirm(PluginProcess& plugin, const AgeStanza& stanza) {
  if (stanza.arguments.size() < 2 || stanza.arguments.size() > 3) plugin.fail("it asks what is no question of its protocol");
  std::string question = shown(plugin, characters_of(stanza.body)) + " [1: " + button_of(stanza, 1);
  if (stanza.arguments.size() == 3) question += ", 2: " + button_of(stanza, 2);
  try {
    const SecretBytes answer = prompt_public(question + "]", "");
    const bool is_yes = characters_of(answer) == "1" || (stanza.arguments.size() == 2 && answer.size() == 0);
    plugin.send({"ok", is_yes ? "yes" : "no"});
  } catch (const Error&) {
    plugin.send({"fail"});
  }
}

}  // namespace

void answer_plugin(PluginProcess& plugin, const AgeStanza& stanza) {
  const std::string& command = stanza.arguments.front();
  const std::string_view text = characters_of(stanza.body);
  if (command == "msg") {
    print_note(shown(plugin, text), false);
    plugin.send({"ok"});
  } else if (command == "request-secret" || command == "request-public") {
    answer_with(plugin, shown(plugin, text), command == "request-secret");
  } else if (command == "confirm") {
    confirm(plugin, stanza);
  } else {
    plugin.send({"unsupported"});
  }
}

std::string complaint_of(const AgeStanza& stanza) { return shortened(characters_of(stanza.body)); }

}  // namespace phalanx
