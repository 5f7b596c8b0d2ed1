# Builds for arm64 Linux on another machine, and runs what was built by qemu: the toolchain of the preset arm64.
# `tools/setup arm64` provides what it takes.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

# Libraries for arm64 lie there; what is the same for all machines (headers of doctest, say) in the system.
set(TORCHLIGHT_ARM64_PACKAGES ${CMAKE_CURRENT_LIST_DIR}/../../build/arm64-packages)
cmake_path(NORMAL_PATH TORCHLIGHT_ARM64_PACKAGES)
find_program(TORCHLIGHT_ARM64_CXX aarch64-linux-gnu-g++)
find_program(TORCHLIGHT_ARM64_QEMU NAMES qemu-aarch64 qemu-aarch64-static)
foreach(part TORCHLIGHT_ARM64_CXX TORCHLIGHT_ARM64_QEMU TORCHLIGHT_ARM64_PACKAGES)
  if(NOT EXISTS "${${part}}")
    message(FATAL_ERROR "for arm64 there must be aarch64-linux-gnu-g++ (${TORCHLIGHT_ARM64_CXX}), \
qemu-aarch64 (${TORCHLIGHT_ARM64_QEMU}) and ${TORCHLIGHT_ARM64_PACKAGES}: run tools/setup arm64")
  endif()
endforeach()

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# Their libraries need each other, when they are linked and when they are loaded.
set(libraries ${TORCHLIGHT_ARM64_PACKAGES}/usr/lib/aarch64-linux-gnu:${TORCHLIGHT_ARM64_PACKAGES}/lib/aarch64-linux-gnu)
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,-rpath-link,${libraries})
set(CMAKE_CROSSCOMPILING_EMULATOR ${TORCHLIGHT_ARM64_QEMU} -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=${libraries})
unset(libraries)

set(CMAKE_FIND_ROOT_PATH ${TORCHLIGHT_ARM64_PACKAGES} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
