// Folders of files sealed as folders of containers, and opened again.
#include <nanobind/stl/string.h>

#include <phalanx/files/trees.hpp>
#include <string>
#include <vector>

#include "arguments/binding_argument.hpp"
#include "arguments/buffer.hpp"
#include "arguments/decoded.hpp"
#include "arguments/index_argument.hpp"
#include "arguments/progress_callback.hpp"
#include "arguments/secret_arguments.hpp"
#include "arguments/secrets_of_all_suites.hpp"
#include "engine/chunked/suite.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

TreeUpdate update_of(nb::handle update) {
  if (update.is_none()) return TreeUpdate::none;
  const std::string name = nb::isinstance<nb::str>(update) ? nb::cast<std::string>(update) : "";
  if (name == "time") return TreeUpdate::by_time;
  if (name == "content") return TreeUpdate::by_content;
  throw Error(ErrorCode::usage, "update compares \"time\" or \"content\": give one of them, or None");
}

std::vector<std::string> words_of(nb::handle words) {
  std::vector<std::string> found;
  if (words.is_none()) return found;
  if (nb::isinstance<nb::str>(words)) return {nb::cast<std::string>(words)};
  for (const nb::handle word : words) found.push_back(nb::cast<std::string>(word));
  return found;
}

OnTreeFileResult on_file_of(const nb::object& on_file, ProgressCallback& progress) {
  if (on_file.is_none()) return {};
  return [&](const TreeFileResult& file) { progress.call([&] { on_file(file); }, "on_file raised an exception"); };
}

SealTreeCounts seal_folder(nb::handle src, nb::handle dst, nb::handle update, bool update_recipients, bool prune,
                           nb::handle prune_also, bool renew_tree, bool expect_tree, bool dry_run, bool replace, bool keep,
                           bool verify, bool changing_input, bool bind_names, nb::handle index, nb::object on_file,
                           nb::object on_progress, nb::object key, nb::object passphrase, nb::object key_file,
                           nb::object passphrase_file, nb::object recipient, nb::object recipient_file,
                           const std::string& suite, int scrypt_log_n, const std::string& engine, int threads,
                           nb::object binding) {
  const std::string from = path_of(src), to = path_of(dst);
  const GivenSecrets given({key, passphrase, key_file, passphrase_file, recipient, recipient_file},
                           find_suite(suite).key_bytes, SecretUse::seals);
  ProgressCallback progress(on_progress);
  SealTreeOptions options;
  options.update = update_of(update);
  options.update_recipients = update_recipients;
  options.prune = prune;
  const std::vector<std::string> also = words_of(prune_also);
  options.prune_also = also;
  options.renew_tree = renew_tree;
  options.expect_tree = expect_tree;
  options.dry_run = dry_run;
  options.replace = replace;
  options.keep = keep;
  options.verify = verify;
  options.changing_input = changing_input;
  options.binding = binding_of(binding);
  options.bind_names = bind_names;
  options.index = index_of(index);
  options.on_file = on_file_of(on_file, progress);
  options.on_progress = progress.on_progress();
  options.cancellation = &progress.cancellation();
  options.engine = make_options(engine, threads);
  SealTreeCounts counts;
  progress.run([&] { counts = seal_tree(from, to, suite, given.recipients(cost_of(scrypt_log_n)), options); });
  return counts;
}

UnsealTreeCounts unseal_folder(nb::handle src, nb::handle dst, nb::handle update, bool replace, bool keep,
                               nb::object on_file, nb::object on_progress, nb::object key, nb::object passphrase,
                               nb::object key_file, nb::object passphrase_file, nb::object identity,
                               nb::object identity_file, const std::string& engine, int threads, nb::object binding) {
  const std::string from = path_of(src), to = path_of(dst);
  const SecretsOfAllSuites given({key, passphrase, key_file, passphrase_file, identity, identity_file});
  ProgressCallback progress(on_progress);
  UnsealTreeOptions options;
  options.binding = binding_of(binding);
  options.replace = replace;
  options.keep = keep;
  options.update = update_of(update);
  options.on_file = on_file_of(on_file, progress);
  options.on_progress = progress.on_progress();
  options.cancellation = &progress.cancellation();
  options.engine = make_options(engine, threads);
  UnsealTreeCounts counts;
  progress.run([&] { counts = unseal_tree(from, to, given.identities(), options); });
  return counts;
}

void bind_result(nb::module_& module) {
  nb::class_<TreeFileResult>(module, "TreeFileResult", "What became of one file of a folder that is sealed or opened.")
      .def_prop_ro(
          "path", [](const TreeFileResult& file) { return decoded(file.path); },
          "The path of the file, of a container that was removed or kept, or of a folder of several that are kept.")
      .def_prop_ro(
          "state",
          [](const TreeFileResult& file) {
            constexpr const char* names[] = {"", "done", "failed", "skipped", "removed", "kept", "unfinished"};
            return names[static_cast<int>(file.outcome)];
          },
          "\"done\", \"failed\", \"skipped\", \"removed\", \"kept\" or \"unfinished\".")
      .def_prop_ro(
          "why", [](const TreeFileResult& file) { return decoded(file.why); },
          "Why it failed, was skipped, is kept or unfinished, in a line.")
      .def("__repr__", [](nb::handle self) {
        return nb::str("TreeFileResult({!r}, {!r})").format(self.attr("path"), self.attr("state"));
      });
}

void bind_counts(nb::module_& module) {
  nb::class_<SealTreeCounts>(module, "SealTreeCounts", "How many files of a folder that is sealed there were of each kind.")
      .def_ro("sealed", &SealTreeCounts::num_sealed, "Files that this call sealed.")
      .def_ro("unchanged", &SealTreeCounts::num_unchanged, "Files whose containers stand for them, as update compares.")
      .def_ro("skipped", &SealTreeCounts::num_skipped, "Without update, what has a container; links; what a kill has left.")
      .def_ro("failed", &SealTreeCounts::num_failed, "Files that failed.")
      .def_ro("gone", &SealTreeCounts::num_gone, "Containers that stay, though their files are gone.")
      .def_ro("removed", &SealTreeCounts::num_removed, "Such containers that prune has removed.")
      .def_ro("newly_kept", &SealTreeCounts::num_newly_kept, "Containers that stay, of which no call has told before.")
      .def_ro("unfinished", &SealTreeCounts::num_unfinished, "Files that a stopped run left half done: they are not sealed.")
      .def_prop_ro(
          "why_not_removed", [](const SealTreeCounts& counts) { return decoded(counts.why_not_removed); },
          "Why prune has removed none, in a line; empty otherwise.")
      .def_prop_ro(
          "why_other_wish", [](const SealTreeCounts& counts) { return decoded(counts.why_other_wish); },
          "That containers are, or may be, for other recipients than are given, or bound otherwise; empty otherwise.")
      .def_ro("index", &SealTreeCounts::index, "What the call has appended to its index, an IndexGeneration.")
      .def("__repr__", [](const SealTreeCounts& self) {
        return "SealTreeCounts(sealed=" + std::to_string(self.num_sealed) +
               ", unchanged=" + std::to_string(self.num_unchanged) + ", skipped=" + std::to_string(self.num_skipped) +
               ", failed=" + std::to_string(self.num_failed) + ", gone=" + std::to_string(self.num_gone) +
               ", removed=" + std::to_string(self.num_removed) + ")";
      });
  nb::class_<UnsealTreeCounts>(module, "UnsealTreeCounts", "How many containers of a folder there were of each kind.")
      .def_ro("opened", &UnsealTreeCounts::num_opened, "Containers that this call opened.")
      .def_ro("unchanged", &UnsealTreeCounts::num_unchanged, "Files that were there and are left, as update compares.")
      .def_ro("skipped", &UnsealTreeCounts::num_skipped, "No containers by their names, or opened before.")
      .def_ro("failed", &UnsealTreeCounts::num_failed, "Containers that failed.")
      .def("__repr__", [](const UnsealTreeCounts& self) {
        return "UnsealTreeCounts(opened=" + std::to_string(self.num_opened) +
               ", unchanged=" + std::to_string(self.num_unchanged) + ", skipped=" + std::to_string(self.num_skipped) +
               ", failed=" + std::to_string(self.num_failed) + ")";
      });
}

}  // namespace

void bind_sealed_trees(nb::module_& module) {
  bind_result(module);
  bind_counts(module);
  def_sealing(module, "seal_tree", seal_folder, nb::arg("src").none(), nb::arg("dst").none(), nb::kw_only(),
              nb::arg("update") = nb::none(), nb::arg("update_recipients") = false, nb::arg("prune") = false,
              nb::arg("prune_also") = nb::none(), nb::arg("renew_tree") = false, nb::arg("expect_tree") = false,
              nb::arg("dry_run") = false, nb::arg("replace") = false, nb::arg("keep") = true, nb::arg("verify") = false,
              nb::arg("changing_input") = false, nb::arg("bind_names") = false, nb::arg("index") = nb::none(),
              nb::arg("on_file") = nb::none(), nb::arg("on_progress") = nb::none());
  def_opening(module, "unseal_tree", unseal_folder, nb::arg("src").none(), nb::arg("dst").none(), nb::kw_only(),
              nb::arg("update") = nb::none(), nb::arg("replace") = false, nb::arg("keep") = true,
              nb::arg("on_file") = nb::none(), nb::arg("on_progress") = nb::none());
}

}  // namespace phalanx
