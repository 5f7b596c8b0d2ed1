int zoo_dependency(void);
__attribute__((visibility("default"))) int zoo_dependency(void) { return 42; }
