#pragma once

#include <torchlight/plugin.h>

#include <cstdint>

/// What `remote` accepts. Each throws a Failure for what it declines or what makes no sense, and answers
/// how much scratch memory the call needs.
namespace remote {

std::uint64_t check_map(const tl_map_args& args);
std::uint64_t check_zip(const tl_zip_args& args);
std::uint64_t check_reduce(const tl_reduce_args& args);
std::uint64_t check_matmul(const tl_matmul_args& args);

}  // namespace remote
