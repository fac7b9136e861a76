// Every function of the C interface that takes a name refuses an empty one: where a variable was not set, it is no standard input, and
// no folder that one stands in.
#include <gtest/gtest.h>
#include <phalanx/files/chunked_file.h>
#include <phalanx/files/container_file.h>
#include <phalanx/files/foreign.h>
#include <phalanx/files/in_place.h>
#include <phalanx/files/inspect.h>
#include <phalanx/files/migration.h>
#include <phalanx/files/tree_index.h>
#include <phalanx/files/trees.h>
#include <phalanx/files/verification.h>
#include <phalanx/parquet/modular_encryption.h>

#include <functional>
#include <string>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

class EmptyNames : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer key = varied(32, 1), iv = varied(16, 3);
  phalanx_recipient recipient{sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  phalanx_identity identity{sizeof(phalanx_identity), PHALANX_KEY, key.data(), key.size()};
  std::string in = folder.write("in", varied(100, 2)), out = folder.path_of("out"), box = folder.path_of("box");
  phalanx_foreign_format format = PHALANX_FOREIGN_FORMAT_INIT;
  const phalanx_foreign_format* formats[1] = {&format};

  EmptyNames() {
    format.cipher = "aes-256-ctr";
    format.key = key.data();
    format.key_bytes = key.size();
    format.iv = iv.data();
    format.iv_bytes = iv.size();
    EXPECT_EQ(phalanx_seal_file(in.c_str(), box.c_str(), "aes-256", &recipient, 1, nullptr, nullptr, nullptr, nullptr),
              PHALANX_OK);
  }

  void expect_refused(const char* call, int result) {
    EXPECT_EQ(result, PHALANX_USAGE) << call << ": " << phalanx_last_error();
    EXPECT_NE(std::string(phalanx_last_error()).find("name of a file is empty"), std::string::npos)
        << call << ": " << phalanx_last_error();
  }
};

#define EXPECT_REFUSED(call) expect_refused(#call, call)

TEST_F(EmptyNames, AreRefusedOfContainers) {
  EXPECT_REFUSED(phalanx_seal_file("", out.c_str(), "aes-256", &recipient, 1, nullptr, nullptr, nullptr, nullptr));
  EXPECT_REFUSED(phalanx_seal_file(in.c_str(), "", "aes-256", &recipient, 1, nullptr, nullptr, nullptr, nullptr));
  EXPECT_REFUSED(phalanx_unseal_file("", out.c_str(), &identity, 1, nullptr, nullptr, nullptr, nullptr, nullptr));
  EXPECT_REFUSED(phalanx_unseal_file(box.c_str(), "", &identity, 1, nullptr, nullptr, nullptr, nullptr, nullptr));
  phalanx_new_container_file* file = nullptr;
  EXPECT_REFUSED(phalanx_new_container_file_new(&file, "", 0, "aes-256", &recipient, 1, nullptr, nullptr));
  std::size_t count = 0;
  EXPECT_REFUSED(phalanx_list_recipients("", nullptr, 0, &count));
  EXPECT_REFUSED(phalanx_recipients_opened_by("", &identity, 1, nullptr, nullptr, 0, &count));
  EXPECT_REFUSED(
      phalanx_change_recipients("", &identity, 1, &recipient, 1, nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr));
  phalanx_verified verified = PHALANX_VERIFIED_INIT;
  phalanx_container_reader* reader = nullptr;
  EXPECT_REFUSED(phalanx_container_reader_of_file(&reader, "", &identity, 1, nullptr, nullptr, nullptr));
  EXPECT_REFUSED(phalanx_verify_container("", &identity, 1, nullptr, nullptr, nullptr, nullptr, &verified));
  phalanx_inspected inspected = PHALANX_INSPECTED_INIT;
  EXPECT_REFUSED(phalanx_inspect_file("", &inspected));
  phalanx_chunked* chunked = nullptr;
  ASSERT_EQ(phalanx_chunked_new(&chunked, "cobblestone-256", key.data(), key.size(), nullptr, 0, nullptr), PHALANX_OK);
  phalanx_chunked_reader* of_message = nullptr;
  EXPECT_REFUSED(phalanx_chunked_reader_of_file(&of_message, chunked, ""));
  phalanx_chunked_free(chunked);
}

TEST_F(EmptyNames, AreRefusedOfForeignFiles) {
  phalanx_foreign_reader* reader = nullptr;
  phalanx_migrated migrated = PHALANX_MIGRATED_INIT;
  EXPECT_REFUSED(phalanx_foreign_reader_of_file(&reader, "", &format, nullptr));
  EXPECT_REFUSED(
      phalanx_migrate_file("", &format, out.c_str(), "aes-256", &recipient, 1, nullptr, nullptr, nullptr, &migrated));
  EXPECT_REFUSED(
      phalanx_migrate_file(in.c_str(), &format, "", "aes-256", &recipient, 1, nullptr, nullptr, nullptr, &migrated));
  phalanx_in_place_format in_place = PHALANX_IN_PLACE_FORMAT_INIT;
  in_place.cipher = "aes-256-ctr";
  in_place.key = key.data();
  in_place.key_bytes = key.size();
  in_place.iv = iv.data();
  in_place.iv_bytes = iv.size();
  EXPECT_REFUSED(phalanx_encrypt_in_place("", &in_place, nullptr, nullptr, nullptr, nullptr));
  EXPECT_REFUSED(phalanx_decrypt_in_place("", &in_place, nullptr, nullptr, nullptr, nullptr));
}

TEST_F(EmptyNames, AreRefusedOfFolders) {
  const std::string from = folder.path_of(""), to = folder.path_of("to"), manifest = folder.path_of("manifest");
  phalanx_seal_tree_counts sealed = PHALANX_SEAL_TREE_COUNTS_INIT;
  phalanx_unseal_tree_counts opened = PHALANX_UNSEAL_TREE_COUNTS_INIT;
  phalanx_tree_migration_counts migrated = PHALANX_TREE_MIGRATION_COUNTS_INIT;
  phalanx_tree_finding_counts found = PHALANX_TREE_FINDING_COUNTS_INIT;
  phalanx_tree_index_counts indexed = PHALANX_TREE_INDEX_COUNTS_INIT;
  EXPECT_REFUSED(phalanx_seal_tree("", to.c_str(), "aes-256", &recipient, 1, nullptr, nullptr, nullptr, &sealed));
  EXPECT_REFUSED(phalanx_seal_tree(from.c_str(), "", "aes-256", &recipient, 1, nullptr, nullptr, nullptr, &sealed));
  EXPECT_REFUSED(phalanx_unseal_tree("", to.c_str(), &identity, 1, nullptr, nullptr, nullptr, nullptr, &opened));
  EXPECT_REFUSED(phalanx_unseal_tree(from.c_str(), "", &identity, 1, nullptr, nullptr, nullptr, nullptr, &opened));
  const std::string names[] = {from, to, manifest};
  for (int empty = 0; empty < 3; ++empty) {
    const auto name = [&](int place) { return place == empty ? "" : names[place].c_str(); };
    EXPECT_REFUSED(phalanx_migrate_tree(name(0), name(1), name(2), formats, 1, "aes-256", &recipient, 1, nullptr, nullptr,
                                        nullptr, &migrated));
    EXPECT_REFUSED(phalanx_preview_tree(name(0), name(1), name(2), formats, 1, nullptr, nullptr, nullptr, &found));
    EXPECT_REFUSED(
        phalanx_verify_tree(name(0), name(1), name(2), formats, 1, &identity, 1, nullptr, nullptr, nullptr, &found));
  }
  phalanx_tree_index_options index = PHALANX_TREE_INDEX_OPTIONS_INIT;
  index.path = box.c_str();
  index.key = key.data();
  index.key_kind = PHALANX_INDEX_SECRET;
  EXPECT_REFUSED(phalanx_verify_tree_index("", &index, &identity, 1, nullptr, nullptr, nullptr, nullptr, &indexed, nullptr));
  index.path = "";
  EXPECT_REFUSED(
      phalanx_verify_tree_index(from.c_str(), &index, &identity, 1, nullptr, nullptr, nullptr, nullptr, &indexed, nullptr));
}

int find_no_key(void* /*user_data*/, const phalanx_parquet_key_request* /*request*/, std::uint8_t* /*key*/,
                std::size_t* /*size*/) {
  return 1;
}

TEST_F(EmptyNames, AreRefusedOfParquetFiles) {
  EXPECT_REFUSED(phalanx_decrypt_parquet_file("", out.c_str(), find_no_key, nullptr, nullptr, nullptr, nullptr));
  EXPECT_REFUSED(phalanx_decrypt_parquet_file(in.c_str(), "", find_no_key, nullptr, nullptr, nullptr, nullptr));
  phalanx_parquet_key* footer = nullptr;
  ASSERT_EQ(phalanx_parquet_key_new(&footer, key.data(), key.size(), nullptr, 0, 0), PHALANX_OK);
  EXPECT_REFUSED(phalanx_encrypt_parquet_file("", out.c_str(), footer, nullptr, nullptr, nullptr));
  EXPECT_REFUSED(phalanx_encrypt_parquet_file(in.c_str(), "", footer, nullptr, nullptr, nullptr));
  phalanx_parquet_key_free(footer);
}

}  // namespace
}  // namespace phalanx::test
