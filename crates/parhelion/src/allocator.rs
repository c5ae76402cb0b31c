//! The allocator: mimalloc returns what indexing frees to the system, and takes fewer instructions a call
//! than the C library's.
//!
//! Two of its defaults cost a server that indexes (measured 2026-11 on 100 MB of documents): huge pages, each
//! cleared whole when it is first touched, 9 % of the processor time and a fifth more memory; memory returned
//! after one second, which the next segment asks back, 6 %. So there are no huge pages (the feature
//! `no_thp`), and freed memory stays for some seconds.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// For how many milliseconds freed memory waits for its next use.
const PURGE_DELAY_MS: i64 = 5_000;

/// `mi_option_purge_delay` of mimalloc's header, which the bindings leave out; it stands before this one.
const PURGE_DELAY: libmimalloc_sys::mi_option_t = libmimalloc_sys::mi_option_use_numa_nodes - 1;

/// Sets what mimalloc has no feature for, unless the environment did (`MIMALLOC_PURGE_DELAY`).
#[expect(unsafe_code, reason = "the bindings' functions are all unsafe")]
pub(crate) fn keep_for_reuse() {
    if std::env::var_os("MIMALLOC_PURGE_DELAY").is_none() {
        // SAFETY: it takes two numbers, and checks the first; mimalloc's documentation lets it be called at
        // any time.
        unsafe { libmimalloc_sys::mi_option_set(PURGE_DELAY, PURGE_DELAY_MS) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The default of the release we use: another number would mean that the option has moved.
    #[test]
    #[expect(unsafe_code, reason = "as above")]
    fn the_option_is_the_one_meant() {
        // SAFETY: as above.
        let before = unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) };
        assert_eq!(before, 1000);
    }
}
