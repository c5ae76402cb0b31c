//! The doctor's table: for every planted cause the verdict, the time to it, and what the look costs whoever
//! is looked at. With `--rounds N` (20) each healthy worker takes N pairs of turns, watched and alone.
//!
//! ```sh
//! cargo run --release -p doctor --example table
//! ```
//!
//! A gauge, run by hand, not a test: times are of the machine it runs on. The fixtures are those of the
//! tests.
#![allow(clippy::print_stdout, reason = "an example that prints")]

#[cfg(target_os = "linux")]
#[allow(dead_code, unused_imports, reason = "the tests beside the fixtures are not compiled here")]
#[path = "../../tests/planted"]
mod planted {
    pub mod fixtures;
    pub mod frozen;
    pub mod fuse;
    pub mod jvm;
    pub mod planting;
    pub mod postgres;
    pub mod report;
    pub mod thrash;

    /// This program, which becomes a planted process where it is given a kind.
    fn plant_program() -> std::path::PathBuf {
        std::env::current_exe().expect("this program has a path")
    }
}
#[cfg(target_os = "linux")]
mod causes;
#[cfg(target_os = "linux")]
#[path = "../../plant/kinds.rs"]
mod kinds;
#[cfg(target_os = "linux")]
mod slowing;

#[cfg(target_os = "linux")]
fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next().unwrap_or_default();
    if !first.is_empty() && !first.starts_with("--") {
        // A peer that goes away ends the trouble: no word on that in the table.
        let _ended = kinds::run(&first, &arguments.next().unwrap_or_default());
        return Ok(());
    }
    let rounds = match first.as_str() {
        "--rounds" => arguments.next().and_then(|rounds| rounds.parse().ok()).unwrap_or(0),
        _ => 20,
    };
    causes::print();
    println!();
    slowing::print(rounds)
}

#[cfg(not(target_os = "linux"))]
fn main() {}
