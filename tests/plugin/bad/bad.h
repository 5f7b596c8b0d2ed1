/* A faulty plug-in: the template with some functions replaced. The file that includes this writes
 * `static void spoil(tl_backend* table)` and calls what it replaces by the template's own names. */
#define torchlight_plugin_v1 template_entry
#include "../../../plugin-api/template/my_backend.c"
#undef torchlight_plugin_v1

TL_EXPORT int32_t torchlight_plugin_v1(const tl_host* host, const tl_backend** backend,
                                       tl_error* error);

static void spoil(tl_backend* spoilt);
static const tl_host* the_host;

int32_t torchlight_plugin_v1(const tl_host* host, const tl_backend** backend, tl_error* error) {
  static tl_backend spoilt;
  const int32_t status = template_entry(host, backend, error);
  spoilt = **backend;
  the_host = host;
  spoil(&spoilt);
  *backend = &spoilt;
  return status;
}

/* Where the first element stands. */
static inline unsigned char* bytes_of(const tl_view* view) {
  return (unsigned char*)view->base + view->byte_offset;
}
static inline uint32_t bytes_per(const tl_view* view) { return view->dtype.bits / 8; }
/* How many elements there are. */
static inline int64_t elements_of(const tl_view* view) {
  int64_t n = 1;
  for (uint32_t k = 0; k < view->rank; ++k) n *= view->extent[k];
  return n;
}
static inline int is_line(const tl_view* view) { return view->rank == 1 && view->stride[0] == 1; }
