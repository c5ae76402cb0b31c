//! Commands that change a proxy while it runs, and scripts of them: one command a line, each at its time
//! since the start. The faults themselves are parsed in `faults.rs` and applied by `proxy.rs`, which also
//! keeps the time; `parhelion lab proxy` reads the same commands from its standard input.

use std::str::FromStr;
use std::time::Duration;

use crate::faults::{Direction, FaultError, Faults, parse_duration};

/// One change.
///
/// Written as `to-server FAULTS`, `to-client FAULTS`, `both FAULTS` (which replace what was set before),
/// `reset` (all open connections, once), `refuse` (reset each new connection) and `admit` (no longer).
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    Set(Vec<Direction>, Faults),
    Reset,
    Refuse(bool),
}

impl FromStr for Command {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let text = text.trim();
        let (first, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let set = |directions: &[Direction]| match rest.trim() {
            "" => Err(FaultError(format!("`{text}` names no fault; use `{text} clear` for none"))),
            faults => Ok(Command::Set(directions.to_vec(), faults.parse()?)),
        };
        match (first, rest) {
            ("to-server", _) => set(&[Direction::ToServer]),
            ("to-client", _) => set(&[Direction::ToClient]),
            ("both", _) => set(&Direction::BOTH),
            ("reset", "") => Ok(Command::Reset),
            ("refuse", "") => Ok(Command::Refuse(true)),
            ("admit", "") => Ok(Command::Refuse(false)),
            _ => Err(FaultError(format!(
                "`{text}` is no command; begin with to-server, to-client, both, reset, refuse or admit"
            ))),
        }
    }
}

/// Commands with their times. Empty lines and what follows `#` say nothing; `repeat` as the last command
/// begins anew.
///
/// ```
/// let script: faultproxy::Script = "
///     0s   both delay=10ms jitter=2ms
///     30s  to-server cut          # the server no longer hears its clients
///     45s  both delay=10ms
///     60s  repeat
/// ".parse().unwrap();
/// # let _ = script;
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    pub(crate) steps: Vec<(Duration, Command)>,
    pub(crate) repeat: Option<Duration>,
}

impl FromStr for Script {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let mut script = Script::default();
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if !line.is_empty() {
                script.push(line).map_err(|error| FaultError(format!("line {}: {error}", at + 1)))?;
            }
        }
        Ok(script)
    }
}

impl Script {
    fn push(&mut self, line: &str) -> Result<(), FaultError> {
        let (time, command) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let time = parse_duration(time)?;
        let last = self.steps.last().map_or(Duration::ZERO, |(time, _)| *time);
        if self.repeat.is_some() {
            return Err(FaultError("nothing may follow `repeat`".to_owned()));
        }
        if time < last {
            return Err(FaultError(format!("the time is before that of the line above, {last:?}")));
        }
        match command.trim() {
            // Else a script would spin without ever waiting.
            "repeat" if time.is_zero() => {
                return Err(FaultError("`repeat` needs a time above 0s".to_owned()));
            }
            "repeat" => self.repeat = Some(time),
            command => self.steps.push((time, command.parse()?)),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_lines_in_order_of_time() {
        let script: Script =
            "# quiet\n0s both delay=1ms\n\n2s  reset # once\n2s refuse\n3s repeat".parse().unwrap();
        let delay = Faults { delay: Duration::from_millis(1), ..Faults::default() };
        let expected = vec![
            (Duration::ZERO, Command::Set(Direction::BOTH.to_vec(), delay)),
            (Duration::from_secs(2), Command::Reset),
            (Duration::from_secs(2), Command::Refuse(true)),
        ];
        assert_eq!(script, Script { steps: expected, repeat: Some(Duration::from_secs(3)) });
    }

    #[test]
    fn wrong_lines_are_named() {
        let check = |text: &str, part: &str| {
            let message = text.parse::<Script>().unwrap_err().to_string();
            assert!(message.contains(part), "{text}: {message}");
        };
        check("1s reset\n0s reset", "line 2: the time is before");
        check("soon reset", "line 1: `soon` is not a duration");
        check("0s explode", "line 1: `explode` is no command");
        check("0s both", "names no fault");
        check("0s both speed=1", "`speed=1` is no fault");
        check("0s repeat", "above 0s");
        check("1s repeat\n2s reset", "nothing may follow");
        check("0s", "is no command");
    }
}
