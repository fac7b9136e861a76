#include "cli/secrets/secret_source.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cli/console/messages.hpp"
#include "cli/secrets/terminal_prompt.hpp"
#include "files/file_descriptor.hpp"
#include "text/hex.hpp"

namespace phalanx {
namespace {

constexpr std::size_t longest_line_bytes = 4096;

// "Key", or "Old key" and "New key" where there are both.
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

[[noreturn]] void throw_wrong_size(const std::string& name, const std::string& found, std::size_t key_bytes) {
  throw Error(ErrorCode::usage, name + " holds " + found + ": the key is " + std::to_string(key_bytes) + " bytes, or " +
                                    std::to_string(2 * key_bytes) + " hex digits and a line end");
}

// "" where the bytes may well be a key.
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

SecretBytes key_from_descriptor(const SecretSources& sources, int descriptor, std::size_t key_bytes, const std::string& name,
                                SecretUse use) {
  const std::size_t most_bytes = 2 * key_bytes + 2;  // digits and CRLF
  SecretBytes content(most_bytes + 1);
  content.shrink(read_until_full(descriptor, content, name));
  if (content.size() == key_bytes) return checked_key(sources, std::move(content), name, use);
  if (content.size() > most_bytes) throw_wrong_size(name, "more than " + std::to_string(most_bytes) + " bytes", key_bytes);
  if (content.size() < 2 * key_bytes) throw_wrong_size(name, std::to_string(content.size()) + " bytes", key_bytes);
  return key_from_digits(as_text(content), key_bytes, name);
}

// The digits are wiped where they stand and the variable is removed: a child or /proc would show them.
SecretBytes take_from_environment(const SecretSources& sources, const std::string& variable) {
  char* digits = std::getenv(variable.c_str());
  const std::string name = "the variable " + variable;
  if (digits == nullptr) {
    throw Error(ErrorCode::usage, name + " of " + sources.option("key-env") + " is not set: export it with the key in hex");
  }
  const std::size_t num_digits = std::strlen(digits);
  SecretBytes copy(Bytes(reinterpret_cast<const std::uint8_t*>(digits), num_digits));
  wipe_memory(digits, num_digits);
  unsetenv(variable.c_str());
  return copy;
}

SecretBytes key_from_environment(const SecretSources& sources, const std::string& variable, std::size_t key_bytes) {
  return key_from_digits(as_text(take_from_environment(sources, variable)), key_bytes, "the variable " + variable);
}

SecretBytes key_from_terminal(const SecretSources& sources, std::size_t key_bytes, SecretUse use) {
  const std::string question = question_for(sources, "Key", "key") + ", " + std::to_string(2 * key_bytes) + " hex digits";
  const std::string instead = key_options(sources);
  const bool twice = use == SecretUse::seals;
  const SecretBytes line = twice ? prompt_secret_twice(question, instead) : prompt_secret(question, instead);
  return key_from_digits(as_text(line), key_bytes, "the key");
}

FileDescriptor open_secret_file(const std::string& path) {
  if (path == "-") return duplicate(STDIN_FILENO, "standard input");
  if (const auto number = inherited_descriptor(path)) return duplicate(*number, path);
  return open_file(path, O_RDONLY);
}

FirstLine read_line(int descriptor, const std::string& name) {
  FirstLine line{.bytes = SecretBytes(longest_line_bytes + 1)};
  std::size_t size = 0;
  const auto byte_at = [&](std::size_t place) { return line.bytes.data()[place]; };
  while (read_until_full(descriptor, MutableBytes(line.bytes).subspan(size, 1), name) == 1 && byte_at(size) != '\n') {
    if (++size != line.bytes.size()) continue;
    throw Error(ErrorCode::usage, name + ": the first line is longer than " + std::to_string(longest_line_bytes) + " bytes");
  }
  line.ends_with_crlf = byte_at(size) == '\n' && size > 0 && byte_at(size - 1) == '\r';
  line.bytes.shrink(size);
  return line;
}

FirstLine line_of(const SecretSources& sources, const SecretSource& source) {
  if (source.kind == SecretKind::passphrase_file) {
    return read_line(open_secret_file(source.place).get(), "passphrase file " + source.place);
  }
  return read_line(std::stoi(source.place), sources.option("passphrase-fd") + " " + source.place);
}

}  // namespace

std::string key_options(const SecretSources& sources) {
  return sources.option("key-file") + ", " + sources.option("key-fd") + " or " + sources.option("key-env");
}

std::string passphrase_options(const SecretSources& sources) {
  return sources.option("passphrase-file") + " or " + sources.option("passphrase-fd");
}

bool SecretSource::empties_standard_input() const {
  if (kind == SecretKind::key_fd) return place == "0";
  return kind == SecretKind::key_file && (place == "-" || inherited_descriptor(place) == STDIN_FILENO);
}

bool SecretSources::names_key() const {
  return std::any_of(named.begin(), named.end(), [](const SecretSource& source) { return !source.is_passphrase(); });
}

bool SecretSources::names_passphrase() const {
  return std::any_of(named.begin(), named.end(), [](const SecretSource& source) { return source.is_passphrase(); });
}

bool SecretSources::empties_standard_input() const {
  return std::any_of(named.begin(), named.end(), [](const SecretSource& source) { return source.empties_standard_input(); });
}

void add_secret_files(const SecretSources& sources, ProtectedFiles& needed) {
  for (const SecretSource& source : sources.named) {
    const std::string what = source.is_passphrase() ? "the passphrase file" : "the key file";
    if (source.kind == SecretKind::key_env) continue;
    if (source.kind == SecretKind::key_fd || source.kind == SecretKind::passphrase_fd) {
      needed.add_descriptor(std::stoi(source.place), what + " at descriptor " + source.place);
    } else if (source.place == "-") {
      needed.add_descriptor(STDIN_FILENO, what + " at standard input");
    } else {
      needed.add_path(source.place, what + " " + source.place);
    }
  }
}

void warn_of_readable_secrets(const SecretSources& sources, bool quiet) {
  for (const SecretSource& source : sources.named) {
    if (source.kind != SecretKind::key_file && source.kind != SecretKind::passphrase_file) continue;
    struct stat status {};
    if (source.place == "-" || inherited_descriptor(source.place) || ::stat(source.place.c_str(), &status) != 0) continue;
    if (!S_ISREG(status.st_mode) || (status.st_mode & (S_IRGRP | S_IROTH)) == 0) continue;
    const char* const what = source.is_passphrase() ? "passphrase file " : "key file ";
    print_note(std::string("warning: others than you may read the ") + what + source.place + ": chmod go-rwx it", quiet);
  }
}

void check_sources(const SecretSources& sources) {
  if (sources.named.size() < 2) return;
  throw Error(ErrorCode::usage,
              "more than one secret is given: keep one of " + key_options(sources) + ", " + passphrase_options(sources));
}

SecretBytes read_secret(const SecretSources& sources, const SecretSource& source, std::size_t key_bytes, SecretUse use) {
  const std::string& place = source.place;
  switch (source.kind) {
    case SecretKind::passphrase_file:
    case SecretKind::passphrase_fd:
      return SecretBytes(line_of(sources, source).without_end());
    case SecretKind::key_file:
      return key_from_descriptor(sources, open_secret_file(place).get(), key_bytes, "key file " + place, use);
    case SecretKind::key_fd:
      return key_from_descriptor(sources, std::stoi(place), key_bytes, sources.option("key-fd") + " " + place, use);
    case SecretKind::key_env:
      break;
  }
  return key_from_environment(sources, place, key_bytes);
}

namespace {

// What the source of a key holds, as far as a key may go, and a byte more.
SecretBytes read_key_content(const SecretSources& sources, const SecretSource& source, std::size_t most_bytes) {
  if (source.kind == SecretKind::key_env) return take_from_environment(sources, source.place);
  SecretBytes content(most_bytes + 1);
  const FileDescriptor file =
      source.kind == SecretKind::key_fd ? duplicate(std::stoi(source.place), source.place) : open_secret_file(source.place);
  content.shrink(read_until_full(file.get(), content, source.place));
  return content;
}

bool is_line_of_digits(std::string_view text, std::size_t num_digits) {
  const bool ended = text.size() == num_digits || text.substr(num_digits) == "\n" || text.substr(num_digits) == "\r\n";
  return ended && are_hex_digits(text.substr(0, num_digits));
}

}  // namespace

std::vector<SizedKey> read_keys(const SecretSources& sources, const SecretSource& source,
                                const std::vector<std::size_t>& sizes) {
  const std::size_t longest = *std::ranges::max_element(sizes);
  const SecretBytes content = read_key_content(sources, source, 2 * longest + 2);
  const std::string name = source.kind == SecretKind::key_env  ? "the variable " + source.place
                           : source.kind == SecretKind::key_fd ? sources.option("key-fd") + " " + source.place
                                                               : "key file " + source.place;
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
                                    " bytes, or twice as many hex digits and a line end");
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

FirstLine read_passphrase_line(const SecretSources& sources) { return line_of(sources, sources.named.front()); }

SecretBytes read_first_line(int descriptor, const std::string& name) {
  return SecretBytes(read_line(descriptor, name).without_end());
}

void protect_process_memory() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace phalanx
