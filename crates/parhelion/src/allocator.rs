//! The allocator: mimalloc returns what indexing frees to the system, and takes fewer instructions a call
//! than the C library's.
//!
//! Two of its defaults cost a server that indexes (measured 2026-11 on 100 MB of documents): huge pages, each
//! cleared whole when it is first touched, 9 % of the processor time and a fifth more memory; memory returned
//! after one second, which the next segment asks back, 6 %. So there are no huge pages (the feature
//! `no_thp`), and freed memory stays for some seconds.
//!
//! Its bindings name the alignment in every call. Asked so, mimalloc looks for one that it gives anyway, and
//! takes a longer way for what is larger than a kilobyte: a look-up by id spent 9 % of its instructions in
//! that (callgrind, 2026-11). So it is named only where there is need.

use std::alloc::{GlobalAlloc, Layout};

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: ByNeed = ByNeed;

/// mimalloc, told of an alignment that is not a matter of course.
struct ByNeed;

/// What mimalloc aligns everything to that is as large (`MI_MAX_ALIGN_SIZE` of its header).
const ALIGNED_ANYWAY: usize = 16;

impl ByNeed {
    fn is_plain(align: usize, bytes: usize) -> bool {
        align <= ALIGNED_ANYWAY && align <= bytes
    }
}

// SAFETY: every pointer comes from mimalloc, which takes back and resizes whatever any of its functions gave
// (its documentation of `mi_free` and `mi_realloc`), and it is aligned as asked: by `MiMalloc` where the
// layout asks for more than all blocks of its size have.
#[expect(unsafe_code, reason = "the trait is unsafe, and so are the bindings' functions")]
unsafe impl GlobalAlloc for ByNeed {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match Self::is_plain(layout.align(), layout.size()) {
            // SAFETY: it takes any number.
            true => unsafe { libmimalloc_sys::mi_malloc(layout.size()).cast() },
            // SAFETY: the caller's.
            false => unsafe { MiMalloc.alloc(layout) },
        }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match Self::is_plain(layout.align(), layout.size()) {
            // SAFETY: it takes any number.
            true => unsafe { libmimalloc_sys::mi_zalloc(layout.size()).cast() },
            // SAFETY: the caller's.
            false => unsafe { MiMalloc.alloc_zeroed(layout) },
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller's; the layout is not looked at.
        unsafe { MiMalloc.dealloc(block, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        match Self::is_plain(layout.align(), bytes) {
            // SAFETY: the block is one of mimalloc's, and the caller's to change.
            true => unsafe { libmimalloc_sys::mi_realloc(block.cast(), bytes).cast() },
            // SAFETY: the caller's.
            false => unsafe { MiMalloc.realloc(block, layout, bytes) },
        }
    }
}

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

    /// Whatever the size, also after it has grown and shrunk: tests run on this allocator.
    #[test]
    #[expect(unsafe_code, reason = "as above")]
    fn blocks_are_aligned_as_asked() {
        for align in [1, 2, 4, 8, 16, 32, 128, 4096] {
            for bytes in (1..200).chain([255, 1000, 1024, 1025, 1500, 5000, 70_001, 1 << 20]) {
                let layout = Layout::from_size_align(bytes, align).unwrap();
                let at = |block: *mut u8| assert_eq!(block.align_offset(align), 0, "{bytes} by {align}");
                // SAFETY: each block is asked for, used and given back by its own layout.
                unsafe {
                    let block = ALLOCATOR.alloc_zeroed(layout);
                    at(block);
                    assert!((0..bytes).all(|byte| *block.add(byte) == 0));
                    block.write(7);
                    let grown = ALLOCATOR.realloc(block, layout, bytes * 3);
                    at(grown);
                    assert_eq!(grown.read(), 7);
                    let layout = Layout::from_size_align(bytes * 3, align).unwrap();
                    let shrunk = ALLOCATOR.realloc(grown, layout, 1);
                    at(shrunk);
                    assert_eq!(shrunk.read(), 7);
                    ALLOCATOR.dealloc(shrunk, Layout::from_size_align(1, align).unwrap());
                    let other = ALLOCATOR.alloc(layout);
                    at(other);
                    ALLOCATOR.dealloc(other, layout);
                }
            }
        }
    }

    /// The default of the release we use: another number would mean that the option has moved.
    #[test]
    #[expect(unsafe_code, reason = "as above")]
    fn the_option_is_the_one_meant() {
        // SAFETY: as above.
        let before = unsafe { libmimalloc_sys::mi_option_get(PURGE_DELAY) };
        assert_eq!(before, 1000);
    }
}
