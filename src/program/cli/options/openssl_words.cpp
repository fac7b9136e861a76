#include "program/cli/options/openssl_words.hpp"

#include <algorithm>
#include <iterator>
#include <phalanx/error.hpp>
#include <string_view>
#include <vector>

#include "files/foreign/foreign_cipher.hpp"

namespace phalanx {
namespace {

constexpr std::string_view flags_of_openssl[] = {"-in", "-out", "-d", "-e", "-salt", "-nosalt", "-nopad"};

// Says whether a word is a flag such as "-des3" or "-aes-256-cbc".
bool is_cipher_flag(std::string_view word) {
  if (word.size() < 4 || !word.starts_with('-') || word.starts_with("--")) return false;
  try {
    static_cast<void>(parse_openssl_cipher_name(word.substr(1)));
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

// Returns the command with what stands for these words. "..." is the secret and what else is needed.
std::string our_line(std::string_view command, std::string_view below, const std::string& cipher) {
  if (command == "migrate")
    return "phalanx migrate --from-auto --from-cipher " + (cipher.empty() ? "NAME" : cipher) + " ... IN OUT";
  if (command != "raw" && cipher.empty()) return "phalanx " + std::string(command) + " ... IN OUT";
  const std::string way(command == "raw" ? below : command);
  return "phalanx raw " + (way == "encrypt" ? way : "decrypt") + " --openssl --cipher " +
         (cipher.empty() ? "NAME" : cipher) + " ... IN OUT";
}

}  // namespace

std::string describe_openssl_words(std::span<char* const> arguments) {
  std::vector<std::string> words;
  std::string cipher;
  for (const std::string_view word : arguments) {
    if (word == "--") break;
    const bool is_flag = std::ranges::find(flags_of_openssl, word) != std::end(flags_of_openssl);
    if (!is_flag && !is_cipher_flag(word)) continue;
    if (!is_flag) cipher = word.substr(1);
    if (std::ranges::find(words, word) == words.end()) words.emplace_back(word);
  }
  if (words.empty()) return "";
  const std::string_view below = arguments.size() > 1 ? arguments[1] : "";
  return listed(words) + (words.size() == 1 ? " is" : " are") + " OpenSSL's: here it is " +
         our_line(arguments.front(), below, cipher);
}

}  // namespace phalanx
