//! The stretches of words that a span query finds in one document, in the order in which Lucene's spans give
//! them. The rules, which of overlapping stretches are found and how wide each is, are those of Lucene 9.12
//! (`NearSpansOrdered`, `NearSpansUnordered`, `SpanOrQuery`, `SpanNotQuery`), checked against recorded
//! scores. Each list is walked once.

/// As `plan::Span`, words by their numbers.
#[derive(Debug, PartialEq)]
pub(crate) enum SpanShape {
    Word(usize),
    Any(Vec<SpanShape>),
    Near { shapes: Vec<SpanShape>, slop: u32, in_order: bool },
    Without(Box<[SpanShape; 2]>),
}

/// Words from `start` up to and without `end`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Words that belong to nothing, by which it counts less; of words in any order all of them.
    pub(super) width: u32,
    /// (number of the term, position), where those are wanted.
    pub(super) words: Vec<(usize, u32)>,
}

/// All in one document; `positions` are those of each term.
pub(super) fn stretches(shape: &SpanShape, positions: &[Vec<u32>], with_words: bool) -> Vec<Stretch> {
    let of = |shape: &SpanShape| stretches(shape, positions, with_words);
    match shape {
        SpanShape::Word(term) => {
            let words = |position: u32| if with_words { vec![(*term, position)] } else { Vec::new() };
            let own = positions.get(*term).map(Vec::as_slice).unwrap_or_default();
            let one = |position: &u32| Stretch {
                start: *position,
                end: position.saturating_add(1),
                width: 0,
                words: words(*position),
            };
            own.iter().map(one).collect()
        }
        SpanShape::Any(shapes) => {
            let mut all: Vec<Stretch> = shapes.iter().flat_map(of).collect();
            all.sort_by_key(|stretch| (stretch.start, stretch.end));
            all
        }
        SpanShape::Near { shapes, slop, in_order } => {
            let parts: Vec<Vec<Stretch>> = shapes.iter().map(of).collect();
            if parts.is_empty() || parts.iter().any(Vec::is_empty) {
                return Vec::new();
            }
            if *in_order { ordered(&parts, *slop) } else { unordered(&parts, *slop) }
        }
        SpanShape::Without(shapes) => {
            let [found, excluded] = &**shapes;
            apart(of(found), &of(excluded))
        }
    }
}

/// For each of the first part, the nearest of the others behind one another.
fn ordered(parts: &[Vec<Stretch>], slop: u32) -> Vec<Stretch> {
    let Some((first, rest)) = parts.split_first() else { return Vec::new() };
    let mut heads = vec![0usize; rest.len()];
    let mut found = Vec::new();
    for start in first {
        let mut chosen = vec![start];
        let (mut end, mut width) = (start.end, 0u32);
        for (part, head) in rest.iter().zip(&mut heads) {
            let behind = part.get(*head..).unwrap_or_default();
            *head += behind.iter().take_while(|stretch| stretch.start < end).count();
            let Some(next) = part.get(*head) else { return found };
            width = width.saturating_add(next.start - end);
            end = next.end;
            chosen.push(next);
        }
        if width <= slop {
            found.push(joined(&chosen, (start.start, end), width));
        }
    }
    found
}

/// One of each part in a window, whose first is moved on.
fn unordered(parts: &[Vec<Stretch>], slop: u32) -> Vec<Stretch> {
    let mut heads = vec![0usize; parts.len()];
    let mut found = Vec::new();
    let mut end = 0;
    loop {
        let standing = parts.iter().zip(&heads).map(|(part, head)| part.get(*head));
        let Some(chosen) = standing.collect::<Option<Vec<_>>>() else { return found };
        end = chosen.iter().fold(end, |end, stretch| stretch.end.max(end));
        let first = (0..chosen.len()).min_by_key(|at| chosen.get(*at).map(|it| (it.start, it.end)));
        let Some((number, first)) = first.and_then(|at| Some((at, chosen.get(at)?))) else { return found };
        let width = end.saturating_sub(first.start);
        let covered: u64 = chosen.iter().map(|stretch| u64::from(stretch.end - stretch.start)).sum();
        if u64::from(width).saturating_sub(covered) <= u64::from(slop) {
            found.push(joined(&chosen, (first.start, end), width));
        }
        match heads.get_mut(number) {
            Some(head) => *head += 1,
            None => return found,
        }
    }
}

fn joined(chosen: &[&Stretch], (start, end): (u32, u32), width: u32) -> Stretch {
    let words = chosen.iter().flat_map(|stretch| stretch.words.iter().copied()).collect();
    Stretch { start, end, width, words }
}

/// Those that overlap none of `excluded`.
fn apart(mut found: Vec<Stretch>, excluded: &[Stretch]) -> Vec<Stretch> {
    let mut next = 0;
    found.retain(|stretch| {
        let behind = excluded.get(next..).unwrap_or_default();
        next += behind.iter().take_while(|other| other.end <= stretch.start).count();
        excluded.get(next).is_none_or(|other| other.start >= stretch.end)
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(number: usize) -> SpanShape {
        SpanShape::Word(number)
    }

    fn near(numbers: &[usize], slop: u32, in_order: bool) -> SpanShape {
        SpanShape::Near { shapes: numbers.iter().copied().map(word).collect(), slop, in_order }
    }

    #[test]
    fn stretches_are_those_of_lucene() {
        // Each letter is a word, a letter's number its place in the alphabet.
        let check = |shape: SpanShape, text: &str, expected: &[(u32, u32, u32)]| {
            let place = |letter: u8| {
                (0u32..).zip(text.bytes()).filter(|(_, it)| *it == letter).map(|(at, _)| at).collect()
            };
            let positions: Vec<Vec<u32>> = (b'a'..=b'z').map(place).collect();
            let found = stretches(&shape, &positions, false);
            let found: Vec<_> = found.iter().map(|it| (it.start, it.end, it.width)).collect();
            assert_eq!(found, expected, "{shape:?} in {text}");
        };
        check(word(0), "aba", &[(0, 1, 0), (2, 3, 0)]);
        check(near(&[0, 1], 0, true), "abxab", &[(0, 2, 0), (3, 5, 0)]);
        check(near(&[0, 1], 1, true), "aaxb", &[(1, 4, 1)]);
        check(near(&[0, 1], 2, true), "aaxb", &[(0, 4, 2), (1, 4, 1)]);
        check(near(&[0, 1], 9, true), "ba", &[]);
        check(near(&[0, 1], 0, false), "ba", &[(0, 2, 2)]);
        check(near(&[0, 1], 1, false), "bxxa", &[]);
        check(near(&[0, 0], 4, false), "a", &[(0, 1, 1)]);
        let without = |one, other| SpanShape::Without(Box::new([one, other]));
        check(without(word(0), near(&[0, 1], 0, true)), "abaxa", &[(2, 3, 0), (4, 5, 0)]);
        check(SpanShape::Any(vec![word(1), word(0)]), "ab", &[(0, 1, 0), (1, 2, 0)]);
        check(SpanShape::Any(vec![]), "ab", &[]);
    }

    #[test]
    fn words_of_a_stretch_are_named() {
        let found = stretches(&near(&[1, 0], 0, false), &[vec![3], vec![4]], true);
        assert_eq!(found, [Stretch { start: 3, end: 5, width: 2, words: vec![(1, 4), (0, 3)] }]);
    }
}
