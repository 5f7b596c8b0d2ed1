// A report of the twin, taken apart: "k.cu:12: text [kernel k(float*), block (0,0,0), thread (1,0,0)]".
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace twin_command {

struct Fault {
  std::string place;  ///< "k.cu:12"; empty where nothing is known
  std::string text;
  std::string kernel, block, thread;  ///< empty where they play no part
};

std::vector<Fault> faults_of(const std::string& reports);
/// As compilers print it: "k.cu:12: error: text [kernel …]".
std::string shown(const Fault& fault);
nlohmann::ordered_json json_of(const Fault& fault);

/// A path as seen from here, if it lies below.
std::string near_path(const std::string& text);

}  // namespace twin_command
