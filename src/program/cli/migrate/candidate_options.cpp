#include "program/cli/migrate/candidate_options.hpp"

#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "files/migration/file_migration.hpp"
#include "files/system/file_descriptor.hpp"
#include "program/cli/options/raw_plan.hpp"
#include "program/cli/secrets/openssl_passphrase.hpp"

namespace phalanx {
namespace {

// Splits a list such as "des3,aes-256-cbc", and takes each word once.
std::vector<std::string> split(const std::string& list, const std::string& option) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string word = list.substr(begin, end - begin);
    if (word.empty()) throw Error(ErrorCode::usage, option + " has an empty name in its list: remove a comma");
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
    begin = end + 1;
  }
  return words;
}

// Says whether IN cannot be gone back in, to look for what opens it. A name that leads nowhere can still become a file.
bool is_stream(const std::string& in) {
  const std::optional<int> number = in.empty() || in == "-" ? std::optional(STDIN_FILENO) : inherited_descriptor(in);
  struct stat status {};
  if ((number ? fstat(*number, &status) : ::stat(in.c_str(), &status)) != 0) return false;
  return !S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode);
}

// Holds a secret that was named, and which of its kind it is.
struct CandidateSecret {
  SecretSource source{SecretKind::key_file, ""};
  bool asked = false;  // it is asked for on the terminal
  std::string label;   // "passphrase 2"
  bool is_key = false;
};

class CandidateList {
 public:
  explicit CandidateList(const RawOptions& from);
  Candidates read();

 private:
  struct Planned {
    MessagePlan plan;
    std::size_t secret;
  };

  void list_secrets();
  void plan(const std::string& cipher, std::size_t secret);
  [[nodiscard]] RawOptions options_for(const std::string& cipher, const CandidateSecret& secret) const;
  [[nodiscard]] std::vector<std::string> digests() const;
  [[nodiscard]] std::vector<bool> derivations() const;
  void add_passphrase(std::size_t number, Candidates& candidates);
  void add_keys(std::size_t number, Candidates& candidates);
  std::optional<std::size_t> keep(SecretBytes secret, bool is_key, Candidates& candidates);
  void add(const Planned& planned, std::size_t secret, const std::string& reading, Candidates& candidates) const;
  [[nodiscard]] std::string name_of(const Planned& planned, const std::string& reading, bool whole) const;

  RawOptions from_;
  std::vector<std::string> ciphers_;
  std::vector<CandidateSecret> secrets_;
  std::vector<Planned> planned_;
  std::vector<bool> is_key_;  // of each secret that was kept
};

CandidateList::CandidateList(const RawOptions& from) : from_(from) {
  from_.openssl = from.openssl || from.find_all;
  from_.secrets.hint_of_size = hint_of_key_size(from_);
  ciphers_ = split(from.cipher, from.option("cipher"));
  list_secrets();
  if (secrets_.size() == 1 && secrets_.front().asked && secrets_.front().is_key && ciphers_.size() > 1) {
    throw Error(ErrorCode::usage, "a key that is typed is of one cipher: give " + from.option("key-file"));
  }
  for (std::size_t secret = 0; secret < secrets_.size(); ++secret) {
    for (const std::string& cipher : ciphers_) plan(cipher, secret);
  }
}

void CandidateList::list_secrets() {
  std::size_t num_keys = 0, num_passphrases = 0;
  for (const SecretSource& source : from_.secrets.named) {
    const bool is_key = !source.is_passphrase();
    const std::size_t number = is_key ? ++num_keys : ++num_passphrases;
    secrets_.push_back({.source = source,
                        .asked = false,
                        .label = (is_key ? "key " : "passphrase ") + std::to_string(number),
                        .is_key = is_key});
  }
  if (!secrets_.empty()) return;
  CandidateSecret& asked = secrets_.emplace_back();
  asked.asked = true;
  asked.is_key = !from_.openssl;
}

// Where there are keys and passphrases, an iv goes with the keys, and the derivation's options with the passphrases.
RawOptions CandidateList::options_for(const std::string& cipher, const CandidateSecret& secret) const {
  RawOptions options = from_;
  options.cipher = cipher;
  options.secrets.named.clear();
  if (!secret.asked) options.secrets.named.push_back(secret.source);
  if (!from_.secrets.names_key() || !from_.secrets.names_passphrase()) return options;
  if (secret.is_key) {
    options.digest.reset();
    options.num_iterations.reset();
    options.pbkdf2 = options.no_pbkdf2 = options.no_salt = false;
    options.salt.reset();
    options.salt_bytes.reset();
  } else {
    options.iv.reset();
    options.iv_prefix = false;
  }
  return options;
}

std::vector<std::string> CandidateList::digests() const {
  const bool all = from_.digest ? *from_.digest == "auto" : from_.find_all;
  if (all) return {std::begin(digest_search_order), std::end(digest_search_order)};
  return split(from_.digest.value_or("sha256"), from_.option("md"));
}

// Says whether each derivation is PBKDF2. It is tried beside the other only where it was allowed, since it is slow.
std::vector<bool> CandidateList::derivations() const {
  const bool asked = from_.pbkdf2 || from_.num_iterations;
  if (from_.find_all && asked && !from_.no_pbkdf2) return {false, true};
  return {asked};
}

void CandidateList::plan(const std::string& cipher, std::size_t secret) {
  RawOptions options = options_for(cipher, secrets_[secret]);
  const bool derives = from_.openssl && !secrets_[secret].is_key;
  if (derives) options.digest = digests().front();
  const MessagePlan plan = plan_raw(options, Direction::decrypt);
  check_sectors(plan, from_.option("sector-size"));
  if (!derives) {
    planned_.push_back({plan, secret});
    return;
  }
  for (const std::string& digest : digests()) {
    options.digest = digest;
    for (const bool pbkdf2 : derivations()) {
      Planned& planned = planned_.emplace_back(Planned{plan_raw(options, Direction::decrypt), secret});
      planned.plan.openssl.derivation.pbkdf2 = pbkdf2;
    }
  }
}

std::string CandidateList::name_of(const Planned& planned, const std::string& reading, bool whole) const {
  const MessagePlan& plan = planned.plan;
  std::string name;
  const auto say = [&](bool varies, const std::string& part) {
    if (varies || whole) name += (name.empty() ? "" : ", ") + part;
  };
  const bool several_digests = digests().size() > 1, several_derivations = derivations().size() > 1;
  say(ciphers_.size() > 1, full_name(plan.cipher));
  if (plan.from_passphrase) {
    say(several_digests, plan.openssl.derivation.digest);
    if (plan.openssl.derivation.pbkdf2) say(several_derivations, "PBKDF2");
  }
  const std::string secret = secrets_.size() > 1 ? secrets_[planned.secret].label : reading.empty() ? "" : "the passphrase";
  if (!secret.empty()) say(true, secret + (reading.empty() ? "" : " " + reading));
  return name;
}

void CandidateList::add(const Planned& planned, std::size_t secret, const std::string& reading,
                        Candidates& candidates) const {
  candidates.list.push_back({.plan = planned.plan,
                             .secret = secret,
                             .name = name_of(planned, reading, false),
                             .whole_name = name_of(planned, reading, true)});
}

// Keeps a secret, and returns its place. Returns nothing for one that was given before: that is no other candidate, and
// would make every file doubtful.
std::optional<std::size_t> CandidateList::keep(SecretBytes secret, bool is_key, Candidates& candidates) {
  for (std::size_t i = 0; i < candidates.secrets.size(); ++i) {
    const SecretBytes& other = candidates.secrets[i];
    if (is_key_[i] != is_key || other.size() != secret.size()) continue;
    if (CRYPTO_memcmp(other.data(), secret.data(), secret.size()) == 0) return std::nullopt;
  }
  candidates.secrets.push_back(std::move(secret));
  is_key_.push_back(is_key);
  return candidates.secrets.size() - 1;
}

void CandidateList::add_passphrase(std::size_t number, Candidates& candidates) {
  SecretSources sources = from_.secrets;
  sources.named.clear();
  if (!secrets_[number].asked) sources.named.push_back(secrets_[number].source);
  std::vector<PassphraseReading> readings = read_openssl_passphrases(sources, SecretUse::opens);
  if (readings.size() > 1 && is_stream(from_.in)) {
    if (from_.secrets.warn) from_.secrets.warn(about_one_reading(readings.front()));
    readings.erase(readings.begin() + 1, readings.end());
    readings.front().name.clear();
  }
  for (PassphraseReading& reading : readings) {
    const std::optional<std::size_t> kept = keep(std::move(reading.passphrase), false, candidates);
    for (const Planned& planned : planned_) {
      if (kept && planned.secret == number) add(planned, *kept, reading.name, candidates);
    }
  }
}

void CandidateList::add_keys(std::size_t number, Candidates& candidates) {
  std::vector<std::size_t> sizes;
  for (const Planned& planned : planned_) {
    const std::size_t size = key_bytes(planned.plan.cipher);
    if (planned.secret == number && std::ranges::find(sizes, size) == sizes.end()) sizes.push_back(size);
  }
  const CandidateSecret& secret = secrets_[number];
  std::vector<SizedKey> keys;
  if (sizes.size() > 1) {
    keys = read_keys(from_.secrets, secret.source, sizes);
  } else {
    SecretSources sources = from_.secrets;
    sources.named.clear();
    if (!secret.asked) sources.named.push_back(secret.source);
    keys.push_back({sizes.front(), read_key(sources, sizes.front(), SecretUse::opens)});
  }
  if (keys.size() == 1 && !keys.front().warning.empty()) from_.secrets.warn(keys.front().warning);
  for (SizedKey& sized : keys) {
    const std::optional<std::size_t> kept = keep(std::move(sized.key), true, candidates);
    for (const Planned& planned : planned_) {
      const bool fits = planned.secret == number && key_bytes(planned.plan.cipher) == sized.key_bytes;
      if (kept && fits) add(planned, *kept, "", candidates);
    }
  }
}

Candidates CandidateList::read() {
  Candidates candidates;
  for (std::size_t number = 0; number < secrets_.size(); ++number) {
    secrets_[number].is_key ? add_keys(number, candidates) : add_passphrase(number, candidates);
  }
  candidates.find_base64 = from_.find_all && !from_.base64;
  candidates.find_salt = from_.find_all && !from_.no_salt && !from_.salt;
  return candidates;
}

// A session key would be that of one message.
OpenPgpKeys read_openpgp_keys(const RawOptions& from) {
  refuse_cipher_options(from, from.option("openpgp"), "each message says all");
  if (from.secrets.names_key())
    throw Error(ErrorCode::usage, "a key does not open messages of OpenPGP: give " + from.option("passphrase-file"));
  OpenPgpKeys keys;
  keys.allowing = "phalanx raw decrypt --openpgp --allow-unauthenticated is there";
  keys.session_key_words = "its session key to phalanx raw decrypt --openpgp";
  keys.passphrase.emplace(read_passphrase(from.secrets, false));
  return keys;
}

}  // namespace

Candidates read_candidates(const RawOptions& from) {
  if (from.cms.is_given) return make_cms_candidates(from.engine.library_options(), read_keys_of_messages(from));
  if (from.openpgp.is_given) return make_openpgp_candidates(from.engine.library_options(), read_openpgp_keys(from));
  return CandidateList(from).read();
}

}  // namespace phalanx
