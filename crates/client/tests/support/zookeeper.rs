//! A ZooKeeper in miniature: nodes with their data, and children by their paths. It answers what a reader
//! asks, and remembers how many sessions there were.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

#[derive(Default)]
pub struct Tree {
    pub nodes: BTreeMap<String, String>,
    pub sessions: usize,
    /// Asked for, in order.
    pub paths: Vec<String>,
    /// Connections are closed at the next question.
    pub is_closing: bool,
}

pub struct ZooKeeper {
    pub address: String,
    pub tree: Arc<Mutex<Tree>>,
    task: tokio::task::JoinHandle<()>,
}

impl ZooKeeper {
    pub async fn start(nodes: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let nodes = nodes.iter().map(|(path, data)| ((*path).to_owned(), (*data).to_owned())).collect();
        let tree = Arc::new(Mutex::new(Tree { nodes, ..Tree::default() }));
        let shared = tree.clone();
        let task = tokio::spawn(async move {
            let mut serving = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let shared = shared.clone();
                serving.spawn(async move { drop(serve(stream, &shared).await) });
            }
        });
        Self { address, tree, task }
    }

    pub fn set(&self, path: &str, data: &str) {
        self.tree.lock().unwrap().nodes.insert(path.to_owned(), data.to_owned());
    }
}

impl Drop for ZooKeeper {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, tree: &Mutex<Tree>) -> std::io::Result<()> {
    let hello = read_frame(&mut stream).await?;
    assert_eq!(hello.len(), 45, "{hello:?}");
    tree.lock().unwrap().sessions += 1;
    let granted =
        [&[0; 4][..], &4000_i32.to_be_bytes(), &7_i64.to_be_bytes(), &16_i32.to_be_bytes(), &[1; 16]];
    write_frame(&mut stream, &[&granted.concat()[..], &[0]].concat()).await?;
    loop {
        let asked = read_frame(&mut stream).await?;
        let int = |at: usize| i32::from_be_bytes(asked[at..at + 4].try_into().unwrap());
        let (number, operation) = (int(0), int(4));
        if operation == -11 {
            return Ok(());
        }
        let path = String::from_utf8(asked[12..12 + int(8) as usize].to_vec()).unwrap();
        let Some(body) = answer(&mut tree.lock().unwrap(), operation, &path) else { return Ok(()) };
        // An event between, as who watches gets.
        write_frame(&mut stream, &[&(-1_i32).to_be_bytes()[..], &[0; 20]].concat()).await?;
        let error = if body.is_some() { 0_i32 } else { -101 };
        let head = [&number.to_be_bytes()[..], &1_i64.to_be_bytes(), &error.to_be_bytes()].concat();
        write_frame(&mut stream, &[head, body.unwrap_or_default()].concat()).await?;
    }
}

/// Of a path that is not there nothing; `None` where the connection is to end.
fn answer(tree: &mut Tree, operation: i32, path: &str) -> Option<Option<Vec<u8>>> {
    tree.paths.push(path.to_owned());
    if tree.is_closing {
        return None;
    }
    let buffer = |bytes: &[u8]| [&(bytes.len() as i32).to_be_bytes()[..], bytes].concat();
    let below = format!("{path}/");
    let is_there = tree.nodes.contains_key(path) || tree.nodes.keys().any(|node| node.starts_with(&below));
    Some(is_there.then(|| match operation {
        4 => [buffer(tree.nodes.get(path).map_or(&[], |data| data.as_bytes())), vec![0; 68]].concat(),
        8 => {
            let below = tree.nodes.keys().filter_map(|node| node.strip_prefix(&below));
            let mut names: Vec<&str> = below.map(|rest| rest.split('/').next().unwrap()).collect();
            names.dedup();
            let names = names.into_iter().map(|name| buffer(name.as_bytes()));
            let names: Vec<_> = names.collect();
            [(names.len() as i32).to_be_bytes().to_vec(), names.concat()].concat()
        }
        other => panic!("operation {other}"),
    }))
}

async fn read_frame(stream: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let length = stream.read_i32().await?;
    let mut frame = vec![0; length as usize];
    stream.read_exact(&mut frame).await?;
    Ok(frame)
}

async fn write_frame(stream: &mut TcpStream, body: &[u8]) -> std::io::Result<()> {
    stream.write_all(&[&(body.len() as i32).to_be_bytes()[..], body].concat()).await
}
