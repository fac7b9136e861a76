// Thrift's compact protocol: what is not changed stays as it was, and bytes of any kind are read or refused.
#include "parquet/compact_protocol.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <phalanx/error.hpp>

namespace phalanx {
namespace {

ErrorCode code_of(const Buffer& bytes) {
  try {
    static_cast<void>(CompactStruct::read_all(bytes));
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode{};
}

// 1: i32 -1; 2: true; 20: "ab"; 21: [ {1: i64 300} {} ]
const Buffer example{0x15, 0x01, 0x11, 0x08, 0x28, 0x02, 'a', 'b', 0x19, 0x2c, 0x16, 0xd8, 0x04, 0x00, 0x00, 0x00};

TEST(CompactProtocol, ReadsFields) {
  const CompactStruct read = CompactStruct::read_all(example);
  EXPECT_EQ(read.num_bytes(), example.size());
  EXPECT_EQ(read.integer(1), -1);
  EXPECT_EQ(read.truth(2), true);
  EXPECT_FALSE(read.has(3));
  EXPECT_EQ(read.integer(3), std::nullopt);
  ASSERT_TRUE(read.binary(20));
  EXPECT_EQ(Buffer(read.binary(20)->begin(), read.binary(20)->end()), (Buffer{'a', 'b'}));
  const auto elements = read.structures(21).value();
  ASSERT_EQ(elements.size(), 2U);
  EXPECT_EQ(CompactStruct::read_all(elements[0]).integer(1), 300);
  EXPECT_EQ(read.bytes(),
            (Buffer{0x15, 0x01, 0x11, 0x08, 0x28, 0x02, 'a', 'b', 0x19, 0x2c, 0x16, 0xd8, 0x04, 0x00, 0x00, 0x00}));
}

TEST(CompactProtocol, ChangesFieldsAndKeepsOthers) {
  CompactStruct changed = CompactStruct::read_all(example);
  changed.set_integer(1, CompactType::i32, 70000);
  changed.set_truth(2, false);
  changed.set_binary(3, bytes_of("x"));
  changed.remove(20);
  changed.set_texts(40, std::vector<std::string>(20, "y"));
  const Buffer bytes = changed.bytes();
  const CompactStruct again = CompactStruct::read_all(bytes);
  EXPECT_EQ(again.integer(1), 70000);
  EXPECT_EQ(again.truth(2), false);
  EXPECT_EQ(again.binary(3)->size(), 1U);
  EXPECT_FALSE(again.has(20));
  EXPECT_EQ(again.structures(21)->size(), 2U);
  EXPECT_EQ(again.texts(40)->size(), 20U);
  EXPECT_EQ(again.bytes(), bytes);
  for (const std::int64_t value : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
    changed.set_integer(1, CompactType::i64, value);
    EXPECT_EQ(changed.integer(1), value);
  }
}

TEST(CompactProtocol, RefusesWhatIsNone) {
  for (std::size_t size = 0; size < example.size(); ++size) {
    EXPECT_EQ(code_of(Buffer(example.begin(), example.begin() + static_cast<std::ptrdiff_t>(size))), ErrorCode::truncated)
        << size;
  }
  EXPECT_EQ(code_of({0x15, 0x01, 0x05, 0x02, 0x01, 0x00}), ErrorCode::format) << "a field twice";
  EXPECT_EQ(code_of({0x05, 0x01, 0x01, 0x00}), ErrorCode::format) << "a negative id";
  EXPECT_EQ(code_of({0x1e, 0x00}), ErrorCode::format) << "an unknown type";
  EXPECT_EQ(code_of({0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0x00}), ErrorCode::format)
      << "65 bits";
  EXPECT_EQ(code_of({0x18, 0xff, 0xff, 0xff, 0xff, 0x0f, 'a', 0x00}), ErrorCode::truncated) << "a long text";
  EXPECT_EQ(code_of({0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x00}), ErrorCode::truncated) << "a long list";
  EXPECT_EQ(code_of({0x1b, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x11}), ErrorCode::truncated) << "a long map";
  Buffer behind = example;
  behind.push_back(0);
  EXPECT_EQ(code_of(behind), ErrorCode::format) << "bytes behind it";
}

// Structs in structs, and lists in lists.
TEST(CompactProtocol, LimitsDepth) {
  for (const std::uint8_t opening : {std::uint8_t{0x1c}, std::uint8_t{0x19}}) {
    Buffer few(20, opening), many(100000, opening);
    EXPECT_EQ(code_of(few), ErrorCode::truncated);
    EXPECT_EQ(code_of(many), ErrorCode::format);
  }
}

// A field of a byte takes little more memory than it has in the file: who sends a footer cannot make it hundreds of times as long.
TEST(CompactProtocol, FieldsTakeLittleMemory) {
  Buffer fields(32000, 0x11);
  fields.push_back(0);
  const auto num_allocated = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  const std::size_t before = num_allocated();
  const CompactStruct read = CompactStruct::read_all(fields);
  EXPECT_LE(num_allocated() - before, 13 * fields.size());
  EXPECT_EQ(read.truth(32000), true);
}

TEST(CompactProtocol, TypesAreThoseAskedFor) {
  const CompactStruct read = CompactStruct::read_all(example);
  EXPECT_THROW(static_cast<void>(read.integer(2)), Error);
  EXPECT_THROW(static_cast<void>(read.truth(1)), Error);
  EXPECT_THROW(static_cast<void>(read.binary(21)), Error);
  EXPECT_THROW(static_cast<void>(read.structure(21)), Error);
  EXPECT_THROW(static_cast<void>(read.structures(20)), Error);
  EXPECT_THROW(static_cast<void>(read.texts(21)), Error);
}

}  // namespace
}  // namespace phalanx
