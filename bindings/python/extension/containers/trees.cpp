// Folders of old ciphertext, migrated into containers, and looked at before and after.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <phalanx/files/migration.hpp>
#include <vector>

#include "arguments/binding_argument.hpp"
#include "arguments/buffer.hpp"
#include "arguments/decoded.hpp"
#include "arguments/doubt_text.hpp"
#include "arguments/index_argument.hpp"
#include "arguments/progress_callback.hpp"
#include "arguments/secret_arguments.hpp"
#include "containers/held_format.hpp"
#include "engine/chunked/suite.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

std::vector<ForeignFormat> formats_of(const nb::tuple& old) {
  std::vector<ForeignFormat> formats;
  for (const nb::handle format : old) formats.push_back(nb::cast<const HeldFormat&>(format).format());
  return formats;
}

TreeMigrationCounts migrate_folder(nb::handle src, nb::handle dst, nb::handle manifest, const nb::tuple& old, bool verify,
                                   bool preserve, bool replace, bool sha256, bool find_wrapping, bool delete_source,
                                   bool delete_doubtful, bool delete_volatile, bool keep_going, bool bind_names,
                                   nb::handle index, std::size_t jobs, std::vector<std::string> strip_suffixes,
                                   nb::object on_file, nb::object on_progress, nb::object key, nb::object passphrase,
                                   nb::object key_file, nb::object passphrase_file, nb::object recipient,
                                   nb::object recipient_file, const std::string& suite, int scrypt_log_n,
                                   const std::string& engine, int threads, nb::object binding) {
  const std::string from = path_of(src), to = path_of(dst), manifest_path = path_of(manifest);
  const std::vector<ForeignFormat> formats = formats_of(old);  // whose memory the tuple's objects hold
  const GivenSecrets given({key, passphrase, key_file, passphrase_file, recipient, recipient_file},
                           find_suite(suite).key_bytes, SecretUse::seals);
  ProgressCallback progress(on_progress);
  TreeMigrationOptions options;
  options.verify = verify;
  options.preserve = preserve;
  options.replace = replace;
  options.sha256 = sha256;
  options.find_wrapping = find_wrapping;
  options.delete_source = delete_source;
  options.delete_doubtful = delete_doubtful;
  options.delete_volatile = delete_volatile;
  options.keep_going = keep_going;
  options.binding = binding_of(binding);
  options.bind_names = bind_names;
  options.index = index_of(index);
  options.num_jobs = jobs;
  options.strip_suffixes = std::move(strip_suffixes);
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

TreeFindingOptions finding_options(bool find_wrapping, std::size_t jobs, const nb::object& on_file,
                                   ProgressCallback& progress, const std::string& engine, int threads) {
  TreeFindingOptions options;
  options.find_wrapping = find_wrapping;
  options.num_jobs = jobs;
  options.on_progress = progress.on_progress();
  options.cancellation = &progress.cancellation();
  options.engine = make_options(engine, threads);
  if (!on_file.is_none()) {
    options.on_finding = [&](const TreeFileFinding& file) {
      progress.call([&] { on_file(file); }, "on_file raised an exception");
    };
  }
  return options;
}

TreeFindingCounts preview_folder(nb::handle src, nb::handle dst, nb::handle manifest, const nb::tuple& old,
                                 bool find_wrapping, std::size_t jobs, std::vector<std::string> strip_suffixes,
                                 nb::object on_file, const std::string& engine, int threads) {
  const std::string from = path_of(src), to = path_of(dst), manifest_path = path_of(manifest);
  const std::vector<ForeignFormat> formats = formats_of(old);
  ProgressCallback progress{nb::none()};
  TreeFindingOptions options = finding_options(find_wrapping, jobs, on_file, progress, engine, threads);
  options.strip_suffixes = std::move(strip_suffixes);
  TreeFindingCounts counts;
  progress.run([&] { counts = preview_tree(from, to, manifest_path, formats, options); });
  return counts;
}

TreeFindingCounts verify_folder(nb::handle src, nb::handle dst, nb::handle manifest, const nb::tuple& old,
                                bool find_wrapping, std::size_t jobs, nb::object on_file, nb::object on_progress,
                                const std::string& suite, nb::object key, nb::object passphrase, nb::object key_file,
                                nb::object passphrase_file, nb::object identity, nb::object identity_file,
                                const std::string& engine, int threads, nb::object binding) {
  const std::string from = path_of(src), to = path_of(dst), manifest_path = path_of(manifest);
  const std::vector<ForeignFormat> formats = formats_of(old);
  const GivenSecrets given({key, passphrase, key_file, passphrase_file, identity, identity_file},
                           find_suite(suite).key_bytes, SecretUse::opens);
  ProgressCallback progress(on_progress);
  TreeFindingOptions options = finding_options(find_wrapping, jobs, on_file, progress, engine, threads);
  options.binding = binding_of(binding);
  TreeFindingCounts counts;
  progress.run([&] { counts = verify_tree(from, to, manifest_path, formats, given.identities(), options); });
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
      .def_prop_ro(
          "doubt", [](const TreeFileMigration& file) { return doubt_text(file.doubt); },
          "Of which kind the doubt is that the old key was right, or empty if something vouches for the plaintext.")
      .def_prop_ro(
          "doubt_sentence", [](const TreeFileMigration& file) { return file.doubt.sentence; }, "The same for people.")
      .def_ro("deleted", &TreeFileMigration::deleted, "Whether the old file was removed.")
      .def_prop_ro(
          "kept", [](const TreeFileMigration& file) { return decoded(file.kept); },
          "Why it was not, though it was to go and there is no doubt.")
      .def_prop_ro(
          "container", [](const TreeFileMigration& file) { return decoded(file.container); },
          "Its container's name below the folder of containers.")
      .def("__repr__", [](nb::handle self) {
        return nb::str("TreeFileMigration({!r}, {!r})").format(self.attr("name"), self.attr("state"));
      });
}

void bind_finding(nb::module_& module) {
  nb::class_<TreeFileFinding>(module, "TreeFileFinding", "What was found of one file of a folder, and nothing written.")
      .def_prop_ro(
          "name", [](const TreeFileFinding& file) { return decoded(file.name); }, "Its name below the folder of old files.")
      .def_prop_ro(
          "verdict",
          [](const TreeFileFinding& file) {
            constexpr const char* names[] = {"", "opens", "fails", "skipped", "done", "same", "differs", "not compared"};
            return names[static_cast<int>(file.verdict)];
          },
          "\"opens\", \"fails\", \"skipped\" or \"done\" beforehand; \"same\", \"differs\" or \"not compared\" "
          "afterwards.")
      .def_prop_ro(
          "detail", [](const TreeFileFinding& file) { return decoded(file.detail); },
          "What opens it, or why it has another verdict, in a line.")
      .def_prop_ro(
          "doubt", [](const TreeFileFinding& file) { return doubt_text(file.doubt); },
          "Of which kind the doubt is that the old key was right, or empty if nothing is said against it.")
      .def_prop_ro(
          "doubt_sentence", [](const TreeFileFinding& file) { return file.doubt.sentence; }, "The same for people.")
      .def_ro("num_bytes", &TreeFileFinding::num_bytes, "The size in bytes of what was looked at.")
      .def("__repr__", [](nb::handle self) {
        return nb::str("TreeFileFinding({!r}, {!r})").format(self.attr("name"), self.attr("verdict"));
      });
  using Counts = TreeFindingCounts;
  nb::class_<Counts>(module, "TreeFindingCounts", "How many files of a folder were found to be of each kind.")
      .def_ro("opening", &Counts::num_opening, "Files that would be migrated.")
      .def_ro("failing", &Counts::num_failing, "Files that would fail.")
      .def_ro("skipped", &Counts::num_skipped, "No regular files, or containers already.")
      .def_ro("done", &Counts::num_done, "Files that an earlier call with the same manifest did.")
      .def_ro("same", &Counts::num_same, "Containers that open, to what their old files hold.")
      .def_ro("differing", &Counts::num_differing, "Containers that do not, or cannot be read.")
      .def_ro("not_compared", &Counts::num_not_compared,
              "Containers that open, beside old files that nothing opens which was given.")
      .def_ro("doubtful", &Counts::num_doubtful, "Files whose old key may be wrong.")
      .def_ro("num_bytes", &Counts::num_bytes, "Bytes of old files that open, or of containers that are the same.")
      .def("__repr__", [](const Counts& self) {
        return "TreeFindingCounts(opening=" + std::to_string(self.num_opening) +
               ", failing=" + std::to_string(self.num_failing) + ", skipped=" + std::to_string(self.num_skipped) +
               ", done=" + std::to_string(self.num_done) + ", same=" + std::to_string(self.num_same) +
               ", differing=" + std::to_string(self.num_differing) +
               ", not_compared=" + std::to_string(self.num_not_compared) + ")";
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
      .def_ro("index", &Counts::index, "What the call has appended to its index, an IndexGeneration.")
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
  bind_finding(module);
  def_sealing(module, "migrate_tree", migrate_folder, nb::arg("src").none(), nb::arg("dst").none(),
              nb::arg("manifest").none(), nb::arg("old"), nb::kw_only(), nb::arg("verify") = true,
              nb::arg("preserve") = true, nb::arg("replace") = false, nb::arg("sha256") = false,
              nb::arg("find_wrapping") = false, nb::arg("delete_source") = false, nb::arg("delete_doubtful") = false,
              nb::arg("delete_volatile") = false, nb::arg("keep_going") = false, nb::arg("bind_names") = false,
              nb::arg("index") = nb::none(), nb::arg("jobs") = 0, nb::arg("strip_suffixes") = std::vector<std::string>(),
              nb::arg("on_file") = nb::none(), nb::arg("on_progress") = nb::none());
  module.def("preview_tree", preview_folder, nb::arg("src").none(), nb::arg("dst").none(), nb::arg("manifest").none(),
             nb::arg("old"), nb::kw_only(), nb::arg("find_wrapping") = false, nb::arg("jobs") = 0,
             nb::arg("strip_suffixes") = std::vector<std::string>(), nb::arg("on_file") = nb::none(),
             nb::arg("engine") = "auto", nb::arg("threads") = 0);
  def_opening(module, "verify_tree", verify_folder, nb::arg("src").none(), nb::arg("dst").none(), nb::arg("manifest").none(),
              nb::arg("old"), nb::kw_only(), nb::arg("find_wrapping") = false, nb::arg("jobs") = 0,
              nb::arg("on_file") = nb::none(), nb::arg("on_progress") = nb::none(), nb::arg("suite") = "aes-256");
}

}  // namespace phalanx
