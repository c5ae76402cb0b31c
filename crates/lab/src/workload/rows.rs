//! The `rows` workload, after Gangadharan's account of range queries and facets over relational data at ADP:
//! rows of a personnel table, asked by five filters of which two are ranges of dates, counted by three
//! columns.

use std::io::Write as _;

use super::contract::{Case, Claim, ClaimTest, Order, Question, Workload};
use super::instant::Instant;
use crate::random::{Random, Zipf};

/// 2000-01-01 and 2020-01-01.
const HIRED_FIRST_MS: u64 = 946_684_800_000;
const REVIEWED_FIRST_MS: u64 = 1_577_836_800_000;
const DAY_MS: u64 = 86_400_000;
const HIRED_DAYS: u64 = 7300;
const REVIEWED_DAYS: u64 = 1500;

const STATUSES: [&str; 5] = ["active", "leave", "retired", "ended", "pending"];
const KINDS: [&str; 8] = ["full", "part", "contract", "intern", "seasonal", "temporary", "director", "other"];

const QUESTIONS: usize = 1024;
/// Questions whose hits are counted by going over all rows.
const COUNTED: usize = 8;

pub struct Rows {
    docs: u64,
    seed: u64,
    clients: Zipf,
    departments: Zipf,
    locations: Zipf,
}

/// One row of the table; strings by their number.
#[derive(Clone, Copy, Debug)]
struct Row {
    client: u32,
    status: u64,
    department: u32,
    location: u32,
    kind: u64,
    hired_day: u64,
    reviewed_day: u64,
    salary: u64,
}

/// What a page asks for: five filters.
#[derive(Clone, Copy, Debug)]
struct Filters {
    client: u32,
    status: u64,
    hired: (u64, u64),
    reviewed: (u64, u64),
    salary: (u64, u64),
}

impl Rows {
    pub fn new(docs: u64, seed: u64) -> Self {
        let (clients, departments, locations) =
            (Zipf::new(50, 0.7), Zipf::new(1000, 0.7), Zipf::new(300, 0.7));
        Self { docs, seed, clients, departments, locations }
    }

    fn row(&self, number: u64) -> Row {
        let random = &mut Random::of_item(self.seed, number);
        Row {
            client: self.clients.draw(random),
            // Most are active.
            status: random.below(9).saturating_sub(4),
            department: self.departments.draw(random),
            location: self.locations.draw(random),
            kind: random.below(KINDS.len() as u64),
            hired_day: random.below(HIRED_DAYS),
            reviewed_day: random.below(REVIEWED_DAYS),
            salary: 20_000 + random.below(180_000),
        }
    }

    fn filters(&self, random: &mut Random) -> Filters {
        let mut range = |size: u64, least: u64, most: u64| {
            let length = least + random.below(most - least);
            let first = random.below(size - length);
            (first, first + length)
        };
        let (hired, reviewed) = (range(HIRED_DAYS, 700, 5000), range(REVIEWED_DAYS, 100, 700));
        let (low, high) = range(180_000, 30_000, 120_000);
        Filters {
            client: self.clients.draw(random),
            status: random.below(9).saturating_sub(4),
            hired,
            reviewed,
            salary: (20_000 + low, 20_000 + high),
        }
    }

    /// Hits of the first questions, in one pass over the rows.
    fn count(&self, questions: &[Filters], matches: fn(&Filters, &Row) -> bool) -> Vec<u64> {
        let counted = &questions[..questions.len().min(COUNTED)];
        let mut hits = vec![0; counted.len()];
        for row in (0..self.docs).map(|number| self.row(number)) {
            hits.iter_mut()
                .zip(counted)
                .for_each(|(hits, filters)| *hits += u64::from(matches(filters, &row)));
        }
        hits
    }

    fn case(&self, kind: &CaseKind) -> Case {
        let mut random = Random::new(self.seed ^ 0xad9);
        let filters: Vec<Filters> = (0..QUESTIONS).map(|_| self.filters(&mut random)).collect();
        let hits = self.count(&filters, kind.matches);
        let questions = filters.iter().enumerate().map(|(index, filters)| {
            let mut params = vec![("q".to_owned(), "*:*".to_owned()), ("fl".to_owned(), "id".to_owned())];
            let rows = if kind.hits_wanted { "20" } else { "0" };
            params.push(("rows".to_owned(), rows.to_owned()));
            params.extend((kind.filters)(filters).into_iter().map(|filter| ("fq".to_owned(), filter)));
            if kind.facets {
                params.extend(FACETS.map(|(name, value)| (name.to_owned(), value.to_owned())));
            }
            Question { params, hits: hits.get(index).copied() }
        });
        let questions = questions.collect();
        Case {
            name: kind.name.to_owned(),
            about: kind.about.to_owned(),
            handler: "select",
            order: Order::Any,
            questions,
        }
    }
}

const FACETS: [(&str, &str); 6] = [
    ("facet", "true"),
    ("facet.mincount", "1"),
    ("facet.limit", "20"),
    ("facet.field", "department_s"),
    ("facet.field", "location_s"),
    ("facet.field", "kind_s"),
];

/// The page and its parts, so that a report shows where its time goes.
struct CaseKind {
    name: &'static str,
    about: &'static str,
    filters: fn(&Filters) -> Vec<String>,
    matches: fn(&Filters, &Row) -> bool,
    facets: bool,
    hits_wanted: bool,
}

const CASES: [CaseKind; 4] = [
    CaseKind {
        name: "page",
        about: "five filters, two of them ranges of dates; three facets; twenty rows",
        filters: Filters::all,
        matches: Filters::match_all,
        facets: true,
        hits_wanted: true,
    },
    CaseKind {
        name: "filters",
        about: "the five filters alone",
        filters: Filters::all,
        matches: Filters::match_all,
        facets: false,
        hits_wanted: true,
    },
    CaseKind {
        name: "dates",
        about: "the two ranges of dates alone",
        filters: Filters::dates,
        matches: Filters::match_dates,
        facets: false,
        hits_wanted: true,
    },
    CaseKind {
        name: "facets",
        about: "the three facets of one client's rows",
        filters: Filters::one_client,
        matches: Filters::match_client,
        facets: true,
        hits_wanted: false,
    },
];

impl Filters {
    fn all(&self) -> Vec<String> {
        let mut filters = self.one_client();
        filters.push(format!("status_s:{}", STATUSES[self.status as usize]));
        filters.extend(self.dates());
        filters.push(format!("salary_i:[{} TO {}]", self.salary.0, self.salary.1));
        filters
    }

    fn dates(&self) -> Vec<String> {
        let range = |field: &str, first_ms: u64, (from, to): (u64, u64)| {
            format!("{field}:[{} TO {}]", day(first_ms, from), day(first_ms, to))
        };
        vec![
            range("hired_dt", HIRED_FIRST_MS, self.hired),
            range("reviewed_dt", REVIEWED_FIRST_MS, self.reviewed),
        ]
    }

    fn one_client(&self) -> Vec<String> {
        vec![format!("client_s:client{:02}", self.client)]
    }

    fn match_all(&self, row: &Row) -> bool {
        let paid = (self.salary.0..=self.salary.1).contains(&row.salary);
        self.match_client(row) && row.status == self.status && paid && self.match_dates(row)
    }

    fn match_dates(&self, row: &Row) -> bool {
        let within = |(from, to): (u64, u64), day: u64| (from..=to).contains(&day);
        within(self.hired, row.hired_day) && within(self.reviewed, row.reviewed_day)
    }

    fn match_client(&self, row: &Row) -> bool {
        row.client == self.client
    }
}

fn day(first_ms: u64, day: u64) -> Instant {
    Instant(first_ms + day * DAY_MS)
}

impl Workload for Rows {
    fn docs(&self) -> u64 {
        self.docs
    }

    fn fields(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("id", "string"),
            ("client_s", "string"),
            ("status_s", "string"),
            ("department_s", "string"),
            ("location_s", "string"),
            ("kind_s", "string"),
            ("hired_dt", "pdate"),
            ("reviewed_dt", "pdate"),
            ("salary_i", "pint"),
        ]
    }

    fn write_document(&self, number: u64, json: &mut Vec<u8>) {
        let Row { client, status, department, location, kind, hired_day, reviewed_day, salary } =
            self.row(number);
        let (status, kind) = (STATUSES[status as usize], KINDS[kind as usize]);
        let (hired, reviewed) = (day(HIRED_FIRST_MS, hired_day), day(REVIEWED_FIRST_MS, reviewed_day));
        let _ = write!(
            json,
            r#"{{"id":"{number}","client_s":"client{client:02}","status_s":"{status}","department_s":"department{department:03}","location_s":"location{location:03}","kind_s":"{kind}","hired_dt":"{hired}","reviewed_dt":"{reviewed}","salary_i":{salary}}}"#
        );
    }

    fn cases(&self) -> Vec<Case> {
        CASES.iter().map(|kind| self.case(kind)).collect()
    }

    fn claims(&self) -> Vec<Claim> {
        let case = || "page".to_owned();
        let latency = ClaimTest::P99AtMostMs { case: case(), connections: 1, ms: 10.0 };
        let throughput = ClaimTest::PerSecondAtLeast { case: case(), connections: 1, per_second: 40.0 };
        vec![
            Claim {
                then: "range queries and facets (Gangadharan): 250 ms down to 10 ms".into(),
                test: latency,
            },
            Claim { then: "the same: 10 requests/s up to 40".into(), test: throughput },
        ]
    }
}
