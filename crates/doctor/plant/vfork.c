/* A parent in state D: after vfork it sleeps where only SIGKILL wakes it, until its child runs a program or ends. */
#include <stdio.h>
#include <unistd.h>

int main(void) {
    puts("ready");
    fflush(stdout);
    if (vfork() == 0) {
        for (;;) pause();
    }
    return 0;
}
