#include "service.h"

#include <unistd.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace torchlight::drop_ins {
namespace {

constexpr const char* forked =
    "kernel drop-ins belong to the process that this one was forked from; it goes on without them";

bool any_accepted(const Description& description) {
  return std::any_of(std::begin(description.forms), std::end(description.forms),
                     [](const Form& form) { return form.accepted != 0; });
}

/// Of a file none of whose launchers is used: the first thing that is wrong.
std::string reason_of(const Description& description) {
  if (description.reason[0]) return description.reason;
  for (const Form& form : description.forms)
    if (form.reason[0]) return form.reason;
  return "it does nothing that is of use";
}

}  // namespace

Service::Service(FoundFile file, const Options& options)
    : file_(std::move(file)), options_(options), owner_(::getpid()), refusal_(file_.problem) {
  probed_ = !refusal_.empty();
}

std::string Service::refusal() {
  // A lock that another thread held when this process was forked would never open.
  if (::getpid() != owner_) return forked;
  const std::lock_guard lock(mutex_);
  if (!std::exchange(probed_, true)) probe();
  return refusal_;
}

bool Service::is_probed() {
  if (::getpid() != owner_) return true;
  const std::lock_guard lock(mutex_);
  return probed_;
}

/// What is half done when something is thrown isn't used.
void Service::probe() {
  try {
    examine();
  } catch (const std::exception& error) {
    refusal_ = error.what();
    helper_.reset();
  }
}

void Service::examine() {
  if (options_.helper.empty()) {
    refusal_ =
        "the program that runs kernel drop-ins, libexec/torchlight/drop-in-host, isn't installed";
    return;
  }
  library_ = file_.is_source ? compiled(file_.file, options_, refusal_) : file_.file;
  if (!refusal_.empty()) return;
  Description found;
  refusal_ = start(false, &found);
  if (!refusal_.empty()) return helper_.reset();
  if (!any_accepted(found)) {
    refusal_ = reason_of(found);
    return helper_.reset();
  }
  description_ = found;
}

std::string Service::start(bool known, Description* description) {
  std::string problem;
  helper_ = HelperProcess::start(options_.helper, problem);
  helper_has_region_ = false;
  if (!helper_) return problem;
  const auto message = std::make_unique<Start>();
  message->family = file_.family;
  message->limits = limits();
  message->known = known;
  message->description = description_;
  if (library_.size() >= sizeof message->path) return "its path is too long";
  put_text(message->path, library_);
  problem = helper_->begin(*message);
  const Limits allowed = limits();
  const double seconds = allowed.probe_seconds + allowed.load_seconds + allowed.step_seconds;
  return problem.empty() && description ? helper_->read_description(*description, seconds) : problem;
}

bool Service::make_room(std::size_t bytes) {
  if (region_.bytes() >= bytes) return true;
  helper_has_region_ = false;
  return region_.create(bytes);
}

std::string Service::attempt(const Job& job, const Layout& layout) {
  float* buffers[std::extent_v<decltype(Layout::buffers)>] = {};
  for (int i = 0; i < layout.count; ++i) buffers[i] = region_.floats() + layout.buffers[i].begin;
  job.fill(buffers);
  std::string problem = helper_ ? std::string() : start(true, nullptr);
  if (!problem.empty()) return problem;
  // A gigabyte and more takes its time on the way to a device, too.
  const double seconds = limits().call_seconds + static_cast<double>(layout.floats) / 25e6;
  problem = helper_->call(job.call, region_, !std::exchange(helper_has_region_, true), seconds);
  return problem.empty() ? job.collect(buffers) : problem;
}

/// Counts a failure. What to add to its report, or nothing.
std::string Service::count_failure(const std::string& problem) {
  helper_.reset();
  constexpr int most_failures = 2;
  if (++failures_ < most_failures) return {};
  const std::string given_up = "it failed twice in a row, and isn't used any more";
  refusal_ = given_up + ": " + problem;
  given_up_ = true;
  return "; " + given_up;
}

std::int32_t Service::run(const Job& job, std::string& error) {
  error = file_.path + ": ";
  if (::getpid() != owner_) return error += forked, TL_E_INTERNAL;
  const std::lock_guard lock(mutex_);
  if (!refusal_.empty()) return error += refusal_, TL_E_INTERNAL;
  error += op_name[static_cast<int>(job.call.op)] + std::string(": ");
  const Layout layout = layout_of(job.call);
  if (!make_room(layout.floats * sizeof(float)))
    return error += "no memory to share with its helper", TL_E_MEMORY;
  const std::string problem = attempt(job, layout);
  if (problem.empty()) return error.clear(), failures_ = 0, TL_OK;
  error += problem + count_failure(problem);
  return TL_E_INTERNAL;
}

std::string Service::why_given_up() {
  if (::getpid() != owner_) return {};
  const std::lock_guard lock(mutex_);
  return given_up_ ? refusal_ : std::string();
}

}  // namespace torchlight::drop_ins
