// Cipher.encrypt_many and its kin: many messages in one call, which is how CBC encryption fills all lanes.
#include <nanobind/stl/string.h>

#include <cstring>
#include <memory>
#include <optional>

#include "arguments/buffer.hpp"
#include "arguments/errors.hpp"
#include "arguments/secret.hpp"
#include "messages/cipher.hpp"
#include "messages/padded_message.hpp"
#include "secrets/wiped_memory.hpp"

namespace phalanx {
namespace {

// The arguments of a call, held.
struct Batch {
  const Cipher& cipher;
  HeldRows in;
  OptionalRows ivs;
  KeyRows keys;
  std::size_t num_bytes = 0;

  Batch(const PythonCipher& given, nb::handle messages, nb::handle given_ivs, nb::handle given_keys)
      : cipher(given.host()), in(messages, "messages"), ivs(given_ivs, "ivs", in.size()), keys(given_keys, in.size()) {
    for (std::size_t i = 0; i < in.size(); ++i) num_bytes += in.bytes(i).size();
  }

  [[nodiscard]] Message message(std::size_t i, Bytes from, MutableBytes to) const {
    return {.iv = ivs.bytes(i), .in = from, .out = to, .key = keys.bytes(i)};
  }
};

// The results of a call, as a list of bytes objects.
struct NewRows {
  nb::list list;
  std::vector<MutableBytes> memory;

  void add(std::size_t num_bytes) {
    NewBytes made = new_bytes(num_bytes);
    memory.push_back(made.memory);
    list.append(std::move(made.object));
  }
};

// Each message with its padding, where the ciphertext will be.
void pad_into(const CipherFacts& facts, Padding padding, Bytes in, MutableBytes out) {
  if (!in.empty()) std::memcpy(out.data(), in.data(), in.size());
  const std::size_t rest = in.size() % facts.block_bytes;
  if (out.size() != in.size() - rest) (void)pad_last_block(padding, out.subspan(in.size() - rest), rest);
}

nb::list encrypt_many(const PythonCipher& cipher, nb::handle messages, nb::handle ivs, nb::handle keys, nb::handle padding) {
  const Padding chosen = padding_of(cipher.facts(), padding);
  const Batch batch(cipher, messages, ivs, keys);
  NewRows out;
  for (std::size_t i = 0; i < batch.in.size(); ++i) {
    out.add(padded_bytes(cipher.facts(), chosen, batch.in.bytes(i).size()));
  }
  run_work(batch.num_bytes, [&] {
    std::vector<Message> work;
    for (std::size_t i = 0; i < batch.in.size(); ++i) {
      const Bytes in = batch.in.bytes(i);
      const bool is_padded = chosen != Padding::none;
      if (is_padded) pad_into(cipher.facts(), chosen, in, out.memory[i]);
      work.push_back(batch.message(i, is_padded ? Bytes(out.memory[i]) : in, out.memory[i]));
    }
    batch.cipher.encrypt_batch(work);
  });
  return out.list;
}

// Plaintext before its padding is off.
class Scratch {
 public:
  explicit Scratch(std::size_t size) : memory_(new std::uint8_t[size]), size_(size) {}
  ~Scratch() { wipe_memory(memory_.get(), size_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  [[nodiscard]] MutableBytes part(std::size_t offset, std::size_t size) { return {memory_.get() + offset, size}; }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  std::size_t size_;
};

// The size of a message without its padding; nothing where that does not check.
std::optional<std::size_t> message_bytes(const CipherFacts& facts, Padding padding, Bytes padded) {
  if (padding == Padding::none) return padded.size();
  if (padded.empty()) return can_check(padding) ? std::nullopt : std::optional<std::size_t>(0);
  const PaddingCheck check = check_padding(padding, padded.last(facts.block_bytes));
  if (!check.valid) return std::nullopt;
  return padded.size() - facts.block_bytes + check.message_bytes;
}

[[noreturn]] void fail_padding(const nb::list& failed, std::size_t num_messages) {
  const std::size_t num_failed = nb::len(failed);
  raise_with_numbers("WrongKeyError",
                     "the padding of " + std::to_string(num_failed) + " of " + std::to_string(num_messages) +
                         " messages does not check: another key, iv or padding, or a changed message; the first is number " +
                         nb::cast<std::string>(nb::str(nb::object(failed[0]))),
                     nb::tuple(failed));
}

nb::list decrypt_many(const PythonCipher& cipher, nb::handle messages, nb::handle ivs, nb::handle keys, nb::handle padding,
                      bool strict) {
  const Padding chosen = padding_of(cipher.facts(), padding);
  const Batch batch(cipher, messages, ivs, keys);
  Scratch scratch(batch.num_bytes);
  std::vector<Message> work;
  run_work(batch.num_bytes, [&] {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < batch.in.size(); ++i) {
      const Bytes in = batch.in.bytes(i);
      work.push_back(batch.message(i, in, scratch.part(offset, in.size())));
      offset += in.size();
    }
    batch.cipher.decrypt_batch(work);
  });
  nb::list list;
  nb::list failed;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const Bytes padded = work[i].out;
    const std::optional<std::size_t> size = message_bytes(cipher.facts(), chosen, padded);
    if (!size) {
      failed.append(i);
      list.append(nb::none());
      continue;
    }
    NewBytes made = new_bytes(*size);
    if (!made.memory.empty()) std::memcpy(made.memory.data(), padded.data(), made.memory.size());
    list.append(std::move(made.object));
  }
  if (strict && nb::len(failed) != 0) fail_padding(failed, work.size());
  return list;
}

using CryptBatch = void (Cipher::*)(std::span<const Message>) const;

template <CryptBatch crypt>
void crypt_many_into(const PythonCipher& cipher, nb::handle src, nb::handle dst, nb::handle ivs, nb::handle keys) {
  const Batch batch(cipher, src, ivs, keys);
  const HeldRows out(dst, "dst", true);
  if (out.size() != batch.in.size()) {
    throw BindingError(BindingErrorKind::size, "there are " + std::to_string(batch.in.size()) +
                                                   " messages, and targets for " + std::to_string(out.size()));
  }
  std::vector<Message> work;
  std::vector<Bytes> targets;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Bytes in = batch.in.bytes(i);
    check_room(in.size(), out.mutable_bytes(i));
    const MutableBytes target = out.mutable_bytes(i).first(in.size());
    check_overlap(in, target);
    work.push_back(batch.message(i, in, target));
    targets.emplace_back(target);
  }
  const DisjointTargets disjoint(std::move(targets));
  for (const Message& message : work) {
    disjoint.check(message.in, message.out);
    for (const Bytes read : {message.iv, message.key}) disjoint.check(read, {});
  }
  run_work(batch.num_bytes, [&] { (batch.cipher.*crypt)(work); });
}

constexpr const char* encrypt_many_doc = R"(Encrypts many messages in one call, and returns a list of their ciphertexts.

messages, ivs and keys are lists of buffers, or arrays with two dimensions, each row of which is one. There is an iv for each
message, or ivs is None in ECB; and a key for each if keys is given; else all have the cipher's. padding is as for encrypt.
This is how CBC, CFB and OFB encryption, which are serial in one message, fill all lanes and cores. What Cipher says of how
much one key encrypts is true of all messages of a batch together.

>>> import phalanx
>>> cipher = phalanx.Cipher("aes-256-cbc", bytes(range(32)))
>>> records = [b"one", b"another", b"a third"]
>>> ivs = [bytes([i] * 16) for i in range(3)]
>>> sealed = cipher.encrypt_many(records, ivs, padding="pkcs7")
>>> sealed[1] == cipher.encrypt(records[1], iv=ivs[1], padding="pkcs7")
True
>>> cipher.decrypt_many(sealed, ivs, padding="pkcs7") == records
True

Raises SizeError where the numbers of messages, ivs and keys differ, and what encrypt raises.)";

constexpr const char* decrypt_many_doc =
    R"(Decrypts many messages in one call, and returns a list of their plaintexts. See encrypt_many.

If the padding of some does not check, raises WrongKeyError, whose attribute failed has their numbers; with strict=False the
list has None for each of them. Raises what decrypt raises.)";

constexpr const char* encrypt_many_into_doc =
    R"(Encrypts each row of src into the row of dst of the same number; nothing is padded.

src, ivs and keys are as for encrypt_many. dst is a list of writable buffers, or a writable array with two dimensions. Each
row is as long as its message or longer, and is that message's memory, or disjoint from all messages and other rows. Raises
SizeError, OverlapError, ReadOnlyError, and what encrypt_many raises.)";

}  // namespace

void bind_batches(nb::class_<PythonCipher>& cipher) {
  cipher.def("encrypt_many", encrypt_many, nb::arg("messages").none(), nb::arg("ivs").none(), nb::arg("keys") = nb::none(),
             nb::kw_only(), nb::arg("padding") = nb::none(), encrypt_many_doc);
  cipher.def("decrypt_many", decrypt_many, nb::arg("messages").none(), nb::arg("ivs").none(), nb::arg("keys") = nb::none(),
             nb::kw_only(), nb::arg("padding") = nb::none(), nb::arg("strict") = true, decrypt_many_doc);
  const auto add_into = [&](const char* name, const auto& function, const char* doc) {
    cipher.def(name, function, nb::arg("src").none(), nb::arg("dst").none(), nb::arg("ivs").none(),
               nb::arg("keys") = nb::none(), doc);
  };
  add_into("encrypt_many_into", crypt_many_into<&Cipher::encrypt_batch>, encrypt_many_into_doc);
  add_into("decrypt_many_into", crypt_many_into<&Cipher::decrypt_batch>, "The inverse of encrypt_many_into.");
}

}  // namespace phalanx
