int zoo_dependency(void);
int zoo_middle(void);
__attribute__((visibility("default"))) int zoo_middle(void) { return zoo_dependency(); }
