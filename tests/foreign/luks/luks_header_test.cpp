// Headers of LUKS, in memory.
#include "files/foreign/luks/luks_header.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <phalanx/error.hpp>
#include <string>
#include <vector>

#include "engine/text/json_line.hpp"
#include "files/foreign/luks/luks_volume.hpp"
#include "written_volume.hpp"

namespace phalanx {
namespace {

using Buffer = std::vector<std::uint8_t>;

const std::string rest_of_json =
    R"("tokens":{},"digests":{},"keyslots":{},"config":{"json_size":"12288","keyslots_size":"0"}})";

std::string json_with(const std::string& segments) { return R"({"segments":{)" + segments + "}," + rest_of_json; }

Buffer volume_of(const std::string& json, std::uint64_t second_sequence = 1) {
  Buffer image = write_luks2_header(json, 0);
  const Buffer second = write_luks2_header(json, image.size(), second_sequence);
  image.insert(image.end(), second.begin(), second.end());
  return image;
}

std::optional<ErrorCode> code_of(const Buffer& image) {
  try {
    static_cast<void>(read_luks_header(VolumeMemory(image, "IN", image.size())));
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

TEST(LuksHeader, ReadsSegmentsByTheirNumbers) {
  const std::string part = R"("type":"crypt","size":"512","iv_tweak":"7","encryption":"aes-xts-plain64","sector_size":512})";
  const Buffer image = volume_of(json_with(R"("10":{"offset":"0",)" + part + R"(,"9":{"offset":"512",)" + part));
  const LuksHeader header = read_luks_header(VolumeMemory(image, "IN", image.size()));
  ASSERT_EQ(header.segments.size(), 2);
  EXPECT_EQ(header.segments[0].number, 9);
  EXPECT_EQ(header.segments[1].number, 10);
  EXPECT_EQ(header.segments[0].first_iv_sector, 7);
  EXPECT_EQ(volume_bytes_of(header, VolumeMemory(image, "IN", image.size())), 1024);
}

TEST(LuksHeader, SaysThatASumIsTooLong) {
  const std::string size = std::to_string((std::uint64_t{1} << 63) - 512);
  std::string segments;
  for (int i = 0; i < 3; ++i) {
    segments += (i == 0 ? "" : ",") + ("\"" + std::to_string(i)) + R"(":{"type":"crypt","offset":"0","size":")" + size +
                R"(","iv_tweak":"0","encryption":"aes-xts-plain64","sector_size":512})";
  }
  const Buffer image = volume_of(json_with(segments));
  const LuksHeader header = read_luks_header(VolumeMemory(image, "IN", image.size()));
  const VolumeMemory large(image, "IN", UINT64_MAX);
  EXPECT_THROW(static_cast<void>(volume_bytes_of(header, large)), Error);
}

TEST(LuksHeader, NeedsOneOfTwoCopies) {
  Buffer image = volume_of(json_with(""));
  EXPECT_EQ(code_of(image), std::nullopt);
  image[5000] ^= 1;
  EXPECT_EQ(code_of(image), std::nullopt);
  image[16384 + 5000] ^= 1;
  EXPECT_EQ(code_of(image), ErrorCode::format);
  image[5000] ^= 1;
  EXPECT_EQ(code_of(image), std::nullopt);
  image.resize(16384);
  EXPECT_EQ(code_of(image), std::nullopt);
  image.resize(16383);
  EXPECT_EQ(code_of(image), ErrorCode::truncated);
}

TEST(LuksHeader, KnowsItsBeginnings) {
  const Buffer image = volume_of(json_with(""));
  EXPECT_TRUE(is_luks(image));
  EXPECT_TRUE(is_luks(write_luks1({})));
  EXPECT_FALSE(is_luks(Bytes(image).first(7)));
  EXPECT_TRUE(is_luks(Bytes(image).first(8)));
  Buffer lost = image;
  std::fill_n(lost.begin(), 4096, std::uint8_t{0});
  EXPECT_TRUE(is_luks(lost));
  EXPECT_FALSE(is_luks(Bytes(lost).first(16384)));
}

TEST(LuksHeader, OnlyTheBeginningIsAtHand) {
  const Buffer image = write_luks1(Buffer(512));
  EXPECT_THROW(static_cast<void>(read_luks_header(VolumeMemory(Bytes(image).first(591), "IN", image.size()))), Error);
  EXPECT_EQ(read_luks_header(VolumeMemory(Bytes(image).first(592), "IN", image.size())).version, 1);
}

TEST(NestedJson, HasTheDepthThatIsAskedFor) {
  const std::string text = R"({"a":{"b":[{"c":"d"}]},"n":[1]})";
  EXPECT_THROW(JsonObject{text}, Error);
  EXPECT_THROW(static_cast<void>(JsonObject::nested(text, 3)), Error);
  const JsonObject object = JsonObject::nested(text, 4);
  EXPECT_EQ(object.names(), (std::vector<std::string>{"a", "n"}));
  ASSERT_NE(object.object("a"), nullptr);
  EXPECT_EQ(object.object("a")->names(), std::vector<std::string>{"b"});
  EXPECT_EQ(object.object("x"), nullptr);
  EXPECT_THROW(static_cast<void>(object.object("n")), Error);
  for (const char* broken : {R"({"a":{)", R"({"a":{}},)", R"({"a":{"b":1,}})", R"({"a":[[})"}) {
    EXPECT_THROW(static_cast<void>(JsonObject::nested(broken, 9)), Error) << broken;
  }
}

}  // namespace
}  // namespace phalanx
