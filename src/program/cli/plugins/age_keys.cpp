#include "program/cli/plugins/age_keys.hpp"

#include <sys/stat.h>

#include "engine/text/characters.hpp"
#include "files/age/age_stanza.hpp"
#include "program/cli/plugins/plugin_process.hpp"
#include "program/cli/secrets/source_names.hpp"

namespace phalanx {
namespace {

std::vector<AgeRecipient> read_recipients(const SecretSources& sources, const SecretSource& source) {
  if (source.kind == SecretKind::recipients_file) {
    return read_recipients_file(characters_of(read_text_file(sources, source)), source.place);
  }
  try {
    return {read_age_recipient(source.place)};
  } catch (const Error& error) {
    struct stat status {};
    const bool is_there = ::stat(source.place.c_str(), &status) == 0;
    if (is_there && S_ISDIR(status.st_mode))
      throw Error(error, source.place + " is a folder, and no recipient: give --each");
    if (is_there) throw Error(error, source.place + " is a file, and no recipient: one that names some goes with -R");
    throw Error(error, "the " + message_name_of(sources, source) + ": " + error.what());
  }
}

}  // namespace

std::vector<Recipient> AgeRecipients::add(const SecretSources& sources, const SecretSource& source, bool many) {
  std::vector<Recipient> added;
  for (AgeRecipient& recipient : read_recipients(sources, source)) {
    Recipient one{
        .kind = KeyKind::public_key, .secret = bytes_of(recipient.text), .may_be_mixed = sources.allow_mixed_recipients};
    if (!recipient.plugin.empty()) {
      static_cast<void>(find_plugin(recipient.plugin));
      PluginRecipient* const plugin = &plugins_.emplace_back(std::move(recipient), many);
      one.wrap = [plugin](MutableBytes file_key) { return plugin->wrap(file_key); };
    }
    added.push_back(std::move(one));
  }
  return added;
}

void AgeIdentities::add(const SecretSources& sources, const SecretSource& source) {
  for (AgeIdentity& identity : read_identity_file(characters_of(read_text_file(sources, source)), source.place)) {
    if (identity.plugin.empty()) {
      list_.push_back({.kind = KeyKind::public_key, .secret = identity.text});
      continue;
    }
    std::unique_ptr<PluginIdentities>& plugin = plugins_[identity.plugin];
    if (plugin == nullptr) {
      plugin = std::make_unique<PluginIdentities>(identity.plugin);
      const auto unwrap = [its = plugin.get()](std::span<const std::string> stanzas, MutableBytes file_key) {
        return its->unwrap({stanzas.begin(), stanzas.end()}, file_key);
      };
      list_.push_back({.kind = KeyKind::public_key, .unwrap = unwrap});
    }
    plugin->add(std::move(identity.text));
  }
}

void AgeIdentities::ask_ahead(const NextStanzas& next) {
  for (const auto& [name, plugin] : plugins_) plugin->ask_ahead(next);
}

}  // namespace phalanx
