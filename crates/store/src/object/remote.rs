//! Buckets of S3, GCS and Azure, by the crate `object_store`: one attempt each, for its own retries would
//! offer a PUT again that has landed, and take the refusal of its own object for another's.
//!
//! That crate is asynchronous and homes are not: a request runs on the runtime that is handed in, and the
//! thread that asked for it waits. The runtime must be another than the one whose threads ask (ADR 18).

use std::collections::VecDeque;
use std::future::Future;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt, stream};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{
    ClientOptions, ObjectStore, ObjectStoreExt, ObjectStoreScheme, PutMode, PutOptions, PutPayload,
    RetryConfig, WriteMultipart,
};
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::medium::{Attempt, Failure, FailureKind, Medium, ObjectBytes, Pacer};
use crate::{Error, ErrorKind, Result};

/// Requests of one call that are under way at once.
const AT_ONCE: usize = 8;
/// An attempt may take this long, and a second more for each of this many bytes.
const ATTEMPT_MS: u64 = 5_000;
const BYTES_A_SECOND: u64 = 1 << 20;
const CONNECT_MS: u64 = 2_000;
/// What is longer goes up in parts: S3 takes 5 GB in one request, and a request that fails is made anew.
const WHOLE_BYTES_MAX: usize = 64 << 20;
/// S3 takes 10,000 parts: 160 GB.
const PART_BYTES: usize = 16 << 20;

/// A bucket, or a part of one.
pub struct RemoteMedium {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    name: String,
    runtime: Handle,
}

impl RemoteMedium {
    /// The store at `s3://bucket/prefix`, `gs://…` or `az://…`, with what the environment says of it, by the
    /// names that the makers' own tools use (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL`, …). Asks nothing of it
    /// yet.
    ///
    /// Errors: `Invalid` for an address that is none, or for what is missing in the environment.
    pub fn open(url: &str, runtime: Handle) -> Result<Self> {
        let invalid = |why: &dyn std::fmt::Display| {
            let forms =
                "use `s3://bucket/prefix`, `gs://bucket/prefix`, `az://container/prefix` or `file:///folder`";
            Error::new(ErrorKind::Invalid, format!("cannot use the store `{url}`: {why}; {forms}"))
        };
        let parsed = url::Url::parse(url).map_err(|error| invalid(&error))?;
        let (scheme, prefix) = ObjectStoreScheme::parse(&parsed).map_err(|error| invalid(&error))?;
        provide_cryptography();
        // Attempts are bounded here, by their size; the crate's own bound would cut a long upload off.
        let client = ClientOptions::new()
            .with_connect_timeout(Duration::from_millis(CONNECT_MS))
            .with_timeout_disabled();
        let once = RetryConfig { max_retries: 0, ..RetryConfig::default() };
        let store: object_store::Result<Arc<dyn ObjectStore>> = match &scheme {
            ObjectStoreScheme::AmazonS3 => s3(url, client, once),
            ObjectStoreScheme::GoogleCloudStorage => GoogleCloudStorageBuilder::from_env()
                .with_url(url)
                .with_client_options(client)
                .with_retry(once)
                .build()
                .map(|store| Arc::new(store) as _),
            ObjectStoreScheme::MicrosoftAzure => MicrosoftAzureBuilder::from_env()
                .with_url(url)
                .with_client_options(client)
                .with_retry(once)
                .build()
                .map(|store| Arc::new(store) as _),
            _ => return Err(invalid(&"its scheme is not one that shards can be at home in")),
        };
        let store = store.map_err(|error| invalid(&error))?;
        // The same bucket's name may be another's elsewhere.
        let name = match (&scheme, endpoint()) {
            (ObjectStoreScheme::AmazonS3, Some(endpoint)) => format!("{url} at {endpoint}"),
            _ => url.to_owned(),
        };
        Ok(Self::over(store, prefix, name, runtime))
    }

    fn over(store: Arc<dyn ObjectStore>, prefix: Path, name: String, runtime: Handle) -> Self {
        Self { store, prefix, name, runtime }
    }

    fn path_of(&self, key: &str) -> Path {
        key.split('/').filter(|part| !part.is_empty()).fold(self.prefix.clone(), |path, part| path.join(part))
    }

    /// Begins a request; its answer comes over the channel.
    fn begin<T: Send + 'static>(
        &self,
        bytes: u64,
        request: impl Future<Output = object_store::Result<T>> + Send + 'static,
    ) -> Receiver<Attempt<T>> {
        let (sender, answer) = sync_channel(1);
        let bound = Duration::from_millis(ATTEMPT_MS + bytes * 1_000 / BYTES_A_SECOND);
        self.runtime.spawn(async move {
            let attempt = match tokio::time::timeout(bound, request).await {
                Ok(result) => result.map_err(|error| failure_of(&error)),
                Err(_) => {
                    let message = format!("no answer came within {} ms", bound.as_millis());
                    Err(Failure::new(FailureKind::Unanswered, message))
                }
            };
            // Whoever asked may have gone.
            let _ = sender.send(attempt);
        });
        answer
    }

    fn begin_create(&self, key: &str, bytes: &ObjectBytes) -> Receiver<Attempt<()>> {
        let (store, path, bytes) = (Arc::clone(&self.store), self.path_of(key), bytes.clone());
        self.begin(bytes.len() as u64, async move {
            if bytes.len() > WHOLE_BYTES_MAX {
                return create_in_parts(&*store, &path, &bytes).await;
            }
            let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
            store.put_opts(&path, PutPayload::from_bytes(bytes), options).await.map(drop)
        })
    }

    fn begin_get_range(&self, key: &str, range: Range<u64>) -> Receiver<Attempt<Vec<u8>>> {
        let (store, path) = (Arc::clone(&self.store), self.path_of(key));
        let size = range.end - range.start;
        self.begin(size, async move { Ok(store.get_range(&path, range).await?.to_vec()) })
    }

    fn begin_get(&self, key: &str) -> Receiver<Attempt<Vec<u8>>> {
        let (store, path) = (Arc::clone(&self.store), self.path_of(key));
        // How large it is is not known yet.
        let most = 512 * BYTES_A_SECOND;
        self.begin(most, async move { Ok(store.get(&path).await?.bytes().await?.to_vec()) })
    }
}

/// What is too long for one request. The condition is looked at first, not with the last part: this long are
/// only files of segments, and their names end in the epoch of the one opening that puts them.
async fn create_in_parts(
    store: &dyn ObjectStore,
    path: &Path,
    bytes: &ObjectBytes,
) -> object_store::Result<()> {
    match store.head(path).await {
        Err(object_store::Error::NotFound { .. }) => {}
        Err(error) => return Err(error),
        Ok(_) => {
            return Err(object_store::Error::AlreadyExists {
                path: path.to_string(),
                source: "it was there before its first part".into(),
            });
        }
    }
    put_in_parts(store, path, bytes).await
}

async fn put_in_parts(store: &dyn ObjectStore, path: &Path, bytes: &ObjectBytes) -> object_store::Result<()> {
    let mut upload = WriteMultipart::new_with_chunk_size(store.put_multipart(path).await?, PART_BYTES);
    let mut rest = bytes.clone();
    while !rest.is_empty() {
        let part = rest.split_to(PART_BYTES.min(rest.len()));
        upload.wait_for_capacity(AT_ONCE).await?;
        upload.put(part);
    }
    upload.finish().await.map(drop)
}

/// A store that speaks S3's language and is not Amazon's.
fn endpoint() -> Option<String> {
    let named = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"];
    named.iter().find_map(|name| std::env::var(name).ok())
}

fn s3(url: &str, client: ClientOptions, once: RetryConfig) -> object_store::Result<Arc<dyn ObjectStore>> {
    let mut builder = AmazonS3Builder::from_env().with_url(url).with_client_options(client).with_retry(once);
    if let Some(endpoint) = endpoint() {
        // Whoever names one by `http:` means it.
        builder = builder.with_allow_http(endpoint.starts_with("http:")).with_endpoint(endpoint);
    }
    Ok(Arc::new(builder.build()?))
}

/// The process's own, where nobody has chosen one: the crate for TLS that `object_store` uses takes it from
/// there.
fn provide_cryptography() {
    // An error says that there is one already.
    let _ = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
}

fn failure_of(error: &object_store::Error) -> Failure {
    use object_store::Error as E;
    let kind = match error {
        E::AlreadyExists { .. } | E::Precondition { .. } => FailureKind::Exists,
        E::NotFound { .. } => FailureKind::Missing,
        E::PermissionDenied { .. }
        | E::Unauthenticated { .. }
        | E::NotImplemented { .. }
        | E::NotSupported { .. }
        | E::InvalidPath { .. }
        | E::UnknownConfigurationKey { .. } => FailureKind::Refused,
        _ => FailureKind::Unanswered,
    };
    Failure::new(kind, error.to_string())
}

/// Waits for a request's answer.
fn wait<T>(answer: &Receiver<Attempt<T>>) -> Attempt<T> {
    let ended = || Failure::new(FailureKind::Unanswered, "the runtime of the store's requests has ended");
    answer.recv().unwrap_or_else(|_| Err(ended()))
}

/// Some requests side by side; answers in their order.
fn side_by_side<T>(requests: impl Iterator<Item = impl FnOnce() -> Receiver<Attempt<T>>>) -> Vec<Attempt<T>> {
    let (mut under_way, mut answers) = (VecDeque::new(), Vec::new());
    for begin in requests {
        if under_way.len() == AT_ONCE {
            answers.extend(under_way.pop_front().map(|answer| wait(&answer)));
        }
        under_way.push_back(begin());
    }
    answers.extend(under_way.iter().map(wait));
    answers
}

impl Medium for RemoteMedium {
    fn create(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()> {
        wait(&self.begin_create(key, bytes)).map_err(|failure| match failure.kind {
            // Of a PUT: there is no such bucket.
            FailureKind::Missing => Failure::new(FailureKind::Refused, failure.message),
            _ => failure,
        })
    }

    fn get(&self, key: &str) -> Attempt<Vec<u8>> {
        wait(&self.begin_get(key))
    }

    fn delete(&self, key: &str) -> Attempt<()> {
        let (store, path) = (Arc::clone(&self.store), self.path_of(key));
        match wait(&self.begin(0, async move { store.delete(&path).await })) {
            Err(failure) if failure.kind == FailureKind::Missing => Ok(()),
            deleted => deleted,
        }
    }

    fn list(&self, prefix: &str) -> Attempt<Vec<(String, u64)>> {
        let (store, path, own) = (Arc::clone(&self.store), self.path_of(prefix), self.prefix.clone());
        let listed = self.begin(16 * BYTES_A_SECOND, async move {
            let mut found: Vec<(String, u64)> = store
                .list(Some(&path))
                .try_filter_map(|object| {
                    let key = object.location.prefix_match(&own).map(|parts| {
                        parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/")
                    });
                    std::future::ready(Ok(key.map(|key| (key, object.size))))
                })
                .try_collect()
                .await?;
            // Not every store lists in order.
            found.sort_unstable();
            Ok(found)
        });
        wait(&listed)
    }

    fn create_all(&self, objects: &[(String, ObjectBytes)]) -> Vec<Attempt<()>> {
        side_by_side(objects.iter().map(|(key, bytes)| || self.begin_create(key, bytes)))
    }

    fn delete_all(&self, keys: &[String]) -> Attempt<()> {
        let store = Arc::clone(&self.store);
        let paths: Vec<_> = keys.iter().map(|key| Ok(self.path_of(key))).collect();
        let deleted = self.begin(16 * BYTES_A_SECOND, async move {
            let mut deleted = store.delete_stream(stream::iter(paths).boxed());
            while let Some(one) = deleted.next().await {
                match one {
                    Err(object_store::Error::NotFound { .. }) | Ok(_) => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        });
        wait(&deleted)
    }

    fn get_all(&self, keys: &[String]) -> Vec<Attempt<Vec<u8>>> {
        side_by_side(keys.iter().map(|key| || self.begin_get(key)))
    }

    fn get_ranges(&self, key: &str, ranges: &[Range<u64>]) -> Vec<Attempt<Vec<u8>>> {
        side_by_side(ranges.iter().map(|range| || self.begin_get_range(key, range.clone())))
    }

    fn replace(&self, key: &str, bytes: &ObjectBytes) -> Attempt<()> {
        let (store, path, bytes) = (Arc::clone(&self.store), self.path_of(key), bytes.clone());
        wait(&self.begin(bytes.len() as u64, async move {
            if bytes.len() > WHOLE_BYTES_MAX {
                return put_in_parts(&*store, &path, &bytes).await;
            }
            store.put(&path, PutPayload::from_bytes(bytes)).await.map(drop)
        }))
    }

    fn name(&self) -> String {
        self.name.clone()
    }
}

/// The time of the runtime that is handed in.
pub struct RuntimePacer {
    runtime: Handle,
    began: Instant,
}

impl RuntimePacer {
    pub fn new(runtime: Handle) -> Self {
        Self { runtime, began: Instant::now() }
    }
}

impl Pacer for RuntimePacer {
    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn sleep(&self, ms: u64) {
        let (sender, over) = sync_channel::<()>(1);
        self.runtime.spawn(async move {
            tokio::time::sleep(Duration::from_millis(ms)).await;
            let _ = sender.send(());
        });
        if over.recv().is_err() {
            // The runtime has ended, and its time with it. Who tries again is still to wait meanwhile.
            let (_never, waited) = sync_channel::<()>(1);
            let _ = waited.recv_timeout(Duration::from_millis(ms));
        }
    }
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;
    use tokio::runtime::{Builder, Runtime};

    use super::*;
    use crate::object::probe::{ProbeVerdict, probe};

    fn runtime() -> Runtime {
        Builder::new_multi_thread().worker_threads(1).enable_time().build().unwrap()
    }

    fn bytes(text: &str) -> ObjectBytes {
        text.as_bytes().to_vec().into()
    }

    #[test]
    fn a_store_is_asked_on_the_runtime_that_was_handed_in() {
        let runtime = runtime();
        let (store, handle) = (Arc::new(InMemory::new()), runtime.handle().clone());
        let other = RemoteMedium::over(store.clone(), Path::from("other"), "other".into(), handle.clone());
        let medium = RemoteMedium::over(store, Path::from("a/b"), "memory".into(), handle);
        assert_eq!(probe(&medium, [1; 16]).unwrap(), ProbeVerdict::Trusted { was_known: false });
        medium.create("shards/2", &bytes("two")).unwrap();
        medium.create("meta/x/@1", &bytes("")).unwrap();
        assert_eq!(medium.create("shards/2", &bytes("2")).unwrap_err().kind, FailureKind::Exists);
        assert_eq!(medium.get("shards/2").unwrap(), b"two");
        assert_eq!(medium.get("shards/1").unwrap_err().kind, FailureKind::Missing);
        let ranges = medium.get_ranges("shards/2", &[0..1, 1..3, 2..5]);
        let ranges: Vec<_> = ranges.into_iter().map(Result::unwrap).collect();
        assert_eq!(ranges, [b"t".as_slice(), b"wo", b"o"], "the last as far as it goes");
        medium.replace("shards/2", &bytes("new")).unwrap();
        assert_eq!(medium.get("shards/2").unwrap(), b"new");
        let long: ObjectBytes = (0..WHOLE_BYTES_MAX as u32 / 4 + 1_000).flat_map(u32::to_le_bytes).collect();
        medium.create("long", &long).unwrap();
        assert_eq!(medium.create("long", &long).unwrap_err().kind, FailureKind::Exists);
        assert!(medium.get("long").unwrap() == long);
        medium.delete("long").unwrap();
        let many: Vec<_> = (10..40).map(|number| (format!("shards/{number}"), bytes("many"))).collect();
        assert!(medium.create_all(&many).iter().all(Result::is_ok));
        let keys: Vec<String> = many.iter().map(|(key, _)| key.clone()).collect();
        assert!(medium.get_all(&keys).iter().all(|found| found.as_deref().is_ok_and(|it| it == b"many")));
        let listed = medium.list("shards/").unwrap();
        assert_eq!(listed.len(), 31);
        assert!(listed.is_sorted() && listed.contains(&("shards/2".to_owned(), 3)), "{listed:?}");
        assert_eq!(medium.list("meta/").unwrap(), [("meta/x/@1".to_owned(), 0)]);
        medium.delete_all(&keys).unwrap();
        medium.delete("shards/2").unwrap();
        medium.delete("shards/2").unwrap();
        assert_eq!(medium.list("shards/").unwrap(), []);
        assert_eq!(other.list("meta/").unwrap(), [], "prefixes are stores of their own");
    }

    #[test]
    fn what_a_failure_may_have_done_is_told() {
        let check = |error: object_store::Error, kind| assert_eq!(failure_of(&error).kind, kind, "{error}");
        let (path, source) = (|| "a".to_owned(), || Box::new(std::fmt::Error));
        use object_store::Error as E;
        check(E::AlreadyExists { path: path(), source: source() }, FailureKind::Exists);
        check(E::Precondition { path: path(), source: source() }, FailureKind::Exists);
        check(E::NotFound { path: path(), source: source() }, FailureKind::Missing);
        check(E::PermissionDenied { path: path(), source: source() }, FailureKind::Refused);
        check(E::Unauthenticated { path: path(), source: source() }, FailureKind::Refused);
        check(E::Generic { store: "S3", source: source() }, FailureKind::Unanswered);
    }

    #[test]
    fn addresses_are_looked_at_before_anything_is_asked() {
        let runtime = runtime();
        for url in ["", "films", "ftp://films/a", "memory:///"] {
            let error = RemoteMedium::open(url, runtime.handle().clone()).err().unwrap();
            assert_eq!(error.kind(), &ErrorKind::Invalid, "{url}");
            assert!(error.message().contains("use `s3://bucket/prefix`"), "{error}");
        }
    }

    #[test]
    fn nobody_answers_where_nobody_listens() {
        // A port that was free a moment ago.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        provide_cryptography();
        let store = AmazonS3Builder::new()
            .with_bucket_name("films")
            .with_region("us-east-1")
            .with_endpoint(format!("http://{free}"))
            .with_allow_http(true)
            .with_access_key_id("a")
            .with_secret_access_key("b")
            .with_retry(RetryConfig { max_retries: 0, ..RetryConfig::default() })
            .build()
            .unwrap();
        let handle = runtime.handle().clone();
        let medium = RemoteMedium::over(Arc::new(store), Path::default(), "gone".into(), handle);
        assert_eq!(medium.create("a", &bytes("x")).unwrap_err().kind, FailureKind::Unanswered);
        assert_eq!(medium.get("a").unwrap_err().kind, FailureKind::Unanswered);
        assert_eq!(medium.list("a/").unwrap_err().kind, FailureKind::Unanswered);
    }
}
