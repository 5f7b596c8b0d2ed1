#include "projects/data_file.h"

#include <filesystem>

namespace command {

// bin/torchlight has its data in share/torchlight/data beside it, installed as in the build tree.
std::string own_data(const std::string& name) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  return (program.parent_path().parent_path() / "share/torchlight/data" / name).string();
}

void refuse_rows(const tl::Tensor& wrong, const std::string& path, std::int64_t first_line,
                 const std::string& what) {
  const std::vector<bool> rows = wrong.to_vector<bool>();
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i])
      throw tl::FileError(tl::printable(path) + ", line " +
                          std::to_string(first_line + static_cast<std::int64_t>(i)) + ": " + what);
}

}  // namespace command
