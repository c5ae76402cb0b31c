//! Who a command says it is: `--user-file`, `--user` or `--api-key`, or what the environment says. Nothing of
//! it is printed; what stands on the command line is seen by all who list the machine's processes, so the
//! file and the environment come first in the help.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use client::Login;

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Who asks")]
pub struct LoginArgs {
    /// Log in with what the first line of this file says: name:password.
    #[arg(long, value_name = "FILE", env = "PARHELION_USER_FILE", conflicts_with_all = ["user", "api_key"])]
    user_file: Option<PathBuf>,
    /// Log in so. Others on this machine see it in the list of processes: a file or the environment hides it.
    #[arg(
        long,
        value_name = "NAME:PASSWORD",
        env = "PARHELION_USER",
        hide_env_values = true,
        conflicts_with = "api_key"
    )]
    user: Option<Secret>,
    /// Log in with a key that `create-key` made. As with --user, the environment hides it.
    #[arg(long, value_name = "KEY", env = "PARHELION_API_KEY", hide_env_values = true)]
    api_key: Option<Secret>,
}

impl LoginArgs {
    /// `None` where nothing is given.
    pub fn login(&self) -> anyhow::Result<Option<Login>> {
        if let Some(file) = &self.user_file {
            let text =
                std::fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))?;
            return Ok(Some(Login::user(text.lines().next().unwrap_or_default())?));
        }
        let user = self.user.as_ref().map(|Secret(pair)| Login::user(pair)).transpose()?;
        let key = self.api_key.as_ref().map(|Secret(key)| Login::key(key)).transpose()?;
        Ok(user.or(key))
    }
}

/// A command line as it may be kept: what follows `--user` or `--api-key` is left out.
pub fn without_secrets(words: impl Iterator<Item = String>) -> Vec<String> {
    let is_secret = |word: &str| matches!(word, "--user" | "--api-key");
    let mut kept: Vec<String> = Vec::new();
    for word in words {
        let after_flag = kept.last().is_some_and(|last| is_secret(last));
        kept.push(match word.split_once('=') {
            _ if after_flag => "…".to_owned(),
            Some((flag, _)) if is_secret(flag) => format!("{flag}=…"),
            _ => word,
        });
    }
    kept
}

/// A text that `Debug` does not show.
#[derive(Clone)]
struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

impl std::str::FromStr for Secret {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_kept_without_secrets() {
        let check = |line: &str, expected: &str| {
            let kept = without_secrets(line.split(' ').map(str::to_owned));
            assert_eq!(kept.join(" "), expected);
        };
        check("lab run fruit", "lab run fruit");
        check("lab --user a:b run", "lab --user … run");
        check("lab --api-key=phk_x --user=a:b", "lab --api-key=… --user=…");
        check("lab --user --user x", "lab --user … x");
    }
}
