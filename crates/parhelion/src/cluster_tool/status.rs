//! `cluster status`: looks once, prints what it sees, and ends with an error where something is wrong. What
//! there is to see, and what of it is wrong, is `view`'s. It takes no lock: one may look while another
//! command is at work.

use anyhow::bail;

use super::arguments::FolderArgs;
use super::folder::{ClusterFolder, shell_word};
use super::view::ClusterObserver;
use crate::output;

pub async fn run(at: &FolderArgs) -> anyhow::Result<()> {
    let (_, record) = ClusterFolder::look(&at.dir)?;
    let view = ClusterObserver::new(&record)?.look(&record).await;
    let wrong = view.wrong(&shell_word(&at.dir));
    if at.json {
        output::json(&view.to_json(&wrong));
    } else {
        view.print();
    }
    if !wrong.is_empty() {
        bail!("the cluster is not healthy: {}", wrong.join("; "));
    }
    Ok(())
}
