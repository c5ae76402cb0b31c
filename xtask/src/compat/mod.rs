//! Compatibility scenarios: questions we write, answers that a real Solr gave, replayed against any server.
//!
//! Questions are `compat/<area>/<name>.yaml`, the recorded answers `compat/<area>/<name>.json` beside them.
//! Each file gets a collection of its own, made fresh and deleted after. Recording rewrites the answers;
//! replaying compares them under `compat/masks.yaml`. This module owns the run; the parts are: `scenario`
//! (the question files), `ask` (one question over HTTP), `provision` (collections), `answers` (the recorded
//! files), `compare` and `mask`, `open` (steps known to fail), `outcome` and `summary`; `random` asks what
//! nobody wrote down.

mod answers;
mod ask;
mod compare;
mod javabin;
mod mask;
mod open;
mod outcome;
mod provision;
mod random;
mod scenario;
mod summary;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::args::{Misuse, Words};
use answers::Recorded;
use ask::{Answer, Server};
use mask::Masks;
use open::Open;
use outcome::Outcome;
use provision::Create;
use random::Random;
use scenario::{Scenario, Step};
use summary::StepResult;
pub use summary::Summary;

/// Who asks a server with a `security.json`, unless a step says who.
const ADMINISTRATOR: &str = "solr:SolrRocks";

/// What one run does.
pub struct Options {
    /// Base URL that ends in the web context, such as `http://127.0.0.1:8983/solr`; without one, a Parhelion
    /// of this checkout is started for the run.
    pub url: Option<String>,
    /// Only scenario files whose path contains this text.
    pub filter: Option<String>,
    /// How a collection is made on that server.
    pub create: Create,
    /// Write the server's answers down instead of comparing.
    pub record: bool,
    /// List the steps that fail as open, instead of failing.
    pub accept: bool,
    /// Show every difference.
    pub verbose: bool,
    /// Ask random requests of that server, a Solr or a Parhelion, and of another, instead of the scenarios.
    random: Option<Random>,
}

impl Options {
    pub fn parse(words: &[String]) -> Result<Self> {
        let mut words = Words::new(words);
        let url = words.value("--url")?.map(|url| url.trim_end_matches('/').to_owned());
        let mut create = |name: &str| words.value(name)?.as_deref().map(Create::parse).transpose();
        let (create, ours_created) = (create("--create")?, create("--create-ours")?);
        let options = Self {
            url,
            filter: words.value("--filter")?,
            create: create.unwrap_or(Create::Cores),
            record: words.flag("--record"),
            accept: words.flag("--accept"),
            verbose: words.flag("--verbose"),
            random: Random::parse(
                words.value("--random")?.as_deref(),
                words.value("--seed")?.as_deref(),
                (words.value("--ours")?, ours_created),
            )?,
        };
        words.finish()?;
        options.check_random()?;
        if (options.record || options.random.is_some()) && options.url.is_none() {
            return Err(
                Misuse("`--record` and `--random` need the `--url` of a server to ask".to_owned()).into()
            );
        }
        Ok(options)
    }

    /// Refuses what random requests would pass over: they are of no scenario, and nothing of them is kept.
    fn check_random(&self) -> Result<()> {
        if self.random.is_none() {
            return Ok(());
        }
        let others = [
            ("--filter", self.filter.is_some(), "`--seed` and the count of `--random` choose requests"),
            ("--record", self.record, "write a scenario of what is found, then record it"),
            ("--accept", self.accept, "write a scenario of what is found"),
        ];
        match others.iter().find(|(_, is_said, _)| *is_said) {
            Some((name, _, instead)) => {
                Err(Misuse(format!("`{name}` means nothing with `--random`; {instead}")).into())
            }
            None => Ok(()),
        }
    }
}

/// Records or replays every scenario under `<root>/compat` that the filter lets through.
/// A filter that lets none through is an error that names it: an empty table does not say what is wrong.
pub fn run(root: &Path, options: &Options) -> Result<Summary> {
    if let (Some(url), Some(random)) = (&options.url, &options.random) {
        return random::run(root, random, url, &options.create);
    }
    // Before a server is built and started, which takes minutes where the text is misspelt.
    let files = scenario::files(&root.join("compat"), options.filter.as_deref())?;
    match &options.url {
        Some(url) => run_against(root, url, files, options),
        None => run_against(root, &crate::server::Server::start(root, "compat", false)?.url, files, options),
    }
}

fn run_against(root: &Path, url: &str, files: Vec<PathBuf>, options: &Options) -> Result<Summary> {
    let folder = root.join("compat");
    let masks = Masks::read(&folder.join("masks.yaml"))?;
    let open = Server::new(url);
    let guarded = open.is_guarded()?.then(|| open.asked_by(ADMINISTRATOR));
    let list = folder.join("open.yaml");
    let mut summary = Summary::new(Open::read(&list)?);
    for path in files {
        let security = Scenario::read(&path)?.security;
        let started;
        let server = match (&security, &guarded, &options.url) {
            (None, None, _) => &open,
            (Some(_), Some(guarded), _) => guarded,
            (Some(security), None, None) => {
                let file = folder.join("fixtures").join(security);
                let arguments = [OsStr::new("--security"), file.as_os_str()];
                started = crate::server::Server::start_with(root, "guarded", false, &arguments)?;
                let server = Server::new(&started.url).asked_by(ADMINISTRATOR);
                summary.extend(FileRun { root, path, server: &server, masks: &masks, options }.go()?);
                continue;
            }
            // It is asked of a server that is started for it, or of one that asks who is there.
            _ => continue,
        };
        summary.extend(FileRun { root, path, server, masks: &masks, options }.go()?);
    }
    if options.accept {
        summary.accept().write(&list)?;
    }
    Ok(summary)
}

/// One scenario file on its way through a server.
struct FileRun<'a> {
    root: &'a Path,
    path: PathBuf,
    server: &'a Server,
    masks: &'a Masks,
    options: &'a Options,
}

impl FileRun<'_> {
    fn go(&self) -> Result<Vec<StepResult>> {
        let scenario = Scenario::read(&self.path)?;
        let label = self.label();
        let core = format!("compat_{}", label.replace(['/', '-', '.'], "_"));
        let create = scenario.shards.map_or_else(
            || self.options.create.clone(),
            |shards| Create::Collections { shards, replicas: 1 },
        );
        let answers = self.answers(&scenario, &create, &core).with_context(|| label.clone());
        create.delete(self.server, &core)?;
        match answers {
            Ok(answers) => self.finish(&scenario, &answers),
            Err(error) if self.options.record => Err(error),
            Err(error) => Ok(self.results(&scenario, |_, _| Outcome::Unasked(format!("{error:#}")))),
        }
    }

    /// `select/facets`: the path below `compat/`, without its ending.
    fn label(&self) -> String {
        let below = self.path.strip_prefix(self.root.join("compat")).unwrap_or(&self.path);
        below.with_extension("").to_string_lossy().into_owned()
    }

    /// A fresh collection, the fixture, then every question in order.
    fn answers(&self, scenario: &Scenario, create: &Create, core: &str) -> Result<Vec<Answer>> {
        create.make(self.server, self.root, core, &scenario.configset)?;
        if let Some(step) = scenario.fixture_step(&self.root.join("compat"))? {
            let answer = self.server.ask(core, &step)?;
            anyhow::ensure!(answer.status == 200, "fixture refused: {}", answer.body);
        }
        scenario.steps.iter().map(|step| self.answer(core, step)).collect()
    }

    /// A connection that breaks off is an answer too when replaying: the next step may fare better.
    fn answer(&self, core: &str, step: &Step) -> Result<Answer> {
        match self.server.ask(core, step) {
            Err(error) if !self.options.record => Ok(Answer::broken(&error)),
            answer => answer.with_context(|| step.title()),
        }
    }

    fn finish(&self, scenario: &Scenario, answers: &[Answer]) -> Result<Vec<StepResult>> {
        let path = self.path.with_extension("json");
        if self.options.record {
            Recorded::of(&scenario.steps, answers, self.masks).write(&path)?;
            return Ok(self.results(scenario, |_, _| Outcome::Recorded));
        }
        let recorded = Recorded::read(&path)?;
        let judge = |index, step: &Step| self.judge(&recorded, index, step, answers.get(index));
        Ok(self.results(scenario, judge))
    }

    fn results(&self, scenario: &Scenario, judge: impl Fn(usize, &Step) -> Outcome) -> Vec<StepResult> {
        let label = self.label();
        let steps = scenario.steps.iter().enumerate();
        steps.map(|(index, step)| StepResult::new(&label, index, step, judge(index, step))).collect()
    }

    fn judge(&self, recorded: &Recorded, index: usize, step: &Step, answer: Option<&Answer>) -> Outcome {
        let (Some(expected), Some(answer)) = (recorded.answer(index, step), answer) else {
            return Outcome::Stale;
        };
        let rules = self.masks.with_own(&step.mask);
        compare::judge(&expected.as_value(), &answer.as_value(), &rules, step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_go_together_is_refused() {
        let parse = |line: &str| {
            let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
            Options::parse(&words).err().map(|error| error.to_string()).unwrap_or_default()
        };
        let random = "--url http://127.0.0.1:1/solr --random 5";
        for more in ["", " --seed 3", " --verbose"] {
            assert_eq!(parse(&format!("{random}{more}")), "");
        }
        for other in ["--filter facet", "--record", "--accept"] {
            let name = other.split(' ').next().unwrap();
            assert!(parse(&format!("{random} {other}")).contains(name), "{other}");
        }
        for alone in ["--seed 3", "--ours http://127.0.0.1:1/solr", "--create-ours cores"] {
            assert!(parse(alone).contains("--random"), "{alone}");
        }
    }

    #[test]
    fn every_question_has_its_answer() {
        let compat = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compat");
        Masks::read(&compat.join("masks.yaml")).unwrap();
        let files = scenario::files(&compat, None).unwrap();
        assert!(!files.is_empty());
        for path in files {
            let scenario = Scenario::read(&path).unwrap();
            let recorded = Recorded::read(&path.with_extension("json")).unwrap();
            scenario.fixture_step(&compat).unwrap();
            for (index, step) in scenario.steps.iter().enumerate() {
                assert!(recorded.answer(index, step).is_some(), "{} step {}", path.display(), index + 1);
            }
        }
    }
}
