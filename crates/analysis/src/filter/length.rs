//! Filters that look at how long tokens are or how many there were: `length`, `codepointCount`, `truncate`,
//! `trim`, `limitTokenCount`, `limitTokenOffset`, `limitTokenPosition`. Lengths are UTF-16 units unless the
//! name says otherwise. `consumeAllTokens` is taken and changes nothing here: nobody can see what was not
//! consumed.

use crate::chars::is_java_whitespace;
use crate::definition::FilterDefinition;
use crate::filter::shape::{Keep, Keeping, Plain, Rewrite, Rewriting};
use crate::stage::{Filter, Input};
use crate::token::{Token, utf16_len};

pub(crate) const DEFINITIONS: &[&FilterDefinition] = &[
    &LENGTH,
    &CODEPOINT_COUNT,
    &TRUNCATE,
    &TRIM,
    &LIMIT_TOKEN_COUNT,
    &LIMIT_TOKEN_OFFSET,
    &LIMIT_TOKEN_POSITION,
];

static LENGTH: FilterDefinition = FilterDefinition::new(
    "length",
    "miscellaneous.LengthFilterFactory",
    &["min", "max"],
    "Drops tokens shorter than `min` or longer than `max`.",
    |args| {
        let (min, max) = (args.required_count("min", 0)?, args.required_count("max", 0)?);
        Ok(Keeping::boxed(Between { measure: utf16_len, min, max }))
    },
);

static CODEPOINT_COUNT: FilterDefinition = FilterDefinition::new(
    "codepointCount",
    "miscellaneous.CodepointCountFilterFactory",
    &["min", "max"],
    "Drops tokens of fewer than `min` or more than `max` characters.",
    |args| {
        let (min, max) = (args.required_count("min", 0)?, args.required_count("max", 0)?);
        Ok(Keeping::boxed(Between { measure: |text| text.chars().count(), min, max }))
    },
);

static TRUNCATE: FilterDefinition = FilterDefinition::new(
    "truncate",
    "miscellaneous.TruncateTokenFilterFactory",
    &["prefixLength"],
    "Cuts tokens after `prefixLength` units (5); keyword tokens stay whole.",
    |args| Ok(Box::new(Rewriting(Truncate { units: args.count("prefixLength", 5, 1)? }))),
);

static TRIM: FilterDefinition = FilterDefinition::new(
    "trim",
    "miscellaneous.TrimFilterFactory",
    &[],
    "Drops blanks at both ends of a token.",
    |_| Ok(Box::new(Rewriting(Plain(trim)))),
)
.normalizing();

static LIMIT_TOKEN_COUNT: FilterDefinition = FilterDefinition::new(
    "limitTokenCount",
    "miscellaneous.LimitTokenCountFilterFactory",
    &["maxTokenCount", "consumeAllTokens"],
    "Ends a text after `maxTokenCount` tokens.",
    |args| {
        let max = args.required_count("maxTokenCount", 1)? as u64;
        Ok(Box::new(Limit { max, seen: 0, done: false, measure: Measure::Count }))
    },
);

static LIMIT_TOKEN_OFFSET: FilterDefinition = FilterDefinition::new(
    "limitTokenOffset",
    "miscellaneous.LimitTokenOffsetFilterFactory",
    &["maxStartOffset", "consumeAllTokens"],
    "Ends a text before the first token that starts after `maxStartOffset`, counted in bytes.",
    |args| {
        let max = args.required_count("maxStartOffset", 0)? as u64;
        Ok(Box::new(Limit { max, seen: 0, done: false, measure: Measure::Offset }))
    },
);

static LIMIT_TOKEN_POSITION: FilterDefinition = FilterDefinition::new(
    "limitTokenPosition",
    "miscellaneous.LimitTokenPositionFilterFactory",
    &["maxTokenPosition", "consumeAllTokens"],
    "Ends a text after position `maxTokenPosition`.",
    |args| {
        let max = args.required_count("maxTokenPosition", 1)? as u64;
        Ok(Box::new(Limit { max, seen: 0, done: false, measure: Measure::Position }))
    },
);

#[derive(Clone)]
struct Between {
    measure: fn(&str) -> usize,
    min: usize,
    max: usize,
}

impl Keep for Between {
    fn keeps(&mut self, token: &Token) -> bool {
        (self.min..=self.max).contains(&(self.measure)(&token.text))
    }
}

#[derive(Clone)]
struct Truncate {
    units: usize,
}

impl Rewrite for Truncate {
    fn rewrite(&mut self, token: &mut Token) {
        if token.keyword {
            return;
        }
        let mut units = 0;
        let end = token.text.char_indices().find(|(_, c)| {
            // A character of two units that does not fit whole goes: half of one is no character.
            units += c.len_utf16();
            units > self.units
        });
        if let Some((at, _)) = end {
            token.text.truncate(at);
        }
    }
}

fn trim(token: &mut Token) {
    let end = token.text.trim_end_matches(is_java_whitespace).len();
    token.text.truncate(end);
    let start = token.text.len() - token.text.trim_start_matches(is_java_whitespace).len();
    token.text.drain(..start);
}

#[derive(Clone, Copy)]
enum Measure {
    Count,
    Offset,
    Position,
}

/// Ends the text when a running figure passes a maximum.
#[derive(Clone)]
struct Limit {
    max: u64,
    seen: u64,
    done: bool,
    measure: Measure,
}

impl Filter for Limit {
    fn reset(&mut self) {
        self.seen = 0;
        self.done = false;
    }

    fn next(&mut self, input: &mut Input<'_>, token: &mut Token) -> bool {
        // The count is checked before reading: the token after the last would otherwise be analysed for
        // nothing.
        if self.done || matches!(self.measure, Measure::Count) && self.seen >= self.max || !input.next(token)
        {
            return false;
        }
        self.seen = match self.measure {
            Measure::Count => self.seen + 1,
            Measure::Offset => u64::from(token.start),
            Measure::Position => self.seen + u64::from(token.position_increment),
        };
        self.done = self.seen > self.max;
        !self.done
    }

    fn fresh(&self) -> Box<dyn Filter> {
        Box::new(Limit { seen: 0, done: false, ..self.clone() })
    }
}
