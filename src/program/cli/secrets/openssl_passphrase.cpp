#include "program/cli/secrets/openssl_passphrase.hpp"

#include <algorithm>
#include <string_view>

#include "files/foreign/search/candidates.hpp"
#include "files/foreign/search/find_candidate.hpp"
#include "program/cli/console/messages.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_openssl_bytes = 1023;  // app_get_pass() of OpenSSL has room for these and a zero byte

PassphraseReading as_openssl_reads(const FirstLine& line) {
  const Bytes start = Bytes(line.bytes).first(std::min(line.bytes.size(), most_openssl_bytes));
  const auto zero = std::find(start.begin(), start.end(), std::uint8_t{0});
  const Bytes taken = start.first(static_cast<std::size_t>(zero - start.begin()));
  std::string what = "with its CR";
  if (taken.size() < line.bytes.size()) what = "its first " + std::to_string(most_openssl_bytes) + " bytes";
  if (taken.size() < start.size()) what = "up to its zero byte";
  return {SecretBytes(taken), what + ", as openssl -pass reads it"};
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
  const Bytes first = readings.front().passphrase, whole = line.without_end();
  if (std::ranges::equal(first, whole)) {
    readings.front().name.clear();
  } else {
    readings.push_back({SecretBytes(whole), "as the line without its end"});
  }
  return readings;
}

std::string about_one_reading(const PassphraseReading& reading) {
  return "the passphrase is taken " + reading.name +
         "; where that is wrong, name a file as IN, and the line without its end is tried too";
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
  print_note("the passphrase is taken " + reading + ", since neither that nor the line without its end is seen to open " +
                 input.name(),
             quiet);
  return candidates;
}

}  // namespace phalanx
