#pragma once

// The one place that holds the version; CMake reads it here.
#define TORCHLIGHT_VERSION_MAJOR 0
#define TORCHLIGHT_VERSION_MINOR 1
#define TORCHLIGHT_VERSION_PATCH 0
#define TORCHLIGHT_VERSION "0.1.0"
