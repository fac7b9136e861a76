#include "program/cli/options/cms_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>

#include "files/foreign/cms/recipient_keys.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/options/raw_options.hpp"
#include "program/cli/secrets/source_names.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

void refuse_without_cms(const RawOptions& options) {
  const CmsOptions& cms = options.cms;
  const std::string needs = " goes with " + options.option("cms") + " only: give both";
  if (!cms.private_key.named.empty())
    throw_usage(options.option(option_name_of(cms.private_key.named.front().kind)) + needs);
  if (!cms.certificate.named.empty()) throw_usage("--from-cert" + needs);
}

void refuse_with_cms(const RawOptions& options) {
  const std::string cms = options.option("cms");
  const auto refuse = [&](bool given, const std::string& what, const char* why) {
    if (given) throw_usage(fmt::format("{} does not go with {}: {}", what, cms, why));
  };
  refuse(!options.cipher.empty() || options.iv || options.padding, "a cipher, an iv or a padding",
         "a message names its own");
  refuse(options.sector_size || options.sector_offset || options.iv_large_sectors, "a sector", "a message has none");
  refuse(options.openssl, options.option("openssl"), "that is another format");
  refuse(options.find_all, options.option("auto"), "a message says all of that itself");
  refuse(options.base64, options.secrets.prefix.empty() ? "-a" : options.option("base64"), "base64 is found");
  const bool derives = options.digest || options.pbkdf2 || options.no_pbkdf2 || options.num_iterations || options.no_salt ||
                       options.salt || options.salt_bytes;
  refuse(derives, "what derives a key for `openssl enc`", "a message says how its key follows from a passphrase");
  refuse(options.in_place.has_value(), "--in-place", "a message is longer than what it holds");
  refuse(options.iv_prefix, "--iv-prefix", "a message names its iv");
  refuse(options.range.has_value(), "--range", "a message is read from its beginning");
  refuse_aead_options(options.aead);
}

CmsKeys read_private_key_of(const RawOptions& options) {
  const SecretSource& source = options.cms.private_key.named.front();
  const SecretBytes content = read_text_file(options.cms.private_key, source);
  SecretBytes certificate;
  if (!options.cms.certificate.named.empty())
    certificate = read_text_file(options.cms.certificate, options.cms.certificate.named.front());
  try {
    return keys_of_files(content, certificate, [&] { return read_passphrase(options.secrets, false); });
  } catch (const Error& error) {
    const bool is_about_content = error.code() == ErrorCode::format || error.code() == ErrorCode::wrong_key;
    if (!is_about_content) throw;
    throw Error(error, message_name_of(options.cms.private_key, source) + ": " + error.what());
  }
}

// A key of any size that a recipient may have.
std::vector<SecretBytes> read_wrapping_keys(const RawOptions& options, const CmsFront& front) {
  const std::vector<std::size_t> sizes = sizes_of_keys(front);
  std::vector<SecretBytes> keys;
  if (sizes.size() == 1) {
    keys.push_back(read_key(options.secrets, sizes.front(), SecretUse::opens));
  } else if (!sizes.empty()) {
    for (SizedKey& sized : read_keys(options.secrets, options.secrets.named.front(), sizes))
      keys.push_back(std::move(sized.key));
  }
  if (keys.empty()) keys.emplace_back();  // which opens nothing, and what the message has says why
  return keys;
}

void require_one_secret(const RawOptions& options) {
  check_sources(options.secrets);
  if (options.cms.private_key.named.size() > 1) throw_usage("more than one private key is given: keep one");
  if (!options.cms.private_key.named.empty() && options.secrets.names_key())
    throw_usage("a private key and another key are given: keep one of them");
  if (options.cms.private_key.named.empty() && !options.cms.certificate.named.empty())
    throw_usage("--from-cert goes with " + options.option("private-key-file") + ": a certificate alone opens nothing");
}

}  // namespace

void add_cms_options(CLI::App& command, CmsOptions& options, const MessageOptions& messages) {
  constexpr const char* group = "Other formats";
  const auto warn = [&messages](const std::string& warning) { print_note(warning, messages.quiet); };
  options.private_key.warn = options.certificate.warn = warn;
  options.certificate.prefix = "from-";
  const auto mark_here = [&](CLI::Option* option) {  // the screen of `migrate` has no room
    if (options.private_key.prefix.empty()) mark_common(option);
  };
  mark_here(
      command
          .add_flag(options.private_key.option("cms"), options.is_given, "IN is an encrypted message: DER, PEM or a mail")
          ->group(group));
  const auto add = [&](SecretSources& sources, SecretKind kind, const char* description, const char* type) {
    const auto keep = [&sources, kind](const std::string& place) { sources.named.emplace_back(kind, place); };
    return command.add_option_function<std::string>(sources.option(option_name_of(kind)), keep, description)
        ->trigger_on_parse()
        ->type_name(type)
        ->group(group);
  };
  mark_here(add(options.private_key, SecretKind::private_key_file,
                "a private key: PEM, DER or PKCS #12; a passphrase option is for it", "FILE"));
  add(options.private_key, SecretKind::private_key_fd, "the same, from a file descriptor", "N")
      ->transform(whole_number(0, std::numeric_limits<int>::max()));
  add(options.certificate, SecretKind::certificate_file, "its certificate, which tells the recipient", "FILE");
}

void check_cms_options(const RawOptions& options) {
  options.cms.is_given ? refuse_with_cms(options) : refuse_without_cms(options);
}

CmsKeys read_keys_of_messages(const RawOptions& options) {
  require_one_secret(options);
  if (!options.cms.private_key.named.empty()) return read_private_key_of(options);
  CmsKeys keys;
  if (options.secrets.names_key()) {
    for (SizedKey& sized : read_keys(options.secrets, options.secrets.named.front(), {32, 24, 16, 8}))
      keys.wrapping_keys.push_back(std::move(sized.key));
  } else if (options.secrets.names_passphrase()) {
    keys.passphrase.emplace(read_passphrase(options.secrets, false));
  } else {
    throw_usage(fmt::format("messages are not opened without a key: give {}, {} or {}", options.option("private-key-file"),
                            options.option("key-file"), options.option("passphrase-file")));
  }
  return keys;
}

CmsKeys read_cms_keys(const RawOptions& options, const CmsFront& front, const std::string& name) {
  const SecretSources& secrets = options.secrets;
  require_one_secret(options);
  if (!options.cms.private_key.named.empty()) return read_private_key_of(options);
  CmsKeys keys;
  if (secrets.names_key()) {
    keys.wrapping_keys = read_wrapping_keys(options, front);
  } else if (secrets.names_passphrase() ||
             (has_recipient(front, RecipientKind::passphrase) && front.recipients.size() == 1)) {
    keys.passphrase.emplace(read_passphrase(secrets, false));
  } else {
    throw_usage(fmt::format("{} is not opened without a key: give {}, {} or {}, as its recipients have them", name,
                            options.option("private-key-file"), options.option("key-file"),
                            options.option("passphrase-file")));
  }
  return keys;
}

}  // namespace phalanx
