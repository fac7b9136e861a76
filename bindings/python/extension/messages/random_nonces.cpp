// seal_with_new_nonce, open_with_leading_nonce and their like of Python's Aead.
#include <algorithm>
#include <phalanx/aead.hpp>

#include "arguments/buffer.hpp"
#include "arguments/errors.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret.hpp"
#include "devices/cuda_after_fork.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

constexpr std::size_t overhead_bytes = Aead::nonce_and_tag_bytes;

const Aead& usable(const Aead& aead) {
  note_engine(aead.engine());
  return aead;
}

// Where it is no sealed message at all, the library says so.
std::size_t plain_bytes(Bytes sealed) { return sealed.size() - std::min(sealed.size(), overhead_bytes); }

nb::bytes seal_with_new_nonce(const Aead& aead, nb::handle data, nb::handle aad) {
  const HeldBuffer in(data, "data");
  const HeldBuffer associated = hold_optional(aad, "aad");
  NewBytes out = new_bytes(in.size() + overhead_bytes);
  run_work(in.size() + associated.size(),
           [&] { usable(aead).seal_with_new_nonce(associated.bytes(), in.bytes(), out.memory); });
  return std::move(out.object);
}

nb::bytes open_with_leading_nonce(const Aead& aead, nb::handle sealed, nb::handle aad) {
  const HeldBuffer in(sealed, "sealed");
  const HeldBuffer associated = hold_optional(aad, "aad");
  NewBytes out = new_bytes(plain_bytes(in.bytes()));
  run_work(in.size() + associated.size(), [&] {
    usable(aead).open_with_leading_nonce(associated.bytes(), in.bytes(), out.memory,
                                         PlaintextRelease::wiped_on_failure);  // nobody has the new bytes yet
  });
  return std::move(out.object);
}

// Plaintext has its place in the sealed message, 24 bytes from its beginning, or lies elsewhere.
void check_places(Bytes sealed, Bytes plain) {
  constexpr std::size_t nonce_bytes = 24;
  if (plain.data() != sealed.data() + nonce_bytes) check_disjoint(sealed, plain, "the sealed message and its plaintext");
}

std::size_t seal_with_new_nonce_into(const Aead& aead, nb::handle src, nb::handle dst, nb::handle aad) {
  const HeldBuffer in(src, "src");
  const HeldBuffer out(dst, "dst", true);
  const HeldBuffer associated = hold_optional(aad, "aad");
  check_room(in.size() + overhead_bytes, out.bytes());
  const MutableBytes sealed = out.mutable_bytes().first(in.size() + overhead_bytes);
  check_places(sealed, in.bytes());
  check_disjoint(sealed, associated.bytes(), "dst and aad");
  run_work(in.size() + associated.size(), [&] { usable(aead).seal_with_new_nonce(associated.bytes(), in.bytes(), sealed); });
  return sealed.size();
}

std::size_t open_with_leading_nonce_into(const Aead& aead, nb::handle src, nb::handle dst, nb::handle aad) {
  const HeldBuffer in(src, "src");
  const HeldBuffer out(dst, "dst", true);
  const HeldBuffer associated = hold_optional(aad, "aad");
  check_room(plain_bytes(in.bytes()), out.bytes());
  const MutableBytes plain = out.mutable_bytes().first(plain_bytes(in.bytes()));
  check_places(in.bytes(), plain);
  run_work(in.size() + associated.size(),
           [&] { usable(aead).open_with_leading_nonce(associated.bytes(), in.bytes(), plain); });
  return plain.size();
}

// The arguments of a batch, held.
struct RandomBatch {
  HeldRows in;
  OptionalRows aads;
  KeyRows keys;
  std::size_t num_bytes = 0;

  RandomBatch(const Aead& aead, nb::handle messages, nb::handle given_aads, nb::handle given_keys)
      : in(messages, "messages", false, RowKind::may_miss),
        aads(given_aads, "aads", in.size()),
        keys(given_keys, in, aead.facts().key_bytes) {
    for (std::size_t i = 0; i < in.size(); ++i) num_bytes += in.bytes(i).size() + aads.bytes(i).size();
  }
};

nb::list seal_with_new_nonce_many(const Aead& aead, nb::handle messages, nb::handle aads, nb::handle keys) {
  const RandomBatch batch(aead, messages, aads, keys);
  nb::list list;
  std::vector<MessageToSealWithNewNonce> work;
  for (std::size_t i = 0; i < batch.in.size(); ++i) {
    if (batch.in.is_missing(i)) {
      list.append(nb::none());
      continue;
    }
    NewBytes out = new_bytes(batch.in.bytes(i).size() + overhead_bytes);
    work.push_back({batch.aads.bytes(i), batch.in.bytes(i), out.memory, batch.keys.bytes(i)});
    list.append(std::move(out.object));
  }
  run_work(batch.num_bytes, [&] { usable(aead).seal_with_new_nonce_batch(work); });
  return list;
}

nb::list open_with_leading_nonce_many(const Aead& aead, nb::handle messages, nb::handle aads, nb::handle keys, bool strict) {
  const RandomBatch batch(aead, messages, aads, keys);
  nb::list list;
  std::vector<MessageToOpenWithLeadingNonce> work;
  std::vector<std::size_t> numbers;  // of the messages in `work`
  for (std::size_t i = 0; i < batch.in.size(); ++i) {
    if (batch.in.is_missing(i)) {
      list.append(nb::none());
      continue;
    }
    numbers.push_back(i);
    NewBytes out = new_bytes(plain_bytes(batch.in.bytes(i)));
    work.push_back({batch.aads.bytes(i), batch.in.bytes(i), out.memory, batch.keys.bytes(i)});
    list.append(std::move(out.object));
  }
  run_work(batch.num_bytes,
           [&] { (void)usable(aead).open_with_leading_nonce_batch(work, PlaintextRelease::wiped_on_failure); });
  std::vector<std::size_t> failed;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (work[i].is_authentic) continue;
    failed.push_back(numbers[i]);
    list[numbers[i]] = nb::none();
  }
  if (strict && !failed.empty()) fail_not_authentic(failed, batch.in.size());
  return list;
}

constexpr const char* seal_with_new_nonce_doc =
    R"(Encrypts data with no nonce to manage, and returns nonce || ciphertext || tag.

Only of "xaes-256-gcm", whose nonces of 24 bytes may be random for a virtually unlimited number of messages: each call draws
one. The result, which also authenticates aad, has 40 bytes more than data. Raises UsageError for other names, BufferTypeError,
StrideError.

>>> import phalanx
>>> aead = phalanx.Aead("xaes-256-gcm", bytes(32))
>>> sealed = aead.seal_with_new_nonce(b"in lockstep", aad=b"header")
>>> len(sealed)
51
>>> aead.open_with_leading_nonce(sealed, aad=b"header")
b'in lockstep'
)";

constexpr const char* open_with_leading_nonce_doc =
    R"(Verifies what seal_with_new_nonce returned, and aad, and returns the plaintext.

Raises AuthenticationError where the tag does not verify, TruncatedError for less than 40 bytes, and what seal_with_new_nonce raises.)";

constexpr const char* seal_with_new_nonce_into_doc =
    R"(As seal_with_new_nonce, written into dst; returns how many bytes were written, which are 40 more than src has.

src lies in dst from byte 24 on, where its ciphertext comes, or disjoint from it; aad is disjoint from dst. Raises SizeError,
OverlapError, ReadOnlyError, and what seal_with_new_nonce raises.)";

constexpr const char* open_with_leading_nonce_into_doc =
    R"(As open_with_leading_nonce, written into dst; returns how many bytes were written, which are 40 less than src has.

dst lies in src from byte 24 on, or disjoint from it. Nothing is written unless the tag verifies. Raises SizeError,
OverlapError, ReadOnlyError, and what open_with_leading_nonce raises.)";

constexpr const char* seal_with_new_nonce_many_doc =
    R"(Seals many messages in one call as seal_with_new_nonce does, each with its own nonce.

messages, aads and keys are as for seal_many. Returns a list of nonce || ciphertext || tag; None for a message that is None.)";

constexpr const char* open_with_leading_nonce_many_doc =
    R"(Opens many messages of seal_with_new_nonce in one call, and returns a list of their plaintexts.

If some are not authentic, of which one shorter than 40 bytes is one, raises AuthenticationError, whose attribute failed has
their numbers; with strict=False the list has None for each of them.)";

}  // namespace

void bind_random_nonces(nb::class_<Aead>& aead) {
  aead.def("seal_with_new_nonce", seal_with_new_nonce, nb::arg("data").none(), nb::arg("aad") = nb::none(),
           seal_with_new_nonce_doc)
      .def("open_with_leading_nonce", open_with_leading_nonce, nb::arg("sealed").none(), nb::arg("aad") = nb::none(),
           open_with_leading_nonce_doc)
      .def("seal_with_new_nonce_into", seal_with_new_nonce_into, nb::arg("src").none(), nb::arg("dst").none(),
           nb::arg("aad") = nb::none(), seal_with_new_nonce_into_doc)
      .def("open_with_leading_nonce_into", open_with_leading_nonce_into, nb::arg("src").none(), nb::arg("dst").none(),
           nb::arg("aad") = nb::none(), open_with_leading_nonce_into_doc);
  def_explained(aead, "seal_with_new_nonce_many", seal_with_new_nonce_many, nb::arg("messages").none(),
                nb::arg("aads") = nb::none(), nb::arg("keys") = nb::none(), seal_with_new_nonce_many_doc);
  def_explained(aead, "open_with_leading_nonce_many", open_with_leading_nonce_many, nb::arg("messages").none(),
                nb::arg("aads") = nb::none(), nb::arg("keys") = nb::none(), nb::kw_only(), nb::arg("strict") = true,
                open_with_leading_nonce_many_doc);
}

}  // namespace phalanx
