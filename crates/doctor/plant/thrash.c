/* A program whose memory is not there: it joins a control group (arguments: the group's `cgroup.procs`, a file) that may keep
   a sixth of the file, or without one of its own heap, and reads pages in no order: nearly each must come from disk again. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 48 << 20, PIECE = 1 << 16 };

static int join_group(const char *procs) {
    int group = open(procs, O_WRONLY);
    /* "0" stands for whoever writes it. */
    return group < 0 || write(group, "0", 1) != 1 || close(group);
}

static int fill(int file) {
    static char piece[PIECE];
    memset(piece, 7, sizeof piece);
    for (int at = 0; at < SIZE; at += PIECE)
        if (write(file, piece, PIECE) != PIECE) return 1;
    return fsync(file);
}

static volatile char *of_file(const char *path) {
    int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0 || fill(file)) return MAP_FAILED;
    return mmap(0, SIZE, PROT_READ, MAP_SHARED, file, 0);
}

/* Written page by page, so that all but a sixth must go to swap space. */
static volatile char *of_heap(void) {
    char *pages = mmap(0, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return pages;
    for (long at = 0; at < SIZE; at += 4096) memset(pages + at, (int)(at >> 12), 4096);
    return pages;
}

int main(int count, char **arguments) {
    if (count < 2 || join_group(arguments[1])) return 1;
    volatile char *pages = count > 2 ? of_file(arguments[2]) : of_heap();
    /* Without read-ahead each page is a wait of its own. */
    if (pages == MAP_FAILED || madvise((void *)pages, SIZE, MADV_RANDOM)) return 1;
    puts("ready");
    fflush(stdout);
    for (unsigned long seed = 1;;) {
        seed = seed * 6364136223846793005UL + 1442695040888963407UL;
        (void)pages[(seed >> 20) % SIZE];
    }
}
