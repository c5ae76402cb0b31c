//! Every path that is served, by every method, spelt as nobody should: with slashes too many, escapes of all
//! kinds, parts of paths behind semicolons, ways up, names without an end.

use crate::random::Random;

/// Below a collection: what `route.rs` knows, and what the built-in configuration declares.
const OF_COLLECTION: [&str; 38] = [
    "/select",
    "/query",
    "/get",
    "/terms",
    "/analysis/field",
    "/analysis/document",
    "/whynot",
    "/update?commit=true",
    "/update/json",
    "/update/json/docs",
    "/update/csv",
    "/update/cbor",
    "/admin/ping?action=status",
    "/admin/luke?show=all&numTerms=-1",
    "/admin/system",
    "/admin/segments?coreInfo=true",
    "/replication?command=details",
    "/replication?command=filelist&generation=-1",
    "/replication?command=fetchindex&masterUrl=http://evil.example/solr",
    "/admin/file?file=solrconfig.xml",
    "/admin/file?file=../../../../etc/passwd",
    "/debug/dump",
    "/admin/mbeans",
    "/admin/plugins",
    "/schema",
    "/schema/fields/id",
    "/schema/fieldtypes/text_general",
    "/schema/dynamicfields/*_s?showDefaults=true",
    "/schema/copyfields?source.fl=*",
    "/schema/similarity",
    "/schema/plan",
    "/schema/managed",
    "/schema/analysis/stopwords/english",
    "/config",
    "/config/overlay",
    "/config/params/x/y/z",
    "/config/requestHandler?componentName=/select",
    "/spell",
];

/// Of the node. None takes `films` away, on which the other requests are.
const OF_NODE: [&str; 44] = [
    "/",
    "/solr",
    "/solr/",
    "/solr/openapi.json",
    "/solr/admin/noop",
    "/solr/admin/info/system",
    "/solr/admin/info/health?maxGenerationLag=-1",
    "/solr/admin/info/properties?name=",
    "/solr/admin/info/threads",
    "/solr/admin/info/logging?since=-1",
    "/solr/admin/info/logging?set=root:NOPE",
    "/solr/admin/info/key",
    "/solr/admin/metrics?prefix=*&compact=x&expr=(((",
    "/solr/admin/metrics?wt=prometheus",
    "/solr/admin/slow",
    "/solr/admin/authentication",
    "/solr/admin/authorization",
    "/solr/admin/configs?action=LIST",
    "/solr/admin/configs?action=DELETE&name=..",
    "/solr/admin/cores?action=STATUS&core=%00",
    "/solr/admin/cores?action=CREATE&name=..%2Fx",
    "/solr/admin/cores?action=CREATE&name=other&configSet=../..",
    "/solr/admin/cores?action=SPLIT&core=films&path=/etc&ranges=0-ffffffffffff",
    "/solr/admin/cores?action=MERGEINDEXES&core=films&indexDir=/etc",
    "/solr/admin/cores?action=BACKUPCORE&core=films&name=../x&location=/etc",
    "/solr/admin/cores?action=REQUESTSTATUS&requestid=",
    "/solr/admin/collections?action=CREATE&name=other&numShards=2147483647",
    "/solr/admin/collections?action=CREATE&name=other&numShards=1&replicationFactor=-1",
    "/solr/admin/collections?action=CREATEALIAS&name=loop&collections=loop",
    "/solr/admin/collections?action=CREATEALIAS&name=round&collections=films,loop,round",
    "/solr/admin/collections?action=RENAME&name=loop&target=other",
    "/solr/admin/collections?action=CLUSTERSTATUS&collection=nope",
    "/solr/admin/collections?action=BACKUP&collection=films&name=x&location=../..",
    "/solr/admin/collections?action=RESTORE&collection=other&name=x&location=/",
    "/solr/admin/collections?action=MIGRATE&async=x",
    "/api/collections",
    "/api/collections/films/snapshots/x%2F..",
    "/api/cores/films/snapshots/..",
    "/api/backups/x/versions/-1",
    "/api/cluster/properties/urlScheme",
    "/api/node/commands/x",
    "/api/node/logging/levels",
    "/api/configsets/_default/solrconfig.xml",
    "/api/aliases/loop/properties",
];

const METHODS: [&str; 9] = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "PROPFIND"];

/// Instead of one of a path's slashes, or behind it.
const SPELLINGS: [&str; 18] = [
    "//",
    "/./",
    "/../",
    "/%2e%2e/",
    "%2f",
    "%5c",
    "%00",
    "/;x",
    ";jsessionid=1/",
    ".",
    "./",
    "/%",
    "/%zz",
    "/%c0%af",
    "/é漢字",
    "/%F0%9F%92%A9",
    "/ ",
    "/\t",
];

/// A path of the table, by any method, mostly spelt in a way of its own.
pub fn odd(random: &mut Random) -> (&'static str, String) {
    let mut target = match random.below(3) {
        0 => (*random.of(&OF_NODE)).to_owned(),
        1 => format!("/api/collections/films{}", random.of(&OF_COLLECTION)),
        _ => format!("/solr/films{}", random.of(&OF_COLLECTION)),
    };
    let slashes: Vec<usize> = target.match_indices('/').map(|(at, _)| at).collect();
    match random.below(8) {
        0..4 => {}
        4 => target += *random.of(&SPELLINGS),
        5 => target += &"x/".repeat(random.below(40_000)),
        _ => {
            let at = *random.of(&slashes);
            let other: &str = random.of::<&str>(&SPELLINGS);
            target.replace_range(at..=at, other);
        }
    }
    (*random.of(&METHODS), target)
}
