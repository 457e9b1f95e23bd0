# Formatting and static analysis, for people who work on acuity (clang 19).
find_program(CLANG_FORMAT clang-format-19)
find_program(RUN_CLANG_TIDY run-clang-tidy-19)
file(GLOB_RECURSE acuity_sources CONFIGURE_DEPENDS
     include/*.hpp src/*.hpp src/*.cpp apps/*.hpp apps/*.cpp tests/*.hpp tests/*.cpp examples/*.cpp
     benchmarks/*.hpp benchmarks/*.cpp python/bindings/*.hpp python/bindings/*.cpp)
if(CLANG_FORMAT)
  add_custom_target(format COMMAND ${CLANG_FORMAT} -i ${acuity_sources} VERBATIM)
  add_custom_target(format-check COMMAND ${CLANG_FORMAT} --dry-run --Werror ${acuity_sources} VERBATIM)
endif()
if(RUN_CLANG_TIDY)
  add_custom_target(tidy COMMAND ${RUN_CLANG_TIDY} -quiet -p ${CMAKE_BINARY_DIR} "(src|apps)/.*\\.cpp$" VERBATIM)
endif()
