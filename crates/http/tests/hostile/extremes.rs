//! What makes sense and is too much of it: bounds at their ends together with what they bound, and names by
//! the thousand.

use crate::random::Random;

/// Parameters that belong together, as in a URL but for escapes.
const TOGETHER: [&str; 46] = [
    "q=*:*&rows=2147483647&start=2147483647&sort=n_i asc",
    "q=*:*&rows=-1",
    "q=*:*&start=-2147483648",
    "q=*:*&timeAllowed=-1&cpuAllowed=0&memAllowed=0",
    "q=*:*&timeAllowed=1&group=true&group.field=s_s&facet=true&facet.field=title_t",
    "q=*:*&facet=true&facet.range=n_i&facet.range.start=-2147483648&facet.range.end=2147483647&facet.range.gap=0",
    "q=*:*&facet=true&facet.range=n_i&facet.range.start=-2147483648&facet.range.end=2147483647&facet.range.gap=-1",
    "q=*:*&facet=true&facet.range=n_i&facet.range.start=-2147483648&facet.range.end=2147483647&facet.range.gap=1",
    "q=*:*&facet=true&facet.range=p_d&facet.range.start=-1e308&facet.range.end=1e308&facet.range.gap=NaN",
    "q=*:*&facet=true&facet.range=p_d&facet.range.start=0&facet.range.end=1&facet.range.gap=5e-324",
    "q=*:*&facet=true&facet.range=f_f&facet.range.start=16777216&facet.range.end=1e9&facet.range.gap=0.1",
    "q=*:*&facet=true&facet.range=d_dt&facet.range.start=NOW&facet.range.end=NOW%2B9999999999YEARS&facet.range.gap=%2B1DAY",
    "q=*:*&facet=true&facet.range=d_dt&facet.range.start=NOW&facet.range.end=NOW%2B1YEAR&facet.range.gap=%2B1MILLI",
    "q=*:*&facet=true&facet.range=d_dt&facet.range.start=NOW&facet.range.end=NOW%2B1DAY&facet.range.gap=%2B0DAY",
    "q=*:*&facet=true&facet.field=title_t&facet.limit=2147483647&facet.offset=2147483647&facet.mincount=-1",
    "q=*:*&facet=true&facet.pivot=s_s,n_i,id,title_t&facet.pivot.mincount=0&facet.limit=-1",
    "q=*:*&facet=true&facet.interval=n_i&facet.interval.set=[NaN,*]&facet.interval.set=(5,1)",
    "q=*:*&facet=true&facet.heatmap=loc_p&facet.heatmap.gridLevel=99&facet.heatmap.distErrPct=NaN",
    "q=*:*&group=true&group.field=s_s&group.limit=2147483647&group.offset=2147483647&rows=2147483647",
    "q=*:*&group=true&group.func=sum(n_i,1)&group.limit=-1&group.ngroups=true",
    "q=*:*&group=true&group.query=*:*&group.query=-*:*&group.format=simple&group.cache.percent=2147483647",
    "q=quick&df=title_t&hl=true&hl.fl=*&hl.fragsize=2147483647&hl.snippets=2147483647&hl.maxAnalyzedChars=-2147483648",
    "q=quick&df=title_t&hl=true&hl.fl=title_t&hl.method=original&hl.fragsize=-1&hl.increment=0&hl.maxMultiValuedToMatch=0",
    "q=quick&df=title_t&hl=true&hl.fl=title_t&hl.method=fastVector&hl.fragsize=1&hl.phraseLimit=0&hl.fragListBuilder=nope",
    "q=id:1&mlt=true&mlt.fl=title_t&mlt.mintf=0&mlt.mindf=-1&mlt.maxqt=2147483647&mlt.maxntp=2147483647&mlt.count=2147483647",
    "q=id:1&mlt=true&mlt.fl=*&mlt.maxdfpct=-1&mlt.minwl=2147483647&mlt.maxwl=-1&mlt.boost=true&mlt.qf=title_t^1e999",
    "q=quik&df=title_t&spellcheck=true&spellcheck.count=2147483647&spellcheck.maxCollations=2147483647&spellcheck.collate=true",
    "q=quik&df=title_t&spellcheck=true&spellcheck.accuracy=NaN&spellcheck.alternativeTermCount=2147483647&spellcheck.maxCollationTries=-1",
    "q=*:*&suggest=true&suggest.q=a&suggest.count=2147483647&suggest.build=true&suggest.dictionary=nope",
    "q=*:*&terms=true&terms.fl=title_t&terms.limit=2147483647&terms.mincount=-1&terms.maxcount=-2147483648",
    "q=*:*&sort=n_i asc,id asc&cursorMark=AoEPAjE=&start=1",
    "q=*:*&sort=n_i asc,id asc&cursorMark=AoIIRv////8PAjE=",
    "q=*:*&sort=id asc&cursorMark=////",
    "q=_version_:[-9223372036854775808 TO 9223372036854775807]&sort=_version_ desc",
    "q=_version_:9223372036854775808",
    "q=d_dt:\"1000000000-01-01T00:00:00Z\"&fq=d_dt:[-1000000000-01-01T00:00:00Z TO *]",
    "q=d_dt:[NOW%2B9999999999YEARS TO *]&NOW=9223372036854775807&TZ=GMT%2B99:99",
    "q=*:*&NOW=-9223372036854775808&fq=d_dt:[NOW/YEAR TO NOW-2147483647YEARS]",
    "q=*:*&fq={!collapse field=n_i max=query({!v=$fq})}&expand=true&expand.rows=2147483647",
    "q=*:*&rq={!rerank reRankQuery=$rq reRankDocs=2147483647 reRankWeight=1e999}",
    "q={!v=$a}&a={!v=$b}&b={!v=$a}",
    "q={!bool must=$fq should=$fq}&fq={!bool must=$q}",
    "q=*:*&stats=true&stats.field={!percentiles='-1,101,NaN' cardinality=99 countDistinct=true}n_i&stats.calcdistinct=true",
    "q=*:*&fl=[subquery],a:[subquery]&a.q={!v=$q}&a.fl=a:[subquery],*&a.a.q=*:*&a.rows=2147483647",
    "q=*:*&fl=*,[child limit=-1 childFilter=$q parentFilter=$q],[explain],[elevated]&debug=all",
    "q=quick&defType=edismax&qf=title_t^1e999 s_s^-1 n_i^NaN&pf=title_t~2147483647^0&mm=2147483648<-99999%&ps=-1&tie=NaN",
];

/// One parameter many times, or one value with many parts: its name, what is written between the parts, and a
/// part, in which `#` becomes a number.
const MANY: [(&str, &str, &str); 13] = [
    ("sort", ",", "sum(n_i,#) desc"),
    ("fl", ",", "f#:sum(n_i,#)"),
    ("fl", ",", "f#"),
    ("fq", "&fq=", "n_i:#"),
    ("facet.query", "&facet.query=", "n_i:#"),
    ("facet.field", "&facet.field=", "{!key=k#}s_s"),
    ("stats.field", "&stats.field=", "{!key=k#}n_i"),
    ("group.query", "&group=true&group.query=", "n_i:#"),
    ("json.facet", "&json.facet=", "{a#:{type:terms,field:s_s}}"),
    ("hl.fl", ",", "f#_t"),
    ("qf", " ", "f#_t"),
    ("q", " OR ", "n_i:#"),
    ("p#", "&p#=", "x"),
];

/// A query string, not escaped.
pub fn query(random: &mut Random) -> String {
    if random.below(3) > 0 {
        return (*random.of(&TOGETHER)).to_owned();
    }
    let (name, between, part) = random.of(&MANY);
    let part = |number: usize| part.replace('#', &number.to_string());
    let parts: Vec<String> = (0..random.below(2000)).map(part).collect();
    format!("q=*:*&facet=true&stats=true&{name}={}", parts.join(between))
}

/// JSON with as many facets, functions or filters.
pub fn json(random: &mut Random) -> String {
    let count = random.below(10_000);
    let many = |part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>().join(",");
    match random.below(4) {
        0 => format!("{{\"query\":\"*:*\",\"facet\":{{{}}}}}", many(&|n| format!("\"a{n}\":\"sum(n_i)\""))),
        1 => format!("{{\"filter\":[{}]}}", many(&|n| format!("\"n_i:{n}\""))),
        2 => format!(
            "{{\"facet\":{{\"a\":{{\"type\":\"range\",\"field\":\"n_i\",\"ranges\":[{}]}}}}}}",
            many(&|n| format!("{{\"from\":{n}}}"))
        ),
        _ => format!("{{\"params\":{{{}}}}}", many(&|n| format!("\"p{n}\":[{n},{n}]"))),
    }
}
