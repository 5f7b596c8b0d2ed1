# The installed package: relocatable, laid out like the build tree.
#   bin/torchlight   lib/libtorchlight.so   lib/torchlight/plugins/   lib/cmake/Torchlight/   include/
#   share/torchlight/{data,kernels,template,template_cxx,twin}   libexec/torchlight/
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Torchlight)

install(TARGETS torchlight torchlight_plugin_api EXPORT TorchlightTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
set_target_properties(torchlight_plugin_api PROPERTIES EXPORT_NAME plugin_api)
install(EXPORT TorchlightTargets NAMESPACE Torchlight:: DESTINATION ${package})
install(DIRECTORY core/include/torchlight plugin-api/include/torchlight
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

if(TARGET torchlight_command)
  file(RELATIVE_PATH from_bin /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(torchlight_command PROPERTIES INSTALL_RPATH "$ORIGIN/${from_bin}")
  install(TARGETS torchlight_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS conformance RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/torchlight)
  install(DIRECTORY tools/torchlight/data DESTINATION ${CMAKE_INSTALL_DATADIR}/torchlight)
endif()
install(DIRECTORY plugin-api/template plugin-api/template_cxx DESTINATION ${CMAKE_INSTALL_DATADIR}/torchlight)
install(DIRECTORY docs/kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/torchlight)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DATADIR}/torchlight)

# find_package(Torchlight)
configure_package_config_file(tools/cmake/TorchlightConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/TorchlightConfig.cmake INSTALL_DESTINATION ${package}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/TorchlightConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/TorchlightConfig.cmake
  ${PROJECT_BINARY_DIR}/package/TorchlightConfigVersion.cmake
  tools/cmake/TorchlightPlugin.cmake tools/cmake/check_plugin.cmake tools/cmake/plugin.map
  DESTINATION ${package})

# pkg-config torchlight. Its prefix follows the file when the package is moved.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(tools/cmake/torchlight.pc.in ${PROJECT_BINARY_DIR}/package/torchlight.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/torchlight.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
