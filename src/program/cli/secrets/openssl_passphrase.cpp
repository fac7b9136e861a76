#include "program/cli/secrets/openssl_passphrase.hpp"

#include <algorithm>
#include <string_view>

#include "files/foreign/search/candidates.hpp"
#include "files/foreign/search/find_candidate.hpp"
#include "program/cli/console/messages.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_openssl_bytes = 1023;  // app_get_pass() of OpenSSL has room for these and a zero byte
constexpr std::size_t most_kfile_bytes = 127;     // and so has enc.c of OpenSSL for -kfile

Bytes first_of(const FirstLine& line, std::size_t most_bytes) {
  return Bytes(line.bytes).first(std::min(line.bytes.size(), most_bytes));
}

Bytes up_to_zero(Bytes text) {
  const auto zero = std::find(text.begin(), text.end(), std::uint8_t{0});
  return text.first(static_cast<std::size_t>(zero - text.begin()));
}

PassphraseReading as_openssl_reads(const FirstLine& line) {
  const Bytes start = first_of(line, most_openssl_bytes);
  const Bytes taken = up_to_zero(start);
  std::string what = "with its CR";
  if (taken.size() < line.bytes.size()) what = "as its first " + std::to_string(most_openssl_bytes) + " bytes";
  if (taken.size() < start.size()) what = "up to its zero byte";
  return {SecretBytes(taken), what + ", as openssl -pass reads it"};
}

// openssl -kfile takes CRs and the LF off what it has room for, and then a zero byte ends it.
Bytes as_kfile_reads(const FirstLine& line) {
  Bytes taken = first_of(line, most_kfile_bytes);
  while (!taken.empty() && taken.back() == '\r') taken = taken.first(taken.size() - 1);
  return up_to_zero(taken);
}

void add_other(Bytes passphrase, const std::string& name, std::vector<PassphraseReading>& readings) {
  const auto is_same = [&](const PassphraseReading& other) {
    return std::ranges::equal(Bytes(other.passphrase), passphrase);
  };
  if (std::ranges::none_of(readings, is_same)) readings.push_back({SecretBytes(passphrase), name});
}

}  // namespace

std::vector<PassphraseReading> read_openssl_passphrases(const SecretSources& sources, SecretUse use) {
  std::vector<PassphraseReading> readings;
  if (sources.named.empty()) {
    readings.push_back({read_passphrase(sources, use == SecretUse::seals), ""});
    return readings;
  }
  const FirstLine line = read_passphrase_line(sources, use);
  readings.push_back(as_openssl_reads(line));
  const bool is_whole_line = std::ranges::equal(Bytes(readings.front().passphrase), line.without_end());
  if (is_whole_line) readings.front().name = "as the line without its end";
  add_other(line.without_end(), "as the line without its end", readings);
  const Bytes of_kfile = as_kfile_reads(line);
  if (!of_kfile.empty()) {
    const std::string what = "as its first " + std::to_string(of_kfile.size()) + " bytes";
    add_other(of_kfile, what + ", as openssl -kfile reads it", readings);
  }
  if (readings.size() == 1) readings.front().name.clear();
  return readings;
}

std::string about_one_reading(const PassphraseReading& reading) {
  return "the passphrase is taken " + reading.name +
         "; where that is wrong, name a file as IN, and the other ways to read it are tried too";
}

Candidates candidates_of(std::vector<PassphraseReading> readings, const MessagePlan& plan, const Input& input, bool quiet) {
  if (readings.size() > 1 && !input.remaining_bytes()) {
    print_note(about_one_reading(readings.front()), quiet);
    readings.resize(1);
    readings.front().name.clear();
  }
  Candidates candidates;
  for (PassphraseReading& reading : readings) {
    Candidates one = make_candidates(plan, std::move(reading.passphrase));
    for (Candidate& candidate : one.list) {
      candidate.secret = candidates.secrets.size();
      if (!reading.name.empty()) {
        candidate.name = "the passphrase " + reading.name + (candidate.name.empty() ? "" : ", " + candidate.name);
      }
      candidates.list.push_back(std::move(candidate));
    }
    candidates.secrets.push_back(std::move(one.secrets.front()));
  }
  return candidates;
}

Candidates first_reading_of(Candidates candidates, const Input& input, bool quiet) {
  constexpr std::string_view subject = "the passphrase ";
  const std::string reading = candidates.list.front().name.substr(subject.size());
  candidates.list.resize(1);
  print_note("the passphrase is taken " + reading + ", since no way to read it is seen to open " + input.name(), quiet);
  return candidates;
}

}  // namespace phalanx
