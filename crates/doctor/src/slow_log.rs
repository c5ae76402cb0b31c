//! The slow log of a process that is a Parhelion, for the time that it was watched: what its requests waited
//! for, beside what its threads waited for. Asked over HTTP at an address that the process listens on; what
//! cannot be asked is reported.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use client::{ClientOptions, Login, RetryOptions, SolrClient, SolrUrl};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::facts::{ProcessFacts, Resource, SocketState};
use crate::verdict::words::printable;

/// What the process tells of its own requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnSlowLog {
    /// Where it was asked.
    pub address: String,
    /// From this time on a request is slow; absent where only collections say so.
    pub threshold_ms: Option<u64>,
    /// Those that were under way meanwhile, the longest first.
    pub requests: Vec<OwnSlowRequest>,
    /// Why it did not tell.
    pub refused: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OwnSlowRequest {
    pub at: String,
    pub time_ms: f64,
    pub path: String,
    pub why: String,
}

/// `None` of a process that is none of ours, or listens on no address. `since_ms` is when the look began.
pub async fn ask_own_slow_log(
    process: &ProcessFacts,
    since_ms: i64,
    login: Option<Login>,
) -> Option<OwnSlowLog> {
    let address = (process.label.name == "parhelion").then(|| listens_at(process))??;
    let found = OwnSlowLog { address: address.to_string(), ..OwnSlowLog::default() };
    Some(match ask(address, login).await {
        Ok(answer) => read(found, &answer, since_ms),
        Err(error) => OwnSlowLog { refused: Some(printable(&error.to_string())), ..found },
    })
}

async fn ask(address: SocketAddr, login: Option<Login>) -> Result<Value, client::Error> {
    let url: SolrUrl = format!("http://{address}/solr").parse()?;
    let options = ClientOptions {
        timeout: Duration::from_secs(5),
        response_bytes_max: 16 << 20,
        retry: RetryOptions { attempts_max: 1, ..RetryOptions::default() },
        ..ClientOptions::default()
    };
    let client = SolrClient::with_options(url.with_login(login), options);
    client.get("admin/slow", &[("wt", "json")]).await?.ok()?.json()
}

/// The first address, as it is reached from this machine.
fn listens_at(process: &ProcessFacts) -> Option<SocketAddr> {
    let local = process.files.iter().find_map(|file| match &file.resource {
        Resource::Tcp(tcp) if tcp.state == SocketState::Listen => Some(tcp.local),
        _ => None,
    })?;
    let ip = match local.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    Some(SocketAddr::new(ip, local.port()))
}

fn read(found: OwnSlowLog, answer: &Value, since_ms: i64) -> OwnSlowLog {
    let text = |value: &Value| printable(value.as_str().unwrap_or_default());
    let request = |value: &Value| {
        let time_ms = value["time"].as_f64()?;
        let at_ms = value["at"].as_str()?.parse::<Timestamp>().ok()?.as_millisecond();
        let was_under_way = at_ms.saturating_add(time_ms.max(0.0) as i64) >= since_ms;
        let (at, path, why) = (text(&value["at"]), text(&value["path"]), text(&value["why"]));
        was_under_way.then_some(OwnSlowRequest { at, time_ms, path, why })
    };
    let all = answer["requests"].as_array().into_iter().flatten();
    let mut requests: Vec<OwnSlowRequest> = all.filter_map(request).collect();
    requests.sort_by(|one, other| other.time_ms.total_cmp(&one.time_ms));
    OwnSlowLog { threshold_ms: answer["threshold"].as_u64(), requests, ..found }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::facts::{Access, Descriptor, ProcessLabel, TcpFacts};

    fn listening(name: &str, address: &str) -> ProcessFacts {
        let tcp = TcpFacts {
            local: address.parse().unwrap(),
            remote: "0.0.0.0:0".parse().unwrap(),
            state: SocketState::Listen,
            receive_queue: 0,
            send_queue: 0,
            side: crate::facts::Side::Server,
            sent_ms_ago: None,
            received_ms_ago: None,
            acknowledged_ms_ago: None,
            bytes_sent: None,
            bytes_received: None,
            retransmits: 0,
            keepalive: None,
            peer: None,
        };
        let file = Descriptor { fd: 3, access: Access::Both, resource: Resource::Tcp(tcp) };
        let label = ProcessLabel { pid: 7, name: name.to_owned() };
        ProcessFacts { label, files: vec![file], ..ProcessFacts::default() }
    }

    #[test]
    fn it_is_asked_where_it_listens() {
        for (address, expected) in
            [("0.0.0.0:8983", "127.0.0.1:8983"), ("[::]:1", "[::1]:1"), ("10.0.0.4:2", "10.0.0.4:2")]
        {
            let found = listens_at(&listening("parhelion", address)).unwrap();
            assert_eq!(found.to_string(), expected);
        }
        assert_eq!(listens_at(&ProcessFacts::default()), None);
    }

    #[test]
    fn requests_of_that_time_are_told_the_longest_first() {
        let request = |at: &str, time: f64| json!({"at": at, "time": time, "path": "/a\u{7}", "why": "w"});
        let answer = json!({"threshold": 1000, "requests": [
            request("2026-11-25T10:00:09Z", 1500.0),
            request("2026-11-25T10:00:01Z", 9000.0),
            request("2026-11-25T10:00:01Z", 1000.0),
            {"time": "x"}, 7,
        ]});
        let since_ms = "2026-11-25T10:00:05Z".parse::<Timestamp>().unwrap().as_millisecond();
        let found = read(OwnSlowLog::default(), &answer, since_ms);
        let times: Vec<f64> = found.requests.iter().map(|request| request.time_ms).collect();
        assert_eq!((times, found.threshold_ms), (vec![9000.0, 1500.0], Some(1000)));
        assert_eq!(found.requests[0].path, "/a\u{fffd}");
        assert_eq!(read(OwnSlowLog::default(), &Value::Null, 0), OwnSlowLog::default());
    }
}
