// GCM by parts, for phalanx.compat alone: Aead writes nothing before it is verified.
#include <nanobind/stl/string.h>

#include "arguments/buffer.hpp"
#include "arguments/secret.hpp"
#include "arguments/sole_use.hpp"
#include "compat/gcm_stream.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

class PythonGcmStream {
 public:
  PythonGcmStream(const std::string& name, nb::handle key, nb::handle nonce, bool encrypts)
      : stream_(name, HeldSecret(key, "the key").bytes(), HeldBuffer(nonce, "the nonce").bytes(),
                encrypts ? Direction::encrypt : Direction::decrypt, 0) {}

  void add_associated_data(nb::handle data) {
    const HeldBuffer in(data, "data");
    const SoleUse use(in_use_, message_in_use);
    run_work(in.size(), [&] { stream_.add_associated_data(in.bytes()); });
  }

  nb::bytes update(nb::handle data) {
    const HeldBuffer in(data, "data");
    const SoleUse use(in_use_, message_in_use);
    NewBytes out = new_bytes(in.size());
    run_work(in.size(), [&] { stream_.update(in.bytes(), out.memory); });
    return std::move(out.object);
  }

  std::size_t update_into(nb::handle src, nb::handle dst) {
    const HeldBuffer in(src, "src");
    const HeldBuffer out(dst, "dst", true);
    const SoleUse use(in_use_, message_in_use);
    check_room(in.size(), out.bytes());
    const MutableBytes target = out.mutable_bytes().first(in.size());
    check_overlap(in.bytes(), target);
    run_work(in.size(), [&] { stream_.update(in.bytes(), target); });
    return in.size();
  }

  nb::bytes finish() {
    const SoleUse use(in_use_, message_in_use);
    NewBytes tag = new_bytes(16);
    stream_.finish(tag.memory.data());
    return std::move(tag.object);
  }

 private:
  GcmStream stream_;
  bool in_use_ = false;
};

}  // namespace

void bind_gcm_stream(nb::module_& module) {
  nb::class_<ProcessMark>(module, "ProcessMark", "Which process made an object of phalanx.compat.")
      .def(nb::init<>())
      .def("require", &require_own_process, "Raises ForkError in a process that was forked since.")
      .def_prop_ro("is_of_this_process", &ProcessMark::is_of_this_process, "False in a process that was forked since.");
  nb::class_<PythonGcmStream> stream(module, "GcmStream", "GCM by parts. What it decrypts is not verified before the end.");
  stream
      .def(nb::init<const std::string&, nb::handle, nb::handle, bool>(), nb::arg("name"), nb::arg("key").none(),
           nb::arg("nonce").none(), nb::arg("encrypts"))
      .def("add_associated_data", &PythonGcmStream::add_associated_data, nb::arg("data").none())
      .def("update", &PythonGcmStream::update, nb::arg("data").none())
      .def("update_into", &PythonGcmStream::update_into, nb::arg("src").none(), nb::arg("dst").none())
      .def("finish", &PythonGcmStream::finish);
  refuse_pickling(stream);
}

}  // namespace phalanx
