# torchlight_add_test(NAME SOURCES… [PUBLIC|PLAIN] [LIBRARIES …] [LABELS …] [ENVIRONMENT A=1 …])
#
# A doctest program and its ctest entry. It contains the core's objects, so that it can test the inside;
# with PUBLIC it links libtorchlight.so and sees the public headers alone, with PLAIN it knows nothing of the
# core. Label `long`: it runs only where it is asked for (ctest -C long -L long). Label `machine`: it is
# there only where the machine has what it needs. Label `native`: it starts programs of the build, which an emulator
# can't, so a build for another machine goes without it. Labels `source` and `build`: it looks at files of the
# repository, or starts compilers of its own, so a sanitized tree goes without it.
function(torchlight_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "PUBLIC;PLAIN" "" "LIBRARIES;LABELS;ENVIRONMENT")
  add_executable(${name} ${arg_UNPARSED_ARGUMENTS})
  if(CMAKE_CROSSCOMPILING AND native IN_LIST arg_LABELS)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  target_link_libraries(${name} PRIVATE torchlight_options torchlight_test_options torchlight_test_main
                        ${arg_LIBRARIES})
  if(arg_PUBLIC)
    target_link_libraries(${name} PRIVATE Torchlight::torchlight)
  elseif(NOT arg_PLAIN)
    target_link_libraries(${name} PRIVATE torchlight_objects)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/core/src)
  endif()
  if(NOT arg_PLAIN)
    target_precompile_headers(${name} REUSE_FROM torchlight_test_prelude)
  endif()
  torchlight_register_test(${name} "${arg_LABELS}" "${arg_ENVIRONMENT}" ${name})
  set_property(GLOBAL APPEND PROPERTY TORCHLIGHT_DOCTESTS ${name})
endfunction()

# torchlight_add_script_test(NAME COMMAND… [LABELS …] [ENVIRONMENT A=1 …]): passes where it exits with 0. A script is
# native; a command that is a target is emulated in a build for another machine.
function(torchlight_add_script_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LABELS;ENVIRONMENT")
  list(GET arg_UNPARSED_ARGUMENTS 0 command)
  if(NOT TARGET ${command})
    list(APPEND arg_LABELS native)
  endif()
  torchlight_register_test(${name} "${arg_LABELS}" "${arg_ENVIRONMENT}" ${arg_UNPARSED_ARGUMENTS})
endfunction()

set(TORCHLIGHT_TEST_ENVIRONMENT "")
if(TORCHLIGHT_SANITIZE)
  set(TORCHLIGHT_TEST_ENVIRONMENT
    "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1" "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=second_deadlock_stack=1")
endif()

# What both have in common.
function(torchlight_register_test name labels environment)
  if(CMAKE_CROSSCOMPILING AND native IN_LIST labels)
    return()
  endif()
  if(TORCHLIGHT_SANITIZE AND (source IN_LIST labels OR build IN_LIST labels))
    return()
  endif()
  if(long IN_LIST labels)
    set(when CONFIGURATIONS long)
  endif()
  add_test(NAME ${name} COMMAND ${ARGN} ${when})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}"
    ENVIRONMENT "${environment};${TORCHLIGHT_TEST_ENVIRONMENT}")
endfunction()
