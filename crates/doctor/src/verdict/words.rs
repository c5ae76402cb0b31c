//! Words for numbers: how long, how much, which service lives at a port. For every sentence of the doctor, so
//! that all say one thing alike. What others wrote (names, paths, lines of logs) goes through `printable`
//! before it reaches a terminal.

use std::net::SocketAddr;

/// `350 ms`, `12 s`, `4 h 12 min`, `3 d 2 h`.
pub fn duration(ms: u64) -> String {
    let (seconds, minutes, hours, days) = (ms / 1000, ms / 60_000, ms / 3_600_000, ms / 86_400_000);
    let two = |big: u64, unit: &str, small: u64, below: &str| match small {
        0 => format!("{big} {unit}"),
        _ => format!("{big} {unit} {small} {below}"),
    };
    match ms {
        0..1000 => format!("{ms} ms"),
        1000..60_000 => format!("{seconds} s"),
        60_000..3_600_000 => two(minutes, "min", seconds % 60, "s"),
        3_600_000..86_400_000 => two(hours, "h", minutes % 60, "min"),
        _ => two(days, "d", hours % 24, "h"),
    }
}

/// Text of others, fit for a terminal: no control characters, and none that would show it in another order,
/// in several lines, or not at all.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if is_hostile(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn is_hostile(c: char) -> bool {
    let misleads = matches!(
        c,
        // Marks and overrides of direction, line and paragraph separators, what has no width, tags.
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    );
    c.is_control() || misleads
}

/// Three names at most, and how many more there are.
pub fn listed(names: &[&str]) -> String {
    match names {
        [first, second, third, _, ..] => format!("{first}, {second}, {third} and {} more", names.len() - 3),
        names => names.join(", "),
    }
}

/// `17 bytes`, `12 KiB`, `3.4 MiB`.
pub fn bytes(count: u64) -> String {
    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;
    match count {
        0..KIB => format!("{count} bytes"),
        KIB..MIB => format!("{} KiB", count / KIB),
        MIB..GIB => format!("{:.1} MiB", count as f64 / MIB as f64),
        _ => format!("{:.1} GiB", count as f64 / GIB as f64),
    }
}

/// `PostgreSQL at 10.0.0.5:5432`; the address alone where the port is nobody's.
pub fn service(address: SocketAddr) -> String {
    match service_name(address.port()) {
        Some(name) => format!("{name} at {address}"),
        None => address.to_string(),
    }
}

/// Whose port it is by habit (IANA's registry and the products' defaults).
fn service_name(port: u16) -> Option<&'static str> {
    const SERVICES: [(u16, &str); 29] = [
        (22, "SSH"),
        (25, "SMTP"),
        (53, "DNS"),
        (80, "HTTP"),
        (88, "Kerberos"),
        (389, "LDAP"),
        (443, "HTTPS"),
        (636, "LDAP"),
        (1433, "SQL Server"),
        (1521, "Oracle"),
        (2049, "NFS"),
        (2181, "ZooKeeper"),
        (2379, "etcd"),
        (3306, "MySQL"),
        (4222, "NATS"),
        (5432, "PostgreSQL"),
        (5672, "RabbitMQ"),
        (6379, "Redis"),
        (7000, "Cassandra"),
        (8080, "HTTP"),
        (8443, "HTTPS"),
        (8983, "Solr"),
        (9042, "Cassandra"),
        (9092, "Kafka"),
        (9200, "Elasticsearch"),
        (9300, "Elasticsearch"),
        (11211, "memcached"),
        (27017, "MongoDB"),
        (50000, "DB2"),
    ];
    SERVICES.iter().find(|(known, _)| *known == port).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_misleads() {
        let name = "sh\u{202e}txt.exe\u{2028}\u{200b}\u{1b}é日";
        assert_eq!(printable(name), "sh\u{fffd}txt.exe\u{fffd}\u{fffd}\u{fffd}é日");
    }

    #[test]
    fn numbers_in_words() {
        for (ms, expected) in [
            (0, "0 ms"),
            (999, "999 ms"),
            (12_345, "12 s"),
            (60_000, "1 min"),
            (61_000, "1 min 1 s"),
            (15_120_000, "4 h 12 min"),
            (86_400_000 + 7_200_000, "1 d 2 h"),
        ] {
            assert_eq!(duration(ms), expected);
        }
        assert_eq!([bytes(17), bytes(12_400), bytes(3 << 20)], ["17 bytes", "12 KiB", "3.0 MiB"]);
        assert_eq!(service("10.0.0.5:5432".parse().unwrap()), "PostgreSQL at 10.0.0.5:5432");
        assert_eq!(service("[::1]:4711".parse().unwrap()), "[::1]:4711");
    }
}
