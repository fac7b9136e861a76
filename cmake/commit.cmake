# The commit that a build is of, as `phalanx --version` says it: <commit_text.hpp>, for targets that depend on phalanx_commit. It is asked
# for whenever something is built. A source archive of git has it in commit.txt.
set(PHALANX_COMMIT_FOLDER ${CMAKE_BINARY_DIR}/commit)
add_custom_target(phalanx_commit
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DFOLDER=${PHALANX_COMMIT_FOLDER} -P ${PROJECT_SOURCE_DIR}/cmake/write_commit.cmake
  BYPRODUCTS ${PHALANX_COMMIT_FOLDER}/commit_text.hpp
  VERBATIM)
