#include "engine/library/names/aliases.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "engine/library/names/dm_crypt_name.hpp"
#include "engine/modes/mode_facts.hpp"
#include "engine/modes/named_cipher.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/suggestion.hpp"

namespace phalanx {
namespace {

struct OpensslName {
  std::string_view name;
  std::string_view meaning;
};

// As `openssl enc -list` shows them; the two ECB ones are aliases in libcrypto's object table.
constexpr OpensslName openssl_names[] = {
    {"des", "des-cbc"},        {"des-ede", "des-ede-ecb"}, {"des-ede3", "des-ede3-ecb"}, {"des3", "des-ede3-cbc"},
    {"aes128", "aes-128-cbc"}, {"aes192", "aes-192-cbc"},  {"aes256", "aes-256-cbc"},
};

// The ciphers themselves too: what one lacks then, the next message says.
std::vector<std::string> our_names(bool is_aead) {
  std::vector<std::string> names;
  for (const CipherSpec& cipher : all_ciphers()) {
    if (!is_aead) names.emplace_back(cipher.name);
    for (const ModeFacts& facts : mode_facts) {
      const bool fits = is_mode_of(cipher, facts.mode) && (!is_aead || facts.is_aead);
      if (fits) names.push_back(full_name({&cipher, facts.mode}));
    }
  }
  if (is_aead) names.emplace_back(xaes_name);
  return names;
}

bool is_digit(char character) { return character >= '0' && character <= '9'; }

bool has_any(std::string_view name, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [name](std::string_view part) { return name.find(part) != name.npos; });
}

// Returns "128" for "aes-128-cbc": the first number of three digits or more, or "".
std::string size_in(const std::string& name) {
  for (auto at = std::ranges::find_if(name, is_digit); at != name.end(); at = std::find_if(at, name.end(), is_digit)) {
    const auto end = std::find_if_not(at, name.end(), is_digit);
    const bool is_of_mode = std::string_view(name.begin(), at).ends_with("cfb");  // "CFB128" is of segments
    if (end - at >= 3 && !is_of_mode) return {at, end};
    at = end;
  }
  return "";
}

// Returns "aes256cfb8" for "AES-256/CFB_8".
std::string letters_and_digits_of(const std::string& name) {
  std::string kept;
  std::ranges::copy_if(name, std::back_inserter(kept), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); });
  return kept;
}

// Ciphers, blocks and modes that we do not have: whatever of ours is near to such a name is something else.
constexpr std::string_view foreign_ciphers[] = {
    "aria",        "blowfish",    "camellia",    "cast",        "chacha", "desx",  "gost", "idea",
    "kasumi",      "kuznyechik",  "magma",       "misty",       "rc2",    "rc4",   "rc5",  "rc6",
    "rijndael160", "rijndael192", "rijndael224", "rijndael256", "safer",  "salsa", "seed", "simon",
    "sm4",         "skipjack",    "speck",       "threefish",   "xtea"};
constexpr std::string_view foreign_modes[] = {"adiantum", "cbccs", "cbcmac", "ccm", "cfb8", "cmac", "cts", "eax",  "essiv",
                                              "gmac",     "hctr",  "ige",    "lrw", "ocb",  "pcbc", "siv", "wrap", "xex"};

// "aes" of "aes-256".
std::string_view family_in(std::string_view cipher) { return cipher.substr(0, cipher.find('-')); }

bool is_foreign(const std::string& name) {
  const std::string kept = letters_and_digits_of(name);
  for (const std::string_view foreign : foreign_ciphers) {
    const auto is_ours = [foreign](const CipherSpec& cipher) { return family_in(cipher.name) == foreign; };
    if (kept.find(foreign) != kept.npos && std::ranges::none_of(all_ciphers(), is_ours)) return true;
  }
  if (has_any(kept, foreign_modes)) return true;
  if (name == "bf" || name.starts_with("bf-") || kept.ends_with("kw") || kept.ends_with("kwp")) return true;
  const std::size_t of_bits = kept.find("cfb1");  // and "cfb128" is CFB
  return of_bits != kept.npos && kept.compare(of_bits, 6, "cfb128") != 0;
}

// The name of ours that stands at its beginning, whole: "des-ede" in "des-ede-cbd".
std::string whole_cipher_in(const std::string& name) {
  std::string longest;
  for (const CipherSpec& cipher : all_ciphers()) {
    const std::string own(cipher.name);
    const bool is_whole = name == own || name.starts_with(own + '-');
    if (is_whole && own.size() > longest.size()) longest = own;
  }
  return longest;
}

// A cipher's name in ours, with the key's size where it says one: "aes_256/CBC" is of aes-256. "" where it says none.
std::string cipher_in(const std::string& name) {
  const std::string whole = whole_cipher_in(name);
  if (!whole.empty()) return whole;
  const auto has = [&](std::string_view part) { return name.find(part) != name.npos; };
  if (has("xaes")) return "xaes";
  const std::string size = size_in(name);
  const std::string bits = size.empty() ? "256" : size;
  if (has("rijndael")) return "aes-" + bits;
  for (const CipherSpec& cipher : all_ciphers()) {
    const std::string family(family_in(cipher.name));
    if (cipher.family != CipherFamily::des && has(family)) return family + '-' + bits;
  }
  constexpr std::string_view triple[] = {"3des", "des3", "ede3", "desede", "tripledes", "tdes", "tdea"};
  if (has_any(name, triple)) return "des-ede3";
  return name.starts_with("des") ? "des" : "";
}

// "" where it says none.
std::string mode_in(const std::string& name) {
  for (const char* mode : {"gcm", "cbc", "ctr", "cfb", "ofb", "xts", "ecb"}) {
    if (name.find(mode) != std::string::npos) return mode;
  }
  return "";
}

// "aes" of "aes-256": keys of another size are no other cipher.
std::string algorithm_of(const std::string& cipher) {
  return cipher.starts_with("des") ? cipher : std::string(family_in(cipher));
}

// Returns whether a name of ours is the typed one, as far as the typed name says a cipher and a mode.
bool is_of_the_same(const std::string& typed, const std::string& ours) {
  const std::string cipher = cipher_in(typed), mode = mode_in(typed);
  return (cipher.empty() || algorithm_of(cipher) == algorithm_of(cipher_in(ours))) &&
         (mode.empty() || mode == mode_in(ours));
}

// A volume's cipher has its key's size apart, which for XTS is that of two keys.
std::string about_dm_crypt(const DmCryptName& name) {
  if (!name.is_ours()) return " (it is dm-crypt's name, and has no other here)";
  const std::string family(family_in(name.cipher));
  return " (it is dm-crypt's name: it means " + family + "-256-xts under a key of 64 bytes, and " + family +
         "-128-xts under one of 32)";
}

}  // namespace

std::string_view openssl_meaning(std::string_view name) {
  const std::string lower = lower_case(name);
  const auto* const found = std::ranges::find(openssl_names, std::string_view(lower), &OpensslName::name);
  return found == std::end(openssl_names) ? std::string_view() : found->meaning;
}

std::string cipher_suggestion(std::string_view name, bool is_aead) {
  const std::string lower = lower_case(name);
  if (const auto of_volume = parse_dm_crypt_name(lower)) return about_dm_crypt(*of_volume);
  if (is_foreign(lower)) return "";
  const std::vector<std::string> names = our_names(is_aead);
  const bool is_of_java = lower.find('/') != std::string::npos;  // whose names are no misspelt ones of ours
  std::vector<std::string> near = is_of_java ? std::vector<std::string>() : nearest_of(lower, names);
  std::erase_if(near, [&lower](const std::string& ours) { return !is_of_the_same(lower, ours); });
  if (near.size() == 1) return " (did you mean " + near.front() + "?)";
  if (!near.empty()) return "";  // two that are equally near: the next is a guess
  const std::string mode = mode_in(lower).empty() && is_aead ? "gcm" : mode_in(lower);
  const std::string made = cipher_in(lower) + (mode.empty() ? "" : '-' + mode);
  return std::ranges::find(names, made) == names.end() ? "" : " (did you mean " + made + "?)";
}

}  // namespace phalanx
