// Which files are taken for drop-ins, and the exact reason why others aren't.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "find.h"
#include "kernels.h"

using namespace test;

namespace {

std::string refusal_of(const Kernels& kernels) { return refusal(kernels.options()); }

/// What the stand-in compiler was asked, and what it does.
int compiled_times = 0;
bool copy_compiler(const char* cu_path, std::string* so_path, std::string* error) {
  ++compiled_times;
  const std::string source = torchlight::test::read_file(cu_path);
  if (source.find("wrong") != source.npos) return *error = "line 1: wrong", false;
  std::filesystem::copy_file(STAND_INS "/softmax.so", *so_path);
  return true;
}

drop_ins::Options with_compiler(const Kernels& kernels, const Kernels& cache) {
  drop_ins::Options options = kernels.options();
  options.compile = copy_compiler;
  options.cache = cache.path("a");
  return options;
}

bool throwing_compiler(const char*, std::string*, std::string*) {
  throw std::runtime_error("the disk is full");
}

/// One that has a cache of its own.
std::string kept_by_compiler;
bool keeping_compiler(const char*, std::string* so_path, std::string*) {
  *so_path = kept_by_compiler;
  return true;
}

}  // namespace

TEST_CASE("files that are no shared objects, or not for this") {
  const auto with = [](auto make) {
    const Kernels kernels;
    make(kernels);
    return refusal_of(kernels);
  };
  const auto put = [](const char* stand_in, const char* name = "softmax_kernel.so") {
    return [=](const Kernels& k) { k.put(stand_in, name); };
  };
  CHECK(with(put("softmax")) == "");  // the control
  CHECK(with(put("nothing")) ==
        "it exports none of launch_attn_softmax, attn_softmax_fw, launch_attn_softmax_bw, "
        "attn_softmax_bw (in C++ they "
        "must be extern \"C\")");
  CHECK(with(put("layernorm")).find("it exports none of launch_attn_softmax, ") == 0);
  CHECK(with(put("softmax", "layernorm_kernel.so")).find("it exports none of launch_layernorm, ") == 0);
  CHECK(with(put("softmax", "combine.so")) ==
        "it exports none of tensorMap, tensorZip, tensorReduce, MatrixMultiply (in C++ they must be "
        "extern \"C\")");
  CHECK(with(put("softmax", "kernel.so")) == "0 files");
  CHECK(with(put("plugin")) ==
        "it is a backend plug-in, not a kernel drop-in: the loader finds it as a device");
  const bool has_gpu = std::filesystem::exists("/dev/nvidiactl");
  CHECK((has_gpu || with(put("fatbin")).find("it is built for CUDA, and ") == 0));
  CHECK(with(put("unresolved")).find("undefined symbol: nobody_has_this") != std::string::npos);
  CHECK(with(put("dependent")).find("can't be loaded: libnowhere.so: cannot open shared object file") ==
        0);
  CHECK(with([](const Kernels& k) {
          k.write("softmax_kernel.so", "int main() {}");
        }).find("file too short") != std::string::npos);
  CHECK(with([](const Kernels& k) {
          k.write("softmax_kernel.so", std::string(5000, 'x'));
        }).find("invalid ELF header") != std::string::npos);
  CHECK(with([](const Kernels& k) { k.write("softmax_kernel.so", ""); }) == "empty file");
  CHECK(with([](const Kernels& k) {
          std::filesystem::create_directory(k.path("softmax_kernel.so"));
        }) == "a directory, not a regular file");
  CHECK(with([](const Kernels& k) { ::mkfifo(k.path("softmax_kernel.so").c_str(), 0600); }) ==
        "a FIFO, not a regular file");
  CHECK(with([](const Kernels& k) {
          std::filesystem::create_symlink("/nowhere", k.path("softmax_kernel.so"));
        }) == "can't be read: No such file or directory");
  const auto cut = [](const Kernels& k) {
    std::filesystem::resize_file(k.put("softmax", "softmax_kernel.so"), 9000);
  };
  CHECK(with(cut) != "");
}

TEST_CASE("files that others could have written are refused, unless all are trusted") {
  const Kernels kernels;
  const std::string path = kernels.put("softmax", "softmax_kernel.so");
  ::chmod(path.c_str(), 0666);
  CHECK(refusal_of(kernels) ==
        "others can write it; chmod go-w mends it, TORCHLIGHT_TRUST_ALL=1 accepts it");
  drop_ins::Options options = kernels.options();
  options.trust_all = true;
  CHECK(refusal(options) == "");
  ::chmod(path.c_str(), 0644);
  CHECK(refusal_of(kernels) == "");
  const std::string directory = kernels.options().directories;
  ::chmod(directory.c_str(), 0777);
  CHECK(refusal_of(kernels) == "others can replace it, since they can write the directory " +
                                   directory +
                                   "; chmod go-w mends it, TORCHLIGHT_TRUST_ALL=1 accepts it");
}

TEST_CASE("directories count in order, odd ones are told, the current one never") {
  const Kernels first, second, third;
  drop_ins::Options options = first.options();
  options.installed = third.options().directories;
  options.directories =
      ":kernels:" + second.options().directories + ":/nowhere:" + first.options().directories + ":";
  const std::string a = first.put("softmax", "softmax_kernel.so"),
                    b = second.put("softmax", "softmax_kernel.so");
  const std::string c = third.put("layernorm", "layernorm_kernel.so");
  const std::filesystem::path before = std::filesystem::current_path();
  const Kernels current;
  current.put("combine", "combine.so");
  std::filesystem::current_path(current.options().directories);
  const drop_ins::Listing listing = DropIns(options).list();
  std::filesystem::current_path(before);
  CHECK(listing.problems == std::vector<std::string>{"kernels: a relative path: write it from / on",
                                                     "/nowhere: No such file or directory"});
  REQUIRE(listing.files.size() == 3);
  CHECK(listing.files[0].path == b);
  CHECK(listing.files[0].state == Listed::State::used);
  CHECK(listing.files[1].path == a);
  CHECK(listing.files[1].state == Listed::State::unused);
  CHECK(listing.files[1].routes[0].details.find("a file before it does this; ") == 0);
  CHECK(listing.files[2].path == c);
  CHECK(listing.files[2].state == Listed::State::used);
}

TEST_CASE("a directory that can't be searched is told") {
  const Kernels kernels;
  kernels.put("softmax", "softmax_kernel.so");
  const drop_ins::Options options = kernels.options();
  REQUIRE(::chmod(options.directories.c_str(), 0) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    const auto refused = DropIns(options).refused();
    const bool told = refused == std::vector{options.directories + ": Permission denied"};
    ::_exit(told ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  ::chmod(options.directories.c_str(), 0700);
}

TEST_CASE("one file by two names counts once; an entry may be a file") {
  const Kernels kernels;
  const std::string path = kernels.put("softmax", "softmax_kernel.so");
  drop_ins::Options options = kernels.options();
  options.directories = path + ":" + kernels.options().directories;
  const drop_ins::Listing listing = DropIns(options).list();
  REQUIRE(listing.files.size() == 2);
  CHECK(listing.files[0].reason == "");
  CHECK(listing.files[1].reason == "the same file as one before");
}

TEST_CASE("TORCHLIGHT_DROP_INS=off finds nothing; without the helper nothing is used") {
  const Kernels kernels;
  kernels.put("softmax", "softmax_kernel.so");
  drop_ins::Options options = kernels.options();
  options.helper.clear();
  CHECK(refusal(options) ==
        "the program that runs kernel drop-ins, libexec/torchlight/drop-in-host, isn't installed");
  options.helper = "/nowhere/drop-in-host";
  CHECK(refusal(options) ==
        "its helper /nowhere/drop-in-host doesn't start: No such file or directory");
  options.helper = "/bin/true";
  CHECK(refusal(options) == "it ended its process with exit(0)");
  options.off = true;
  const drop_ins::Listing listing = DropIns(options).list();
  CHECK(listing.files.empty());
  CHECK(text_of(listing) == "kernel drop-ins are turned off (TORCHLIGHT_DROP_INS=off)\n");
  CHECK(refusal(kernels.options()) == "");
}

TEST_CASE("sources are compiled once, and again when they or their headers change") {
  const Kernels kernels, cache;
  drop_ins::Options options = kernels.options();
  kernels.write("kernels.h", "// version 1");
  kernels.write("softmax_kernel.cu", "#include \"kernels.h\"\n#include <vector>\n");
  CHECK(refusal(options) == "a source, and this device has no compiler for it");
  options.compile = copy_compiler;
  options.cache = cache.path("a/b");
  compiled_times = 0;
  CHECK(refusal(options) == "");
  CHECK(refusal(options) == "");
  CHECK(compiled_times == 1);
  kernels.write("softmax_kernel.cu", "#include \"kernels.h\"\n");
  CHECK(refusal(options) == "");
  CHECK(compiled_times == 2);
  kernels.write("kernels.h", "// version 2");
  CHECK(refusal(options) == "");
  CHECK(compiled_times == 3);
  options.compiler = "another";
  CHECK(refusal(options) == "");
  CHECK(compiled_times == 4);
  kernels.write("softmax_kernel.cu", "wrong");
  CHECK(refusal(options) == "doesn't compile: line 1: wrong");
  CHECK(refusal(options) == "doesn't compile: line 1: wrong");
  CHECK(compiled_times == 6);
  options.cache = kernels.write("file", "") + "/cache";
  CHECK(refusal(options).find("no cache for what it compiles to: ") == 0);
}

TEST_CASE("a header is followed whatever stands behind it, once, at any depth") {
  const Kernels kernels, cache;
  drop_ins::Options options = with_compiler(kernels, cache);
  const std::string commented = "#include \"a.cuh\"  // the \"fast\" one\n";
  kernels.write("softmax_kernel.cu", commented);
  kernels.write("a.cuh", "// version 1");
  compiled_times = 0;
  CHECK(refusal(options) == "");
  kernels.write("a.cuh", "// version 2");
  CHECK(refusal(options) == "");
  CHECK(compiled_times == 2);

  // All include all, which would take for ever if each were read each time.
  std::string all;
  for (int i = 0; i < 16; ++i) all += "#include \"h" + std::to_string(i) + ".cuh\"\n";
  for (int i = 0; i < 16; ++i) kernels.write("h" + std::to_string(i) + ".cuh", all);
  kernels.write("softmax_kernel.cu", all);
  CHECK(refusal(options) == "");
  CHECK(compiled_times == 3);

  kernels.write("softmax_kernel.cu", "#include \"deep0.cuh\"\n");
  for (int i = 0; i < 12; ++i)
    kernels.write("deep" + std::to_string(i) + ".cuh",
                  "#include \"deep" + std::to_string(i + 1) + ".cuh\"\n");
  kernels.write("deep12.cuh", "// version 1");
  CHECK(refusal(options) == "");
  kernels.write("deep12.cuh", "// version 2");
  CHECK(refusal(options) == "");
  CHECK(compiled_times == 5);
}

TEST_CASE("headers that can't be looked at are the compiler's affair; what it throws is a reason") {
  const Kernels kernels, cache;
  drop_ins::Options options = with_compiler(kernels, cache);
  kernels.write("softmax_kernel.cu", "#include \"" + std::string(300, 'x') + ".cuh\"\n");
  CHECK(refusal(options) == "");
  kernels.write("softmax_kernel.cu", "// another");
  options.compile = throwing_compiler;
  CHECK(refusal(options) == "the disk is full");
  DropIns drop_ins(options);
  tl_attn_softmax_fw_args args{};
  std::string why;
  CHECK_FALSE(drop_ins.takes(args, &why));
  CHECK(why == kernels.path("softmax_kernel.cu") + ": the disk is full");
}

TEST_CASE("a source has limits of its own, for its kernels may be compiled when they are launched") {
  const Kernels cache, kernels("fault=hang");
  drop_ins::Options options = kernels.options();
  options.limits.step_seconds = options.limits.load_seconds = 1;
  options.source_limits = {2, 2, 60, 60};
  options.compile = keeping_compiler;
  options.cache = cache.path("a");
  kept_by_compiler = cache.put("softmax", "kept.so");
  kernels.write("softmax_kernel.cu", "// a source");
  CHECK(refusal(options) == "it did not return within 2.0 s");
  kernels.put("softmax", "softmax_kernel.so");
  std::filesystem::remove(kernels.path("softmax_kernel.cu"));
  CHECK(refusal(options) == "it did not return within 1.0 s");
}

TEST_CASE("a source whose headers others could have written isn't compiled") {
  const Kernels kernels, cache;
  drop_ins::Options options = with_compiler(kernels, cache);
  kernels.write("softmax_kernel.cu", "#include \"outer.cuh\"\n");
  kernels.write("outer.cuh", "#include \"inner.cuh\"\n");
  const std::string inner = kernels.write("inner.cuh", "");
  ::chmod(inner.c_str(), 0666);
  compiled_times = 0;
  CHECK(refusal(options) ==
        "its header " + inner +
            ": others can write it; chmod go-w mends it, TORCHLIGHT_TRUST_ALL=1 accepts it");
  CHECK(compiled_times == 0);
  options.trust_all = true;
  CHECK(refusal(options) == "");
  options.trust_all = false;
  CHECK(refusal(options).find("its header ") == 0);  // though it is compiled already
  ::chmod(inner.c_str(), 0644);
  CHECK(refusal(options) == "");
  CHECK(compiled_times == 1);
}

TEST_CASE("what a source compiled to is looked at wherever it lies") {
  const Kernels kernels, cache;
  drop_ins::Options options = kernels.options();
  kernels.write("softmax_kernel.cu", "// a source");
  options.cache = cache.path("a");
  options.compile = keeping_compiler;
  kept_by_compiler = cache.put("softmax", "kept.so");
  CHECK(refusal(options) == "");
  ::chmod(kept_by_compiler.c_str(), 0666);
  CHECK(refusal(options) == "what it compiled to, " + kept_by_compiler +
                                ": others can write it; chmod go-w mends it, TORCHLIGHT_TRUST_ALL=1 "
                                "accepts it");
  kept_by_compiler = cache.path("gone.so");
  CHECK(refusal(options).find("what it compiled to, " + kept_by_compiler + ": ") == 0);

  options.compile = copy_compiler;
  options.cache = cache.path("open");
  std::filesystem::create_directory(options.cache);
  ::chmod(options.cache.c_str(), 0777);
  compiled_times = 0;
  CHECK(refusal(options) == "no cache for what it compiles to: " + options.cache +
                                ": others can write it; chmod go-w mends it, TORCHLIGHT_TRUST_ALL=1 "
                                "accepts it");
  CHECK(compiled_times == 0);
  options.cache = cache.write("file", "");
  CHECK(refusal(options) == "no cache for what it compiles to: " + options.cache + ": Not a directory");
}

TEST_CASE("a shared object comes before its source, which isn't compiled for nothing") {
  const Kernels kernels, cache;
  drop_ins::Options options = with_compiler(kernels, cache);
  kernels.put("nothing", "softmax_kernel.so");
  kernels.write("softmax_kernel.cu", "// used, since the .so is nothing");
  const drop_ins::Listing listing = DropIns(options).list();
  REQUIRE(listing.files.size() == 2);
  CHECK(listing.files[0].state == Listed::State::rejected);
  CHECK(listing.files[1].state == Listed::State::used);
  CHECK(listing.files[1].path == kernels.path("softmax_kernel.cu"));
}

TEST_CASE("the listing as text and as JSON") {
  const Kernels kernels;
  const std::string good = kernels.put("softmax", "softmax_kernel.so"),
                    bad = kernels.write("combine.so", "");
  const drop_ins::Listing listing = DropIns(kernels.options()).list();
  CHECK(text_of(listing) ==
        good +
            ": used\n"
            "  attn_softmax_fw: launch form; up to 65536 columns; 32768 rows at once; adds its mask\n"
            "  attn_softmax_bw: launch form; up to 65536 columns; 32768 rows at once\n" +
            bad + ": rejected: empty file\n" +
            "note: each call of a kernel drop-in copies its data to another process and back, which "
            "the device's own "
            "kernels don't; TORCHLIGHT_DROP_INS=off turns them off\n");
  CHECK(json_of(listing) == "{\"off\": false, \"note\": \"" + listing.note +
                                "\", \"problems\": [], \"files\": [{\"path\": \"" + good +
                                "\", \"family\": \"softmax_kernel\", \"state\": \"used\", \"reason\": "
                                "\"\", \"routes\": [{\"primitive\": "
                                "\"attn_softmax_fw\", \"used\": true, \"details\": \"launch form; up "
                                "to 65536 columns; 32768 rows at once; "
                                "adds its mask\"}, {\"primitive\": \"attn_softmax_bw\", \"used\": "
                                "true, \"details\": \"launch form; up to "
                                "65536 columns; 32768 rows at once\"}]}, {\"path\": \"" +
                                bad +
                                "\", \"family\": \"combine\", \"state\": \"rejected\", \"reason\": "
                                "\"empty file\", \"routes\": []}]}\n");
}

TEST_CASE("options come from the core's settings and the place of the plug-in's file") {
  tl_host host{};
  host.setting = [](const tl_host*, const char* name) noexcept -> const char* {
    const std::string_view wanted = name;
    if (wanted == "TORCHLIGHT_CUDA_KERNEL_DIR") return "/a:/b";
    return wanted == "TORCHLIGHT_DROP_INS" ? "off" : wanted == "TORCHLIGHT_TRUST_ALL" ? "1" : nullptr;
  };
  const drop_ins::Options options = drop_ins::options_from(host, &compiled_times);
  CHECK(options.directories == "/a:/b");
  CHECK(options.off);
  CHECK(options.trust_all);
  host.setting = [](const tl_host*, const char*) noexcept -> const char* { return nullptr; };
  const drop_ins::Options none = drop_ins::options_from(host, &compiled_times);
  CHECK(none.directories == "");
  CHECK_FALSE(none.off);
  CHECK_FALSE(none.trust_all);

  // As an installed plug-in: <prefix>/lib/torchlight/plugins/x.so finds
  // <prefix>/libexec/torchlight/drop-in-host.
  const Kernels prefix;
  const std::string plugins = prefix.path("lib/torchlight/plugins");
  std::filesystem::create_directories(plugins);
  const std::string plugin = prefix.put("nothing", "lib/torchlight/plugins/x.so");
  void* library = ::dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library);
  const void* anchor = ::dlsym(library, "anchor");
  REQUIRE(anchor);
  CHECK(drop_ins::options_from(host, anchor).helper == "");
  std::filesystem::create_directories(prefix.path("libexec/torchlight"));
  std::filesystem::copy_file(DROP_IN_HOST, prefix.path("libexec/torchlight/drop-in-host"));
  CHECK(drop_ins::options_from(host, anchor).helper == prefix.path("libexec/torchlight/drop-in-host"));
  CHECK(drop_ins::options_from(host, anchor).installed == prefix.path("lib/torchlight/cuda_kernels"));
}
