# The CUDA engine: whether it is built, and for which GPUs. Sets PHALANX_BUILDS_CUDA.
set(PHALANX_CUDA AUTO CACHE STRING "Build the engine for NVIDIA GPUs: ON, OFF, or AUTO (if nvcc is found)")
set_property(CACHE PHALANX_CUDA PROPERTY STRINGS AUTO ON OFF)
# One by one; the last one also as PTX, which later GPUs compile for themselves. A shorter list builds faster: so may CMake's
# own environment variable say.
if(DEFINED ENV{CUDAARCHS})
  set(architectures $ENV{CUDAARCHS})
else()
  set(architectures 75-real 80-real 86-real 89-real 90-real 100-real 120)
endif()
set(PHALANX_CUDA_ARCHITECTURES ${architectures} CACHE STRING "GPU architectures of the CUDA engine")

set(PHALANX_BUILDS_CUDA OFF)
if(PHALANX_CUDA STREQUAL AUTO)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(PHALANX_BUILDS_CUDA ON)
  endif()
elseif(PHALANX_CUDA)
  set(PHALANX_BUILDS_CUDA ON)
endif()

if(PHALANX_BUILDS_CUDA)
  set(CMAKE_CUDA_ARCHITECTURES ${PHALANX_CUDA_ARCHITECTURES})
  if(NOT DEFINED CMAKE_CUDA_HOST_COMPILER)
    set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # CMake 3.25.1 does not know it
  # Constants are computed by functions that device code shares. 1675: GCC's own pragmas in headers of the CPU's kernels.
  add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;--diag-suppress=1675>")
endif()
