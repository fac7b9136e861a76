// Messages of ChunkedAead that were changed, cut, moved or added to: found by all that opens them, in pieces of any size, and no
// byte is let out that was not verified. Streams after a failure.
#include <algorithm>

#include "chunked_fixture.hpp"

namespace phalanx::test {
namespace {

constexpr std::size_t chunk = 16400;
constexpr std::size_t prefix = 56;
constexpr std::size_t last_bytes = 100;  // of plaintext in the last chunk

// Four full chunks and a short one.
const SealedMessage& original() {
  static const SealedMessage message("cobblestone-128", 4 * 16384 + last_bytes, 21);
  return message;
}

ByteVector part(std::size_t begin, std::size_t end) {
  const ByteVector& sealed = original().sealed;
  return {sealed.begin() + static_cast<long>(begin), sealed.begin() + static_cast<long>(end)};
}
ByteVector chunk_of(std::size_t number) {
  return part(prefix + number * chunk, std::min(original().sealed.size(), prefix + (number + 1) * chunk));
}
// A message of these chunks.
ByteVector of_chunks(const std::vector<std::size_t>& numbers) {
  ByteVector message = part(0, prefix);
  for (const std::size_t number : numbers) {
    const ByteVector more = chunk_of(number);
    message.insert(message.end(), more.begin(), more.end());
  }
  return message;
}
ByteVector flipped(std::size_t place) {
  ByteVector message = original().sealed;
  message[place] ^= 0x10;
  return message;
}
ByteVector longer(std::size_t more) {
  ByteVector message = original().sealed;
  message.insert(message.end(), more, 0);
  return message;
}

// What was done; what a whole message or a reader says; what a stream says, which does not know the length; how many chunks
// a stream can verify before.
struct Change {
  const char* what;
  ByteVector message;
  int code;
  int stream_code;
  std::size_t num_good;
};

std::vector<Change> all_changes() {
  const std::size_t size = original().sealed.size();
  return {
      {"a tag of the first chunk", flipped(prefix + chunk - 1), 3, 3, 0},
      {"a tag in the middle", flipped(prefix + 3 * chunk - 16), 3, 3, 2},
      {"the last tag", flipped(size - 1), 3, 3, 4},
      {"text of the first chunk", flipped(prefix), 3, 3, 0},
      {"text of the last chunk", flipped(prefix + 4 * chunk), 3, 3, 4},
      {"without the first chunk", of_chunks({1, 2, 3, 4}), 3, 3, 0},
      {"without one in the middle", of_chunks({0, 1, 3, 4}), 3, 3, 2},
      {"without the last one", of_chunks({0, 1, 2, 3}), 5, 5, 4},
      {"without any", of_chunks({}), 5, 5, 0},
      {"one doubled", of_chunks({0, 1, 1, 2, 3, 4}), 3, 3, 2},
      {"the first one again", of_chunks({0, 0, 1, 2, 3, 4}), 3, 3, 1},
      {"two swapped", of_chunks({0, 2, 1, 3, 4}), 3, 3, 1},
      {"the last chunk twice", of_chunks({0, 1, 2, 3, 4, 4}), 3, 3, 4},
      {"one byte less", part(0, size - 1), 3, 3, 4},
      {"the last tag cut off", part(0, size - 16), 3, 3, 4},
      {"a tag alone", part(0, prefix + 4 * chunk + 16), 3, 3, 4},
      {"less than a tag", part(0, prefix + 4 * chunk + 15), 5, 5, 4},
      {"one byte of the last chunk", part(0, prefix + 4 * chunk + 1), 5, 5, 4},
      {"cut inside a chunk", part(0, prefix + 2 * chunk + 1000), 3, 3, 2},
      {"cut at a chunk's end", part(0, prefix + 2 * chunk), 5, 5, 2},
      {"a byte more", longer(1), 3, 3, 4},
      {"as much as makes the last chunk full", longer(chunk - 16 - last_bytes), 5, 3, 4},
      {"a few bytes more than that", longer(chunk - last_bytes - 1), 5, 3, 4},
      {"a chunk of zeros more", longer(chunk), 3, 3, 4},
      {"a short salt", part(0, 23), 5, 5, 0},
      {"a short commitment", part(0, 55), 5, 5, 0},
      {"nothing", {}, 5, 5, 0},
      {"a changed salt", flipped(0), 4, 4, 0},
      {"a changed commitment", flipped(55), 4, 4, 0},
  };
}

ByteVector first_chunks(std::size_t number) {
  return {original().plain.begin(), original().plain.begin() + static_cast<long>(number * 16384)};
}

TEST(ChunkedChanges, AreFoundInWholeMessages) {
  for (const Change& change : all_changes()) {
    SCOPED_TRACE(change.what);
    const ByteVector& message = change.message;
    ByteVector out(message.size(), 0xa5);
    const int code = code_of([&] {
      out.resize(ChunkedAead::plain_bytes(message.size()), 0xa5);
      original().aead.open(message, out);
    });
    EXPECT_EQ(code, change.code);
    if (code != 5) {
      EXPECT_EQ(out, ByteVector(out.size())) << "something was let out";
    }
    const int reader_code = code_of([&] {
      const ChunkedReader reader(original().aead, message);
      ByteVector all(reader.size(), 0xa5);
      EXPECT_EQ(code_of([&] { reader.read(0, all); }), 3) << "its length is authentic, its chunks are not";
      EXPECT_EQ(all, ByteVector(all.size()));
      ByteVector good(change.num_good * 16384);
      reader.read(0, good);
      EXPECT_EQ(good, first_chunks(change.num_good));
      throw Error(ErrorCode::authentication, "as expected");
    });
    EXPECT_EQ(reader_code, change.code);
  }
}

TEST(ChunkedChanges, AreFoundInStreamsOfAnyPieces) {
  for (const Change& change : all_changes()) {
    for (const auto& pieces : awkward_pieces) {
      SCOPED_TRACE(std::string(change.what) + ", " + std::to_string(pieces[0]));
      ByteVector plain;
      ChunkedOpener opener(original().aead, appends_to(plain));
      const int code = code_of([&] {
        write_in_pieces(opener, change.message, pieces);
        opener.finish();
      });
      EXPECT_EQ(code, change.stream_code);
      ASSERT_EQ(plain.size() % 16384, 0U);
      const std::size_t num_let_out = plain.size() / 16384;
      ASSERT_LE(num_let_out, change.num_good) << "something was let out";
      EXPECT_EQ(plain, first_chunks(num_let_out));
      // A call gives all chunks that it completes, or none of those together.
      EXPECT_TRUE(num_let_out == change.num_good || pieces[0] >= 16400 || pieces.size() > 1);
      EXPECT_EQ(code_of([&] { opener.write(change.message); }, "finished, or failed"), 2);
      EXPECT_EQ(code_of([&] { opener.finish(); }, "finished, or failed"), 2);
    }
  }
}

// Byte by byte: a chunk comes with its last byte, and not before.
TEST(ChunkedChanges, AChunkComesWithItsLastByte) {
  const SealedMessage& message = original();
  ByteVector plain;
  ChunkedOpener opener(message.aead, appends_to(plain));
  for (std::size_t i = 0; i < message.sealed.size(); ++i) {
    opener.write(Bytes(message.sealed).subspan(i, 1));
    const std::size_t num_chunks = i + 1 < prefix ? 0 : (i + 1 - prefix) / chunk;
    ASSERT_EQ(plain.size(), num_chunks * 16384) << i;
  }
  opener.finish();
  EXPECT_EQ(plain, message.plain);
}

TEST(ChunkedChanges, OtherKeysContextsAndCiphers) {
  const SealedMessage& message = original();
  const auto code = [&](const ChunkedAead& aead) {
    const int whole = code_of([&] { open_whole(aead, message.sealed); });
    EXPECT_EQ(code_of([&] { ChunkedReader(aead, message.sealed); }), whole);
    ChunkedOpener opener(aead, [](Bytes) { FAIL() << "something was let out"; });
    opener.write(Bytes(message.sealed).first(prefix - 1));
    EXPECT_EQ(code_of([&] { opener.write(Bytes(message.sealed).subspan(prefix - 1)); }), whole);
    return whole;
  };
  ByteVector key = message.key;
  key[15] ^= 1;
  EXPECT_EQ(code(ChunkedAead("cobblestone-128", key, message.context)), 4);
  EXPECT_EQ(code(ChunkedAead("cobblestone-128", message.key)), 4);
  EXPECT_EQ(code(ChunkedAead("cobblestone-128", message.key, bytes_of("a context."))), 4);
  const SealedMessage other("serpent-256", 10, 7);
  const ChunkedAead twofish("twofish-256", other.key, other.context);
  EXPECT_EQ(code_of([&] { open_whole(twofish, other.sealed); }), 4) << "the cipher is bound too";
}

TEST(ChunkedChanges, AReaderFailsForThatChunkAlone) {
  const ByteVector changed = flipped(prefix + 2 * chunk + 9);
  const ChunkedReader reader(original().aead, changed);
  for (int i = 0; i < 2; ++i) {
    ByteVector out(20'000, 0xa5);
    EXPECT_EQ(code_of([&] { reader.read(2 * 16384 - 1, out); }, "chunk 2"), 3);
    EXPECT_EQ(out, ByteVector(20'000));
    reader.read(16384, MutableBytes(out).first(16384));
    EXPECT_TRUE(std::equal(out.begin(), out.begin() + 16384, original().plain.begin() + 16384));
  }
}

TEST(ChunkedChanges, StreamsAfterAFailure) {
  const SealedMessage& message = original();
  bool fails = false;
  std::size_t num_bytes = 0;
  const Append append = [&](Bytes bytes) {
    if (fails) throw Error(ErrorCode::runtime, "the disk is full");
    num_bytes += bytes.size();
  };
  const auto expect_over = [&](auto& stream, Bytes bytes) {
    fails = true;
    EXPECT_EQ(code_of([&] { stream.write(bytes); }, "the disk is full"), 1);
    fails = false;
    const std::size_t before = num_bytes;
    EXPECT_EQ(code_of([&] { stream.write(bytes); }, "make another"), 2);
    EXPECT_EQ(code_of([&] { stream.finish(); }, "make another"), 2);
    EXPECT_EQ(num_bytes, before);
  };
  ChunkedSealer sealer(message.aead, append);
  expect_over(sealer, message.plain);
  ChunkedOpener opener(message.aead, append);
  expect_over(opener, message.sealed);
  fails = true;
  EXPECT_EQ(code_of([&] { ChunkedSealer(message.aead, append); }, "the disk is full"), 1);
}

TEST(ChunkedChanges, ASealerThatWasNotFinished) {
  ByteVector sealed;
  {
    ChunkedSealer sealer(original().aead, appends_to(sealed));
    sealer.write(original().plain);
  }
  EXPECT_EQ(code_of([&] { open_whole(original().aead, sealed); }), 5);
}

// NOLINTBEGIN(bugprone-use-after-move)
TEST(ChunkedChanges, MovedFromTheySaySo) {
  SealedMessage message("cobblestone-256", 100, 3);
  const ChunkedAead aead(std::move(message.aead));
  EXPECT_EQ(code_of([&] { static_cast<void>(message.aead.name()); }, "moved from"), 2);
  EXPECT_EQ(code_of([&] { open_whole(message.aead, message.sealed); }, "moved from"), 2);
  EXPECT_EQ(code_of([&] { ChunkedReader(message.aead, message.sealed); }, "moved from"), 2);
  EXPECT_EQ(open_whole(aead, message.sealed), message.plain);
  ByteVector sealed, plain;
  ChunkedSealer sealer(aead, appends_to(sealed));
  ChunkedSealer other_sealer(std::move(sealer));
  EXPECT_EQ(code_of([&] { sealer.write(plain); }, "moved from"), 2);
  EXPECT_EQ(code_of([&] { sealer.finish(); }, "moved from"), 2);
  other_sealer.finish();
  ChunkedOpener opener(aead, appends_to(plain));
  ChunkedOpener other_opener(std::move(opener));
  EXPECT_EQ(code_of([&] { opener.write(sealed); }, "moved from"), 2);
  EXPECT_EQ(code_of([&] { opener.finish(); }, "moved from"), 2);
  other_opener.write(sealed);
  other_opener.finish();
  ChunkedReader reader(aead, sealed);
  const ChunkedReader other_reader(std::move(reader));
  EXPECT_EQ(code_of([&] { static_cast<void>(reader.size()); }, "moved from"), 2);
  EXPECT_EQ(code_of([&] { reader.read(0, plain); }, "moved from"), 2);
  EXPECT_EQ(other_reader.size(), 0U);
}
// NOLINTEND(bugprone-use-after-move)

// What streams and readers need they have, without the ChunkedAead.
TEST(ChunkedChanges, TheyOutliveTheirKey) {
  ByteVector sealed, plain;
  auto aead = std::make_unique<ChunkedAead>("twofish-256", ByteVector(32, 5));
  ChunkedSealer sealer(*aead, appends_to(sealed));
  ChunkedOpener opener(*aead, appends_to(plain));
  aead.reset();
  sealer.write(ByteVector(20'000, 7));
  sealer.finish();
  opener.write(sealed);
  opener.finish();
  EXPECT_EQ(plain, ByteVector(20'000, 7));
}

}  // namespace
}  // namespace phalanx::test
