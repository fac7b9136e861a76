// The lines of a manifest, beside another reader and writer of JSON, which wrote them once: the same bytes, and the same read.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/text/hex.hpp"
#include "engine/text/json_line.hpp"
#include "files/migration/manifest/manifest_record.hpp"

namespace phalanx::test {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

// As manifests were written when that library wrote them.
void put_name(Json& json, const std::string& field, const std::string& name) {
  json[field] = name;
  if (Json::parse(dump(Json(name))).get<std::string>() == name) return;
  json[field + "_hex"] = encode_hex({reinterpret_cast<const std::uint8_t*>(name.data()), name.size()});
}

int exit_code_in_line(ErrorCode code) {
  const ErrorCode codes[] = {ErrorCode::runtime,   ErrorCode::usage,     ErrorCode::authentication,
                             ErrorCode::wrong_key, ErrorCode::truncated, ErrorCode::policy};
  return static_cast<int>(std::find(std::begin(codes), std::end(codes), code) - std::begin(codes)) + 1;
}

void put_done(Json& json, const ManifestRecord& record) {
  json["in_bytes"] = record.in_bytes;
  json["out_bytes"] = record.out_bytes;
  json["verified"] = record.verified;
  if (!record.stripped.empty()) put_name(json, "stripped", record.stripped);
  if (!record.source.empty()) json["source"] = record.source;
  if (record.removing && !record.deleted && record.kept.empty()) json["removing"] = true;
  json["deleted"] = record.deleted;
  if (!record.kept.empty()) json["kept"] = record.kept;
  if (!record.doubt.sentence.empty()) json["doubt"] = record.doubt.sentence;
  if (record.doubt) json["doubt_kind"] = doubt_name(record.doubt.kind);
  if (record.key.opened != 0) json["key_opened"] = record.key.opened;
  if (record.key.failed != 0) json["key_failed"] = record.key.failed;
  if (!record.with.found.empty()) json["found"] = record.with.found;
  if (record.with.padding_bytes != 0) json["padding_bytes"] = record.with.padding_bytes;
  if (!record.with.kind.empty()) json["kind"] = record.with.kind;
  if (!record.with.also_fits.empty()) json["also_fits"] = record.with.also_fits;
}

std::string line_of_before(const ManifestRecord& record) {
  Json json;
  put_name(json, "name", record.name);
  json["state"] = state_name(record.state);
  if (record.state == MigratedAs::done) {
    put_done(json, record);
  } else {
    json["why"] = record.why;
  }
  if (record.state == MigratedAs::failed) {
    json["reason"] = record.reason;
    json["exit_code"] = exit_code_in_line(record.code);
  }
  return dump(json);
}

class RandomRecords {
 public:
  ManifestRecord next() {
    ManifestRecord record;
    record.name = text() + "nn";
    record.state = static_cast<MigratedAs>(1 + below(3));
    record.why = maybe();
    record.reason = maybe();
    record.code = static_cast<ErrorCode>(below(6) + 1);
    record.in_bytes = number();
    record.out_bytes = number();
    record.verified = below(2) == 0;
    record.stripped = below(2) == 0 ? "" : "n";
    record.source = maybe();
    record.removing = below(2) == 0;
    record.deleted = below(2) == 0;
    record.kept = maybe();
    if (below(2) == 0) record.doubt = {static_cast<DoubtKind>(1 + below(8)), maybe()};
    record.key = {.opened = below(2) * number(), .failed = below(2) * number()};
    record.with.found = maybe();
    record.with.padding_bytes = static_cast<std::size_t>(below(2) * below(300));
    record.with.kind = maybe();
    for (std::uint64_t left = below(3); left > 0; --left) record.with.also_fits.push_back(text());
    return record;
  }

  // Any bytes; characters, whole and cut; and what JSON escapes.
  std::string text() {
    static const std::string parts[] = {"a",
                                        "/",
                                        "\"",
                                        "\\",
                                        "\n",
                                        "\b\f\r\t",
                                        "\x01\x1f",
                                        "\x7f",
                                        "\xc3\xa9",
                                        "\xe2\x82\xac",
                                        "\xe2\x82",
                                        "\xe2",
                                        "\xc3",
                                        "\xf0\x9f\x94\x91",
                                        "\xf0\x9f",
                                        "\xf0\x9f\x94",
                                        "\xed\xa0\x80",
                                        "\xf4\x90",
                                        "\xc0\x80",
                                        "\xef\xbf\xbd"};
    std::string text;
    for (std::uint64_t left = below(9); left > 0; --left) {
      if (below(4) == 0) {
        text += static_cast<char>(below(256));
      } else {
        text += parts[below(std::size(parts))];
      }
    }
    return text;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::uint64_t number() { return random_() >> below(64); }
  std::string maybe() { return below(2) == 0 ? "" : text(); }

  std::mt19937_64 random_{20261124};
};

TEST(ManifestLine, IsWhatTheOtherWriterWrites) {
  RandomRecords records;
  for (int i = 0; i < 20'000; ++i) {
    const ManifestRecord record = records.next();
    ASSERT_EQ(manifest_line(record), line_of_before(record));
  }
  const ManifestTrees trees{.from = "/old \xff", .to = "/new \xc3\xa9"};
  Json header;
  header["phalanx_manifest"] = 1;
  put_name(header, "from_tree", trees.from);
  put_name(header, "to_tree", trees.to);
  EXPECT_EQ(manifest_header(trees), dump(header));
  EXPECT_EQ(read_manifest_header(dump(header)).trees.from, trees.from);
  EXPECT_EQ(read_manifest_header(dump(header)).trees.to, trees.to);
}

// With spaces, and with all but ASCII escaped, as any other program may have written them again.
TEST(ManifestLine, IsReadAsTheOtherWriterWroteIt) {
  RandomRecords records;
  for (int i = 0; i < 5'000; ++i) {
    const ManifestRecord record = records.next();
    const Json json = Json::parse(line_of_before(record));
    for (const std::string& line : {json.dump(), json.dump(1), json.dump(-1, ' ', true)}) {
      const ManifestRecord read = read_manifest_line(line);
      ASSERT_EQ(read.name, record.name) << line;
      ASSERT_EQ(read.state, record.state) << line;
      ASSERT_TRUE(record.state != MigratedAs::failed || read.code == record.code) << line;
      ASSERT_EQ(manifest_line(read), manifest_line(record)) << line;
    }
  }
}

// What is taken off is an end of the name, and not all of it: no line leads out of the folder of the old file.
TEST(ManifestLine, TakesNothingElseOff) {
  const auto line = [](const char* name, const char* stripped) {
    return dump(Json{{"name", name}, {"state", "done"}, {"stripped", stripped}});
  };
  EXPECT_EQ(read_manifest_line(line("a/b.tar.des3", ".des3")).container(), "a/b.tar.phalanx");
  EXPECT_EQ(read_manifest_line(line("a/b.tar.des3", "")).container(), "a/b.tar.des3.phalanx");
  for (const char* stripped : {".aes", "b.tar.des3", "/b.tar.des3", "x.b.tar.des3"})
    EXPECT_THROW(static_cast<void>(read_manifest_line(line("a/b.tar.des3", stripped))), Error) << stripped;
}

TEST(JsonLine, IsReadOnlyIfItIsOne) {
  for (const char* const text : {"",
                                 "{",
                                 "[]",
                                 "{}x",
                                 "{\"a\"}",
                                 "{\"a\":}",
                                 "{\"a\":1,}",
                                 "{\"a\":01}",
                                 "{\"a\":tru}",
                                 "{\"a\":\"\\x\"}",
                                 "{\"a\":\"\\ud83d\"}",
                                 "{\"a\":\"\\udd11\"}",
                                 "{\"a\":\"\\u12\"}",
                                 "{\"a\":\"\n\"}",
                                 "{\"a\":\"\xff\"}",
                                 "{\"a\":[1}",
                                 "{\"a\":[[]]}",
                                 "{\"a\":\"b}",
                                 "{a:1}",
                                 "{\"a\":\"\\"}) {
    EXPECT_THROW(JsonObject{text}, Error) << text;
  }
  const JsonObject object(
      R"( { "a" : "\ud83d\udd11\/" , "b":[ "c" , "d" ], "e":18446744073709551615, "a": "last", "f":null } )");
  EXPECT_EQ(object.text("a"), "last");
  EXPECT_EQ(object.texts("b"), (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(object.number("e"), UINT64_MAX);
  EXPECT_EQ(object.number("none"), std::nullopt);
  EXPECT_THROW(static_cast<void>(object.number("e", 5)), Error);
  EXPECT_THROW(static_cast<void>(object.number("a")), Error);
  EXPECT_THROW(static_cast<void>(object.text("f")), Error);
  for (const char* const number : {"18446744073709551616", "-1", "1.5", "1e3"}) {
    EXPECT_THROW(static_cast<void>(JsonObject("{\"n\":" + std::string(number) + "}").number("n")), Error) << number;
  }
  EXPECT_EQ(JsonObject(R"({"a":"\ud83d\udd11\/"})").text("a"), "\xf0\x9f\x94\x91/");
}

}  // namespace
}  // namespace phalanx::test
