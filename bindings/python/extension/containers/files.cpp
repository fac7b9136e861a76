// Files as the program has them: sealed and unsealed whole, their recipients, what they are, and files in place.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <phalanx/files/container_file.hpp>
#include <phalanx/files/in_place.hpp>
#include <phalanx/files/inspect.hpp>
#include <phalanx/files/recipients.hpp>
#include <phalanx/files/verification.hpp>

#include "arguments/binding_argument.hpp"
#include "arguments/buffer.hpp"
#include "arguments/progress_callback.hpp"
#include "arguments/secret.hpp"
#include "arguments/secret_arguments.hpp"
#include "arguments/secrets_of_all_suites.hpp"
#include "engine/chunked/suite.hpp"
#include "messages/cipher.hpp"
#include "messages/cipher_names.hpp"

namespace phalanx {
namespace {

SealedFile seal_to(nb::handle src, nb::handle dst, bool verify, bool replace, bool resume, bool changing_input, bool keep,
                   nb::object on_progress, nb::object key, nb::object passphrase, nb::object key_file,
                   nb::object passphrase_file, nb::object recipient, nb::object recipient_file, const std::string& suite,
                   int scrypt_log_n, const std::string& engine, int threads, nb::object binding) {
  const std::string in = path_of(src), out = path_of(dst);
  const SecretArguments secrets{key, passphrase, key_file, passphrase_file, recipient, recipient_file};
  refuse_secret_files(secrets, out);
  const GivenSecrets given(secrets, find_suite(suite).key_bytes, SecretUse::seals);
  ProgressCallback progress(on_progress);
  SealFileOptions options;
  options.verify = verify;
  options.replace = replace;
  options.resume = resume;
  options.changing_input = changing_input;
  options.keep = keep;
  options.binding = binding_of(binding);
  options.on_progress = progress.on_progress();
  options.engine = make_options(engine, threads);
  SealedFile sealed;
  progress.run([&] { sealed = seal_file(in, out, suite, given.recipients(cost_of(scrypt_log_n)), options); });
  return sealed;
}

UnsealedFile unseal_to(nb::handle src, nb::handle dst, bool replace, bool resume, std::uint64_t offset,
                       std::optional<std::uint64_t> size, bool keep, nb::object on_progress, nb::object key,
                       nb::object passphrase, nb::object key_file, nb::object passphrase_file, nb::object identity,
                       nb::object identity_file, const std::string& engine, int threads, nb::object binding) {
  const std::string in = path_of(src), out = path_of(dst);
  const SecretArguments secrets{key, passphrase, key_file, passphrase_file, identity, identity_file};
  refuse_secret_files(secrets, out);
  const GivenSecrets given(secrets, key_bytes_of_file(in), SecretUse::opens);
  ProgressCallback progress(on_progress);
  UnsealFileOptions options;
  options.replace = replace;
  options.resume = resume;
  options.offset = offset;
  options.num_bytes = size;
  options.keep = keep;
  options.binding = binding_of(binding);
  options.on_progress = progress.on_progress();
  options.engine = make_options(engine, threads);
  UnsealedFile unsealed;
  progress.run([&] { unsealed = unseal_file(in, out, given.identities(), options); });
  return unsealed;
}

ChangedRecipients change(nb::handle path, const SecretArguments& added, const std::vector<std::size_t>& removed,
                         int scrypt_log_n, nb::object on_progress, const SecretArguments& secrets,
                         const EngineOptions& engine, nb::handle binding) {
  const std::string name = path_of(path);
  refuse_secret_files(secrets, name);
  refuse_secret_files(added, name);
  const std::size_t key_bytes = key_bytes_of_file(name);
  const GivenSecrets given(secrets, key_bytes, SecretUse::opens);
  std::optional<GivenSecrets> more;
  RecipientChanges changes{.removed = removed};
  if (added.are_given()) {
    more.emplace(added, key_bytes, SecretUse::seals);
    changes.added = more->recipients(cost_of(scrypt_log_n));
  }
  ProgressCallback progress(on_progress);
  RecipientOptions options;
  options.binding = binding_of(binding);
  options.on_progress = progress.on_progress();
  options.engine = engine;
  ChangedRecipients changed;
  progress.run([&] { changed = change_recipients(name, given.identities(), changes, options); });
  return changed;
}

std::vector<FileVerification> verify_many(const nb::sequence& paths, bool sha256, bool from_disk, nb::object on_progress,
                                          nb::object key, nb::object passphrase, nb::object key_file,
                                          nb::object passphrase_file, nb::object identity, nb::object identity_file,
                                          const std::string& engine, int threads, nb::object binding) {
  std::vector<std::string> names;
  for (const nb::handle path : paths) names.push_back(path_of(path));
  const SecretsOfAllSuites given({key, passphrase, key_file, passphrase_file, identity, identity_file});
  ProgressCallback progress(on_progress);
  VerificationOptions options;
  options.binding = binding_of(binding);
  options.sha256 = sha256;
  options.from_disk = from_disk;
  options.on_progress = progress.on_progress();
  // What a function of Python raises ends the call, and is not told of as a file's failure.
  options.cancellation = &progress.cancellation();
  options.engine = make_options(engine, threads);
  std::vector<FileVerification> results;
  progress.run([&] {
    verify_containers(
        names, given.identities(), [&](const FileVerification& file) { results.push_back(file); }, options);
  });
  return results;
}

std::vector<std::size_t> opened_by(nb::handle path, nb::object key, nb::object passphrase, nb::object key_file,
                                   nb::object passphrase_file, nb::object identity, nb::object identity_file,
                                   const std::string& /*engine*/, int /*threads*/, nb::object /*binding*/) {
  const std::string name = path_of(path);
  const GivenSecrets given({key, passphrase, key_file, passphrase_file, identity, identity_file}, key_bytes_of_file(name),
                           SecretUse::opens);
  const nb::gil_scoped_release released;
  return recipients_opened_by(name, given.identities());
}

CryptedInPlace crypt_in_place(bool encrypts, nb::handle path, const std::string& cipher, nb::handle key, nb::handle iv,
                              std::size_t sector_bytes, std::uint64_t first_tweak, std::uint64_t tweak_step,
                              bool allow_unmarked, bool any_device, nb::object on_progress, const std::string& engine,
                              int threads, bool allow_legacy) {
  const std::string name = path_of(path);
  check_cipher_name(cipher, CipherUse::bare);
  const HeldSecret secret(key, "the key");
  const HeldBuffer held_iv = hold_optional(iv, "iv");
  InPlaceFormat format;
  format.cipher = cipher;
  format.key = secret.bytes();
  format.iv = held_iv.bytes();
  format.sectors = {sector_bytes, first_tweak, tweak_step};
  ProgressCallback progress(on_progress);
  InPlaceOptions options;
  options.allow_unmarked = allow_unmarked;
  options.any_device = any_device;
  options.on_progress = progress.on_progress();
  options.engine = make_options(engine, threads);
  options.policy.allow_legacy = allow_legacy;
  CryptedInPlace crypted;
  progress.run(
      [&] { crypted = encrypts ? encrypt_in_place(name, format, options) : decrypt_in_place(name, format, options); });
  return crypted;
}

void bind_results(nb::module_& module) {
  nb::class_<SealedFile>(module, "SealedFile", "What sealing a file did.")
      .def_ro("plain_bytes", &SealedFile::plain_bytes, "The plaintext's size in bytes.")
      .def_ro("container_bytes", &SealedFile::container_bytes, "The container's; 0 where dst is no regular file.")
      .def_ro("resumed_bytes", &SealedFile::resumed_bytes, "How much of the plaintext an earlier run had sealed.")
      .def_ro("input_change", &SealedFile::input_change, "What became of src while it was read; empty if nothing did.")
      .def_ro("lost_attributes", &SealedFile::lost_attributes, "Extended attributes of a replaced dst that were lost.");
  nb::class_<UnsealedFile>(module, "UnsealedFile", "What unsealing a file did.")
      .def_ro("written_bytes", &UnsealedFile::written_bytes, "How much plaintext dst has.")
      .def_ro("resumed_bytes", &UnsealedFile::resumed_bytes, "How much of it an earlier run had written.")
      .def_ro("lost_attributes", &UnsealedFile::lost_attributes, "Extended attributes of a replaced dst that were lost.");
  nb::class_<ChangedRecipients>(module, "ChangedRecipients", "What changing a container's recipients did.")
      .def_ro("num_recipients", &ChangedRecipients::num_recipients, "How many there are now.")
      .def_ro("num_changes", &ChangedRecipients::num_changes, "How many were added and removed.")
      .def_ro("already", &ChangedRecipients::already, "Which of those to add could open it already, from 0.")
      .def_ro("in_place", &ChangedRecipients::in_place, "Whether the new header took the place of the old one.")
      .def_ro("num_other_names", &ChangedRecipients::num_other_names, "Hard links, which keep the old header.")
      .def_ro("lost_attributes", &ChangedRecipients::lost_attributes, "Extended attributes that were lost.");
  nb::class_<CryptedInPlace>(module, "CryptedInPlace", "What crypting a file in place did.")
      .def_ro("file_bytes", &CryptedInPlace::file_bytes, "The file's size in bytes.")
      .def_ro("resumed_bytes", &CryptedInPlace::resumed_bytes, "How much of it an earlier run had done.")
      .def_ro("warning", &CryptedInPlace::warning, "Why the file had no mark; empty if it had.");
  nb::class_<FileVerification>(module, "FileVerification", "What verify_many found of one file.")
      .def_ro("path", &FileVerification::path, "Its name.")
      .def_prop_ro(
          "authentic", [](const FileVerification& file) { return file.outcome == VerifiedAs::authentic; },
          "Whether all of its chunks are.")
      .def_prop_ro(
          "skipped", [](const FileVerification& file) { return file.outcome == VerifiedAs::skipped; },
          "Whether it was taken for no container.")
      .def_ro("why", &FileVerification::why, "Why it failed or was skipped, in a line.")
      .def_prop_ro(
          "plain_bytes", [](const FileVerification& file) { return file.verified.plain_bytes; },
          "The plaintext's size in bytes.")
      .def_prop_ro(
          "sha256", [](const FileVerification& file) { return file.verified.sha256; },
          "The plaintext's SHA-256 in hex, where it was asked for.")
      .def("__repr__", [](const FileVerification& file) {
        const char* const words[] = {"", "authentic", "failed", "skipped"};
        return "FileVerification('" + file.path + "', " + words[static_cast<int>(file.outcome)] + ")";
      });
}

const char* kind_of(const ListedRecipient& recipient) {
  if (recipient.is(KeyKind::public_key)) return "public_key";
  return recipient.is(KeyKind::key) ? "key" : recipient.is(KeyKind::passphrase) ? "passphrase" : "unknown";
}

const char* format_of(const InspectedFile& file) {
  constexpr const char* names[] = {"unknown", "container", "openssl enc", "in-place journal", "luks"};
  return names[static_cast<int>(file.format)];
}

void bind_inspection(nb::module_& module) {
  nb::class_<ListedRecipient>(module, "ListedRecipient", "What a container's header shows of a recipient.")
      .def_prop_ro("kind", kind_of, "\"key\", \"passphrase\", \"public_key\" or \"unknown\".")
      .def_prop_ro(
          "scrypt_log_n",
          [](const ListedRecipient& recipient) { return recipient.is(KeyKind::passphrase) ? recipient.cost.log2_n : 0; },
          "Of a passphrase: scrypt has N = 2 to the power of this.")
      .def_ro("scrypt_bytes", &ListedRecipient::scrypt_bytes, "What trying a passphrase takes, in bytes.")
      .def_ro("stanza_types", &ListedRecipient::stanza_types, "Of a public key: the types of its stanzas, \"X25519\".")
      .def_ro("labels", &ListedRecipient::labels, "Of a public key: the labels of its stanzas.")
      .def("__repr__",
           [](const ListedRecipient& recipient) { return "ListedRecipient('" + std::string(kind_of(recipient)) + "')"; });
  nb::class_<InspectedKeySlot>(module, "InspectedKeySlot", "What a volume's header shows of a key slot that is in use.")
      .def_ro("number", &InspectedKeySlot::number, "The slot's number, from 0 on.")
      .def_ro("derivation", &InspectedKeySlot::derivation, "\"argon2id, 4 passes over 1048576 KiB, 4 lanes\", for example.")
      .def_ro("encryption", &InspectedKeySlot::encryption, "Of the key in it: \"aes-xts-plain64\".")
      .def_ro("priority", &InspectedKeySlot::priority, "\"normal\", \"preferred\" or \"only by its number\".")
      .def_ro("problem", &InspectedKeySlot::problem, "Why it cannot be tried; empty where it can.")
      .def("__repr__", [](const InspectedKeySlot& slot) { return "InspectedKeySlot(" + std::to_string(slot.number) + ")"; });
  nb::class_<InspectedVolume>(module, "InspectedVolume",
                              "What the header of a volume of LUKS shows; none of it is authentic.")
      .def_ro("version", &InspectedVolume::version, "1 or 2; 0 where the header cannot be read.")
      .def_ro("uuid", &InspectedVolume::uuid, "As text.")
      .def_ro("label", &InspectedVolume::label, "Of LUKS2.")
      .def_ro("cipher", &InspectedVolume::cipher, "dm-crypt's name: \"aes-xts-plain64\".")
      .def_ro("key_bytes", &InspectedVolume::key_bytes, "The size of the volume key in bytes.")
      .def_ro("sector_bytes", &InspectedVolume::sector_bytes, "The size of a sector in bytes.")
      .def_ro("data_offset", &InspectedVolume::data_offset, "Where the data begin, in bytes.")
      .def_ro("plain_bytes", &InspectedVolume::plain_bytes, "The plaintext's size, if the data lie in this file.")
      .def_prop_ro(
          "key_slots", [](const InspectedVolume& volume) { return volume.key_slots; }, "Those in use.")
      .def_ro("problem", &InspectedVolume::problem, "Why it cannot be read here; empty where it can.")
      .def_ro("note", &InspectedVolume::note, "That one of the two headers of LUKS2 is damaged.")
      .def("__repr__", [](const InspectedVolume& volume) { return "InspectedVolume('" + volume.cipher + "')"; });
  nb::class_<InspectedFile>(module, "InspectedFile", "What a file shows without a key; none of it is authentic.")
      .def_prop_ro("format", format_of, "\"container\", \"openssl enc\", \"in-place journal\", \"luks\" or \"unknown\".")
      .def_ro("file_bytes", &InspectedFile::file_bytes, "The file's size in bytes.")
      .def_prop_ro(
          "version", [](const InspectedFile& file) { return file.container.version; }, "Of a container's format.")
      .def_prop_ro(
          "suite", [](const InspectedFile& file) { return file.container.suite; }, "Of a container: \"aes-256\".")
      .def_prop_ro(
          "recipients", [](const InspectedFile& file) { return file.container.recipients; }, "Of a container.")
      .def_prop_ro(
          "needs_context", [](const InspectedFile& file) { return file.container.needs_context; },
          "Whether a container opens with a context only.")
      .def_prop_ro(
          "has_name", [](const InspectedFile& file) { return file.container.has_name; },
          "Whether a container is bound to a name.")
      .def_prop_ro(
          "header_bytes", [](const InspectedFile& file) { return file.container.header_bytes; }, "Of a container.")
      .def_prop_ro(
          "problem", [](const InspectedFile& file) { return file.container.problem; },
          "Why no container has the file's size; empty if one has.")
      .def_prop_ro(
          "plain_bytes", [](const InspectedFile& file) { return file.container.plain_bytes; },
          "Of a container: the plaintext's size, if nothing was cut off or added.")
      .def_prop_ro(
          "num_chunks", [](const InspectedFile& file) { return file.container.num_chunks; }, "The same of its chunks.")
      .def_prop_ro(
          "salt",
          [](const InspectedFile& file) {
            const bool has_one = file.format == FileFormat::openssl_enc && !file.is_base64;
            return nb::bytes(reinterpret_cast<const char*>(file.salt.data()), has_one ? file.salt.size() : 0);
          },
          "Of `openssl enc`; empty otherwise, and in base64.")
      .def_ro("is_base64", &InspectedFile::is_base64, "Whether it is of `openssl enc -a`.")
      .def_ro("ciphertext_bytes", &InspectedFile::ciphertext_bytes, "Of `openssl enc`: what follows the salt.")
      .def_prop_ro(
          "volume", [](const InspectedFile& file) { return file.volume; }, "Of a volume of LUKS.")
      .def_ro("kind", &InspectedFile::kind,
              "Of any file: \"container\", \"openssl-enc\", \"age\", \"zip\", \"text\", \"unknown\"; "
              "docs/what_is_this_file.md has all.")
      .def_ro("form", &InspectedFile::form,
              "Empty for bytes; \"PEM\", \"armor\", \"mail\", \"base64\", \"hex\", \"UTF-16\", or two of them.")
      .def_ro("protection", &InspectedFile::protection, "\"encrypted\", \"signed\", \"none\" or \"unknown\".")
      .def_ro("description", &InspectedFile::description, "The same for people: \"a file of age, for X25519\".")
      .def_ro("opened_by", &InspectedFile::opened_by, "For people: whose program opens or reads it.")
      .def_ro("is_certain", &InspectedFile::is_certain, "Whether random bytes begin so less than once in 2**32 times.")
      .def_ro("is_cut", &InspectedFile::is_cut, "Whether the file says how long it is, and is shorter.")
      .def("__repr__", [](const InspectedFile& file) { return "InspectedFile('" + file.kind + "')"; });
  module.def(
      "inspect",
      [](nb::handle path) {
        const std::string name = path_of(path);
        const nb::gil_scoped_release released;
        return inspect_file(name);
      },
      nb::arg("path"));
  module.def(
      "list_recipients", [](nb::handle path) { return list_recipients(path_of(path)); }, nb::arg("path"));
}

}  // namespace

void bind_files(nb::module_& module) {
  bind_results(module);
  bind_inspection(module);
  def_explained(module, "crypt_in_place", crypt_in_place, nb::arg("encrypts"), nb::arg("path"), nb::arg("cipher"),
                nb::arg("key").none(), nb::arg("iv") = nb::none(), nb::kw_only(), nb::arg("sector_bytes") = 0,
                nb::arg("first_tweak") = 0, nb::arg("tweak_step") = 1, nb::arg("allow_unmarked") = false,
                nb::arg("any_device") = false, nb::arg("on_progress") = nb::none(), nb::arg("engine") = "auto",
                nb::arg("threads") = 0, nb::arg("allow_legacy") = false);
  def_sealing(module, "seal_file", seal_to, nb::arg("src"), nb::arg("dst"), nb::kw_only(), nb::arg("verify") = false,
              nb::arg("replace") = false, nb::arg("resume") = false, nb::arg("changing_input") = false,
              nb::arg("keep") = true, nb::arg("on_progress") = nb::none());
  def_opening(module, "unseal_file", unseal_to, nb::arg("src"), nb::arg("dst"), nb::kw_only(), nb::arg("replace") = false,
              nb::arg("resume") = false, nb::arg("offset") = 0, nb::arg("size") = nb::none(), nb::arg("keep") = true,
              nb::arg("on_progress") = nb::none());
  def_opening(module, "verify_many", verify_many, nb::arg("paths"), nb::kw_only(), nb::arg("sha256") = false,
              nb::arg("from_disk") = false, nb::arg("on_progress") = nb::none());
  def_opening(module, "recipients_opened_by", opened_by, nb::arg("path"), nb::kw_only());
  def_opening(
      module, "change_recipients",
      [](nb::handle path, nb::object add_key, nb::object add_passphrase, nb::object add_key_file,
         nb::object add_passphrase_file, nb::object add_recipient, nb::object add_recipient_file,
         const std::vector<std::size_t>& remove, int scrypt_log_n, nb::object on_progress, nb::object key,
         nb::object passphrase, nb::object key_file, nb::object passphrase_file, nb::object identity,
         nb::object identity_file, const std::string& engine, int threads, nb::object binding) {
        return change(path, {add_key, add_passphrase, add_key_file, add_passphrase_file, add_recipient, add_recipient_file},
                      remove, scrypt_log_n, on_progress,
                      {key, passphrase, key_file, passphrase_file, identity, identity_file}, make_options(engine, threads),
                      binding);
      },
      nb::arg("path"), nb::kw_only(), nb::arg("add_key") = nb::none(), nb::arg("add_passphrase") = nb::none(),
      nb::arg("add_key_file") = nb::none(), nb::arg("add_passphrase_file") = nb::none(),
      nb::arg("add_recipient") = nb::none(), nb::arg("add_recipient_file") = nb::none(),
      nb::arg("remove") = std::vector<std::size_t>(), nb::arg("scrypt_log_n") = 17, nb::arg("on_progress") = nb::none());
}

}  // namespace phalanx
