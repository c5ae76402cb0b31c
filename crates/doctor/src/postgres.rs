//! Who blocks whom in a PostgreSQL, for a process that waits for it: one query of the server's own tables,
//! joined with the process's sockets by address and port, or by the number of the server's process where both
//! are on this machine.

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio_postgres::{Config, NoTls, SimpleQueryMessage, SimpleQueryRow};

use crate::facts::{ProcessFacts, Resource};
use crate::stuck::Diagnosis;
use crate::verdict::words::{duration, printable};
use crate::verdict::{Cause, Standing};

/// One session of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backend {
    pub pid: i32,
    pub application: String,
    /// Absent at a Unix socket.
    pub client: Option<IpAddr>,
    pub port: Option<u16>,
    /// `active`, `idle`, `idle in transaction`.
    pub state: String,
    /// Kind and name of what it waits for: `Lock`, `transactionid`.
    pub wait: Option<(String, String)>,
    pub query: String,
    pub transaction_ms: Option<u64>,
    pub state_ms: Option<u64>,
    pub blocked_by: Vec<i32>,
}

/// As text, in this order. Only those that wait for a lock are asked for who blocks them: the question locks
/// the lock table.
const QUERY: &str = "select pid, application_name, host(client_addr), client_port, state, wait_event_type, wait_event, \
    left(query, 400), (extract(epoch from clock_timestamp() - xact_start) * 1000)::int8, \
    (extract(epoch from clock_timestamp() - state_change) * 1000)::int8, \
    case when wait_event_type = 'Lock' then array_to_string(pg_blocking_pids(pid), ',') end \
    from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'";

/// Sessions of the server at `url` (`postgresql://USER@HOST:PORT/DATABASE`), without encryption.
///
/// Errors: in words, with what to do: the address, the login, or a server that insists on TLS.
pub async fn ask(url: &str, patience: Duration) -> Result<Vec<Backend>, String> {
    let mut config: Config =
        url.parse().map_err(|error| format!("cannot parse the URL of PostgreSQL: {}", words(&error)))?;
    config.connect_timeout(patience).application_name("parhelion doctor");
    let (client, connection) = config
        .connect(NoTls)
        .await
        .map_err(|error| format!("cannot connect to PostgreSQL: {}", words(&error)))?;
    // The connection ends with its client.
    let driver = tokio::spawn(connection);
    let answer = tokio::time::timeout(patience, client.simple_query(QUERY)).await;
    driver.abort();
    let rows = answer.map_err(|_| "PostgreSQL itself does not answer".to_owned())?;
    let rows = rows.map_err(|error| format!("cannot ask PostgreSQL for its sessions: {}", words(&error)))?;
    let row = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => backend(row),
        _ => None,
    };
    Ok(rows.iter().filter_map(row).collect())
}

/// The library's errors name their cause only as their source.
fn words(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

fn backend(row: &SimpleQueryRow) -> Option<Backend> {
    let text = |at: usize| row.try_get(at).ok().flatten();
    let name = |at: usize| text(at).map(printable).unwrap_or_default();
    // A negative time is a clock that was set back.
    let millis = |at: usize| text(at)?.parse().ok();
    Some(Backend {
        pid: text(0)?.parse().ok()?,
        application: name(1),
        client: text(2).and_then(|address| address.parse().ok()),
        port: text(3).and_then(|port| port.parse().ok()),
        state: name(4),
        wait: text(5).map(|kind| (printable(kind), name(6))),
        query: name(7).split_whitespace().collect::<Vec<_>>().join(" "),
        transaction_ms: millis(8),
        state_ms: millis(9),
        blocked_by: text(10)
            .map(|pids| pids.split(',').filter_map(|pid| pid.parse().ok()).collect())
            .unwrap_or_default(),
    })
}

impl Diagnosis {
    /// Adds what the database says of the process's sessions: what it runs there, and who blocks it.
    pub fn with_database(mut self, backends: &[Backend]) -> Self {
        let sessions: Vec<&Backend> = backends.iter().filter(|backend| is_of(&self.facts, backend)).collect();
        let worst =
            sessions.iter().max_by_key(|backend| (!backend.blocked_by.is_empty(), backend.state == "active"));
        let Some(backend) = worst.filter(|backend| backend.state != "idle") else { return self };
        let verdict = &mut self.verdict;
        verdict.sentence = format!("{}; {}", verdict.sentence, session_words(backend, backends));
        if let Some(blocker) = backend.blocked_by.first() {
            verdict.cause = Cause::DatabaseLock;
            verdict.standing = verdict.standing.max(Standing::Waits);
            verdict.next_step = format!(
                "end the blocker's transaction: `select pg_terminate_backend({blocker})`, or have it commit"
            );
        }
        self
    }
}

/// A session of one of the process's sockets. A proxy between the two hides it.
fn is_of(facts: &ProcessFacts, backend: &Backend) -> bool {
    facts.files.iter().any(|file| match &file.resource {
        Resource::Tcp(tcp) => {
            let address = tcp.local.ip().to_canonical();
            Some(tcp.local.port()) == backend.port
                && backend
                    .client
                    .is_some_and(|client| client.to_canonical() == address || client.is_loopback())
        }
        Resource::Unix(unix) => unix.peer.as_ref().is_some_and(|peer| peer.pid == backend.pid),
        _ => false,
    })
}

fn session_words(backend: &Backend, all: &[Backend]) -> String {
    let mut words = format!("its session {} runs `{}`", backend.pid, backend.query);
    if let Some((kind, name)) = &backend.wait {
        words += &format!(" and waits for {kind}/{name}");
    }
    for pid in &backend.blocked_by {
        let Some(blocker) = all.iter().find(|one| one.pid == *pid) else {
            words += &format!(", which session {pid} holds");
            continue;
        };
        let from = match (blocker.client, blocker.port) {
            (Some(client), Some(port)) => format!(" from {client}:{port}"),
            _ => String::new(),
        };
        let since = blocker
            .transaction_ms
            .map(|ms| format!(", in a transaction since {}", duration(ms)))
            .unwrap_or_default();
        words += &format!(
            ", which session {pid} holds ({}{from}, {}{since}, last: `{}`)",
            blocker.application, blocker.state, blocker.query
        );
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Access, Descriptor, ProcessLabel, Side, SocketState, TcpFacts};
    use crate::verdict::judge;

    fn client() -> Diagnosis {
        let tcp = TcpFacts {
            local: "10.0.0.4:51312".parse().unwrap(),
            remote: "10.0.0.5:5432".parse().unwrap(),
            state: SocketState::Established,
            receive_queue: 0,
            send_queue: 0,
            side: Side::Client,
            sent_ms_ago: Some(1000),
            received_ms_ago: Some(2000),
            acknowledged_ms_ago: None,
            bytes_sent: Some(9),
            bytes_received: Some(9),
            retransmits: 0,
            keepalive: None,
            peer: None,
        };
        let file = Descriptor { fd: 6, access: Access::Both, resource: Resource::Tcp(tcp) };
        let label = ProcessLabel { pid: 7, name: "batch".to_owned() };
        let facts = ProcessFacts { label, files: vec![file], ..ProcessFacts::default() };
        Diagnosis { verdict: judge(&facts, 0), facts }
    }

    fn session(pid: i32, port: u16, blocked_by: &[i32]) -> Backend {
        Backend {
            pid,
            port: Some(port),
            client: Some("10.0.0.4".parse().unwrap()),
            state: "active".to_owned(),
            query: "update t".to_owned(),
            wait: (!blocked_by.is_empty()).then(|| ("Lock".to_owned(), "transactionid".to_owned())),
            blocked_by: blocked_by.to_vec(),
            transaction_ms: Some(7_200_000),
            ..Backend::default()
        }
    }

    #[test]
    fn the_blocker_is_named() {
        let idle = Backend {
            state: "idle in transaction".to_owned(),
            application: "psql".to_owned(),
            ..session(90, 1, &[])
        };
        let found = client().with_database(&[session(80, 51312, &[90]), idle]);
        assert_eq!(found.verdict.cause, Cause::DatabaseLock);
        let expected = "its session 80 runs `update t` and waits for Lock/transactionid, which session 90 holds \
                        (psql from 10.0.0.4:1, idle in transaction, in a transaction since 2 h, last: `update t`)";
        assert!(found.verdict.sentence.ends_with(expected), "{}", found.verdict.sentence);
    }

    #[test]
    fn sessions_of_others_change_nothing() {
        let before = client();
        assert_eq!(before.clone().with_database(&[session(80, 4, &[90])]), before);
    }
}
