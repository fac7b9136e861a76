// Cipher.encrypt_many and its kin: many messages in one call, which is how CBC encryption fills all lanes.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>

#include "arguments/buffer.hpp"
#include "arguments/errors.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret.hpp"
#include "engine/host/wiped_memory.hpp"
#include "messages/cipher.hpp"
#include "messages/padded_message.hpp"

namespace phalanx {
namespace {

// The arguments of a call, held.
struct Batch {
  const Cipher& cipher;
  HeldRows in;
  OptionalRows ivs;
  KeyRows keys;
  std::size_t num_bytes = 0;

  Batch(const PythonCipher& given, nb::handle messages, nb::handle given_ivs, nb::handle given_keys,
        RowKind kind = RowKind::buffers)
      : cipher(given.host()),
        in(messages, "messages", false, kind),
        ivs(given_ivs, "ivs", in.size(), RowKind::of_one_size),
        keys(given_keys, in, given.facts().key_bytes) {
    if (given.facts().iv_bytes != 0) ivs.check_sizes("ivs", given.facts().iv_bytes, in);
    for (std::size_t i = 0; i < in.size(); ++i) num_bytes += in.bytes(i).size();
  }

  [[nodiscard]] Message message(std::size_t i, Bytes from, MutableBytes to) const {
    return {.iv = ivs.bytes(i), .in = from, .out = to, .key = keys.bytes(i)};
  }
};

// How many bytes of iv each ciphertext begins with.
std::size_t prefix_bytes_of(const CipherFacts& facts, bool iv_prefix) {
  if (iv_prefix && facts.iv_bytes == 0) throw Error(ErrorCode::usage, facts.name + " takes no iv: leave iv_prefix out");
  return iv_prefix ? facts.iv_bytes : 0;
}

// The results of a call, as a list of bytes objects, with None for each message that was not there.
struct NewRows {
  nb::list list;
  std::vector<MutableBytes> memory;

  void add(std::size_t num_bytes) {
    NewBytes made = new_bytes(num_bytes);
    memory.push_back(made.memory);
    list.append(std::move(made.object));
  }
  void add_none() {
    memory.emplace_back();
    list.append(nb::none());
  }
};

// Each message with its padding, where the ciphertext will be.
void pad_into(const CipherFacts& facts, Padding padding, Bytes in, MutableBytes out) {
  if (!in.empty()) std::memcpy(out.data(), in.data(), in.size());
  const std::size_t rest = in.size() % facts.block_bytes;
  if (out.size() != in.size() - rest) (void)pad_last_block(padding, out.subspan(in.size() - rest), rest);
}

nb::list encrypt_many(const PythonCipher& cipher, nb::handle messages, nb::handle ivs, nb::handle keys, nb::handle padding,
                      bool iv_prefix) {
  const Padding chosen = padding_of(cipher.facts(), padding);
  const std::size_t prefix_bytes = prefix_bytes_of(cipher.facts(), iv_prefix);
  const Batch batch(cipher, messages, ivs, keys, RowKind::may_miss);
  NewRows out;
  for (std::size_t i = 0; i < batch.in.size(); ++i) {
    if (batch.in.is_missing(i)) {
      out.add_none();
    } else {
      out.add(prefix_bytes + padded_bytes(cipher.facts(), chosen, batch.in.bytes(i).size()));
    }
  }
  run_work(batch.num_bytes, [&] {
    std::vector<Message> work;
    for (std::size_t i = 0; i < batch.in.size(); ++i) {
      if (batch.in.is_missing(i)) continue;
      const Bytes in = batch.in.bytes(i);
      const bool is_padded = chosen != Padding::none;
      const MutableBytes ciphertext = out.memory[i].subspan(prefix_bytes);
      if (is_padded) pad_into(cipher.facts(), chosen, in, ciphertext);
      work.push_back(batch.message(i, is_padded ? Bytes(ciphertext) : in, ciphertext));
      if (iv_prefix) std::ranges::copy(work.back().iv, out.memory[i].begin());
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

// The numbers of the messages that cannot be decrypted, and why not.
struct Failures {
  std::vector<std::size_t> cut_short;
  std::vector<std::size_t> padding;

  [[nodiscard]] bool empty() const { return cut_short.empty() && padding.empty(); }
  [[noreturn]] void raise(const CipherFacts& facts, std::size_t prefix_bytes, std::size_t num_messages) const;
};

// What a message that is cut short is not, or is.
std::string words_of_cut(const CipherFacts& facts, std::size_t prefix_bytes) {
  const std::string blocks = "whole blocks of " + std::to_string(facts.block_bytes) + " bytes";
  if (!takes_whole_blocks(facts)) return "shorter than an iv of " + std::to_string(prefix_bytes) + " bytes";
  return prefix_bytes == 0 ? "no " + blocks : "no iv and " + blocks;
}

// Where one alone was cut short, a key may be right for all.
void Failures::raise(const CipherFacts& facts, std::size_t prefix_bytes, std::size_t num_messages) const {
  std::vector<std::size_t> all;
  std::ranges::merge(cut_short, padding, std::back_inserter(all));
  nb::list numbers;
  for (const std::size_t number : all) numbers.append(number);
  const std::string of_all = " of " + std::to_string(num_messages) + " messages";
  const std::string first = "; the first is number " + std::to_string(all.front());
  const std::string cut = std::to_string(cut_short.size()) + (padding.empty() ? of_all : "") +
                          (cut_short.size() == 1 ? " is " : " are ") + words_of_cut(facts, prefix_bytes) +
                          ", and so cut short";
  if (padding.empty()) raise_with_numbers("TruncatedError", cut + first, nb::tuple(numbers));
  raise_with_numbers("WrongKeyError",
                     "the padding of " + std::to_string(padding.size()) + of_all +
                         " does not check: another key, iv or padding, or a changed message" +
                         (cut_short.empty() ? "" : "; " + cut) + first,
                     nb::tuple(numbers));
}

bool is_cut_short(const CipherFacts& facts, std::size_t prefix_bytes, Bytes message) {
  if (message.size() < prefix_bytes) return true;
  return takes_whole_blocks(facts) && (message.size() - prefix_bytes) % facts.block_bytes != 0;
}

// The plaintext of each message, without its padding, of those that `work` has decrypted in their order; None for the others.
nb::list plaintexts_of(const CipherFacts& facts, std::size_t prefix_bytes, Padding padding, const HeldRows& messages,
                       const std::vector<Message>& work, Failures& failures) {
  nb::list list;
  auto next = work.begin();
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::optional<std::size_t> size;
    Bytes padded;
    if (messages.is_missing(i)) {
      // There is none.
    } else if (is_cut_short(facts, prefix_bytes, messages.bytes(i))) {
      failures.cut_short.push_back(i);
    } else {
      padded = (next++)->out;
      size = message_bytes(facts, padding, padded);
      if (!size) failures.padding.push_back(i);
    }
    if (!size) {
      list.append(nb::none());
      continue;
    }
    NewBytes made = new_bytes(*size);
    if (!made.memory.empty()) std::memcpy(made.memory.data(), padded.data(), made.memory.size());
    list.append(std::move(made.object));
  }
  return list;
}

nb::list decrypt_many(const PythonCipher& cipher, nb::handle messages, nb::handle ivs, nb::handle keys, nb::handle padding,
                      bool iv_prefix, bool strict) {
  const CipherFacts& facts = cipher.facts();
  const Padding chosen = padding_of(facts, padding);
  const std::size_t prefix_bytes = prefix_bytes_of(facts, iv_prefix);
  if (iv_prefix && !ivs.is_none())
    throw Error(ErrorCode::usage, "iv_prefix takes each iv from the beginning of its message: leave ivs out");
  const Batch batch(cipher, messages, ivs, keys, RowKind::may_miss);
  Scratch scratch(batch.num_bytes);
  std::vector<Message> work;
  run_work(batch.num_bytes, [&] {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < batch.in.size(); ++i) {
      const Bytes in = batch.in.bytes(i);
      if (batch.in.is_missing(i) || is_cut_short(facts, prefix_bytes, in)) continue;
      const Bytes ciphertext = in.subspan(prefix_bytes);
      work.push_back(batch.message(i, ciphertext, scratch.part(offset, ciphertext.size())));
      if (iv_prefix) work.back().iv = in.first(prefix_bytes);
      offset += ciphertext.size();
    }
    batch.cipher.decrypt_batch(work);
  });
  Failures failures;
  nb::list list = plaintexts_of(facts, prefix_bytes, chosen, batch.in, work, failures);
  if (strict && !failures.empty()) failures.raise(facts, prefix_bytes, batch.in.size());
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
message, or ivs is left out in ECB; and a key for each if keys is given; else all have the cipher's. padding is as for encrypt.
With iv_prefix=True each ciphertext begins with its iv.
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

A message that is None, as in a column that may have none, gives None; so do NA and NaN of pandas and nulls of pyarrow. Its iv
and key are not looked at. Raises SizeError where the numbers of messages, ivs and keys differ, or the size of one does not fit,
and what encrypt raises.)";

constexpr const char* decrypt_many_doc =
    R"(Decrypts many messages in one call, and returns a list of their plaintexts. See encrypt_many.

With iv_prefix=True each message begins with its iv, and ivs is left out.

If some cannot be decrypted, raises WrongKeyError, since the padding of some does not check, or TruncatedError, since some are no
whole blocks where the mode takes those, or shorter than their iv; `failed` of either has the numbers of all. With strict=False the list has None for each
of them. Raises what decrypt raises.

>>> import phalanx
>>> cipher = phalanx.Cipher("aes-256-cbc", bytes(range(32)))
>>> sealed = cipher.encrypt(b"one", iv=bytes(16), padding="pkcs7")
>>> cipher.decrypt_many([sealed, sealed[:7], None], [bytes(16)] * 3, padding="pkcs7", strict=False)
[b'one', None, None]
>>> cipher.decrypt_many([bytes(16) + sealed], padding="pkcs7", iv_prefix=True)
[b'one']
)";

constexpr const char* encrypt_many_into_doc =
    R"(Encrypts each row of src into the row of dst of the same number; nothing is padded.

src, ivs and keys are as for encrypt_many. dst is a list of writable buffers, or a writable array with two dimensions. Each
row is as long as its message or longer, and is that message's memory, or disjoint from all messages and other rows. Raises
SizeError, OverlapError, ReadOnlyError, and what encrypt_many raises.)";

}  // namespace

void bind_batches(nb::class_<PythonCipher>& cipher) {
  def_explained(cipher, "encrypt_many", encrypt_many, nb::arg("messages").none(), nb::arg("ivs") = nb::none(),
                nb::arg("keys") = nb::none(), nb::kw_only(), nb::arg("padding") = nb::none(), nb::arg("iv_prefix") = false,
                encrypt_many_doc);
  def_explained(cipher, "decrypt_many", decrypt_many, nb::arg("messages").none(), nb::arg("ivs") = nb::none(),
                nb::arg("keys") = nb::none(), nb::kw_only(), nb::arg("padding") = nb::none(), nb::arg("iv_prefix") = false,
                nb::arg("strict") = true, decrypt_many_doc);
  const auto add_into = [&](const char* name, const auto& function, const char* doc) {
    def_explained(cipher, name, function, nb::arg("src").none(), nb::arg("dst").none(), nb::arg("ivs") = nb::none(),
                  nb::arg("keys") = nb::none(), doc);
  };
  add_into("encrypt_many_into", crypt_many_into<&Cipher::encrypt_batch>, encrypt_many_into_doc);
  add_into("decrypt_many_into", crypt_many_into<&Cipher::decrypt_batch>, "The inverse of encrypt_many_into.");
}

}  // namespace phalanx
