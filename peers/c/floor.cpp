// The floor of adapters in C++.
#include "floor.c"
