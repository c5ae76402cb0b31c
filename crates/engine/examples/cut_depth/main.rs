//! What it costs a shard to give back all that it counted (`CutDepth::Whole`) in place of what one page
//! shows, and to merge and finish that of four shards. Makes its own corpus, in a folder that goes with it.
//!
//! `cargo run --release -p engine --example cut_depth [DOCUMENTS]`; a line for each kind of facet, times of
//! the processor in microseconds.

#[path = "../in_process/index.rs"]
mod index;
#[allow(dead_code, reason = "the other example shows more of a time")]
#[path = "../in_process/stopwatch.rs"]
#[expect(dead_code, reason = "the other example shows single calls too")]
mod stopwatch;

use std::error::Error;
use std::io::Write as _;
use std::path::Path;

use meter::Meters;
use plan::partial::{FacetPartials, Merge};
use plan::{
    BucketPlan, CutDepth, DomainChange, FacetPlan, FieldFacet, NamedStat, PivotFacet, Query, SearchPlan,
    ShardListing, Stat, StatFunction, StatSource, SubFacet, SubFacetKind, TermsFacet, TermsSort,
};

/// Shards of as many documents.
const SHARDS: usize = 4;

#[allow(clippy::print_stdout, reason = "results of a program of its own")]
fn main() -> Result<(), Box<dyn Error>> {
    let documents = std::env::args().nth(1).map_or(Ok(200_000), |text| text.parse::<u64>())?;
    let folder = tempfile::tempdir()?;
    let corpus = folder.path().join("corpus.jsonl");
    write_corpus(&corpus, documents)?;
    let shard = index::open(&corpus)?;
    println!("{:<28} {:>9} {:>9} {:>9} {:>9}", "facet", "page", "whole", "merge 4", "finish");
    for (name, facets) in cases() {
        let at = |depth| SearchPlan {
            facets: FacetPlan { depth, ..facets.clone() },
            ..SearchPlan::count(Query::All)
        };
        let count = |plan: &SearchPlan| -> Result<FacetPartials, plan::Error> {
            Ok(shard.pin().search(plan, &Meters::default())?.facets.unwrap_or_default())
        };
        let (page, whole) = (at(CutDepth::Page), at(CutDepth::Whole));
        let page_us = cpu_us(|| count(&page).map(drop))?;
        let whole_us = cpu_us(|| count(&whole).map(drop))?;
        let part = count(&whole)?;
        let parts = || (0..SHARDS).map(|_| part.clone());
        let merged = || parts().fold(FacetPartials::default(), Merge::merge);
        // Merging and finishing take their parts, so that each call needs copies, which are no part of its
        // time.
        let copied = |work: &dyn Fn()| {
            cpu_us(|| {
                work();
                Ok(())
            })
        };
        let merge_us = copied(&|| drop(merged()))? - copied(&|| drop(parts().collect::<Vec<_>>()))?;
        let kept = merged();
        let finish = || drop(cluster::finish_facets(&facets, kept.clone()));
        let finish_us = copied(&finish)? - copied(&|| drop(kept.clone()))?;
        println!("{name:<28} {page_us:>9.0} {whole_us:>9.0} {merge_us:>9.0} {finish_us:>9.0}");
    }
    Ok(())
}

fn cpu_us(work: impl FnMut() -> Result<(), plan::Error>) -> Result<f64, plan::Error> {
    Ok(stopwatch::time(work)?.cpu_us)
}

/// 1,000 categories of unequal sizes, tags of which each is in three documents, numbers below 5,000.
fn write_corpus(path: &Path, documents: u64) -> Result<(), Box<dyn Error>> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    let mut state = 1u64;
    for id in 0..documents {
        // Knuth's linear congruential generator: the same corpus each time.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let chance = state >> 33;
        let category = (chance % 1000) * (chance / 1000 % 1000) / 1000;
        let (tag, number) = (chance % (documents / 3).max(1), chance % 5000);
        writeln!(
            out,
            r#"{{"id":"{id}","text":"a","num":{number},"date":"2026-01-01T00:00:00Z","flag":true,"cat":"c{category}","tag":"t{tag}"}}"#
        )?;
    }
    Ok(out.flush()?)
}

fn cases() -> Vec<(&'static str, FacetPlan)> {
    let field = |name: &str| FieldFacet { limit: Some(10), ..FieldFacet::of(&name.into()) };
    let classic = |name| FacetPlan { enabled: true, fields: vec![field(name)], ..FacetPlan::default() };
    let tree = |name: &str, function| {
        let stat = |function| NamedStat {
            key: "n".into(),
            stat: Stat { function, source: StatSource::Field("num".into()) },
        };
        let below = BucketPlan { stats: vec![stat(function)], ..BucketPlan::default() };
        let facet = SubFacet {
            key: "t".into(),
            domain: DomainChange::default(),
            kind: SubFacetKind::Terms(terms(name)),
            below,
        };
        let tree = Some(BucketPlan { facets: vec![facet], ..BucketPlan::default() });
        FacetPlan { tree, ..FacetPlan::default() }
    };
    let pivot = PivotFacet {
        key: "p".into(),
        levels: vec![field("flag"), field("cat")],
        exclude_tags: Vec::new(),
        stats: None,
        queries: Vec::new(),
        ranges: Vec::new(),
    };
    vec![
        ("1,000 strings", classic("cat")),
        ("very many strings", classic("tag")),
        ("5,000 numbers", classic("num")),
        ("pivot of 2 by 1,000", FacetPlan { enabled: true, pivots: vec![pivot], ..FacetPlan::default() }),
        ("terms with avg", tree("cat", StatFunction::Average)),
        ("terms with unique", tree("cat", StatFunction::Distinct)),
        ("very many terms with avg", tree("tag", StatFunction::Average)),
        ("groups by 1,000 strings", FacetPlan { groups_of: Some("tag".into()), ..classic("cat") }),
    ]
}

fn terms(field: &str) -> TermsFacet {
    TermsFacet {
        field: field.into(),
        sort: TermsSort::Count,
        descending: true,
        prelim: None,
        limit: Some(10),
        offset: 0,
        count_min: 1,
        prefix: None,
        missing: false,
        num_buckets: false,
        all_buckets: false,
        listing: ShardListing::All,
    }
}
