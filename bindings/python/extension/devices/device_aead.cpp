// phalanx::DeviceAead, DeviceChunkedAead and batches of DeviceCipher by pointers, for phalanx.device_aead and phalanx.device_cipher, which ask
// arrays of other libraries for theirs.
#include <phalanx/cipher.hpp>
#include <phalanx/device_aead.hpp>

#include "arguments/buffer.hpp"
#include "arguments/errors.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret.hpp"
#include "devices/cuda_after_fork.hpp"
#include "messages/cipher.hpp"
#include "messages/cipher_names.hpp"

namespace phalanx {
namespace {

std::uintptr_t number_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
void* pointer_of(std::uintptr_t number) { return reinterpret_cast<void*>(number); }  // NOLINT(performance-no-int-to-ptr)

// Something that has memory of a GPU. In a process that was forked after CUDA was used it is left alone when it goes: freeing it
// would need CUDA.
template <class Held>
class OnGpu {
 public:
  explicit OnGpu(Held held) : held_(std::make_unique<Held>(std::move(held))) {}
  OnGpu(OnGpu&&) noexcept = default;
  OnGpu(const OnGpu&) = delete;
  OnGpu& operator=(OnGpu&&) = delete;
  OnGpu& operator=(const OnGpu&) = delete;
  ~OnGpu() {
    if (held_ == nullptr) return;
    if (cuda_is_lost()) {
      (void)held_.release();
    } else {
      const nb::gil_scoped_release released;  // it waits for the GPU
      held_.reset();
    }
  }

  [[nodiscard]] const Held& operator*() const {
    note_cuda();
    return *held_;
  }
  [[nodiscard]] const Held* operator->() const { return &**this; }
  // What it says of itself without a GPU.
  [[nodiscard]] const Held& at_rest() const { return *held_; }

 private:
  std::unique_ptr<Held> held_;
};
using PythonDeviceAead = OnGpu<DeviceAead>;
using PythonDeviceChunked = OnGpu<DeviceChunkedAead>;
using PythonDeviceCipher = OnGpu<DeviceCipher>;
using PythonVerdicts = OnGpu<DeviceVerdicts>;

PythonDeviceAead make_device_aead(const std::string& name, nb::handle key, const std::string& engine,
                                  std::size_t tag_bytes) {
  check_cipher_name(name, CipherUse::aead);
  const HeldSecret secret(key, "the key");
  const EngineOptions options = make_options(engine, 0);
  const nb::gil_scoped_release released;  // CUDA may have to start
  return PythonDeviceAead(DeviceAead(name, secret.bytes(), options, {.tag_bytes = tag_bytes}));
}

void seal_message(const PythonDeviceAead& aead, nb::handle nonce, nb::handle aad, std::uintptr_t src, std::uintptr_t dst,
                  std::size_t num_bytes, std::uintptr_t tag, std::uintptr_t stream) {
  const HeldBuffer held_nonce(nonce, "nonce");
  const HeldBuffer associated = hold_optional(aad, "aad");
  const nb::gil_scoped_release released;
  aead->seal(held_nonce.bytes(), associated.bytes(), pointer_of(src), pointer_of(dst), num_bytes, pointer_of(tag),
             pointer_of(stream));
}

PythonVerdicts open_message(const PythonDeviceAead& aead, nb::handle nonce, nb::handle aad, std::uintptr_t src,
                            std::uintptr_t dst, std::size_t num_bytes, std::uintptr_t tag, std::uintptr_t stream) {
  const HeldBuffer held_nonce(nonce, "nonce");
  const HeldBuffer associated = hold_optional(aad, "aad");
  const nb::gil_scoped_release released;
  return PythonVerdicts(aead->open_async(held_nonce.bytes(), associated.bytes(), pointer_of(src), pointer_of(dst), num_bytes,
                                         pointer_of(tag), pointer_of(stream)));
}

// A batch, as phalanx.device_aead describes it: the fields of DeviceBatch by their names there, pointers as numbers.
DeviceBatch batch_of(const nb::dict& fields) {
  const auto number = [&](const char* name) { return nb::cast<std::uintptr_t>(fields[name]); };
  DeviceBatch batch;
  batch.num_messages = number("num_messages");
  batch.in = pointer_of(number("in"));
  batch.in_bytes = number("in_bytes");
  batch.out = pointer_of(number("out"));
  batch.out_bytes = number("out_bytes");
  batch.offset_bytes = number("offset_bytes");
  batch.in_offsets = pointer_of(number("in_offsets"));
  batch.lengths = pointer_of(number("lengths"));
  batch.out_offsets = pointer_of(number("out_offsets"));
  batch.associated_data = pointer_of(number("associated_data"));
  batch.associated_bytes = number("associated_bytes");
  batch.associated_offsets = pointer_of(number("associated_offsets"));
  batch.nonces = pointer_of(number("nonces"));
  batch.keys = pointer_of(number("keys"));
  batch.tags = pointer_of(number("tags"));
  return batch;
}

PythonVerdicts crypt_batch(const PythonDeviceAead& aead, bool seals, const nb::dict& fields, std::uintptr_t stream) {
  const DeviceBatch batch = batch_of(fields);
  const auto crypt = seals ? &DeviceAead::seal_batch_async : &DeviceAead::open_batch_async;
  const nb::gil_scoped_release released;
  return PythonVerdicts(((*aead).*crypt)(batch, pointer_of(stream)));
}

PythonDeviceChunked make_device_chunked(const std::string& name, nb::handle key, nb::handle context,
                                        const std::string& engine) {
  const HeldSecret secret(key, "the key");
  const HeldBuffer held_context(context, "context");
  const EngineOptions options = make_options(engine, 0);
  const nb::gil_scoped_release released;  // CUDA may have to start
  return PythonDeviceChunked(DeviceChunkedAead(name, secret.bytes(), held_context.bytes(), options));
}

template <auto crypt>
void crypt_chunked(const PythonDeviceChunked& chunked, std::uintptr_t src, std::uint64_t num_bytes, std::uintptr_t dst,
                   std::uintptr_t stream) {
  const nb::gil_scoped_release released;
  ((*chunked).*crypt)(pointer_of(src), num_bytes, pointer_of(dst), pointer_of(stream));
}

void bind_device_chunked(nb::module_& module) {
  nb::class_<PythonDeviceChunked> chunked(module, "DeviceChunkedAead",
                                          "Chunked encryption over a GPU's memory, by pointers.");
  chunked.def_static("make", make_device_chunked, nb::arg("name"), nb::arg("key").none(), nb::arg("context").none(),
                     nb::arg("engine"));
  chunked.def_prop_ro("name", [](const PythonDeviceChunked& self) { return self.at_rest().name(); })
      .def_prop_ro("engine", [](const PythonDeviceChunked& self) { return self.at_rest().engine(); })
      .def("seal", crypt_chunked<&DeviceChunkedAead::seal>, nb::arg("src"), nb::arg("num_bytes"), nb::arg("dst"),
           nb::arg("stream"))
      .def("open", crypt_chunked<&DeviceChunkedAead::open>, nb::arg("src"), nb::arg("num_bytes"), nb::arg("dst"),
           nb::arg("stream"));
  refuse_pickling(chunked);
}

PythonDeviceCipher make_device_cipher(const std::string& name, nb::handle key, const std::string& engine,
                                      bool allow_legacy) {
  check_cipher_name(name, CipherUse::bare);
  const HeldSecret secret(key, "the key");
  const EngineOptions options = make_options(engine, 0);
  const nb::gil_scoped_release released;  // CUDA may have to start
  return PythonDeviceCipher(DeviceCipher(name, secret.bytes(), options, {.allow_legacy = allow_legacy}));
}

PythonVerdicts crypt_cipher_batch(const PythonDeviceCipher& cipher, bool encrypts, const nb::dict& fields,
                                  std::uintptr_t stream) {
  const DeviceBatch batch = batch_of(fields);
  const auto crypt = encrypts ? &DeviceCipher::encrypt_batch_async : &DeviceCipher::decrypt_batch_async;
  const nb::gil_scoped_release released;
  return PythonVerdicts(((*cipher).*crypt)(batch, pointer_of(stream)));
}

void crypt_sectors(const PythonDeviceCipher& cipher, bool encrypts, std::uintptr_t src, std::uintptr_t dst,
                   std::size_t num_bytes, std::size_t sector_bytes, std::uint64_t first_tweak, std::uint64_t tweak_step,
                   std::uintptr_t numbers, std::uintptr_t stream) {
  const DeviceSectors sectors{pointer_of(src),
                              pointer_of(dst),
                              num_bytes,
                              sector_bytes,
                              first_tweak,
                              tweak_step,
                              static_cast<const std::uint64_t*>(pointer_of(numbers))};
  const auto crypt = encrypts ? &DeviceCipher::encrypt_sectors : &DeviceCipher::decrypt_sectors;
  const nb::gil_scoped_release released;
  ((*cipher).*crypt)(sectors, pointer_of(stream));
}

void bind_device_cipher(nb::module_& module) {
  nb::class_<PythonDeviceCipher> cipher(module, "DeviceCipher",
                                        "Batches of a bare cipher over a GPU's memory, by pointers.");
  cipher.def_static("make", make_device_cipher, nb::arg("name"), nb::arg("key").none(), nb::arg("engine"),
                    nb::arg("allow_legacy"));
  cipher.def_prop_ro("name", [](const PythonDeviceCipher& self) { return self.at_rest().facts().name; })
      .def_prop_ro("engine", [](const PythonDeviceCipher& self) { return self.at_rest().engine(); })
      .def_prop_ro("key_bytes", [](const PythonDeviceCipher& self) { return self.at_rest().facts().key_bytes; })
      .def_prop_ro("iv_bytes", [](const PythonDeviceCipher& self) { return self.at_rest().facts().iv_bytes; })
      .def("crypt_batch", crypt_cipher_batch, nb::arg("encrypts"), nb::arg("fields"), nb::arg("stream"))
      .def("crypt_sectors", crypt_sectors, nb::arg("encrypts"), nb::arg("src"), nb::arg("dst"), nb::arg("num_bytes"),
           nb::arg("sector_bytes"), nb::arg("first_tweak"), nb::arg("tweak_step"), nb::arg("numbers"), nb::arg("stream"));
  refuse_pickling(cipher);
}

nb::bytes read(const PythonVerdicts& verdicts) {
  std::vector<DeviceVerdict> each;
  {
    const nb::gil_scoped_release released;
    each = verdicts->read();
  }
  return nb::bytes(each.data(), each.size());
}

// A batch whose messages are not all authentic says which are not, as Aead.open_many does.
void wait(const PythonVerdicts& verdicts) {
  std::vector<DeviceVerdict> each;
  {
    const nb::gil_scoped_release released;
    try {
      return verdicts->wait();
    } catch (const Error& error) {
      if (error.code() != ErrorCode::authentication || verdicts->num_messages() == 1) throw;
      each = verdicts->read();
    }
  }
  std::vector<std::size_t> failed;
  for (std::size_t i = 0; i < each.size(); ++i) {
    if (each[i] != DeviceVerdict::authentic) failed.push_back(i);
  }
  fail_not_authentic(failed, each.size());
}

}  // namespace

void bind_device_aead(nb::module_& module) {
  nb::class_<PythonVerdicts>(module, "DeviceVerdicts", "What became of a call, in the GPU's memory.")
      .def_prop_ro("num_messages", [](const PythonVerdicts& self) { return self.at_rest().num_messages(); })
      .def_prop_ro("all_authentic", [](const PythonVerdicts& self) { return number_of(self.at_rest().all_authentic()); })
      .def_prop_ro("each", [](const PythonVerdicts& self) { return number_of(self.at_rest().each()); })
      .def(
          "require",
          [](const PythonVerdicts& self, std::uintptr_t stream) {
            const nb::gil_scoped_release released;
            self->require(pointer_of(stream));
          },
          nb::arg("stream"))
      .def("read", read)
      .def("wait", wait);
  nb::class_<PythonDeviceAead> aead(module, "DeviceAead",
                                    "GCM or XAES-256-GCM under one key over a GPU's memory, by pointers.");
  aead.def_static("make", make_device_aead, nb::arg("name"), nb::arg("key").none(), nb::arg("engine"), nb::arg("tag_bytes"));
  aead.def_prop_ro("name", [](const PythonDeviceAead& self) { return self.at_rest().facts().name; })
      .def_prop_ro("engine", [](const PythonDeviceAead& self) { return self.at_rest().engine(); })
      .def_prop_ro("key_bytes", [](const PythonDeviceAead& self) { return self.at_rest().facts().key_bytes; })
      .def_prop_ro("nonce_bytes", [](const PythonDeviceAead& self) { return self.at_rest().facts().iv_bytes; })
      .def_prop_ro("tag_bytes", [](const PythonDeviceAead& self) { return self.at_rest().tag_bytes(); })
      .def("seal", seal_message, nb::arg("nonce"), nb::arg("aad").none(), nb::arg("src"), nb::arg("dst"),
           nb::arg("num_bytes"), nb::arg("tag"), nb::arg("stream"))
      .def("open", open_message, nb::arg("nonce"), nb::arg("aad").none(), nb::arg("src"), nb::arg("dst"),
           nb::arg("num_bytes"), nb::arg("tag"), nb::arg("stream"))
      .def("crypt_batch", crypt_batch, nb::arg("seals"), nb::arg("fields"), nb::arg("stream"));
  refuse_pickling(aead);
  bind_device_chunked(module);
  bind_device_cipher(module);
}

}  // namespace phalanx
