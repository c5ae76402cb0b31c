//! The parameters of an update request: defaults for its commands, and the commit or rollback that ends it.

use plan::{Commit, Error, Result, RootCause};

use crate::params::update::{
    COMMIT, FAIL_ON_CONFLICTS, IN_PLACE, OPTIMIZE, OVERWRITE, PREPARE_COMMIT, ROLLBACK, SOFT_COMMIT, VERSION,
    VERSIONS,
};
use crate::params::{Param, Params};
use crate::update::command::UpdateCommand;

/// What an update request's parameters say about all of its commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateOptions {
    pub commit_within_ms: Option<u64>,
    /// `overwrite=false`: new documents need not be looked up.
    pub no_overwrite: bool,
    /// The commit or rollback that follows the body.
    pub finish: Option<UpdateCommand>,
    /// `_version_`: expected of every document and delete that says nothing itself.
    pub version: Option<i64>,
    /// `failOnVersionConflicts=false`.
    pub conflicts_skip: bool,
    /// `versions=true`: the response lists ids and versions.
    pub versions: bool,
    /// `update.partial.requireInPlace=true`: edits may change columns only.
    pub in_place_only: bool,
    /// `echo=true`: documents read from JSON of any shape are shown, not added.
    pub echo: bool,
}

impl UpdateOptions {
    /// Reads them. Which chain the request takes is `chain_choice`'s. Solr differs: it reads those of the commit when it has done the
    /// body, which stays; here a request that cannot be done whole is refused before (`compat/update/commits.yaml`).
    pub fn parse(params: &Params) -> Result<Self> {
        let mut wanted = false;
        for commit in [COMMIT, SOFT_COMMIT, OPTIMIZE, PREPARE_COMMIT] {
            wanted |= is_on(&commit, params)?;
        }
        let finish = if wanted {
            Some(UpdateCommand::Commit(commit_of(&|name| params.get(name), is_on(&OPTIMIZE, params)?)?))
        } else {
            is_on(&ROLLBACK, params)?.then_some(UpdateCommand::Rollback)
        };
        Ok(Self {
            commit_within_ms: commit_within(params.get("commitWithin"))?,
            no_overwrite: !is_on(&OVERWRITE, params)?,
            finish,
            version: VERSION.read(params)?,
            conflicts_skip: !is_on(&FAIL_ON_CONFLICTS, params)?,
            versions: is_on(&VERSIONS, params)?,
            in_place_only: is_on(&IN_PLACE, params)?,
            echo: params.get("echo") == Some("true"),
        })
    }
}

/// Reads a commit's own parameters; `optimize` makes it merge down.
fn commit_of<'a>(get: &dyn Fn(&str) -> Option<&'a str>, optimize: bool) -> Result<Commit> {
    let flag = |name: &str, default| get(name).map_or(Ok(default), parse_bool);
    if flag("prepareCommit", false)? {
        // The first half of a commit: all is on disk, and nothing new is seen. The second half may come or not.
        return Ok(Commit { open_searcher: false, ..Commit::HARD });
    }
    flag("waitSearcher", true)?;
    let max_segments = get("maxSegments").map(|text| max_segments(text, optimize)).transpose()?;
    let soft = flag("softCommit", false)?;
    Ok(Commit {
        soft,
        open_searcher: flag("openSearcher", true)? || soft,
        expunge_deletes: flag("expungeDeletes", false)?,
        max_segments: if optimize { max_segments.or(Some(1)) } else { None },
    })
}

/// A commit as a command of a body, with its own parameters; unknown ones are errors.
pub fn own_commit(pairs: &[(String, String)], optimize: bool) -> Result<Commit> {
    const KNOWN: [&str; 6] =
        ["openSearcher", "waitSearcher", "softCommit", "expungeDeletes", "maxSegments", "prepareCommit"];
    if let Some((name, _)) = pairs.iter().find(|(name, _)| !KNOWN.contains(&name.as_str())) {
        return Err(Error::bad_request(format!("Unknown commit parameter '{name}'")));
    }
    commit_of(&|name| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()), optimize)
}

/// What is no bound counts only where segments are merged down to it. Solr differs: there it is an error 500
/// (`compat/update/commits.yaml`).
fn max_segments(text: &str, optimize: bool) -> Result<usize> {
    let number: i32 = text.trim().parse().map_err(|_| not_a_number(text))?;
    usize::try_from(number)
        .ok()
        .or_else(|| (!optimize).then_some(0))
        .filter(|number| *number >= 1 || !optimize)
        .ok_or_else(|| Error::bad_request(format!("maxNumSegments must be >= 1; got {number}")))
}

/// `commitWithin` in milliseconds; below 0 is none.
pub fn commit_within(text: Option<&str>) -> Result<Option<u64>> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let number: i32 = text.trim().parse().map_err(|_| not_a_number(text))?;
    Ok(u64::try_from(number).ok())
}

pub fn version(text: &str) -> Result<i64> {
    text.trim().parse().map_err(|_| not_a_number(text))
}

fn is_on(param: &Param<bool>, params: &Params) -> Result<bool> {
    Ok(param.read(params)?.unwrap_or(false))
}

/// Solr's reading of a boolean parameter, by its first letters.
pub fn parse_bool(text: &str) -> Result<bool> {
    match text {
        _ if ["true", "on", "yes"].iter().any(|word| text.starts_with(word)) => Ok(true),
        _ if ["false", "off"].iter().any(|word| text.starts_with(word)) || text == "no" => Ok(false),
        _ => Err(Error::bad_request(format!("invalid boolean value: {text}"))),
    }
}

pub fn not_a_number(text: &str) -> Error {
    Error::bad_request(format!("For input string: \"{text}\"")).with_root(RootCause::NumberFormat)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pairs: &[(&str, &str)]) -> Result<UpdateOptions> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        UpdateOptions::parse(&Params::new(pairs.collect()))
    }

    #[test]
    fn commits_come_from_parameters() {
        let check = |pairs: &[(&str, &str)], expected: Option<Commit>| {
            let expected = expected.map(UpdateCommand::Commit);
            assert_eq!(parse(pairs).unwrap().finish, expected, "{pairs:?}");
        };
        check(&[], None);
        check(&[("commit", "false")], None);
        check(&[("commit", "true")], Some(Commit::HARD));
        check(&[("softCommit", "on")], Some(Commit::SOFT));
        let prepared = Commit { open_searcher: false, ..Commit::HARD };
        check(&[("prepareCommit", "true")], Some(prepared));
        check(&[("prepareCommit", "true"), ("commit", "true")], Some(prepared));
        check(
            &[("commit", "true"), ("openSearcher", "false")],
            Some(Commit { open_searcher: false, ..Commit::HARD }),
        );
        check(&[("optimize", "true")], Some(Commit { max_segments: Some(1), ..Commit::HARD }));
        check(
            &[("optimize", "true"), ("maxSegments", "3")],
            Some(Commit { max_segments: Some(3), ..Commit::HARD }),
        );
        check(
            &[("commit", "true"), ("expungeDeletes", "true")],
            Some(Commit { expunge_deletes: true, ..Commit::HARD }),
        );
        assert_eq!(parse(&[("rollback", "true")]).unwrap().finish, Some(UpdateCommand::Rollback));
    }

    #[test]
    fn the_rest_is_checked() {
        let options = parse(&[("commitWithin", "500"), ("overwrite", "false"), ("_version_", "-1")]).unwrap();
        assert_eq!(
            (options.commit_within_ms, options.no_overwrite, options.version),
            (Some(500), true, Some(-1))
        );
        assert_eq!(parse(&[("commitWithin", "-1")]).unwrap().commit_within_ms, None);
        for (name, value, expected) in [
            ("commit", "maybe", "invalid boolean value: maybe"),
            ("commitWithin", "x", "For input string: \"x\""),
            ("_version_", "x", "For input string: \"x\""),
        ] {
            assert_eq!(parse(&[(name, value)]).unwrap_err().message, expected);
        }
    }
}
