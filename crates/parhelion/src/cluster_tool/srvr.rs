//! Whether a ZooKeeper serves, by its command `srvr`: a word on a connection, answered with text. It needs no
//! session, and tells one that is starting from one that is not there.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// For one server to accept and to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether one of ZooKeeper's servers serves. Errors: what the last of them said instead.
pub async fn check_zookeeper(at: &str) -> Result<(), String> {
    let servers = at.split('/').next().unwrap_or(at);
    let mut wrong = String::new();
    for server in servers.split(',') {
        match timeout(PATIENCE, ask_srvr(server)).await {
            Ok(Ok(answer)) => match judge_srvr(&answer) {
                Ok(()) => return Ok(()),
                Err(why) => wrong = format!("{server}: {why}"),
            },
            Ok(Err(error)) => wrong = format!("{server}: {error}"),
            Err(_) => wrong = format!("{server}: no answer within {} s", PATIENCE.as_secs()),
        }
    }
    Err(wrong)
}

async fn ask_srvr(server: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(server).await?;
    stream.write_all(b"srvr").await?;
    let mut answer = Vec::new();
    stream.take(64 << 10).read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn judge_srvr(answer: &str) -> Result<(), &'static str> {
    // Whoever may not be asked this is a ZooKeeper all the same.
    if answer.contains("Mode: ") || answer.contains("not in the whitelist") {
        Ok(())
    } else if answer.contains("not currently serving") {
        Err("it does not serve requests yet, or its ensemble has no majority")
    } else {
        Err("what answers there is no ZooKeeper")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zookeeper_is_known_by_its_answer() {
        let check = |answer: &str, expected: Result<(), &str>| match (judge_srvr(answer), expected) {
            (Ok(()), Ok(())) => {}
            (Err(found), Err(part)) => assert!(found.contains(part), "{answer}: {found}"),
            (found, _) => panic!("{answer}: {found:?}"),
        };
        check("Zookeeper version: 3.9.5\nMode: standalone\nNode count: 5\n", Ok(()));
        check("srvr is not executed because it is not in the whitelist.\n", Ok(()));
        check("This ZooKeeper instance is not currently serving requests\n", Err("majority"));
        check("HTTP/1.1 400 Bad Request", Err("no ZooKeeper"));
        check("", Err("no ZooKeeper"));
    }
}
