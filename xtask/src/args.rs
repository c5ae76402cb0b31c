//! Reads `--name value` and `--flag` words of a task. Owns the spelling of options, not their meaning; an
//! option nobody asked for is an error, as is a missing value. What a task's options are stands in the usage
//! text of `main.rs`.

use anyhow::{Result, bail};

/// A command line that cannot be understood; `main` answers it with the usage text.
#[derive(Debug)]
pub struct Misuse(pub String);

impl std::fmt::Display for Misuse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}

/// The words of one task, taken out one by one; what is left over at `finish` is an error.
pub struct Words {
    left: Vec<String>,
}

impl Words {
    pub fn new(words: &[String]) -> Self {
        Self { left: words.to_vec() }
    }

    /// Takes `--name`; false where it is absent.
    pub fn flag(&mut self, name: &str) -> bool {
        let at = self.left.iter().position(|word| word == name);
        at.map(|at| self.left.remove(at)).is_some()
    }

    /// Takes `--name value`; none where it is absent.
    pub fn value(&mut self, name: &str) -> Result<Option<String>> {
        let Some(at) = self.left.iter().position(|word| word == name) else {
            return Ok(None);
        };
        if at + 1 >= self.left.len() {
            bail!(Misuse(format!("`{name}` needs a value")));
        }
        self.left.remove(at);
        Ok(Some(self.left.remove(at)))
    }

    pub fn finish(self) -> Result<()> {
        match self.left.first() {
            None => Ok(()),
            Some(word) => bail!(Misuse(format!("unknown option `{word}`"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Words {
        Words::new(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn takes_flags_and_values() {
        let mut words = words("--url http://x --record");
        assert!(words.flag("--record"));
        assert_eq!(words.value("--url").unwrap().as_deref(), Some("http://x"));
        assert_eq!(words.value("--filter").unwrap(), None);
        words.finish().unwrap();
    }

    #[test]
    fn refuses_what_is_left() {
        assert!(words("--ulr x").finish().is_err());
        assert!(words("--url").value("--url").is_err());
    }
}
