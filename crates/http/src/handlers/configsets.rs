//! `/admin/configs` and `/api/configsets`: LIST, CREATE, UPLOAD (an archive, or one file) and DELETE of
//! configsets. Those that are part of the program or lie in its folder are there to start from; uploaded ones
//! are kept with the data.

use std::sync::Arc;

use bytes::Bytes;
use cluster::Collection;
use hyper::Method;
use plan::{Error, Resources, Result, check_name};
use solr::params::admin::configsets as params;
use solr::response::{Entries, Node};

use crate::configsets::{self, Configset};
use crate::handlers::{shown, zip};
use crate::request::call::Call;

/// What is asked for, by either spelling.
enum Action {
    List,
    Create { name: String, base: String },
    Delete { name: String },
    Upload { name: String, path: Option<String>, overwrite: bool, cleanup: bool },
}

impl Action {
    fn of_params(call: &Call<'_>) -> Result<Self> {
        let action = params::ACTION.text(&call.params).to_ascii_uppercase();
        let name = || call.required(&params::NAME).map(str::to_owned);
        Ok(match action.as_str() {
            "LIST" => Action::List,
            "CREATE" => Action::Create { name: name()?, base: call.text(&params::BASE).to_owned() },
            "DELETE" => Action::Delete { name: name()? },
            "UPLOAD" => Action::Upload {
                name: name()?,
                path: call.text(&params::FILE_PATH).map(str::to_owned),
                overwrite: call.value(&params::OVERWRITE)?,
                cleanup: call.value(&params::CLEAN_UP)?,
            },
            _ => return Err(Error::bad_request(format!("Unknown action: {action}"))),
        })
    }

    /// Of `/api/configsets` and below, by method and the parts of the path there.
    fn of_path(call: &Call<'_>, parts: &[String]) -> Result<Self> {
        // Here an empty one is off, there it is as good as not sent.
        Ok(match (&call.method, parts) {
            (&Method::GET, []) => Action::List,
            (&Method::DELETE, [name]) => Action::Delete { name: name.clone() },
            (&Method::PUT, [name, path @ ..]) => Action::Upload {
                name: name.clone(),
                path: (!path.is_empty()).then(|| path.join("/")),
                overwrite: params::OVERWRITE.read(&call.params)?,
                cleanup: params::CLEAN_UP.read(&call.params)?,
            },
            (method, _) => {
                return Err(Error::bad_request(format!(
                    "`{method}` is not served here; use GET /api/configsets, PUT or DELETE /api/configsets/NAME, PUT \
                     /api/configsets/NAME/FILE"
                )));
            }
        })
    }
}

/// `parts` are those of the path below `/api/configsets`; `None` for `/admin/configs`.
pub(super) async fn run(call: &Call<'_>, parts: Option<&[String]>) -> Result<Entries> {
    let action = match parts {
        Some(parts) => Action::of_path(call, parts)?,
        None => Action::of_params(call)?,
    };
    match action {
        Action::List => Ok(list(call)),
        change => shown(call, act(call, change)).await,
    }
}

async fn act(call: &Call<'_>, action: Action) -> Result<Entries> {
    match action {
        Action::List => Ok(list(call)),
        Action::Create { name, base } => create(call, &name, &base).await,
        Action::Delete { name } => delete(call, &name).await,
        Action::Upload { name, path: None, overwrite, cleanup } => {
            upload(call, &name, (overwrite, cleanup)).await
        }
        Action::Upload { cleanup: true, .. } => {
            Err(Error::bad_request("ConfigSet uploads do not allow cleanup=true when filePath is used."))
        }
        Action::Upload { name, path: Some(path), overwrite, .. } => {
            upload_file(call, &name, (path, overwrite)).await
        }
    }
}

fn list(call: &Call<'_>) -> Entries {
    let mut names = call.server.node.configset_names();
    names.extend(call.server.config.configsets.names().map(str::to_owned));
    names.sort();
    names.dedup();
    vec![("configSets".into(), Node::Array(names.into_iter().map(Node::from).collect()))]
}

async fn create(call: &Call<'_>, name: &str, base: &str) -> Result<Entries> {
    own(call, name)?;
    if let Some((property, _)) = params::PROPERTY.sent_all(&call.params).next() {
        let beginning = params::PROPERTY.beginning();
        return Err(Error::bad_request(format!("`{beginning}{property}` is not supported; leave it out")));
    }
    let files = call.server.node.configset(base).map(|files| Resources::clone(&files));
    let files = files.or_else(|| Some(call.server.config.configsets.find(base)?.files.clone()));
    let files = files.ok_or_else(|| Error::bad_request(format!("Base ConfigSet does not exist: {base}")))?;
    let (copy, taken) = (files, format!("ConfigSet already exists: {name}"));
    let edit = move |present: Option<&Resources>| match present {
        Some(_) => Err(Error::bad_request(taken)),
        None => Ok(Some(copy)),
    };
    call.server.node.edit_configset(name, edit).await?;
    Ok(vec![])
}

async fn delete(call: &Call<'_>, name: &str) -> Result<Entries> {
    own(call, name)?;
    let all = call.server.node.descriptions();
    if let Some(user) = all.iter().find(|collection| collection.configset() == name) {
        return Err(Error::bad_request(format!(
            "Can not delete ConfigSet as it is currently being used by collection [{}]",
            user.name()
        )));
    }
    let absent = format!("ConfigSet does not exist to delete: {name}");
    let edit = move |present: Option<&Resources>| match present {
        Some(_) => Ok(None),
        None => Err(Error::bad_request(absent)),
    };
    call.server.node.edit_configset(name, edit).await?;
    Ok(vec![])
}

async fn upload(call: &Call<'_>, name: &str, (overwrite, cleanup): (bool, bool)) -> Result<Entries> {
    own(call, name)?;
    let body = body(call)?;
    let files = cluster::compute(|| zip::texts(&body))?;
    if files.is_empty() {
        return Err(Error::bad_request(
            "Either empty zipped data, or non-zipped data was uploaded. In order to upload a configSet, you must zip a \
             non-empty directory to upload.",
        ));
    }
    let taken = already_there(name);
    let edit = move |present: Option<&Resources>| match present {
        Some(_) if !overwrite => Err(taken),
        Some(present) if !cleanup => {
            let mut all = present.clone();
            all.extend(files);
            Ok(Some(all))
        }
        _ => Ok(Some(files)),
    };
    call.server.node.edit_configset(name, edit).await?;
    Ok(vec![])
}

async fn upload_file(call: &Call<'_>, name: &str, (path, overwrite): (String, bool)) -> Result<Entries> {
    own(call, name)?;
    let path = path.trim_start_matches('/').to_owned();
    zip::check_path(&path)?;
    let text = String::from_utf8(body(call)?.to_vec())
        .map_err(|_| Error::bad_request(format!("`{path}` is not text in UTF-8; send a file of text")))?;
    let taken = Error::bad_request(format!(
        "The file {path} already exists in the configset {name}; send `overwrite=true`"
    ));
    let edit = move |present: Option<&Resources>| {
        let mut files = present.cloned().unwrap_or_default();
        if files.contains_key(&path) && !overwrite {
            return Err(taken);
        }
        files.insert(path, text);
        configsets::check_size(&files)?;
        Ok(Some(files))
    };
    call.server.node.edit_configset(name, edit).await?;
    Ok(vec![])
}

fn already_there(name: &str) -> Error {
    Error::bad_request(format!("The configuration {name} already exists in zookeeper"))
}

fn body(call: &Call<'_>) -> Result<Bytes> {
    let content = call.content.as_ref().filter(|content| !content.bytes.is_empty());
    Ok(content
        .ok_or_else(|| Error::bad_request("the request has no body; send the archive or the file"))?
        .bytes
        .clone())
}

/// Whether a name may be changed here: those that the program brings may not.
fn own(call: &Call<'_>, name: &str) -> Result<()> {
    check_name("configset", name)?;
    match call.server.config.configsets.find(name) {
        Some(_) => Err(Error::bad_request(format!(
            "the configset `{name}` comes with the server and cannot be changed; use another name"
        ))),
        None => Ok(()),
    }
}

/// The configset of this name, uploaded or not. Errors: `BadRequest`, with the names there are or with what
/// is wrong in its files.
pub(super) fn require(call: &Call<'_>, name: &str) -> Result<Arc<Configset>> {
    match call.server.node.configset(name) {
        Some(files) => Configset::read(&files)
            .map(Arc::new)
            .map_err(|error| error.context(format!("configset `{name}`: "))),
        None => call.server.config.configsets.require(name, &call.server.node.configset_names()),
    }
}

/// Takes up a configset that was uploaded anew, schema and configuration; what the Config API changed stays.
pub(super) async fn renew(call: &Call<'_>, collection: &Arc<Collection>) -> Result<()> {
    let Some(files) = call.server.node.configset(&collection.configset()) else { return Ok(()) };
    if configsets::revision(&files) == collection.config().source.revision {
        return Ok(());
    }
    let fresh = require(call, &collection.configset())?;
    collection.edit_schema(|_| Ok(fresh.schema.clone())).await?;
    let config = fresh.config.clone();
    collection.edit_config(move |current| solr::config::renewed(&config, current)).await
}
