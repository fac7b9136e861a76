// Makes containers of a folder of files of `openssl enc`, in one of two ciphers; the same command again goes on.
#include <cstdio>
#include <phalanx/files/migration.hpp>
#include <vector>

namespace {

int run(char** argv) {
  std::vector<phalanx::ForeignFormat> formats(2);
  for (phalanx::ForeignFormat& format : formats) {
    format.passphrase = phalanx::bytes_of(argv[4]);  // only in an example: keep secrets out of your program's arguments
    format.find_digest = true;
  }
  formats[0].cipher = "des3";
  formats[1].cipher = "aes-256-cbc";
  const phalanx::Recipient recipient{phalanx::KeyKind::passphrase, phalanx::bytes_of(argv[5]), {}};
  phalanx::TreeMigrationOptions options;
  options.find_wrapping = true;
  options.on_migrated = [](const phalanx::TreeFileMigration& file) {
    const bool is_done = file.outcome == phalanx::MigratedAs::done;
    std::printf("%s: %s\n", file.name.c_str(), is_done ? file.found.c_str() : file.why.c_str());
  };
  const phalanx::TreeMigrationCounts counts =
      phalanx::migrate_tree(argv[1], argv[2], argv[3], formats, "aes-256", {&recipient, 1}, options);
  return counts.num_failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return std::fprintf(stderr, "usage: %s OLD NEW MANIFEST PASSPHRASE NEW-PASSPHRASE\n", argv[0]), 2;
  try {
    return run(argv);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
