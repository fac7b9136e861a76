// Structures in BER: lengths of both kinds, strings in pieces, and what lies about its length or its depth.
#include "files/foreign/asn1/ber_stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "files/foreign/asn1/der_fields.hpp"
#include "files/foreign/asn1/der_text.hpp"
#include "files/foreign/asn1/octet_string_source.hpp"
#include "tests/foreign/format_fixture.hpp"
#include "tests/vector_file.hpp"

namespace phalanx {
namespace {

using test::from_hex;
using Buffer = std::vector<std::uint8_t>;

class MemorySource : public SkippingSource {
 public:
  explicit MemorySource(Bytes rest) : rest_(rest) {}
  std::size_t read(MutableBytes out) override {
    const std::size_t size = std::min(out.size(), rest_.size());
    std::copy_n(rest_.begin(), size, out.begin());
    rest_ = rest_.subspan(size);
    return size;
  }
  void skip(std::uint64_t num_bytes) override {
    rest_ = rest_.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(num_bytes, rest_.size())));
  }

 private:
  Bytes rest_;
};

// A stream over bytes of its own.
struct OwnStream {
  explicit OwnStream(Buffer of_bytes, bool can_skip = false)
      : bytes(std::move(of_bytes)), source(bytes), stream(source, "IN", can_skip ? &source : nullptr) {}
  explicit OwnStream(const char* hex) : OwnStream(from_hex(hex)) {}

  Buffer bytes;
  MemorySource source;
  BerStream stream;
};

Buffer element_of(const char* hex) { return OwnStream(hex).stream.take_element(); }
ErrorCode code_of_element(const char* hex) {
  return code_of([&] { static_cast<void>(element_of(hex)); });
}

Buffer counted(std::size_t size) {
  Buffer bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  return bytes;
}

Buffer joined(std::initializer_list<Buffer> parts) {
  Buffer all;
  for (const Buffer& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(BerStream, GivesElementsInTheirShortestForm) {
  EXPECT_EQ(element_of("020105"), from_hex("020105"));
  EXPECT_EQ(element_of("0282000105"), from_hex("020105"));
  EXPECT_EQ(element_of("0284000000010506"), from_hex("020105")) << "what follows is not touched";
  EXPECT_EQ(element_of("30800201050201060000"), from_hex("3006020105020106"));
  EXPECT_EQ(element_of("3080308002010500003181000201070000"), from_hex("300a30030201053100020107"));
  EXPECT_EQ(element_of("3000"), from_hex("3000"));
  const Buffer content = counted(70000);
  Buffer long_one;
  append_der_header(long_one, 0x04, content.size());
  EXPECT_EQ(long_one, from_hex("0483011170"));
  OwnStream own(joined({from_hex("3080048400011170"), content, from_hex("0000")}));
  EXPECT_EQ(own.stream.take_element(), der_element(0x30, der_element(0x04, content)));
}

TEST(BerStream, RefusesLengthsThatLie) {
  for (const char* hex : {"30", "3005020105", "0205", "02820001", "3080020105", "308002010500", "04847fffffff00"}) {
    const ErrorCode code = code_of_element(hex);
    EXPECT_TRUE(code == ErrorCode::truncated || code == ErrorCode::format) << hex;
  }
  EXPECT_EQ(code_of_element("3003020205"), ErrorCode::format) << "an inner length beyond the outer one";
  EXPECT_EQ(code_of_element("30023080"), ErrorCode::format) << "an end mark beyond the outer length";
  EXPECT_EQ(code_of_element("0488ffffffffffffffff"), ErrorCode::format) << "2^64 - 1";
  EXPECT_EQ(code_of_element("04887fffffffffffffff00"), ErrorCode::format) << "longer than what may stand beside a content";
  EXPECT_EQ(code_of_element("0489010000000000000000"), ErrorCode::format) << "2^64";
  EXPECT_EQ(code_of_element("0480"), ErrorCode::format) << "a primitive without a length";
  EXPECT_EQ(code_of_element("1f8101"), ErrorCode::format) << "a tag of several octets";
  EXPECT_EQ(code_of_element("0483fffffe00"), ErrorCode::truncated) << "nearly 16 MiB";
}

TEST(BerStream, RefusesDepthAndSizeBeyondItsLimits) {
  const auto nested = [](std::size_t depth) {
    Buffer bytes;
    for (std::size_t i = 0; i < depth; ++i) bytes.insert(bytes.end(), {0x30, 0x80});
    bytes.resize(bytes.size() + 2 * depth);
    return bytes;
  };
  const auto code_of_depth = [&](std::size_t depth) {
    return code_of([&] { static_cast<void>(OwnStream(nested(depth)).stream.take_element()); });
  };
  EXPECT_EQ(code_of_depth(BerStream::most_depth), ErrorCode{0});
  EXPECT_EQ(code_of_depth(BerStream::most_depth + 1), ErrorCode::format);
  EXPECT_EQ(code_of_depth(100000), ErrorCode::format);
  // All elements that were taken have a limit together, too.
  const Buffer one = der_element(0x04, Buffer(std::size_t{1} << 20));
  Buffer many;
  for (int i = 0; i < 20; ++i) many.insert(many.end(), one.begin(), one.end());
  OwnStream own(std::move(many));
  int num_taken = 0;
  EXPECT_EQ(code_of([&] {
              for (; num_taken < 20; ++num_taken) static_cast<void>(own.stream.take_element());
            }),
            ErrorCode::format);
  EXPECT_EQ(num_taken, 15);
}

TEST(BerStream, EntersAndLeavesWhatItIsToldTo) {
  OwnStream own("30803006020105800107a080a10000000000");
  BerStream& stream = own.stream;
  stream.enter(ber::sequence, "a message");
  EXPECT_FALSE(stream.is_at_end());
  EXPECT_TRUE(stream.is_next(ber::sequence));
  EXPECT_FALSE(stream.is_next(ber::set));
  EXPECT_EQ(code_of([&] { stream.enter(ber::set, "a list"); }), ErrorCode::format);
  stream.enter(ber::sequence, "a part");
  EXPECT_EQ(stream.take_element(), from_hex("020105"));
  EXPECT_EQ(code_of([&] { stream.leave(); }), ErrorCode::format) << "there is more in it";
  stream.leave_early();
  stream.enter(ber::context(0, true), "another");
  stream.leave_early();
  EXPECT_EQ(code_of([&] { stream.leave(); }), ErrorCode{0});
  EXPECT_EQ(stream.position(), own.bytes.size());
}

TEST(BerStream, PassesOverContentsByReadingAndBySkipping) {
  const Buffer content = counted(1000000);
  for (const bool can_skip : {false, true}) {
    OwnStream own(joined({der_element(0x04, content), from_hex("020105")}), can_skip);
    const BerHeader header = own.stream.read_header();
    EXPECT_EQ(header.num_bytes, content.size());
    own.stream.skip(*header.num_bytes);
    EXPECT_EQ(own.stream.take_element(), from_hex("020105"));
    OwnStream cut(joined({from_hex("3084000f424504830f4240"), Buffer(100)}), can_skip);
    cut.stream.enter(ber::sequence, "all");
    EXPECT_EQ(code_of([&] {
                cut.stream.skip(*cut.stream.read_header().num_bytes);
                static_cast<void>(cut.stream.take_element());
              }) == ErrorCode{0},
              false);
  }
}

// The string through reads of so many bytes.
Buffer drain(OctetStringSource& string, std::size_t each) {
  Buffer all, part(each);
  for (std::size_t got = each; got == each;) {
    got = string.read(part);
    all.insert(all.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
  }
  return all;
}

TEST(OctetStringSource, GivesStringsInOnePieceAndInMany) {
  const Buffer content = counted(5000);
  const auto piece = [&](std::size_t begin, std::size_t end) {
    return der_element(0x04, Bytes(content).subspan(begin, end - begin));
  };
  const Buffer inner = joined({from_hex("2480"), piece(100, 700), from_hex("0400"), piece(700, 701), from_hex("0000")});
  const Buffer definite = der_element(0x24, joined({piece(701, 4000), piece(4000, 4001)}));
  const Buffer pieces = joined({piece(0, 100), from_hex("0400"), inner, definite, piece(4001, 5000)});
  const Buffer strings[] = {der_element(0x80, content), der_element(0xa0, pieces),
                            joined({from_hex("a080"), pieces, from_hex("0000")})};
  for (const Buffer& string : strings) {
    for (const std::size_t each : {1, 7, 100, 4096, 5000, 9999}) {
      OwnStream own(joined({string, from_hex("020105")}));
      OctetStringSource source(own.stream, 0x80);
      EXPECT_EQ(source.num_bytes().has_value(), string.front() == 0x80);
      EXPECT_EQ(drain(source, each), content) << each;
      EXPECT_TRUE(source.has_ended());
      EXPECT_EQ(own.stream.take_element(), from_hex("020105")) << "it stands behind the string";
    }
  }
}

TEST(OctetStringSource, RefusesWhatIsNoString) {
  const auto code_of_string = [](const char* hex) {
    return code_of([&] {
      OwnStream own(hex);
      OctetStringSource source(own.stream, 0x80);
      drain(source, 100);
    });
  };
  EXPECT_EQ(code_of_string("8003010203"), ErrorCode{0});
  EXPECT_EQ(code_of_string("0403010203"), ErrorCode::format);
  EXPECT_EQ(code_of_string("a08002010500"), ErrorCode::format) << "a piece is a number";
  EXPECT_EQ(code_of_string("a0038001ff"), ErrorCode::format) << "pieces have the tag of strings";
  EXPECT_EQ(code_of_string("a0040404aaaa"), ErrorCode::format) << "a piece beyond its string";
  EXPECT_EQ(code_of_string("a0800402aabb"), ErrorCode::truncated);
  EXPECT_EQ(code_of_string("80050102"), ErrorCode::truncated);
  EXPECT_EQ(code_of_string("a08024802480"), ErrorCode::truncated);
}

TEST(DerFields, GiveFieldsAndRefuseOthers) {
  const Buffer bytes = from_hex("020201000401aa2406040101040102");
  DerFields fields(bytes);
  EXPECT_EQ(fields.take_number(), 256U);
  EXPECT_FALSE(fields.take_if(ber::sequence).has_value());
  EXPECT_EQ(fields.take_octets(ber::octet_string), from_hex("aa"));
  EXPECT_EQ(fields.take_octets(ber::octet_string), from_hex("0102"));
  EXPECT_TRUE(fields.is_at_end());
  EXPECT_EQ(code_of([&] { fields.take(ber::integer); }), ErrorCode::format);
  for (const char* hex : {"02", "0201", "0280", "0282", "02850000000001", "0201ff", "0200", "0209010000000000000000"}) {
    const Buffer wrong = from_hex(hex);
    EXPECT_EQ(code_of([&] { static_cast<void>(DerFields(wrong).take_number()); }), ErrorCode::format) << hex;
  }
}

TEST(DerText, SetsAreInTheOrderOfTheirElements) {
  EXPECT_EQ(in_order_of_der(from_hex("0201070401aa0201053000")), from_hex("0201050201070401aa3000"));
  EXPECT_EQ(in_order_of_der({}), Buffer());
}

}  // namespace
}  // namespace phalanx
