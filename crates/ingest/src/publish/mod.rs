//! When a row may be seen: rules over its columns, decided at index time. A verdict says whether the row is
//! visible now, why, and when that may change by itself, so that a timer can look again just then. No clock
//! in here: the moment is handed in.

mod calendar;
mod condition;
mod moment;

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::config::{CalendarConfig, PublishConfig, RuleConfig};
use crate::record::Row;

use calendar::Calendar;
use condition::Condition;
use moment::Moment;

/// The file's rules, ready to judge.
#[derive(Debug, Default)]
pub struct Rules(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    name: String,
    sources: Vec<String>,
    when: Vec<Condition>,
    require: Vec<Condition>,
    from: Option<Moment>,
    until: Option<Moment>,
}

/// What the rules say of one row at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub visible: bool,
    /// The next moment at which the verdict may be another, though the row stays as it is.
    pub changes_at: Option<Timestamp>,
    /// In the file's order.
    pub rules: Vec<RuleVerdict>,
}

/// What one rule says.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleVerdict {
    pub rule: String,
    pub said: PublishMessage,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PublishMessage {
    /// The rule does not speak of this row: the condition that it fails.
    NotAddressed(String),
    Visible {
        until: Option<Timestamp>,
    },
    /// Not yet.
    Waiting {
        from: Timestamp,
    },
    Ended {
        at: Timestamp,
    },
    /// The requirement that the row fails.
    Refused(String),
    /// A date that the rule needs is none: the row is not shown.
    Unreadable(String),
}

impl Rules {
    /// Errors: one line for each rule that makes no sense.
    pub fn compile(config: &PublishConfig) -> Result<Self, Vec<String>> {
        let mut findings = Vec::new();
        let mut calendars = BTreeMap::new();
        for (name, calendar) in &config.calendars {
            match Calendar::compile(calendar) {
                Ok(calendar) => {
                    calendars.insert(name.clone(), calendar);
                }
                Err(reason) => findings.push(format!("`publish.calendar.{name}`: {reason}")),
            }
        }
        let plain = Calendar::compile(&CalendarConfig::default()).map_err(|reason| vec![reason])?;
        let compile = |rule: &RuleConfig| Rule::compile(rule, &calendars, &plain);
        let mut rules = Vec::new();
        for rule in &config.rules {
            match compile(rule) {
                Ok(rule) => rules.push(rule),
                Err(reason) => findings.push(format!("`publish.rule` `{}`: {reason}", rule.name)),
            }
        }
        if findings.is_empty() { Ok(Self(rules)) } else { Err(findings) }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Judges a row of `source` as of `now`. A row is visible when every rule that speaks of it lets it
    /// through.
    pub fn judge(&self, source: &str, row: &Row, now: Timestamp) -> Verdict {
        let rules: Vec<RuleVerdict> = self
            .0
            .iter()
            .filter(|rule| rule.sources.is_empty() || rule.sources.iter().any(|name| name == source))
            .map(|rule| RuleVerdict { rule: rule.name.clone(), said: rule.judge(row, now) })
            .collect();
        let visible = rules.iter().all(|verdict| verdict.said.is_visible());
        let refused = rules.iter().any(|verdict| verdict.said.is_final());
        // What no passing of time can show wakes nobody.
        let changes_at =
            if refused { None } else { rules.iter().filter_map(|verdict| verdict.said.changes_at()).min() };
        Verdict { visible, changes_at, rules }
    }
}

impl Rule {
    fn compile(
        config: &RuleConfig,
        calendars: &BTreeMap<String, Calendar>,
        plain: &Calendar,
    ) -> Result<Self, String> {
        let conditions = |configs: &[crate::config::ConditionConfig]| {
            configs.iter().map(Condition::compile).collect::<Result<Vec<_>, _>>()
        };
        let moment = |config: &Option<crate::config::MomentConfig>| {
            config.as_ref().map(|config| Moment::compile(config, calendars, plain)).transpose()
        };
        Ok(Self {
            name: config.name.clone(),
            sources: config.sources.clone(),
            when: conditions(&config.when)?,
            require: conditions(&config.require)?,
            from: moment(&config.from)?,
            until: moment(&config.until)?,
        })
    }

    fn judge(&self, row: &Row, now: Timestamp) -> PublishMessage {
        if let Some(failed) = self.when.iter().find(|condition| !condition.holds(row)) {
            return PublishMessage::NotAddressed(failed.to_string());
        }
        if let Some(failed) = self.require.iter().find(|condition| !condition.holds(row)) {
            return PublishMessage::Refused(failed.to_string());
        }
        let at = |moment: &Option<Moment>| moment.as_ref().map_or(Ok(None), |moment| moment.of(row));
        let (from, until) = match (at(&self.from), at(&self.until)) {
            (Ok(from), Ok(until)) => (from, until),
            (Err(reason), _) | (_, Err(reason)) => return PublishMessage::Unreadable(reason),
        };
        match (from, until) {
            (_, Some(at)) if at <= now => PublishMessage::Ended { at },
            (Some(from), _) if now < from => PublishMessage::Waiting { from },
            (_, until) => PublishMessage::Visible { until },
        }
    }
}

impl PublishMessage {
    fn is_visible(&self) -> bool {
        matches!(self, PublishMessage::NotAddressed(_) | PublishMessage::Visible { .. })
    }

    /// Whether only a change of the row can make it visible.
    fn is_final(&self) -> bool {
        matches!(
            self,
            PublishMessage::Ended { .. } | PublishMessage::Refused(_) | PublishMessage::Unreadable(_)
        )
    }

    fn changes_at(&self) -> Option<Timestamp> {
        match self {
            PublishMessage::Waiting { from } => Some(*from),
            PublishMessage::Visible { until } => *until,
            _ => None,
        }
    }
}

/// One line for a person: what `ingest why` prints.
impl std::fmt::Display for RuleVerdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: ", self.rule)?;
        match &self.said {
            PublishMessage::NotAddressed(condition) => {
                write!(f, "does not speak of this row, since not {condition}")
            }
            PublishMessage::Visible { until: None } => f.write_str("lets it through"),
            PublishMessage::Visible { until: Some(until) } => write!(f, "lets it through until {until}"),
            PublishMessage::Waiting { from } => write!(f, "holds it back until {from}"),
            PublishMessage::Ended { at } => write!(f, "ended it at {at}"),
            PublishMessage::Refused(condition) => write!(f, "refuses it, since not {condition}"),
            PublishMessage::Unreadable(reason) => write!(f, "refuses it: {reason}"),
        }
    }
}

#[cfg(test)]
mod tests;
