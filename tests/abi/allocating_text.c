/* The control of no_memory: the template, but it allocates the texts of its errors. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int allocating_vsnprintf(char* to, size_t capacity, const char* format, va_list values) {
  char* text = malloc(1024);
  if (!text) return -1;
  const int length = vsnprintf(text, 1024, format, values);
  snprintf(to, capacity, "%s", text);
  free(text);
  return length;
}
#define vsnprintf allocating_vsnprintf
#include "../../plugin-api/template/my_backend.c"
