// Says what a migration of a folder of files of `openssl enc -des3` would do; or, with the new passphrase, what it has done.
#include <cstdio>
#include <phalanx/files/migration.hpp>

namespace {

void say(const phalanx::TreeFileFinding& file) {
  std::printf("%s: %s%s%s\n", file.name.c_str(), file.detail.c_str(), file.doubt ? "; doubtful: " : "",
              file.doubt.sentence.c_str());
}

int run(int argc, char** argv) {
  phalanx::ForeignFormat format;
  format.cipher = "des3";
  format.passphrase = phalanx::bytes_of(argv[4]);  // only in an example: keep secrets out of your program's arguments
  format.find_digest = true;
  phalanx::TreeFindingOptions options;
  options.on_finding = say;
  if (argc == 5) return phalanx::preview_tree(argv[1], argv[2], argv[3], {&format, 1}, options).num_failing == 0 ? 0 : 1;
  const phalanx::Identity identity{phalanx::KeyKind::passphrase, phalanx::bytes_of(argv[5])};
  const phalanx::TreeFindingCounts counts =
      phalanx::verify_tree(argv[1], argv[2], argv[3], {&format, 1}, {&identity, 1}, options);
  std::printf("%llu are the same\n", static_cast<unsigned long long>(counts.num_same));
  return counts.num_differing + counts.num_not_compared == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6)
    return std::fprintf(stderr, "usage: %s OLD NEW MANIFEST PASSPHRASE [NEW-PASSPHRASE]\n", argv[0]), 2;
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
