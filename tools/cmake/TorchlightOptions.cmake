# What every target of ours is compiled with: torchlight_options. Never installed, never inherited.
add_library(torchlight_options INTERFACE)
target_compile_features(torchlight_options INTERFACE cxx_std_20 c_std_11)
if(TORCHLIGHT_WARNINGS)
  target_compile_options(torchlight_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wno-sign-conversion $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # It warns of std::string's own +, which never overlaps (GCC bug 105329).
  target_compile_options(torchlight_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(TORCHLIGHT_WERROR)
  target_compile_options(torchlight_options INTERFACE -Werror)
endif()
if(TORCHLIGHT_SANITIZE)
  target_compile_options(torchlight_options INTERFACE -fsanitize=${TORCHLIGHT_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(torchlight_options INTERFACE -fsanitize=${TORCHLIGHT_SANITIZE})
endif()
