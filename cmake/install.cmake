# The library for other projects: headers, a shared library (BUILD_SHARED_LIBS=OFF: the static one), a CMake package, pkg-config.
include(CMakePackageConfigHelpers)

# Of the static library's objects, which are position-independent. The tests build it too.
add_library(phalanx_shared SHARED)
set_target_properties(phalanx_shared PROPERTIES LINKER_LANGUAGE CXX)
get_property(rooms GLOBAL PROPERTY PHALANX_ROOMS_OF_phalanx)
foreach(room IN LISTS rooms)
  target_sources(phalanx_shared PRIVATE $<TARGET_OBJECTS:${room}>)
endforeach()
target_include_directories(phalanx_shared
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(phalanx_shared PRIVATE OpenSSL::Crypto Threads::Threads)
if(PHALANX_BUILDS_CUDA)
  target_link_libraries(phalanx_shared PRIVATE CUDA::cudart_static)
endif()
# The C names have versions: docs/abi.md.
target_link_options(phalanx_shared PRIVATE LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/c_names.map)
set_property(TARGET phalanx_shared APPEND PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/c_names.map)
# Its threads stay when a program is done with it: the code must too.
target_link_options(phalanx_shared PRIVATE LINKER:-z,nodelete)
phalanx_harden_link(phalanx_shared)
set_target_properties(phalanx_shared PROPERTIES
  OUTPUT_NAME phalanx VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  EXCLUDE_FROM_ALL $<NOT:$<OR:$<BOOL:${BUILD_SHARED_LIBS}>,$<BOOL:${PHALANX_TESTS}>>>)
target_compile_features(phalanx INTERFACE cxx_std_20)
target_compile_features(phalanx_shared INTERFACE cxx_std_20)

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
set_target_properties(${installed_library} PROPERTIES EXPORT_NAME phalanx)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/phalanx)
install(TARGETS ${installed_library} EXPORT phalanx_targets COMPONENT library
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/phalanx DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT phalanx_targets NAMESPACE phalanx:: DESTINATION ${package_directory} COMPONENT library)

configure_package_config_file(cmake/package_config.cmake.in phalanx-config.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(phalanx-config-version.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH phalanx_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/phalanx.pc.in phalanx.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/phalanx-config.cmake ${PROJECT_BINARY_DIR}/phalanx-config-version.cmake
  DESTINATION ${package_directory} COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/phalanx.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

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
