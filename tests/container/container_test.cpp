// Containers: the corpus opens, and the same random bytes make it again; every change of a header is found; who may open;
// the interface in C++ and C, in memory and by parts.
#include <phalanx/files/container.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <phalanx/files/container.hpp>
#include <phalanx/files/key_derivation.hpp>
#include <random>

#include "container_fixture.hpp"
#include "engine/host/host.hpp"
#include "files/container/format/header.hpp"
#include "files/libcrypto/hkdf.hpp"
#include "fixed_random_bytes.hpp"
#include "tests/library/tested_engines.hpp"

namespace phalanx::test {
namespace {

constexpr ScryptCost cheap{10, 8, 1};

Recipient by_passphrase(const ByteVector& passphrase, ScryptCost cost = cheap) {
  return {KeyKind::passphrase, passphrase, cost};
}

int open_code(Bytes sealed, const Recipient& recipient, std::string_view words = "") {
  return code_of([&] { open(sealed, {recipient}); }, words);
}

// The secrets of a record of the corpus.
struct CorpusKeys {
  ByteVector key, other_key, passphrase, context;
  ScryptCost cost = cheap;
  Binding binding;

  explicit CorpusKeys(const Record& record)
      : key(record.bytes("key")),
        other_key(record.bytes("other_key")),
        passphrase(record.bytes("passphrase")),
        context(record.bytes("context")) {
    binding.context = context;
    const ByteVector name = expand_runs(record.has("name") ? record.text("name") : "");
    binding.name.assign(name.begin(), name.end());
    if (!passphrase.empty()) cost.log2_n = static_cast<std::uint8_t>(std::stoi(record.text("log2_n")));
  }
  // In the order of the file's records.
  [[nodiscard]] std::vector<Recipient> recipients() const {
    std::vector<Recipient> result;
    if (!other_key.empty()) result.push_back(by_key(other_key));
    if (!passphrase.empty()) result.push_back(by_passphrase(passphrase, cost));
    if (!key.empty()) result.push_back(by_key(key));
    return result;
  }
};

// Of both versions.
std::vector<Record> corpus() {
  std::vector<Record> records = records_of("containers", "version_1.txt");
  const std::vector<Record> bound = records_of("containers", "version_2.txt");
  records.insert(records.end(), bound.begin(), bound.end());
  return records;
}

// Computed over other libraries from the specification alone. These files must open for ever: never change one.
TEST(Containers, TheCorpusOpensForEver) {
  const std::vector<Record> records = corpus();
  ASSERT_EQ(records.size(), 50U);
  for (const Record& record : records) {
    SCOPED_TRACE(record.where + ": " + record.text("seed"));
    const ByteVector sealed = sealed_of(record);
    const CorpusKeys keys(record);
    for (const Recipient& recipient : keys.recipients()) {
      const ContainerReader reader(sealed, identities_of({recipient}), {}, {}, keys.binding);
      EXPECT_EQ(reader.suite(), record.text("suite"));
      ByteVector plain(reader.size());
      reader.read(0, plain);
      expect_plaintext(record, plain);
    }
  }
}

class ContainersOn : public OnEveryEngine {};
PHALANX_ON_EVERY_ENGINE(ContainersOn);

// What is computed does not depend on who computes it, nor how: the same random bytes, the same file.
TEST_P(ContainersOn, TheSameRandomBytesMakeTheCorpus) {
  for (const Record& record : corpus()) {
    if (record.text("source") == "unknown record first") continue;
    SCOPED_TRACE(record.where);
    const ByteVector sealed = sealed_of(record);
    const CorpusKeys keys(record);
    const ByteVector plain = open(sealed, {keys.recipients().back()}, {}, keys.binding);
    if (is_slow() && plain.size() > 100) continue;
    set_random_seed(record.text("seed"));
    ASSERT_TRUE(seal(record.text("suite"), keys.recipients(), plain, options(2), keys.binding) == sealed);
  }
}

TEST(Containers, EveryChangedByteOfTheHeaderIsFound) {
  set_random_seed("changes");
  const ByteVector key(32, 1), passphrase = bytes_of("secret");
  const ByteVector sealed = seal("aes-256", {by_passphrase(passphrase), by_key(key)}, bytes_of("plaintext"));
  const std::size_t header = header_bytes(sealed);
  ASSERT_EQ(header, 12U + 3 + 123 + 3 + 104 + 64);
  const std::size_t wrap = 12 + 3 + 123 + 3;  // the key's
  for (std::size_t i = 0; i < header; ++i) {
    ByteVector changed = sealed;
    changed[i] ^= 1;
    const int code = open_code(changed, by_key(key));
    SCOPED_TRACE("byte " + std::to_string(i));
    const bool in_size = i == 10 || i == 11;
    const bool in_scrypt_salt = i >= 15 && i < 31;
    const bool in_prefix = i >= wrap && i < wrap + message_prefix_bytes;
    const bool in_key_or_mac = i >= wrap + message_prefix_bytes;
    EXPECT_TRUE(i >= 10 || code == 7);  // suite 0 is unknown
    EXPECT_TRUE(!in_size || code == 7 || code == 5);
    EXPECT_TRUE(!in_scrypt_salt || code == 3);
    EXPECT_TRUE(!in_prefix || code == 4);
    EXPECT_TRUE(!in_key_or_mac || code == 3);
    EXPECT_NE(code, 0);
  }
  ByteVector other_suite = sealed;
  other_suite[9] = 3;
  EXPECT_EQ(open_code(other_suite, by_key(key)), 4) << "the fixed part is bound";
  for (std::size_t size = 0; size < header + message_prefix_bytes + 16; ++size) {
    EXPECT_EQ(open_code(Bytes(sealed).first(size), by_key(key)), 5) << "cut to " << size;
  }
}

// Of any length and in any pieces; from a file, too.
TEST(Containers, AreWrittenAsAStream) {
  std::mt19937_64 random(7);
  const ByteVector key(32, 9), phrase = bytes_of("phrase");
  // They are made anew, since copies share a salt that was drawn before.
  const auto recipients = [&] { return std::vector<Recipient>{by_key(key), by_passphrase(phrase)}; };
  constexpr std::size_t piece = std::size_t{4} << 20;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{16383}, std::size_t{16384}, piece - 1, piece,
                                 piece + 1, 2 * piece + 16384}) {
    ByteVector plain(size);
    for (std::uint8_t& byte : plain) byte = static_cast<std::uint8_t>(random());
    for (const std::size_t most : {std::size_t{70001}, 3 * piece}) {
      ByteVector sealed;
      const Append append = [&](Bytes bytes) { sealed.insert(sealed.end(), bytes.begin(), bytes.end()); };
      set_random_seed("stream");
      ContainerWriter writer(append, "aes-256", recipients(), {"", 2});
      for (std::size_t done = 0; done < size;) {
        const std::size_t count = std::min(size - done, 1 + random() % most);
        writer.write(Bytes(plain).subspan(done, count));
        done += count;
      }
      writer.finish();
      EXPECT_EQ(code_of([&] { writer.write(plain); }, "finished"), 2);
      EXPECT_EQ(code_of([&] { writer.finish(); }), 2);
      set_random_seed("stream");
      EXPECT_TRUE(sealed == seal("aes-256", recipients(), plain)) << size;
    }
  }
}

TEST(Containers, AWriterThatFailedOrWasNotFinished) {
  const ByteVector key(32, 9);
  ByteVector sealed;
  bool fails = false;
  const Append append = [&](Bytes bytes) {
    if (fails) throw Error(ErrorCode::runtime, "the disk is full");
    sealed.insert(sealed.end(), bytes.begin(), bytes.end());
  };
  {
    ContainerWriter writer(append, "aes-256", std::vector{by_key(key)});
    writer.write(ByteVector((std::size_t{4} << 20) + 5));
    EXPECT_EQ(open_code(sealed, by_key(key)), 5) << "truncated, as it is";
    fails = true;
    EXPECT_EQ(code_of([&] { writer.write(ByteVector(std::size_t{4} << 20)); }, "full"), 1);
    EXPECT_EQ(code_of([&] { writer.write(ByteVector(1)); }), 2);
    EXPECT_EQ(code_of([&] { writer.finish(); }), 2);
  }
  EXPECT_EQ(code_of([&] { ContainerWriter({}, "aes-256", std::vector{by_key(key)}); }), 2);
}

TEST(Containers, AreReadFromFiles) {
  const ByteVector key(32, 9);
  const ByteVector plain(40000, 3);
  const ByteVector sealed = seal("aes-256", {by_key(key)}, plain);
  const std::string path = testing::TempDir() + "container_" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(sealed.data()), static_cast<std::streamsize>(sealed.size()));
  const ContainerReader reader(path, identities_of({by_key(key)}));
  std::remove(path.c_str());
  ByteVector part(20000);
  reader.read(15000, part);
  EXPECT_EQ(part, ByteVector(20000, 3));
  EXPECT_EQ(code_of([&] { ContainerReader(path, identities_of({by_key(key)})); }, "No such file"), 1);
  EXPECT_EQ(code_of([&] { ContainerReader("/", identities_of({by_key(key)})); }, "not a regular file"), 1);
}

TEST(Containers, OverlapIsAnError) {
  const ByteVector key(32, 9);
  const std::vector<Recipient> recipients = {by_key(key)};
  ByteVector memory(container_bytes("aes-256", recipients, 100));
  EXPECT_EQ(code_of([&] { seal_container("aes-256", recipients, Bytes(memory).first(100), memory); }, "overlap"), 2);
}

TEST(Containers, OnlyRecipientsOpen) {
  set_random_seed("recipients");
  for (const Suite& suite : all_suites()) {
    const ByteVector one(suite.key_bytes, 1), two(suite.key_bytes, 2), three(suite.key_bytes, 3);
    const ByteVector phrase = bytes_of("a"), other = bytes_of("b");
    const ByteVector sealed = seal(suite.name, {by_key(one), by_passphrase(phrase), by_key(two)}, bytes_of("text"));
    for (const Recipient& who : {by_key(one), by_key(two), by_passphrase(phrase)}) {
      EXPECT_EQ(open(sealed, {by_key(three), by_passphrase(other), who}), bytes_of("text"));
    }
    EXPECT_EQ(open_code(sealed, by_key(three), "wrong key or passphrase"), 4);
    EXPECT_EQ(open_code(sealed, by_passphrase(other)), 4);
    EXPECT_EQ(open_code(sealed, {KeyKind::passphrase, one, {}}), 4) << "a key is no passphrase";
    EXPECT_EQ(open_code(sealed, by_key(ByteVector(suite.key_bytes + 8))), 2) << "a key of another length";
    EXPECT_EQ(code_of([&] { open(sealed, {}); }), 4);
  }
  const ByteVector key(32, 1);
  EXPECT_EQ(code_of([&] { seal("aes-256", {}, {}); }, "no recipient is given: a container needs at least one key"), 2);
  EXPECT_EQ(code_of([&] { seal("aes-256", {by_key(ByteVector(16))}, {}); }, "32 bytes, and 16"), 2);
  EXPECT_EQ(code_of([&] { seal("aes-256", {by_passphrase({})}, {}); }, "empty"), 2);
  EXPECT_EQ(code_of([&] { seal("des-ede3", {by_key(key)}, {}); }), 2);
  EXPECT_EQ(code_of([&] { seal("aes-256", std::vector<Recipient>(700, by_key(key)), {}); }, "give fewer"), 2);
}

// The records stay when recipients come and go, and so does the body.
TEST(Containers, RecipientsCanBeChanged) {
  set_random_seed("rekey");
  const Suite& suite = find_suite("twofish-256");
  const ByteVector one(32, 1), two(32, 2);
  const ByteVector sealed = seal(suite.name, {by_key(one)}, bytes_of("text"));
  const ContainerHeader old = parse_header(sealed);
  const Recipient holder = by_key(one);
  const OpenedHeader opened = open_header(old, identities_of({holder}));
  std::vector<WrappedKey> records = old.wrapped_keys;
  records.push_back({200, {1, 2, 3}});  // of a kind that we do not know
  records.push_back(wrap_data_key(unbound(suite), by_key(two), opened.data_key));
  const ContainerHeader added = make_header(unbound(suite), records, opened.data_key);
  ByteVector rekeyed = added.bytes;
  rekeyed.insert(rekeyed.end(), sealed.begin() + static_cast<long>(old.bytes.size()), sealed.end());
  EXPECT_EQ(open(rekeyed, {by_key(one)}), bytes_of("text"));
  EXPECT_EQ(open(rekeyed, {by_key(two)}), bytes_of("text"));
  EXPECT_EQ(parse_header(rekeyed).wrapped_keys[1].kind, 200);
  records.erase(records.begin());
  rekeyed = make_header(unbound(suite), records, opened.data_key).bytes;
  rekeyed.insert(rekeyed.end(), sealed.begin() + static_cast<long>(old.bytes.size()), sealed.end());
  EXPECT_EQ(open_code(rekeyed, by_key(one)), 4);
  EXPECT_EQ(open(rekeyed, {by_key(two)}), bytes_of("text"));
  // A header and a body of different containers.
  const ByteVector other = seal(suite.name, {by_key(one)}, bytes_of("other"));
  ByteVector mixed = old.bytes;
  mixed.insert(mixed.end(), other.begin() + static_cast<long>(old.bytes.size()), other.end());
  EXPECT_EQ(open_code(mixed, by_key(one)), 4);
  // A record of another container opens, and its data key is not that of the MAC.
  ByteVector foreign = make_header(unbound(suite), parse_header(other).wrapped_keys, opened.data_key).bytes;
  EXPECT_EQ(open_code(foreign, by_key(one), "the header is not authentic"), 3);
}

// A container whose first record is this one; well-formed but for what it holds.
ByteVector with_record(std::uint8_t kind, const ByteVector& data, std::size_t times = 1) {
  std::vector<std::uint8_t> bytes = labelled_fixed_part(unbound(find_suite("aes-256")), "");
  const std::size_t size = times * (3 + data.size());
  bytes.insert(bytes.end(), {static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size)});
  for (; times != 0; --times) {
    bytes.insert(bytes.end(), {kind, static_cast<std::uint8_t>(data.size() >> 8), static_cast<std::uint8_t>(data.size())});
    bytes.insert(bytes.end(), data.begin(), data.end());
  }
  bytes.resize(bytes.size() + 200);
  return bytes;
}

TEST(Containers, HostileHeadersAreRefused) {
  const ByteVector passphrase = bytes_of("x");
  const auto with_cost = [&](std::uint8_t log2_n, std::uint8_t r, std::uint8_t p) {
    ByteVector data(123);
    data[16] = log2_n;
    data[17] = r;
    data[18] = p;
    return data;
  };
  // Refused, not tried: 2^63 could not be. (8 r = 64 allows any N below 2^64.)
  for (const auto& cost :
       {with_cost(63, 8, 1), with_cost(21, 8, 1), with_cost(20, 8, 2), with_cost(20, 9, 1), with_cost(17, 8, 9)}) {
    EXPECT_EQ(open_code(with_record(2, cost), by_passphrase(passphrase), "more than 1 GiB"), 6);
    EXPECT_EQ(open_code(with_record(2, cost), by_key(ByteVector(32))), 4) << "who has a key need not care";
  }
  for (const auto& cost :
       {with_cost(0, 8, 1), with_cost(64, 8, 1), with_cost(16, 1, 1), with_cost(17, 0, 1), with_cost(17, 8, 0)}) {
    EXPECT_EQ(open_code(with_record(2, cost), by_passphrase(passphrase), "malformed"), 7);
  }
  EXPECT_EQ(open_code(with_record(1, ByteVector(103)), by_key(ByteVector(32)), "malformed"), 7);
  EXPECT_EQ(open_code(with_record(2, ByteVector(124)), by_key(ByteVector(32)), "malformed"), 7);
  EXPECT_EQ(open_code(with_record(2, with_cost(17, 8, 1), 17), by_passphrase(passphrase), "17 passphrases"), 7);
  ByteVector no_record = with_record(1, {}, 0);
  EXPECT_EQ(open_code(no_record, by_key(ByteVector(32)), "no recipient"), 7);
  ByteVector overlong = with_record(1, ByteVector(104));
  overlong[14] = 105;  // the record's size goes beyond all records'
  EXPECT_EQ(open_code(overlong, by_key(ByteVector(32)), "malformed"), 7);
  EXPECT_EQ(open_code(bytes_of("Salted__12345678"), by_key(ByteVector(32)), "no Phalanx container"), 7);
  EXPECT_EQ(code_of([&] { seal("aes-256", {by_passphrase(passphrase, {21, 8, 1})}, {}); }, "1 GiB"), 6);
  EXPECT_EQ(code_of([&] { seal("aes-256", {by_passphrase(passphrase, {9, 8, 1})}, {}); }, "1 MiB"), 6);
}

TEST(Containers, AnyPartIsReadFromItsChunksAlone) {
  set_random_seed("parts");
  Random random(41);
  const ByteVector key(16, 1);
  const ByteVector plain = random.bytes(5 * plain_chunk_bytes + 77);
  const ByteVector sealed = seal("aes-128", {by_key(key)}, plain);
  std::size_t fetched = 0;
  const ReadAt read_at = [&](std::uint64_t offset, MutableBytes out) {
    fetched += out.size();
    ASSERT_LE(offset + out.size(), sealed.size());
    std::copy_n(sealed.begin() + static_cast<long>(offset), out.size(), out.begin());
  };
  const Recipient recipient = by_key(key);
  const ContainerReader reader(read_at, sealed.size(), identities_of({recipient}), {"", 1});
  EXPECT_EQ(fetched, 12 + (sealed.size() - 5 * sealed_chunk_bytes)) << "header, commitment and last chunk";
  ASSERT_EQ(reader.size(), plain.size());
  for (int i = 0; i < 60; ++i) {
    const std::size_t offset = random.below(plain.size() + 1);
    const std::size_t size = i % 3 == 0 ? plain.size() - offset : random.below(plain.size() - offset + 1);
    fetched = 0;
    ByteVector out(size);
    reader.read(offset, out);
    ASSERT_TRUE(std::equal(out.begin(), out.end(), plain.begin() + static_cast<long>(offset))) << offset << "+" << size;
    EXPECT_LE(fetched, (size / plain_chunk_bytes + 2) * sealed_chunk_bytes);
  }
  ByteVector out(10);
  EXPECT_EQ(code_of([&] { reader.read(plain.size() - 9, out); }, "were asked for"), 2);
  EXPECT_EQ(code_of([&] { reader.read(~std::uint64_t{0}, out); }), 2);
  // The end is authenticated before any part is read; a changed chunk matters to its own part only.
  ByteVector changed = sealed;
  changed.back() ^= 1;
  EXPECT_EQ(open_code(changed, by_key(key), "chunk 5 is not authentic"), 3);
  EXPECT_EQ(open_code(Bytes(sealed).first(sealed.size() - 77 - 16), by_key(key)), 5) << "cut at a chunk's end";
  EXPECT_EQ(open_code(Bytes(sealed).first(sealed.size() - sealed_chunk_bytes), by_key(key), "chunk 4"), 3);
  changed = sealed;
  changed[sealed.size() - 77 - 16 - 1] ^= 1;  // chunk 4's tag
  const ContainerReader damaged(changed, identities_of({recipient}));
  ByteVector part(4 * plain_chunk_bytes);
  damaged.read(0, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), plain.begin()));
  part.assign(part.size(), 0xa5);
  EXPECT_EQ(code_of([&] { damaged.read(plain_chunk_bytes, part); }, "chunk 4"), 3);
  EXPECT_EQ(part, ByteVector(part.size())) << "something was let out";
}

int read_from_memory(void* user_data, std::uint64_t offset, std::uint8_t* out, std::size_t size) {
  const auto& bytes = *static_cast<const ByteVector*>(user_data);
  if (offset + size > bytes.size()) return -1;
  std::copy_n(bytes.begin() + static_cast<long>(offset), size, out);
  return 0;
}

TEST(Containers, InC) {
  set_random_seed("c");
  const ByteVector key(32, 9), phrase = bytes_of("phrase"), plain = Random(42).bytes(40000);
  const phalanx_recipient recipients[] = {
      {sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0},
      {sizeof(phalanx_recipient), PHALANX_PASSPHRASE, phrase.data(), phrase.size(), 10, 8, 1}};
  std::uint64_t size = 0;
  ASSERT_EQ(phalanx_container_bytes("aes-256", recipients, 2, plain.size(), nullptr, &size), PHALANX_OK);
  ByteVector sealed(size);
  ASSERT_EQ(
      phalanx_container_seal("aes-256", recipients, 2, plain.data(), plain.size(), sealed.data(), size, nullptr, nullptr),
      PHALANX_OK);
  EXPECT_EQ(phalanx_container_seal("aes-256", recipients, 2, plain.data(), plain.size(), sealed.data(), size - 1, nullptr,
                                   nullptr),
            PHALANX_USAGE);
  EXPECT_EQ(open(sealed, {by_key(key)}), plain);
  const phalanx_identity identities[] = {{sizeof(phalanx_identity), PHALANX_KEY, key.data(), key.size()},
                                         {sizeof(phalanx_identity), PHALANX_PASSPHRASE, phrase.data(), phrase.size()}};
  const auto open_by_function = [&](phalanx_container_reader** reader, std::uint64_t container_size) {
    return phalanx_container_reader_new(reader, read_from_memory, &sealed, container_size, identities, 1, nullptr, nullptr,
                                        nullptr);
  };
  const auto open_memory = [&](phalanx_container_reader** reader, const phalanx_identity* identity) {
    return phalanx_container_reader_of_memory(reader, sealed.data(), size, identity, 1, nullptr, nullptr, nullptr);
  };
  for (const bool in_memory : {true, false}) {
    phalanx_container_reader* reader = nullptr;
    ASSERT_EQ(in_memory ? open_memory(&reader, identities + 1) : open_by_function(&reader, size), PHALANX_OK)
        << phalanx_last_error();
    std::uint64_t plain_bytes = 0;
    const char* suite = nullptr;
    EXPECT_EQ(phalanx_container_reader_size(reader, &plain_bytes), PHALANX_OK);
    EXPECT_EQ(plain_bytes, plain.size());
    EXPECT_EQ(phalanx_container_reader_suite(reader, &suite), PHALANX_OK);
    EXPECT_STREQ(suite, "aes-256");
    ByteVector part(20000);
    EXPECT_EQ(phalanx_container_reader_read(reader, 17000, part.data(), part.size()), PHALANX_OK);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), plain.begin() + 17000));
    EXPECT_EQ(phalanx_container_reader_read(reader, 30000, part.data(), part.size()), PHALANX_USAGE);
    phalanx_container_reader_free(reader);
  }
  phalanx_container_reader* reader = nullptr;
  EXPECT_EQ(open_by_function(&reader, size + 5), PHALANX_RUNTIME);
  EXPECT_EQ(reader, nullptr);
  const phalanx_identity wrong = {sizeof(phalanx_identity), 4, key.data(), key.size()};
  EXPECT_EQ(open_memory(&reader, &wrong), PHALANX_USAGE);
}

// RFC 7914 section 12, RFC 4231 section 4.3, RFC 5869 has no SHA-512: its SHA-256 is libcrypto's test, so the definition is
// ours.
TEST(KeysOfContainers, PublishedVectors) {
  ByteVector out(64);
  derive_scrypt(bytes_of("password"), bytes_of("NaCl"), 10, 8, 16, out);
  EXPECT_EQ(to_hex(out),
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830da"
            "c727afb94a83ee6d8360cbdfa2cc0640");
  derive_scrypt({}, {}, 4, 1, 1, out);
  EXPECT_EQ(to_hex(out),
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17"
            "e8d3e0fb2e0d3628cf35e20c38d18906");
  compute_hmac_sha512(bytes_of("Jefe"), bytes_of("what do ya want for nothing?"), out);
  EXPECT_EQ(to_hex(out),
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd"
            "caeab1a34d4a6b4b636e070a38bce737");
}

// T(i) = HMAC(key, T(i-1) || info || i). libcrypto's own HKDF takes no info beyond 32 KiB.
TEST(KeysOfContainers, HkdfOfAnyInfo) {
  const ByteVector key = bytes_of("pseudorandom key");
  for (const std::size_t info_bytes : {0, 4, 32 * 1024 + 1, 100'000}) {
    const ByteVector info(info_bytes, 'i');
    ByteVector out(64), expanded(100), block, expected;
    for (std::uint8_t i = 1; i <= 2; ++i) {
      block.insert(block.end(), info.begin(), info.end());
      block.push_back(i);
      compute_hmac_sha512(key, block, out);
      block = out;
      expected.insert(expected.end(), block.begin(), block.end());
    }
    expected.resize(100);
    expand_hkdf_sha512(key, info, expanded);
    EXPECT_EQ(expanded, expected);
  }
  ByteVector most(255 * 64), more(255 * 64 + 1);
  EXPECT_EQ(code_of([&] { expand_hkdf_sha512(key, {}, most); }), 0);
  EXPECT_EQ(code_of([&] { expand_hkdf_sha512(key, {}, more); }, "16320"), 2);
}

}  // namespace
}  // namespace phalanx::test
