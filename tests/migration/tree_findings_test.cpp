// preview_tree and verify_tree: what they say of each file, that they write nothing, and how doubts are kept.
#include <stdexcept>

#include "tests/migration/migrating_trees.hpp"

namespace phalanx::test {
namespace {

class LookingAtTrees : public MigratingTrees {
 protected:
  std::map<std::string, TreeFileFinding> found;
  std::vector<std::string> names;

  LookingAtTrees() { folder.write("old/noise", encrypt_old(formats[0], varied(70'007, 7))); }  // padded by one byte

  TreeFindingOptions hearing(TreeFindingOptions options = {}) {
    found.clear();
    names.clear();
    if (options.on_finding) return options;
    options.on_finding = [&](const TreeFileFinding& file) {
      found[file.name] = file;
      names.push_back(file.name);
    };
    return options;
  }
  TreeFindingCounts preview(TreeFindingOptions options = {}) {
    return preview_tree(from, to, manifest, formats, hearing(std::move(options)));
  }
  TreeFindingCounts verify(TreeFindingOptions options = {}) {
    return verify_tree(from, to, manifest, formats, {&identity, 1}, hearing(std::move(options)));
  }
};

TEST_F(LookingAtTrees, PreviewSaysWhatAMigrationDoesAndWritesNothing) {
  const TreeFindingCounts counts = preview({.num_jobs = 3});
  EXPECT_EQ(folder.names(), std::vector<std::string>{"old"});
  EXPECT_EQ(counts.num_opening, 4U);
  EXPECT_EQ(counts.num_failing, 1U);
  EXPECT_EQ(counts.num_skipped, 1U);
  EXPECT_EQ(counts.num_doubtful, 1U);
  EXPECT_EQ(counts.num_bytes, fs::file_size(from + "/a") + fs::file_size(from + "/sub/b") + fs::file_size(from + "/c") +
                                  fs::file_size(from + "/noise"));
  EXPECT_EQ(names, (std::vector<std::string>{"a", "c", "damaged", "link", "sub/b", "noise"})) << "in order, doubts last";
  EXPECT_EQ(found["sub/b"].verdict, TreeVerdict::opens);
  EXPECT_NE(found["sub/b"].detail.find("format 2"), std::string::npos) << found["sub/b"].detail;
  EXPECT_EQ(found["damaged"].verdict, TreeVerdict::fails);
  EXPECT_EQ(found["link"].verdict, TreeVerdict::skipped);
  EXPECT_NE(found["noise"].doubt.sentence, "");
  EXPECT_NE(found["noise"].detail.find("1 byte of padding"), std::string::npos) << found["noise"].detail;
  const TreeMigrationCounts done = migrate();
  EXPECT_EQ(done.num_done, counts.num_opening);
  EXPECT_EQ(done.num_failed, counts.num_failing);
  EXPECT_EQ(done.num_skipped, counts.num_skipped);
  EXPECT_EQ(done.num_doubtful, counts.num_doubtful);
  EXPECT_EQ(told["noise"].doubt, found["noise"].doubt);
  EXPECT_EQ(preview().num_done, 4U);
  EXPECT_NE(found["noise"].doubt.sentence, "") << "as the manifest says";
}

TEST_F(LookingAtTrees, AnIdentityOfAgeOpensWhatIsSealedForItsPublicKey) {
  const std::string secret = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX",
                    public_key = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj",
                    other = "AGE-SECRET-KEY-1M357YWTN8M6NVTDJ0GPG34GYZ79P9Z8TE7ULG6DRCCV7DMTS8ASQJ67QAA";
  const Recipient sealed_for{KeyKind::public_key, bytes_of(public_key), {}};
  EXPECT_EQ(migrate_tree(from, to, manifest, formats, "aes-256", {&sealed_for, 1}).num_done, 4U);
  const Identity held[] = {{KeyKind::public_key, bytes_of(secret)}, {KeyKind::public_key, bytes_of(other)}};
  EXPECT_EQ(verify_tree(from, to, manifest, formats, {held, 1}).num_same, 4U);
  EXPECT_EQ(verify_tree(from, to, manifest, formats, {held + 1, 1}).num_differing, 4U);
  EXPECT_EQ(verify_tree(from, to, manifest, formats, held).num_differing, 4U) << "each of them must open it";
}

TEST_F(LookingAtTrees, OfALongFileALookTellsWhatItsFirstPieceTells) {
  std::string lines;
  while (lines.size() < 3'000'000) lines += "This is another line of a long text.\n";
  Buffer plain(lines.begin(), lines.end());
  folder.write("old/long", encrypt_old(formats[1], plain));
  preview();
  EXPECT_EQ(found["long"].verdict, TreeVerdict::opens);
  EXPECT_EQ(found["long"].doubt.sentence, "");
  plain = varied(3'000'000, 9);
  folder.write("old/long", encrypt_old(formats[1], plain));
  preview();
  EXPECT_NE(found["long"].doubt.sentence, "") << "padding says nothing of an iv that is given";
}

TEST_F(LookingAtTrees, VerifyReadsContainersAndOldFiles) {
  migrate();
  fs::remove(from + "/a");
  const TreeFindingCounts counts = verify({.num_jobs = 3});
  EXPECT_EQ(counts.num_same, 4U);
  EXPECT_EQ(counts.num_differing, 0U);
  EXPECT_EQ(counts.num_doubtful, 1U);
  EXPECT_EQ(found["noise"].verdict, TreeVerdict::same);
  EXPECT_NE(found["noise"].doubt.sentence, "");
  EXPECT_NE(found["a"].detail.find("the old file is gone"), std::string::npos);
  folder.write("old/c", encrypt_old(formats[1], text(4)));
  Buffer container = read_file(to + "/sub/b.phalanx");
  container[container.size() / 2] ^= 1;
  folder.write("new/sub/b.phalanx", container);
  EXPECT_EQ(verify().num_differing, 2U);
  EXPECT_EQ(found["c"].verdict, TreeVerdict::differs);
  EXPECT_EQ(found["sub/b"].code, ErrorCode::authentication);
}

TEST_F(LookingAtTrees, AnOldFileThatNothingOpensIsNotCompared) {
  migrate();
  TreeFindingCounts counts = verify_tree(from, to, manifest, {}, {&identity, 1}, hearing());
  EXPECT_EQ(counts.num_not_compared, 4U);
  EXPECT_EQ(counts.num_differing, 0U);
  EXPECT_EQ(counts.num_doubtful, 1U) << "as the manifest says";
  EXPECT_EQ(found["a"].verdict, TreeVerdict::not_compared);
  EXPECT_EQ(found["a"].code, ErrorCode::wrong_key);
  EXPECT_EQ(found["a"].num_bytes, fs::file_size(to + "/a.phalanx"));
  fs::remove(from + "/a");
  folder.write("old/c", encrypt_old(formats[1], text(4)));
  counts = verify_tree(from, to, manifest, {&formats[0], 1}, {&identity, 1}, hearing());
  EXPECT_EQ(found["a"].verdict, TreeVerdict::same) << "it is gone";
  EXPECT_EQ(found["c"].verdict, TreeVerdict::not_compared) << "though it is another: nothing opens it";
  EXPECT_EQ(counts.num_differing, 0U);
  EXPECT_EQ(counts.num_same + counts.num_not_compared, 4U);
}

TEST_F(LookingAtTrees, DoubtsAreKeptUntilALookDispelsThem) {
  EXPECT_EQ(migrate().num_doubtful, 1U);
  fs::remove(from + "/damaged");
  const TreeMigrationCounts again = migrate();
  EXPECT_EQ(again.num_done_before, 4U);
  EXPECT_EQ(again.num_doubtful, 1U);
  EXPECT_TRUE(told.find("noise") == told.end());
  fs::remove(from + "/noise");
  EXPECT_EQ(verify().num_doubtful, 1U) << "nothing is left to look at";
}

TEST_F(LookingAtTrees, RefuseWhatDoesNotFit) {
  EXPECT_THROW(verify(), Error) << "no manifest";
  EXPECT_THROW(static_cast<void>(preview_tree(from, to, manifest, {})), Error);
  EXPECT_THROW(static_cast<void>(preview_tree(folder.path_of("none"), to, manifest, formats)), Error);
  migrate();
  EXPECT_THROW(static_cast<void>(verify_tree(from, to, manifest, formats, {})), Error);
  EXPECT_THROW(static_cast<void>(verify_tree(from, folder.path_of("other"), manifest, formats, {&identity, 1})), Error);
  const Identity wrong{KeyKind::key, second_key};
  EXPECT_EQ(verify_tree(from, to, manifest, formats, {&wrong, 1}).num_differing, 4U);
}

TEST_F(LookingAtTrees, EndWhereTheCallerThrowsOrCancels) {
  migrate();
  const auto fails = [](auto&&...) { throw std::runtime_error("enough"); };
  EXPECT_THROW(preview({.on_finding = fails}), std::runtime_error);
  EXPECT_THROW(verify({.on_finding = fails}), std::runtime_error);
  EXPECT_THROW(verify({.on_progress = fails}), std::runtime_error);
  EXPECT_TRUE(names.empty()) << "and that is none of a file's failures";
  Cancellation cancellation;
  EXPECT_THROW(verify({.num_jobs = 1,
                       .on_progress = [&](std::uint64_t /*num_bytes*/) { cancellation.cancel(); },
                       .cancellation = &cancellation}),
               Error);
  EXPECT_TRUE(names.empty());
  EXPECT_THROW(preview({.cancellation = &cancellation}), Error);
}

class CLookingAtTrees : public CTrees {
 protected:
  int preview(const phalanx_tree_finding_options* options) {
    return phalanx_preview_tree(from.c_str(), to.c_str(), manifest.c_str(), list, 2, options, nullptr, nullptr, &counts);
  }
  int verify(const phalanx_tree_finding_options* options) {
    return phalanx_verify_tree(from.c_str(), to.c_str(), manifest.c_str(), list, 2, &by_key, 1, options, nullptr, nullptr,
                               &counts);
  }

  phalanx_identity by_key{sizeof(phalanx_identity), PHALANX_KEY, key.data(), key.size()};
  phalanx_tree_finding_counts counts = PHALANX_TREE_FINDING_COUNTS_INIT;
};

TEST_F(CLookingAtTrees, LookAsCPlusPlusDoes) {
  using Verdicts = std::map<std::string, int>;
  Verdicts verdicts;
  phalanx_tree_finding_options options = PHALANX_TREE_FINDING_OPTIONS_INIT;
  options.user_data = &verdicts;
  options.on_finding = [](void* user_data, const phalanx_tree_file_finding* file) {
    EXPECT_EQ(file->code != PHALANX_OK, file->verdict == PHALANX_TREE_FAILS || file->verdict == PHALANX_TREE_DIFFERS);
    (*static_cast<Verdicts*>(user_data))[file->name] = file->verdict;
    return 0;
  };
  ASSERT_EQ(preview(&options), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(verdicts, (Verdicts{{"a", PHALANX_TREE_OPENS},
                                {"c", PHALANX_TREE_OPENS},
                                {"damaged", PHALANX_TREE_FAILS},
                                {"link", PHALANX_TREE_SKIPPED},
                                {"sub/b", PHALANX_TREE_OPENS}}));
  EXPECT_EQ(counts.num_opening, 3U);
  EXPECT_EQ(counts.num_failing, 1U);
  EXPECT_EQ(counts.struct_bytes, sizeof counts);
  migrate();
  folder.write("old/c", encrypt_old(formats[1], text(4)));
  verdicts.clear();
  ASSERT_EQ(verify(&options), PHALANX_OK) << phalanx_last_error();
  EXPECT_EQ(verdicts, (Verdicts{{"a", PHALANX_TREE_SAME}, {"c", PHALANX_TREE_DIFFERS}, {"sub/b", PHALANX_TREE_SAME}}));
  EXPECT_EQ(counts.num_same, 2U);
  EXPECT_EQ(counts.num_differing, 1U);
  EXPECT_EQ(counts.num_doubtful, 0U);
  options.on_finding = [](void*, const phalanx_tree_file_finding* file) {
    EXPECT_EQ(file->verdict, PHALANX_TREE_NOT_COMPARED);
    EXPECT_EQ(file->code, PHALANX_WRONG_KEY);
    return 0;
  };
  ASSERT_EQ(phalanx_verify_tree(from.c_str(), to.c_str(), manifest.c_str(), nullptr, 0, &by_key, 1, &options, nullptr,
                                nullptr, &counts),
            PHALANX_OK);
  EXPECT_EQ(counts.num_not_compared, 3U);
}

TEST_F(CLookingAtTrees, EndWhereTheirFunctionSaysSoAndTakeNoNullPointer) {
  phalanx_tree_finding_options options = PHALANX_TREE_FINDING_OPTIONS_INIT;
  options.on_finding = [](void*, const phalanx_tree_file_finding*) { return 1; };
  EXPECT_EQ(verify(nullptr), PHALANX_USAGE) << "no manifest";
  migrate();
  EXPECT_EQ(preview(&options), PHALANX_RUNTIME);
  EXPECT_EQ(verify(&options), PHALANX_RUNTIME);
  options.struct_bytes = 1;
  EXPECT_EQ(preview(&options), PHALANX_USAGE);
  EXPECT_EQ(phalanx_preview_tree(nullptr, to.c_str(), manifest.c_str(), list, 2, nullptr, nullptr, nullptr, &counts),
            PHALANX_USAGE);
  EXPECT_EQ(phalanx_preview_tree(from.c_str(), nullptr, manifest.c_str(), list, 2, nullptr, nullptr, nullptr, &counts),
            PHALANX_USAGE);
  EXPECT_EQ(phalanx_preview_tree(from.c_str(), to.c_str(), nullptr, list, 2, nullptr, nullptr, nullptr, &counts),
            PHALANX_USAGE);
  EXPECT_EQ(phalanx_preview_tree(from.c_str(), to.c_str(), manifest.c_str(), list, 2, nullptr, nullptr, nullptr, nullptr),
            PHALANX_USAGE);
  EXPECT_EQ(phalanx_verify_tree(from.c_str(), to.c_str(), manifest.c_str(), list, 2, nullptr, 1, nullptr, nullptr, nullptr,
                                &counts),
            PHALANX_USAGE);
  list[1] = nullptr;
  EXPECT_EQ(preview(nullptr), PHALANX_USAGE);
  EXPECT_EQ(verify(nullptr), PHALANX_USAGE);
}

}  // namespace
}  // namespace phalanx::test
