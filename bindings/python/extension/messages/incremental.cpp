// Messages by parts: Cipher.encryptor and Cipher.decryptor.
#include <cstring>
#include <optional>

#include "arguments/buffer.hpp"
#include "arguments/errors.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret.hpp"
#include "arguments/sole_use.hpp"
#include "engine/host/wiped_memory.hpp"
#include "messages/cipher.hpp"
#include "messages/message_stream.hpp"

namespace phalanx {
namespace {

// What update and finalize of Python do: one at a time, and nothing after finalize or a failure.
class Incremental {
 public:
  Incremental(const PythonCipher& cipher, Direction direction, nb::handle iv, nb::handle padding)
      : block_bytes_(cipher.facts().block_bytes),
        stream_(std::in_place, cipher.shared_host(), direction, padding_of(cipher.facts(), padding),
                hold_optional(iv, "iv").bytes()) {}

  nb::bytes update(nb::handle data) {
    const HeldBuffer in(data, "data");
    const SoleUse use(in_use_, message_in_use);
    check_open();
    NewBytes out = new_bytes(stream_->update_bytes(in.size()));
    run_work(in.size(), [&] { life_.survive([&] { stream_->update(in.bytes(), out.memory); }); });
    return std::move(out.object);
  }

  std::size_t update_into(nb::handle src, nb::handle dst) {
    const HeldBuffer in(src, "src");
    const HeldBuffer out(dst, "dst", true);
    const SoleUse use(in_use_, message_in_use);
    check_open();
    const std::size_t size = stream_->update_bytes(in.size());
    check_room(size, out.bytes());
    const MutableBytes target = out.mutable_bytes().first(size);
    check_overlap(in.bytes(), target);
    if (stream_->keeps_bytes() && in.bytes().data() == target.data() && size != 0 && size != in.size()) {
      throw BindingError(BindingErrorKind::overlap, "bytes of the last part come out first: give dst memory of its own");
    }
    run_work(in.size(), [&] { life_.survive([&] { stream_->update(in.bytes(), target); }); });
    return size;
  }

  nb::bytes finalize() {
    const SoleUse use(in_use_, message_in_use);
    check_open();
    const Ended ended{stream_};
    WipedArray<16> last;
    const std::size_t size = stream_->finish({last.bytes, block_bytes_});
    NewBytes out = new_bytes(size);
    if (size != 0) std::memcpy(out.memory.data(), last.bytes, size);
    return std::move(out.object);
  }

 private:
  // The message is over, even if its end is wrong.
  struct Ended {
    std::optional<MessageStream>& stream;
    ~Ended() { stream.reset(); }
  };

  void check_open() const {
    require_own_process(process_);
    if (!stream_) throw Error(ErrorCode::usage, "the message is finished: make a new object for the next one");
    life_.require();
  }

  std::size_t block_bytes_;
  ProcessMark process_;
  bool in_use_ = false;
  MessageLife life_;
  std::optional<MessageStream> stream_;
};

constexpr const char* class_doc =
    R"(A message that is encrypted or decrypted by parts: what Cipher.encryptor and Cipher.decryptor give.

Not for several threads at once; another thread's call meanwhile raises UsageError.)";

constexpr const char* encryptor_doc = R"(An object that encrypts one message by parts, in any mode but XTS.

iv and padding are as for encrypt. Raises PolicyError here, where encrypt would.

>>> import phalanx
>>> cipher = phalanx.Cipher("aes-256-cbc", bytes(32))
>>> encryptor = cipher.encryptor(iv=bytes(16), padding="pkcs7")
>>> parts = [encryptor.update(b"in "), encryptor.update(b"lockstep"), encryptor.finalize()]
>>> b"".join(parts) == cipher.encrypt(b"in lockstep", iv=bytes(16), padding="pkcs7")
True
)";

constexpr const char* update_doc =
    R"(Takes the next bytes of the message, and returns what is done, which may be fewer or more bytes.

In CTR, CFB and OFB it is as many as were given. From 2 KiB on other threads run meanwhile.)";

constexpr const char* update_into_doc = R"(As update, into writable memory; returns how many bytes were written.

dst is disjoint from src, or its memory where as many bytes come out as go in. len(src) + block_bytes is always enough room.
Raises SizeError, OverlapError, ReadOnlyError.)";

constexpr const char* finalize_doc =
    R"(Ends the message, and returns its last bytes: the padded block, or what was before the padding.

Raises UsageError where a message without padding is not whole blocks, TruncatedError, WrongKeyError. Afterwards the object
takes nothing more.)";

}  // namespace

void bind_incremental(nb::module_& module, nb::class_<PythonCipher>& cipher) {
  nb::class_<Incremental> incremental(module, "Incremental", class_doc);
  incremental.def("update", &Incremental::update, nb::arg("data").none(), update_doc)
      .def("update_into", &Incremental::update_into, nb::arg("src").none(), nb::arg("dst").none(), update_into_doc)
      .def("finalize", &Incremental::finalize, finalize_doc);
  refuse_pickling(incremental);
  const auto add = [&](const char* name, Direction direction, const char* doc) {
    def_explained(
        cipher, name,
        [direction](const PythonCipher& self, nb::handle iv, nb::handle padding) {
          return new Incremental(self, direction, iv, padding);
        },
        nb::kw_only(), nb::arg("iv") = nb::none(), nb::arg("padding") = nb::none(), nb::rv_policy::take_ownership, doc);
  };
  add("encryptor", Direction::encrypt, encryptor_doc);
  add("decryptor", Direction::decrypt, "An object that decrypts one message by parts, in any mode but XTS. See encryptor.");
}

}  // namespace phalanx
