//! Where passages begin and end: boundaries of the text, chosen so that passages come near a length. Values
//! are cut apart before all else. The rules, and what they make of the ends of a value, are those of Lucene's
//! break iterators around Java's (`LengthGoalBreakIterator` within `SplittingBreakIterator`, 9.12.3). All
//! offsets are units; below 0 means none.

use analysis::{Boundaries, BoundaryKind};
use plan::Breaks;

use super::text::{Text, VALUE_SEPARATOR};

const NONE: isize = -1;

/// How long passages should be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) units: isize,
    /// The part that lies before the match.
    pub(super) align: f32,
    /// Never shorter.
    pub(super) at_least: bool,
}

/// Walks over the boundaries of a text. Like Lucene's, it remembers where it stands within a value.
pub(super) struct Cutter<'a> {
    text: &'a Text,
    breaks: Breaks,
    goal: Option<Goal>,
    /// The separators between values.
    separators: Vec<isize>,
    /// The value looked at: from where to where.
    value: (isize, isize),
    piece: CutValue,
}

/// One value with its boundaries.
struct CutValue {
    text: Text,
    len: isize,
    current: isize,
    cuts: Cuts,
}

enum Cuts {
    Java(Boundaries),
    /// Behind each of these units.
    Behind(Vec<isize>),
}

impl<'a> Cutter<'a> {
    pub(super) fn new(text: &'a Text, breaks: Breaks, goal: Option<Goal>) -> Self {
        let separators = text.as_str().match_indices(VALUE_SEPARATOR);
        let separators = separators.map(|(byte, _)| text.unit(byte) as isize).collect();
        let mut cutter =
            Self { text, breaks, goal, separators, value: (0, 0), piece: CutValue::of("", breaks) };
        cutter.first();
        cutter
    }

    fn len(&self) -> isize {
        self.text.len() as isize
    }

    /// The first separator from `at` on, or the end.
    fn separator_from(&self, at: isize) -> isize {
        let next = self.separators.partition_point(|separator| *separator < at);
        self.separators.get(next).copied().unwrap_or(self.len())
    }

    /// Behind the last separator up to `at`, or the beginning.
    fn behind_separator(&self, at: isize) -> isize {
        let next = self.separators.partition_point(|separator| *separator <= at);
        next.checked_sub(1).and_then(|last| self.separators.get(last)).map_or(0, |separator| separator + 1)
    }

    fn enter(&mut self, start: isize, end: isize) {
        self.value = (start, end);
        if start < end {
            self.piece = CutValue::of(self.text.slice(start as usize, end as usize), self.breaks);
        }
    }

    /// To the beginning of the text.
    pub(super) fn first(&mut self) {
        self.enter(0, self.separator_from(0));
    }

    /// The boundary behind `offset`.
    pub(super) fn following(&mut self, offset: isize) -> isize {
        let (start, end) = self.value;
        if offset + 1 < start || offset + 1 > end {
            if offset == self.len() {
                return NONE;
            }
            let start = self.behind_separator(offset);
            self.enter(start, self.separator_from((offset + 1).max(start)));
        }
        let (start, end) = self.value;
        match offset {
            _ if start == end => offset + 1,
            _ if offset == start - 1 => {
                self.piece.current = 0;
                start
            }
            _ => start + self.piece.goal_following(offset - start, self.goal),
        }
    }

    /// The boundary before `offset`.
    pub(super) fn preceding(&mut self, offset: isize) -> isize {
        let (start, end) = self.value;
        if offset - 1 < start || offset - 1 > end {
            if offset == 0 {
                return NONE;
            }
            let end = self.separator_from(offset);
            self.enter(self.behind_separator(offset - 1).min(end), end);
        }
        let (start, end) = self.value;
        match offset {
            _ if start == end => offset - 1,
            _ if offset == end + 1 => {
                self.piece.current = self.piece.len;
                end
            }
            _ => start + self.piece.goal_preceding(offset - start, self.goal),
        }
    }

    /// The passage that begins at `at`, where the one before ended: its end.
    pub(super) fn next(&mut self) -> Option<isize> {
        let (start, end) = self.value;
        let next = if start == end { NONE } else { self.piece.goal_next(self.goal) };
        if next != NONE {
            return Some(start + next);
        }
        if end >= self.len() {
            return None;
        }
        self.enter(end + 1, self.separator_from(end + 1));
        Some(end + 1)
    }
}

impl CutValue {
    fn of(value: &str, breaks: Breaks) -> Self {
        let text = Text::new(value.to_owned());
        let java = |kind| Cuts::Java(Boundaries::new(kind, value));
        let cuts = match breaks {
            Breaks::Sentence => java(BoundaryKind::Sentence),
            Breaks::Word => java(BoundaryKind::Word),
            Breaks::Line => java(BoundaryKind::Line),
            Breaks::Character => java(BoundaryKind::Character),
            Breaks::Nowhere => Cuts::Behind(Vec::new()),
            Breaks::Separator(separator) => {
                let found = value.match_indices(separator);
                Cuts::Behind(found.map(|(byte, _)| text.unit(byte) as isize).collect())
            }
        };
        Self { len: text.len() as isize, text, current: 0, cuts }
    }

    /// Lucene looks for a separator behind `offset`, not at it.
    fn following(&mut self, offset: isize) -> isize {
        match &mut self.cuts {
            _ if offset >= self.len => NONE,
            Cuts::Java(boundaries) => {
                let next = boundaries.following(self.text.byte(offset.max(0) as usize));
                next.map_or(NONE, |byte| self.text.unit(byte) as isize)
            }
            Cuts::Behind(separators) => {
                let next = separators.partition_point(|separator| *separator <= offset);
                separators.get(next).map_or(self.len, |separator| separator + 1)
            }
        }
    }

    fn preceding(&mut self, offset: isize) -> isize {
        match &mut self.cuts {
            _ if offset <= 0 => NONE,
            Cuts::Java(boundaries) => {
                let before = boundaries.preceding(self.text.byte_from(offset as usize));
                before.map_or(NONE, |byte| self.text.unit(byte) as isize)
            }
            Cuts::Behind(separators) => {
                let next = separators.partition_point(|separator| *separator < offset);
                let before = next.checked_sub(1).and_then(|last| separators.get(last));
                before.map_or(0, |separator| separator + 1)
            }
        }
    }

    fn goal_following(&mut self, offset: isize, goal: Option<Goal>) -> isize {
        let Some(goal) = goal else { return self.following(offset) };
        let rest = (goal.units as f32 * (1.0 - goal.align)) as isize;
        self.near_end(offset, offset + 1 + rest, goal.at_least)
    }

    fn goal_next(&mut self, goal: Option<Goal>) -> isize {
        let Some(goal) = goal else {
            let next = self.following(self.current);
            self.current = if next == NONE { self.current } else { next };
            return next;
        };
        self.near_end(self.current, self.current.saturating_add(goal.units), goal.at_least)
    }

    /// The end of a passage near `wanted` whose match ends at `offset`.
    fn near_end(&mut self, offset: isize, wanted: isize, at_least: bool) -> isize {
        if wanted >= self.len {
            let stood = std::mem::replace(&mut self.current, self.len);
            return if stood == self.len { NONE } else { self.len };
        }
        let after = self.following(wanted - 1);
        if after == NONE {
            self.current = self.len;
            return NONE;
        }
        self.current = after;
        // The text's own boundaries may depend on what they were asked, so they are not asked more than
        // Lucene asks.
        if after != wanted && !at_least {
            let before = self.preceding(wanted);
            let nearer = wanted - before < after - wanted && before > offset;
            self.current = if nearer { before } else { after };
        }
        self.current
    }

    fn goal_preceding(&mut self, offset: isize, goal: Option<Goal>) -> isize {
        let Some(goal) = goal else { return self.preceding(offset) };
        let wanted = offset - 1 - (goal.units as f32 * goal.align) as isize;
        if wanted <= 0 {
            let stood = std::mem::replace(&mut self.current, 0);
            return if stood == 0 { NONE } else { 0 };
        }
        let before = self.preceding(wanted + 1);
        if before == NONE {
            self.current = 0;
            return NONE;
        }
        self.current = before;
        if before != wanted && !goal.at_least {
            let after = self.following(wanted - 1);
            let nearer = after - wanted < wanted - before && after < offset;
            self.current = if nearer { after } else { before };
        }
        self.current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_come_near_their_length() {
        let check = |text: &str, goal: Option<Goal>, asked: (isize, isize), expected: (isize, isize)| {
            let text = Text::new(text.to_owned());
            let mut cutter = Cutter::new(&text, Breaks::Sentence, goal);
            let found = (cutter.preceding(asked.0), cutter.following(asked.1));
            assert_eq!(found, expected, "{} {asked:?}", text.as_str());
        };
        let goal = |units, at_least| Some(Goal { units, align: 0.0, at_least });
        check("One. Two three. Four.", None, (6, 7), (5, 16));
        check("One. Two three. Four. Five.", goal(12, true), (6, 7), (5, 22));
        check("One. Two three. Four. Five.", goal(9, false), (6, 7), (5, 16));
        // Before a value's first sentence there is none, which leaves the separator.
        check("One.\0Two.", goal(12, true), (6, 7), (4, 9));
    }

    #[test]
    fn values_begin_passages() {
        let text = Text::new("One. Two.\0Three.".to_owned());
        let mut cutter = Cutter::new(&text, Breaks::Sentence, None);
        let ends: Vec<isize> = std::iter::from_fn(|| cutter.next()).collect();
        assert_eq!(ends, [5, 9, 10, 16]);
    }
}
