// Arrays in a GPU's memory, for phalanx.devices, which asks their libraries for them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "arguments/buffer.hpp"
#include "arguments/errors.hpp"
#include "devices/cuda_after_fork.hpp"
#include "devices/cuda_runtime_calls.hpp"
#include "devices/dlpack_tensor.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

std::uintptr_t number_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
void* pointer_of(std::uintptr_t number) { return reinterpret_cast<void*>(number); }  // NOLINT(performance-no-int-to-ptr)

std::size_t size_of(const dlpack::Tensor& tensor) {
  std::size_t count = (std::size_t{tensor.type.bits} * tensor.type.lanes + 7) / 8;
  for (std::int32_t i = 0; i < tensor.num_dimensions; ++i) count *= static_cast<std::size_t>(tensor.shape[i]);
  return count;
}

// Whether the elements lie one behind the other, whatever the order of the dimensions.
bool lies_in_one_piece(const dlpack::Tensor& tensor) {
  if (tensor.strides == nullptr || size_of(tensor) == 0) return true;
  std::vector<std::pair<std::int64_t, std::int64_t>> dimensions;  // stride, size
  for (std::int32_t i = 0; i < tensor.num_dimensions; ++i) {
    if (tensor.shape[i] != 1) dimensions.emplace_back(tensor.strides[i], tensor.shape[i]);
  }
  std::sort(dimensions.begin(), dimensions.end());
  std::int64_t expected = 1;
  for (const auto& [stride, size] : dimensions) {
    if (stride != expected) return false;
    expected *= size;
  }
  return true;
}

// A tensor that another library lends: given back when this goes.
class BorrowedTensor {
 public:
  // Takes what a __dlpack__ has made.
  explicit BorrowedTensor(nb::handle capsule) {
    PyObject* const object = capsule.ptr();
    if (PyCapsule_IsValid(object, "dltensor_versioned") != 0) {
      versioned_ = static_cast<dlpack::ManagedVersioned*>(PyCapsule_GetPointer(object, "dltensor_versioned"));
      PyCapsule_SetName(object, "used_dltensor_versioned");
    } else if (PyCapsule_IsValid(object, "dltensor") != 0) {
      managed_ = static_cast<dlpack::Managed*>(PyCapsule_GetPointer(object, "dltensor"));
      PyCapsule_SetName(object, "used_dltensor");
    } else {
      throw BindingError(BindingErrorKind::buffer_type, "__dlpack__ gave no tensor, or one that somebody has taken");
    }
    if (versioned_ != nullptr && versioned_->major != 1) {
      throw BindingError(BindingErrorKind::buffer_type,
                         "__dlpack__ gave version " + std::to_string(versioned_->major) + ", and version 1 is understood");
    }
  }
  ~BorrowedTensor() {
    if (versioned_ != nullptr && versioned_->free != nullptr) versioned_->free(versioned_);
    if (managed_ != nullptr && managed_->free != nullptr) managed_->free(managed_);
  }
  BorrowedTensor(const BorrowedTensor&) = delete;
  BorrowedTensor& operator=(const BorrowedTensor&) = delete;

  [[nodiscard]] const dlpack::Tensor& tensor() const {
    return versioned_ != nullptr ? versioned_->tensor : managed_->tensor;
  }
  [[nodiscard]] bool is_read_only() const { return versioned_ != nullptr && (versioned_->flags & dlpack::read_only) != 0; }
  [[nodiscard]] std::uint8_t* data() const { return static_cast<std::uint8_t*>(tensor().data) + tensor().byte_offset; }

 private:
  dlpack::ManagedVersioned* versioned_ = nullptr;
  dlpack::Managed* managed_ = nullptr;
};

// The bytes of a tensor of the host as a buffer of Python.
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  const auto* tensor = nb::inst_ptr<BorrowedTensor>(nb::handle(self));
  const std::int32_t device = tensor->tensor().device.type;
  if (device != dlpack::cpu && device != dlpack::cuda_host) {
    PyErr_SetString(PyExc_BufferError, "the tensor is not in the host's memory");
    return -1;
  }
  return PyBuffer_FillInfo(view, self, tensor->data(), static_cast<Py_ssize_t>(size_of(tensor->tensor())),
                           tensor->is_read_only() ? 1 : 0, flags);
}

PyType_Slot tensor_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};

// New memory of a GPU, which any library takes over by DLPack or __cuda_array_interface__.
class DeviceMemory {
 public:
  DeviceMemory(std::size_t num_bytes, int device) : num_bytes_(num_bytes), device_(device) {
    note_cuda();
    memory_ = allocate_device_memory(num_bytes, device);
  }
  ~DeviceMemory() {
    if (!cuda_is_lost()) free_device_memory(memory_, device_);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  [[nodiscard]] void* memory() const { return memory_; }
  [[nodiscard]] std::size_t num_bytes() const { return num_bytes_; }
  [[nodiscard]] int device() const { return device_; }

 private:
  std::size_t num_bytes_;
  int device_;
  void* memory_ = nullptr;
};

// A tensor that we lend, and the object that it keeps alive.
template <class Record>
struct Lent {
  Record record{};
  std::int64_t shape = 0;
  std::int64_t stride = 1;
  nb::object owner;

  static void free(Record* record) {
    const nb::gil_scoped_acquire acquired;
    delete static_cast<Lent*>(record->context);
  }
};

// Where nobody took the tensor, it goes with its capsule.
template <class Record>
void free_untaken(PyObject* capsule, const char* name) {
  if (PyCapsule_IsValid(capsule, name) == 0) return;
  auto* record = static_cast<Record*>(PyCapsule_GetPointer(capsule, name));
  record->free(record);
}

template <class Record>
nb::object lend(nb::handle self, const char* name, PyCapsule_Destructor destructor) {
  const auto& memory = nb::cast<const DeviceMemory&>(self);
  auto* lent = new Lent<Record>;
  lent->owner = nb::borrow(self);
  lent->shape = static_cast<std::int64_t>(memory.num_bytes());
  lent->record.tensor = {memory.memory(), {dlpack::cuda, memory.device()}, 1, dlpack::bytes, &lent->shape, &lent->stride, 0};
  lent->record.context = lent;
  lent->record.free = Lent<Record>::free;
  if constexpr (std::is_same_v<Record, dlpack::ManagedVersioned>) {
    lent->record.major = 1;
    lent->record.minor = 1;
  }
  return nb::steal(PyCapsule_New(&lent->record, name, destructor));
}

nb::object to_dlpack(nb::handle self, bool versioned) {
  if (versioned) {
    return lend<dlpack::ManagedVersioned>(self, "dltensor_versioned", [](PyObject* capsule) {
      free_untaken<dlpack::ManagedVersioned>(capsule, "dltensor_versioned");
    });
  }
  return lend<dlpack::Managed>(self, "dltensor",
                               [](PyObject* capsule) { free_untaken<dlpack::Managed>(capsule, "dltensor"); });
}

void crypt_device(const PythonCipher& cipher, bool encrypts, nb::handle iv, std::uint64_t offset, std::uintptr_t src,
                  std::uintptr_t dst, std::size_t num_bytes, std::uintptr_t stream) {
  const HeldBuffer held_iv = hold_optional(iv, "iv");
  if (src != dst && src < dst + num_bytes && dst < src + num_bytes) {
    throw BindingError(BindingErrorKind::overlap,
                       "source and target overlap in part: give the same memory for both, or memory that is disjoint");
  }
  const DeviceCipher& device = cipher.device();
  const nb::gil_scoped_release released;  // the first call with a key waits for the GPU
  const auto crypt = encrypts ? &DeviceCipher::encrypt : &DeviceCipher::decrypt;
  (device.*crypt)(held_iv.bytes(), offset, pointer_of(src), pointer_of(dst), num_bytes, pointer_of(stream));
}

void bind_tensor(nb::module_& module) {
  nb::class_<BorrowedTensor>(module, "BorrowedTensor", "A tensor that another library lends by DLPack.",
                             nb::type_slots(tensor_slots))
      .def(nb::init<nb::handle>(), nb::arg("capsule"))
      .def_prop_ro("pointer", [](const BorrowedTensor& self) { return number_of(self.data()); })
      .def_prop_ro("num_bytes", [](const BorrowedTensor& self) { return size_of(self.tensor()); })
      .def_prop_ro("device_type", [](const BorrowedTensor& self) { return self.tensor().device.type; })
      .def_prop_ro("device_id", [](const BorrowedTensor& self) { return self.tensor().device.id; })
      .def_prop_ro("is_read_only", [](const BorrowedTensor& self) { return self.is_read_only(); })
      .def_prop_ro("lies_in_one_piece", [](const BorrowedTensor& self) { return lies_in_one_piece(self.tensor()); });
}

}  // namespace

void bind_device(nb::module_& module) {
  bind_tensor(module);
  nb::class_<DeviceMemory>(module, "DeviceMemory", "New memory of a GPU, which is given back when nobody has it any more.")
      .def(nb::init<std::size_t, int>(), nb::arg("num_bytes"), nb::arg("device"))
      .def_prop_ro("pointer", [](const DeviceMemory& self) { return number_of(self.memory()); })
      .def_prop_ro("num_bytes", &DeviceMemory::num_bytes)
      .def_prop_ro("device", &DeviceMemory::device);
  module.def("to_dlpack", to_dlpack, nb::arg("memory"), nb::arg("versioned"));
  module.def("crypt_device", crypt_device, nb::arg("cipher"), nb::arg("encrypts"), nb::arg("iv").none(), nb::arg("offset"),
             nb::arg("src"), nb::arg("dst"), nb::arg("num_bytes"), nb::arg("stream"));
  module.def(
      "device_of",
      [](std::uintptr_t pointer) {
        note_cuda();
        return device_of(pointer_of(pointer));
      },
      nb::arg("pointer"));
  module.def(
      "order_streams",
      [](std::uintptr_t before, std::uintptr_t after, int device) {
        note_cuda();
        order_streams(pointer_of(before), pointer_of(after), device);
      },
      nb::arg("before"), nb::arg("after"), nb::arg("device"));
}

}  // namespace phalanx
