// What a plugin of age says, of any bytes: each of its commands gets one answer, what is shown moves no cursor, and a session
// ends with file keys that it gave or in an error of one line.
#include <algorithm>
#include <map>

#include "engine/text/utf8.hpp"
#include "files/age/age_stanza.hpp"
#include "files/age/native_keys.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/plugins/plugin_process.hpp"
#include "program/cli/plugins/plugin_sessions.hpp"
#include "program/cli/secrets/terminal_prompt.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx {
namespace {

// One session after the other hears the same plugin, which says the rest of the input.
std::string_view unheard;
std::size_t num_unanswered = 0;
bool has_waited = false;  // for the plugin that is at work
bool has_terminal = false;
// A session numbers the sets that it is told, and this is which set a number means.
std::map<std::string, std::string> asked_sets;
// The plugin may give any number of keys for a set: these are they.
std::multimap<std::string, std::string> given_keys;

void require_one_line(const std::string& text) { fuzz::require(text == plain_line(text), "what is shown moves no cursor"); }

SecretBytes answer_to(const std::string& question) {
  require_one_line(question);
  if (!has_terminal) throw Error(ErrorCode::usage, "no terminal");
  return SecretBytes(bytes_of(std::string(question.size() % 3, '1')));
}

}  // namespace

// In place of program/cli/plugins/plugin_process.cpp, program/cli/console/messages.cpp and program/cli/secrets/terminal_prompt.cpp.
std::string find_plugin(const std::string& name) { return name; }
PluginProcess::PluginProcess(const std::string& name, const std::string& state_machine)
    : name_("age-plugin-" + name), outgoing_(0), incoming_(0) {
  fuzz::require(state_machine == "recipient-v1" || state_machine == "identity-v1", "one of the two");
  num_unanswered = 0;
  has_waited = false;
  asked_sets.clear();
}
PluginProcess::~PluginProcess() = default;
void PluginProcess::fail(const std::string& what) const { throw Error(ErrorCode::runtime, name_ + ": " + what); }

void PluginProcess::send(const std::vector<std::string_view>& arguments, Bytes body) {
  const SecretBytes text = age_stanza_text(arguments, body);
  std::string_view rest = characters_of(text);
  const AgeStanza stanza = read_age_stanza(rest);
  fuzz::require(rest.empty() && stanza.arguments.size() == arguments.size(), "what is sent is one stanza");
  if (stanza.arguments.front() == "recipient-stanza") asked_sets[stanza.arguments[1]] = stanza.arguments[3];
  if (has_waited) {
    fuzz::require(num_unanswered == 1, "one answer");
    num_unanswered = 0;
  }
}

AgeStanza PluginProcess::receive() {
  has_waited = true;
  fuzz::require(num_unanswered == 0, "it has an answer before it says more");
  AgeStanza stanza;
  try {
    stanza = read_age_stanza(unheard);
  } catch (const Error& error) {
    fail(error.what());
  }
  if (stanza.arguments.front() == "file-key" && stanza.arguments.size() == 2) {
    given_keys.emplace(asked_sets[stanza.arguments[1]], characters_of(stanza.body));
  }
  num_unanswered = 1;
  return stanza;
}

void print_error(std::string_view message) { require_one_line(std::string(message)); }
void print_note(std::string_view message, bool quiet) {
  if (!quiet) print_error(message);
}
SecretBytes prompt_secret(const std::string& question, const std::string& /*instead*/) { return answer_to(question); }
SecretBytes prompt_public(const std::string& question, const std::string& /*instead*/) { return answer_to(question); }
SecretBytes prompt_secret_twice(const std::string& question, const std::string& /*instead*/) { return answer_to(question); }

}  // namespace phalanx

namespace phalanx::fuzz {
namespace {

void require_runtime_error(std::optional<ErrorCode> error) {
  require(!error || error == ErrorCode::runtime, "what a plugin does wrong is no mistake of the user's, nor of the file's");
}

void wrap_keys(bool many, std::size_t num_keys) {
  PluginRecipient recipient({.text = "age1fuzz1qqq", .plugin = "fuzz"}, many);
  SecretBytes key(age_file_key_bytes);
  for (; num_keys > 0; --num_keys) {
    WrappedFileKey wrapped;
    const auto error = error_of([&] { wrapped = recipient.wrap(key); });
    require_runtime_error(error);
    if (error) continue;
    require(!wrapped.stanzas.empty(), "a key is wrapped for somebody");
    for (const std::string& text : wrapped.stanzas) {
      std::string_view rest = text;
      const auto none = error_of([&] { static_cast<void>(read_age_stanza(rest)); });
      require(!none && rest.empty(), "what is kept is one stanza");
    }
  }
}

void unwrap_keys(std::size_t num_sets) {
  PluginIdentities identities("fuzz");
  identities.add(SecretBytes(bytes_of(std::string("AGE-PLUGIN-FUZZ-1QQQ"))));
  std::vector<StanzaSet> sets;
  for (std::size_t i = 0; i < num_sets; ++i) sets.push_back({"-> fuzz " + std::to_string(i) + "\nAAAA\n"});
  bool are_told = false;
  identities.ask_ahead([&] {
    const bool first = !std::exchange(are_told, true);
    return first ? std::vector<StanzaSet>(sets.begin() + 1, sets.end()) : std::vector<StanzaSet>();
  });
  given_keys.clear();
  for (std::size_t i = 0; i < num_sets; ++i) {
    SecretBytes key(age_file_key_bytes);
    bool is_known = false;
    const auto error = error_of([&] { is_known = identities.unwrap(sets[i], key); });
    require_runtime_error(error);
    if (error || !is_known) continue;
    const auto [first, last] = given_keys.equal_range(std::to_string(i));
    const auto is_it = [&](const auto& given) { return given.second == characters_of(key); };
    require(std::any_of(first, last, is_it), "a key is one that was given for it");
  }
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  const bool wraps = input.flag(), many = input.flag();
  const std::size_t num_keys = 1 + input.below(4);
  has_terminal = input.flag();
  const Bytes rest = input.take_rest();
  unheard = {reinterpret_cast<const char*>(rest.data()), rest.size()};
  if (wraps) {
    wrap_keys(many, num_keys);
  } else {
    unwrap_keys(num_keys);
  }
  return 0;
}
