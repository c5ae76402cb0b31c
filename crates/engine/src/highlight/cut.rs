//! Where passages begin and end: boundaries of the text, chosen so that passages come near a length. Values are cut apart
//! before all else. The rules, and what they make of the ends of a value, are those of Lucene's break iterators around Java's
//! (`LengthGoalBreakIterator` within `SplittingBreakIterator`, 9.12.3). All offsets are units; below 0 means none.

use analysis::{BoundaryKind, boundaries};
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
    piece: Piece,
}

/// The boundaries of one value.
#[derive(Default)]
struct Piece {
    len: isize,
    boundaries: Vec<isize>,
    /// Whether boundaries stand behind separators, which Lucene finds in its own way.
    separated: bool,
    current: isize,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(text: &'a Text, breaks: Breaks, goal: Option<Goal>) -> Self {
        let separators = text.as_str().match_indices(VALUE_SEPARATOR);
        let separators = separators.map(|(byte, _)| text.unit(byte) as isize).collect();
        let mut cutter = Self { text, breaks, goal, separators, value: (0, 0), piece: Piece::default() };
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
            self.piece = Piece::of(self.text.slice(start as usize, end as usize), self.breaks);
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

impl Piece {
    fn of(value: &str, breaks: Breaks) -> Self {
        let text = Text::new(value.to_owned());
        let bytes = match breaks {
            Breaks::Sentence => boundaries(BoundaryKind::Sentence, value),
            Breaks::Word => boundaries(BoundaryKind::Word, value),
            Breaks::Line => boundaries(BoundaryKind::Line, value),
            Breaks::Character => boundaries(BoundaryKind::Character, value),
            Breaks::Nowhere => vec![0, value.len()],
            Breaks::Separator(separator) => {
                let behind = value.match_indices(separator).map(|(byte, found)| byte + found.len());
                std::iter::once(0).chain(behind).chain([value.len()]).collect()
            }
        };
        let mut boundaries: Vec<isize> = bytes.into_iter().map(|byte| text.unit(byte) as isize).collect();
        boundaries.dedup();
        let separated = matches!(breaks, Breaks::Separator(_));
        Self { len: text.len() as isize, boundaries, separated, current: 0 }
    }

    fn following(&self, offset: isize) -> isize {
        let offset = offset + isize::from(self.separated && offset + 1 < self.len);
        let next = self.boundaries.partition_point(|boundary| *boundary <= offset);
        self.boundaries.get(next).copied().unwrap_or(NONE)
    }

    fn preceding(&self, offset: isize) -> isize {
        let offset = offset + isize::from(self.separated && offset > 0);
        let next = self.boundaries.partition_point(|boundary| *boundary < offset);
        next.checked_sub(1).and_then(|last| self.boundaries.get(last)).copied().unwrap_or(NONE)
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
        let before = self.preceding(wanted);
        let nearer = wanted - before < after - wanted && before > offset;
        self.current = if after != wanted && !at_least && nearer { before } else { after };
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
        let after = self.following(wanted - 1);
        let nearer = after - wanted < wanted - before && after < offset;
        self.current = if before != wanted && !goal.at_least && nearer { after } else { before };
        self.current
    }
}
