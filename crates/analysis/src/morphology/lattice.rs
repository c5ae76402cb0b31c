//! All ways to cut the part of a text that is being looked at. At each place lie links: words that end there,
//! each with the cheapest way to reach it. Places are byte offsets; those before the last cut that was
//! decided are forgotten, so the lattice stays small however long the text is.

use std::collections::VecDeque;

use super::costs::Costs;

/// A word in the lattice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// Of the dictionary, known or unknown.
    Listed(u32),
    /// Of the configset.
    User(u32),
}

/// A word that ends at a place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    /// Of the cheapest way from the beginning of the lattice to here.
    pub(crate) cost: i32,
    /// The right context of the word.
    pub(crate) right: u16,
    /// The place that the word was reached from; it lies before `start` if a blank is between.
    pub(crate) from: usize,
    /// Where the word starts.
    pub(crate) start: usize,
    /// Which of the links at `from` comes before.
    pub(crate) before: usize,
    pub(crate) word: Word,
}

/// A word to be put into the lattice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) from: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) word: Word,
    pub(crate) left: u16,
    pub(crate) right: u16,
    /// The word's own, with all penalties.
    pub(crate) cost: i32,
}

#[derive(Default)]
pub(crate) struct Lattice {
    places: VecDeque<Vec<Link>>,
    /// The offset of the first place.
    base: usize,
    /// Emptied places, to be used again.
    spare: Vec<Vec<Link>>,
}

impl Lattice {
    /// Begins a text: one link that stands for its beginning.
    pub(crate) fn reset(&mut self) {
        let places = self.places.len();
        self.forget(self.base + places);
        self.base = 0;
        self.push(0, Link { cost: 0, right: 0, from: 0, start: 0, before: 0, word: Word::Listed(0) });
    }

    /// The last place that a word reaches.
    pub(crate) fn reach(&self) -> usize {
        (self.base + self.places.len()).saturating_sub(1)
    }

    pub(crate) fn links(&self, place: usize) -> &[Link] {
        let at = place.checked_sub(self.base);
        at.and_then(|at| self.places.get(at)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn links_mut(&mut self, place: usize) -> Option<&mut Vec<Link>> {
        self.places.get_mut(place.checked_sub(self.base)?)
    }

    pub(crate) fn push(&mut self, place: usize, link: Link) {
        let Some(at) = place.checked_sub(self.base) else { return };
        while self.places.len() <= at {
            self.places.push_back(self.spare.pop().unwrap_or_default());
        }
        if let Some(links) = self.places.get_mut(at) {
            links.push(link);
        }
    }

    /// Puts a word where it ends, after the cheapest of the links where it begins; the first one of several.
    pub(crate) fn add(&mut self, costs: &Costs, candidate: &Candidate) {
        let Candidate { from, start, end, word, left, right, cost } = *candidate;
        let row = costs.before(left);
        let ways = self.links(from).iter().map(|link| link.cost + connection(row, link.right));
        let Some((before, least)) = ways.enumerate().min_by_key(|(_, cost)| *cost) else { return };
        self.push(end, Link { cost: least + cost, right, from, start, before, word });
    }

    /// The cheapest link of a place if `left` follows; the first one of several.
    pub(crate) fn cheapest(&self, place: usize, costs: &Costs, left: Option<u16>) -> Option<usize> {
        let row = left.map_or(&[][..], |left| costs.before(left));
        let ways = self.links(place).iter().map(|link| link.cost + connection(row, link.right));
        ways.enumerate().min_by_key(|(_, cost)| *cost).map(|(index, _)| index)
    }

    /// Keeps the cheapest of all links from a place on and drops the others. Returns the place where it lies.
    pub(crate) fn prune(&mut self, from: usize) -> Option<usize> {
        let places = from..=self.reach();
        let all =
            places.flat_map(|place| self.links(place).iter().map(move |link| (link.cost, place, *link)));
        let (_, kept, link) = all.min_by_key(|(cost, place, _)| (*cost, *place))?;
        for place in from..=self.reach() {
            if let Some(links) = self.links_mut(place) {
                links.clear();
            }
        }
        self.push(kept, link);
        Some(kept)
    }

    /// Counts costs anew from a place, so that they stay small.
    pub(crate) fn rebase(&mut self, place: usize) {
        for link in self.links_mut(place).into_iter().flatten() {
            link.cost = 0;
        }
    }

    /// Forgets the places before one.
    pub(crate) fn forget(&mut self, before: usize) {
        while self.base < before {
            let Some(mut links) = self.places.pop_front() else {
                self.base = before;
                return;
            };
            links.clear();
            self.spare.push(links);
            self.base += 1;
        }
    }
}

/// The cost of a right context in the row of what follows.
#[inline]
fn connection(row: &[i16], right: u16) -> i32 {
    row.get(usize::from(right)).copied().map_or(0, i32::from)
}
