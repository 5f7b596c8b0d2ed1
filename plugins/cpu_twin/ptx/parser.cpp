// The grammar of PTX as compilers write it, inline assembly included.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "error.h"
#include "ptx/lexer.h"
#include "ptx/module.h"

namespace twin::ptx {
namespace {

using Kind = Token::Kind;

std::vector<std::string> split(std::string_view word) {
  std::vector<std::string> parts;
  while (!word.empty()) {
    const size_t dot = word.find('.');
    std::string_view part = word.substr(0, dot);
    // shared::cta is what shared means without clusters.
    if (part == "shared::cta" || part == "param::entry" || part == "param::func")
      part = part.substr(0, part.find(':'));
    parts.emplace_back(part);
    word.remove_prefix(dot == word.npos ? word.size() : dot + 1);
  }
  return parts;
}

/// Names of a function's body: braces nest, and each brace may declare names anew.
class Scopes {
 public:
  Scopes() : open_(1) {}
  void enter() { open_.emplace_back(); }
  void leave() { open_.pop_back(); }
  size_t depth() const { return open_.size(); }

  void add_register(const std::string& name, int index) { open_.back().registers[name] = index; }
  void add_variable(const std::string& name, const std::string& unique) {
    open_.back().variables[name] = unique;
  }

  std::optional<int> register_of(const std::string& name) const {
    for (auto scope = open_.rbegin(); scope != open_.rend(); ++scope)
      if (const auto found = scope->registers.find(name); found != scope->registers.end())
        return found->second;
    return std::nullopt;
  }
  /// The name by which the module knows a variable.
  std::string variable_of(const std::string& name) const {
    for (auto scope = open_.rbegin(); scope != open_.rend(); ++scope)
      if (const auto found = scope->variables.find(name); found != scope->variables.end())
        return found->second;
    return name;
  }

 private:
  struct Scope {
    std::unordered_map<std::string, int> registers;
    std::unordered_map<std::string, std::string> variables;
  };
  std::vector<Scope> open_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  Module module() {
    while (lexer_.token().kind != Kind::end) item();
    return std::move(module_);
  }

 private:
  // ---- the module -------------------------------------------------------------------------------
  void item() {
    bool external = false;
    for (;;) {
      if (lexer_.at(".extern"))
        external = true;
      else if (!lexer_.at(".visible") && !lexer_.at(".weak") && !lexer_.at(".common"))
        break;
      lexer_.take();
    }
    if (lexer_.at(".entry") || lexer_.at(".func")) return function();
    if (const auto space = space_of(lexer_.token().text)) return variable(*space, external, nullptr);
    const Token word = lexer_.take();
    if (word.text == ".version" || word.text == ".target" || word.text == ".address_size") {
      do lexer_.take();
      while (lexer_.skip(','));
    } else if (word.text == ".file") {
      file();
    } else if (word.text == ".section") {
      lexer_.take();
      skip_braces();
    } else if (word.text == ".pragma") {
      pragma();
    } else {
      lexer_.fail("expected a function or a variable behind " + std::string(word.text));
    }
  }

  void pragma() {
    lexer_.take();
    lexer_.expect(';');
  }

  void file() {
    const auto index = static_cast<size_t>(lexer_.integer());
    if (index > 65536) lexer_.fail("expected a file's number below 65536");
    if (module_.files.size() <= index) module_.files.resize(index + 1);
    module_.files[index] = lexer_.take().text;
    while (lexer_.skip(',')) lexer_.take();
  }

  void skip_braces() {
    lexer_.expect('{');
    for (int depth = 1; depth > 0;) {
      if (lexer_.token().kind == Kind::end) lexer_.fail("expected '}'");
      if (lexer_.at('{')) ++depth;
      if (lexer_.at('}')) --depth;
      lexer_.take();
    }
  }

  static std::optional<Space> space_of(std::string_view directive) {
    if (directive == ".global") return Space::global;
    if (directive == ".const") return Space::constant;
    if (directive == ".shared") return Space::shared;
    if (directive == ".local") return Space::local;
    if (directive == ".param") return Space::param;
    return std::nullopt;
  }

  /// [.align n] .type name[size]…, behind the space.
  Variable declare(Space space) {
    Variable variable;
    variable.space = space;
    Type type = Type::none;
    unsigned lanes = 1;
    while (lexer_.token().kind == Kind::directive) {
      const std::string_view word = lexer_.take().text.substr(1);
      if (word == "align")
        variable.align = static_cast<uint64_t>(lexer_.integer());
      else if (word == "ptr") {
      } else if (word == "attribute") {
        lexer_.expect('(');
        while (!lexer_.skip(')')) lexer_.take();
      } else if (word == "v2")
        lanes = 2;
      else if (word == "v4")
        lanes = 4;
      else if (space_of('.' + std::string(word))) {
      }  // of what a pointer points to
      else if ((type = type_of(word)) == Type::none)
        lexer_.fail("expected a type behind ." + std::string(word));
    }
    variable.type = type;
    element_ = std::max(1U, bits_of(type) / 8);
    variable.name = lexer_.word();
    uint64_t count = lanes;
    while (lexer_.skip('[')) {
      count *= lexer_.at(']') ? 0 : static_cast<uint64_t>(lexer_.integer());
      lexer_.expect(']');
    }
    variable.bytes = count * element_;
    variable.align = std::max<uint64_t>(variable.align, element_);
    if (!std::has_single_bit(variable.align) || variable.bytes > (uint64_t{1} << 40))
      lexer_.fail("expected a sensible size before");
    return variable;
  }

  void variable(Space space, bool external, Function* owner) {
    lexer_.take();
    do {
      Variable declared = declare(space);
      declared.external = external;
      if (lexer_.skip('=')) initial(declared);
      if (owner) {
        const std::string unique = declared.name + '#' + std::to_string(++unique_);
        scopes_->add_variable(declared.name, unique);
        declared.name = unique;
        owner->locals.push_back(std::move(declared));
      } else {
        module_.variables.push_back(std::move(declared));
      }
    } while (lexer_.skip(','));
    lexer_.expect(';');
  }

  void initial(Variable& variable) {
    variable.initial.resize(variable.bytes);
    uint64_t at = 0;
    initial_values(variable, at);
  }

  void initial_values(Variable& variable, uint64_t& at) {
    if (lexer_.skip('{')) {
      do {
        if (!lexer_.at('}')) initial_values(variable, at);
      } while (lexer_.skip(','));
      lexer_.expect('}');
      return;
    }
    if (at + element_ > variable.bytes) lexer_.fail("expected no more values than fit");
    if (lexer_.token().kind == Kind::word) {
      Variable::Address address{at, lexer_.word(), 0};
      if (address.name == "generic") {
        lexer_.expect('(');
        address.name = lexer_.word();
        lexer_.expect(')');
      }
      if (lexer_.skip('+')) address.offset = lexer_.integer();
      variable.addresses.push_back(std::move(address));
    } else {
      const Operand value = number();
      std::memcpy(variable.initial.data() + at, &value.bits, element_);
    }
    at += element_;
  }

  // ---- functions --------------------------------------------------------------------------------
  std::vector<Variable> parameters() {
    std::vector<Variable> list;
    if (!lexer_.skip('(')) return list;
    while (!lexer_.skip(')')) {
      const Token word = lexer_.take();
      if (word.text == ".reg")
        list.push_back(declare(Space::param));
      else if (word.text == ".param")
        list.push_back(declare(Space::param));
      else
        lexer_.fail("expected a parameter before");
      lexer_.skip(',');
    }
    return list;
  }

  void function() {
    Function function;
    function.kernel = lexer_.take().text == ".entry";
    function.results = function.kernel ? std::vector<Variable>() : parameters();
    function.name = lexer_.word();
    function.parameters = parameters();
    while (lexer_.token().kind == Kind::directive) {
      const Token word = lexer_.take();
      if (word.text == ".noreturn") continue;
      uint32_t product = 1;
      do product *= static_cast<uint32_t>(lexer_.integer());
      while (lexer_.skip(','));
      if (word.text == ".maxntid" || word.text == ".reqntid") function.max_threads = product;
    }
    if (!lexer_.skip(';')) {
      function.defined = true;
      body(function);
    }
    module_.functions.push_back(std::move(function));
  }

  void body(Function& function) {
    Scopes scopes;
    scopes_ = &scopes;
    line_ = {};
    lexer_.expect('{');
    scopes.enter();
    while (scopes.depth() > 1) statement(function);
    function.line = function.code.empty() ? Line{} : function.code.front().line;
    scopes_ = nullptr;
  }

  void statement(Function& function) {
    if (lexer_.token().kind == Kind::end) lexer_.fail("expected '}'");
    if (lexer_.skip('{')) return scopes_->enter();
    if (lexer_.skip('}')) return scopes_->leave();
    if (lexer_.skip(';')) return;
    if (lexer_.at(".reg")) return registers(function);
    if (lexer_.at(".loc")) return location();
    if (const auto space = space_of(lexer_.token().text)) return variable(*space, false, &function);
    if (lexer_.at(".pragma")) {
      lexer_.take();
      return pragma();
    }
    instruction(function);
  }

  void registers(Function& function) {
    lexer_.take();
    Type type = Type::none;
    while (lexer_.token().kind == Kind::directive) {
      const std::string name(lexer_.take().text.substr(1));
      if ((type = type_of(name)) == Type::none) lexer_.fail("expected a register's type");
    }
    do {
      const std::string name = lexer_.word();
      if (lexer_.skip('<')) {
        const int64_t count = lexer_.integer();
        lexer_.expect('>');
        if (count < 0 || count > 1'000'000) lexer_.fail("expected fewer registers");
        for (int64_t i = 0; i < count; ++i) add_register(function, name + std::to_string(i), type);
      } else {
        add_register(function, name, type);
      }
    } while (lexer_.skip(','));
    lexer_.expect(';');
  }

  void add_register(Function& function, const std::string& name, Type type) {
    scopes_->add_register(name, static_cast<int>(function.registers.size()));
    function.registers.push_back({name, type});
  }

  void location() {
    lexer_.take();
    const Line line{static_cast<uint32_t>(lexer_.integer()), static_cast<uint32_t>(lexer_.integer())};
    lexer_.integer();  // the column
    // Where the line was inlined into others, the line itself is what its author knows.
    while (lexer_.skip(',')) {
      lexer_.word();
      if (lexer_.token().kind == Kind::word) lexer_.take();
      if (lexer_.skip('+')) lexer_.integer();
      while (lexer_.token().kind == Kind::integer) lexer_.take();
    }
    if (line.line != 0) line_ = line;
  }

  void instruction(Function& function) {
    Instruction made;
    made.line = line_;
    if (lexer_.skip('@')) {
      made.guard_negated = lexer_.skip('!');
      const std::string name = lexer_.word();
      const auto guard = scopes_->register_of(name);
      if (!guard) lexer_.fail("expected a predicate, and " + name + " is none; before");
      made.guard = *guard;
    }
    const std::string word = lexer_.word();
    if (lexer_.skip(':')) return label(function, word);
    std::vector<std::string> parts = split(word);
    made.opcode = parts.front();
    made.modifiers.assign(parts.begin() + 1, parts.end());
    while (!lexer_.skip(';')) {
      made.operands.push_back(operand());
      lexer_.skip(',');
    }
    function.code.push_back(std::move(made));
  }

  void label(Function& function, const std::string& name) {
    if (lexer_.at(".branchtargets")) {
      lexer_.take();
      Table table{name, {}};
      do table.labels.push_back(lexer_.word());
      while (lexer_.skip(','));
      lexer_.expect(';');
      function.tables.push_back(std::move(table));
    } else if (lexer_.at(".callprototype")) {
      while (!lexer_.skip(';')) lexer_.take();
    } else {
      function.labels.push_back({name, function.code.size()});
    }
  }

  // ---- operands ---------------------------------------------------------------------------------
  Operand operand() {
    if (lexer_.skip('{')) return list('}');
    if (lexer_.skip('(')) return list(')');
    if (lexer_.skip('[')) {
      Operand address = simple();
      if (address.kind == Operand::Kind::integer) address.offset = static_cast<int64_t>(address.bits);
      if (lexer_.skip('+')) address.offset += lexer_.integer();
      address.kind = Operand::Kind::address;
      lexer_.expect(']');
      return address;
    }
    Operand first = simple();
    if (lexer_.skip('|')) {
      Operand both;
      both.kind = Operand::Kind::pair;
      both.items = {std::move(first), simple()};
      return both;
    }
    if (first.kind == Operand::Kind::symbol && lexer_.skip('+')) first.offset = lexer_.integer();
    return first;
  }

  Operand list(char end) {
    Operand made;
    made.kind = Operand::Kind::list;
    while (!lexer_.skip(end)) {
      made.items.push_back(operand());
      lexer_.skip(',');
    }
    return made;
  }

  Operand simple() {
    if (lexer_.skip('!')) {
      Operand negated = simple();
      negated.negated = true;
      return negated;
    }
    if (lexer_.token().kind != Kind::word) return number();
    Operand made;
    const std::string name = lexer_.word();
    if (name == "_") return made;
    if (name == "WARP_SZ") {
      made.kind = Operand::Kind::integer;
      made.bits = 32;
    } else if (const auto index = scopes_->register_of(name)) {
      made.kind = Operand::Kind::reg;
      made.reg = *index;
    } else {
      made.kind = Operand::Kind::symbol;
      made.name = scopes_->variable_of(name);
    }
    return made;
  }

  Operand number() {
    const bool negative = lexer_.skip('-');
    const Token token = lexer_.take();
    Operand made;
    made.bits = token.bits;
    if (token.kind == Kind::integer) {
      made.kind = Operand::Kind::integer;
      if (negative) made.bits = 0 - made.bits;
    } else if (token.kind == Kind::real) {
      made.kind = Operand::Kind::real;
      made.single = token.single;
      if (negative) made.bits ^= uint64_t{1} << (token.single ? 31 : 63);
    } else {
      lexer_.fail("expected an operand before");
    }
    return made;
  }

  Lexer lexer_;
  Module module_;
  Scopes* scopes_ = nullptr;
  Line line_;
  uint64_t element_ = 1;  // bytes of what was declared last
  uint64_t unique_ = 0;
};

}  // namespace

Module parse(std::string_view text) { return Parser(text).module(); }

}  // namespace twin::ptx
