#include "messages/cipher.hpp"

#include "arguments/buffer.hpp"
#include "arguments/errors.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret.hpp"
#include "devices/cuda_after_fork.hpp"
#include "devices/cuda_runtime_calls.hpp"
#include "devices/device_arrays.hpp"
#include "messages/cipher_names.hpp"
#include "messages/padded_message.hpp"

namespace phalanx {
namespace {

// Not one that only __new__ made.
const PythonCipher& made_cipher(nb::handle self) {
  if (!nb::inst_ready(self)) throw Error(ErrorCode::usage, "the cipher has no key: its __init__ was not called");
  return nb::cast<const PythonCipher&>(self);
}

nb::object encrypt(nb::handle self, nb::handle data, nb::handle iv, nb::handle padding, nb::handle stream) {
  const PythonCipher& cipher = made_cipher(self);
  const Padding chosen = padding_of(cipher.facts(), padding);
  if (speaks_of_devices(data)) {
    return devices().attr("crypt_array")(self, true, data, iv, padding_name(chosen), nb::none(), stream);
  }
  const HeldBuffer in(data, "data");
  const HeldBuffer held_iv = hold_optional(iv, "iv");
  const std::size_t size = padded_bytes(cipher.facts(), chosen, in.size());
  NewBytes out = new_bytes(size);
  run_work(size, [&] { encrypt_padded(cipher.host(), chosen, held_iv.bytes(), in.bytes(), out.memory); });
  return std::move(out.object);
}

nb::object decrypt(nb::handle self, nb::handle data, nb::handle iv, nb::handle padding, nb::handle stream) {
  const PythonCipher& cipher = made_cipher(self);
  const Padding chosen = padding_of(cipher.facts(), padding);
  if (speaks_of_devices(data)) {
    return devices().attr("crypt_array")(self, false, data, iv, padding_name(chosen), nb::none(), stream);
  }
  const HeldBuffer in(data, "data");
  const HeldBuffer held_iv = hold_optional(iv, "iv");
  const PaddedDecryption message(cipher.host(), chosen, held_iv.bytes(), in.bytes());
  NewBytes out = new_bytes(message.message_bytes());
  run_work(in.size(), [&] { message.write(out.memory); });
  return std::move(out.object);
}

std::size_t crypt_array_into(nb::handle self, bool encrypts, nb::handle src, nb::handle dst, nb::handle iv, Padding padding,
                             nb::handle stream) {
  const auto crypt = devices().attr("crypt_array_into");
  return nb::cast<std::size_t>(crypt(self, encrypts, src, dst, iv, padding_name(padding), nb::none(), stream));
}

std::size_t encrypt_into(nb::handle self, nb::handle src, nb::handle dst, nb::handle iv, nb::handle padding,
                         nb::handle stream) {
  const PythonCipher& cipher = made_cipher(self);
  const Padding chosen = padding_of(cipher.facts(), padding);
  if (speaks_of_devices(src)) return crypt_array_into(self, true, src, dst, iv, chosen, stream);
  const HeldBuffer in(src, "src");
  const HeldBuffer out(dst, "dst", true);
  const HeldBuffer held_iv = hold_optional(iv, "iv");
  const std::size_t size = padded_bytes(cipher.facts(), chosen, in.size());
  check_room(size, out.bytes());
  const MutableBytes target = out.mutable_bytes().first(size);
  check_overlap(in.bytes(), target);
  run_work(size, [&] { encrypt_padded(cipher.host(), chosen, held_iv.bytes(), in.bytes(), target); });
  return size;
}

std::size_t decrypt_into(nb::handle self, nb::handle src, nb::handle dst, nb::handle iv, nb::handle padding,
                         nb::handle stream) {
  const PythonCipher& cipher = made_cipher(self);
  const Padding chosen = padding_of(cipher.facts(), padding);
  if (speaks_of_devices(src)) return crypt_array_into(self, false, src, dst, iv, chosen, stream);
  const HeldBuffer in(src, "src");
  const HeldBuffer out(dst, "dst", true);
  const HeldBuffer held_iv = hold_optional(iv, "iv");
  const PaddedDecryption message(cipher.host(), chosen, held_iv.bytes(), in.bytes());
  check_room(message.message_bytes(), out.bytes());
  const MutableBytes target = out.mutable_bytes().first(message.message_bytes());
  check_overlap(in.bytes(), target);
  run_work(in.size(), [&] { message.write(target); });
  return target.size();
}

constexpr const char* class_doc =
    R"(A bare cipher in a mode under a key, for any mode but GCM, which Aead has.

name is cipher-mode, case ignored: "des-ede3-cbc", "aes-256-ctr", "serpent-256-xts"; ciphers() lists all. key has key_bytes
bytes, for XTS the data key and then the tweak key. engine is "auto" (the widest of this CPU), "cpu:avx2", "cuda", ...;
engines() lists them. threads is the most CPU threads that a call uses, 0 for all cores. With allow_legacy=True it encrypts
with DES, 2DES and 3DES, and in ECB, which raises PolicyError otherwise; decrypting needs no permission.

The key is copied into memory that is wiped with the object, which is immutable: any number of threads may use it at once.
In XTS the two halves of a key differ, and a data unit has at most 2^20 blocks, 16 MiB (IEEE 1619-2018): what is not so is
decrypted, and not encrypted. How much one key encrypts in all is yours to keep, over encrypt, encrypt_many and all else: with
triple DES no more than 2^20 blocks, 8 MiB (SP 800-67). Weak keys of DES are not looked for.

It is not pickled. Without authentication a changed ciphertext decrypts to something else, without an error: it is for data
whose format is given, and new data is better off in an Aead or a container.

>>> import phalanx
>>> cipher = phalanx.Cipher("aes-256-cbc", bytes(32))
>>> cipher.encrypt(b"in lockstep", iv=bytes(16), padding="pkcs7").hex()
'f78cba6a2cc786d59ffe4c848105e1e8'
>>> cipher.decrypt(bytes.fromhex("f78cba6a2cc786d59ffe4c848105e1e8"), iv=bytes(16), padding="pkcs7")
b'in lockstep'

Raises UsageError for an unknown name or engine and a key of another size.)";

constexpr const char* encrypt_doc = R"(Encrypts one message, and returns the ciphertext as bytes.

data is anything with the buffer protocol, or an array in a GPU's memory, for which the result is one too (docs/python.md).
iv has iv_bytes bytes; in ECB it is left out. ECB and CBC take whole blocks, and padding says how a message becomes so: "pkcs7",
"x923", "iso7816", "zero", or "none" where it is whole blocks already, as it must be in a GPU's memory. The other modes take
any length and have none: it is left out there, or "none". stream is for arrays of a GPU only.

From 2 KiB on other threads run meanwhile. Raises UsageError, BufferTypeError, StrideError; PolicyError for what needs
allow_legacy, and in XTS for a key with equal halves and for more than 16 MiB.)";

constexpr const char* decrypt_doc =
    R"(Decrypts one message, and returns the plaintext as bytes. The arguments are those of encrypt.

Raises WrongKeyError where the padding does not check, TruncatedError for ciphertext that is not whole blocks where the mode
wants them, and what encrypt raises.)";

constexpr const char* encrypt_into_doc =
    R"(Encrypts src into dst, and returns how many bytes of dst were written, from its beginning on.

dst is writable memory of the ciphertext's size or more; it is src's memory, from its beginning on, or disjoint from it.
The other arguments are those of encrypt.

>>> import phalanx
>>> message = bytearray(b"sixteen letters.")
>>> phalanx.Cipher("aes-128-ctr", bytes(16)).encrypt_into(message, message, iv=bytes(16))
16
>>> message.hex()
'158033a08aef421be4298e2daf465800'

Raises SizeError, OverlapError, ReadOnlyError, and what encrypt raises.)";

constexpr const char* decrypt_into_doc =
    R"(Decrypts src into dst, and returns how many bytes of dst were written, from its beginning on.

dst has room for the plaintext, without the padding. Nothing is written where the padding does not check. For the rest see
encrypt_into and decrypt.)";

void bind_messages(nb::class_<PythonCipher>& cipher) {
  const auto add = [&](const char* name, const auto& function, const char* doc) {
    def_explained(cipher, name, function, nb::arg("data").none(), nb::kw_only(), nb::arg("iv") = nb::none(),
                  nb::arg("padding") = nb::none(), nb::arg("stream") = nb::none(), doc);
  };
  add("encrypt", encrypt, encrypt_doc);
  add("decrypt", decrypt, decrypt_doc);
  const auto add_into = [&](const char* name, const auto& function, const char* doc) {
    def_explained(cipher, name, function, nb::arg("src").none(), nb::arg("dst").none(), nb::kw_only(),
                  nb::arg("iv") = nb::none(), nb::arg("padding") = nb::none(), nb::arg("stream") = nb::none(), doc);
  };
  add_into("encrypt_into", encrypt_into, encrypt_into_doc);
  add_into("decrypt_into", decrypt_into, decrypt_into_doc);
}

}  // namespace

PythonCipher::PythonCipher(const std::string& name, Bytes key, const EngineOptions& options, const CipherPolicy& policy)
    : host_(std::make_shared<const Cipher>(name, key, options, policy)),
      key_(key),
      options_(options),
      policy_(policy),
      runs_on_gpu_(options.engine.starts_with("cuda")) {}

PythonCipher::~PythonCipher() {
  if (device_ == nullptr && !runs_on_gpu_) return;
  if (cuda_is_lost()) {  // freeing what is on the GPU would need CUDA
    (void)device_.release();
    if (runs_on_gpu_) (void)new std::shared_ptr<const Cipher>(host_);
  } else if (device_ != nullptr) {
    wait_for_devices();
  }
}

const Cipher& PythonCipher::host() const {
  if (runs_on_gpu_) note_cuda();
  return *host_;
}

std::shared_ptr<const Cipher> PythonCipher::shared_host() const {
  if (runs_on_gpu_) note_cuda();
  return host_;
}

const DeviceCipher& PythonCipher::device() const {
  note_cuda();
  std::call_once(made_device_, [this] {
    EngineOptions options = options_;
    if (!runs_on_gpu_) options.engine = "cuda";
    device_ = std::make_unique<const DeviceCipher>(facts().name, key_, options, policy_);
  });
  return *device_;
}

EngineOptions make_options(const std::string& engine, int num_threads) {
  note_engine(engine);
  return {.engine = engine, .num_threads = num_threads};
}

Padding padding_of(const CipherFacts& facts, nb::handle padding) {
  const bool has_padding = takes_whole_blocks(facts);
  if (padding.is_none() && has_padding) {
    throw Error(
        ErrorCode::usage,
        facts.name + " takes whole blocks: say padding=\"pkcs7\", or \"none\" where the message is whole blocks already");
  }
  if (padding.is_none()) return Padding::none;
  if (!nb::isinstance<nb::str>(padding)) throw Error(ErrorCode::usage, "padding is a str, \"pkcs7\" and the like, or None");
  const Padding chosen = parse_padding(nb::cast<std::string>(padding));
  if (chosen == Padding::none || has_padding) return chosen;
  throw Error(ErrorCode::usage, facts.name + " takes any length and has no padding: leave it out, or say none");
}

void bind_cipher(nb::module_& module) {
  nb::class_<PythonCipher> cipher(module, "Cipher", class_doc);
  def_explained(
      cipher, "__init__",
      [](PythonCipher* self, const std::string& name, nb::handle key, const std::string& engine, int threads,
         bool allow_legacy) {
        check_cipher_name(name, CipherUse::bare);
        new (self) PythonCipher(name, HeldSecret(key, "the key").bytes(), make_options(engine, threads),
                                {.allow_legacy = allow_legacy});
      },
      nb::arg("name"), nb::arg("key").none(), nb::arg("engine") = "auto", nb::arg("threads") = 0, nb::kw_only(),
      nb::arg("allow_legacy") = false);
  cipher
      .def_prop_ro(
          "iv_bytes", [](const PythonCipher& self) { return self.facts().iv_bytes; }, "The iv's size in bytes; 0: none.")
      .def_prop_ro(
          "block_bytes", [](const PythonCipher& self) { return self.facts().block_bytes; }, "The block's size in bytes.");
  module.def("is_missing", is_missing, nb::arg("element").none(), "Whether an element of a column is none.");
  bind_facts(cipher, "Cipher");
  bind_messages(cipher);
  bind_parts(cipher);
  bind_batches(cipher);
  bind_incremental(module, cipher);
  refuse_pickling(cipher);
}

}  // namespace phalanx
