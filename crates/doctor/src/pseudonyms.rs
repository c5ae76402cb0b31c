//! Takes hosts out of text that leaves the machine: addresses become others of the blocks that are kept for
//! documentation (RFC 5737, RFC 3849), names become `host-1` and so on, each the same wherever it stands, so
//! that both ends of a connection are still known for one. What is only on this machine (loopback,
//! unspecified) stays.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::verdict::words::printable;

/// What hosts are called instead.
#[derive(Clone, Debug, Default)]
pub struct Pseudonyms {
    addresses: BTreeMap<IpAddr, IpAddr>,
    /// In lower case, with what they are called.
    names: BTreeMap<String, String>,
}

impl Pseudonyms {
    /// Of this machine: its own name, and those it knows of others (`/etc/hosts`).
    pub fn of_this_machine() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let mut found = Self::default();
        found.add_names(&read("/proc/sys/kernel/hostname"), &read("/etc/hosts"));
        found
    }

    fn add_names(&mut self, own: &str, hosts: &str) {
        let lines = hosts.lines().map(|line| line.split('#').next().unwrap_or_default());
        let known = lines.flat_map(|line| line.split_whitespace().skip(1));
        for name in own.split_whitespace().chain(known) {
            self.name(name);
            // `zk1.example.com` is called `zk1` as well.
            if let Some((short, _)) = name.split_once('.') {
                self.name(short);
            }
        }
    }

    fn name(&mut self, name: &str) -> Option<String> {
        // A word of one or two letters is found in too much else.
        let is_local = name.starts_with("localhost") || name.starts_with("ip6-") || name.len() < 3;
        if is_local || name.parse::<IpAddr>().is_ok() {
            return None;
        }
        let next = format!("host-{}", self.names.len() + 1);
        Some(self.names.entry(name.to_ascii_lowercase()).or_insert(next).clone())
    }

    fn address(&mut self, address: IpAddr) -> IpAddr {
        if address.is_loopback() || address.is_unspecified() {
            return address;
        }
        let plain = address.to_canonical();
        if plain.is_loopback() {
            return address;
        }
        let next = self.addresses.len() as u32 + 1;
        let pseudonym = *self.addresses.entry(plain).or_insert_with(|| match plain {
            // Three blocks of 254; more hosts than that share the last address.
            IpAddr::V4(_) => match (next - 1) / 254 {
                0 => Ipv4Addr::new(192, 0, 2, last_byte(next)),
                1 => Ipv4Addr::new(198, 51, 100, last_byte(next)),
                2 => Ipv4Addr::new(203, 0, 113, last_byte(next)),
                _ => Ipv4Addr::new(203, 0, 113, 255),
            }
            .into(),
            IpAddr::V6(_) => Ipv6Addr::from((0x2001_0db8 << 96) | u128::from(next)).into(),
        });
        match (address, pseudonym) {
            (IpAddr::V6(_), IpAddr::V4(plain)) => plain.to_ipv6_mapped().into(),
            _ => pseudonym,
        }
    }

    /// The text with its hosts called otherwise.
    pub fn hide(&mut self, text: &str) -> String {
        let named = self.hide_names(text);
        let is_of_address = |c: char| c.is_ascii_hexdigit() || matches!(c, '.' | ':');
        let mut out = String::with_capacity(named.len());
        let mut rest = named.as_str();
        while let Some(start) = rest.find(is_of_address) {
            out.push_str(rest.get(..start).unwrap_or_default());
            rest = rest.get(start..).unwrap_or_default();
            let end = rest.find(|c| !is_of_address(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            out.push_str(&self.hide_word(word, &out, after));
            rest = after;
        }
        out + rest
    }

    /// A word of hexadecimal digits, dots and colons: an address, one with a port, or neither.
    fn hide_word(&mut self, word: &str, before: &str, after: &str) -> String {
        // A part of another word is no address, nor is one of a path of Rust's: `<T>::add`, `::call_once`.
        let is_part = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '>' | '}' | '_'))
            || after.starts_with(|c: char| c.is_alphanumeric() || (c == '_' && !word.contains('.')));
        if word.len() < 3 || is_part {
            return word.to_owned();
        }
        let trimmed = word.trim_end_matches(['.', ':']);
        let tail = word.get(trimmed.len()..).unwrap_or_default();
        for (inner, tail) in [(word, ""), (trimmed, tail)] {
            if let Ok(address) = inner.parse::<IpAddr>() {
                return format!("{}{tail}", self.address(address));
            }
            if let Ok(SocketAddr::V4(address)) = inner.parse::<SocketAddr>() {
                return format!("{}:{}{tail}", self.address((*address.ip()).into()), address.port());
            }
        }
        word.to_owned()
    }

    /// Known names wherever they stand as a word, and whatever stands behind `://`.
    fn hide_names(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        while let Some(start) = rest.find(is_of_name) {
            out.push_str(rest.get(..start).unwrap_or_default());
            rest = rest.get(start..).unwrap_or_default();
            let end = rest.find(|c| !is_of_name(c)).unwrap_or(rest.len());
            let word = rest.get(..end).unwrap_or_default();
            let is_host = out.ends_with("://") && rest.get(end..).is_none_or(|rest| !rest.starts_with('@'));
            out.push_str(&self.called(word, is_host));
            rest = rest.get(end..).unwrap_or_default();
        }
        out + rest
    }

    fn called(&mut self, word: &str, is_host: bool) -> String {
        if is_host && let Some(name) = self.name(word) {
            return name;
        }
        let known = |name: &str| self.names.get(&name.to_ascii_lowercase());
        if let Some(name) = known(word) {
            return name.clone();
        }
        // `zk1.` at a sentence's end, `zk1.other-domain`.
        let first = word.split('.').next().unwrap_or_default();
        match known(first) {
            Some(name) => format!("{name}{}", printable(word.get(first.len()..).unwrap_or_default())),
            None => word.to_owned(),
        }
    }
}

fn last_byte(number: u32) -> u8 {
    u8::try_from((number - 1) % 254 + 1).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> String {
        let mut pseudonyms = Pseudonyms::default();
        pseudonyms.add_names("search-7\n", "127.0.0.1 localhost\n10.0.0.5 store.example.com # ours\n");
        pseudonyms.hide(text)
    }

    #[test]
    fn hosts_are_called_otherwise_and_alike() {
        for (text, expected) in [
            ("10.0.0.5:5432 and 10.0.0.5", "192.0.2.1:5432 and 192.0.2.1"),
            ("from 10.0.0.5 to 10.0.0.6.", "from 192.0.2.1 to 192.0.2.2."),
            ("[fe80::1]:8983 fe80::1:", "[2001:db8::1]:8983 2001:db8::1:"),
            ("::ffff:10.0.0.5", "::ffff:192.0.2.1"),
            ("127.0.0.1:1 0.0.0.0:2 ::1 [::]:3", "127.0.0.1:1 0.0.0.0:2 ::1 [::]:3"),
            ("10.0.0.4:8983_solr", "192.0.2.1:8983_solr"),
            ("store.example.com, STORE and search-7.", "host-2, host-3 and host-1."),
            ("http://unknown.net:80/x unknown.net", "http://host-4:80/x host-4"),
            ("version 9.10.1 at 09:56:40, 0xdead:beef", "version 9.10.1 at 09:56:40, 0xdead:beef"),
            ("stored, v10.0.0.5x", "stored, v10.0.0.5x"),
            ("<F as G>::call_once <T>::add fed::bad::f", "<F as G>::call_once <T>::add fed::bad::f"),
            ("über 10.0.0.5", "über 192.0.2.1"),
            ("", ""),
        ] {
            assert_eq!(hidden(text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_address_survives(a in 1..=223_u8, b in 0..=255_u8, c in 0..=255_u8, before in "[ =(\"]", port in 1..9999) {
            let address = format!("{a}.{b}.{c}.77");
            proptest::prop_assume!(a != 127 && a != 192 && a != 198 && a != 203);
            let text = hidden(&format!("x{before}{address}:{port}, {address}"));
            proptest::prop_assert!(!text.contains(&address), "{text}");
        }

        #[test]
        fn no_text_panics(text in "[0-9a-f.:\\PC]{0,60}") {
            let _ = hidden(&text);
        }
    }
}
