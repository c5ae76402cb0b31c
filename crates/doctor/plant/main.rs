//! A process in trouble of a known kind, or in none: `doctor-plant KIND [WHERE]`. It says `ready` and then
//! stands where its kind stands until it is killed.
#![allow(clippy::print_stdout, reason = "`ready` is how its tests know that it began")]

#[cfg(target_os = "linux")]
mod kinds;

#[cfg(target_os = "linux")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let kind = arguments.next().unwrap_or_default();
    let place = arguments.next().unwrap_or_default();
    // A peer that goes away ends the trouble; one that could not begin has not said `ready`.
    if kinds::run(&kind, &place).is_err() {
        std::process::exit(1);
    }
}

#[cfg(not(target_os = "linux"))]
fn main() {}
