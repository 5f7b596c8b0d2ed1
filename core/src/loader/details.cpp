#include "loader/details.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include <nlohmann/json.hpp>

#include "loader/open_device.h"
#include "support/floating_mode.h"
#include "support/text.h"

namespace torchlight::loader {
namespace {

constexpr std::size_t most_topics = 64, longest_topic = 31, longest_text = std::size_t{1} << 20;

bool is_topic(std::string_view name) {
  return !name.empty() && name.size() <= longest_topic &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
}

/// The beginning of what a plug-in points to; one character too many tells that there is more.
std::string_view beginning(const char* words, std::size_t most) {
  return words ? std::string_view(words, ::strnlen(words, most + 1)) : std::string_view();
}

class Collector {
 public:
  static void tell(void* context, const tl_detail* detail) noexcept {
    auto& self = *static_cast<Collector*>(context);
    try {
      self.take(detail);
    } catch (const std::exception&) {  // there is no memory
      self.lost_ = true;
    }
  }

  void complain(const std::string& problem) {
    if (problem_.empty()) problem_ = problem;
  }

  std::vector<DeviceDetail> finish() {
    if (lost_) complain("there was no memory for all of it");
    if (!problem_.empty()) all_.push_back({"details", problem_ + "\n", {}, true});
    return std::move(all_);
  }

 private:
  void take(const tl_detail* detail) {
    if (!detail || detail->size < TL_DETAIL_SIZE_0)
      return complain("the plug-in tells of a topic in a struct that is none");
    const std::string_view topic = beginning(detail->topic, longest_topic);
    if (!is_topic(topic))
      return complain(text("the plug-in names a topic ", in_quotes(topic, 40),
                           ", where a-z, 0-9 and _ are due, 31 at most"));
    if (all_.size() == most_topics) return complain("the plug-in tells of more than 64 topics");
    all_.push_back({std::string(topic), text_of(detail->text), {}, detail->incomplete == 0});
    take_json(beginning(detail->json, longest_text), all_.back());
  }

  static std::string text_of(const char* words) {
    std::string_view all = beginning(words, longest_text);
    const bool is_cut = all.size() > longest_text;
    std::string lines = printable_lines(all.substr(0, longest_text));
    if (is_cut) lines += "\n(it says more than 1 MiB)";
    if (!lines.empty() && lines.back() != '\n') lines += '\n';
    return lines;
  }

  void take_json(std::string_view json, DeviceDetail& detail) {
    if (json.empty()) return;
    if (json.size() <= longest_text && nlohmann::json::accept(json)) {
      detail.json = json;
      return;
    }
    complain(text("what the plug-in tells programs of ", detail.topic,
                  json.size() > longest_text ? " is longer than 1 MiB" : " isn't JSON",
                  ", and is left out"));
  }

  std::vector<DeviceDetail> all_;
  std::string problem_;
  bool lost_ = false;
};

}  // namespace

std::vector<DeviceDetail> details_of(const tl_details_table& table, const OpenDevice& device,
                                     Details wanted) {
  Collector collector;
  tl_details_args args{};
  args.head.size = sizeof args;
  args.thorough = wanted == Details::thorough;
  args.context = &collector;
  args.tell = Collector::tell;
  ErrorText error;
  const FloatingModeGuard guard;
  // The table's type says that nothing is thrown. Whoever cast something else into it must not end the
  // process of those who only want to look.
  std::int32_t (*const describe)(tl_device*, const tl_details_args*, tl_error*) = table.describe;
  try {
    if (describe(device.handle(), &args, error.get()) != TL_OK)
      collector.complain(text("the plug-in can't tell: ", error.reason()));
  } catch (...) {
    collector.complain(
        "the plug-in can't tell: it threw an exception, which no function of its table may");
  }
  return collector.finish();
}

}  // namespace torchlight::loader
