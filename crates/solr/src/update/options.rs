//! The parameters of an update request: defaults for its commands, and the commit or rollback that ends it. A
//! body may hold commits of its own, which are read here too, by the same definitions. In: parameters; out:
//! what `update/chain.rs` lays under each command, and the commit behind the last of them.

use plan::{Commit, Error, Result};

use crate::params::update::{
    COMMIT, COMMIT_WITHIN, ECHO, EXPUNGE_DELETES, FAIL_ON_CONFLICTS, IN_PLACE, MAX_SEGMENTS, OPEN_SEARCHER,
    OPTIMIZE, OVERWRITE, PREPARE_COMMIT, ROLLBACK, SOFT_COMMIT, VERSION, VERSIONS, WAIT_SEARCHER,
};
use crate::params::{Params, Preset};
use crate::update::command::UpdateCommand;

/// What an update request's parameters say about all of its commands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UpdateOptions {
    /// Each command is merged with it as it goes into the plan (`CommitWithin`).
    pub commit_within_ms: Option<i64>,
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
    /// Reads them. Which chain the request takes is `chain_choice`'s. Solr differs: it reads those of the
    /// commit when it has done the body, which stays; here a request that cannot be done whole is refused
    /// before (`compat/update/commits.yaml`).
    pub fn parse(params: &Params) -> Result<Self> {
        let mut wanted = false;
        for commit in [COMMIT, SOFT_COMMIT, OPTIMIZE, PREPARE_COMMIT] {
            wanted |= commit.read(params)?;
        }
        let finish = if wanted {
            Some(UpdateCommand::Commit(commit_of(&|name| params.by_name(name), OPTIMIZE.read(params)?)?))
        } else {
            ROLLBACK.read(params)?.then_some(UpdateCommand::Rollback)
        };
        Ok(Self {
            commit_within_ms: COMMIT_WITHIN.read(params)?.flatten(),
            no_overwrite: !OVERWRITE.read(params)?,
            finish,
            version: VERSION.read(params)?,
            conflicts_skip: !FAIL_ON_CONFLICTS.read(params)?,
            versions: VERSIONS.read(params)?,
            in_place_only: IN_PLACE.read(params)?,
            echo: ECHO.read(params)?,
        })
    }
}

/// What a commit's parameters say, of the request or of the body's command: both spell them alike.
type CommitParams<'a> = dyn Fn(&str) -> Option<&'a str> + 'a;

/// Reads a commit's own parameters; `optimize` makes it merge down.
fn commit_of(sent: &CommitParams<'_>, optimize: bool) -> Result<Commit> {
    let flag = |param: &Preset<bool>| param.parse(sent(param.name));
    if flag(&PREPARE_COMMIT)? {
        // The first half of a commit: all is on disk, and nothing new is seen. The second half may come or
        // not.
        return Ok(Commit { open_searcher: false, ..Commit::HARD });
    }
    flag(&WAIT_SEARCHER)?;
    let max_segments = max_segments(MAX_SEGMENTS.parse(sent(MAX_SEGMENTS.name))?, optimize)?;
    let soft = flag(&SOFT_COMMIT)?;
    Ok(Commit {
        soft,
        open_searcher: flag(&OPEN_SEARCHER)? || soft,
        expunge_deletes: flag(&EXPUNGE_DELETES)?,
        max_segments: optimize.then_some(max_segments),
    })
}

/// A commit as a command of a body, with its own parameters; unknown ones are errors.
pub fn own_commit(pairs: &[(String, String)], optimize: bool) -> Result<Commit> {
    const KNOWN: [&str; 6] = [
        OPEN_SEARCHER.name,
        WAIT_SEARCHER.name,
        SOFT_COMMIT.name,
        EXPUNGE_DELETES.name,
        MAX_SEGMENTS.name,
        PREPARE_COMMIT.name,
    ];
    if let Some((name, _)) = pairs.iter().find(|(name, _)| !KNOWN.contains(&name.as_str())) {
        return Err(Error::bad_request(format!("Unknown commit parameter '{name}'")));
    }
    commit_of(&|name| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str()), optimize)
}

/// What is no bound counts only where segments are merged down to it. Solr differs: there it is an error 500
/// (`compat/update/commits.yaml`).
fn max_segments(number: i32, optimize: bool) -> Result<usize> {
    usize::try_from(number)
        .ok()
        .or_else(|| (!optimize).then_some(0))
        .filter(|number| *number >= 1 || !optimize)
        .ok_or_else(|| Error::bad_request(format!("maxNumSegments must be >= 1; got {number}")))
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
        assert_eq!(parse(&[("commitWithin", "")]).unwrap().commit_within_ms, None);
        for (name, value, expected) in [
            ("commit", "maybe", "invalid boolean value: maybe"),
            ("commitWithin", "x", "For input string: \"x\""),
            ("_version_", "x", "For input string: \"x\""),
        ] {
            assert_eq!(parse(&[(name, value)]).unwrap_err().message, expected);
        }
    }
}
