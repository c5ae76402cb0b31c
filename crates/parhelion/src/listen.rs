//! Where a server listens: addresses and sockets in the file system, with the certificate that addresses
//! show. Used by `serve`, `demo` and `relay`, so that addresses are spelled alike. It also raises the limit
//! of open files and tells how many connections that leaves, after what segments and logs take. Accepting is
//! `http`'s and `relay`'s.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, bail};
use http::{Listener, Tls};
use tokio::net::TcpListener;

/// What most systems allow a process that asks for nothing.
#[cfg(unix)]
const NOFILE_USUAL: u64 = 1024;
/// Files that are open besides connections: segments, logs.
const FILES_KEPT_BACK: u64 = 2048;

/// What `--listen` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenAddress {
    Address(String, u16),
    Unix(PathBuf),
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            return match path {
                "" => Err("there is no path; write unix:/path/of/the/socket".to_owned()),
                _ => Ok(Self::Unix(path.into())),
            };
        }
        let (host, port) = text.rsplit_once(':').ok_or("there is no port; write HOST:PORT or unix:PATH")?;
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let port =
            port.parse().map_err(|_| format!("`{port}` is not a port; use 0 (any free one) to 65535"))?;
        Ok(Self::Address(host.to_owned(), port))
    }
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListenAddress::Address(host, port) => write!(f, "{host}:{port}"),
            ListenAddress::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A place that is listened at.
pub struct Bound {
    pub listener: Listener,
    /// As a client would name it: a URL, or `unix:` and a path.
    pub shown: String,
    /// The host as asked for, with the port as it came to be.
    pub name: Option<String>,
    /// Whether other machines may reach it.
    pub exposed: bool,
    /// To be removed at the end.
    pub socket: Option<PathBuf>,
}

/// Listens there. TLS is for addresses; whoever reaches a socket file is on this machine.
pub async fn bind(place: &ListenAddress, tls: Option<&Tls>) -> anyhow::Result<Bound> {
    match place {
        ListenAddress::Address(host, port) => {
            let listener = bind_address(host, *port).await?;
            let address = listener.local_addr()?;
            let scheme = if tls.is_some() { "https" } else { "http" };
            let listener = match tls {
                Some(tls) => Listener::tls(listener, tls.clone()),
                None => Listener::tcp(listener),
            };
            let name = Some(format!("{host}:{}", address.port()));
            let (shown, exposed) = (format!("{scheme}://{address}/solr"), !address.ip().is_loopback());
            Ok(Bound { listener, shown, name, exposed, socket: None })
        }
        ListenAddress::Unix(path) => bind_socket(path),
    }
}

/// An address, not listened at by others.
pub async fn bind_address(host: &str, port: u16) -> anyhow::Result<TcpListener> {
    match TcpListener::bind((host, port)).await {
        Ok(listener) => Ok(listener),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            bail!(
                "port {port} of {host} is taken; stop the program that listens there, or choose another with --port (0: any free one)"
            )
        }
        Err(error) => Err(error).with_context(|| format!("cannot listen on {host}:{port}")),
    }
}

/// A socket in the file system; one that its server left behind is taken over.
#[cfg(unix)]
pub fn bind_socket_file(path: &Path) -> anyhow::Result<tokio::net::UnixListener> {
    remove_abandoned(path)?;
    tokio::net::UnixListener::bind(path).with_context(|| format!("cannot listen on unix:{}", path.display()))
}

#[cfg(unix)]
fn bind_socket(path: &Path) -> anyhow::Result<Bound> {
    let listener = bind_socket_file(path)?;
    let shown = format!("unix:{}", path.display());
    let (listener, socket) = (Listener::unix(listener), Some(path.to_owned()));
    Ok(Bound { listener, shown, name: None, exposed: false, socket })
}

#[cfg(not(unix))]
fn bind_socket(path: &Path) -> anyhow::Result<Bound> {
    bail!("this system has no such sockets as `unix:{}`; use HOST:PORT", path.display())
}

/// A socket whose server was killed stays in the file system and is in the way of the next.
#[cfg(unix)]
fn remove_abandoned(path: &Path) -> anyhow::Result<()> {
    match std::os::unix::net::UnixStream::connect(path) {
        Ok(_) => bail!("a program listens on unix:{}; stop it or choose another path", path.display()),
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused && is_socket(path) => {
            std::fs::remove_file(path).with_context(|| format!("cannot remove `{}`", path.display()))
        }
        Err(_) => Ok(()),
    }
}

#[cfg(unix)]
fn is_socket(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    std::fs::symlink_metadata(path).is_ok_and(|about| about.file_type().is_socket())
}

/// How many connections there can be: as many files as the system lets this process have open, which it
/// raises to what is allowed, less those that the data needs.
pub fn connections_max() -> usize {
    let files = open_files_max();
    usize::try_from(files.saturating_sub(FILES_KEPT_BACK).max(files / 2)).unwrap_or(usize::MAX)
}

#[cfg(unix)]
fn open_files_max() -> u64 {
    // Where it may not be raised, what there is must do.
    rlimit::increase_nofile_limit(u64::MAX).unwrap_or(NOFILE_USUAL)
}

#[cfg(not(unix))]
fn open_files_max() -> u64 {
    u64::MAX
}

/// Reads what TLS needs.
pub fn load_tls(certificates: &Path, key: &Path) -> anyhow::Result<Tls> {
    let read = |path: &Path| std::fs::read(path).with_context(|| format!("cannot read `{}`", path.display()));
    Tls::from_pem(&read(certificates)?, &read(key)?).map_err(|message| {
        anyhow::anyhow!("cannot use `{}` and `{}`: {message}", certificates.display(), key.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_names() {
        let check = |text: &str, expected: Result<&str, &str>| {
            let found = text.parse::<ListenAddress>().map(|place| place.to_string());
            match expected {
                Ok(shown) => assert_eq!(found.as_deref(), Ok(shown), "{text}"),
                Err(part) => assert!(found.as_ref().unwrap_err().contains(part), "{text}: {found:?}"),
            }
        };
        check("127.0.0.1:8983", Ok("127.0.0.1:8983"));
        check("[::1]:0", Ok("::1:0"));
        check("unix:/run/parhelion.sock", Ok("unix:/run/parhelion.sock"));
        check("unix:", Err("there is no path"));
        check("localhost", Err("there is no port"));
        check("localhost:x", Err("`x` is not a port"));
        check("localhost:70000", Err("`70000` is not a port"));
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn an_abandoned_socket_is_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.sock");
        let place = ListenAddress::Unix(path.clone());
        let first = bind(&place, None).await.unwrap();
        let taken = bind(&place, None).await.err().unwrap().to_string();
        assert!(taken.contains("a program listens on"), "{taken}");
        drop(first);
        assert!(path.exists());
        bind(&place, None).await.unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "kept").unwrap();
        assert!(bind(&ListenAddress::Unix(file.clone()), None).await.is_err());
        assert!(file.exists());
    }
}
