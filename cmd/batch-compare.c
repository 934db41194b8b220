#include "opt.h"
int main(void){return 0;}
