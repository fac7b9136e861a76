// What a plugin asks and tells meanwhile: shown and asked on the terminal.
#pragma once

#include "files/age/age_stanza.hpp"
#include "program/cli/plugins/plugin_process.hpp"

namespace phalanx {

/// Answers a message, a question or a command that is none of the session's own. What is not known is
/// answered "unsupported". What is shown has no control characters, and is a kilobyte at most; answers are wiped.
void answer_plugin(PluginProcess& plugin, const AgeStanza& stanza);

/// What an error of the plugin says.
[[nodiscard]] std::string complaint_of(const AgeStanza& stanza);

}  // namespace phalanx
