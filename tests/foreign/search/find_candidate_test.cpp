// Which candidate the search takes, over small files made here in memory: by padding, by what the plaintext looks like, and by how the
// file is wrapped.
#include "files/foreign/search/find_candidate.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

using Names = std::vector<std::string>;

Buffer bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

const Buffer passphrase = bytes_of("old files"), other_passphrase = bytes_of("old habits");
const Buffer key = varied(32, 1), other_key = varied(32, 2), iv = varied(16, 3);
const Buffer text = bytes_of("This is a letter, in words that anybody may read.\nIt has a second line, and then it ends\n");

ForeignFormat of_passphrase(const std::string& digest, const Buffer& secret = passphrase) {
  ForeignFormat format;
  format.cipher = "aes-256-cbc";
  format.passphrase = secret;
  format.derivation.digest = digest;
  return format;
}

ForeignFormat of_key(const std::string& cipher, const Buffer& secret = key) {
  ForeignFormat format;
  format.cipher = cipher;
  format.key = secret;
  format.iv = iv;
  return format;
}

// One candidate for each format, called 0, 1, ...
Candidates candidates_of(const std::vector<ForeignFormat>& formats) {
  Candidates candidates;
  for (const ForeignFormat& format : formats) {
    const std::string name = std::to_string(candidates.list.size());
    candidates.secrets.emplace_back(format.key.empty() ? format.passphrase : format.key);
    candidates.list.push_back({.plan = plan_foreign(format, one_thread),
                               .secret = candidates.list.size(),
                               .name = name,
                               .whole_name = "way " + name});
  }
  return candidates;
}

// In memory: a search makes many.
Input file_of(Bytes content) {
  FileDescriptor file(memfd_create("old", MFD_CLOEXEC));
  write_at(file.get(), content, 0, "old");
  return {std::move(file), "old"};
}

class FindCandidate : public testing::Test {
 protected:
  KeyTrials trials;

  MatchedCandidate find(const Candidates& candidates, Bytes content) {
    Input input = file_of(content);
    MatchedCandidate found = find_candidate(candidates, input, trials);
    EXPECT_EQ(input.position(), 0U) << "the input stands where it stood";
    return found;
  }
  template <class Kind = UndecryptableFile>
  std::optional<ErrorCode> failure(const Candidates& candidates, Bytes content) {
    try {
      find(candidates, content);
    } catch (const Kind& error) {
      return error.code();
    }
    return std::nullopt;
  }
};

TEST_F(FindCandidate, TakesTheSecretWhosePaddingFits) {
  const std::vector<ForeignFormat> ways{of_passphrase("sha256"), of_passphrase("sha256", other_passphrase),
                                        of_passphrase("md5")};
  for (std::size_t right = 0; right < ways.size(); ++right) {
    const MatchedCandidate found = find(candidates_of(ways), encrypt_old(ways[right], varied(160, 4)));
    EXPECT_EQ(found.secret, right);
    EXPECT_EQ(found.with.candidate, std::to_string(right));
    EXPECT_EQ(found.with.found, "way " + std::to_string(right));
    EXPECT_EQ(found.with.padding_bytes, 16U);
    EXPECT_EQ(found.with.num_candidates, 3U);
    EXPECT_EQ(found.others.size(), 2U);
    EXPECT_EQ(found.with.also_fits, Names());
    EXPECT_NE(found.with.note.find("gives 16 bytes of padding"), std::string::npos) << found.with.note;
  }
}

TEST_F(FindCandidate, TriesTheDigestsOfOnePassphrase) {
  ForeignFormat format = of_passphrase("sha1");
  format.find_digest = true;
  const Candidates candidates = make_candidates(plan_foreign(format, one_thread), SecretBytes(passphrase));
  const MatchedCandidate found = find(candidates, encrypt_old(of_passphrase("sha1"), varied(64, 4)));
  EXPECT_EQ(found.with.candidate, "sha1");
  EXPECT_EQ(found.with.found, "aes-256-cbc, sha1");
  EXPECT_EQ(found.plan.openssl.derivation.digest, "sha1");
}

TEST_F(FindCandidate, RunsPbkdf2WhereNoOtherIsBeyondDoubt) {
  ForeignFormat slow = of_passphrase("sha256");
  slow.derivation.pbkdf2 = true;
  slow.derivation.num_iterations = 10;
  const Candidates candidates = candidates_of({of_passphrase("sha256"), slow, of_passphrase("md5")});
  const auto num_candidates = [&](const ForeignFormat& way, const Buffer& plain, const std::string& right) {
    const MatchedCandidate found = find(candidates, encrypt_old(way, plain));
    EXPECT_EQ(found.with.candidate, right);
    EXPECT_EQ(found.others.size(), found.with.num_candidates - 1);
    return found.with.num_candidates;
  };
  EXPECT_EQ(num_candidates(of_passphrase("md5"), text, "2"), 2U);
  EXPECT_EQ(num_candidates(of_passphrase("md5"), varied(160, 4), "2"), 3U);  // its padding fits, and it looks like nothing
  EXPECT_EQ(num_candidates(slow, text, "1"), 3U);
}

// Of messages that differ only in their last block, about one in 256 has padding under the wrong key too.
struct Chance {
  std::vector<ForeignFormat> ways;
  MatchedCandidate found;
  std::size_t right = 0;
};

class ChanceHits : public FindCandidate {
 protected:
  // The last block of `plain` is numbered.
  Chance until_another_fits(std::size_t right, Buffer plain, const std::vector<ForeignFormat>& ways) {
    const Candidates candidates = candidates_of(ways);
    for (unsigned number = 0; number < 10000; ++number) {
      plain[plain.size() - 2] = static_cast<std::uint8_t>('a' + number / 26 / 26 % 26);
      plain[plain.size() - 3] = static_cast<std::uint8_t>('a' + number / 26 % 26);
      plain[plain.size() - 4] = static_cast<std::uint8_t>('a' + number % 26);
      MatchedCandidate found = find(candidates, encrypt_old(ways[right], plain));
      if (found.with.also_fits.size() == 1) return {.ways = ways, .found = std::move(found), .right = right};
    }
    throw std::runtime_error("no chance hit");
  }
};

TEST_F(ChanceHits, HaveShorterPaddingThanTheRightKey) {
  const Chance chance = until_another_fits(1, varied(32 + 11, 5), {of_key("aes-256-cbc", other_key), of_key("aes-256-cbc")});
  EXPECT_EQ(chance.found.secret, 1U);
  EXPECT_EQ(chance.found.with.padding_bytes, 5U);
  EXPECT_EQ(chance.found.with.also_fits, Names{"way 0"});
  EXPECT_EQ(chance.found.with.other_padding_bytes, 1U);
  EXPECT_FALSE(chance.found.with.another_is_recognised);
  EXPECT_NE(chance.found.with.note.find("0 fits too, with 1"), std::string::npos) << chance.found.with.note;
}

TEST_F(ChanceHits, LoseAgainstAPlaintextThatIsRecognised) {
  const Buffer letter(text.begin(), text.begin() + 79);  // one byte of padding
  const Chance chance = until_another_fits(1, letter, {of_key("aes-256-cbc", other_key), of_key("aes-256-cbc")});
  EXPECT_EQ(chance.found.secret, 1U) << "though the other is named first";
  EXPECT_EQ(chance.found.with.padding_bytes, 1U);
  EXPECT_EQ(chance.found.with.other_padding_bytes, 1U);
  EXPECT_NE(chance.found.with.note.find("and a plaintext of a known kind"), std::string::npos) << chance.found.with.note;
}

TEST_F(ChanceHits, AreTakenForTheKeyWhereTheyAreNamedFirstAndNothingElseSpeaks) {
  const Chance chance = until_another_fits(1, varied(47, 6), {of_key("aes-256-cbc", other_key), of_key("aes-256-cbc")});
  EXPECT_EQ(chance.found.secret, 0U);
  EXPECT_EQ(chance.found.with.padding_bytes, 1U);
  EXPECT_EQ(chance.found.with.also_fits, Names{"way 1"});
}

TEST_F(FindCandidate, NeedsAPlaintextThatIsRecognisedWhereThereIsNoPadding) {
  const std::vector<ForeignFormat> ways{of_key("aes-256-ctr", other_key), of_key("aes-256-ctr")};
  const MatchedCandidate found = find(candidates_of(ways), encrypt_old(ways[1], text));
  EXPECT_EQ(found.secret, 1U);
  EXPECT_EQ(found.with.padding_bytes, 0U);
  EXPECT_NE(found.with.note.find("gives a plaintext of a known kind"), std::string::npos) << found.with.note;
  EXPECT_EQ(failure(candidates_of(ways), encrypt_old(ways[1], varied(200, 7))), ErrorCode::wrong_key);
}

TEST_F(FindCandidate, TellsOfAnotherWhosePlaintextIsRecognisedToo) {
  const std::vector<ForeignFormat> ways{of_key("aes-256-ctr"), of_key("aes-256-ctr")};
  const MatchedCandidate found = find(candidates_of(ways), encrypt_old(ways[1], text));
  EXPECT_EQ(found.secret, 0U);
  EXPECT_EQ(found.with.also_fits, Names{"way 1"});
  EXPECT_TRUE(found.with.another_is_recognised);
}

TEST_F(FindCandidate, CountsAFailureOfEachCandidateWhereNoneOpens) {
  const std::vector<ForeignFormat> ways{of_passphrase("sha256"), of_passphrase("md5")};
  KeyEvidence two_bytes;
  two_bytes.with.num_candidates = 1;
  two_bytes.with.padding_bytes = 2;
  const Buffer old = encrypt_old(of_passphrase("sha512", other_passphrase), varied(160, 8));
  for (int i = 0; i < 65; ++i) EXPECT_EQ(failure(candidates_of(ways), old), ErrorCode::wrong_key);
  for (const char* const candidate : {"0", "1"}) {
    trials.opened(candidate);
    two_bytes.with.candidate = candidate;
    EXPECT_NE(trials.doubt(two_bytes).sentence, "") << "66 trials that could all have fitted by chance";
  }
  trials.opened("2");
  two_bytes.with.candidate = "2";
  EXPECT_EQ(trials.doubt(two_bytes).sentence, "");
}

TEST_F(FindCandidate, CountsNothingWhereItOpens) {
  const ForeignFormat way = of_passphrase("sha256");
  for (int i = 0; i < 65; ++i) find(candidates_of({way}), encrypt_old(way, varied(30, 4)));
  trials.opened("0");
  KeyEvidence two_bytes;
  two_bytes.with.candidate = "0";
  two_bytes.with.padding_bytes = 2;
  EXPECT_EQ(trials.doubt(two_bytes).sentence, "");
}

TEST_F(FindCandidate, FindsHowEachFileIsWrapped) {
  for (const bool base64 : {false, true}) {
    for (const bool salted : {false, true}) {
      ForeignFormat format = of_passphrase("sha256");
      Candidates candidates = candidates_of({format});
      candidates.find_base64 = candidates.find_salt = true;
      format.base64 = base64;
      format.salted = salted;
      const MatchedCandidate found = find(candidates, encrypt_old(format, varied(160, 9)));
      EXPECT_EQ(found.plan.openssl.base64, base64);
      EXPECT_EQ(found.plan.openssl.salted, salted);
      EXPECT_EQ(found.with.found, std::string("way 0") + (base64 ? ", base64" : "") + (salted ? "" : ", no salt"));
    }
  }
}

TEST_F(FindCandidate, TakesAFileAsItWasDescribedWhereThatIsStated) {
  ForeignFormat encoded = of_passphrase("sha256"), unsalted = of_passphrase("sha256");
  encoded.base64 = true;
  unsalted.salted = false;
  const Candidates candidates = candidates_of({of_passphrase("sha256")});
  EXPECT_EQ(failure(candidates, encrypt_old(encoded, text)), ErrorCode::format);
  EXPECT_EQ(failure(candidates, encrypt_old(unsalted, text)), ErrorCode::format);
}

TEST_F(FindCandidate, ReadsTheIvBeforeTheMessage) {
  ForeignFormat format = of_key("aes-256-cbc");
  format.iv = {};
  format.begins_with_iv = true;
  const MatchedCandidate found = find(candidates_of({format}), encrypt_old(format, bytes_of("short")));
  EXPECT_EQ(found.with.padding_bytes, 11U);
  EXPECT_EQ(failure(candidates_of({format}), Bytes(iv).first(9)), ErrorCode::truncated);
}

TEST_F(FindCandidate, RefusesWhatIsPlaintextEmptyOrCut) {
  const Candidates candidates = candidates_of({of_key("aes-256-cbc")});
  EXPECT_EQ(failure<PlaintextFile>(candidates, text), ErrorCode::format);
  EXPECT_EQ(failure(candidates, {}), ErrorCode::truncated);
  const Buffer old = encrypt_old(of_key("aes-256-cbc"), varied(100, 10));
  EXPECT_EQ(failure(candidates, Bytes(old).first(old.size() - 1)), ErrorCode::truncated);
}

TEST_F(FindCandidate, LooksAtTheFileFromWhereItStands) {
  const ForeignFormat format = of_key("aes-256-cbc");
  Buffer old = varied(48, 11);
  const Buffer message = encrypt_old(format, varied(40, 12));
  old.insert(old.end(), message.begin(), message.end());
  Input input = file_of(old);
  input.seek(48);
  EXPECT_EQ(find_candidate(candidates_of({format}), input, trials).with.padding_bytes, 8U);
  EXPECT_EQ(input.position(), 48U);
}

TEST_F(FindCandidate, NeedsAFileThatCanSeek) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const FileDescriptor writing(ends[1]);
  Input input{FileDescriptor(ends[0]), "a pipe"};
  std::optional<ErrorCode> code;
  try {
    static_cast<void>(find_candidate(candidates_of({of_key("aes-256-cbc")}), input, trials));
  } catch (const Error& error) {
    code = error.code();
  }
  EXPECT_EQ(code, ErrorCode::usage);
}

}  // namespace
}  // namespace phalanx::test
