// Eigen 3.4 (libeigen3-dev), header only: expression templates fuse elementwise chains.

#include <Eigen/Dense>
#include <memory>
#include "peers.h"
peers::Contestant make_eigen() {
  using namespace peers;
  return {"eigen", [](int t) { Eigen::setNbThreads(t); },
          [](const Case& c) -> Work {
            using M = Eigen::Matrix<float, -1, -1, Eigen::RowMajor>;
            using A = Eigen::ArrayXf;
            auto& op = c.op;
            auto& d = c.shape;
            if (op == "mm") {
              if (d[0] != 1) return {};
              auto a = std::make_shared<M>((c.detail & 1) ? d[3] : d[1], (c.detail & 1) ? d[1] : d[3]),
                   b = std::make_shared<M>((c.detail & 2) ? d[2] : d[3], (c.detail & 2) ? d[3] : d[2]),
                   y = std::make_shared<M>(d[1], d[2]);
              fill(a->data(), a->size(), 1);
              fill(b->data(), b->size(), 2);
              int t = c.detail;
              auto pr = [y] { return peers::probe(y->data(), y->size()); };
              if (t == 0) return {[=] { y->noalias() = *a * *b; }, pr};
              if (t == 1) return {[=] { y->noalias() = a->transpose() * *b; }, pr};
              if (t == 2) return {[=] { y->noalias() = *a * b->transpose(); }, pr};
              return {[=] { y->noalias() = a->transpose() * b->transpose(); }, pr};
            }
            if (!c.preallocated) return {};
            int64_t n = numel(d);
            if (op == "exp" || op == "tanh" || op == "add" || op == "mul" || op == "sigmoid" ||
                op == "chain") {
              auto x = std::make_shared<A>(n), b = std::make_shared<A>(n), e = std::make_shared<A>(n),
                   y = std::make_shared<A>(n);
              fill(x->data(), n, 1);
              fill(b->data(), n, 2);
              fill(e->data(), n, 3);
              auto pr = [y, n] { return peers::probe(y->data(), n); };
              if (op == "exp") return {[=] { *y = x->exp(); }, pr};
              if (op == "tanh") return {[=] { *y = x->tanh(); }, pr};
              if (op == "sigmoid") return {[=] { *y = x->logistic(); }, pr};
              if (op == "add") return {[=] { *y = *x + *b; }, pr};
              if (op == "mul") return {[=] { *y = *x * *b; }, pr};
              return {[=] { *y = (*x * *b + *e).tanh() * *x; }, pr};
            }
            return {};
          }};
}
