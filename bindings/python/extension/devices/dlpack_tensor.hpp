// DLPack (version 1.1 and what came before 1.0): how libraries hand each other memory of any device. The layout is that of
// the standard's dlpack.h.
#pragma once

#include <cstdint>

namespace phalanx::dlpack {

inline constexpr std::int32_t cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13;

struct Device {
  std::int32_t type;
  std::int32_t id;
};

struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

inline constexpr DataType bytes{1, 8, 1};  // code 1: unsigned

struct Tensor {
  void* data;
  Device device;
  std::int32_t num_dimensions;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: in C's order
  std::uint64_t byte_offset;
};

/// Before version 1.0; in a capsule "dltensor".
struct Managed {
  Tensor tensor;
  void* context;
  void (*free)(Managed* self);
};

/// From version 1.0 on; in a capsule "dltensor_versioned".
struct ManagedVersioned {
  std::uint32_t major;
  std::uint32_t minor;
  void* context;
  void (*free)(ManagedVersioned* self);
  std::uint64_t flags;
  Tensor tensor;
};

inline constexpr std::uint64_t read_only = 1;  // of flags

}  // namespace phalanx::dlpack
