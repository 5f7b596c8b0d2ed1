# torchlight_add_plugin(NAME SOURCES...): a plug-in's shared object, built so that it exports its entry
# and nothing else. Also installed, for authors of plug-ins outside this tree.
include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)

check_cxx_compiler_flag(-fno-gnu-unique TORCHLIGHT_HAS_NO_GNU_UNIQUE)
check_linker_flag(CXX -Wl,-z,defs TORCHLIGHT_HAS_Z_DEFS)
set(TORCHLIGHT_PLUGIN_OUTPUT ${CMAKE_BINARY_DIR}/lib/torchlight/plugins)

function(torchlight_add_plugin name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE Torchlight::plugin_api)
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON POSITION_INDEPENDENT_CODE ON
    LIBRARY_OUTPUT_DIRECTORY ${TORCHLIGHT_PLUGIN_OUTPUT})
  target_compile_options(${name} PRIVATE
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${TORCHLIGHT_HAS_NO_GNU_UNIQUE}>>:-fno-gnu-unique>)
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL)
  if(TORCHLIGHT_HAS_Z_DEFS AND NOT TORCHLIGHT_SANITIZE)
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
endfunction()
