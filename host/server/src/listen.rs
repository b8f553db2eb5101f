//! Connections: accepted, bounded, and ended.
//!
//! Invariants: there are no more than [`CONNECTIONS_MAX`], each with a bound on the size of its headers, on the time that these take, on the
//! wait for its reader, and on its life, so a client that says nothing, or reads nothing, keeps its place for a while and no more; whoever is refused loses
//! it at once. Another address than this machine's own is listened to only with a
//! host name and a secret that somebody chose.

use crate::app::App;
use crate::impatient::Impatient;
use crate::library::Library;
use crate::router::router;
use crate::safety::{Rules, Secret, TOKEN_FIELD};
use crate::{ServeError, Settings};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// Connections at once: six for each of some tabs, and room for programs.
const CONNECTIONS_MAX: usize = 256;
/// How long a request's headers may take, and how long a connection may wait for its next request.
const HEADER_WAIT: Duration = Duration::from_secs(10);
/// How long an answer may wait for its reader.
const WRITE_WAIT: Duration = Duration::from_secs(10);
/// Bytes of a request's headers, and of what is kept of an answer that is not read.
const BUFFER_BYTES_MAX: usize = 64 << 10;
/// Headers of a request.
const HEADERS_MAX: usize = 64;
/// The life of a connection. Browsers come back by themselves, and streams go on where they were.
const CONNECTION_LIFE: Duration = Duration::from_secs(600);
/// How long work that is under way may take once the server is to end.
pub(crate) const END_WAIT: Duration = Duration::from_secs(1);
/// Threads that answer, and threads that may block on files.
const THREADS: usize = 2;
const BLOCKING_THREADS_MAX: usize = 16;
/// What a connection too many is told.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\nretry-after: 5\r\n\r\n";

/// The threads of a server.
pub(crate) fn runtime() -> Result<Runtime, ServeError> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .max_blocking_threads(BLOCKING_THREADS_MAX)
        .thread_name("assay-serve")
        .enable_all()
        .build()
        .map_err(|error| ServeError::Start(error.to_string()))
}

/// See [`crate::serve`].
pub(crate) async fn serve(settings: Settings, stop: &Notify, ready: impl FnOnce(&str)) -> Result<(), ServeError> {
    let Settings { mut sources, address, port, hosts, secret, read_only, examine, work } = settings;
    let work = work.filter(|_| !read_only);
    // What pages start is seen by pages.
    sources.folders.extend(work.as_ref().map(|work| work.jobs.path().to_owned()));
    if !address.is_loopback() && (hosts.is_empty() || secret.is_none()) {
        return Err(ServeError::Open(address));
    }
    let secret = match secret {
        Some(secret) => secret,
        None => Secret::random().map_err(|error| ServeError::Start(error.to_string()))?,
    };
    let library = Library::open(sources)?;
    let (listener, bound) = bind(SocketAddr::new(address, port)).await?;
    let rules = Rules::new(&secret, bound.ip(), bound.port(), &hosts);
    let host = hosts.first().filter(|_| !address.is_loopback());
    let host = host.map_or_else(|| bound.to_string(), |host| host.at(bound.port()));
    ready(&format!("http://{host}/?{TOKEN_FIELD}={}", secret.text()));
    let router = router(Arc::new(App::new(library, rules, read_only, (examine, work))));
    accept(&listener, &router, stop).await;
    Ok(())
}

/// Listens at a place, and says which it is where any port would do.
pub(crate) async fn bind(place: SocketAddr) -> Result<(TcpListener, SocketAddr), ServeError> {
    let listener = TcpListener::bind(place).await.map_err(|why| match why.kind() {
        ErrorKind::AddrInUse => ServeError::PortInUse(place.port()),
        _ => ServeError::Listen { address: place, why },
    })?;
    let bound = listener.local_addr().map_err(|why| ServeError::Listen { address: place, why })?;
    Ok((listener, bound))
}

/// Answers whoever connects, until it is stopped.
pub(crate) async fn accept(listener: &TcpListener, router: &Router, stop: &Notify) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let stopped = stop.notified();
    tokio::pin!(stopped);
    loop {
        let accepted = tokio::select! {
            () = &mut stopped => return,
            accepted = listener.accept() => accepted,
        };
        match (accepted, Arc::clone(&places).try_acquire_owned()) {
            (Ok((stream, _)), Ok(place)) => drop(tokio::spawn(connection(stream, router.clone(), place))),
            // Whether it hears so does not matter.
            (Ok((stream, _)), Err(_)) => drop(stream.try_write(FULL)),
            // Out of files: they come back as connections end.
            (Err(_), _) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn connection(stream: TcpStream, router: Router, _place: OwnedSemaphorePermit) {
    // Small answers go out at once.
    let _ = stream.set_nodelay(true);
    let mut settings = http1::Builder::new();
    settings
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_WAIT)
        .max_buf_size(BUFFER_BYTES_MAX)
        .max_headers(HEADERS_MAX);
    let served =
        settings.serve_connection(TokioIo::new(Impatient::new(stream, WRITE_WAIT)), TowerToHyperService::new(router));
    // A client that breaks off is no news.
    let _ = tokio::time::timeout(CONNECTION_LIFE, served).await;
}
