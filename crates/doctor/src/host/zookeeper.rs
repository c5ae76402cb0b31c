//! What a ZooKeeper server says of itself: the answers to its four-letter words, its configuration file, its
//! log. Parsing is pure; one function asks. Which servers there are, and where their files lie, is found by
//! `measure.rs` among this machine's processes; what is wrong with them is for `lints/` to say. Words as
//! ZooKeeper 3.9 writes them; what a version does not say stays absent.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use super::facts::{ServerState, ZooKeeperFacts};

const PATIENCE: Duration = Duration::from_secs(2);
/// Of an answer; the longest of those asked for has some 5 KB.
const ANSWER_MAX: u64 = 1 << 20;

/// Asks a server for `conf`, `mntr` and `srvr`. What it refuses (`4lw.commands.whitelist`) is reported in the
/// facts.
pub fn ask(server: &str) -> ZooKeeperFacts {
    let mut facts = ZooKeeperFacts { server: server.to_owned(), ..ZooKeeperFacts::default() };
    for (word, read) in [
        ("conf", read_config as fn(&mut ZooKeeperFacts, &str)),
        ("mntr", read_monitor),
        ("srvr", read_server),
    ] {
        match four_letters(server, word) {
            Ok(answer) if answer.contains("is not in the whitelist") => {
                facts.unseen.push(format!("`{word}`: add it to 4lw.commands.whitelist"));
            }
            Ok(answer) => read(&mut facts, &answer),
            Err(error) => facts.unseen.push(format!("`{word}`: {error}")),
        }
    }
    facts
}

fn four_letters(server: &str, word: &str) -> io::Result<String> {
    let address = server.to_socket_addrs()?.next().ok_or_else(|| io::Error::other("no such host"))?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(word.as_bytes())?;
    let mut answer = Vec::new();
    stream.take(ANSWER_MAX).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// `name=value` lines: the answer to `conf`, and `zoo.cfg` itself.
pub fn read_config(facts: &mut ZooKeeperFacts, text: &str) {
    let mut voters = 0;
    for (name, value) in text.lines().filter_map(|line| line.trim().split_once('=')) {
        let (name, value) = (name.trim(), value.trim());
        let number = || value.parse::<u64>().ok();
        match name {
            "tickTime" => facts.tick_ms = number().or(facts.tick_ms),
            "initLimit" => facts.init_limit = number().or(facts.init_limit),
            "syncLimit" => facts.sync_limit = number().or(facts.sync_limit),
            "minSessionTimeout" => facts.session_min_ms = number().or(facts.session_min_ms),
            "maxClientCnxns" => facts.client_connections_max = number().or(facts.client_connections_max),
            "autopurge.purgeInterval" => facts.purge_interval_hours = number().or(facts.purge_interval_hours),
            "dataLogDir" => facts.data_folder = Some(value.to_owned()),
            "dataDir" if facts.data_folder.is_none() => facts.data_folder = Some(value.to_owned()),
            name if name.starts_with("server.") && !value.contains(":observer") => voters += 1,
            _ => {}
        }
    }
    if voters > 0 {
        facts.voters = Some(voters);
    }
}

/// `zk_name<tab>value` lines.
pub fn read_monitor(facts: &mut ZooKeeperFacts, text: &str) {
    let value =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('\t')).map(str::trim);
    facts.state = value("zk_server_state").and_then(state).or(facts.state);
    let latency = value("zk_avg_latency").and_then(|ms| ms.parse().ok());
    let longest = value("zk_max_latency").and_then(|ms| ms.parse::<f64>().ok());
    facts.latency_ms = latency.zip(longest.map(|ms| ms as u64)).or(facts.latency_ms);
    facts.connections =
        value("zk_num_alive_connections").and_then(|count| count.parse().ok()).or(facts.connections);
}

/// `Name: value` lines; what `mntr` says has precedence.
pub fn read_server(facts: &mut ZooKeeperFacts, text: &str) {
    let value = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    facts.state = facts.state.or_else(|| state(value("Mode:")?));
    let latency = || {
        let mut figures = value("Latency min/avg/max:")?.split('/').skip(1);
        Some((figures.next()?.parse().ok()?, figures.next()?.parse::<f64>().ok()? as u64))
    };
    facts.latency_ms = facts.latency_ms.or_else(latency);
}

fn state(word: &str) -> Option<ServerState> {
    match word {
        "leader" => Some(ServerState::Leader),
        "follower" => Some(ServerState::Follower),
        "observer" => Some(ServerState::Observer),
        "standalone" => Some(ServerState::Standalone),
        _ => None,
    }
}

/// Two sentences of its log: the leader's, when it gives up for want of followers, and the warning of a slow
/// disk, `fsync-ing the write ahead log in SyncThread:1 took 1234ms`.
pub fn read_log(facts: &mut ZooKeeperFacts, text: &str) {
    facts.not_enough_followers +=
        text.lines().filter(|line| line.contains("Not sufficient followers synced")).count() as u64;
    let took = |line: &str| {
        let (_, rest) = line.split_once("fsync-ing the write ahead log")?;
        rest.split_once(" took ")?.1.split("ms").next()?.trim().parse::<u64>().ok()
    };
    let times: Vec<u64> = text.lines().filter_map(took).collect();
    if let Some(longest) = times.iter().max() {
        facts.slow_syncs = Some((times.len() as u64, *longest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "# a comment\ntickTime=2000\n initLimit = 10\nsyncLimit=2\ndataDir=/var/zk\ndataLogDir=/fast/zk\n\
        minSessionTimeout=9000\nminSessionTimeout=-1\nmaxClientCnxns=60\nautopurge.purgeInterval=0\nserver.1=a:2888:3888\nserver.2=b:2888:3888;2181\n\
        server.3=c:2888:3888:observer\ntickTime=x\n";

    #[test]
    fn a_server_is_read() {
        let mut facts = ZooKeeperFacts::default();
        read_config(&mut facts, CONFIG);
        assert_eq!((facts.tick_ms, facts.init_limit, facts.sync_limit), (Some(2000), Some(10), Some(2)));
        assert_eq!(facts.session_min_ms, Some(9000));
        assert_eq!((facts.voters, facts.data_folder.as_deref()), (Some(2), Some("/fast/zk")));
        assert_eq!((facts.client_connections_max, facts.purge_interval_hours), (Some(60), Some(0)));
        read_monitor(
            &mut facts,
            "zk_server_state\tfollower\nzk_avg_latency\t0.25\nzk_max_latency\t812\nzk_num_alive_connections\t7\n",
        );
        assert_eq!((facts.state, facts.latency_ms), (Some(ServerState::Follower), Some((0.25, 812))));
        read_server(&mut facts, "Latency min/avg/max: 0/0.1/9\nMode: leader\n");
        assert_eq!(facts.latency_ms, Some((0.25, 812)), "what is known stays");
        read_log(
            &mut facts,
            "WARN fsync-ing the write ahead log in SyncThread:1 took 1234ms which will adversely effect\n\
             INFO Shutting down: Not sufficient followers synced, only synced with sids: [ [1] ]\n\
             WARN fsync-ing the write ahead log in SyncThread:1 took 3999ms\n",
        );
        assert_eq!((facts.slow_syncs, facts.not_enough_followers), (Some((2, 3999)), 1));
    }

    proptest::proptest! {
        #[test]
        fn no_answer_panics(text in "(zk_[a-z_]{0,12}\t|Mode: |Latency min/avg/max:|server\\.|fsync-ing the write ahead log took )?\\PC{0,30}\n{0,4}") {
            let mut facts = ZooKeeperFacts::default();
            for read in [read_config, read_monitor, read_server, read_log] {
                read(&mut facts, &text);
            }
        }
    }
}
