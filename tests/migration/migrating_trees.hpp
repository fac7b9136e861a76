// A folder of old files, two of each kind of key, for tests of whole trees, in C++ and C.
#pragma once

#include <gtest/gtest.h>
#include <phalanx/files/migration.h>

#include <filesystem>
#include <map>
#include <phalanx/files/migration.hpp>
#include <string>
#include <vector>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {

namespace fs = std::filesystem;

inline Buffer text(int number) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "This is line " + std::to_string(i) + " of text " + std::to_string(number) + ".\n";
  return {lines.begin(), lines.end()};
}

class MigratingTrees : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer first_key = varied(24, 1), second_key = varied(32, 2), iv = varied(8, 3), long_iv = varied(16, 4),
         key = varied(32, 5);
  std::vector<ForeignFormat> formats{{.cipher = "des-ede3-cbc", .key = first_key, .iv = iv},
                                     {.cipher = "aes-256-cbc", .key = second_key, .iv = long_iv}};
  Recipient recipient{KeyKind::key, key, {}};
  Identity identity{KeyKind::key, key};
  std::string from = folder.path_of("old"), to = folder.path_of("new"), manifest = folder.path_of("manifest");
  std::map<std::string, TreeFileMigration> told;

  MigratingTrees() {
    fs::create_directories(from + "/sub");
    folder.write("old/a", encrypt_old(formats[0], text(1)));
    folder.write("old/sub/b", encrypt_old(formats[1], text(2)));
    folder.write("old/c", encrypt_old(formats[1], text(3)));
    folder.write("old/damaged", varied(99, 6));
    fs::create_symlink("a", from + "/link");
  }

  TreeMigrationCounts migrate(TreeMigrationOptions options = {}) {
    told.clear();
    if (!options.on_migrated) options.on_migrated = [&](const TreeFileMigration& file) { told[file.name] = file; };
    return migrate_tree(from, to, manifest, formats, "aes-256", {&recipient, 1}, options);
  }

  [[nodiscard]] Buffer opened(const std::string& name) const {
    const ContainerReader reader(to + '/' + name + ".phalanx", {&identity, 1});
    Buffer read(reader.size());
    reader.read(0, read);
    return read;
  }
};

class CTrees : public MigratingTrees {
 protected:
  static phalanx_foreign_format in_c(const ForeignFormat& format) {
    phalanx_foreign_format given = PHALANX_FOREIGN_FORMAT_INIT;
    given.cipher = format.cipher.c_str();
    given.key = format.key.data();
    given.key_bytes = format.key.size();
    given.iv = format.iv.data();
    given.iv_bytes = format.iv.size();
    return given;
  }

  phalanx_foreign_format first = in_c(formats[0]), second = in_c(formats[1]);
  const phalanx_foreign_format* list[2] = {&first, &second};
};

}  // namespace phalanx::test
