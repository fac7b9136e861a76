// GCM by parts, for phalanx.compat alone: Aead writes nothing before it is verified.
#include <nanobind/stl/string.h>

#include "gcm_stream.hpp"
#include "python_buffer.hpp"
#include "python_cipher.hpp"
#include "python_secret.hpp"

namespace phalanx {
namespace {

nb::bytes update(GcmStream& self, nb::handle data) {
  const HeldBuffer in(data, "data");
  NewBytes out = new_bytes(in.size());
  self.update(in.bytes(), out.memory);  // with Python's lock: one thread at a time
  return std::move(out.object);
}

std::size_t update_into(GcmStream& self, nb::handle src, nb::handle dst) {
  const HeldBuffer in(src, "src");
  const HeldBuffer out(dst, "dst", true);
  check_room(in.size(), out.bytes());
  const MutableBytes target = out.mutable_bytes().first(in.size());
  check_overlap(in.bytes(), target);
  self.update(in.bytes(), target);
  return in.size();
}

}  // namespace

void bind_gcm_stream(nb::module_& module) {
  nb::class_<GcmStream> stream(module, "GcmStream", "GCM by parts. What it decrypts is not verified before the end.");
  stream
      .def(
          "__init__",
          [](GcmStream* self, const std::string& name, nb::handle key, nb::handle nonce, bool encrypts) {
            new (self) GcmStream(name, HeldSecret(key, "the key").bytes(), HeldBuffer(nonce, "the nonce").bytes(),
                                 encrypts ? Direction::encrypt : Direction::decrypt, 0);
          },
          nb::arg("name"), nb::arg("key").none(), nb::arg("nonce").none(), nb::arg("encrypts"))
      .def(
          "add_associated_data",
          [](GcmStream& self, nb::handle data) { self.add_associated_data(HeldBuffer(data, "data").bytes()); },
          nb::arg("data").none())
      .def("update", update, nb::arg("data").none())
      .def("update_into", update_into, nb::arg("src").none(), nb::arg("dst").none())
      .def("finish", [](GcmStream& self) {
        NewBytes tag = new_bytes(16);
        self.finish(tag.memory.data());
        return std::move(tag.object);
      });
  refuse_pickling(stream);
}

}  // namespace phalanx
