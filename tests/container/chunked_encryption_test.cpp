// Chunked encryption: published and independent cases; the same bytes from every engine, number of threads and cut; what was
// changed, cut, moved or added is found, and nothing of it is let out.
#include "engine/chunked/chunked_encryption.hpp"

#include <algorithm>
#include <random>

#include "container_fixture.hpp"
#include "engine/engines/registry.hpp"
#include "engine/library/names/cipher_name.hpp"
#include "tests/library/tested_engines.hpp"

namespace phalanx::test {
namespace {

TEST(ChunkedEncryption, PublishedCases) {
  const std::vector<Record> records = records_of("chunked_encryption", "cobblestone_128.txt");
  ASSERT_EQ(records.size(), 35U);
  const Suite& suite = find_suite("AES-128");
  for (const Record& record : records) {
    SCOPED_TRACE(record.where + ": " + record.text("comment"));
    const ByteVector key = record.bytes("key");
    const ByteVector message = sealed_of(record);
    if (record.text("result") == "valid") {
      const ByteVector plain = open_message(suite, key, record.bytes("context"), message);
      expect_plaintext(record, plain);
      EXPECT_TRUE(seal_message(suite, key, message, record.bytes("context"), plain) == message);
    } else {
      EXPECT_EQ(code_of([&] { open_message(suite, key, record.bytes("context"), message); }), expected_code(record));
    }
  }
}

class Chunks : public OnEveryEngine {};
PHALANX_ON_EVERY_ENGINE(Chunks);

// Computed over another library: Cobblestone-256.
TEST_P(Chunks, IndependentCases) {
  const std::vector<Record> records = records_of("chunked_encryption", "cobblestone_256.txt");
  ASSERT_EQ(records.size(), 7U);
  for (const Record& record : records) {
    const ByteVector message = sealed_of(record);
    if (is_slow() && message.size() > 100'000) continue;
    SCOPED_TRACE(record.where);
    const ByteVector plain =
        open_message(find_suite("aes-256"), record.bytes("key"), record.bytes("context"), message, options());
    expect_plaintext(record, plain);
    const ByteVector again =
        seal_message(find_suite("aes-256"), record.bytes("key"), message, record.bytes("context"), plain, options());
    EXPECT_TRUE(again == message);
  }
}

// The scalar engine on one thread is what the others are compared with; pieces are sealed in any order.
TEST_P(Chunks, AnyEngineThreadsAndCutGiveTheSame) {
  Random random(31);
  for (const Suite& suite : all_suites()) {
    for (const std::size_t full_chunks : {0, 1, 5}) {
      const std::size_t size = full_chunks * plain_chunk_bytes + (full_chunks == 1 ? 0 : random.below(plain_chunk_bytes));
      if (is_slow() && full_chunks == 5) continue;
      SCOPED_TRACE(std::string(suite.name) + ", " + std::to_string(size) + " bytes");
      const ByteVector key = random.bytes(suite.key_bytes);
      const ByteVector salt = random.bytes(chunk_salt_bytes);
      const ByteVector plain = random.bytes(size);
      const ByteVector expected = seal_message(suite, key, salt, {}, plain, {"cpu:scalar", 1});
      for (const int num_threads : {1, 3}) {
        ASSERT_TRUE(seal_message(suite, key, salt, {}, plain, options(num_threads)) == expected);
        ASSERT_TRUE(open_message(suite, key, {}, expected, options(num_threads)) == plain);
      }
      ChunkSalt chunk_salt;
      std::copy_n(salt.begin(), chunk_salt.size(), chunk_salt.begin());
      const ChunkedCipher cipher(suite, key, chunk_salt, {}, options(1));
      ByteVector pieces(expected.size() - message_prefix_bytes);
      for (std::size_t chunk = full_chunks + 1; chunk-- != 0;) {
        const std::size_t plain_start = chunk * plain_chunk_bytes;
        const std::size_t length = std::min(plain_chunk_bytes, size - plain_start);
        cipher.seal(chunk, Bytes(plain).subspan(plain_start, length),
                    MutableBytes(pieces).subspan(chunk * sealed_chunk_bytes, length + chunk_tag_bytes));
      }
      ASSERT_TRUE(std::equal(pieces.begin(), pieces.end(), expected.begin() + message_prefix_bytes));
    }
  }
}

// A message of two full chunks and a short one; what was done to it; what must come of that.
TEST_P(Chunks, ChangesAreFoundAndNothingIsLetOut) {
  Random random(32);
  const Suite& suite = is_slow() ? find_suite("aes-128") : find_suite("serpent-256");
  const ByteVector key = random.bytes(suite.key_bytes);
  const ByteVector salt = random.bytes(chunk_salt_bytes);
  const ByteVector plain = random.bytes(2 * plain_chunk_bytes + 100);
  const ByteVector message = seal_message(suite, key, salt, {}, plain, options());
  ChunkSalt chunk_salt;
  std::copy_n(salt.begin(), chunk_salt.size(), chunk_salt.begin());
  const ChunkedCipher cipher(suite, key, chunk_salt, {}, options(2));
  const ByteVector chunks(message.begin() + message_prefix_bytes, message.end());
  for (std::size_t bad = 0; bad < 3; ++bad) {
    for (const std::size_t place : {std::size_t{0}, std::size_t{99}, std::size_t{115}}) {
      ByteVector changed = chunks;
      changed[bad * sealed_chunk_bytes + place] ^= 0x80;
      ByteVector out(plain.size(), 0xa5);
      EXPECT_EQ(code_of([&] { cipher.open(0, changed, out); }, "chunk " + std::to_string(bad) + " is not authentic"), 3);
      const std::size_t start = bad * plain_chunk_bytes;
      const std::size_t end = std::min(start + plain_chunk_bytes, plain.size());
      for (std::size_t i = start; i < end; ++i) ASSERT_EQ(out[i], 0) << "unverified plaintext at " << i;
    }
  }
  ByteVector swapped = chunks;
  std::swap_ranges(swapped.begin(), swapped.begin() + sealed_chunk_bytes, swapped.begin() + sealed_chunk_bytes);
  ByteVector out(plain.size());
  EXPECT_EQ(code_of([&] { cipher.open(0, swapped, out); }, "chunk 0"), 3);
  EXPECT_EQ(code_of([&] { cipher.open(1, chunks, out); }, "chunk 1"), 3) << "under other numbers";
  EXPECT_EQ(code_of([&] { cipher.open(0, chunks, out); }), 0);
  EXPECT_TRUE(out == plain);
}

// Whole messages of a full chunk and a short one, cut, lengthened, put together otherwise.
TEST(ChunkedEncryption, OtherLengthsAndPartsAreFound) {
  Random random(33);
  const Suite& suite = find_suite("twofish-256");
  const ByteVector key = random.bytes(suite.key_bytes);
  const ByteVector salt = random.bytes(chunk_salt_bytes);
  const ByteVector message = seal_message(suite, key, salt, {}, random.bytes(plain_chunk_bytes + 100));
  const std::size_t end_of_full = message_prefix_bytes + sealed_chunk_bytes;
  const auto code = [&](const ByteVector& changed) { return code_of([&] { open_message(suite, key, {}, changed); }); };
  const auto cut = [&](std::size_t size) { return ByteVector(message.begin(), message.begin() + static_cast<long>(size)); };
  EXPECT_EQ(code(cut(message.size())), 0);
  EXPECT_EQ(code(cut(message.size() - 1)), 3) << "cut inside the last chunk";
  EXPECT_EQ(code(cut(end_of_full + 16)), 3);
  EXPECT_EQ(code(cut(end_of_full + 15)), 5) << "less than a tag";
  EXPECT_EQ(code(cut(end_of_full)), 5) << "the last chunk is missing";
  EXPECT_EQ(code(cut(end_of_full - 1)), 3);
  EXPECT_EQ(code(cut(message_prefix_bytes)), 5);
  EXPECT_EQ(code(cut(message_prefix_bytes - 1)), 5) << "a short commitment";
  EXPECT_EQ(code(cut(20)), 5) << "a short salt";
  EXPECT_EQ(code({}), 5);
  for (const std::size_t more : {1, 20, 16284, 16285, 16400, 40000}) {
    ByteVector longer = message;
    longer.insert(longer.end(), more, 0);
    EXPECT_EQ(code(longer), (100 + 16 + more) % sealed_chunk_bytes < 16 ? 5 : 3) << more << " bytes more";
  }
  ByteVector two_ends = message;  // a second last chunk
  two_ends.insert(two_ends.end(), message.begin() + static_cast<long>(end_of_full), message.end());
  EXPECT_EQ(code(two_ends), 3);
  ByteVector doubled = message;  // the first chunk twice
  doubled.insert(doubled.begin() + static_cast<long>(end_of_full), message.begin() + message_prefix_bytes,
                 message.begin() + static_cast<long>(end_of_full));
  EXPECT_EQ(code(doubled), 3);
  ByteVector missing = message;  // without the first chunk
  missing.erase(missing.begin() + message_prefix_bytes, missing.begin() + static_cast<long>(end_of_full));
  EXPECT_EQ(code(missing), 3);
  for (std::size_t i = 0; i < message_prefix_bytes; ++i) {
    ByteVector changed = message;
    changed[i] ^= 1;
    EXPECT_EQ(code(changed), 4) << "byte " << i;
  }
  EXPECT_EQ(code_of([&] { open_message(suite, key, bytes_of("x"), message); }), 4) << "another context";
  EXPECT_EQ(code_of([&] { open_message(suite, random.bytes(32), {}, message); }), 4) << "another key";
}

// A batch gives what each message alone gives, on any engine; in place too.
TEST_P(Chunks, BatchesOfMessagesAreTheSame) {
  Random random(34);
  const ByteVector associated_data = random.bytes(21);
  for (const Suite& suite : all_suites()) {
    const CipherSpec& spec = *parse_cipher_name(suite.cipher).cipher;
    const ByteVector key = random.bytes(suite.key_bytes);
    const auto gcm = find_engine(engine()).set_aead_key({&spec, Mode::gcm}, key, 2);
    std::vector<ByteVector> texts;
    std::vector<ByteVector> nonces;
    for (const std::size_t size : {0, 1, 15, 16, 17, 100, 3000}) texts.push_back(random.bytes(size));
    const std::vector<ByteVector> plain = texts;
    std::vector<ByteVector> outs = texts;
    ByteVector tags(16 * texts.size());
    ByteVector batch_tags(16 * texts.size());
    std::vector<AeadMessage> messages(texts.size());
    std::vector<AeadMessage> in_place(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) nonces.push_back(random.bytes(12));
    const auto set = [&](AeadMessage& message, std::size_t i, ByteVector& all_tags, ByteVector& out) {
      message.nonce = nonces[i].data();
      message.nonce_bytes = 12;
      if (i % 2 == 1) message.associated_data = associated_data.data();
      if (i % 2 == 1) message.associated_bytes = associated_data.size();
      message.tag = all_tags.data() + 16 * i;
      message.expected_tag = message.tag;
      message.tag_bytes = 16;
      message.in = texts[i].data();
      message.out = out.data();
      message.num_bytes = texts[i].size();
    };
    for (std::size_t i = 0; i < texts.size(); ++i) {
      set(messages[i], i, tags, outs[i]);
      set(in_place[i], i, batch_tags, texts[i]);
    }
    gcm->crypt(Direction::encrypt, messages);
    for (AeadMessage& message : in_place) gcm->crypt(Direction::encrypt, {&message, 1});
    EXPECT_EQ(texts, outs);
    EXPECT_EQ(batch_tags, tags);
    batch_tags[16 * 5] ^= 1;
    const ByteVector forged = texts[5];
    gcm->crypt(Direction::decrypt, in_place, Unverified::never_written);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      EXPECT_EQ(in_place[i].is_authentic, i != 5);
      EXPECT_EQ(texts[i], i == 5 ? forged : plain[i]);
    }
    gcm->crypt(Direction::decrypt, std::span(in_place).subspan(4, 2), Unverified::wiped);
    EXPECT_EQ(texts[5], ByteVector(100));
  }
}

TEST(ChunkedEncryption, Sizes) {
  EXPECT_EQ(chunks_bytes(0), 16U);
  EXPECT_EQ(chunks_bytes(16383), 16399U);
  EXPECT_EQ(chunks_bytes(16384), 16416U);
  EXPECT_EQ(plain_bytes_of_chunks(16), 0U);
  EXPECT_EQ(plain_bytes_of_chunks(16416), 16384U);
  for (const std::uint64_t wrong : {0, 1, 15, 16400, 16401, 16415, 2 * 16400}) {
    EXPECT_EQ(code_of([&] { static_cast<void>(plain_bytes_of_chunks(wrong)); }), 5) << wrong;
  }
  for (const std::uint64_t whole : {0, 16400}) {
    EXPECT_EQ(code_of([&] { static_cast<void>(plain_bytes_of_chunks(whole)); }, "without a short last chunk"), 5);
  }
  const std::uint64_t most = (max_chunks - 1) * plain_chunk_bytes + 16383;
  EXPECT_EQ(chunks_bytes(most), most + max_chunks * 16);
  EXPECT_EQ(plain_bytes_of_chunks(chunks_bytes(most)), most);
  EXPECT_EQ(code_of([&] { static_cast<void>(chunks_bytes(most + 1)); }, "2^38"), 2);
  const Suite& suite = find_suite("aes-256");
  const ChunkedCipher cipher(suite, ByteVector(32), ChunkSalt{}, {});
  ByteVector plain(16384), sealed(16416);
  EXPECT_EQ(code_of([&] { cipher.seal(0, plain, sealed); }), 0) << "and an empty last chunk";
  EXPECT_EQ(code_of([&] { cipher.seal(0, plain, MutableBytes(sealed).first(16400)); }), 0) << "more to come";
  EXPECT_EQ(code_of([&] { cipher.seal(0, plain, MutableBytes(sealed).first(16399)); }), 2);
  EXPECT_EQ(code_of([&] { cipher.seal(max_chunks - 1, plain, sealed); }, "2^38"), 2);
  EXPECT_EQ(code_of([&] { cipher.open(0, MutableBytes(sealed).first(8), {}); }), 5);
  EXPECT_EQ(code_of([&] { ChunkedCipher(suite, ByteVector(31), ChunkSalt{}, {}); }, "32 bytes, and 31"), 2);
  EXPECT_EQ(code_of([&] { ChunkedCipher(suite, ByteVector(32), ChunkSalt{}, {}, {"cpu:none", 0}); }), 2);
  EXPECT_EQ(code_of([&] { static_cast<void>(find_suite("des-ede3")); }, "aes-256, aes-128, serpent-256, twofish-256"), 2);
}

}  // namespace
}  // namespace phalanx::test
