#include "files/age/key_files.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

#include "engine/text/characters.hpp"
#include "files/age/age_stanza.hpp"
#include "files/age/bech32.hpp"
#include "files/age/native_keys.hpp"

namespace phalanx {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorCode::usage, what); }

// c2sp.org/age-plugin, "Mapping recipients and identities to plugin binaries"; no path separator is among them.
void check_plugin_name(std::string_view name) {
  const bool fits = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == '_';
  });
  if (!fits) fail("it names a plugin by other characters than a-z, 0-9, + - . _");
}

bool is_any_of(std::string_view text, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [text](std::string_view beginning) { return text.starts_with(beginning); });
}

void refuse_ssh(std::string_view text) {
  if (!is_any_of(text, {"ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-", "-----BEGIN OPENSSH"})) return;
  fail("it is a key of SSH, which Phalanx does not take: make one of age's, with age-keygen or phalanx keygen");
}

void refuse_encrypted_identities(std::string_view content) {
  if (!is_any_of(content, {"age-encryption.org/v1", "-----BEGIN AGE ENCRYPTED FILE-----"})) return;
  fail("it is encrypted, which Phalanx does not open: decrypt it with age, and give what comes out");
}

// Calls `take` with each line that says something; what it throws gets the file's name and the line's number.
template <class Take>
void for_each_line(std::string_view content, const std::string& name, const Take& take) {
  for (std::size_t number = 1; !content.empty(); ++number) {
    const std::size_t end = content.find('\n');
    std::string_view line = content.substr(0, end);
    content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) continue;
    try {
      take(line);
    } catch (const Error& error) {
      throw Error(error, name + ", line " + std::to_string(number) + ": " + error.what());
    }
  }
}

}  // namespace

AgeRecipient read_age_recipient(std::string_view text) {
  refuse_ssh(text);
  if (lower_case(text).starts_with("age-secret-key-")) fail("this is an identity, a secret, where a recipient is wanted");
  if (!text.starts_with("age1")) fail("this is no recipient of age, which begins with age1");
  AgeRecipient recipient{std::string(text), ""};
  if (text.rfind('1') == 3) {
    static_cast<void>(read_native_recipient(text));
    return recipient;
  }
  const Bech32 decoded = [&] {
    try {
      return decode_bech32(text);
    } catch (const Error& error) {
      throw Error(ErrorCode::usage, std::string("a recipient of age is wrong: ") + error.what());
    }
  }();
  recipient.plugin = decoded.prefix.substr(4);
  check_plugin_name(recipient.plugin);
  return recipient;
}

AgeIdentity read_age_identity(std::string_view text) {
  refuse_ssh(text);
  if (text.starts_with("age1")) fail("this is a recipient, which opens nothing, where an identity is wanted");
  if (text.starts_with("AGE-SECRET-KEY-PQ-1")) {
    fail(
        "it is a post-quantum identity, which the plugin age-plugin-pq alone opens: make an AGE-PLUGIN-PQ-1 identity of it "
        "with age-plugin-pq, and give that");
  }
  AgeIdentity identity{SecretBytes(bytes_of(text)), ""};
  constexpr std::string_view plugin_start = "AGE-PLUGIN-";
  if (!text.starts_with(plugin_start)) {
    if (!text.starts_with("AGE-SECRET-KEY-1")) {
      fail("this is no identity of age, which begins with AGE-SECRET-KEY-1 or AGE-PLUGIN-");
    }
    static_cast<void>(read_native_identity(text));
    return identity;
  }
  try {
    const Bech32 decoded = decode_bech32(text);
    const std::string_view name = std::string_view(decoded.prefix).substr(plugin_start.size());
    if (!name.ends_with('-')) fail("it is no identity of a plugin: AGE-PLUGIN-NAME-1 is how one begins");
    identity.plugin = name.substr(0, name.size() - 1);
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, std::string("an identity of age is wrong: ") + error.what());
  }
  check_plugin_name(identity.plugin);
  return identity;
}

std::vector<AgeRecipient> read_recipients_file(std::string_view content, const std::string& name) {
  std::vector<AgeRecipient> recipients;
  for_each_line(content, name, [&](std::string_view line) { recipients.push_back(read_age_recipient(line)); });
  if (recipients.empty()) fail(name + " names no recipient: put one of age in each line");
  return recipients;
}

std::vector<AgeIdentity> read_identity_file(std::string_view content, const std::string& name) {
  try {
    refuse_encrypted_identities(content);
    refuse_ssh(content);
  } catch (const Error& error) {
    throw Error(error, name + ": " + error.what());
  }
  std::vector<AgeIdentity> identities;
  for_each_line(content, name, [&](std::string_view line) { identities.push_back(read_age_identity(line)); });
  if (identities.empty()) fail(name + " holds no identity: AGE-SECRET-KEY-1 or AGE-PLUGIN- begins one");
  return identities;
}

std::string without_identities(std::string_view text) {
  constexpr std::size_t longest_name = 40;  // of a plugin, in messages of ours; an identity's data is longer
  const auto is_of_identity = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'; };
  std::string shown(text);
  for (const std::string_view beginning : {"AGE-SECRET-KEY-", "AGE-PLUGIN-"}) {
    for (std::size_t at = shown.find(beginning); at != std::string::npos; at = shown.find(beginning, at + 1)) {
      const auto begin = shown.begin() + static_cast<std::ptrdiff_t>(at + beginning.size());
      const auto end = std::find_if_not(begin, shown.end(), is_of_identity);
      if (static_cast<std::size_t>(end - begin) > longest_name) shown.replace(begin, end, "...");
    }
  }
  return shown;
}

}  // namespace phalanx
