//! Who may do what on a server that starts: the `security.json` of its data, brought in from `--security` the
//! first time, and the refusal to be open to other machines by accident. What a rule means is `solr`'s
//! (`security`), and each request is checked in `http`; here is only what is decided once, before the first
//! connection is accepted.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use cluster::Node;
use solr::security::{FILE, Security};

use crate::output;

/// The security in force: the data's own, else that of `file`, which is kept with the data from then on.
pub async fn load(
    node: &Arc<Node>,
    data_dir: &Path,
    file: Option<&Path>,
) -> anyhow::Result<Option<Arc<Security>>> {
    warn_of_readers(&data_dir.join(FILE));
    let kept = node.security().context("cannot read the data folder's security.json")?;
    let given = file.map(read).transpose()?;
    if let (Some(_), Some(_), Some(file)) = (&kept, &given, file) {
        output::note(&format!(
            "the data folder has a security.json of its own, which counts; `{}` was brought in at the first start only",
            file.display()
        ));
    }
    let text = match (kept, given) {
        (Some(kept), _) => kept,
        (None, Some(given)) => {
            Security::read(&given)?;
            node.save_security(given.clone()).await?;
            given
        }
        (None, None) => return Ok(None),
    };
    Ok(Security::read(&text)?.map(Arc::new))
}

/// Its hashes are quick to try: who reads them can guess passwords.
fn warn_of_readers(file: &Path) {
    let mode = std::fs::metadata(file).map(|metadata| metadata.permissions().mode());
    if mode.is_ok_and(|mode| mode & 0o077 != 0) {
        let file = file.display();
        output::note(&format!(
            "others on this machine may read the hashes in `{file}`; run `chmod 600 {file}`"
        ));
    }
}

fn read(file: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(file).with_context(|| format!("cannot read `{}`", file.display()))
}

/// Refuses to listen where other machines reach it while nobody has to log in.
pub fn check_exposed(exposed: &[&str], security: Option<&Security>, open: bool) -> anyhow::Result<()> {
    if open || security.is_some_and(Security::closes) {
        return Ok(());
    }
    match exposed.first() {
        None => Ok(()),
        Some(place) => bail!(
            "{place} can be reached from other machines, and anybody could read and change everything there; make people log in \
             with --security FILE (a security.json, see docs/security.md), or, behind a proxy that does it, say --insecure-open"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_open() {
        let read = |rest: &str| {
            let text = format!(r#"{{"authentication":{{"class":"solr.BasicAuthPlugin"{rest}}}}}"#);
            Security::read(&text).unwrap()
        };
        let (closed, nobody) = (read(""), read(r#","blockUnknown":false"#));
        let check = |exposed: &[&str], security: Option<&Security>, open: bool, expected: bool| {
            assert_eq!(check_exposed(exposed, security, open).is_ok(), expected, "{exposed:?} {open}");
        };
        check(&[], None, false, true);
        check(&["http://0.0.0.0:8983/solr"], None, false, false);
        check(&["http://0.0.0.0:8983/solr"], None, true, true);
        check(&["http://0.0.0.0:8983/solr"], closed.as_ref(), false, true);
        check(&["http://0.0.0.0:8983/solr"], nobody.as_ref(), false, false);
    }
}
