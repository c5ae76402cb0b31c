//! Words near each other, as Lucene's span queries find them: in order with few words between, or in any
//! order within a window. The highlighters that mark single words read phrases so (`spans`).
//!
//! In: the ascending positions of the words of each place of a phrase; out: the positions of each match.
//! Texts, offsets and the marking of whole phrases are not known here.

/// The positions of each match, one for each place. `slop` counts the words between.
pub(super) fn near(places: &[Vec<u32>], slop: u32, ordered: bool) -> Vec<Vec<u32>> {
    if places.is_empty() || places.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    if ordered { in_order(places, slop) } else { in_window(places, slop) }
}

/// For each word of the first place, the nearest words of the others behind it.
fn in_order(places: &[Vec<u32>], slop: u32) -> Vec<Vec<u32>> {
    let Some((first, rest)) = places.split_first() else { return Vec::new() };
    let mut found = Vec::new();
    for start in first {
        let mut last = *start;
        let mut positions = vec![last];
        for place in rest {
            let next = place.partition_point(|position| *position <= last);
            let Some(position) = place.get(next) else { return found };
            last = *position;
            positions.push(last);
        }
        if is_within(*start, last, places.len(), slop) {
            found.push(positions);
        }
    }
    found
}

/// Moves the first of the words on, one after the other, and looks whether all stand together.
fn in_window(places: &[Vec<u32>], slop: u32) -> Vec<Vec<u32>> {
    let mut heads = vec![0usize; places.len()];
    let mut found = Vec::new();
    loop {
        let standing: Option<Vec<u32>> =
            places.iter().zip(&heads).map(|(place, head)| place.get(*head).copied()).collect();
        let Some(positions) = standing else { return found };
        let first = (0..positions.len()).min_by_key(|at| positions.get(*at)).unwrap_or(0);
        let (least, most) = (positions.iter().min(), positions.iter().max());
        if let (Some(least), Some(most)) = (least, most)
            && is_within(*least, *most, places.len(), slop)
        {
            found.push(positions);
        }
        match heads.get_mut(first) {
            Some(head) => *head += 1,
            None => return found,
        }
    }
}

fn is_within(first: u32, last: u32, words: usize, slop: u32) -> bool {
    let width = u64::from(last - first) + 1;
    width.saturating_sub(words as u64) <= u64::from(slop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_together() {
        let check = |places: &[&[u32]], slop: u32, ordered: bool, expected: &[&[u32]]| {
            let places: Vec<Vec<u32>> = places.iter().map(|place| place.to_vec()).collect();
            assert_eq!(near(&places, slop, ordered), expected, "{places:?} {slop} {ordered}");
        };
        check(&[&[0, 3], &[1, 5]], 0, true, &[&[0, 1]]);
        check(&[&[0, 3], &[1, 5]], 1, true, &[&[0, 1], &[3, 5]]);
        check(&[&[1], &[0]], 0, true, &[]);
        check(&[&[1], &[0, 3]], 1, false, &[&[1, 0], &[1, 3]]);
        check(&[&[1], &[]], 1, false, &[]);
    }
}
