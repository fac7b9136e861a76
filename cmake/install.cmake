# The library for other projects: headers, a shared library (BUILD_SHARED_LIBS=OFF: the static one), a CMake package, pkg-config.
include(CMakePackageConfigHelpers)

# A library without all parts has a name of its own, and the headers of its parts alone, so that nobody takes one library for another.
set(package phalanx)
if(NOT PHALANX_PARTS STREQUAL "all")
  set(package phalanx-${PHALANX_PARTS})
endif()
get_property(parts GLOBAL PROPERTY PHALANX_LIBRARY_PARTS)
list(TRANSFORM parts REPLACE "^phalanx_" "" OUTPUT_VARIABLE part_names)

# phalanx_shared_library(target output_name part...): of the objects of the parts' archives.
function(phalanx_shared_library target output_name)
  add_library(${target} SHARED)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  foreach(part IN LISTS ARGN)
    get_property(rooms GLOBAL PROPERTY PHALANX_ROOMS_OF_${part})
    foreach(room IN LISTS rooms)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${room}>)
    endforeach()
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
phalanx_shared_library(phalanx_shared ${package} ${parts})
set_target_properties(phalanx_shared PROPERTIES
  EXCLUDE_FROM_ALL $<NOT:$<OR:$<BOOL:${BUILD_SHARED_LIBS}>,$<BOOL:${PHALANX_TESTS}>>>)
if(PHALANX_TESTS)  # of the same objects: what the engine is by itself
  phalanx_shared_library(phalanx_engine_shared phalanx-engine phalanx_engine)
  target_link_options(phalanx_engine_shared PRIVATE LINKER:-z,defs)
endif()

# The shared library has all parts in one. Static, each part is an archive, and the library links them in this order.
if(BUILD_SHARED_LIBS)
  set(installed_libraries phalanx_shared)
  set_target_properties(phalanx_shared PROPERTIES EXPORT_NAME ${package})
  set(phalanx_pc_requires "")
  set(phalanx_pc_libraries "-l${package}")
else()
  set(installed_libraries phalanx ${parts})
  set_target_properties(phalanx PROPERTIES EXPORT_NAME ${package})
  set(phalanx_pc_requires "libcrypto")
  list(TRANSFORM part_names PREPEND "-lphalanx-" OUTPUT_VARIABLE phalanx_pc_libraries)
  list(APPEND phalanx_pc_libraries -lstdc++ -lm -pthread)  # whoever links with a C compiler needs them named
  if(PHALANX_BUILDS_CUDA)
    list(APPEND phalanx_pc_libraries -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -lrt -ldl)
  endif()
  list(JOIN phalanx_pc_libraries " " phalanx_pc_libraries)
endif()

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/${package})
install(TARGETS ${installed_libraries} EXPORT phalanx_targets COMPONENT library
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# The headers of the engine lie beside those that include all of another part, which has a folder.
set(header_folder ${PROJECT_SOURCE_DIR}/include/phalanx)
file(GLOB engine_headers CONFIGURE_DEPENDS ${header_folder}/*.h ${header_folder}/*.hpp)
list(FILTER engine_headers EXCLUDE REGEX "/(files|parquet)\\.(h|hpp)$")
install(FILES ${engine_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/phalanx COMPONENT library)
foreach(part IN LISTS part_names)
  if(NOT part STREQUAL "engine")
    file(GLOB part_headers CONFIGURE_DEPENDS ${header_folder}/${part}/*)
    install(FILES ${header_folder}/${part}.h ${header_folder}/${part}.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/phalanx
      COMPONENT library)
    install(FILES ${part_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/phalanx/${part} COMPONENT library)
  endif()
endforeach()
install(EXPORT phalanx_targets NAMESPACE phalanx:: DESTINATION ${package_directory} COMPONENT library)

configure_package_config_file(cmake/package_config.cmake.in ${package}-config.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${package}-config-version.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH phalanx_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/phalanx.pc.in ${package}.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/${package}-config.cmake ${PROJECT_BINARY_DIR}/${package}-config-version.cmake
  DESTINATION ${package_directory} COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

# All that is installed, and no more: what `make build` builds.
add_custom_target(installed)
add_dependencies(installed ${installed_libraries})
if(TARGET phalanx_provider)
  add_dependencies(installed phalanx_provider)
endif()
if(PHALANX_PROGRAM)
  add_dependencies(installed phalanx_program)
  if(TARGET phalanx_mpi_program)
    add_dependencies(installed phalanx_mpi_program)
  endif()
  if(TARGET phalanx_completions)
    add_dependencies(installed phalanx_completions)
  endif()
endif()
