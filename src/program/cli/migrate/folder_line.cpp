#include "program/cli/migrate/folder_line.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "program/cli/secrets/source_names.hpp"

namespace phalanx {
namespace {

// Quotes a word, so that a shell takes it for one.
std::string quoted(const std::string& word) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+,:@%=";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char character : word) text += character == '\'' ? "'\\''" : std::string(1, character);
  return text + "'";
}

std::string secrets_as_given(const SecretSources& sources, const std::string& otherwise) {
  std::string words;
  for (const SecretSource& source : sources.named)
    words += fmt::format(" {} {}", sources.option(option_name_of(source.kind)),
                         may_be_repeated(source) ? quoted(source.place) : "...");
  return words.empty() ? otherwise : words;
}

// Says whether the old files are described as bare messages, which say nothing of themselves.
bool is_of_bare_messages(const RawOptions& from) {
  if (from.openssl || from.find_all || from.cms.is_given || from.openpgp.is_given) return false;
  return from.iv || from.iv_prefix || from.padding || from.sector_size || from.sector_offset || from.secrets.names_key();
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// Returns " --strip-suffix .des3" for each ending that says how a file of the folder was encrypted, which its container
// should not keep. A large folder is looked at in part.
std::string suffixes_in(const std::string& folder) {
  constexpr std::string_view suffixes[] = {".enc",    ".des3",   ".3des",    ".des", ".aes",
                                           ".aes128", ".aes256", ".openssl", ".ssl"};
  constexpr int most_names = 10'000;
  std::string words;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(folder, error);
  for (int i = 0; !error && i < most_names && entry != std::filesystem::recursive_directory_iterator(); ++i) {
    const std::string suffix = entry->path().extension().string();
    const std::string option = " --strip-suffix " + suffix;
    const bool is_known = std::ranges::find(suffixes, suffix) != std::end(suffixes);
    if (is_known && (words + ' ').find(option + ' ') == std::string::npos) words += option;
    entry.increment(error);
  }
  return words;
}

std::string line_for(const MigrateOptions& options, const std::string& folders) {
  const RawOptions& from = options.from;
  if (from.cms.is_given) {
    return fmt::format("phalanx migrate {} --from-cms", folders) + secrets_as_given(from.secrets, "") +
           secrets_as_given(from.cms.private_key, "") + secrets_as_given(from.cms.certificate, "") +
           secrets_as_given(options.container.secrets, " --key-file NEW-KEY");
  }
  if (from.openpgp.is_given) {
    return fmt::format("phalanx migrate {} --from-openpgp", folders) +
           secrets_as_given(from.secrets, " --from-passphrase-file OLD-PASSPHRASE") +
           secrets_as_given(options.container.secrets, " --key-file NEW-KEY");
  }
  std::string line = fmt::format("phalanx migrate {} --from-auto --from-cipher {}", folders,
                                 quoted(from.cipher.empty() ? "des3" : from.cipher));
  if (from.digest) line += " --from-md " + quoted(*from.digest);
  if (from.num_iterations) line += fmt::format(" --from-iter {}", *from.num_iterations);
  if (from.pbkdf2 && !from.num_iterations) line += " --from-pbkdf2";
  if (options.given.strip_suffixes.empty()) line += suffixes_in(options.in);
  for (const std::string& suffix : options.given.strip_suffixes) line += " --strip-suffix " + quoted(suffix);
  return line + secrets_as_given(from.secrets, " --from-passphrase-file OLD-PASSPHRASE") +
         secrets_as_given(options.container.secrets, " --key-file NEW-KEY");
}

}  // namespace

void refuse_folder_as_in(const MigrateOptions& options) {
  struct stat status {};
  const bool is_named = !options.in.empty() && options.in != "-";
  if (!is_named || ::stat(options.in.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return;
  const std::string to = without_slashes(options.out.empty() || options.out == "-" ? "new" : options.out);
  const std::string folders =
      fmt::format("--manifest {} --from-tree {} --to-tree {}", quoted(options.manifest.value_or(to + ".jsonl")),
                  quoted(without_slashes(options.in)), quoted(to));
  if (is_of_bare_messages(options.from)) {
    throw Error(ErrorCode::usage,
                fmt::format("{} is a folder: for all files in it give {} in the place of IN and OUT", options.in, folders));
  }
  throw Error(ErrorCode::usage, fmt::format("{} is a folder; for all files in it, and with --dry-run first: {}", options.in,
                                            line_for(options, folders)));
}

}  // namespace phalanx
