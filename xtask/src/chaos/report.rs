//! What a run says: a line a round, the totals, and all of it as JSON. In: rounds, answers that were counted,
//! findings. Owns the words and what of the times is told; judges nothing.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::faults::{Fault, FaultKind};
use super::finding::Finding;
use super::traffic::FollowedSearches;

/// Of what was broken; all of it is in the JSON.
const FINDINGS_SHOWN: usize = 10;

/// One collection in one round.
pub struct CollectionRound {
    pub name: String,
    /// The longest time without an acknowledged update, through whichever member.
    pub updates_away: Duration,
    /// Whether the broken member led it.
    pub was_led: bool,
    /// Who leads it now, where another did before.
    pub moved_to: Option<usize>,
}

pub struct RoundReport {
    /// From 1 on.
    pub round: usize,
    pub fault: Fault,
    pub member: usize,
    pub collections: Vec<CollectionRound>,
}

impl RoundReport {
    pub fn line(&self) -> String {
        let Self { round, fault, member, collections } = self;
        let mut line = format!("round {round}: {} member {member}", fault.kind.name());
        if !fault.away.is_zero() {
            let _ = write!(line, " for {}", seconds(fault.away));
        }
        if fault.behind_rebuild.is_some() {
            line += " in a rebuild";
        }
        line += "; updates away:";
        for each in collections {
            let _ = write!(line, " {} {}", each.name, seconds(each.updates_away));
            if each.was_led {
                line += "*";
            }
            if let Some(to) = each.moved_to {
                let _ = write!(line, " (now led by {to})");
            }
        }
        line
    }

    fn json(&self) -> Value {
        let named = |value: &dyn Fn(&CollectionRound) -> Option<Value>| -> Map<String, Value> {
            self.collections.iter().filter_map(|it| Some((it.name.clone(), value(it)?))).collect()
        };
        let led = self.collections.iter().filter(|it| it.was_led).map(|it| it.name.as_str());
        json!({
            "round": self.round, "kind": self.fault.kind.name(), "member": self.member,
            "inRebuild": self.fault.behind_rebuild.is_some(),
            "awaySeconds": self.fault.away.as_secs_f64(), "led": led.collect::<Vec<_>>(),
            "updatesAwaySeconds": named(&|it| Some(json!(it.updates_away.as_secs_f64()))),
            "movedTo": named(&|it| it.moved_to.map(|to| json!(to))),
        })
    }
}

/// A whole run.
pub struct Summary {
    pub seed: u64,
    pub rounds: Vec<RoundReport>,
    pub answers: BTreeMap<(&'static str, String), u64>,
    pub followed_searches: FollowedSearches,
    pub acknowledged: u64,
    pub findings: Vec<Finding>,
}

/// Of times.
struct Spread {
    count: usize,
    mean: Duration,
    max: Duration,
}

impl Spread {
    fn of(times: &[Duration]) -> Option<Self> {
        let max = *times.iter().max()?;
        let mean = times.iter().sum::<Duration>().div_f64(times.len() as f64);
        Some(Self { count: times.len(), mean, max })
    }

    fn json(&self) -> Value {
        json!({"count": self.count, "meanSeconds": self.mean.as_secs_f64(), "maxSeconds": self.max.as_secs_f64()})
    }

    fn text(&self) -> String {
        format!("{}, mean {}, max {}", self.count, seconds(self.mean), seconds(self.max))
    }
}

impl Summary {
    pub fn passed(&self) -> bool {
        self.findings.is_empty()
    }

    /// How long updates were away of collections that changed hands.
    fn take_overs(&self) -> Option<Spread> {
        self.spread(|_, it| it.moved_to.is_some())
    }

    /// The same of those that the broken member led, by what was done to it.
    fn led(&self) -> Vec<(FaultKind, Spread)> {
        let of = |kind| Some((kind, self.spread(|it, each| it.fault.kind == kind && each.was_led)?));
        FaultKind::ALL.into_iter().filter_map(of).collect()
    }

    fn spread(&self, is_one: impl Fn(&RoundReport, &CollectionRound) -> bool) -> Option<Spread> {
        let all = self.rounds.iter().flat_map(|it| it.collections.iter().map(move |each| (it, each)));
        let times = all.filter(|(it, each)| is_one(it, each)).map(|(_, each)| each.updates_away);
        Spread::of(&times.collect::<Vec<_>>())
    }

    pub fn text(&self) -> String {
        let mut text = String::from("answers:");
        for ((asked, answered), count) in &self.answers {
            let _ = write!(text, " {asked} {answered}: {count};");
        }
        let _ = write!(text, "\nacknowledged updates: {}", self.acknowledged);
        let FollowedSearches { asked, failed } = &self.followed_searches;
        let _ = write!(
            text,
            "\nsearches of collections with followers, through members that were not broken: {asked}, failed: {}",
            failed.len()
        );
        for failed in failed.iter().take(FINDINGS_SHOWN) {
            let _ = write!(text, "\nfailed: {}", failed.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        let none = || "none".to_owned();
        let _ = write!(text, "\ntake-overs: {}", self.take_overs().map_or_else(none, |it| it.text()));
        for (kind, spread) in self.led() {
            let _ = write!(text, "\nupdates away after `{}` of the leader: {}", kind.name(), spread.text());
        }
        for finding in self.findings.iter().take(FINDINGS_SHOWN) {
            let _ = write!(text, "\nbroken: {finding}");
        }
        let _ = write!(text, "\nchaos: seed {}, {} promise(s) broken", self.seed, self.findings.len());
        text
    }

    pub fn json(&self) -> Value {
        let mut answers: Map<String, Value> = Map::new();
        for ((asked, answered), count) in &self.answers {
            answers.entry(*asked).or_insert_with(|| json!({}))[answered.as_str()] = json!(count);
        }
        let led = self.led().into_iter().map(|(kind, spread)| (kind.name().to_owned(), spread.json()));
        json!({
            "passed": self.passed(), "seed": self.seed,
            "rounds": self.rounds.iter().map(RoundReport::json).collect::<Vec<_>>(),
            "followedSearches": {"asked": self.followed_searches.asked, "failed": self.followed_searches.failed.len()},
            "answers": answers, "acknowledged": self.acknowledged,
            "takeOvers": self.take_overs().map(|it| it.json()), "leaderBroken": led.collect::<Map<_, _>>(),
            "broken": self.findings.iter().map(Finding::json).collect::<Vec<_>>(),
        })
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary() -> Summary {
        let each = |name: &str, ms, was_led, moved_to| CollectionRound {
            name: name.to_owned(),
            updates_away: Duration::from_millis(ms),
            was_led,
            moved_to,
        };
        let (calm, away) = (Duration::ZERO, Duration::from_secs(9));
        let round = |round, kind, collections| {
            let fault = Fault { kind, collection: 0, calm, away, behind_rebuild: None };
            RoundReport { round, fault, member: 2, collections }
        };
        let rounds = vec![
            round(1, FaultKind::Kill, vec![each("a", 7_000, true, Some(3)), each("b", 100, false, None)]),
            round(2, FaultKind::Term, vec![each("a", 1_000, true, Some(1)), each("b", 2_000, true, None)]),
        ];
        let answers = [(("update", "200".to_owned()), 5)].into();
        let followed_searches = FollowedSearches { asked: 9, failed: vec!["a at member 1: 503".to_owned()] };
        Summary { seed: 4, rounds, answers, followed_searches, acknowledged: 5, findings: vec![] }
    }

    #[test]
    fn a_round_is_a_line() {
        let line = summary().rounds[0].line();
        assert_eq!(line, "round 1: kill member 2 for 9.0 s; updates away: a 7.0 s* (now led by 3) b 0.1 s");
    }

    #[test]
    fn times_are_of_what_changed_hands_and_of_what_was_led() {
        let summary = summary();
        let text = summary.text();
        assert!(text.contains("that were not broken: 9, failed: 1"), "{text}");
        assert!(text.contains("take-overs: 2, mean 4.0 s, max 7.0 s"), "{text}");
        assert!(text.contains("after `term` of the leader: 2, mean 1.5 s, max 2.0 s"), "{text}");
        let told = summary.json();
        assert_eq!((&told["passed"], &told["takeOvers"]["count"]), (&json!(true), &json!(2)));
        assert_eq!(told["rounds"][0]["movedTo"], json!({"a": 3}));
        assert_eq!(told["answers"], json!({"update": {"200": 5}}));
    }
}
