//! Whether this machine's processor has what the binary was built for (`.cargo/config.toml`, ADR 8). Asked
//! before anything else runs: without it the first unknown instruction would end the process without a word.
//! No other file may be needed by it that was compiled with such instructions before the check has run, which
//! is why `main.rs` begins with it and nothing else.

use raw_cpuid::CpuId;

/// An error names what is missing as `/proc/cpuinfo` does. A binary built for any processor misses nothing.
pub(crate) fn check() -> anyhow::Result<()> {
    let missing = if cfg!(target_feature = "avx2") { lacking(&present(&CpuId::new())) } else { Vec::new() };
    anyhow::ensure!(
        missing.is_empty(),
        "this build needs a processor with {}; build it here with `RUSTFLAGS= cargo build --release`",
        missing.join(", ")
    );
    Ok(())
}

/// What x86-64-v3 adds to the first x86-64, as far as programs use it.
const NEEDED: [&str; 9] = ["popcnt", "sse4_2", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"];

fn present(cpu: &CpuId<raw_cpuid::CpuIdReaderNative>) -> Vec<&'static str> {
    let (basic, extended) = (cpu.get_feature_info(), cpu.get_extended_feature_info());
    let basic = basic.map_or(Default::default(), |it| {
        [
            (it.has_popcnt(), "popcnt"),
            (it.has_sse42(), "sse4_2"),
            (it.has_avx(), "avx"),
            (it.has_f16c(), "f16c"),
            (it.has_fma(), "fma"),
            (it.has_movbe(), "movbe"),
        ]
    });
    let extended = extended.map_or(Default::default(), |it| {
        [(it.has_avx2(), "avx2"), (it.has_bmi1(), "bmi1"), (it.has_bmi2(), "bmi2")]
    });
    basic.into_iter().chain(extended).filter(|(has, _)| *has).map(|(_, name)| name).collect()
}

fn lacking(present: &[&str]) -> Vec<&'static str> {
    NEEDED.into_iter().filter(|name| !present.contains(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_named() {
        assert_eq!(lacking(&NEEDED), [""; 0]);
        assert_eq!(lacking(&["popcnt", "sse4_2", "avx", "f16c", "movbe"]), ["avx2", "bmi1", "bmi2", "fma"]);
        // The tests run, so nothing is missing here.
        assert!(check().is_ok());
    }
}
