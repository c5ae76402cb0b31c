//! The advice as people and programs read it. In: what was found; out: JSON by these members, or a text that
//! says of each finding what to do about it. Nothing is judged here.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::arguments::AdviseArgs;
use super::asked::AskedSearches;
use super::habits::{FilterKept, SearchHabits};
use super::proofs::NamedProof;
use super::report_text::{bytes_text, field_table, query_table};
use super::server_facts::ServerFacts;
use super::uses::LoggedUses;
use super::verdict::{FieldVerdict, Standing};
use crate::output;
use crate::queries::tally::QueryRow;

/// Queries and reasons that are shown of each list.
const SHOWN_MAX: usize = 5;

#[derive(Serialize)]
pub struct AdviceReport {
    collection: String,
    days: u32,
    searches: u64,
    /// Of the first and the last of them.
    first: Option<String>,
    last: Option<String>,
    /// What weakens the advice.
    cautions: Vec<String>,
    /// Of the index; absent where the server does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    /// Searches that show all stored fields.
    shows_all: u64,
    fields: Vec<FieldVerdict>,
    #[serde(flatten)]
    habits: SearchHabits,
    top: Vec<QueryRow>,
    zero: Vec<QueryRow>,
    /// Collections that the log has searches of, for whoever asked for one that it has none of.
    logged_collections: BTreeSet<String>,
    /// Why searches could not be read, and how many.
    unread: BTreeMap<String, u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    proofs: Vec<NamedProof>,
}

impl AdviceReport {
    pub fn new(
        args: &AdviseArgs,
        (asked, passed_over): (&AskedSearches, u64),
        (facts, logged): (&ServerFacts, &LoggedUses),
        (fields, habits): (Vec<FieldVerdict>, SearchHabits),
        proofs: Vec<NamedProof>,
    ) -> Self {
        let time = |at: Option<jiff::Timestamp>| at.map(|at| format!("{at:.0}"));
        Self {
            collection: args.target.collection.clone(),
            days: args.days,
            searches: asked.count,
            first: time(asked.first),
            last: time(asked.last),
            cautions: cautions(args, (asked, passed_over), (facts, logged)),
            bytes: facts.bytes.as_ref().map(super::server_facts::BytesByField::total),
            shows_all: logged.shows_all,
            // Without a search nothing is known of any field.
            fields: if asked.count == 0 { Vec::new() } else { fields },
            habits,
            top: asked.tally.clone().top(SHOWN_MAX),
            zero: asked.tally.clone().zero(SHOWN_MAX),
            logged_collections: asked.seen.clone(),
            unread: logged.unread.clone(),
            proofs,
        }
    }

    pub fn print(&self) {
        if self.searches == 0 {
            return self.print_nothing();
        }
        let span = [&self.first, &self.last].map(|at| at.clone().unwrap_or_default());
        let (count, collection) = (self.searches, &self.collection);
        output::line(&format!("{count} searches of `{collection}`, from {} to {}", span[0], span[1]));
        self.cautions.iter().for_each(|caution| output::line(&format!("- {caution}")));
        self.print_fields();
        self.print_ranges();
        self.print_filters();
        print_queries("Asked most often", &self.top);
        print_queries("Found nothing", &self.zero);
        self.print_proofs();
    }

    fn print_nothing(&self) {
        output::note(&format!(
            "no searches of `{}` in the last {} days of the log",
            self.collection, self.days
        ));
        let others: Vec<&str> = self.logged_collections.iter().map(String::as_str).collect();
        output::note(&match others.is_empty() {
            true => "nothing can be advised: let the server log searches for some days (`serve --query-log on`), or raise --days".to_owned(),
            false => format!("it has searches of {}; name one of these, or raise --days", others.join(", ")),
        });
    }

    fn print_fields(&self) {
        let of = |standing: Standing| {
            self.fields.iter().filter(move |it| it.standing == standing).collect::<Vec<_>>()
        };
        let (unused, only_shown) = (of(Standing::Unused), of(Standing::OnlyShown));
        if !unused.is_empty() {
            let saves: u64 = unused.iter().map(|it| it.saves).sum();
            let of_all =
                |all| format!("; without what may go, {} less of {}", bytes_text(saves), bytes_text(all));
            let saved = self.bytes.map(of_all).unwrap_or_default();
            heading(&format!("Fields that no search asked for{saved}"));
            output::line(&field_table(&unused).to_string());
            if self.shows_all > 0 {
                output::line(&format!(
                    "{} searches show all stored fields (no `fl`, or `*`), these too: name the fields that are \
                     needed in `fl`, and advice goes as far as whole fields",
                    self.shows_all
                ));
            }
            output::line(
                "To take a field out of the index: `indexed=false docValues=false` for it by `parhelion schema plan`, \
                 then `apply`",
            );
        }
        if !only_shown.is_empty() {
            heading("Fields that are only shown");
            output::line(&field_table(&only_shown).to_string());
        }
        for (standing, title) in [
            (Standing::MaybeUsed, "May be used, by searches that could not be read"),
            (Standing::Kept, "Kept, whatever the log says"),
        ] {
            let fields = of(standing);
            if !fields.is_empty() {
                heading(title);
                fields.iter().for_each(|it| output::line(&format!("{}: {}", it.field, it.why.join("; "))));
            }
        }
        let used = of(Standing::Used);
        if !used.is_empty() {
            heading("Used");
            output::line(&field_table(&used).to_string());
        }
    }

    fn print_ranges(&self) {
        if !self.habits.unrounded_now.is_empty() {
            heading("`NOW` that is another each millisecond: no such filter is found in a cache");
        }
        for it in &self.habits.unrounded_now {
            output::line(&format!("{} searches: {}={}", it.searches, it.param, it.text));
            output::line(&format!("  write {}", it.rounded));
            if it.wants_rule {
                output::line(
                    "  every other search asks so: a publish rule decides it when documents change (docs/ingest.md)",
                );
            }
        }
        if !self.habits.many_ends.is_empty() {
            heading("Ranges that hardly ever come again: round their ends, or index a coarser field beside");
        }
        for it in &self.habits.many_ends {
            output::line(&format!(
                "{}: {} different ends in {} searches",
                it.field, it.distinct, it.searches
            ));
        }
    }

    fn print_filters(&self) {
        if !self.habits.filters.is_empty() {
            heading("Filters that come often");
        }
        for it in &self.habits.filters {
            let advice = match it.kept {
                FilterKept::Yes => "",
                FilterKept::Forbidden => "; it says `cache=false`: without, it is found once",
                FilterKept::NeverTheSame => "; never found in a cache, see `NOW` above",
            };
            output::line(&format!("{} searches of {} ms: {}{advice}", it.searches, it.mean_ms, it.filter));
        }
        if !self.habits.filters_in_q.is_empty() {
            heading("Clauses of `q` that could be `fq`, and found once for all queries that have them");
        }
        for it in &self.habits.filters_in_q {
            output::line(&format!("{} searches, {} queries: {}", it.searches, it.queries, it.clause));
        }
    }

    fn print_proofs(&self) {
        for NamedProof { kind, proof } in &self.proofs {
            heading(&format!("Replayed, {}", kind.title()));
            output::line(&format!(
                "{} searches, {} times: QTime {} to {} ms, waited {} to {} ms, ratio {}",
                proof.searches,
                proof.rounds,
                proof.qtime_before_ms,
                proof.qtime_after_ms,
                proof.wait_before_ms,
                proof.wait_after_ms,
                proof.ratio
            ));
            output::line(&format!("{} of {} found as many hits", proof.hits_equal, proof.searches));
            for (query, before, after) in &proof.hits_differ {
                output::line(&format!("  {before} to {after}: {query}"));
            }
        }
    }
}

fn heading(text: &str) {
    output::line(&format!("\n{text}"));
}

fn print_queries(title: &str, rows: &[QueryRow]) {
    if !rows.is_empty() {
        heading(title);
        output::line(&query_table(rows).to_string());
    }
}

/// What the advice does not know.
fn cautions(
    args: &AdviseArgs,
    (asked, passed_over): (&AskedSearches, u64),
    (facts, logged): (&ServerFacts, &LoggedUses),
) -> Vec<String> {
    let mut cautions = Vec::new();
    if let (Some(first), Some(last)) = (asked.first, asked.last) {
        let hours = (last.as_second() - first.as_second()) as f64 / 3600.0;
        // A log that began or ended within the first day or two of those asked for is as good as whole.
        if hours < f64::from(args.days) * 24.0 * 0.9 {
            cautions.push(format!(
                "the log has {:.1} of {} days: what is asked once a month is not in it",
                hours / 24.0,
                args.days
            ));
        }
    }
    cautions.push(match facts.gets {
        // A restart forgets what was asked before, which the log never knew.
        Some(0) => "`/get` was not asked since this node started; what was before, exports and atomic updates are \
                    not in the log; name their fields with --keep"
            .to_owned(),
        Some(gets) => format!(
            "`/get` ({gets} since this node started), exports and atomic updates are not in the log; name their \
             fields with --keep"
        ),
        None => "`/get`, exports and atomic updates are not in the log; name their fields with --keep".to_owned(),
    });
    let counted = [
        (asked.tally.dropped(), "searches were too many for the log and are not counted"),
        (passed_over, "lines are none of a query log and were passed over"),
        (logged.cut, "searches are in the log in part only: fields that they name behind the cut are missed"),
    ];
    cautions.extend(
        counted.into_iter().filter(|(count, _)| *count > 0).map(|(count, of)| format!("{count} {of}")),
    );
    if asked.count > 0 && asked.searches().iter().all(|search| !search.params.contains_key("q")) {
        cautions.push("no search has a `q`: was it dropped (`--query-log-drop`)?".to_owned());
    }
    // Each with a text of its own would be a list as long as the log.
    let unread = logged.unread.iter().take(SHOWN_MAX);
    cautions
        .extend(unread.map(|(why, count)| format!("{count} searches could not be read for certain: {why}")));
    if facts.bytes.is_none() {
        cautions.push("the server does not tell bytes by field".to_owned());
    }
    cautions
}
