/* Tells of its device (torchlight.details/1) what $ZOO_DETAILS says: something sensible, or one kind of nonsense. */
#define ZOO_NAME "details"
#include <stdlib.h>
#include <string.h>

#include <torchlight/ext/details.h>

#include "good_backend.h"

void zoo_throw(void); /* in throw.cpp */

static void tell(const tl_details_args* args, const char* topic, const char* text, const char* json) {
  const tl_detail detail = {sizeof detail, 0, topic, text, json};
  args->tell(args->context, &detail);
}

/* More than is taken, in the text and in the JSON. */
static void tell_long(const tl_details_args* args) {
  static char text[3 << 20], json[3 << 20];
  memset(text, 'x', sizeof text - 1);
  memset(json, '1', sizeof json - 1);
  tell(args, "driver", text, json);
}

static void tell_sense(const tl_details_args* args) {
  const tl_detail detail = {
      sizeof detail, !args->thorough, "driver",
      args->thorough ? "version 7\nall of its 3 kernels are tuned" : "version 7\n",
      args->thorough ? "{\"version\": 7, \"tuned\": 3}" : "{\"version\": 7}"};
  args->tell(args->context, &detail);
  tell(args, "place", "slot 2", 0);
}

static int32_t describe(tl_device* device, const tl_details_args* args, tl_error* error) {
  const char* how = getenv("ZOO_DETAILS");
  (void)device;
  if (strcmp(how, "sense") == 0) tell_sense(args);
  if (strcmp(how, "throws") == 0) zoo_throw();
  if (strcmp(how, "throws_late") == 0) tell_sense(args), zoo_throw();
  if (strcmp(how, "fails") == 0) return zoo_fail(error, TL_E_DEVICE, "the driver is gone");
  if (strcmp(how, "long") == 0) tell_long(args);
  if (strcmp(how, "garbage") == 0)
    tell(args, "driver", "a\033[2Jb \xff\xc3( c", "{\"version\": \"\xff\"}");
  if (strcmp(how, "cut_json") == 0) tell(args, "driver", "version 7", "{\"version\": 7");
  if (strcmp(how, "names") == 0)
    tell(args, "No Topic!", "x", 0), tell(args, 0, "x", 0), tell(args, "", "x", 0),
        tell(args, "driver", 0, 0);
  if (strcmp(how, "nothing") == 0) args->tell(args->context, 0);
  if (strcmp(how, "short") == 0) {
    const tl_detail detail = {8, 0, "driver", "x", 0};
    args->tell(args->context, &detail);
  }
  if (strcmp(how, "many") == 0)
    for (int i = 0; i < 1000; ++i) tell(args, "driver", "x", 0);
  return TL_OK;
}

static const void* details_extension(tl_device* device, const char* id) {
  static const tl_details_table table = {sizeof table, 1, describe};
  return strcmp(id, TL_EXT_DETAILS) == 0 ? &table : zoo_extension(device, id);
}

ZOO_ENTRY(zoo_table.extension = details_extension)
