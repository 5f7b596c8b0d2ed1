#include <torchlight/nn/module_list.h>

#include "support/text.h"

namespace torchlight::nn {

Module& ModuleList::operator[](std::size_t i) const {
  if (i >= size()) throw Error(text("ModuleList: there is no module ", i, " among ", size()));
  return *children()[i].module;
}

}  // namespace torchlight::nn
