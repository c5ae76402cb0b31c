/* A program whose memory does not let itself be read: the name that it opens lies in a page of a file (its argument)
   whose server answers no read. (Its command line cannot lie there: since Linux 4.17 the kernel reads that from
   anonymous memory only.) */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int count, char **arguments) {
    if (count < 2) return 1;
    int file = open(arguments[1], O_RDONLY);
    struct stat facts;
    /* Asks the server for the size: behind a file's end there is no page to wait for. */
    if (file < 0 || fstat(file, &facts)) return 1;
    char *page = mmap(0, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    if (page == MAP_FAILED) return 1;
    puts("ready");
    fflush(stdout);
    return open(page, O_RDONLY) < 0;
}
