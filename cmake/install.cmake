# The library for other projects: headers, a shared library (BUILD_SHARED_LIBS=OFF: the static one), a CMake package, pkg-config.
include(CMakePackageConfigHelpers)

# The engine alone has names of its own, and its headers alone, so that nobody takes one library for the other.
file(GLOB all_headers RELATIVE ${PROJECT_SOURCE_DIR}/include/phalanx CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/phalanx/*)
set(engine_headers
  aead.hpp bytes.hpp catalog.hpp chunked.h chunked.hpp cipher.hpp device_aead.h device_aead.hpp device_batch.h device_batch.hpp error.hpp options.hpp
  phalanx.h phalanx.hpp secret.hpp streams.hpp threads.hpp version.h)
if(PHALANX_PARTS STREQUAL "engine")
  set(package phalanx-engine)
  set(installed_headers ${engine_headers})
else()
  set(package phalanx)
  set(installed_headers ${all_headers})
endif()

# phalanx_shared_library(target rooms_property output_name): of the static library's objects.
function(phalanx_shared_library target rooms_property output_name)
  add_library(${target} SHARED)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  get_property(rooms GLOBAL PROPERTY ${rooms_property})
  foreach(room IN LISTS rooms)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${room}>)
  endforeach()
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PRIVATE OpenSSL::Crypto Threads::Threads)
  if(PHALANX_BUILDS_CUDA)
    target_link_libraries(${target} PRIVATE CUDA::cudart_static)
  endif()
  # The C names have versions: docs/abi.md.
  target_link_options(${target} PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/c_names.map)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/c_names.map)
  # Its threads stay when a program is done with it: the code must too.
  target_link_options(${target} PRIVATE LINKER:-z,nodelete)
  phalanx_harden_link(${target})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${output_name} VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${target} INTERFACE cxx_std_20)
endfunction()

# The tests build it too.
phalanx_shared_library(phalanx_shared PHALANX_ROOMS_OF_phalanx ${package})
set_target_properties(phalanx_shared PROPERTIES
  EXCLUDE_FROM_ALL $<NOT:$<OR:$<BOOL:${BUILD_SHARED_LIBS}>,$<BOOL:${PHALANX_TESTS}>>>)
set_target_properties(phalanx PROPERTIES OUTPUT_NAME ${package})
target_compile_features(phalanx INTERFACE cxx_std_20)
if(PHALANX_TESTS)  # of the same objects: what the engine is by itself
  phalanx_shared_library(phalanx_engine_shared PHALANX_ROOMS_OF_ENGINE phalanx-engine)
  target_link_options(phalanx_engine_shared PRIVATE LINKER:-z,defs)
endif()

if(BUILD_SHARED_LIBS)
  set(installed_library phalanx_shared)
  set(phalanx_pc_requires "")
  set(phalanx_pc_libraries "")
else()
  set(installed_library phalanx)
  set(phalanx_pc_requires "libcrypto")
  set(phalanx_pc_libraries "-lstdc++ -lm -pthread")  # whoever links with a C compiler needs them named
  if(PHALANX_BUILDS_CUDA)
    string(APPEND phalanx_pc_libraries " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl")
  endif()
endif()
set_target_properties(${installed_library} PROPERTIES EXPORT_NAME ${package})

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/${package})
install(TARGETS ${installed_library} EXPORT phalanx_targets COMPONENT library
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
list(TRANSFORM installed_headers PREPEND include/phalanx/)
install(FILES ${installed_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/phalanx COMPONENT library)
install(EXPORT phalanx_targets NAMESPACE phalanx:: DESTINATION ${package_directory} COMPONENT library)

configure_package_config_file(cmake/package_config.cmake.in ${package}-config.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${package}-config-version.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH phalanx_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/phalanx.pc.in ${package}.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/${package}-config.cmake ${PROJECT_BINARY_DIR}/${package}-config-version.cmake
  DESTINATION ${package_directory} COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

# All that is installed, and no more: what `make build` builds.
add_custom_target(installed DEPENDS ${installed_library})
if(PHALANX_PROGRAM)
  add_dependencies(installed phalanx_program)
  if(TARGET phalanx_mpi_program)
    add_dependencies(installed phalanx_mpi_program)
  endif()
  if(TARGET phalanx_completions)
    add_dependencies(installed phalanx_completions)
  endif()
endif()
