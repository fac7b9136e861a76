// Old ciphertext: readers, migrations into containers, and verifying containers.
#include <nanobind/stl/string.h>

#include <memory>
#include <phalanx/files/cms.hpp>
#include <phalanx/files/migration.hpp>
#include <phalanx/files/openpgp.hpp>

#include "arguments/binding_argument.hpp"
#include "arguments/buffer.hpp"
#include "arguments/doubt_text.hpp"
#include "arguments/explained.hpp"
#include "arguments/progress_callback.hpp"
#include "arguments/secret.hpp"
#include "arguments/secret_arguments.hpp"
#include "arguments/sole_use.hpp"
#include "containers/held_format.hpp"
#include "engine/chunked/suite.hpp"
#include "files/system/input.hpp"
#include "files/system/protected_files.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

// Reads the plaintext of an old file, from its beginning to its end.
class ForeignFile {
 public:
  ForeignFile(const std::string& path, const HeldFormat& format, const EngineOptions& options) {
    const nb::gil_scoped_release released;
    reader_ = std::make_unique<ForeignReader>(path, format.format(), options);
  }

  std::size_t read_into(nb::handle dst) {
    const HeldBuffer out(dst, "dst", true);
    const SoleUse use(in_use_, "another thread is reading this file: let one do it");
    const nb::gil_scoped_release released;
    return reader_->read(out.mutable_bytes());
  }

  [[nodiscard]] const ForeignReader& reader() const { return *reader_; }

 private:
  bool in_use_ = false;
  std::unique_ptr<ForeignReader> reader_;
};

// A message's keys as Python gives them, with the memory that they refer to.
class HeldMessageKeys {
 public:
  HeldMessageKeys(nb::handle private_key, nb::handle private_key_passphrase, nb::handle certificate, nb::handle key,
                  nb::handle passphrase) {
    if (!private_key.is_none()) private_key_ = SecretBytes(HeldSecret(private_key, "private_key").bytes());
    if (!private_key_passphrase.is_none()) private_key_passphrase_ = passphrase_of(private_key_passphrase);
    if (!certificate.is_none()) {
      const HeldBuffer held(certificate, "certificate");
      certificate_.assign(held.bytes().begin(), held.bytes().end());
    }
    if (!key.is_none()) key_ = SecretBytes(HeldSecret(key, "key").bytes());
    if (!passphrase.is_none()) passphrase_ = passphrase_of(passphrase);
    passphrase_is_empty_ = !passphrase.is_none() && passphrase_.size() == 0;
  }

  // For as long as this object lives.
  [[nodiscard]] CmsRecipientKeys keys() const {
    return {.private_key = private_key_,
            .private_key_passphrase = private_key_passphrase_,
            .certificate = certificate_,
            .key = key_,
            .passphrase = passphrase_,
            .passphrase_is_empty = passphrase_is_empty_};
  }

 private:
  SecretBytes private_key_, private_key_passphrase_, key_, passphrase_;
  std::vector<std::uint8_t> certificate_;
  bool passphrase_is_empty_ = false;
};

// Reads the content of an encrypted message, from its beginning to its end.
class CmsFile {
 public:
  CmsFile(const std::string& path, const HeldMessageKeys& keys, const EngineOptions& options) {
    const nb::gil_scoped_release released;
    reader_ = std::make_unique<CmsReader>(path, keys.keys(), options);
  }

  std::size_t read_into(nb::handle dst) {
    const HeldBuffer out(dst, "dst", true);
    const SoleUse use(in_use_, "another thread is reading this message: let one do it");
    const nb::gil_scoped_release released;
    return reader_->read(out.mutable_bytes());
  }

  [[nodiscard]] const CmsReader& reader() const { return *reader_; }

 private:
  bool in_use_ = false;
  std::unique_ptr<CmsReader> reader_;
};

// Reads the content of an encrypted message of OpenPGP, from its beginning to its end.
class OpenPgpFile {
 public:
  OpenPgpFile(const std::string& path, const OpenPgpSecrets& secrets, const EngineOptions& options) {
    const nb::gil_scoped_release released;
    reader_ = std::make_unique<OpenPgpReader>(path, secrets, options);
  }

  std::size_t read_into(nb::handle dst) {
    const HeldBuffer out(dst, "dst", true);
    const SoleUse use(in_use_, "another thread is reading this message: let one do it");
    const nb::gil_scoped_release released;
    return reader_->read(out.mutable_bytes());
  }

  [[nodiscard]] const OpenPgpReader& reader() const { return *reader_; }

 private:
  bool in_use_ = false;
  std::unique_ptr<OpenPgpReader> reader_;
};

Migrated migrate(nb::handle src, nb::handle dst, const HeldFormat& format, bool verify, bool replace, bool sha256,
                 nb::object on_progress, nb::object key, nb::object passphrase, nb::object key_file,
                 nb::object passphrase_file, nb::object recipient, nb::object recipient_file, const std::string& suite,
                 int scrypt_log_n, const std::string& engine, int threads, nb::object binding) {
  const std::string in = path_of(src);
  const std::string out = path_of(dst);
  const SecretArguments secrets{key, passphrase, key_file, passphrase_file, recipient, recipient_file};
  ProtectedFiles needed;
  add_secret_files(secrets, needed);
  struct stat status {};
  if (stat(out.c_str(), &status) == 0) needed.refuse(status, out);
  const GivenSecrets given(secrets, find_suite(suite).key_bytes, SecretUse::seals);
  ProgressCallback progress(on_progress);
  MigrationOptions options;
  options.verify = verify;
  options.replace = replace;
  options.sha256 = sha256;
  options.binding = binding_of(binding);
  options.on_progress = progress.on_progress();
  options.engine = make_options(engine, threads);
  Migrated migrated;
  progress.run(
      [&] { migrated = migrate_file(in, format.format(), out, suite, given.recipients(cost_of(scrypt_log_n)), options); });
  return migrated;
}

Verified verify(nb::handle path, bool sha256, bool from_disk, nb::object on_progress, nb::object key, nb::object passphrase,
                nb::object key_file, nb::object passphrase_file, nb::object identity, nb::object identity_file,
                const std::string& engine, int threads, nb::object binding) {
  const GivenSecrets given({key, passphrase, key_file, passphrase_file, identity, identity_file},
                           key_bytes_of_file(path_of(path)), SecretUse::opens);
  ProgressCallback progress(on_progress);
  VerificationOptions options;
  options.binding = binding_of(binding);
  options.sha256 = sha256;
  options.from_disk = from_disk;
  options.on_progress = progress.on_progress();
  options.engine = make_options(engine, threads);
  const std::string name = path_of(path);
  Verified verified;
  progress.run([&] { verified = verify_container(name, given.identities(), options); });
  return verified;
}

constexpr const char* format_doc = R"(How foreign data was written: bare ciphertext, or a file of `openssl enc`.

cipher is cipher-mode, or with a passphrase also one of OpenSSL's names ("des3"); docs/old_ciphers.md
lists names that are read alone ("bf", "aes-128-cfb8"). Give key, or passphrase (a str or bytes).
iv is needed where neither the passphrase nor the data (begins_with_iv) give it. padding is "pkcs7", "x923", "iso7816",
"zero" or "none". digest, pbkdf2 and iterations are what `openssl enc` was given with -md, -pbkdf2 and -iter; digest "auto"
finds it by the padding. salted: the data begins with "Salted__" and salt_bytes bytes of salt, 8 unless -saltlen was given. salt is that of -S of
OpenSSL 3, with which the data does not begin. base64: as `openssl enc -a` writes it. sector_bytes,
first_tweak and tweak_step are for volumes in XTS.

>>> import phalanx
>>> phalanx.ForeignFormat("des-ede3-cbc", passphrase="old secret", digest="md5")
ForeignFormat('des-ede3-cbc')
)";

void bind_format(nb::module_& module) {
  nb::class_<HeldFormat> format(module, "ForeignFormat", format_doc);
  def_explained(
      format, "__init__",
      [](HeldFormat* self, const std::string& cipher, nb::object key, nb::object passphrase, nb::object iv,
         bool begins_with_iv, const std::string& padding, const std::string& digest, bool pbkdf2, int iterations,
         bool salted, bool base64, std::size_t sector_bytes, std::uint64_t first_tweak, std::uint64_t tweak_step,
         nb::object salt, std::size_t salt_bytes) {
        new (self) HeldFormat(cipher, key, passphrase, iv, begins_with_iv, padding, digest, pbkdf2, iterations, salted,
                              base64, sector_bytes, first_tweak, tweak_step, salt, salt_bytes);
      },
      nb::arg("cipher"), nb::kw_only(), nb::arg("key") = nb::none(), nb::arg("passphrase") = nb::none(),
      nb::arg("iv") = nb::none(), nb::arg("begins_with_iv") = false, nb::arg("padding") = "pkcs7",
      nb::arg("digest") = "sha256", nb::arg("pbkdf2") = false, nb::arg("iterations") = 10000, nb::arg("salted") = true,
      nb::arg("base64") = false, nb::arg("sector_bytes") = 0, nb::arg("first_tweak") = 0, nb::arg("tweak_step") = 1,
      nb::arg("salt") = nb::none(), nb::arg("salt_bytes") = 8);
  format.def("__repr__", [](const HeldFormat& self) { return "ForeignFormat('" + self.cipher() + "')"; });
  refuse_pickling(format);
}

void bind_foreign_file(nb::module_& module) {
  nb::class_<ForeignFile> file(module, "ForeignFileReader",
                               "An old file that is being read: what phalanx.foreign_open reads from.");
  file.def(
          "__init__",
          [](ForeignFile* self, nb::handle path, const HeldFormat& format, const std::string& engine, int threads) {
            new (self) ForeignFile(path_of(path), format, make_options(engine, threads));
          },
          nb::arg("path"), nb::arg("format"), nb::arg("engine") = "auto", nb::arg("threads") = 0)
      .def_prop_ro(
          "digest", [](const ForeignFile& self) { return self.reader().digest(); },
          "Which digest made the key from the passphrase; \"\" under a key.")
      .def("read_into", &ForeignFile::read_into, nb::arg("dst").none(),
           "Reads the next bytes of plaintext, and returns how many: fewer than dst has only at the end.");
  refuse_pickling(file);
}

void bind_cms_file(nb::module_& module) {
  nb::class_<CmsFile> file(module, "CmsFileReader",
                           "An encrypted message that is being read: what phalanx.cms_open reads from.");
  file.def(
          "__init__",
          [](CmsFile* self, nb::handle path, nb::handle private_key, nb::handle private_key_passphrase,
             nb::handle certificate, nb::handle key, nb::handle passphrase, const std::string& engine, int threads) {
            const HeldMessageKeys keys(private_key, private_key_passphrase, certificate, key, passphrase);
            new (self) CmsFile(path_of(path), keys, make_options(engine, threads));
          },
          nb::arg("path"), nb::kw_only(), nb::arg("private_key") = nb::none(),
          nb::arg("private_key_passphrase") = nb::none(), nb::arg("certificate") = nb::none(), nb::arg("key") = nb::none(),
          nb::arg("passphrase") = nb::none(), nb::arg("engine") = "auto", nb::arg("threads") = 0)
      .def_prop_ro(
          "cipher", [](const CmsFile& self) { return self.reader().cipher(); },
          "By which cipher the content is encrypted, such as \"aes-256-cbc\".")
      .def_prop_ro(
          "is_authenticated", [](const CmsFile& self) { return self.reader().is_authenticated(); },
          "Whether the content has a tag, which was verified.")
      .def("read_into", &CmsFile::read_into, nb::arg("dst").none(),
           "Reads the next bytes of the content, and returns how many: fewer than dst has only at the end.");
  refuse_pickling(file);
}

void bind_openpgp_file(nb::module_& module) {
  nb::class_<OpenPgpFile> file(module, "OpenPgpFileReader",
                               "An encrypted message that is being read: what phalanx.openpgp_open reads from.");
  file.def(
          "__init__",
          [](OpenPgpFile* self, nb::handle path, nb::handle passphrase, nb::handle session_key, bool allow_unauthenticated,
             const std::string& engine, int threads) {
            SecretBytes held_passphrase, held_session_key;
            if (!passphrase.is_none()) held_passphrase = passphrase_of(passphrase);
            if (!session_key.is_none()) held_session_key = passphrase_of(session_key);
            const OpenPgpSecrets secrets{.passphrase = held_passphrase,
                                         .passphrase_is_empty = !passphrase.is_none() && held_passphrase.size() == 0,
                                         .session_key = held_session_key,
                                         .allow_unauthenticated = allow_unauthenticated};
            new (self) OpenPgpFile(path_of(path), secrets, make_options(engine, threads));
          },
          nb::arg("path"), nb::kw_only(), nb::arg("passphrase") = nb::none(), nb::arg("session_key") = nb::none(),
          nb::arg("allow_unauthenticated") = false, nb::arg("engine") = "auto", nb::arg("threads") = 0)
      .def_prop_ro(
          "cipher", [](const OpenPgpFile& self) { return self.reader().cipher(); },
          "By which cipher the message is encrypted, such as \"aes-256-cfb\".")
      .def_prop_ro(
          "is_authenticated", [](const OpenPgpFile& self) { return self.reader().is_authenticated(); },
          "Whether the message is authenticated; False for one of old PGP.")
      .def("read_into", &OpenPgpFile::read_into, nb::arg("dst").none(),
           "Reads the next bytes of the content, and returns how many: fewer than dst has only at the end.");
  refuse_pickling(file);
}

void bind_results(nb::module_& module) {
  nb::class_<Migrated>(module, "Migrated", "What a migration did.")
      .def_ro("source_bytes", &Migrated::source_bytes, "The old file's size in bytes.")
      .def_ro("container_bytes", &Migrated::container_bytes, "The container's size in bytes.")
      .def_ro("sha256", &Migrated::sha256, "The plaintext's SHA-256 in hex, where it was asked for.")
      .def_ro("digest", &Migrated::digest, "Which digest made the key from the passphrase; empty under a key.")
      .def_prop_ro(
          "doubt", [](const Migrated& self) { return doubt_text(self.doubt); },
          "Of which kind the doubt is that the old key was right, or empty if something vouches for the plaintext. Keep the "
          "original of a doubtful file.")
      .def_prop_ro(
          "doubt_sentence", [](const Migrated& self) { return self.doubt.sentence; },
          "The same for people; empty where there is no doubt.")
      .def("__repr__", [](const Migrated& self) {
        return "Migrated(source_bytes=" + std::to_string(self.source_bytes) +
               ", container_bytes=" + std::to_string(self.container_bytes) + ", doubt='" + doubt_text(self.doubt) + "')";
      });
  nb::class_<Verified>(module, "Verified", "What verify found: a container all of whose chunks are authentic.")
      .def_ro("plain_bytes", &Verified::plain_bytes, "The plaintext's size in bytes.")
      .def_ro("sha256", &Verified::sha256, "The plaintext's SHA-256 in hex, where it was asked for.")
      .def("__repr__", [](const Verified& self) {
        return "Verified(plain_bytes=" + std::to_string(self.plain_bytes) + ", sha256='" + self.sha256 + "')";
      });
}

}  // namespace

void bind_foreign(nb::module_& module) {
  bind_format(module);
  bind_foreign_file(module);
  bind_cms_file(module);
  bind_openpgp_file(module);
  bind_results(module);
  def_sealing(module, "migrate", migrate, nb::arg("src").none(), nb::arg("dst").none(), nb::arg("old"), nb::kw_only(),
              nb::arg("verify") = true, nb::arg("replace") = false, nb::arg("sha256") = false,
              nb::arg("on_progress") = nb::none());
  def_opening(module, "verify", verify, nb::arg("path"), nb::kw_only(), nb::arg("sha256") = false,
              nb::arg("from_disk") = false, nb::arg("on_progress") = nb::none());
}

}  // namespace phalanx
