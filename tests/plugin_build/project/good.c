/* The smallest file that passes as a plug-in, and one fault for each definition. */
#include <torchlight/plugin.h>

#ifndef NO_NOTE
TL_PLUGIN_NOTE("good", "1", 0);
#endif

int helper(void);

#ifdef SECOND_SYMBOL
TL_EXPORT int second_symbol(void);
int second_symbol(void) { return 1; }
#endif

#ifndef NO_ENTRY
int32_t torchlight_plugin_v1(const tl_host* host, const tl_backend** backend, tl_error* error) {
  (void)host;
  (void)backend;
  (void)error;
#ifdef USE_HELPER
  return helper();
#else
  return TL_E_STATE;
#endif
}
#endif
