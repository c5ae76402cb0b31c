//! The configsets that new collections may name: the built-in `_default`, unless there is another, and the
//! folders below `--configset-dir`, each as Solr keeps it (a `managed-schema.xml` or `schema.xml`, a
//! `solrconfig.xml`, and the files they name).

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use http::{Configset, Configsets};
use plan::{Resources, check_name};

use crate::output;

/// Deepest folder and most files that are read of a configset.
const DEPTH_MAX: usize = 8;
const FILES_MAX: usize = 2000;

pub fn load(folder: Option<&Path>) -> Result<Configsets> {
    let mut configsets = Configsets::default();
    configsets.insert("_default", builtin().context("the built-in configset is broken")?);
    if let Some(folder) = folder {
        load_folder(folder, &mut configsets)?;
    }
    Ok(configsets)
}

fn builtin() -> Result<Configset> {
    let files = solr::config::configset::builtin("_default").context("it is missing")?;
    let read = |name: &str| files.file(name).map(str::to_owned);
    // Parsed, not validated: a language whose components are missing must not take the others with it. Its
    // fields answer with an error that names the component.
    let schema = solr::schema::parse(files.file("managed-schema.xml").unwrap_or_default(), &read)?;
    let config = solr::config::load(&read)?;
    let files = files.files().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    Ok(Configset { schema, config: config.config, files })
}

fn load_folder(folder: &Path, configsets: &mut Configsets) -> Result<()> {
    let entries = fs::read_dir(folder)
        .with_context(|| format!("cannot read the configsets in `{}`", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() && check_name("configset", &name).is_ok() {
            let shown = || format!("configset `{}`", path.display());
            let files = files_of(&path).with_context(shown)?;
            // The built-in one, as a checkout has it, is there already.
            if name != "_default" || !is_builtin(&files) {
                configsets.insert(name, read(&path, &files).with_context(shown)?);
            }
        }
    }
    Ok(())
}

/// The files of a configset, which lie in the folder itself or, as in Solr's own distribution, in `conf`
/// below it.
fn files_of(folder: &Path) -> Result<Resources> {
    let below = folder.join("conf");
    let mut files = Resources::new();
    collect(if below.is_dir() { &below } else { folder }, "", &mut files)?;
    Ok(files)
}

fn is_builtin(files: &Resources) -> bool {
    let known = solr::config::configset::builtin("_default");
    known
        .is_some_and(|known| known.files().all(|(name, text)| files.get(name).is_some_and(|own| own == text)))
}

fn read(folder: &Path, files: &Resources) -> Result<Configset> {
    let configset = Configset::read(files)?;
    let warnings = solr::config::load(&|name| files.get(name).cloned())?.warnings;
    for warning in warnings {
        output::note(&format!("warning: `{}`: {warning}", folder.display()));
    }
    Ok(configset)
}

/// The text files of a folder by their names below it; other files are passed over.
fn collect(folder: &Path, above: &str, files: &mut Resources) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if check_name("file", &name).is_err() {
            continue;
        }
        let below = format!("{above}{name}");
        if path.is_dir() {
            ensure!(below.matches('/').count() < DEPTH_MAX, "`{}` lies too deep", path.display());
            collect(&path, &format!("{below}/"), files)?;
        } else if let Ok(text) = fs::read_to_string(&path) {
            ensure!(files.len() < FILES_MAX, "there are more than {FILES_MAX} files");
            files.insert(below, text);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One that was changed is the one that is meant; the words of a checkout's are the built-in one's.
    #[test]
    fn a_default_of_ones_own_replaces_the_built_in_one() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("_default/conf");
        fs::create_dir_all(&own).unwrap();
        let fields = r#"<schema name="own" version="1.6"><fieldType name="s" class="solr.StrField"/><field name="id" type="s"/><field name="mine" type="s"/><uniqueKey>id</uniqueKey></schema>"#;
        fs::write(own.join("managed-schema.xml"), fields).unwrap();
        fs::write(
            own.join("solrconfig.xml"),
            "<config><luceneMatchVersion>9.10</luceneMatchVersion></config>",
        )
        .unwrap();
        let knows = |configsets: &Configsets, field: &str| {
            let schema = configsets.find("_default").unwrap().files["managed-schema.xml"].clone();
            schema.contains(&format!("name=\"{field}\""))
        };
        let own = load(Some(folder.path())).unwrap();
        assert!(knows(&own, "mine") && !knows(&load(None).unwrap(), "mine"));
    }
}
