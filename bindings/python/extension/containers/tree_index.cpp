// The index of a folder of containers: its keys, and a folder compared with it.
#include <nanobind/stl/string.h>

#include <array>
#include <optional>
#include <phalanx/files/tree_index.hpp>
#include <string>
#include <vector>

#include "arguments/binding_argument.hpp"
#include "arguments/decoded.hpp"
#include "arguments/explained.hpp"
#include "arguments/index_argument.hpp"
#include "arguments/progress_callback.hpp"
#include "arguments/secret.hpp"
#include "arguments/secrets_of_all_suites.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

TreeIndexCounts verify_folder(nb::handle folder, const HeldIndex& index, nb::object on_file, nb::object on_progress,
                              nb::object key, nb::object passphrase, nb::object key_file, nb::object passphrase_file,
                              nb::object identity, nb::object identity_file, const std::string& engine, int threads,
                              nb::object binding) {
  const std::string name = path_of(folder);
  const SecretArguments secrets{key, passphrase, key_file, passphrase_file, identity, identity_file};
  std::optional<SecretsOfAllSuites> given;
  std::vector<Identity> identities;
  if (secrets.are_given()) identities = given.emplace(secrets).identities();
  ProgressCallback progress(on_progress);
  TreeIndexVerification options;
  options.binding = binding_of(binding);
  options.on_progress = progress.on_progress();
  options.cancellation = &progress.cancellation();
  options.engine = make_options(engine, threads);
  OnIndexedFile tell = [](const IndexedFile& /*file*/) {};
  if (!on_file.is_none()) {
    tell = [&](const IndexedFile& file) { progress.call([&] { on_file(file); }, "on_file raised an exception"); };
  }
  TreeIndexCounts counts;
  progress.run([&] { counts = verify_tree_index(name, index.options(), identities, tell, options); });
  return counts;
}

nb::object make_keys() {
  SecretBytes signing_key(index_key_bytes);
  std::array<std::uint8_t, index_key_bytes> public_key{};
  make_index_keys(signing_key, public_key);
  return nb::make_tuple(nb::bytes(signing_key.data(), signing_key.size()), nb::bytes(public_key.data(), public_key.size()));
}

const char* verdict_of(const IndexedFile& file) {
  constexpr const char* names[] = {"",        "right", "swapped", "renamed", "removed",        "older",
                                   "changed", "added", "failed",  "skipped", "header_changed", "header_older"};
  return names[static_cast<int>(file.outcome)];
}

constexpr const char* index_doc =
    R"(The index of a folder of containers: which has which name, authenticated, after each run over the folder.

Under one of three keys of 32 bytes: key, which who verifies has too; or signing_key to write and public_key to verify, of
make_index_keys. digest=True puts the SHA-256 of each container's body into it, which a signing key needs. at_least refuses an
index of fewer generations; forget=True takes out what is not there any more.

>>> import pathlib, tempfile, phalanx
>>> folder = pathlib.Path(tempfile.mkdtemp())
>>> (folder / "photos").mkdir()
>>> count = (folder / "photos" / "a.jpg").write_bytes(b"in lockstep")
>>> index = phalanx.TreeIndex(folder / "index", key=bytes(32))
>>> phalanx.seal_tree(folder / "photos", folder / "backup", key=bytes(32), index=index).index.number
1
>>> phalanx.verify_tree_index(folder / "backup", index).right
1

Raises UsageError where there is no key, or more than one, or one of another size.)";

constexpr const char* keys_doc = R"(A new pair of keys of an index, of 32 bytes each: signing_key, and public_key.

>>> import phalanx
>>> signing_key, public_key = phalanx.make_index_keys()
>>> len(signing_key), len(public_key)
(32, 32))";

void bind_index(nb::module_& module) {
  nb::class_<HeldIndex> index(module, "TreeIndex", index_doc);
  def_explained(
      index, "__init__",
      [](HeldIndex* self, nb::handle path, nb::object key, nb::object signing_key, nb::object public_key, bool digest,
         std::uint64_t at_least,
         bool forget) { new (self) HeldIndex(path, key, signing_key, public_key, digest, at_least, forget); },
      nb::arg("path").none(), nb::kw_only(), nb::arg("key") = nb::none(), nb::arg("signing_key") = nb::none(),
      nb::arg("public_key") = nb::none(), nb::arg("digest") = false, nb::arg("at_least") = 0, nb::arg("forget") = false);
  index
      .def_prop_ro(
          "path", [](const HeldIndex& self) { return decoded(self.options().path); }, "Where it is.")
      .def("__repr__", [](nb::handle self) { return nb::str("TreeIndex({!r})").format(self.attr("path")); });
  refuse_pickling(index);
}

void bind_generation(nb::module_& module) {
  nb::class_<IndexGeneration>(module, "IndexGeneration", "The last segment of an index.")
      .def_ro("number", &IndexGeneration::number, "Counts the runs that came to their end; 0 where there is no index.")
      .def_ro("digest", &IndexGeneration::digest, "In hex: to be kept elsewhere, with the number.")
      .def_ro("containers", &IndexGeneration::num_containers, "Containers that are in the index.")
      .def_ro("cut_bytes", &IndexGeneration::cut_bytes, "Bytes behind it, which a run that was killed had left.")
      .def_ro("without_header", &IndexGeneration::num_without_header,
              "Of the containers, those that a run of an earlier version put in, without their headers.")
      .def_ro("headers_taken", &IndexGeneration::num_headers_taken,
              "Headers that the index never had, and the run found: they opened, and are in it now.")
      .def_ro("headers_older", &IndexGeneration::num_headers_older,
              "Headers of earlier generations that the run found put back.")
      .def("__repr__", [](const IndexGeneration& self) {
        return "IndexGeneration(number=" + std::to_string(self.number) + ", digest='" + self.digest + "')";
      });
}

void bind_found(nb::module_& module) {
  nb::class_<IndexedFile>(module, "IndexedFile", "What became of a name in the index of a folder.")
      .def_prop_ro(
          "name", [](const IndexedFile& file) { return decoded(file.name); }, "Below the folder.")
      .def_prop_ro(
          "verdict", verdict_of,
          "\"swapped\", \"renamed\", \"removed\", \"older\", \"changed\", \"added\", \"failed\", \"skipped\", "
          "\"header_changed\" (the body is right, and the index never had this header) or \"header_older\" (the body "
          "is right, and the header that of an earlier generation).")
      .def_prop_ro(
          "other", [](const IndexedFile& file) { return decoded(file.other); },
          "Another name: whose container it is, or what it is called now.")
      .def_ro("generation", &IndexedFile::generation, "Of what is older; of a changed header, which gave it the one before.")
      .def_prop_ro(
          "why", [](const IndexedFile& file) { return decoded(file.why); }, "Why it failed, changed or was skipped.")
      .def("__repr__", [](nb::handle self) {
        return nb::str("IndexedFile({!r}, {!r})").format(self.attr("name"), self.attr("verdict"));
      });
  using Counts = TreeIndexCounts;
  nb::class_<Counts>(module, "TreeIndexCounts", "How many names of a folder and its index there were of each kind.")
      .def_ro("generation", &Counts::generation, "The last segment of the index.")
      .def_ro("right", &Counts::num_right, "Names that have the container that the index says.")
      .def_ro("opened", &Counts::num_opened, "Of those, containers whose every chunk was authenticated.")
      .def_ro("digests", &Counts::num_digests, "Of those not opened, containers whose digest was compared.")
      .def_ro("wrong", &Counts::num_wrong, "Swapped, renamed, removed, older and changed names, and older headers.")
      .def_ro("added", &Counts::num_added, "Containers that are not in the index.")
      .def_ro("failed", &Counts::num_failed, "Containers that do not open, or cannot be read.")
      .def_ro("skipped", &Counts::num_skipped, "No containers, and not in the index.")
      .def_ro("headers_changed", &Counts::num_headers_changed,
              "Right bodies whose header the index never had; none of them is counted as right.")
      .def_ro("without_header", &Counts::num_without_header,
              "Of those that are right, those of whose headers the index says nothing.")
      .def("__repr__", [](const Counts& self) {
        return "TreeIndexCounts(right=" + std::to_string(self.num_right) + ", opened=" + std::to_string(self.num_opened) +
               ", digests=" + std::to_string(self.num_digests) + ", wrong=" + std::to_string(self.num_wrong) +
               ", added=" + std::to_string(self.num_added) + ", failed=" + std::to_string(self.num_failed) +
               ", skipped=" + std::to_string(self.num_skipped) +
               ", headers_changed=" + std::to_string(self.num_headers_changed) +
               ", without_header=" + std::to_string(self.num_without_header) + ")";
      });
}

}  // namespace

HeldIndex::HeldIndex(nb::handle path, nb::handle key, nb::handle signing_key, nb::handle public_key, bool digest,
                     std::uint64_t at_least, bool forget) {
  options_.path = path_of(path);
  options_.digest = digest;
  options_.at_least = at_least;
  options_.forget = forget;
  take_key(key, IndexKeyKind::secret);
  take_key(signing_key, IndexKeyKind::signing);
  take_key(public_key, IndexKeyKind::public_key);
  if (key_.size() == 0) {
    throw Error(ErrorCode::usage, "an index has a key: give one of key, signing_key and public_key, each of 32 bytes");
  }
}

void HeldIndex::take_key(nb::handle key, IndexKeyKind kind) {
  if (key.is_none()) return;
  if (key_.size() != 0) throw Error(ErrorCode::usage, "an index has one key: give one of key, signing_key and public_key");
  key_ = SecretBytes(HeldSecret(key, "the key").bytes());
  if (key_.size() != index_key_bytes) {
    throw Error(ErrorCode::usage, "the key of an index has 32 bytes, and this one " + std::to_string(key_.size()));
  }
  options_.key = {kind, key_};
}

const TreeIndexOptions* index_of(nb::handle argument) {
  if (argument.is_none()) return nullptr;
  if (!nb::isinstance<HeldIndex>(argument)) throw Error(ErrorCode::usage, "index is a phalanx.TreeIndex, or None");
  return &nb::cast<const HeldIndex&>(argument).options();
}

void bind_tree_index(nb::module_& module) {
  bind_index(module);
  bind_generation(module);
  bind_found(module);
  module.def("make_index_keys", make_keys, keys_doc);
  def_opening(module, "verify_tree_index", verify_folder, nb::arg("folder").none(), nb::arg("index"), nb::kw_only(),
              nb::arg("on_file") = nb::none(), nb::arg("on_progress") = nb::none());
}

}  // namespace phalanx
