//! The configsets that new collections may name: the built-in `_default`, and the folders below
//! `--configset-dir`, each as Solr keeps it (a `managed-schema.xml` or `schema.xml`, a `solrconfig.xml`, and
//! the files they name).

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
        if path.is_dir() && name != "_default" && check_name("configset", &name).is_ok() {
            let configset = read(&path).with_context(|| format!("configset `{}`", path.display()))?;
            configsets.insert(name, configset);
        }
    }
    Ok(())
}

/// One configset; its files lie in the folder itself or, as in Solr's own distribution, in `conf` below it.
fn read(folder: &Path) -> Result<Configset> {
    let below = folder.join("conf");
    let folder = if below.is_dir() { &below } else { folder };
    let mut files = Resources::new();
    collect(folder, "", &mut files)?;
    let configset = Configset::read(&files)?;
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
