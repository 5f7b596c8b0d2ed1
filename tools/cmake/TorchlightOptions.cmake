# What every target of ours is compiled with: torchlight_options. Never installed, never inherited.
add_library(torchlight_options INTERFACE)
target_compile_features(torchlight_options INTERFACE cxx_std_20 c_std_11)
if(TORCHLIGHT_WARNINGS)
  target_compile_options(torchlight_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wno-sign-conversion $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>)
endif()
if(TORCHLIGHT_WERROR)
  target_compile_options(torchlight_options INTERFACE -Werror)
endif()
if(TORCHLIGHT_SANITIZE)
  target_compile_options(torchlight_options INTERFACE -fsanitize=${TORCHLIGHT_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(torchlight_options INTERFACE -fsanitize=${TORCHLIGHT_SANITIZE})
endif()
