# The CUDA engine: whether it is built, and for which GPUs. Sets PHALANX_BUILDS_CUDA.
set(PHALANX_CUDA AUTO CACHE STRING "Build the engine for NVIDIA GPUs: ON, OFF, or AUTO (if nvcc is found)")
set_property(CACHE PHALANX_CUDA PROPERTY STRINGS AUTO ON OFF)
# Each GPU architecture is compiled by itself, and takes its time. `all` is what a package needs: seven, the last also as PTX, which
# later GPUs compile for themselves. `found`: those of the GPUs in this machine; without one, the oldest, as PTX too, and that which
# we measure: together they run on all. CMake's own environment variable is heard as well.
if(DEFINED ENV{CUDAARCHS})
  set(architectures $ENV{CUDAARCHS})
else()
  set(architectures found)
endif()
set(PHALANX_CUDA_ARCHITECTURES ${architectures} CACHE STRING "GPU architectures of the CUDA engine: all, found, or a list for CMake")

# Those of the GPUs in this machine, as CMake writes them; nothing without a driver.
function(find_gpu_architectures result)
  set(${result} "" PARENT_SCOPE)
  find_program(PHALANX_NVIDIA_SMI nvidia-smi)
  mark_as_advanced(PHALANX_NVIDIA_SMI)
  if(NOT PHALANX_NVIDIA_SMI)
    return()
  endif()
  execute_process(COMMAND ${PHALANX_NVIDIA_SMI} --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capabilities RESULT_VARIABLE status ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${capabilities}")
  if(NOT status EQUAL 0)
    return()
  endif()
  list(REMOVE_DUPLICATES capabilities)
  list(FILTER capabilities INCLUDE REGEX "^(7\\.5|[89]\\.|1[0-9]\\.)")  # the engine leaves older ones alone
  list(TRANSFORM capabilities REPLACE "([0-9]+)\\.([0-9])" "\\1\\2-real")
  set(${result} ${capabilities} PARENT_SCOPE)
endfunction()

function(choose_gpu_architectures result)
  set(chosen ${PHALANX_CUDA_ARCHITECTURES})
  if(chosen STREQUAL "found")
    find_gpu_architectures(chosen)
    if(NOT chosen)
      set(chosen 75 90-real)
    endif()
  elseif(chosen STREQUAL "all")
    set(chosen 75-real 80-real 86-real 89-real 90-real 100-real 120)
  endif()
  set(${result} ${chosen} PARENT_SCOPE)
endfunction()

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
  choose_gpu_architectures(CMAKE_CUDA_ARCHITECTURES)
  message(STATUS "GPU architectures: ${CMAKE_CUDA_ARCHITECTURES}")
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
  if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.8)
    add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>")  # a third of the size
  endif()
endif()
