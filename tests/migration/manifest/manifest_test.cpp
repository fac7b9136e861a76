// The manifest of a migration: what is found again, what a crash may leave of it, and whose it is.
#include "files/migration/manifest/manifest.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/temporary_folder.hpp"

namespace phalanx::test {
namespace {

const ManifestTrees trees{.from = "/old", .to = "/new"};

ManifestRecord done(const std::string& name, std::uint64_t in_bytes = 7) {
  ManifestRecord record;
  record.name = name;
  record.in_bytes = in_bytes;
  record.out_bytes = in_bytes + 100;
  record.verified = true;
  return record;
}

ManifestRecord failed(const std::string& name) {
  ManifestRecord record;
  record.name = name;
  record.state = MigratedAs::failed;
  record.code = ErrorCode::authentication;
  record.why = "no \"key\" opens it\nat all";
  record.reason = "wrong key";
  return record;
}

class ManifestTest : public testing::Test {
 protected:
  const TemporaryFolder folder;
  const std::string path = folder.path_of("manifest");

  Manifest open(ManifestUse use = ManifestUse::append) const { return Manifest(path, trees, use); }
  [[nodiscard]] std::string content() const {
    const Buffer bytes = read_file(path);
    return {bytes.begin(), bytes.end()};
  }
  void add(const std::string& text) const { std::ofstream(path, std::ios::app) << text; }

  // The message of the Error that opening it throws: format, where it is not one of ours, or usage.
  [[nodiscard]] std::string refusal(ManifestUse use = ManifestUse::append, const ManifestTrees& of = trees) const {
    try {
      const Manifest manifest(path, of, use);
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::usage || error.code() == ErrorCode::format) << error.what();
      return error.what();
    }
    return "";
  }
};

TEST_F(ManifestTest, FindsAgainWhatWasAppendedByThisRunAndByALaterOne) {
  ManifestRecord whole = done("a/b");
  whole.source = "12 34.000000005";
  whole.removing = true;
  whole.doubt = {DoubtKind::chance, "padding of one byte"};
  whole.key = {.opened = 3, .failed = 147};
  whole.with.found = "aes-256-cbc, md5";
  whole.with.padding_bytes = 9;
  whole.with.kind = "text";
  whole.with.also_fits = {"aes-256-cbc, sha1"};
  {
    Manifest manifest = open();
    EXPECT_FALSE(manifest.find("a/b"));
    manifest.append(whole);
    manifest.append(failed("c"));
    EXPECT_EQ(manifest_line(manifest.find("a/b").value()), manifest_line(whole));
  }
  const Manifest later = open(ManifestUse::look);
  EXPECT_EQ(manifest_line(later.find("a/b").value()), manifest_line(whole));
  EXPECT_EQ(later.find("c")->why, failed("c").why);
  EXPECT_EQ(later.find("c")->code, ErrorCode::authentication);
  EXPECT_FALSE(later.find("a"));
}

TEST_F(ManifestTest, ADoubtWithoutAKnownKindStaysADoubt) {
  ManifestRecord doubtful = done("a");
  doubtful.doubt = {DoubtKind::chance, "padding of one byte"};
  std::string line = manifest_line(doubtful);
  const auto read = [&](const std::string& kind) {
    std::string changed = line;
    changed.replace(changed.find(",\"doubt_kind\":\"chance\""), std::string(",\"doubt_kind\":\"chance\"").size(), kind);
    return read_manifest_line(changed).doubt.kind;
  };
  EXPECT_EQ(read(",\"doubt_kind\":\"chance\""), DoubtKind::chance);
  EXPECT_EQ(read(""), DoubtKind::not_recorded) << "as an earlier version wrote it";
  EXPECT_EQ(read(",\"doubt_kind\":\"of_later\""), DoubtKind::not_recorded);
  EXPECT_EQ(read(",\"doubt_kind\":\"none\""), DoubtKind::not_recorded);
}

TEST_F(ManifestTest, TheNewestLineOfANameCounts) {
  {
    Manifest manifest = open();
    manifest.append(failed("a"));
    manifest.append(done("a", 5));
    manifest.append(done("a", 6));
    EXPECT_EQ(manifest.find("a")->in_bytes, 6U);
  }
  EXPECT_EQ(open().find("a")->in_bytes, 6U);
}

TEST_F(ManifestTest, KnowsWhatIsDoneThoughALaterRunFailed) {
  Manifest manifest = open();
  manifest.append(done("a", 5));
  manifest.append(done("a", 6));
  manifest.append(failed("a"));
  manifest.append(failed("b"));
  manifest.append(done("c"));
  EXPECT_EQ(manifest.find("a")->state, MigratedAs::failed);
  std::multiset<std::string> names;
  manifest.for_each_done([&](const ManifestRecord& record) {
    names.insert(record.name);
    EXPECT_EQ(record.in_bytes, record.name == "a" ? 6U : 7U);
  });
  EXPECT_EQ(names, (std::multiset<std::string>{"a", "c"}));
}

TEST_F(ManifestTest, CutsOffALastLineThatACrashHasTorn) {
  { open().append(done("a")); }
  const std::string whole = content();
  const std::string line = manifest_line(done("b"));
  for (const std::size_t kept : {std::size_t{1}, line.size() / 2, line.size()}) {
    add(line.substr(0, kept));
    EXPECT_FALSE(open(ManifestUse::look).find("b"));
    EXPECT_EQ(content(), whole + line.substr(0, kept)) << "who only looks changes nothing";
    {
      Manifest manifest = open();
      EXPECT_EQ(content(), whole);
      EXPECT_TRUE(manifest.find("a"));
      EXPECT_FALSE(manifest.find("b"));
    }
  }
  { open().append(done("b")); }
  EXPECT_EQ(content(), whole + line + '\n');
}

TEST_F(ManifestTest, BeginsAfreshWhereACrashHasTornItsFirstLine) {
  { open().append(done("a")); }
  const std::string first = content().substr(0, content().find('\n'));
  std::filesystem::resize_file(path, first.size() - 5);
  { open().append(done("b")); }
  EXPECT_EQ(content(), first + '\n' + manifest_line(done("b")) + '\n');
}

TEST_F(ManifestTest, RefusesADamagedLineThatIsNotTheLast) {
  { open().append(done("a")); }
  for (const char* const damage : {"{\"name\":\"b\"}\n", "{\n", "[]\n", "{\"name\":\"b\",\"state\":\"gone\"}\n"}) {
    const std::string whole = content();
    add(damage);
    EXPECT_NE(refusal().find("line 3 is damaged"), std::string::npos) << damage;
    EXPECT_EQ(content(), whole + damage) << "it is left as it is";
    std::filesystem::resize_file(path, whole.size());
  }
}

TEST_F(ManifestTest, IsThatOfItsTwoFoldersOnly) {
  { open().append(done("a")); }
  EXPECT_NE(refusal(ManifestUse::append, {.from = "/old", .to = "/other"}).find("is the manifest of /old and /new"),
            std::string::npos);
  EXPECT_NE(refusal(ManifestUse::look, {.from = "/other", .to = "/new"}).find("give those folders"), std::string::npos);
  EXPECT_EQ(refusal(), "");
}

TEST_F(ManifestTest, IsNoOtherFileAndOfNoLaterVersion) {
  add("{\"name\":\"my own notes\"}\n");
  EXPECT_NE(refusal().find("is not a manifest of Phalanx"), std::string::npos);
  EXPECT_EQ(content(), "{\"name\":\"my own notes\"}\n");
  std::filesystem::remove(path);
  { open(); }
  std::string later = content();
  later.replace(later.find(":1"), 2, ":2");
  std::ofstream(path, std::ios::trunc) << later;
  EXPECT_NE(refusal().find("later version"), std::string::npos);
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_THROW(open(), Error);
}

TEST_F(ManifestTest, IsOfOneRunAtATimeButAnyoneMayLook) {
  Manifest manifest = open();
  manifest.append(done("a"));
  EXPECT_NE(refusal().find("is in use"), std::string::npos);
  EXPECT_TRUE(open(ManifestUse::look).find("a"));
  EXPECT_TRUE(open(ManifestUse::preview).find("a"));
}

TEST_F(ManifestTest, IsMadeOnlyByWhoeverAppends) {
  EXPECT_NE(refusal(ManifestUse::look).find("there is no manifest"), std::string::npos);
  EXPECT_FALSE(open(ManifestUse::preview).find("a"));
  EXPECT_EQ(folder.names(), std::vector<std::string>());
  open();
  EXPECT_EQ(folder.names(), std::vector<std::string>{"manifest"});
}

TEST_F(ManifestTest, EndsTheRunWhereAnotherProgramTakesItAway) {
  Manifest manifest = open();
  manifest.append(done("a"));
  const std::string whole = content();
  std::filesystem::rename(path, folder.path_of("moved"));
  EXPECT_THROW(manifest.append(done("b")), Error);
  std::filesystem::copy_file(folder.path_of("moved"), path);
  EXPECT_THROW(manifest.append(done("b")), Error);
  EXPECT_EQ(content(), whole);
  EXPECT_FALSE(manifest.find("b"));
}

TEST_F(ManifestTest, TakesAnyNameThatAFileMayHave) {
  const std::vector<std::string> names{
      "line\nend",        "quote\"back\\slash",   "\xff\xfe not UTF-8", "tab\tand\x01\x7f", "{\"phalanx_manifest\":1}",
      "\xf0\x9f\x94\x91", std::string(4000, 'n'), "cut \xe2\x82"};
  {
    Manifest manifest = open();
    for (std::size_t i = 0; i < names.size(); ++i) manifest.append(done(names[i], i));
  }
  const Manifest later = open();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = later.find(names[i]);
    ASSERT_TRUE(found) << i;
    EXPECT_EQ(found->name, names[i]);
    EXPECT_EQ(found->in_bytes, i);
  }
  const std::string text = content();
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), names.size() + 1) << "each is a line";
}

TEST_F(ManifestTest, IsAppendedToBySeveralThreads) {
  {
    Manifest manifest = open();
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&manifest, thread] {
        for (int i = 0; i < 8; ++i) manifest.append(done(std::to_string(thread) + '/' + std::to_string(i)));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::size_t num_done = 0;
  open().for_each_done([&](const ManifestRecord& /*record*/) { ++num_done; });
  EXPECT_EQ(num_done, 32U);
}

TEST_F(ManifestTest, TellsAnOldFileFromALaterOneOfItsName) {
  const std::string old_path = folder.write("old", Buffer(7, 1));
  const FileStamp old_file = stamp_at(old_path).value();
  ManifestRecord record = done("old", 7);
  EXPECT_TRUE(is_source_of(record, old_file)) << "manifests of earlier versions have no mark";
  record.source = mark_of(old_file);
  EXPECT_TRUE(is_source_of(record, old_file));
  FileStamp later = old_file;
  later.modified.tv_nsec = old_file.modified.tv_nsec == 0 ? 1 : 0;
  EXPECT_FALSE(is_source_of(record, later));
  FileStamp longer = old_file;
  longer.size = 8;
  EXPECT_FALSE(is_source_of(record, longer));
  record.deleted = true;
  EXPECT_FALSE(is_source_of(record, old_file));
}

}  // namespace
}  // namespace phalanx::test
