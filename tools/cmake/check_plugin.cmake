# Run after a plug-in is linked: cmake -DFILE=… -DNM=… -DREADELF=… -P check_plugin.cmake. Fails, and
# removes the file so that the next build tries again, unless it exports its entry alone, holds the
# identity note and sets no floating-point mode when loaded.
function(reject reason)
  file(REMOVE ${FILE})
  message(FATAL_ERROR "${FILE} is not a Torchlight plug-in: ${reason}")
endfunction()

function(run output)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE text ERROR_VARIABLE error RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    reject("${ARGN} failed: ${error}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

run(exported ${NM} -D --defined-only --format=posix ${FILE})
string(REGEX MATCHALL "[^\n]+" exported "${exported}")
list(TRANSFORM exported REPLACE " .*" "")
if(NOT exported STREQUAL "torchlight_plugin_v1")
  string(REPLACE ";" ", " names "${exported}")
  reject("it must export torchlight_plugin_v1 alone and exports: ${names}. Is TL_EXPORT or a default \
visibility used elsewhere, or the definition of torchlight_plugin_v1 missing?")
endif()

run(notes ${READELF} --notes ${FILE})
if(NOT notes MATCHES "Torchlight")
  reject("it has no identity note. Write TL_PLUGIN_NOTE(\"name\", \"version\", 0); once, at file scope")
endif()

run(symbols ${NM} --format=posix ${FILE})
if(symbols MATCHES "set_fast_math")
  reject("it was linked with -ffast-math or -Ofast, which changes the floating-point mode of every \
program that loads it. Use these flags for single source files only, or not at all")
endif()
