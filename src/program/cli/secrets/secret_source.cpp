#include "program/cli/secrets/secret_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <phalanx/error.hpp>
#include <string_view>
#include <utility>

#include "engine/text/hex.hpp"
#include "files/system/file_descriptor.hpp"
#include "program/cli/secrets/source_names.hpp"
#include "program/cli/secrets/terminal_prompt.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_text_file_bytes = std::size_t{1} << 20;
constexpr std::size_t most_whole_key_bytes = std::size_t{8} << 20;  // as cryptsetup reads of a key file

// Returns a question such as "Key", or "Old key" and "New key" where there are both.
std::string question_for(const SecretSources& sources, const char* capital, const char* small) {
  if (sources.prefix.empty()) return capital;
  return (sources.prefix == "add-" ? "New " : "Old ") + std::string(small);
}

std::string_view as_text(const SecretBytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

SecretBytes key_from_digits(std::string_view digits, std::size_t key_bytes, const std::string& name) {
  if (digits.ends_with('\n')) digits.remove_suffix(1);
  if (digits.ends_with('\r')) digits.remove_suffix(1);
  SecretBytes key(key_bytes);
  decode_hex(digits, name, key);
  return key;
}

// Returns why the bytes are hardly a key, or "" where they may well be one.
std::string doubt_of_key(const SecretSources& sources, Bytes key, const std::string& name) {
  if (sources.raw_key || !are_hex_digits({reinterpret_cast<const char*>(key.data()), key.size()})) return "";
  return name + " holds " + std::to_string(key.size()) + " hex digits and no line end";
}

std::string warning_of_key(const std::string& doubt) {
  return doubt.empty() ? ""
                       : "warning: " + doubt + ": they are taken for the bytes of a key, which has half of its bits then";
}

SecretBytes checked_key(const SecretSources& sources, SecretBytes key, const std::string& name, SecretUse use) {
  const std::string doubt = doubt_of_key(sources, key, name);
  if (doubt.empty()) return key;
  if (use == SecretUse::seals) {
    const std::string advice =
        sources.how_to_take_raw.empty() ? sources.option("raw-key") + " takes them as they are" : sources.how_to_take_raw;
    throw Error(ErrorCode::usage, doubt + ", which as the bytes of a key are half of its bits: give " +
                                      std::to_string(2 * key.size()) + " digits and a line end, or other bytes; " + advice);
  }
  if (sources.warn) sources.warn(warning_of_key(doubt));
  return key;
}

// `count` is what a file of other bytes is said to hold. A file of hex digits is said to hold digits.
[[noreturn]] void throw_wrong_size(const SecretSources& sources, const std::string& name, const SecretBytes& content,
                                   const std::string& count, std::size_t key_bytes) {
  const std::string digits = describe_hex_text(as_text(content));
  const bool is_read_whole = content.size() <= 2 * key_bytes + 2;
  std::string found = digits.empty() ? count : digits;
  if (!digits.empty() && !is_read_whole)
    found = count + " of hex digits" + digits.substr(std::min(digits.find(", with"), digits.size()));
  throw Error(ErrorCode::usage, name + " holds " + found + ": the key is " + std::to_string(key_bytes) + " bytes, or " +
                                    std::to_string(2 * key_bytes) + " hex digits and a line end" + sources.hint_of_size);
}

Bytes digits_of_variable(const SecretSources& sources, const SecretSource& source, const std::string& name) {
  if (source.variable != nullptr) return *source.variable;
  throw Error(ErrorCode::usage, "the " + name + " is not set: export it with the key in hex, and give its name as " +
                                    sources.option("key-env") + ", never the key");
}

SecretBytes key_from_terminal(const SecretSources& sources, std::size_t key_bytes, SecretUse use) {
  const std::string question = question_for(sources, "Key", "key") + ", " + std::to_string(2 * key_bytes) + " hex digits";
  const std::string instead = key_options(sources);
  const bool twice = use == SecretUse::seals;
  const SecretBytes line = twice ? prompt_secret_twice(question, instead) : prompt_secret(question, instead);
  return key_from_digits(as_text(line), key_bytes, "the key");
}

// Opens a source. The user is warned of a file that others may read.
FileDescriptor open_source(const SecretSources& sources, const SecretSource& source, const std::string& name) {
  if (source.descriptor) return duplicate(*source.descriptor, name);
  FileDescriptor file(call_again([&] { return ::open(source.place.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY); }));
  if (!file.is_open()) {
    const char* const why = ", which is not repeated here since it may be the secret itself";
    throw_system_error("open", "the " + name + (may_be_repeated(source) ? "" : why));
  }
  struct stat status {};
  const bool is_file = fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
  if (is_file && !source.is_public() && (status.st_mode & (S_IRGRP | S_IROTH)) != 0 && sources.warn)
    sources.warn("warning: others than you may read the " + name + ": chmod go-rwx it");
  return file;
}

// Reads a key's source as far as keys of so many bytes may go, with their digits and CRLF, and a byte more.
SecretBytes read_key_content(const SecretSources& sources, const SecretSource& source, const std::string& name,
                             std::size_t key_bytes) {
  if (source.kind == SecretKind::key_env) return SecretBytes(digits_of_variable(sources, source, name));
  SecretBytes content(2 * key_bytes + 3);
  content.shrink(read_until_full(open_source(sources, source, name).get(), content, name));
  return content;
}

bool is_line_of_digits(std::string_view text, std::size_t num_digits) {
  const bool ended = text.size() == num_digits || text.substr(num_digits) == "\n" || text.substr(num_digits) == "\r\n";
  return ended && are_hex_digits(text.substr(0, num_digits));
}

// Says whether a file has more than line ends behind its first line. A descriptor or a pipe may be read further by another
// program.
bool has_more_lines(const SecretSource& source, int descriptor, const std::string& name) {
  constexpr std::size_t looked_at_bytes = 4096;
  struct stat status {};
  if (source.descriptor || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  SecretBytes rest(looked_at_bytes);
  rest.shrink(read_until_full(descriptor, rest, name));
  return as_text(rest).find_first_not_of("\r\n") != std::string_view::npos;
}

FirstLine line_of(const SecretSources& sources, const SecretSource& source, SecretUse use) {
  const std::string name = message_name_of(sources, source);
  const FileDescriptor file = open_source(sources, source, name);
  FirstLine line = read_first_line(file.get(), name);
  if (!sources.warn) return line;
  if (has_more_lines(source, file.get(), name))
    sources.warn("warning: the " + name + " has more lines, and only the first is taken: give each a file and an option");
  if (use == SecretUse::opens && line.without_end().empty())
    sources.warn("warning: the passphrase is empty: nothing stands in the first line of " + name);
  return line;
}

SecretBytes read_whole(const SecretSources& sources, const SecretSource& source, std::size_t most_bytes) {
  const std::string name = message_name_of(sources, source);
  const FileDescriptor file = open_source(sources, source, name);
  SecretBytes content(4096);
  for (std::size_t size = 0;;) {
    size += read_until_full(file.get(), MutableBytes(content).subspan(size), name);
    if (size > most_bytes)
      throw Error(ErrorCode::usage, name + " is longer than " + std::to_string(most_bytes >> 20) + " MiB: is it that file?");
    if (size < content.size()) {
      content.shrink(size);
      return content;
    }
    SecretBytes more(2 * size);
    std::copy(content.begin(), content.end(), more.begin());
    content = std::move(more);
  }
}

}  // namespace

SecretSource::SecretSource(SecretKind of_kind, std::string at_place) : kind(of_kind), place(std::move(at_place)) {
  if (is_descriptor(kind)) {
    descriptor = std::stoi(place);
  } else if (kind == SecretKind::key_env) {
    variable = take_variable(place);
  } else if (kind != SecretKind::recipient) {
    descriptor = place == "-" ? STDIN_FILENO : inherited_descriptor(place);
  }
}

std::string key_options(const SecretSources& sources) {
  return sources.option("key-file") + ", " + sources.option("key-fd") + " or " + sources.option("key-env");
}

std::string passphrase_options(const SecretSources& sources) {
  return sources.option("passphrase-file") + " or " + sources.option("passphrase-fd");
}

bool SecretSources::names_key() const { return std::ranges::any_of(named, &SecretSource::is_key); }

bool SecretSources::names_passphrase() const { return std::ranges::any_of(named, &SecretSource::is_passphrase); }

bool SecretSources::names_identity() const { return std::ranges::any_of(named, &SecretSource::is_identity); }

bool SecretSources::names_public_key() const { return std::ranges::any_of(named, &SecretSource::is_public); }

void check_sources(const SecretSources& sources) {
  if (sources.named.size() < 2) return;
  throw Error(ErrorCode::usage,
              "more than one secret is given: keep one of " + key_options(sources) + ", " + passphrase_options(sources));
}

SecretBytes read_secret(const SecretSources& sources, const SecretSource& source, std::size_t key_bytes, SecretUse use) {
  if (source.is_passphrase()) return SecretBytes(line_of(sources, source, use).without_end());
  const std::string name = message_name_of(sources, source);
  SecretBytes content = read_key_content(sources, source, name, key_bytes);
  if (source.kind != SecretKind::key_env) {
    const std::size_t most_bytes = 2 * key_bytes + 2;
    if (content.size() == key_bytes) return checked_key(sources, std::move(content), name, use);
    if (content.size() > most_bytes)
      throw_wrong_size(sources, name, content, "more than " + std::to_string(most_bytes) + " bytes", key_bytes);
    if (content.size() < 2 * key_bytes)
      throw_wrong_size(sources, name, content, std::to_string(content.size()) + " bytes", key_bytes);
  }
  return key_from_digits(as_text(content), key_bytes, name);
}

std::vector<SizedKey> read_keys(const SecretSources& sources, const SecretSource& source,
                                const std::vector<std::size_t>& sizes) {
  const std::string name = message_name_of(sources, source);
  const SecretBytes content = read_key_content(sources, source, name, *std::ranges::max_element(sizes));
  std::vector<SizedKey> keys;
  std::string wanted;
  for (const std::size_t size : sizes) {
    wanted += (wanted.empty() ? "" : " or ") + std::to_string(size);
    const bool in_digits = content.size() >= 2 * size && is_line_of_digits(as_text(content), 2 * size);
    if (source.kind != SecretKind::key_env && content.size() == size) {
      keys.push_back({size, SecretBytes(Bytes(content)), warning_of_key(doubt_of_key(sources, content, name))});
    }
    if (in_digits) keys.push_back({size, key_from_digits(as_text(content), size, name)});
  }
  if (!keys.empty()) return keys;
  throw Error(ErrorCode::usage, name + " holds no key of any of the ciphers: that would be " + wanted +
                                    " bytes, or twice as many hex digits and a line end" + sources.hint_of_size);
}

SecretBytes read_key(const SecretSources& sources, std::size_t key_bytes, SecretUse use) {
  if (!sources.named.empty()) return read_secret(sources, sources.named.front(), key_bytes, use);
  return key_from_terminal(sources, key_bytes, use);
}

SecretBytes read_passphrase(const SecretSources& sources, bool twice) {
  if (!sources.named.empty()) return read_secret(sources, sources.named.front(), 0, SecretUse::opens);
  const std::string question = question_for(sources, "Passphrase", "passphrase");
  const std::string instead = passphrase_options(sources);
  return twice ? prompt_secret_twice(question, instead) : prompt_secret(question, instead);
}

SecretBytes read_text_file(const SecretSources& sources, const SecretSource& source) {
  return read_whole(sources, source, most_text_file_bytes);
}

SecretBytes read_whole_key(const SecretSources& sources, const SecretSource& source) {
  if (source.kind != SecretKind::key_env) return read_whole(sources, source, most_whole_key_bytes);
  return SecretBytes(digits_of_variable(sources, source, message_name_of(sources, source)));
}

FirstLine read_passphrase_line(const SecretSources& sources, SecretUse use) {
  return line_of(sources, sources.named.front(), use);
}

}  // namespace phalanx
