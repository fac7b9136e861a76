// This shows on the terminal what a plugin tells, and asks there what it asks.
#pragma once

#include "files/age/age_stanza.hpp"
#include "program/cli/plugins/plugin_process.hpp"

namespace phalanx {

/// Answers a message, a question or a command that is none of the session's own. An unknown one is answered "unsupported". A
/// shown text has no control characters, and is a kilobyte at most; answers are wiped.
void answer_plugin(PluginProcess& plugin, const AgeStanza& stanza);

/// Returns the text of a plugin's error.
[[nodiscard]] std::string complaint_of(const AgeStanza& stanza);

}  // namespace phalanx
