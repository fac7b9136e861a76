// The class Aead of Python: GCM and XAES-256-GCM.
#include <algorithm>
#include <phalanx/aead.hpp>

#include "arguments/buffer.hpp"
#include "arguments/errors.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret.hpp"
#include "devices/cuda_after_fork.hpp"
#include "messages/cipher.hpp"
#include "messages/cipher_names.hpp"
#include "messages/repeated_nonces.hpp"

namespace phalanx {
namespace {

const Aead& usable(const Aead& aead) {
  note_engine(aead.engine());
  return aead;
}

// A sealed message without its tag, and the tag.
struct Sealed {
  Bytes ciphertext;
  Bytes tag;
};

Sealed split(const Aead& aead, Bytes sealed) {
  if (sealed.size() < aead.tag_bytes()) {
    throw Error(ErrorCode::truncated, "a sealed message ends with a tag of " + std::to_string(aead.tag_bytes()) +
                                          " bytes, and this has " + std::to_string(sealed.size()));
  }
  return {sealed.first(sealed.size() - aead.tag_bytes()), sealed.last(aead.tag_bytes())};
}

void check_tag_bytes(const Aead& aead, Bytes tag) {
  if (tag.size() == aead.tag_bytes()) return;
  throw BindingError(BindingErrorKind::size, "the tag has " + std::to_string(aead.tag_bytes()) + " bytes, and this has " +
                                                 std::to_string(tag.size()));
}

nb::bytes seal(const Aead& aead, nb::handle nonce, nb::handle data, nb::handle aad) {
  const HeldBuffer held_nonce(nonce, "nonce");
  const HeldBuffer in(data, "data");
  const HeldBuffer associated = hold_optional(aad, "aad");
  NewBytes out = new_bytes(in.size() + aead.tag_bytes());
  run_work(in.size() + associated.size(), [&] {
    usable(aead).seal(held_nonce.bytes(), associated.bytes(), in.bytes(), out.memory.first(in.size()),
                      out.memory.last(aead.tag_bytes()));
  });
  return std::move(out.object);
}

nb::bytes open(const Aead& aead, nb::handle nonce, nb::handle sealed, nb::handle aad) {
  const HeldBuffer held_nonce(nonce, "nonce");
  const HeldBuffer in(sealed, "sealed");
  const HeldBuffer associated = hold_optional(aad, "aad");
  const Sealed parts = split(aead, in.bytes());
  NewBytes out = new_bytes(parts.ciphertext.size());
  run_work(in.size() + associated.size(), [&] {
    usable(aead).open(held_nonce.bytes(), associated.bytes(), parts.ciphertext, out.memory, parts.tag,
                      PlaintextRelease::wiped_on_failure);  // nobody has the new bytes yet
  });
  return std::move(out.object);
}

std::size_t seal_into(const Aead& aead, nb::handle nonce, nb::handle src, nb::handle dst, nb::handle tag, nb::handle aad) {
  const HeldBuffer held_nonce(nonce, "nonce");
  const HeldBuffer in(src, "src");
  const HeldBuffer out(dst, "dst", true);
  const HeldBuffer held_tag(tag, "tag", true);
  const HeldBuffer associated = hold_optional(aad, "aad");
  check_room(in.size(), out.bytes());
  check_overlap(in.bytes(), out.bytes().first(in.size()));
  check_tag_bytes(aead, held_tag.bytes());
  for (const Bytes other : {in.bytes(), out.bytes().first(in.size())})
    check_disjoint(held_tag.bytes(), other, "tag and text");
  run_work(in.size() + associated.size(), [&] {
    usable(aead).seal(held_nonce.bytes(), associated.bytes(), in.bytes(), out.mutable_bytes().first(in.size()),
                      held_tag.mutable_bytes());
  });
  return in.size();
}

std::size_t open_into(const Aead& aead, nb::handle nonce, nb::handle src, nb::handle dst, nb::handle tag, nb::handle aad) {
  const HeldBuffer held_nonce(nonce, "nonce");
  const HeldBuffer in(src, "src");
  const HeldBuffer out(dst, "dst", true);
  const HeldBuffer held_tag(tag, "tag");
  const HeldBuffer associated = hold_optional(aad, "aad");
  check_room(in.size(), out.bytes());
  check_overlap(in.bytes(), out.bytes().first(in.size()));
  check_tag_bytes(aead, held_tag.bytes());
  run_work(in.size() + associated.size(), [&] {
    usable(aead).open(held_nonce.bytes(), associated.bytes(), in.bytes(), out.mutable_bytes().first(in.size()),
                      held_tag.bytes());
  });
  return in.size();
}

// The arguments of a batch, held.
struct AeadBatch {
  HeldRows in;
  HeldRows nonces;
  OptionalRows aads;
  KeyRows keys;
  std::size_t num_bytes = 0;

  AeadBatch(const Aead& aead, nb::handle given_nonces, nb::handle messages, nb::handle given_aads, nb::handle given_keys)
      : in(messages, "messages", false, RowKind::may_miss),
        nonces(given_nonces, "nonces", false, RowKind::of_one_size),
        aads(given_aads, "aads", in.size()),
        keys(given_keys, in, aead.facts().key_bytes) {
    check_num_rows(nonces.size(), "nonces", in.size());
    check_rows_are_there(nonces, "nonces", in);
    for (std::size_t i = 0; i < in.size(); ++i) num_bytes += in.bytes(i).size() + aads.bytes(i).size();
  }
};

// Of messages under the Aead's own key: the others' keys are secrets, and not compared.
void refuse_repeated_nonces(const AeadBatch& batch) {
  const auto nonce_of = [&](std::size_t i) { return batch.nonces.bytes(i); };
  const auto is_compared = [&](std::size_t i) { return !batch.in.is_missing(i) && batch.keys.bytes(i).empty(); };
  RisingNonces rising;
  for (std::size_t i = 0; i < batch.in.size() && rising.all_rise(); ++i) {
    if (is_compared(i)) rising.add(nonce_of(i));
  }
  if (rising.all_rise()) return;
  NonceSums sums(batch.in.size());
  for (std::size_t i = 0; i < batch.in.size(); ++i) {
    if (is_compared(i)) sums.add(nonce_of(i), i);
  }
  sums.refuse_repeated(nonce_of);
}

nb::list seal_many(const Aead& aead, nb::handle nonces, nb::handle messages, nb::handle aads, nb::handle keys) {
  const AeadBatch batch(aead, nonces, messages, aads, keys);
  run_work(batch.num_bytes, [&] { refuse_repeated_nonces(batch); });
  nb::list list;
  std::vector<MessageToSeal> work;
  for (std::size_t i = 0; i < batch.in.size(); ++i) {
    if (batch.in.is_missing(i)) {
      list.append(nb::none());
      continue;
    }
    const Bytes in = batch.in.bytes(i);
    NewBytes out = new_bytes(in.size() + aead.tag_bytes());
    work.push_back({.nonce = batch.nonces.bytes(i),
                    .associated_data = batch.aads.bytes(i),
                    .in = in,
                    .out = out.memory.first(in.size()),
                    .tag = out.memory.last(aead.tag_bytes()),
                    .key = batch.keys.bytes(i)});
    list.append(std::move(out.object));
  }
  run_work(batch.num_bytes, [&] { usable(aead).seal_batch(work); });
  return list;
}

nb::list open_many(const Aead& aead, nb::handle nonces, nb::handle messages, nb::handle aads, nb::handle keys, bool strict) {
  const AeadBatch batch(aead, nonces, messages, aads, keys);
  nb::list list;
  std::vector<MessageToOpen> work;
  std::vector<std::size_t> numbers;  // of the messages in `work`
  std::vector<std::size_t> failed;
  for (std::size_t i = 0; i < batch.in.size(); ++i) {
    if (batch.in.bytes(i).size() < aead.tag_bytes()) {  // not authentic, whatever it is
      if (!batch.in.is_missing(i)) failed.push_back(i);
      list.append(nb::none());
      continue;
    }
    const Sealed parts = split(aead, batch.in.bytes(i));
    NewBytes out = new_bytes(parts.ciphertext.size());
    numbers.push_back(i);
    work.push_back({.nonce = batch.nonces.bytes(i),
                    .associated_data = batch.aads.bytes(i),
                    .in = parts.ciphertext,
                    .out = out.memory,
                    .tag = parts.tag,
                    .key = batch.keys.bytes(i)});
    list.append(std::move(out.object));
  }
  run_work(batch.num_bytes, [&] { (void)usable(aead).open_batch(work, PlaintextRelease::wiped_on_failure); });
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (work[i].is_authentic) continue;
    failed.push_back(numbers[i]);
    list[numbers[i]] = nb::none();
  }
  std::ranges::sort(failed);
  if (strict && !failed.empty()) fail_not_authentic(failed, batch.in.size());
  return list;
}

constexpr const char* class_doc = R"(Authenticated encryption: GCM or XAES-256-GCM under one key.

name is "aes-256-gcm", "serpent-256-gcm" and the like. Tags have tag_bytes bytes: 16, or 12 to 15 to open what has such
tags already; to seal then raises PolicyError. Nonces have 12 bytes; with any_nonce_size=True they may have another size,
from 1. engine, threads, and what is true of threads and of pickling are as for Cipher.

"xaes-256-gcm" has nonces of 24 bytes and tags of 16: seal_with_new_nonce draws the nonces. Neither it nor GCM commits to its key: who
knows two keys can make a message that opens under both. Containers commit to theirs.

>>> import phalanx
>>> aead = phalanx.Aead("aes-256-gcm", bytes(32))
>>> sealed = aead.seal(bytes(12), b"in lockstep", aad=b"header")
>>> len(sealed)
27
>>> aead.open(bytes(12), sealed, aad=b"header")
b'in lockstep'
>>> aead.open(bytes(12), sealed, aad=b"another")
Traceback (most recent call last):
    ...
phalanx.AuthenticationError: the tag does not verify: wrong key, nonce or associated data, or changed data
)";

constexpr const char* seal_doc = R"(Encrypts data, and returns ciphertext || tag, which also authenticates aad.

nonce has 12 bytes, unless the Aead has any_nonce_size. Never use one twice under the same key, and where nonces are random
seal no more than 2^32 messages under one (SP 800-38D): nothing counts them. The result has 16 bytes more than data. From
2 KiB on other threads run meanwhile. Raises UsageError, BufferTypeError, StrideError; PolicyError where tag_bytes is not
16.)";

constexpr const char* open_doc = R"(Verifies ciphertext || tag and aad, and returns the plaintext.

Raises AuthenticationError where the tag does not verify, TruncatedError for less than a tag, and what seal raises.)";

constexpr const char* seal_into_doc =
    R"(Encrypts src into dst, writes the tag into tag, and returns how many bytes of dst were written.

dst has src's size or more, and is src's memory, from its beginning on, or disjoint from it. tag has tag_bytes bytes and
overlaps neither. Raises SizeError, OverlapError, ReadOnlyError, and what seal raises.)";

constexpr const char* open_into_doc =
    R"(Verifies src, aad and tag, decrypts src into dst, and returns how many bytes of dst were written.

Nothing is written unless the tag verifies. Raises AuthenticationError, and what seal_into raises.)";

constexpr const char* seal_many_doc = R"(Seals many messages in one call, and returns a list of ciphertext || tag.

nonces, messages, aads and keys are lists of buffers, or arrays with two dimensions, each row of which is one. aads may be
left out, and keys too: then all have the Aead's. A message that is None, as in a column that may have none, gives None; so do
NA and NaN of pandas and nulls of pyarrow.

Two equal nonces under the Aead's key are refused before anything is sealed (keys of the messages' own are not compared). Raises
UsageError for that, SizeError where the numbers of messages, nonces, aads and keys differ, and what seal raises.)";

constexpr const char* open_many_doc =
    R"(Opens many messages in one call, and returns a list of their plaintexts. See seal_many.

If some are not authentic, of which one shorter than a tag is one, raises AuthenticationError, whose attribute failed has
their numbers; with strict=False the list has None for each of them. A message that is None gives None, and does not fail.

>>> import phalanx
>>> aead = phalanx.Aead("aes-256-gcm", bytes(32))
>>> nonces = [i.to_bytes(12, "big") for i in range(3)]
>>> sealed = aead.seal_many(nonces, [b"one", b"two", b"three"])
>>> aead.open_many(nonces, sealed[:2] + [bytes(21)], strict=False)
[b'one', b'two', None]
)";

void bind_many(nb::class_<Aead>& aead) {
  def_explained(aead, "seal_many", seal_many, nb::arg("nonces").none(), nb::arg("messages").none(),
                nb::arg("aads") = nb::none(), nb::arg("keys") = nb::none(), seal_many_doc);
  def_explained(aead, "open_many", open_many, nb::arg("nonces").none(), nb::arg("messages").none(),
                nb::arg("aads") = nb::none(), nb::arg("keys") = nb::none(), nb::kw_only(), nb::arg("strict") = true,
                open_many_doc);
}

// What others call these. As properties, and by no __getattr__, which would make every other name slower to find.
void explain_name_of_others(nb::class_<Aead>& aead, const char* others, const char* ours) {
  const std::string sentence = "'Aead' object has no attribute '" + std::string(others) + "': did you mean " + ours + "?";
  aead.def_prop_ro(
      others, [sentence](nb::handle /*self*/) -> nb::object { throw nb::attribute_error(sentence.c_str()); },
      ("Not there: see " + std::string(ours) + ".").c_str());
}

}  // namespace

void fail_not_authentic(const std::vector<std::size_t>& failed, std::size_t num_messages) {
  nb::list numbers;
  for (const std::size_t number : failed) numbers.append(number);
  raise_with_numbers("AuthenticationError",
                     std::to_string(failed.size()) + (failed.size() == 1 ? " message is" : " messages are") +
                         " not authentic, of " + std::to_string(num_messages) + ": the first is number " +
                         std::to_string(failed.front()),
                     nb::tuple(numbers));
}

void bind_aead(nb::module_& module) {
  nb::class_<Aead> aead(module, "Aead", class_doc);
  def_explained(
      aead, "__init__",
      [](Aead* self, const std::string& name, nb::handle key, const std::string& engine, int threads, std::size_t tag_bytes,
         bool any_nonce_size) {
        check_cipher_name(name, CipherUse::aead);
        new (self) Aead(name, HeldSecret(key, "the key").bytes(), make_options(engine, threads),
                        {.tag_bytes = tag_bytes, .any_nonce_size = any_nonce_size});
      },
      nb::arg("name"), nb::arg("key").none(), nb::arg("engine") = "auto", nb::arg("threads") = 0, nb::arg("tag_bytes") = 16,
      nb::kw_only(), nb::arg("any_nonce_size") = false);
  aead.def_prop_ro(
      "tag_bytes", [](const Aead& self) { return self.tag_bytes(); }, "The tag's size in bytes.");
  def_explained(aead, "seal", seal, nb::arg("nonce").none(), nb::arg("data").none(), nb::arg("aad") = nb::none(), seal_doc);
  def_explained(aead, "open", open, nb::arg("nonce").none(), nb::arg("sealed").none(), nb::arg("aad") = nb::none(),
                open_doc);
  def_explained(aead, "seal_into", seal_into, nb::arg("nonce").none(), nb::arg("src").none(), nb::arg("dst").none(),
                nb::arg("tag").none(), nb::arg("aad") = nb::none(), seal_into_doc);
  def_explained(aead, "open_into", open_into, nb::arg("nonce").none(), nb::arg("src").none(), nb::arg("dst").none(),
                nb::arg("tag").none(), nb::arg("aad") = nb::none(), open_into_doc);
  bind_facts(aead, "Aead");
  bind_many(aead);
  bind_random_nonces(aead);
  explain_name_of_others(aead, "encrypt", "seal");
  explain_name_of_others(aead, "decrypt", "open");
  refuse_pickling(aead);
}

}  // namespace phalanx
