/* host FILE: loads a plug-in and calls it as a core of this minor does: both gates, the table as far as it
 * is known, a few calls with known answers. Prints one line and ends with 0, or says what is wrong and ends
 * with 1; 3: it was refused. Kept with the header of its minor; compiled with a later one it is a host from
 * the future, whose structs are longer. */
#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <torchlight/plugin.h>

static const char* doing = "start";

static void fail(const char* what) {
  printf("FAIL: %s: %s\n", doing, what);
  exit(1);
}

static void refuse(const char* what, int theirs, int ours) {
  printf("refused: %s %d, this host has %d\n", what, theirs, ours);
  exit(3);
}

/* ---- gate 1: the note, found through the program headers, before any code of the file runs -------- */

static char* contents_of(const char* path, long* size) {
  FILE* file = fopen(path, "rb");
  if (!file) fail("it can't be read");
  fseek(file, 0, SEEK_END);
  *size = ftell(file);
  rewind(file);
  char* bytes = malloc((size_t)*size);
  if (!bytes || fread(bytes, 1, (size_t)*size, file) != (size_t)*size) fail("it can't be read whole");
  fclose(file);
  return bytes;
}

static tl_note note_of(const char* path) {
  long size = 0;
  char* bytes = contents_of(path, &size);
  tl_note note = {{0}, 0, 0, 0, 0, 0, 0, 0, {0}, {0}, {0}};
  const Elf64_Ehdr* header = (const Elf64_Ehdr*)bytes;
  if (size < (long)sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) fail("no ELF file");
  const Elf64_Phdr* segments = (const Elf64_Phdr*)(bytes + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segments[i].p_type != PT_NOTE) continue;
    const char* end = bytes + segments[i].p_offset + segments[i].p_filesz;
    for (const char* at = bytes + segments[i].p_offset; at + sizeof(tl_elf_note) <= end;) {
      const tl_elf_note* found = (const tl_elf_note*)at;
      if (found->type == TL_NOTE_TYPE && found->name_size == sizeof TL_NOTE_OWNER &&
          memcmp(found->owner, TL_NOTE_OWNER, sizeof TL_NOTE_OWNER) == 0)
        note = found->content;
      at += 12 + (found->name_size + 3) / 4 * 4 + (found->content_size + 3) / 4 * 4;
    }
  }
  free(bytes);
  if (memcmp(note.magic, TL_NOTE_MAGIC, sizeof note.magic) != 0) fail("there is no note");
  return note;
}

/* ---- what a core offers ------------------------------------------------------------------------ */

static void write_log(const tl_host* host, uint32_t level, const char* text) {
  (void)host, (void)level, (void)text;
}
static const char* setting(const tl_host* host, const char* name) {
  (void)host, (void)name;
  return NULL;
}
static const void* host_extension(const tl_host* host, const char* id) {
  (void)host, (void)id;
  return NULL;
}

/* ---- calls with known answers ------------------------------------------------------------------ */

static tl_backend table;
static tl_device* device;
static char words[256];
static tl_error error = {.size = sizeof error, .capacity = sizeof words, .text = words};

static void must(int32_t status) {
  if (status == TL_OK) return;
  printf("FAIL: %s: status %d, %s\n", doing, status, words);
  exit(1);
}

static tl_view view_of(float* values, uint32_t rank, int64_t rows, int64_t columns) {
  tl_view view;
  memset(&view, 0, sizeof view);
  view.size = sizeof view;
  view.dtype.code = TL_FLOAT;
  view.dtype.bits = 32;
  view.dtype.lanes = 1;
  view.rank = rank;
  view.base = values;
  view.extent[0] = rows;
  view.extent[1] = columns;
  view.stride[0] = columns;
  view.stride[1] = 1;
  return view;
}

static void compare(const float* got, const float* wanted, int count) {
  for (int i = 0; i < count; ++i) {
    if (!(got[i] - wanted[i] <= 1e-6f && wanted[i] - got[i] <= 1e-6f)) {
      printf("FAIL: %s: element %d is %g, should be %g\n", doing, i, (double)got[i], (double)wanted[i]);
      exit(1);
    }
  }
}

/* Asks first, and brings the scratch memory that is asked for. */
static char scratch[1 << 16];
static tl_view workspace;
static void ask(uint32_t primitive, tl_args* args) {
  tl_support answer;
  memset(&answer, 0, sizeof answer);
  answer.size = sizeof answer;
  must(table.supports(device, primitive, args, &answer, &error));
  if (answer.workspace_bytes == 0) return;
  if (answer.workspace_bytes > sizeof scratch - 64) fail("it wants more scratch memory than is likely");
  workspace =
      view_of((float*)(((uintptr_t)scratch + 63) / 64 * 64), 1, (int64_t)answer.workspace_bytes, 1);
  workspace.dtype.code = TL_UINT;
  workspace.dtype.bits = 8;
  workspace.stride[0] = 1;
  args->workspace = &workspace;
}

static float a_values[6] = {1, -2, 3, 4, 5, -6}, b_values[6] = {2, 2, 0.5f, -1, 1, 3}, result[6];

static void try_map(void) {
  const tl_view input = view_of(a_values, 2, 2, 3), output = view_of(result, 2, 2, 3);
  const float wanted[6] = {-1, 2, -3, -4, -5, 6};
  tl_map_args args;
  memset(&args, 0, sizeof args);
  args.head.size = sizeof args;
  args.fn = TL_MAP_neg;
  args.input = &input;
  args.output = &output;
  doing = "map neg";
  ask(TL_PRIMITIVE_MAP, &args.head);
  must(table.map(device, NULL, &args, &error));
  compare(result, wanted, 6);

  doing = "map of an unknown function";
  args.fn = 60000;
  if (table.map(device, NULL, &args, &error) != TL_DECLINED) fail("it isn't declined");
  args.fn = TL_MAP_neg;
#if TL_ABI_MINOR > 0
  doing = "map with something that no plug-in knows";
  args.later = 1;
  if (table.map(device, NULL, &args, &error) != TL_DECLINED) fail("it isn't declined");
  compare(result, wanted, 6);
#endif
}

static void try_zip(void) {
  const tl_view a = view_of(a_values, 2, 2, 3), b = view_of(b_values, 2, 2, 3);
  const tl_view output = view_of(result, 2, 2, 3);
  const float wanted[6] = {3, 0, 3.5f, 3, 6, -3};
  tl_zip_args args;
  memset(&args, 0, sizeof args);
  args.head.size = sizeof args;
  args.fn = TL_ZIP_add;
  args.input_count = 2;
  args.inputs[0] = &a;
  args.inputs[1] = &b;
  args.output = &output;
  doing = "zip add";
  must(table.zip(device, NULL, &args, &error));
  compare(result, wanted, 6);
}

static void try_reduce(void) {
  const tl_view input = view_of(a_values, 2, 2, 3), output = view_of(result, 2, 1, 3);
  const float wanted[3] = {5, 3, -3};
  tl_reduce_args args;
  memset(&args, 0, sizeof args);
  args.head.size = sizeof args;
  args.fn = TL_REDUCE_sum;
  args.axis_mask = 1;
  args.input = &input;
  args.output = &output;
  doing = "reduce sum";
  ask(TL_PRIMITIVE_REDUCE, &args.head);
  must(table.reduce(device, NULL, &args, &error));
  compare(result, wanted, 3);
}

static void try_matmul(void) {
  const tl_view a = view_of(a_values, 2, 2, 3), b = view_of(b_values, 2, 3, 2);
  const tl_view output = view_of(result, 2, 2, 2);
  const float wanted[4] = {4, 13, 4.5f, -15};
  tl_matmul_args args;
  memset(&args, 0, sizeof args);
  args.head.size = sizeof args;
  args.a = &a;
  args.b = &b;
  args.output = &output;
  args.alpha = 1;
  doing = "matmul";
  ask(TL_PRIMITIVE_MATMUL, &args.head);
  must(table.matmul(device, NULL, &args, &error));
  compare(result, wanted, 4);
}

static void try_softmax(void) {
  const tl_view input = view_of(a_values, 2, 2, 3), output = view_of(result, 2, 2, 3);
  const float wanted[6] = {0.11849966f, 0.00589975f, 0.8756006f,
                           0.26893814f, 0.73104965f, 1.2209773e-5f};
  tl_attn_softmax_fw_args args;
  if (!table.attn_softmax_fw) return;
  memset(&args, 0, sizeof args);
  args.head.size = sizeof args;
  args.input = &input;
  args.output = &output;
  args.scale = 1;
  doing = "attn_softmax_fw";
  ask(TL_PRIMITIVE_ATTN_SOFTMAX_FW, &args.head);
  must(table.attn_softmax_fw(device, NULL, &args, &error));
  compare(result, wanted, 6);
}

/* A function that came with the next minor: NULL where the plug-in is older. */
static const char* try_later(void) {
#if TL_ABI_MINOR > 0
  doing = "a function of the next minor";
  if (table.abi_minor < TL_ABI_MINOR) {
    if (table.later) fail("a plug-in that is older than it has it");
    return ", without what came later";
  }
  if (!table.later) fail("it is missing");
  return table.later(device) == 7 ? ", and what came later" : (fail("it answers wrongly"), "");
#else
  return "";
#endif
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  doing = "the note";
  const tl_note note = note_of(arguments[1]);
  if (note.abi_major != TL_ABI_MAJOR) refuse("it is of ABI major", note.abi_major, TL_ABI_MAJOR);
  if (note.abi_minor_needed > TL_ABI_MINOR)
    refuse("it needs ABI minor", note.abi_minor_needed, TL_ABI_MINOR);
  if (note.kind != TL_KIND_BACKEND || note.sanitizer != TL_SANITIZER_THIS)
    fail("it isn't for this host");

  doing = "loading";
  void* file = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!file) fail(dlerror());
  int32_t (*entry)(const tl_host*, const tl_backend**, tl_error*) = NULL;
  void* symbol = dlsym(file, TL_ENTRY_NAME);
  if (!symbol) fail("there is no entry");
  memcpy(&entry, &symbol, sizeof entry);
  static tl_host host;
  host.size = sizeof host;
  host.abi_major = TL_ABI_MAJOR;
  host.abi_minor = TL_ABI_MINOR;
  host.log = write_log;
  host.setting = setting;
  host.extension = host_extension;
  const tl_backend* theirs = NULL;
  must(entry(&host, &theirs, &error));
  memcpy(&table, theirs, theirs->size < sizeof table ? theirs->size : sizeof table);
  if (strcmp(table.name, note.name) != 0 || strcmp(table.version, note.version) != 0)
    fail("note and table disagree");

  doing = "the device";
  uint32_t devices = 0;
  must(table.device_count(&devices, &error));
  tl_device_info info;
  memset(&info, 0, sizeof info);
  info.size = sizeof info;
  must(table.device_info(0, &info, &error));
  if (devices != 1 || info.size != sizeof info || info.memory_space != TL_SPACE_HOST ||
      !*info.description)
    fail("it describes itself wrongly");
  must(table.open(0, &device, &error));
  try_map();
  try_zip();
  try_reduce();
  try_matmul();
  try_softmax();
  const char* later = try_later();
  table.close(device);
  printf("a host of ABI %d.%d and %s, built for %d.%d: right%s\n", TL_ABI_MAJOR, TL_ABI_MINOR,
         table.name, note.abi_major, note.abi_minor_built, later);
  return 0;
}
