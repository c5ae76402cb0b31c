//! `/proc/PID/syscall` in words: which call by name, its arguments as `strace` would show them, what it waits
//! for. Numbers are those of the architecture that this was built for. Pure but for reads of the process's
//! memory, which a test replaces.

mod decoder;
mod signature;
mod wait;

pub use decoder::Decoder;
pub use wait::polled_file;

use procfs_core::FromRead as _;
use procfs_core::process::Syscall;

use crate::facts::{Call, CallState};
use signature::Argument;

/// The line's raw content, to compare samples without decoding them.
pub fn parse(line: &str) -> Option<Syscall> {
    Syscall::from_read(line.as_bytes()).ok()
}

pub fn decode(call: Syscall, decoder: &Decoder<'_>) -> CallState {
    match call {
        Syscall::Running => CallState::Running,
        Syscall::Blocked { syscall_number: -1, .. } => CallState::Outside,
        Syscall::Blocked { syscall_number, argument_registers, .. } => {
            CallState::In(decode_call(syscall_number, argument_registers, decoder))
        }
        _ => CallState::Unreadable,
    }
}

fn decode_call(number: i64, arguments: [u64; 6], decoder: &Decoder<'_>) -> Call {
    let name = name(number);
    let (wait, timeout_ms) = wait::of(&name, &arguments, decoder);
    let text = text(&name, &arguments, decoder);
    Call { number, name, arguments, text, wait, timeout_ms }
}

/// The kernel's name of a call.
pub fn name(number: i64) -> String {
    let known = usize::try_from(number).ok().and_then(syscalls::Sysno::new);
    known.map_or_else(|| format!("syscall_{number}"), |known| known.name().to_owned())
}

fn text(name: &str, arguments: &[u64; 6], decoder: &Decoder<'_>) -> String {
    let Some(signature) = signature::of(name) else { return format!("{name}(…)") };
    let shown: Vec<String> =
        signature.iter().zip(arguments).map(|(kind, value)| argument(*kind, *value, decoder)).collect();
    format!("{name}({})", shown.join(", "))
}

fn argument(kind: Argument, value: u64, decoder: &Decoder<'_>) -> String {
    // A C `int` is the register's lower half.
    let int = value as u32 as i32;
    match kind {
        Argument::File if int == -100 => "AT_FDCWD".to_owned(),
        Argument::File => match (decoder.file)(int) {
            Some(file) => format!("{int}<{file}>"),
            None => int.to_string(),
        },
        Argument::Int => int.to_string(),
        Argument::Size => value.to_string(),
        Argument::Flags => format!("{value:#x}"),
        Argument::Pointer if value == 0 => "NULL".to_owned(),
        Argument::Pointer => format!("{value:#x}"),
        Argument::Name => {
            decoder.memory.name(value).map_or_else(|| format!("{value:#x}"), |name| format!("{name:?}"))
        }
        Argument::Time if value == 0 => "NULL".to_owned(),
        Argument::Time => decoder
            .memory
            .timespec_ms(value)
            .map_or_else(|| format!("{value:#x}"), |ms| format!("{} s", ms as f64 / 1e3)),
    }
}

#[cfg(test)]
mod tests;
