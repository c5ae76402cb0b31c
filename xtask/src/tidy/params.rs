//! A request's parameter is read through its one definition (`crates/solr/src/params`), which knows its
//! spelling, default and parser. That nobody reads one by a literal name follows from two absences that this
//! rule counts: `by_name` looks up a name that is data, and `pairs` goes over all there are, each in the
//! places listed here, with the reason, and nowhere else.
//!
//! Local parameters (`{!term f=…}`) are no part of it: their names are their parser's, and mean another thing
//! to each.

use super::finding::Finding;

/// The definitions, which may do both.
const DEFINITIONS: &str = "crates/solr/src/params/";
/// Who has the parameters of a request in hand.
const CRATES: [&str; 3] = ["solr", "http", "cluster"];
const LOOK_UPS: [&str; 2] = [".by_name(", ".all_by_name("];
const ALL: &str = ".pairs()";

type Allowed = (&'static str, usize, &'static str);

/// Files that look up names which are data: how often, and where the names are from.
const NAMES_ARE_DATA: [Allowed; 12] = [
    ("crates/solr/src/facet/tree/domain.rs", 1, "`{\"param\": name}` of a JSON request"),
    ("crates/solr/src/facet/tree/stat.rs", 1, "`$name` in a statistic"),
    ("crates/solr/src/function/parse.rs", 1, "`$name` in a function"),
    ("crates/solr/src/json_request/macros.rs", 1, "`${name}`"),
    ("crates/solr/src/json_request/mod.rs", 1, "names below `params` of a JSON request"),
    ("crates/solr/src/query/local_params.rs", 1, "`$name` among local parameters"),
    ("crates/solr/src/response/header.rs", 1, "all names, shown by `echoParams`"),
    ("crates/solr/src/security/permission.rs", 2, "names in a rule of the security file"),
    ("crates/solr/src/select/sort.rs", 1, "`$name` in `childfield(…)`"),
    (
        "crates/solr/src/update/options.rs",
        1,
        "a commit's definitions, read alike off a request and off a body",
    ),
    ("crates/solr/src/update/processors/revise.rs", 1, "names in the configuration of a step"),
    ("crates/solr/src/update/processors/whole.rs", 1, "a name in the configuration of a step"),
];

/// Files that go over all pairs: how often, and what for.
const ALL_PAIRS: [Allowed; 16] = [
    ("crates/http/src/handlers/collections/elsewhere.rs", 1, "asks another member with them"),
    ("crates/http/src/handlers/info.rs", 1, "shows them all"),
    ("crates/http/src/handlers/permit.rs", 1, "measures them"),
    ("crates/http/src/handlers/select/json_body.rs", 1, "shows them in a log"),
    ("crates/http/src/request/params.rs", 2, "joins those of the address with those of the body"),
    ("crates/http/src/request/v2.rs", 2, "calls them as the older API does"),
    ("crates/solr/src/admin/config_view.rs", 2, "shows what a handler presets"),
    ("crates/solr/src/json_request/macros.rs", 4, "fills in what they refer to"),
    ("crates/solr/src/json_request/mod.rs", 3, "looks for parts of JSON, and puts a body before them"),
    ("crates/solr/src/query/budget.rs", 1, "measures them"),
    ("crates/solr/src/query_log.rs", 1, "shows them in a log"),
    ("crates/solr/src/query/dismax/edismax.rs", 2, "`f.<alias>.qf` for any alias"),
    ("crates/solr/src/response/header.rs", 1, "shows them all"),
    ("crates/solr/src/select/subquery.rs", 1, "those that begin with a label of `fl`"),
    ("crates/solr/src/slow/mod.rs", 1, "shows them in a log"),
    ("crates/solr/src/spell/request.rs", 3, "makes the parameters of a trial"),
];

/// Findings for the sources of a crate, as (path, text).
pub fn check(package: &str, sources: &[(String, String)]) -> Vec<Finding> {
    if !CRATES.contains(&package) {
        return Vec::new();
    }
    let mut findings = Vec::new();
    for (path, text) in sources.iter().filter(|(path, _)| is_production(path)) {
        let code = code(text);
        findings.extend(literals(path, &code));
        let look_ups = LOOK_UPS.iter().map(|call| code.matches(call).count()).sum();
        findings.extend(counted(path, look_ups, &NAMES_ARE_DATA, "parameters looked up by name"));
        findings.extend(counted(path, code.matches(ALL).count(), &ALL_PAIRS, "walks over all pairs"));
    }
    let gone = |(path, ..): &&Allowed| {
        path.starts_with(&format!("crates/{package}/")) && !sources.iter().any(|(known, _)| known == path)
    };
    let listed = NAMES_ARE_DATA.iter().chain(&ALL_PAIRS);
    findings.extend(listed.filter(gone).map(|(path, ..)| {
        Finding {
            path: (*path).to_owned(),
            line: 0,
            message:
                "is listed in `xtask/src/tidy/params.rs` and not there: follow the file, or take out the row"
                    .to_owned(),
        }
    }));
    findings
}

fn is_production(path: &str) -> bool {
    !path.starts_with(DEFINITIONS) && !path.contains("/tests/") && !path.ends_with("tests.rs")
}

/// The text above the tests, comments left out. Tests in a file of their own may be declared above the code.
fn code(text: &str) -> String {
    let mut lines = text.lines().peekable();
    let mut code = String::with_capacity(text.len());
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" && lines.peek().is_some_and(|next| !next.trim_end().ends_with(';')) {
            break;
        }
        if !line.trim_start().starts_with("//") {
            code.extend([line, "\n"]);
        }
    }
    code
}

/// Look-ups of a name that the code knows: a text, a constant, or what a definition is called.
fn literals(path: &str, code: &str) -> Vec<Finding> {
    let arguments = LOOK_UPS.iter().flat_map(|call| code.split(call).skip(1));
    let known = arguments.filter_map(|rest| {
        let argument = rest.split([')', ',']).next()?.trim().trim_start_matches('&');
        let is_constant = argument.starts_with(|first: char| first.is_ascii_uppercase());
        let is_known = argument.contains('"') || argument.ends_with(".name") || is_constant;
        is_known.then_some(argument)
    });
    let finding = |argument: &str| Finding {
        path: path.to_owned(),
        line: 0,
        message: format!(
            "reads the parameter {argument} by name: read it through its definition in `{DEFINITIONS}`"
        ),
    };
    known.map(finding).collect()
}

/// A finding where a file does it more or less often than it may.
fn counted(path: &str, found: usize, allowed: &[Allowed], what: &str) -> Option<Finding> {
    let listed = allowed.iter().find(|(file, ..)| *file == path).map_or(0, |(_, count, _)| *count);
    let advice = match found.cmp(&listed) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Less => "lower the number in `xtask/src/tidy/params.rs`",
        std::cmp::Ordering::Greater => {
            "a name that the code knows has a definition; list one that is data with its reason"
        }
    };
    let message = format!("{found} {what}, {listed} are listed: {advice}");
    Some(Finding { path: path.to_owned(), line: 0, message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_through_their_definitions() {
        let check = |package: &str, path: &str, text: &str, findings: usize| {
            let mut found = check(package, &[(path.to_owned(), text.to_owned())]);
            found.retain(|finding| finding.path == path);
            assert_eq!(found.len(), findings, "{path} {text} {found:?}");
        };
        let any = "crates/solr/src/a.rs";
        check("solr", any, "ROWS.read(params)?", 0);
        // Not listed, and known to the code.
        check("solr", any, "params.by_name(\"rows\")", 2);
        check("http", any, "call.params.all_by_name(ROWS.name)", 2);
        check("solr", any, "params.by_name(&format!(\"f.{name}.qf\"))", 2);
        check("solr", any, "params.by_name(ROWS)", 2);
        check("solr", any, "params.by_name(reference)", 1);
        check("solr", any, "params.pairs().iter().find(|(name, _)| name == \"rows\")", 1);
        check("solr", any, "// params.by_name(\"rows\")\n#[cfg(test)]\nparams.by_name(\"rows\")", 0);
        check("solr", any, "#[cfg(test)]\nmod tests;\nparams.by_name(\"rows\")", 2);
        check("solr", "crates/solr/src/params/mod.rs", "self.by_name(name)", 0);
        check("solr", "crates/solr/src/tests.rs", "params.by_name(\"rows\")", 0);
        check("ingest", any, "request.by_name(\"rows\")", 0);
    }

    #[test]
    fn names_that_are_data_are_listed() {
        let (path, count, _) = NAMES_ARE_DATA[0];
        let found = |times: usize| {
            let text = "params.by_name(name)\n".repeat(times);
            check("solr", &[(path.to_owned(), text)]).iter().filter(|finding| finding.path == path).count()
        };
        assert_eq!((found(count - 1), found(count), found(count + 1)), (1, 0, 1));
        let gone = check("solr", &[]);
        assert!(gone.iter().any(|finding| finding.path == path), "{gone:?}");
        let all = NAMES_ARE_DATA.iter().chain(&ALL_PAIRS);
        assert!(all.clone().all(|(_, count, why)| *count > 0 && !why.is_empty()));
    }
}
