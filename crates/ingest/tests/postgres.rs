//! What only a real PostgreSQL can prove: snapshots, keys, triggers, the lease. Each test starts one of its
//! own, where one is installed.

use ingest::config::{self, IngestConfig};
use ingest::follow::{
    self, Activity, PipelineDatabase, ProblemState, check_watch, install_sql, make_slot, run_sql,
    uninstall_sql,
};
use ingest::reset::{self, ResetError};
use ingest::sources::{self, SourceErrorKind};
use postgres_fixture::Postgres;

/// A schema with films, actors below them, and a file that follows them by triggers.
struct Lab {
    config: IngestConfig,
    database: PipelineDatabase,
    schema: String,
    _server: Postgres,
}

impl Lab {
    async fn new(name: &str, query: &str) -> Option<Self> {
        let server = Postgres::start()?;
        let url = server.url();
        let schema = format!("ingest_test_{name}");
        let text = format!(
            "name = \"{schema}\"\n[target]\nurl = \"h:1\"\ncollection = \"c\"\n\
             [[source]]\nname = \"film\"\nkey = \"id\"\n\
             [source.postgres]\nurl = \"{url}\"\nquery = \"{query}\"\npage_rows = 7\nfollow = \"trigger\"\n\
             watch = [{{ table = \"{schema}.film\", key = \"id\" }}, {{ table = \"{schema}.actor\", key = \"film_id\" }}]\n\
             [[source.child]]\nname = \"actors\"\nquery = \"SELECT film_id, name FROM {schema}.actor\"\nparent_key = \"film_id\"\n",
            query = query.replace("SCHEMA", &schema),
        );
        let config = config::parse(&text, "x").unwrap();
        let postgres = config.sources[0].postgres.as_ref().unwrap();
        let database = PipelineDatabase::new(&config.name, "film", postgres).unwrap();
        let lab = Self { database, schema, config, _server: server };
        lab.run(&format!(
            "DROP SCHEMA IF EXISTS {0} CASCADE; CREATE SCHEMA {0};
             CREATE TABLE {0}.film (id int PRIMARY KEY, title text);
             CREATE TABLE {0}.actor (film_id int, name text);
             INSERT INTO {0}.film SELECT i, 'film ' || i FROM generate_series(1, 100) i WHERE i % 10 <> 0;
             INSERT INTO {0}.actor SELECT i, 'actor ' || i || k FROM generate_series(1, 100) i, generate_series(1, 2) k",
            lab.schema
        ))
        .await;
        Some(lab)
    }

    async fn run(&self, sql: &str) {
        run_sql(&self.database, sql).await.unwrap();
    }

    async fn outbox(&self) -> Vec<(usize, Option<String>)> {
        let changes = self.database.changes(1000).await.unwrap();
        let mut keys: Vec<_> = changes.iter().map(|change| (change.watch, change.key.clone())).collect();
        keys.sort();
        keys
    }

    async fn install(&self) {
        let (source, postgres) = (&self.config.sources[0], self.config.sources[0].postgres.as_ref().unwrap());
        self.run(&install_sql(&self.config, source, postgres)).await;
    }

    /// Takes back what `install` made.
    async fn uninstall(&self) {
        let (source, postgres) = (&self.config.sources[0], self.config.sources[0].postgres.as_ref().unwrap());
        self.run(&uninstall_sql(&self.config, source, postgres)).await;
    }
}

#[tokio::test]
async fn a_snapshot_is_one_state_however_it_is_cut_and_broken_off() {
    let Some(lab) = Lab::new("snapshot", "SELECT id, title FROM SCHEMA.film").await else { return };
    let source = sources::open(&lab.config.sources[0]).unwrap();
    let snapshot = source.snapshot().await.unwrap();
    lab.run(&format!(
        "DELETE FROM {0}.film WHERE id < 50; UPDATE {0}.film SET title = 'later'; DELETE FROM {0}.actor",
        lab.schema
    ))
    .await;
    assert_eq!(snapshot.count().await.unwrap(), Some(90));
    for wanted in [1, 5, 40] {
        let mut keys = Vec::new();
        for range in snapshot.ranges(wanted).await.unwrap() {
            let mut pages = snapshot.pages(&range, None).await.unwrap();
            while let Some(page) = pages.next().await.unwrap() {
                for record in &page.records {
                    assert_eq!(record.row.get("title").unwrap().to_string(), format!("film {}", record.key));
                    assert_eq!(record.children[0].len(), 2, "both actors of {}", record.key);
                    keys.push(record.key.parse::<i32>().unwrap());
                }
                pages = snapshot.pages(&range, Some(&page.cursor)).await.unwrap();
            }
        }
        keys.sort_unstable();
        assert_eq!(keys, (1..=100).filter(|key| key % 10 != 0).collect::<Vec<_>>(), "in {wanted} ranges");
    }
    let page = source.fetch(&["1".to_owned(), "99".to_owned()]).await.unwrap();
    let found: Vec<_> =
        page.records.iter().map(|record| (record.key.as_str(), record.children[0].len())).collect();
    assert_eq!(found, [("99", 0)]);
}

#[tokio::test]
async fn keys_that_are_not_unique_and_columns_that_are_gone_are_named() {
    let join = "SELECT id, title FROM SCHEMA.film JOIN SCHEMA.actor ON film_id = id";
    let Some(lab) = Lab::new("keys", join).await else { return };
    let error = |config: &IngestConfig| {
        let source = sources::open(&config.sources[0]).unwrap();
        async move {
            let snapshot = source.snapshot().await.unwrap();
            let range = sources::KeyRange::default();
            let mut pages = snapshot.pages(&range, None).await.unwrap();
            pages.next().await.unwrap_err()
        }
    };
    let twice = error(&lab.config).await;
    assert!(
        twice.kind == SourceErrorKind::Refused && twice.message.contains("two rows have the key `1`"),
        "{twice}"
    );
    lab.run(&format!("ALTER TABLE {}.film RENAME title TO name", lab.schema)).await;
    let gone = error(&lab.config).await;
    assert!(
        gone.kind == SourceErrorKind::Refused && gone.message.contains("mend `query` or `watch`"),
        "{gone}"
    );
}

#[tokio::test]
async fn triggers_note_each_changed_key_once_and_only_what_is_committed() {
    let Some(lab) = Lab::new("outbox", "SELECT id, title FROM SCHEMA.film").await else { return };
    lab.install().await;
    lab.install().await;
    let schema = &lab.schema;
    let key = |watch, key: &str| (watch, Some(key.to_owned()));
    lab.run(&format!("UPDATE {schema}.film SET title = 'x' WHERE id IN (1, 2)")).await;
    lab.run(&format!("UPDATE {schema}.actor SET film_id = 4 WHERE film_id = 3")).await;
    lab.run(&format!("UPDATE {schema}.film SET title = 'y' WHERE id = 1000")).await;
    run_sql(&lab.database, &format!("DELETE FROM {schema}.film WHERE id = 5; SELECT 1 / 0"))
        .await
        .unwrap_err();
    assert_eq!(lab.outbox().await, [key(0, "1"), key(0, "2"), key(1, "3"), key(1, "4")]);

    // Only who holds the lease confirms.
    let taken = lab.database.take_lease("one", 60).await.unwrap().unwrap();
    assert_eq!(lab.database.take_lease("two", 60).await.unwrap(), None);
    let seqs: Vec<i64> = lab.database.changes(1000).await.unwrap().iter().map(|change| change.seq).collect();
    assert!(!lab.database.confirm(&seqs, taken.token - 1).await.unwrap());
    assert_eq!(lab.outbox().await.len(), 4);
    assert!(lab.database.confirm(&seqs, taken.token).await.unwrap());
    lab.database.give_up_lease(taken.token).await.unwrap();
    let next = lab.database.take_lease("two", 60).await.unwrap().unwrap();
    assert_eq!(next.token, taken.token + 1);
    assert!(!lab.database.renew_lease(taken.token, 60).await.unwrap(), "a token of before renews nothing");

    lab.run(&format!("TRUNCATE {schema}.actor")).await;
    assert_eq!(lab.outbox().await, [(1, None)]);
    lab.database.give_up_lease(next.token).await.unwrap();
    lab.uninstall().await;
}

#[tokio::test]
async fn rows_become_due_in_their_order_and_once() {
    let Some(lab) = Lab::new("due", "SELECT id, title FROM SCHEMA.film").await else { return };
    lab.install().await;
    let due = [("a", 30), ("b", 10), ("c", 20)].map(|(key, at)| (key.to_owned(), at));
    lab.database.keep_due(&[], &due).await.unwrap();
    assert_eq!(lab.database.next_due_ms().await.unwrap(), Some(10));
    assert_eq!(lab.database.due(20, 10).await.unwrap(), ["b", "c"]);
    lab.database.keep_due(&["b".to_owned(), "c".to_owned()], &[("c".to_owned(), 40)]).await.unwrap();
    assert_eq!(lab.database.due(100, 10).await.unwrap(), ["a", "c"]);
    lab.uninstall().await;
}

#[tokio::test]
async fn a_pause_is_kept_and_says_whether_the_active_service_has_come_to_it() {
    let Some(lab) = Lab::new("pause", "SELECT id, title FROM SCHEMA.film").await else { return };
    lab.install().await;
    let activity = || async { follow::status(&lab.config).await.unwrap()[0].activity };
    assert_eq!(activity().await, Activity::Idle);
    let first = lab.database.take_lease("one", 60).await.unwrap().unwrap();
    assert_eq!(activity().await, Activity::Active);
    let asked = follow::pause(&lab.config).await.unwrap();
    assert_eq!((asked.changed, asked.holder.as_deref()), (true, Some("one")));
    assert!(!follow::pause(&lab.config).await.unwrap().changed, "asked twice is once");
    assert_eq!(activity().await, Activity::Pausing);
    lab.database.keep_stopped(first.token).await.unwrap();
    assert_eq!(activity().await, Activity::Paused);

    // Whoever takes over is asked, too.
    lab.database.give_up_lease(first.token).await.unwrap();
    assert_eq!(activity().await, Activity::Paused);
    let second = lab.database.take_lease("two", 60).await.unwrap().unwrap();
    assert_eq!(activity().await, Activity::Pausing);
    assert!(follow::resume(&lab.config).await.unwrap().changed);
    assert_eq!(activity().await, Activity::Active);
    assert!(!follow::resume(&lab.config).await.unwrap().changed);
    lab.database.keep_stopped(second.token).await.unwrap();
    assert_eq!(lab.database.pause().await.unwrap(), None, "one that has ended does not come back");

    let mut alone = lab.config.clone();
    alone.sources[0].postgres.as_mut().unwrap().follow = config::FollowKind::None;
    let error = follow::pause(&alone).await.unwrap_err();
    assert!(error.message.contains("`ingest once` is stopped with Ctrl-C"), "{error}");
    lab.uninstall().await;
}

#[tokio::test]
async fn a_reset_forgets_positions_while_nobody_is_active() {
    let Some(mut lab) = Lab::new("reset", "SELECT id, title FROM SCHEMA.film").await else { return };
    let folder = tempfile::tempdir().unwrap();
    lab.config.state.dir = Some(folder.path().to_owned());
    lab.install().await;
    let held = lab.database.take_lease("one", 60).await.unwrap().unwrap();
    assert!(lab.database.keep_position("2026-05-01", held.token).await.unwrap());
    assert!(lab.database.of_pipeline().keep_position("digest", held.token).await.unwrap());
    let error = reset::reset(&lab.config, "we").await.unwrap_err();
    assert!(matches!(&error, ResetError::Active(holder) if holder == "one"), "{error}");

    lab.database.give_up_lease(held.token).await.unwrap();
    let remembered = reset::remembered(&lab.config).await.unwrap();
    assert_eq!((remembered.indexed, remembered.positions.as_slice()), (true, &["film".to_owned()][..]));
    assert_eq!(reset::reset(&lab.config, "we").await.unwrap(), remembered);
    assert!(reset::remembered(&lab.config).await.unwrap().is_nothing());
    assert_eq!(lab.database.holder().await.unwrap(), None, "the next may begin at once");
    lab.uninstall().await;
}

/// States and details, as `ingest status` has them.
async fn problems(config: &IngestConfig) -> Vec<(ProblemState, String)> {
    let status = follow::status(config).await.unwrap().remove(0);
    status.problems.into_iter().map(|problem| (problem.state, problem.detail)).collect()
}

#[tokio::test]
async fn a_lost_slot_and_an_emptied_table_are_states() {
    let Some(mut lab) = Lab::new("slot", "SELECT id, title FROM SCHEMA.film").await else { return };
    lab.install().await;
    assert_eq!(problems(&lab.config).await, []);
    lab.run(&format!("TRUNCATE {}.actor", lab.schema)).await;
    let truncated = format!("`{}.actor` was truncated, which names no rows", lab.schema);
    assert_eq!(problems(&lab.config).await, [(ProblemState::TableTruncated, truncated)]);
    lab.uninstall().await;

    let postgres = lab.config.sources[0].postgres.as_mut().unwrap();
    postgres.follow = config::FollowKind::Replication;
    lab.install().await;
    let slot = follow::slot_name(&lab.config, &lab.config.sources[0]);
    let lost = |words: &str| vec![(ProblemState::SlotLost, words.replace("SLOT", &slot))];
    assert_eq!(problems(&lab.config).await, lost("the slot `SLOT` is not there"));
    make_slot(&lab.database, &slot).await.unwrap();
    assert_eq!(problems(&lab.config).await, []);

    lab.run(&format!("UPDATE {}.film SET title = 'log'", lab.schema)).await;
    let mut bounded = lab.config.clone();
    bounded.sources[0].postgres.as_mut().unwrap().slot_bytes_max = 1;
    let (state, detail) = problems(&bounded).await.remove(0);
    assert!(state == ProblemState::SlotLost && detail.contains("more than `slot_bytes_max`"), "{detail}");
    assert_eq!(problems(&lab.config).await, [], "asking drops nothing");

    // Neither of these runs in a transaction block.
    let pool = lab.database.pool();
    let once = |sql: &'static str| async move { sqlx::raw_sql(sql).execute(pool).await.unwrap() };
    once("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'").await;
    once("SELECT pg_reload_conf()").await;
    for _ in 0..3 {
        lab.run(&format!("UPDATE {}.film SET title = title || '.'", lab.schema)).await;
        once("SELECT pg_switch_wal()").await;
    }
    once("CHECKPOINT").await;
    assert_eq!(problems(&lab.config).await, lost("the database gave up the slot `SLOT`"));
    lab.uninstall().await;
}

#[tokio::test]
async fn queries_that_the_database_refuses_are_states() {
    let Some(mut lab) = Lab::new("refused", "SELECT id, title FROM SCHEMA.film").await else { return };
    lab.install().await;
    lab.run(&format!("ALTER TABLE {}.film RENAME title TO name", lab.schema)).await;
    let (state, detail) = problems(&lab.config).await.remove(0);
    assert!(state == ProblemState::SchemaDrift && detail.contains("\"title\" does not exist"), "{detail}");
    lab.config.sources[0].postgres.as_mut().unwrap().query = "SELECT 1 / 0 AS id".to_owned();
    let (state, detail) = problems(&lab.config).await.remove(0);
    assert!(state == ProblemState::QueryRefused && detail.contains("division by zero"), "{detail}");
    lab.uninstall().await;
}

#[tokio::test]
async fn bytes_that_are_no_text_are_refused_with_the_next_step() {
    let Some(lab) = Lab::new("bytes", "SELECT id, title FROM SCHEMA.film").await else { return };
    let pool = lab.database.pool();
    let once = |sql: &'static str| async move { sqlx::raw_sql(sql).execute(pool).await.unwrap() };
    once("DROP DATABASE IF EXISTS ingest_bytes").await;
    once("CREATE DATABASE ingest_bytes ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        .await;
    let mut config = lab.config.clone();
    let postgres = config.sources[0].postgres.as_mut().unwrap();
    let url = postgres.url.clone().unwrap();
    let (server, _) = url.rsplit_once('/').unwrap();
    postgres.url = Some(format!("{server}/ingest_bytes"));
    // Its tables are of the other database.
    postgres.watch.clear();
    postgres.query = "SELECT 1 AS id, 'tea' AS title UNION ALL SELECT 2, E'caf\\xe9'".to_owned();
    config.sources[0].children.clear();
    let keys = ["1".to_owned(), "2".to_owned()];
    let error = sources::open(&config.sources[0]).unwrap().fetch(&keys).await.unwrap_err();
    assert_eq!(error.kind, SourceErrorKind::Refused);
    assert!(error.message.contains("0xe9 (22021)") && error.message.contains("convert_from"), "{error}");
    once("DROP DATABASE ingest_bytes WITH (FORCE)").await;
}

#[tokio::test]
async fn what_is_watched_is_asked_for_before_anything_is_installed() {
    let Some(lab) = Lab::new("watch", "SELECT id, title FROM SCHEMA.film").await else { return };
    let schema = &lab.schema;
    let check = |edit: &dyn Fn(&mut config::PostgresConfig)| {
        let mut source = lab.config.sources[0].clone();
        edit(source.postgres.as_mut().unwrap());
        async move { check_watch("watch", &source).await.join("\n") }
    };
    assert_eq!(check(&|_| ()).await, "");
    let table = check(&|postgres| postgres.watch[1].table = format!("{schema}.actors")).await;
    assert!(table.contains("`watch` of") && table.contains("does not exist"), "{table}");
    let key = check(&|postgres| postgres.watch[1].key = "film".to_owned()).await;
    assert!(key.contains("column \"film\" does not exist"), "{key}");
    let parents = |text: &str| Some(text.replace("SCHEMA", schema));
    let query = "SELECT film_id FROM SCHEMA.actor WHERE name = ANY($keys)";
    assert_eq!(check(&|postgres| postgres.watch[0].parents = parents(query)).await, "");
    let two = check(&|postgres| postgres.watch[0].parents = parents("SELECT nothing, $keys")).await;
    assert!(two.contains("`parents` of"), "{two}");
    let updated = check(&|postgres| postgres.updated_column = Some("changed_at".to_owned())).await;
    assert!(updated.contains("`updated_column`"), "{updated}");
    let gone = lab.database.changes(1).await.unwrap_err();
    assert!(gone.message.contains("source `film`: its database lacks our tables"), "{gone}");
}

/// A table whose column gets another type is written anew, and is empty to a snapshot of before that: rows and
/// children that are asked for right then are not taken for deleted.
#[tokio::test]
async fn rows_of_a_table_that_is_written_anew_are_waited_for() {
    let Some(lab) = Lab::new("anew", "SELECT id, title FROM SCHEMA.film").await else { return };
    let source = sources::open(&lab.config.sources[0]).unwrap();
    let pool = lab.database.pool();
    for (table, column) in [("film", "id"), ("actor", "film_id")] {
        let mut change = pool.begin().await.unwrap();
        let alter = format!("ALTER TABLE {}.{table} ALTER COLUMN {column} TYPE bigint", lab.schema);
        sqlx::raw_sql(sqlx::AssertSqlSafe(alter)).execute(&mut *change).await.unwrap();
        let commit = async {
            // Not before the reader waits for it.
            let waits = "SELECT count(*) FROM pg_locks WHERE NOT granted";
            while sqlx::query_scalar::<_, i64>(waits).fetch_one(pool).await.unwrap() == 0 {}
            change.commit().await.unwrap();
        };
        let keys = ["1".to_owned(), "2".to_owned()];
        let (page, ()) = tokio::join!(source.fetch(&keys), commit);
        let page = page.unwrap();
        let found: Vec<_> =
            page.records.iter().map(|record| (record.key.as_str(), record.children[0].len())).collect();
        assert_eq!(found, [("1", 2), ("2", 2)], "{table}");
    }
}
