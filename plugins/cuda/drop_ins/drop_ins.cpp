#include "drop_ins.h"

#include <new>

#include "find.h"
#include "job.h"
#include "listing.h"
#include "service.h"

namespace torchlight::drop_ins {

DropIns::DropIns(Options options) : options_(std::move(options)) {
  Found found = find_files(options_);
  problems_ = std::move(found.places);
  for (FoundFile& file : found.files)
    services_.push_back(std::make_unique<Service>(std::move(file), options_));
}

DropIns::~DropIns() = default;

/// The first file in order that does the op at all gets it, or nobody does.
template <class Args> Service* DropIns::find(const Args& args, std::string* why_not) {
  const Op op = op_of(args);
  for (const auto& service : services_) {
    if (service->file().family != family_of(op)) continue;
    std::string reason = service->refusal();
    const bool does_op = reason.empty() && service->form(op).accepted;
    if (does_op)
      reason = job_of(args, service->form(op)).why_not;
    else if (reason.empty())
      reason = service->form(op).reason;
    if (does_op && reason.empty()) return service.get();
    if (why_not && (does_op || why_not->empty())) *why_not = service->file().path + ": " + reason;
    if (does_op) return nullptr;
  }
  return nullptr;
}

template <class Args> bool DropIns::takes(const Args& args, std::string* why_not) noexcept try {
  return find(args, why_not) != nullptr;
} catch (const std::exception& error) {
  return false;
}

template <class Args> int32_t DropIns::run(const Args& args, std::string& error) noexcept try {
  Service* service = find(args, &error);
  if (!service) return TL_E_INTERNAL;
  return service->run(job_of(args, service->form(op_of(args))), error);
} catch (const std::bad_alloc&) {
  error = "no memory";  // short enough to need none
  return TL_E_MEMORY;
} catch (const std::exception&) {
  return TL_E_INTERNAL;
}

template <class Args> bool DropIns::gave_up(const Args& args, std::string& why) noexcept try {
  for (const auto& service : services_) {
    if (service->file().family != family_of(op_of(args))) continue;
    const std::string reason = service->why_given_up();
    if (reason.empty()) continue;
    const Form& form = service->form(op_of(args));
    if (!form.accepted || !job_of(args, form).why_not.empty()) continue;
    why = service->file().path + ": " + reason;
    return true;
  }
  return false;
} catch (const std::exception&) {
  return false;
}

#define DROP_IN_CALL(Args)                                                 \
  template bool DropIns::takes<Args>(const Args&, std::string*) noexcept;  \
  template int32_t DropIns::run<Args>(const Args&, std::string&) noexcept; \
  template bool DropIns::gave_up<Args>(const Args&, std::string&) noexcept;
DROP_IN_CALL(tl_map_args)
DROP_IN_CALL(tl_zip_args)
DROP_IN_CALL(tl_reduce_args)
DROP_IN_CALL(tl_matmul_args)
DROP_IN_CALL(tl_attn_softmax_fw_args)
DROP_IN_CALL(tl_attn_softmax_bw_args)
DROP_IN_CALL(tl_layernorm_fw_args)
DROP_IN_CALL(tl_layernorm_bw_args)
#undef DROP_IN_CALL

std::vector<std::string> DropIns::refused() const {
  std::vector<std::string> refused = problems_;
  for (const auto& service : services_)
    if (const FoundFile& file = service->file(); !file.problem.empty())
      refused.push_back(file.path + ": " + file.problem);
  return refused;
}

Listing DropIns::list(Look look) {
  Listing listing;
  listing.off = options_.off;
  listing.problems = problems_;
  bool taken[op_count] = {};
  for (const auto& service : services_) listing.files.push_back(listed(*service, look, taken));
  if (!listing.files.empty())
    listing.note =
        "each call of a kernel drop-in copies its data to another process and back, which the device's "
        "own kernels don't; TORCHLIGHT_DROP_INS=off turns them off";
  return listing;
}

}  // namespace torchlight::drop_ins
