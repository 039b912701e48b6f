// SPDX-License-Identifier: Apache-2.0
// Functions that count their own calls: threads, recursion, panics that are caught; the counts are printed.
use std::hint::black_box;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static LEAF: AtomicU64 = AtomicU64::new(0);
static STEP: AtomicU64 = AtomicU64::new(0);
static FAIL: AtomicU64 = AtomicU64::new(0);

#[inline(never)]
fn leaf(x: u64) -> u64 {
    LEAF.fetch_add(1, Relaxed);
    x ^ 5
}

#[inline(never)]
fn step(n: u64) -> u64 {
    STEP.fetch_add(1, Relaxed);
    if n == 0 { leaf(n) } else { black_box(step(n - 1)) + leaf(n) }
}

#[inline(never)]
fn fail(n: u64) -> u64 {
    FAIL.fetch_add(1, Relaxed);
    if n == 0 {
        panic!("caught");
    }
    black_box(fail(n - 1)) + leaf(n)
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let threads: Vec<_> = (0..4).map(|t| std::thread::spawn(move || (0..50).map(|i| step(i % (t + 3))).sum::<u64>())).collect();
    for thread in threads {
        black_box(thread.join().unwrap());
    }
    for i in 0..20 {
        assert!(catch_unwind(|| fail(i % 4)).is_err());
    }
    println!("{} {} {}", LEAF.load(Relaxed), STEP.load(Relaxed), FAIL.load(Relaxed));
}
