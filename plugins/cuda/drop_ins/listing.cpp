#include "listing.h"

#include <algorithm>
#include <cstdio>
#include <set>
#include <sstream>

#include "functions.h"

namespace torchlight::drop_ins {
namespace {

constexpr const char* state_name[] = {"used", "partly", "unused", "rejected", "untried"};
constexpr const char* mask_name[] = {"", "; adds its mask", "; ignores its mask",
                                     "; its mask is of another form"};

template <std::size_t n> std::string names_of(const Function (&functions)[n], const Form& form) {
  std::set<std::string> seen;
  std::string list;
  for (std::size_t i = 0; i < n; ++i)
    if ((form.functions >> i & 1) != 0 && seen.insert(functions[i].name).second)
      list.append(list.empty() ? "" : " ").append(functions[i].name);
  return list;
}

std::string rows_and_columns(const Form& form) {
  std::string text = "up to " + std::to_string(form.most_columns) + " columns";
  if (form.columns_step > 1) text += ", multiples of " + std::to_string(form.columns_step);
  text += "; " + std::to_string(form.most_rows) + " rows at once";
  if (form.touches_rows_behind) text += "; rounds rows up to a multiple of 4";
  return text;
}

std::string quoted(const std::string& words) {
  std::string json = "\"";
  for (const char c : words) {
    char code[8];
    if (c == '"' || c == '\\')
      json += std::string("\\") + c;
    else if (static_cast<unsigned char>(c) < 0x20)
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c)), json += code;
    else
      json += c;
  }
  return json + '"';
}

/// [element, element …], each as `write` writes it.
template <class Range, class Write>
void write_list(std::ostream& out, const Range& range, Write write) {
  const char* before = "[";
  for (const auto& element : range) {
    out << before;
    write(element);
    before = ", ";
  }
  out << (range.empty() ? "[]" : "]");
}

}  // namespace

std::string details_of(Op op, const Form& form) {
  std::ostringstream out;
  const char* spelling = form.spelling == Spelling::launch ? "launch form" : "tutorial form";
  switch (op) {
    case Op::map: out << names_of(map_functions, form); break;
    case Op::zip: out << names_of(zip_functions, form); break;
    case Op::reduce: out << names_of(reduce_functions, form) << "; " << rows_and_columns(form); break;
    case Op::matmul: out << (form.square_only ? "square results only" : "any size"); break;
    default: out << spelling << "; " << rows_and_columns(form);
  }
  out << mask_name[static_cast<int>(form.mask) & 3];
  if (form.eps > 0) out << "; eps " << form.eps << " inside";
  if (form.vars == Vars::variance) out << "; vars is the variance";
  if (form.vars == Vars::variance_and_eps) out << "; vars is the variance + eps";
  if (op == Op::layernorm_bw && form.spelling == Spelling::launch)
    out << "; inp is the forward's " << (form.inp_is_output ? "output" : "input");
  if (form.reason[0]) out << "; " << form.reason;
  return out.str();
}

bool Listing::is_complete() const {
  return std::none_of(files.begin(), files.end(),
                      [](const Listed& file) { return file.state == Listed::State::untried; });
}

Listed listed(Service& service, Look look, bool (&taken)[op_count]) {
  Listed file;
  file.path = service.file().path;
  file.family = family_stem[static_cast<int>(service.file().family)];
  if (look == Look::quick && !service.is_probed()) {
    file.state = Listed::State::untried;
    file.reason = service.file().is_source ? "it is compiled and tried when a call first wants it"
                                           : "it is tried when a call first wants it";
    return file;
  }
  file.reason = service.refusal();
  if (!file.reason.empty()) return file;
  int used = 0, refused = 0;
  for (int i = 0; i < op_count; ++i) {
    const Op op = static_cast<Op>(i);
    const Form& form = service.form(op);
    if (family_of(op) != service.file().family) continue;
    Listed::Route route{op_name[i], form.accepted && !taken[i],
                        form.accepted ? details_of(op, form) : form.reason};
    if (form.accepted && taken[i]) route.details = "a file before it does this; " + route.details;
    used += route.used;
    refused += !form.accepted;
    taken[i] |= form.accepted != 0;
    file.routes.push_back(std::move(route));
  }
  file.state = used == 0     ? Listed::State::unused
               : refused > 0 ? Listed::State::partly
                             : Listed::State::used;
  return file;
}

std::string text_of(const Listing& listing) {
  std::ostringstream out;
  if (listing.off) out << "kernel drop-ins are turned off (TORCHLIGHT_DROP_INS=off)\n";
  for (const std::string& problem : listing.problems) out << problem << '\n';
  for (const Listed& file : listing.files) {
    out << file.path << ": " << state_name[static_cast<int>(file.state)];
    out << (file.reason.empty() ? "" : ": ") << file.reason << '\n';
    for (const Listed::Route& route : file.routes)
      out << "  " << route.primitive << (route.used ? ": " : ", not used: ") << route.details << '\n';
  }
  if (!listing.note.empty()) out << "note: " << listing.note << '\n';
  return out.str();
}

std::string json_of(const Listing& listing) {
  std::ostringstream out;
  out << "{\"off\": " << (listing.off ? "true" : "false") << ", \"note\": " << quoted(listing.note)
      << ", \"problems\": ";
  write_list(out, listing.problems, [&](const std::string& problem) { out << quoted(problem); });
  out << ", \"files\": ";
  write_list(out, listing.files, [&](const Listed& file) {
    out << "{\"path\": " << quoted(file.path) << ", \"family\": " << quoted(file.family)
        << ", \"state\": " << quoted(state_name[static_cast<int>(file.state)])
        << ", \"reason\": " << quoted(file.reason) << ", \"routes\": ";
    write_list(out, file.routes, [&](const Listed::Route& route) {
      out << "{\"primitive\": " << quoted(route.primitive)
          << ", \"used\": " << (route.used ? "true" : "false")
          << ", \"details\": " << quoted(route.details) << "}";
    });
    out << "}";
  });
  out << "}\n";
  return out.str();
}

}  // namespace torchlight::drop_ins
