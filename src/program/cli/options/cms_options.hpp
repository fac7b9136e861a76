// The options of messages of CMS and S/MIME, and the keys that they name.
#pragma once

#include <string>

#include "files/foreign/cms/key_recovery.hpp"
#include "program/cli/console/command_line_library.hpp"
#include "program/cli/console/message_options.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {

struct RawOptions;

/// As given. The sources' prefix is that of the other secrets.
struct CmsOptions {
  bool is_given = false;
  SecretSources private_key;
  SecretSources certificate;
};

/// `messages` say whether warnings are given, and stay the caller's.
void add_cms_options(CLI::App& command, CmsOptions& options, const MessageOptions& messages);

/// Throws Error (usage) where options of messages are given without --cms, or others that do not go with it.
void check_cms_options(const RawOptions& options);

/// Reads what opens messages of which none was looked at yet, as `migrate` does. Throws as read_cms_keys does.
[[nodiscard]] CmsKeys read_keys_of_messages(const RawOptions& options);

/// Reads what opens the message, or asks for its passphrase. `name` is the message's. Throws Error as read_secret and
/// keys_of_files do, and usage where nothing is named that may open it.
[[nodiscard]] CmsKeys read_cms_keys(const RawOptions& options, const CmsFront& front, const std::string& name);

}  // namespace phalanx
