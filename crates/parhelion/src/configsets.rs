//! The configsets that new collections may name: the built-in `_default`, and the folders below `--configset-dir`, each as
//! Solr keeps it (a `managed-schema.xml` or `schema.xml`, a `solrconfig.xml`, and the files they name).

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use http::{Configset, Configsets};
use plan::check_name;

use crate::output;

/// What Solr calls the schema's file, newest name first.
const SCHEMA_FILES: [&str; 3] = ["managed-schema.xml", "managed-schema", "schema.xml"];

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
    // Parsed, not validated: a language whose components are missing must not take the others with it. Its fields answer
    // with an error that names the component.
    let schema = solr::schema::parse(files.file("managed-schema.xml").unwrap_or_default(), &read)?;
    let config = solr::config::load(files.file("solrconfig.xml").unwrap_or_default(), &|_| None)?;
    Ok(Configset { schema, config: config.config })
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
    let read = |name: &str| plain(name).then(|| fs::read_to_string(folder.join(name)).ok()).flatten();
    let schema = SCHEMA_FILES.iter().find_map(|name| read(name));
    let schema = schema.with_context(|| format!("has no schema; name it `{}`", SCHEMA_FILES[0]))?;
    let config = read("solrconfig.xml").context("has no `solrconfig.xml`")?;
    let schema = solr::schema::load(&schema, &read)?;
    let loaded = solr::config::load(&config, &|_| None)?.with_files(&read)?;
    for warning in &loaded.warnings {
        output::note(&format!("warning: `{}`: {warning}", folder.display()));
    }
    Ok(Configset { schema, config: loaded.config })
}

/// Whether a resource's name stays below the configset.
fn plain(name: &str) -> bool {
    name.split('/').all(|part| check_name("file", part).is_ok())
}
