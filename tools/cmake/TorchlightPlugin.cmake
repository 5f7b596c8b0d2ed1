# torchlight_add_plugin(NAME SOURCES...): a plug-in's shared object, built so that it exports its entry
# and nothing else, and checked after each link. Part of the installed package, too, for authors of
# plug-ins outside this tree; needs only C.
include_guard(GLOBAL)

set(TORCHLIGHT_CHECK_PLUGIN ${CMAKE_CURRENT_LIST_DIR}/check_plugin.cmake)
set(TORCHLIGHT_PLUGIN_MAP ${CMAKE_CURRENT_LIST_DIR}/plugin.map)

function(torchlight_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Torchlight::plugin_api)
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON
    LINK_DEPENDS "${TORCHLIGHT_PLUGIN_MAP};${TORCHLIGHT_CHECK_PLUGIN}")
  if(TORCHLIGHT_PLUGIN_OUTPUT)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${TORCHLIGHT_PLUGIN_OUTPUT})
  endif()

  # A unique symbol would be shared with other files of the process and would pin this one.
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>)
  # Nothing of a static library is exported. A link with fast-math would add a start-up object that
  # changes the floating-point mode of the whole process; the last word is ours.
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,--version-script=${TORCHLIGHT_PLUGIN_MAP}
    -fno-fast-math -fno-unsafe-math-optimizations)
  # An undefined symbol is an error of the build, not of the first run. Sanitizers leave some open.
  if(NOT TORCHLIGHT_SANITIZE AND NOT "${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "-fsanitize")
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()

  add_custom_command(TARGET ${name} POST_BUILD VERBATIM COMMENT ""
    COMMAND ${CMAKE_COMMAND} -DFILE=$<TARGET_FILE:${name}> -DNM=${CMAKE_NM} -DREADELF=${CMAKE_READELF}
            -P ${TORCHLIGHT_CHECK_PLUGIN})
endfunction()
