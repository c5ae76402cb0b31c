//! What it costs that one word follows another: a number for each pair of contexts, the right one of the word
//! before and the left one of the word after. The matrix is a section of the dictionary file, read once; rows
//! are by the left context, since the search compares all words that may come before one.

use super::sections::Sections;

pub(crate) struct Costs {
    rights: usize,
    costs: Vec<i16>,
}

impl Costs {
    pub(super) fn read(sections: &mut Sections) -> Self {
        let rights = sections.numbers().first().copied().map_or(1, usize::from);
        let mut costs = sections.signed();
        for row in costs.chunks_mut(rights) {
            // The file has differences from cost to cost.
            let mut last = 0_i16;
            for cost in row {
                last = last.wrapping_add(*cost);
                *cost = last;
            }
        }
        Costs { rights, costs }
    }

    /// The costs of all right contexts before one left context.
    #[inline]
    pub(super) fn before(&self, left: u16) -> &[i16] {
        let start = usize::from(left) * self.rights;
        self.costs.get(start..start + self.rights).unwrap_or_default()
    }

    /// The cost of one pair.
    pub(crate) fn between(&self, right: u16, left: u16) -> i32 {
        self.before(left).get(usize::from(right)).copied().map_or(0, i32::from)
    }
}
