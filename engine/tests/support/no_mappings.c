// Refuses the mapping of files, as a system does that has no room for more of them: of REFUSED files in a hundred, all by default.
//
//   cc -shared -fPIC -o target/no_mappings.so engine/tests/support/no_mappings.c
//   LD_PRELOAD=$PWD/target/no_mappings.so cargo test -p engine --no-fail-fast
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int is_refused(void) {
    static _Atomic unsigned asked;
    const char *refused = getenv("REFUSED");
    // 61 and 100 have no common divisor, so of a hundred calls in a row each has its own remainder.
    return (int)(asked++ * 61 % 100) < (refused ? atoi(refused) : 100);
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (file >= 0 && is_refused()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
}

void *mmap64(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
    return mmap(address, bytes, protection, flags, file, offset);
}
