# Flags and helper functions shared by every folder.

# panem_flags: language level, warnings and the promises of bit-identical arithmetic.
add_library(panem_flags INTERFACE)
target_compile_options(panem_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
  -Wvla -Wformat=2 -fno-common
  # Results must be the same bytes on every machine: no fused multiply-add, no value-changing maths.
  -ffp-contract=off -fno-fast-math)
target_include_directories(panem_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(panem_flags INTERFACE _GNU_SOURCE)
if(PANEM_SANITIZE)
  target_compile_options(panem_flags INTERFACE -fsanitize=${PANEM_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(panem_flags INTERFACE -fsanitize=${PANEM_SANITIZE})
endif()

if(PANEM_FUZZ)
  # Coverage for the fuzzer in every object; the runtime comes with the address sanitizer.
  target_compile_options(panem_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# panem_module(NAME SOURCES a.c b.c [DEPS target...]): one folder of src/ as static library pn_<NAME>.
function(panem_module name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS" ${ARGN})
  add_library(pn_${name} STATIC ${A_SOURCES})
  set_target_properties(pn_${name} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON
    C_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
  target_link_libraries(pn_${name} PRIVATE panem_flags PUBLIC ${A_DEPS})
endfunction()

# panem_test(NAME SOURCES a.c [LIBS target...] [LABELS l...]): a cmocka program run by CTest.
# Exit code 77 means skipped.
function(panem_test name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS;LABELS;ARGS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  set_target_properties(${name} PROPERTIES C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE panem_flags ${A_LIBS} PkgConfig::CMOCKA)
  target_compile_definitions(${name} PRIVATE
    PN_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PN_BINARY_DIR="${PROJECT_BINARY_DIR}")
  add_test(NAME ${name} COMMAND ${name} ${A_ARGS})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1800)
  if(A_LABELS)
    set_tests_properties(${name} PROPERTIES LABELS "${A_LABELS}")
  endif()
endfunction()

# Commands under memory and files that fail at every call in turn: tests/cli/failing.c and what the
# linker sends through it.
function(panem_failing name)
  target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/cli/failing.c
    ${PROJECT_SOURCE_DIR}/src/cli/cmd.c ${PROJECT_SOURCE_DIR}/src/cli/table.c)
  target_link_libraries(${name} PRIVATE PkgConfig::ARCHIVE)
  foreach(function malloc calloc realloc strdup free archive_read_data archive_read_open_filename
                   fflush fsync rename mkstemp)
    target_link_options(${name} PRIVATE -Wl,--wrap=${function})
  endforeach()
endfunction()

set(PANEM_FUZZ_SECONDS 10 CACHE STRING "seconds each fuzz target runs under ctest -C Fuzz -L fuzz")

# panem_fuzz(NAME SOURCE f.c CORPUS dir [LIBS target...]): with PANEM_FUZZ a libFuzzer program
# fuzz_<NAME>; always a program replay_<NAME> and a test that runs it over the checked-in corpus.
function(panem_fuzz name)
  cmake_parse_arguments(A "" "SOURCE;CORPUS" "LIBS" ${ARGN})
  if(PANEM_FUZZ)
    add_executable(fuzz_${name} ${A_SOURCE})
    set_target_properties(fuzz_${name} PROPERTIES C_STANDARD 17 C_EXTENSIONS OFF)
    target_link_libraries(fuzz_${name} PRIVATE panem_flags ${A_LIBS})
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    # Only with `ctest -C Fuzz -L fuzz`: PANEM_FUZZ_SECONDS each, new inputs under the build folder.
    set(grown ${CMAKE_CURRENT_BINARY_DIR}/grown_${name})
    file(MAKE_DIRECTORY ${grown})
    add_test(NAME fuzz_run_${name} CONFIGURATIONS Fuzz
      COMMAND fuzz_${name} -max_total_time=${PANEM_FUZZ_SECONDS} -max_len=4096 -timeout=20 -verbosity=0
              -artifact_prefix=${grown}/ ${grown} ${A_CORPUS})
    set_tests_properties(fuzz_run_${name} PROPERTIES LABELS fuzz TIMEOUT 3600)
  endif()
  add_executable(replay_${name} ${A_SOURCE} ${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.c)
  set_target_properties(replay_${name} PROPERTIES C_STANDARD 17 C_EXTENSIONS OFF)
  target_link_libraries(replay_${name} PRIVATE panem_flags ${A_LIBS})
  add_test(NAME fuzz_replay_${name} COMMAND replay_${name} ${A_CORPUS})
endfunction()
