/* A program that does not let itself be read: the name that it opens, and its own command line, lie in a page of a
   file (its argument) whose server answers no read. Takes the right to move its command line (CAP_SYS_RESOURCE). */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

int main(int count, char **arguments) {
    if (count < 2) return 1;
    int file = open(arguments[1], O_RDONLY);
    struct stat facts;
    /* Asks the server for the size: behind a file's end there is no page to wait for. */
    if (file < 0 || fstat(file, &facts)) return 1;
    char *page = mmap(0, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    if (page == MAP_FAILED || prctl(PR_SET_MM, PR_SET_MM_ARG_START, page, 0, 0)) return 1;
    puts("ready");
    fflush(stdout);
    return open(page, O_RDONLY) < 0;
}
