//! A change of what collections there are is made once those see it who ask no node for them. Handlers of
//! such changes do them through here; who shows what there is is [`PublicView`]'s.

use std::future::Future;

use plan::{Error, Result};

use crate::request::call::Call;

/// Does `change` where it would be shown, and waits until it is.
pub(super) async fn shown<T>(call: &Call<'_>, change: impl Future<Output = Result<T>>) -> Result<T> {
    let Some(view) = &call.server.config.view else { return change.await };
    view.check()?;
    let done = change.await?;
    let made = |error: Error| Error::new(error.kind, format!("The change was made, but {}", error.message));
    view.published().await.map_err(made)?;
    Ok(done)
}
