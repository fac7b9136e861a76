// Keys that scrypt derives are kept beside their passphrase: how often it is asked, and which salts are taken for sealing.
#include "files/container/format/passphrase_keys.hpp"

#include <barrier>
#include <set>
#include <thread>

#include "files/container/format/header.hpp"
#include "tests/container/container_fixture.hpp"
#include "tests/container/misuse/forked_process.hpp"
#include "tests/container/passphrases/counted_scrypt.hpp"

namespace phalanx::test {
namespace {

using Costs = std::vector<std::uint64_t>;

class PassphraseKeys : public testing::Test {
 protected:
  const ByteVector plain = bytes_of("in lockstep");
  const Suite& suite = find_suite("aes-256");

  PassphraseKeys() {
    compute_up_to(4);
    static_cast<void>(take_derived());
  }
  ~PassphraseKeys() override { let_happen(Mishap::none); }

  // Each is another secret, whatever the word.
  static Recipient by(std::string_view word, unsigned log2_mebibytes = 0) {
    return {KeyKind::passphrase, bytes_of(word), {static_cast<std::uint8_t>(10 + log2_mebibytes), 8, 1}};
  }
  ByteVector sealed_for(const std::vector<Recipient>& recipients) const { return seal("aes-256", recipients, plain); }
  int code_of_opening(Bytes sealed, const Recipient& recipient) const {
    return code_of([&] { EXPECT_EQ(open(sealed, {recipient}), plain); });
  }
  static ScryptSalt salt_of(Bytes sealed, std::size_t record = 0) {
    ScryptSalt salt;
    std::copy_n(parse_header(sealed).wrapped_keys.at(record).data.begin(), salt.size(), salt.begin());
    return salt;
  }
  // As an earlier version has them, which drew a salt for each.
  std::vector<ByteVector> sealed_apart(std::string_view word, std::size_t number) const {
    std::vector<ByteVector> sealed(number);
    for (ByteVector& one : sealed) one = sealed_for({by(word)});
    static_cast<void>(take_derived());
    return sealed;
  }
};

TEST_F(PassphraseKeys, SealAndOpenManyByOneDerivationEach) {
  const Recipient one = by("open sesame"), same = by("open sesame");
  std::vector<ByteVector> sealed(201);
  for (ByteVector& container : sealed) container = sealed_for({one});
  EXPECT_EQ(take_derived(), Costs{1});
  std::set<ScryptSalt> salts;
  std::set<std::vector<std::uint8_t>> wraps;
  for (const ByteVector& container : sealed) {
    EXPECT_EQ(code_of_opening(container, same), 0);
    salts.insert(salt_of(container));
    const std::vector<std::uint8_t> data = parse_header(container).wrapped_keys.front().data;
    wraps.insert({data.begin() + scrypt_salt_bytes + 3, data.begin() + scrypt_salt_bytes + 3 + 24});
  }
  EXPECT_EQ(take_derived(), Costs{1});
  EXPECT_EQ(salts.size(), 1U);
  EXPECT_EQ(wraps.size(), 201U) << "the salt of each wrap is its own";
}

TEST_F(PassphraseKeys, OfTwoPassphrasesHaveSaltsOfTheirOwn) {
  const std::vector<Recipient> both = {by("first"), by("second")};
  const Recipient second = by("second");
  std::vector<ByteVector> sealed(10);
  for (ByteVector& container : sealed) container = sealed_for(both);
  EXPECT_EQ(take_derived(), (Costs{1, 1}));
  EXPECT_NE(salt_of(sealed.front(), 0), salt_of(sealed.front(), 1));
  for (const ByteVector& container : sealed) EXPECT_EQ(code_of_opening(container, second), 0);
  EXPECT_EQ(take_derived(), (Costs{1, 1})) << "one for each salt that it is tried with";
}

// Two passphrases may be one, and two recipients nevertheless.
TEST_F(PassphraseKeys, OfEqualPassphrasesHaveSaltsOfTheirOwn) {
  const ByteVector sealed = sealed_for({by("twice"), by("twice")});
  EXPECT_NE(salt_of(sealed, 0), salt_of(sealed, 1));
}

TEST_F(PassphraseKeys, AreDerivedOnceByManyThreads) {
  constexpr std::size_t num_threads = 8;
  const Recipient sealer = by("open sesame"), opener = by("open sesame");
  std::vector<ByteVector> sealed(num_threads);
  const auto run = [&](const std::function<void(ByteVector&)>& work) {
    std::barrier begin(num_threads);
    std::vector<std::thread> threads;
    for (ByteVector& container : sealed) {
      threads.emplace_back([&] {
        begin.arrive_and_wait();
        work(container);
      });
    }
    for (std::thread& thread : threads) thread.join();
  };
  run([&](ByteVector& container) { container = sealed_for({sealer}); });
  EXPECT_EQ(take_derived(), Costs{1});
  run([&](ByteVector& container) { EXPECT_EQ(code_of_opening(container, opener), 0); });
  EXPECT_EQ(take_derived(), Costs{1});
}

TEST_F(PassphraseKeys, OfAWrongPassphraseAreKeptAndStayWrong) {
  const Recipient right = by("right"), wrong = by("wrong");
  std::vector<ByteVector> sealed(10);
  for (ByteVector& container : sealed) container = sealed_for({right});
  static_cast<void>(take_derived());
  for (const ByteVector& container : sealed) EXPECT_EQ(code_of_opening(container, wrong), 4);
  EXPECT_EQ(take_derived(), Costs{1});
  ByteVector other = sealed.front();
  other[12 + 3 + scrypt_salt_bytes + 3] ^= 1;  // the wrap's salt: the kept key is right, and this container is not
  EXPECT_EQ(code_of_opening(sealed.front(), right), 0);
  EXPECT_EQ(code_of_opening(other, right), 4);
  EXPECT_EQ(take_derived(), Costs{1});
}

TEST_F(PassphraseKeys, CostOneDerivationForEachSaltOfBefore) {
  const std::vector<ByteVector> sealed = sealed_apart("open sesame", 10);
  const Recipient same = by("open sesame");
  for (const ByteVector& container : sealed) EXPECT_EQ(code_of_opening(container, same), 0);
  EXPECT_EQ(take_derived(), Costs(10, 1));
  for (const ByteVector& container : sealed) EXPECT_EQ(code_of_opening(container, same), 0);
  EXPECT_EQ(take_derived(), Costs{});
}

TEST_F(PassphraseKeys, TakeTheSaltOfWhatHasOpened) {
  const std::vector<ByteVector> sealed = sealed_apart("open sesame", 2);
  const Recipient same = by("open sesame");
  EXPECT_EQ(code_of_opening(sealed[0], same), 0);
  EXPECT_EQ(code_of_opening(sealed[1], same), 0);
  static_cast<void>(take_derived());
  EXPECT_EQ(salt_of(sealed_for({same})), salt_of(sealed[0])) << "the first";
  EXPECT_EQ(take_derived(), Costs{});
}

TEST_F(PassphraseKeys, OfAnotherCostOrSuiteHaveAnotherSalt) {
  const std::vector<ByteVector> sealed = sealed_apart("open sesame", 1);
  const Recipient same = by("open sesame");
  Recipient dearer = same;  // of one secret
  dearer.cost.log2_n = 11;
  EXPECT_EQ(code_of_opening(sealed[0], same), 0);
  const ByteVector by_dearer = sealed_for({dearer}), of_serpent = seal("serpent-256", {same}, plain);
  EXPECT_NE(salt_of(by_dearer), salt_of(sealed[0]));
  EXPECT_NE(salt_of(of_serpent), salt_of(sealed[0]));
  EXPECT_EQ(take_derived(), (Costs{1, 2, 1}));
  EXPECT_EQ(salt_of(sealed_for({same})), salt_of(sealed[0]));
  EXPECT_EQ(salt_of(sealed_for({dearer})), salt_of(by_dearer));
  EXPECT_EQ(take_derived(), Costs{});
}

// What somebody has planted: it does not open, or its header is not authentic.
TEST_F(PassphraseKeys, TakeNoSaltThatIsPlanted) {
  const Recipient same = by("open sesame");
  const ByteVector of_another = sealed_for({by("another word")});
  ByteVector changed = sealed_apart("open sesame", 1).front(), other_salt = changed;
  const std::size_t mac_position = parse_header(changed).bytes.size() - 1;
  changed[mac_position] ^= 1;
  other_salt[12 + 3] ^= 1;
  EXPECT_EQ(code_of_opening(of_another, same), 4);
  EXPECT_EQ(code_of_opening(changed, same), 3);
  EXPECT_EQ(code_of_opening(other_salt, same), 4);
  static_cast<void>(take_derived());
  const ByteVector sealed = sealed_for({same});
  EXPECT_EQ(take_derived(), Costs{1}) << "a new one";
  for (const ByteVector& planted : {of_another, changed, other_salt}) EXPECT_NE(salt_of(sealed), salt_of(planted));
}

// If memory fails, what is sealed under the wrong key must not seem to open.
TEST_F(PassphraseKeys, OfSealingAreNotThoseThatReadBack) {
  const Recipient one = by("open sesame");
  let_happen(Mishap::wrong_bit);
  const ByteVector sealed = sealed_for({one});
  EXPECT_EQ(take_derived(), Costs{1});
  EXPECT_EQ(code_of_opening(sealed, one), 4);
  EXPECT_EQ(take_derived(), Costs{1}) << "derived anew";
}

TEST_F(PassphraseKeys, ThatCouldNotBeDerivedAreTriedAgain) {
  const Recipient one = by("open sesame"), same = by("open sesame");
  let_happen(Mishap::failure);
  EXPECT_EQ(code_of([&] { static_cast<void>(sealed_for({one})); }), 1);
  const ByteVector sealed = sealed_for({one});
  let_happen(Mishap::failure);
  EXPECT_EQ(code_of_opening(sealed, same), 1);
  EXPECT_EQ(code_of_opening(sealed, same), 0);
}

TEST_F(PassphraseKeys, AreBounded) {
  compute_up_to(0);
  const SharedSecret passphrase = bytes_of("open sesame");
  const auto ask = [&](unsigned number) {
    ScryptRequest request{.fixed_part = unbound(suite), .cost = {10, 8, 1}};
    request.salt[0] = static_cast<std::uint8_t>(number);
    request.salt[1] = static_cast<std::uint8_t>(number >> 8);
    static_cast<void>(opening_key(passphrase, request));
    return take_derived().size();
  };
  for (unsigned number = 0; number < 1024; ++number) EXPECT_EQ(ask(number), 1U);
  EXPECT_EQ(ask(0), 0U) << "used last now";
  EXPECT_EQ(ask(1024), 1U);
  EXPECT_EQ(ask(0), 0U);
  EXPECT_EQ(ask(1), 1U) << "was used before all others";
}

TEST_F(PassphraseKeys, AreWipedWithThePassphrase) {
  const ScryptRequest request{.fixed_part = unbound(suite), .cost = {10, 8, 1}};
  std::optional<SharedSecret> passphrase(bytes_of("open sesame")), copy(*passphrase);
  const std::uint8_t* const opening = opening_key(*passphrase, request)->data();
  const std::uint8_t* const sealing = sealing_key(*passphrase, request.fixed_part, request.cost).key->data();
  // Their memory stays mapped. The first bytes of a free piece lead to the next one.
  const auto is_wiped = [](const std::uint8_t* key) {
    return std::all_of(key + sizeof(void*), key + 32, [](std::uint8_t byte) { return byte == 0; });
  };
  passphrase.reset();
  EXPECT_FALSE(is_wiped(opening));
  EXPECT_FALSE(is_wiped(sealing));
  copy.reset();
  EXPECT_TRUE(is_wiped(opening));
  EXPECT_TRUE(is_wiped(sealing));
}

TEST_F(PassphraseKeys, OfAnEmptyPassphrase) {
  const ByteVector sealed = sealed_for({by("open sesame")});
  static_cast<void>(take_derived());
  EXPECT_EQ(code_of_opening(sealed, by("")), 4);
  EXPECT_EQ(code_of([&] {
              static_cast<void>(ContainerReader(sealed, std::vector{Identity{KeyKind::passphrase, {}, {}}}));
            }),
            4);
  EXPECT_EQ(take_derived(), (Costs{1, 1}));
}

// A lock that a thread of the parent held would be held in the child for ever.
TEST_F(PassphraseKeys, OfAParentAreDerivedAnewByItsChild) {
  if (!has_threads_of_a_child()) GTEST_SKIP() << no_threads_of_a_child;
  const Recipient one = by("open sesame");
  const ByteVector sealed = sealed_for({one});
  for (const Forked how : {Forked::by_fork, Forked::by_clone}) {
    const std::string told = in_child(how, [&] {
      static_cast<void>(take_derived());
      const bool has_another_salt = salt_of(sealed_for({one})) != salt_of(sealed);
      const bool opens = open(sealed, {one}) == plain;
      return std::to_string(take_derived().size()) + (has_another_salt ? " anew" : "") + (opens ? " opens" : "");
    });
    EXPECT_EQ(told, "2 anew opens");
  }
}

}  // namespace
}  // namespace phalanx::test
