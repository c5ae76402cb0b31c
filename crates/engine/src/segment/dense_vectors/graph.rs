//! A graph of neighbours in layers, by which the nearest of many vectors are found without looking at all
//! (Malkov and Yashunin, "Efficient and robust approximate nearest neighbor search using hierarchical
//! navigable small world graphs", 2016). Each vector lives in the lowest layer and, with a chance that falls
//! by the number of links, in those above; a search goes greedily down the upper layers and keeps a beam of
//! candidates in the lowest.
//!
//! The same vectors in the same order make the same graph: a vector's layers depend on its number alone.
//! Links are chosen by the paper's heuristic: a candidate nearer to a chosen neighbour than to the vector
//! itself is passed over.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use plan::GraphShape;
use tantivy::directory::OwnedBytes;

use super::similarity::Target;

/// More layers than any segment fills.
const LAYERS_MAX: usize = 12;

/// A vector's number with how near it is. Greater is nearer, then of a lower number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    pub(crate) score: f32,
    pub(crate) node: u32,
}

impl Eq for Near {}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Who is linked to whom.
pub(crate) trait Links {
    /// The neighbours of a vector in a layer.
    fn neighbours(&self, node: u32, layer: usize) -> impl Iterator<Item = u32> + '_;
}

/// Which vectors a search has been at.
pub(crate) struct Visited(Vec<u64>);

impl Visited {
    pub(crate) fn of(nodes: usize) -> Self {
        Self(vec![0; nodes.div_ceil(64)])
    }

    fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Whether it is the first time.
    fn enter(&mut self, node: u32) -> bool {
        let Some(word) = self.0.get_mut(node as usize / 64) else { return false };
        let bit = 1 << (node % 64);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

/// The nearest in one layer that a beam of this width finds from `start`, nearest last. Those that `accept`
/// refuses are passed through, not kept.
fn search_layer(
    links: &impl Links,
    (layer, beam): (usize, usize),
    start: &[Near],
    visited: &mut Visited,
    score: impl Fn(u32) -> f32,
    accept: impl Fn(u32) -> bool,
) -> Vec<Near> {
    visited.clear();
    let mut open: BinaryHeap<Near> = BinaryHeap::new();
    let mut best: BinaryHeap<Reverse<Near>> = BinaryHeap::new();
    let keep = |best: &mut BinaryHeap<Reverse<Near>>, near: Near| {
        best.push(Reverse(near));
        if best.len() > beam {
            best.pop();
        }
    };
    for near in start {
        visited.enter(near.node);
        open.push(*near);
        if accept(near.node) {
            keep(&mut best, *near);
        }
    }
    while let Some(next) = open.pop() {
        let worst = |best: &BinaryHeap<Reverse<Near>>| match best.peek() {
            Some(Reverse(worst)) if best.len() >= beam => worst.score,
            _ => f32::NEG_INFINITY,
        };
        if next.score < worst(&best) {
            break;
        }
        for node in links.neighbours(next.node, layer) {
            if !visited.enter(node) {
                continue;
            }
            let near = Near { score: score(node), node };
            if near.score > worst(&best) {
                // Gone through though it be refused: a filter would cut the graph into parts that no way
                // leads to.
                open.push(near);
                if accept(node) {
                    keep(&mut best, near);
                }
            }
        }
    }
    let mut found: Vec<Near> = best.into_iter().map(|Reverse(near)| near).collect();
    found.sort_unstable();
    found
}

/// A graph that grows.
pub(crate) struct GraphBuilder<'a> {
    vectors: &'a [u8],
    /// Bytes of a vector.
    size: usize,
    shape: GraphShape,
    /// Of each vector, of each of its layers.
    links: Vec<Vec<Vec<u32>>>,
    entry: Option<u32>,
}

impl Links for GraphBuilder<'_> {
    fn neighbours(&self, node: u32, layer: usize) -> impl Iterator<Item = u32> + '_ {
        let layers = self.links.get(node as usize);
        layers.and_then(|layers| layers.get(layer)).into_iter().flatten().copied()
    }
}

impl<'a> GraphBuilder<'a> {
    /// The graph of all vectors, each of `size` bytes; `target` knows how to compare.
    pub(crate) fn build(vectors: &'a [u8], size: usize, shape: GraphShape, target: &mut Target) -> Self {
        let count = vectors.len() / size.max(1);
        let mut builder = Self { vectors, size, shape, links: Vec::with_capacity(count), entry: None };
        let mut visited = Visited::of(count);
        for node in 0..u32::try_from(count).unwrap_or(u32::MAX) {
            builder.insert(node, target, &mut visited);
        }
        builder
    }

    fn vector(&self, node: u32) -> &'a [u8] {
        let start = node as usize * self.size;
        self.vectors.get(start..start + self.size).unwrap_or_default()
    }

    fn layers_of(&self, node: u32) -> usize {
        // The paper's level, by its factor of 1 / ln(M); of a hash where it throws dice, so that a segment
        // that is merged again has the same graph.
        let chance = (hash(node) >> 11) as f64 / (1u64 << 53) as f64;
        let layer = -(1.0 - chance).ln() / (self.shape.links as f64).ln();
        1 + (layer as usize).min(LAYERS_MAX - 1)
    }

    fn insert(&mut self, node: u32, target: &mut Target, visited: &mut Visited) {
        let layers = self.layers_of(node);
        target.set_bytes(self.vector(node));
        self.links.push(vec![Vec::new(); layers]);
        let Some(entry) = self.entry else {
            self.entry = Some(node);
            return;
        };
        let top = self.links.get(entry as usize).map_or(0, Vec::len);
        let score = |other: u32| target.score(self.vector(other));
        let mut start = vec![Near { score: score(entry), node: entry }];
        let mut chosen = Vec::new();
        for layer in (0..top).rev() {
            let beam = if layer < layers { self.shape.beam } else { 1 };
            start = search_layer(self, (layer, beam), &start, visited, score, |_| true);
            if layer < layers {
                chosen.push((layer, start.clone()));
            }
        }
        for (layer, candidates) in chosen {
            self.link(node, layer, &candidates, target);
        }
        if layers > top {
            self.entry = Some(node);
        }
    }

    fn links_max(&self, layer: usize) -> usize {
        // The paper's M_max0: twice as many where all vectors are.
        if layer == 0 { self.shape.links * 2 } else { self.shape.links }
    }

    /// Links a vector with the best of its candidates, both ways.
    fn link(&mut self, node: u32, layer: usize, candidates: &[Near], target: &mut Target) {
        let chosen = self.choose(candidates, self.shape.links, target);
        for other in &chosen {
            let Some(links) = self.links_mut(*other, layer) else { continue };
            links.push(node);
            if links.len() > self.links_max(layer) {
                self.shrink(*other, layer, target);
            }
        }
        if let Some(links) = self.links_mut(node, layer) {
            *links = chosen;
        }
    }

    fn links_mut(&mut self, node: u32, layer: usize) -> Option<&mut Vec<u32>> {
        self.links.get_mut(node as usize)?.get_mut(layer)
    }

    /// Takes links away from a vector that has too many.
    fn shrink(&mut self, node: u32, layer: usize, target: &mut Target) {
        target.set_bytes(self.vector(node));
        let near = |other| Near { score: target.score(self.vector(other)), node: other };
        let mut candidates: Vec<Near> = self.neighbours(node, layer).map(near).collect();
        candidates.sort_unstable();
        let chosen = self.choose(&candidates, self.links_max(layer), target);
        if let Some(links) = self.links_mut(node, layer) {
            *links = chosen;
        }
    }

    /// At most `most` of the candidates, which come nearest last, that lie in different directions; filled up
    /// with the nearest of the others.
    fn choose(&self, candidates: &[Near], most: usize, target: &mut Target) -> Vec<u32> {
        let (mut chosen, mut passed): (Vec<u32>, Vec<u32>) = (Vec::with_capacity(most), Vec::new());
        for near in candidates.iter().rev() {
            if chosen.len() >= most {
                break;
            }
            target.set_bytes(self.vector(near.node));
            let hidden = chosen.iter().any(|other| target.score(self.vector(*other)) > near.score);
            if hidden { &mut passed } else { &mut chosen }.push(near.node);
        }
        // The paper's `keepPrunedConnections`: a vector with few links is found by few ways.
        let room = most - chosen.len();
        chosen.extend(passed.into_iter().take(room));
        chosen
    }

    /// Little endian: entry (u32), layers (u32); the lowest layer as a row for each vector, of the number of
    /// its links and this many places; then each layer above: number of vectors (u32), for each its number,
    /// that of its links, and places.
    pub(crate) fn write(&self, file: &mut Vec<u8>) {
        let mut put = |number: u32| file.extend(number.to_le_bytes());
        let Some(entry) = self.entry else {
            put(0);
            return put(0);
        };
        let layers = self.links.get(entry as usize).map_or(0, Vec::len);
        put(entry);
        put(layers as u32);
        let mut row = |links: &[u32], places: usize| {
            put(links.len() as u32);
            (0..places).for_each(|at| put(links.get(at).copied().unwrap_or(0)));
        };
        self.links.iter().filter_map(|layers| layers.first()).for_each(|links| row(links, self.links_max(0)));
        for layer in 1..layers {
            let members = || {
                let nodes = self.links.iter().zip(0u32..);
                nodes.filter_map(|(layers, node)| Some((node, layers.get(layer)?)))
            };
            file.extend((members().count() as u32).to_le_bytes());
            for (node, links) in members() {
                file.extend(node.to_le_bytes());
                let mut put = |number: u32| file.extend(number.to_le_bytes());
                put(links.len() as u32);
                (0..self.links_max(layer)).for_each(|at| put(links.get(at).copied().unwrap_or(0)));
            }
        }
    }
}

/// A well mixed number (splitmix64 by Vigna).
fn hash(node: u32) -> u64 {
    let mut mixed = (u64::from(node) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// A graph in a file.
#[derive(Clone)]
pub(crate) struct Graph {
    entry: u32,
    /// Links of a vector in an upper layer.
    links: usize,
    lowest: OwnedBytes,
    /// From the second layer on.
    upper: Vec<OwnedBytes>,
}

impl Graph {
    /// Bytes of a number.
    const NUMBER: usize = 4;

    /// `None` when the bytes are no graph of this many vectors.
    pub(crate) fn open(file: &OwnedBytes, nodes: usize, links: usize) -> Option<Self> {
        let mut at = 0;
        let number = |at: &mut usize| {
            let bytes = file.as_slice().get(*at..*at + Self::NUMBER)?;
            *at += Self::NUMBER;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        let (entry, layers) = (number(&mut at)?, number(&mut at)?);
        let part = |at: &mut usize, bytes: usize| {
            let end = at.checked_add(bytes).filter(|end| *end <= file.len())?;
            let part = file.slice(*at..end);
            *at = end;
            Some(part)
        };
        if layers as usize > LAYERS_MAX || (entry as usize) >= nodes {
            return None;
        }
        let lowest = part(&mut at, nodes.checked_mul((1 + links * 2) * Self::NUMBER)?)?;
        let mut upper = Vec::new();
        for _ in 1..layers {
            let members = number(&mut at)? as usize;
            upper.push(part(&mut at, members.checked_mul((2 + links) * Self::NUMBER)?)?);
        }
        Some(Self { entry, links, lowest, upper })
    }

    /// The nearest of those that `accept` takes, nearest last; `beam` is how many are kept on the way.
    pub(crate) fn search(
        &self,
        beam: usize,
        visited: &mut Visited,
        score: impl Fn(u32) -> f32 + Copy,
        accept: impl Fn(u32) -> bool,
    ) -> Vec<Near> {
        let mut start = vec![Near { score: score(self.entry), node: self.entry }];
        for layer in (1..=self.upper.len()).rev() {
            start = search_layer(self, (layer, 1), &start, visited, score, |_| true);
        }
        search_layer(self, (0, beam), &start, visited, score, accept)
    }

    /// The row of a vector in a layer: how many links, and they.
    fn row(&self, node: u32, layer: usize) -> Option<&[u8]> {
        if layer == 0 {
            let size = (1 + self.links * 2) * Self::NUMBER;
            return self.lowest.as_slice().get(node as usize * size..)?.get(..size);
        }
        let rows = self.upper.get(layer - 1)?.as_slice();
        let size = (2 + self.links) * Self::NUMBER;
        let (mut low, mut high) = (0, rows.len() / size);
        while low < high {
            let middle = usize::midpoint(low, high);
            let row = rows.get(middle * size..)?.get(..size)?;
            match first(row)?.cmp(&node) {
                Ordering::Equal => return row.get(Self::NUMBER..),
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        None
    }
}

fn first(row: &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(row.get(..Graph::NUMBER)?.try_into().ok()?))
}

impl Links for Graph {
    fn neighbours(&self, node: u32, layer: usize) -> impl Iterator<Item = u32> + '_ {
        let row = self.row(node, layer).unwrap_or_default();
        let count = first(row).unwrap_or(0) as usize;
        row.chunks_exact(Self::NUMBER).skip(1).take(count).filter_map(first)
    }
}
