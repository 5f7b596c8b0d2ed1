/* A faulty plug-in whose device has memory and streams of its own: that of tests/support/remote with some functions
 * replaced. The file that includes this writes `static void spoil(tl_backend* table)` and calls what it replaces by
 * `remote`, the table as it was. */
#include <dlfcn.h>
#include <string.h>

#include "../../support/remote/control.h"

TL_PLUGIN_NOTE("remote", "1.0", 0);

static tl_backend remote;
static tl_stream* hidden; /* a stream beside those that the caller knows; one device is ever opened */
static const remote_control* control;

static void spoil(tl_backend* spoilt);

static int32_t open_with_hidden(uint32_t index, tl_device** device, tl_error* error) {
  const int32_t status = remote.open(index, device, error);
  if (status != TL_OK) return status;
  control = (const remote_control*)remote.extension(*device, TL_EXT_REMOTE_CONTROL);
  return remote.stream_open(*device, &hidden, error);
}

static void close_with_hidden(tl_device* device) {
  char words[64];
  tl_error error = {sizeof error, sizeof words, words};
  control->resume(device, hidden);
  remote.stream_close(device, hidden, &error);
  remote.close(device);
}

/* Makes `later` wait for what `earlier` has to do now. */
static int32_t order(tl_device* device, tl_stream* earlier, tl_stream* later, tl_error* error) {
  tl_event* event;
  int32_t status = remote.event_open(device, &event, error);
  if (status != TL_OK) return status;
  status = remote.event_record(device, earlier, event, error);
  if (status == TL_OK) status = remote.event_wait(device, later, event, error);
  remote.event_close(device, event, error);
  return status;
}

TL_EXPORT int32_t torchlight_plugin_v1(const tl_host* host, const tl_backend** backend,
                                       tl_error* error) {
  static tl_backend spoilt;
  const tl_backend* theirs;
  void* const file = dlopen(REMOTE_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  int32_t (*entry)(const tl_host*, const tl_backend**, tl_error*);
  if (!file) return TL_E_INTERNAL;
  *(void**)&entry = dlsym(file, TL_ENTRY_NAME);
  const int32_t status = entry(host, &theirs, error);
  if (status != TL_OK) return status;
  remote = spoilt = *theirs;
  spoilt.open = open_with_hidden;
  spoilt.close = close_with_hidden;
  spoil(&spoilt);
  *backend = &spoilt;
  return TL_OK;
}

/* Work in the hidden stream waits from here on; what it had is done first, or others would wait for it in vain. */
static inline int32_t put_off(tl_device* device, tl_error* error) {
  control->resume(device, hidden);
  const int32_t status = remote.stream_sync(device, hidden, error);
  control->pause(device, hidden);
  return status;
}

/* It is done now, and before what the caller's stream gets next. */
static inline int32_t work_before(tl_device* device, tl_stream* stream, tl_error* error) {
  control->resume(device, hidden);
  return order(device, hidden, stream, error);
}

static inline int32_t release_later(tl_device* device, tl_stream* stream, const tl_memory* memory,
                                    tl_error* error) {
  const int32_t status = work_before(device, stream, error);
  return status == TL_OK ? remote.release(device, stream, memory, error) : status;
}

/* A primitive in the hidden stream, behind what the caller's stream has to do. */
#define IN_HIDDEN(primitive)                                                                    \
  static int32_t hidden_##primitive(tl_device* d, tl_stream* s, const tl_##primitive##_args* a, \
                                    tl_error* error) {                                          \
    const int32_t status = order(d, s, hidden, error);                                          \
    return status == TL_OK ? remote.primitive(d, hidden, a, error) : status;                    \
  }

static inline int reads_device(const tl_copy_args* a) {
  return a->source.block && !a->destination.block;
}
