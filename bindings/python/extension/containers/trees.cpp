// Folders of old ciphertext, migrated into containers.
#include <nanobind/stl/string.h>

#include <phalanx/migration.hpp>
#include <vector>

#include "arguments/buffer.hpp"
#include "arguments/progress_callback.hpp"
#include "arguments/secret_arguments.hpp"
#include "container/format/suite.hpp"
#include "containers/held_format.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

// As os.fsdecode does: names are any bytes, and messages repeat them.
nb::str decoded(const std::string& text) {
  return nb::steal<nb::str>(PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

std::vector<ForeignFormat> formats_of(const nb::tuple& old) {
  std::vector<ForeignFormat> formats;
  for (const nb::handle format : old) formats.push_back(nb::cast<const HeldFormat&>(format).format());
  return formats;
}

TreeMigrationCounts migrate_folder(nb::handle src, nb::handle dst, nb::handle manifest, const nb::tuple& old, bool verify,
                                   bool preserve, bool replace, bool sha256, bool find_wrapping, bool delete_source,
                                   bool delete_doubtful, bool keep_going, std::size_t jobs, nb::object on_file,
                                   nb::object on_progress, nb::object key, nb::object passphrase, nb::object key_file,
                                   nb::object passphrase_file, const std::string& suite, int scrypt_log_n,
                                   const std::string& engine, int threads) {
  const std::string from = path_of(src), to = path_of(dst), manifest_path = path_of(manifest);
  const std::vector<ForeignFormat> formats = formats_of(old);  // whose memory the tuple's objects hold
  const GivenSecrets given({key, passphrase, key_file, passphrase_file}, find_suite(suite).key_bytes, SecretUse::seals);
  ProgressCallback progress(on_progress);
  TreeMigrationOptions options;
  options.verify = verify;
  options.preserve = preserve;
  options.replace = replace;
  options.sha256 = sha256;
  options.find_wrapping = find_wrapping;
  options.delete_source = delete_source;
  options.delete_doubtful = delete_doubtful;
  options.keep_going = keep_going;
  options.num_jobs = jobs;
  options.on_progress = progress.on_progress();
  options.cancellation = &progress.cancellation();
  options.engine = make_options(engine, threads);
  if (!on_file.is_none()) {
    options.on_migrated = [&](const TreeFileMigration& file) {
      progress.call([&] { on_file(file); }, "on_file raised an exception");
    };
  }
  TreeMigrationCounts counts;
  progress.run([&] {
    counts = migrate_tree(from, to, manifest_path, formats, suite, given.recipients(cost_of(scrypt_log_n)), options);
  });
  return counts;
}

void bind_file(nb::module_& module) {
  nb::class_<TreeFileMigration>(module, "TreeFileMigration", "What became of one file of a folder that is migrated.")
      .def_prop_ro(
          "name", [](const TreeFileMigration& file) { return decoded(file.name); },
          "Its name below the folder of old files.")
      .def_prop_ro(
          "state",
          [](const TreeFileMigration& file) {
            constexpr const char* names[] = {"", "done", "failed", "skipped"};
            return names[static_cast<int>(file.outcome)];
          },
          "\"done\", \"failed\" or \"skipped\".")
      .def_prop_ro(
          "why", [](const TreeFileMigration& file) { return decoded(file.why); }, "Why it failed or was skipped, in a line.")
      .def_ro("source_bytes", &TreeFileMigration::source_bytes, "The old file's size in bytes, where it is done.")
      .def_ro("container_bytes", &TreeFileMigration::container_bytes, "The container's size in bytes.")
      .def_ro("verified", &TreeFileMigration::verified, "Whether the container was read back.")
      .def_ro("sha256", &TreeFileMigration::sha256, "The plaintext's SHA-256 in hex, where it was asked for.")
      .def_ro("found", &TreeFileMigration::found, "What the old file was opened with, in words.")
      .def_ro("doubt", &TreeFileMigration::doubt,
              "Why the old key may be wrong; empty if something vouches for the plaintext.")
      .def_ro("deleted", &TreeFileMigration::deleted, "Whether the old file was removed.")
      .def_prop_ro(
          "kept", [](const TreeFileMigration& file) { return decoded(file.kept); },
          "Why it was not, though it was to go and there is no doubt.")
      .def("__repr__", [](nb::handle self) {
        return nb::str("TreeFileMigration({!r}, {!r})").format(self.attr("name"), self.attr("state"));
      });
}

void bind_counts(nb::module_& module) {
  using Counts = TreeMigrationCounts;
  nb::class_<Counts>(module, "TreeMigrationCounts", "How many files of a folder there were of each kind.")
      .def_ro("done", &Counts::num_done, "Files that this call migrated.")
      .def_ro("done_before", &Counts::num_done_before, "Files that an earlier call with the same manifest did.")
      .def_ro("failed", &Counts::num_failed, "Files that failed.")
      .def_ro("skipped", &Counts::num_skipped, "No regular files, or containers already.")
      .def_ro("doubtful", &Counts::num_doubtful, "Files that are done and whose old key may be wrong.")
      .def_ro("deleted", &Counts::num_deleted, "Old files that were removed.")
      .def_ro("kept", &Counts::num_kept, "Old files that were not, though they were to go.")
      .def_ro("left", &Counts::num_left, "Files that were not tried, since most could not be opened.")
      .def("__repr__", [](const Counts& self) {
        return "TreeMigrationCounts(done=" + std::to_string(self.num_done) +
               ", done_before=" + std::to_string(self.num_done_before) + ", failed=" + std::to_string(self.num_failed) +
               ", skipped=" + std::to_string(self.num_skipped) + ")";
      });
}

}  // namespace

void bind_trees(nb::module_& module) {
  bind_file(module);
  bind_counts(module);
  def_sealing(module, "migrate_tree", migrate_folder, nb::arg("src").none(), nb::arg("dst").none(),
              nb::arg("manifest").none(), nb::arg("old"), nb::kw_only(), nb::arg("verify") = true,
              nb::arg("preserve") = true, nb::arg("replace") = false, nb::arg("sha256") = false,
              nb::arg("find_wrapping") = false, nb::arg("delete_source") = false, nb::arg("delete_doubtful") = false,
              nb::arg("keep_going") = false, nb::arg("jobs") = 0, nb::arg("on_file") = nb::none(),
              nb::arg("on_progress") = nb::none());
}

}  // namespace phalanx
