//! `doctor bundle`: one archive for support, and reading it again on another machine. A gzipped tar of text:
//! facts of every process and of the host as JSON, the kernel's own figures, ends of logs. Secrets are taken
//! out before anything is written ([`redact`](crate::redact)). Reading never writes a file and believes no
//! size that the archive claims.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::facts::ProcessFacts;
use crate::host::HostFacts;
use crate::redact::redact;

/// What an archive holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bundle {
    pub processes: Vec<ProcessFacts>,
    pub host: HostFacts,
    /// Names within the archive, such as `proc/meminfo` and `logs/solr.log`, with their text.
    pub texts: Vec<(String, String)>,
}

/// Of the kernel's own figures; none of them names a user or a secret.
const FIGURES: [&str; 9] = [
    "meminfo",
    "vmstat",
    "loadavg",
    "stat",
    "diskstats",
    "pressure/cpu",
    "pressure/io",
    "pressure/memory",
    "net/snmp",
];
/// Of each log: what an hour of a busy server writes.
const LOG_BYTES: u64 = 8 << 20;
/// Of an archive, unpacked.
const BYTES_MAX: u64 = 1 << 30;

impl Bundle {
    /// Adds the kernel's figures. One that is missing on this kernel is left out.
    pub fn add_figures(&mut self) {
        for name in FIGURES {
            if let Ok(text) = std::fs::read_to_string(format!("/proc/{name}")) {
                self.texts.push((format!("proc/{name}"), text));
            }
        }
    }

    /// Adds the end of a log.
    ///
    /// Errors: when it cannot be read.
    pub fn add_log(&mut self, path: &Path) -> io::Result<()> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LOG_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(LOG_BYTES).read_to_end(&mut bytes)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // The number keeps logs of one name in several folders apart.
        let name = format!("logs/{}-{name}", self.texts.len());
        self.texts.push((name, String::from_utf8_lossy(&bytes).into_owned()));
        Ok(())
    }

    /// Writes the archive, without secrets.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let mut archive = tar::Builder::new(GzEncoder::new(out, Compression::default()));
        let mut processes = self.processes.clone();
        processes.iter_mut().for_each(redact_process);
        append(&mut archive, "processes.json", &serde_json::to_string(&processes)?)?;
        append(&mut archive, "host.json", &serde_json::to_string(&self.host)?)?;
        for (name, text) in &self.texts {
            append(&mut archive, name, &redact(text))?;
        }
        archive.into_inner()?.finish()?.flush()
    }

    /// Reads an archive. What it does not know it leaves out.
    ///
    /// Errors: what is no such archive, or unpacks to more than a gigabyte.
    pub fn read(from: impl Read) -> io::Result<Self> {
        let mut archive = tar::Archive::new(GzDecoder::new(from).take(BYTES_MAX));
        let mut bundle = Self::default();
        for entry in archive.entries()? {
            let mut entry = entry?;
            let name = entry.path()?.to_string_lossy().into_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes)?;
            match name.as_str() {
                "processes.json" => bundle.processes = serde_json::from_slice(&bytes)?,
                "host.json" => bundle.host = serde_json::from_slice(&bytes)?,
                _ => bundle.texts.push((name, String::from_utf8_lossy(&bytes).into_owned())),
            }
        }
        if bundle.processes.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it holds no `processes.json`"));
        }
        Ok(bundle)
    }
}

fn append(archive: &mut tar::Builder<impl Write>, name: &str, text: &str) -> io::Result<()> {
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    header.set_mode(0o600);
    archive.append_data(&mut header, name, text.as_bytes())
}

/// Command lines, and names that calls are given, may have secrets in them.
fn redact_process(process: &mut ProcessFacts) {
    process.command = redact(&process.command);
    for thread in &mut process.threads {
        if let crate::facts::CallState::In(call) = &mut thread.call {
            call.text = redact(&call.text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle() -> Bundle {
        let command = "java -Dpassword=hunter2 Main".to_owned();
        let log = ("logs/0-a.log".to_owned(), "token=hunter2 ok\n".to_owned());
        Bundle {
            processes: vec![ProcessFacts { command, ..ProcessFacts::default() }],
            host: HostFacts { swappiness: Some(7), ..HostFacts::default() },
            texts: vec![log],
        }
    }

    #[test]
    fn what_is_read_is_what_was_written_without_secrets() {
        let mut bytes = Vec::new();
        bundle().write(&mut bytes).unwrap();
        let read = Bundle::read(&*bytes).unwrap();
        assert_eq!(read.host.swappiness, Some(7));
        assert_eq!(read.processes[0].command, "java -Dpassword=[redacted] Main");
        assert_eq!(read.texts, [("logs/0-a.log".to_owned(), "token=[redacted] ok\n".to_owned())]);
    }

    #[test]
    fn the_end_of_a_log_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("big.log");
        let text = "0123456789\n".repeat(1 << 20);
        std::fs::write(&path, &text).unwrap();
        let mut bundle = Bundle::default();
        bundle.add_log(&path).unwrap();
        assert_eq!(
            (bundle.texts[0].0.as_str(), bundle.texts[0].1.len() as u64),
            ("logs/0-big.log", LOG_BYTES)
        );
        assert!(text.ends_with(&bundle.texts[0].1));
        assert!(bundle.add_log(folder.path()).is_err());
    }

    #[test]
    fn what_is_no_bundle_is_refused() {
        let mut whole = Vec::new();
        bundle().write(&mut whole).unwrap();
        for bytes in [&b""[..], b"\x1f\x8b", b"hello", &whole[..whole.len() / 2]] {
            assert!(Bundle::read(bytes).is_err());
        }
    }

    proptest::proptest! {
        #[test]
        fn no_archive_panics(at in 0..400_usize, byte in proptest::num::u8::ANY) {
            let mut bytes = Vec::new();
            bundle().write(&mut bytes).unwrap();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = Bundle::read(&*bytes);
        }
    }
}
