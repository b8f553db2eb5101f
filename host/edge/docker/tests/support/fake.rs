//! A Docker daemon that is none: it speaks as much HTTP over a Unix socket as the bench does, keeps a list of names for containers, and
//! goes wrong where it is told to.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, UnixListener};

/// Where it goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    None,
    /// The create is never answered; the container comes all the same, later.
    LateCreate,
    /// The container never says anything.
    SilentContainer,
    /// The output is cut, in the middle of a frame, before the script began.
    CutBeforeReady,
    /// The same after it began.
    CutOutput,
    /// The same between two frames.
    CutQuietly,
    /// The output ends and the container goes on.
    NoEnd,
    /// How much it has written is never answered, and it says nothing before that was asked.
    SlowSize,
    /// It has written more than it may.
    FullDisk,
    /// The kernel killed it.
    OutOfMemory,
    /// The image is not there and the registry has no more of it than a first layer.
    PullError,
    /// The image is not there and its pull never ends.
    EndlessPull,
    /// The image is not there and the registry has had too many requests.
    BusyRegistry,
    /// No image is there before it was pulled.
    NoImages,
    /// All that is said beside the output comes in one piece, after a warning.
    OnePiece,
    /// Every create is a 500.
    CreateError,
    /// The start is a 500.
    StartError,
    /// The first three removals are a 500.
    RemoveError,
    /// It exits with a code that its preparation has.
    NoFolder,
}

#[derive(Default)]
struct State {
    containers: BTreeSet<String>,
    removals_failed: u32,
    requests: Vec<String>,
    images: BTreeSet<String>,
    /// Who pulled, as the header says it.
    logins: Vec<String>,
}

#[derive(Clone)]
pub(crate) struct Fake {
    fault: Fault,
    state: Arc<Mutex<State>>,
}

impl Fake {
    pub(crate) fn listen(fault: Fault, socket: &Path) -> Self {
        let fake = Self { fault, state: Arc::default() };
        let listener = UnixListener::bind(socket).expect("a socket");
        let this = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(this.clone().serve(stream));
            }
        });
        fake
    }

    pub(crate) async fn listen_tcp(fault: Fault) -> (Self, String) {
        let fake = Self { fault, state: Arc::default() };
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("it has one").to_string();
        let this = fake.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(this.clone().serve(stream));
            }
        });
        (fake, address)
    }

    /// The containers that are there.
    pub(crate) fn containers(&self) -> Vec<String> {
        self.state.lock().expect("no panic").containers.iter().cloned().collect()
    }

    /// How many requests began so.
    pub(crate) fn requests(&self, start: &str) -> usize {
        self.state.lock().expect("no panic").requests.iter().filter(|request| request.starts_with(start)).count()
    }

    /// The images that were pulled and not removed.
    pub(crate) fn images(&self) -> Vec<String> {
        self.state.lock().expect("no panic").images.iter().cloned().collect()
    }

    /// Who pulled, in the order of the pulls.
    pub(crate) fn logins(&self) -> Vec<String> {
        self.state.lock().expect("no panic").logins.clone()
    }

    fn asked_for_size(&self) -> bool {
        self.state.lock().expect("no panic").requests.iter().any(|request| request.ends_with("size=true"))
    }

    async fn serve(self, mut stream: impl AsyncRead + AsyncWrite + Unpin) {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            match stream.read_u8().await {
                Ok(byte) => head.push(byte),
                Err(_) => return,
            }
        }
        let head = String::from_utf8(head).expect("a request");
        let length =
            |line: &str| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse::<usize>().ok();
        let mut body = vec![0; head.lines().find_map(length).unwrap_or(0)];
        if stream.read_exact(&mut body).await.is_err() {
            return;
        }
        let line = head.lines().next().unwrap_or_default();
        let request = line.trim_end_matches(" HTTP/1.1").to_owned();
        {
            let mut state = self.state.lock().expect("no panic");
            state.requests.push(request.clone());
            if request.starts_with("POST /images/create") {
                let named = |line: &str| {
                    Some(
                        line.split_once(": ")
                            .filter(|(name, _)| name.eq_ignore_ascii_case("x-registry-auth"))?
                            .1
                            .to_owned(),
                    )
                };
                state.logins.push(head.lines().find_map(named).unwrap_or_default());
            }
        }
        self.answer(&request, &mut stream).await;
    }

    async fn answer(&self, request: &str, stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
        let (method, target) = request.split_once(' ').expect("a method and a target");
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let reply = match (method, parts.as_slice()) {
            (_, ["_ping"]) => (200, "OK".to_owned()),
            (_, ["info"]) => (200, r#"{"NCPU":2}"#.into()),
            ("GET", ["images", .., "json"])
                if matches!(self.fault, Fault::PullError | Fault::BusyRegistry | Fault::EndlessPull) =>
            {
                (404, r#"{"message":"no such image"}"#.into())
            }
            (_, ["images", rest @ ..]) if self.fault == Fault::NoImages => self.keep_images(method, rest, query),
            ("GET", ["images", .., "json"]) => (200, r#"{"Id":"sha256:1"}"#.into()),
            ("POST", ["images", "create"]) => return self.pull(stream).await,
            ("GET", ["containers", "json"]) => (200, "[]".into()),
            ("POST", ["containers", "create"]) => {
                let name =
                    query.split('&').find_map(|pair| pair.strip_prefix("name=")).expect("it is named").to_owned();
                match self.fault {
                    Fault::CreateError => (500, r#"{"message":"no space left on device"}"#.into()),
                    fault => {
                        if fault == Fault::LateCreate {
                            // Longer than the bench waits for the answer.
                            tokio::time::sleep(Duration::from_millis(1_500)).await;
                        }
                        self.state.lock().expect("no panic").containers.insert(name);
                        (201, r#"{"Id":"1","Warnings":[]}"#.into())
                    }
                }
            }
            ("POST", ["containers", _, "attach"]) => return self.attach(stream).await,
            ("POST", ["containers", _, "start"]) if self.fault == Fault::StartError => {
                (500, r#"{"message":"cgroup is gone"}"#.into())
            }
            ("POST", ["containers", _, "start"]) => (204, String::new()),
            ("POST", ["containers", _, "wait"]) if self.fault == Fault::NoEnd => std::future::pending().await,
            ("POST", ["containers", _, "wait"]) => (200, format!(r#"{{"StatusCode":{}}}"#, self.code())),
            ("GET", ["containers", _, "json"]) if query == "size=true" && self.fault == Fault::FullDisk => {
                (200, r#"{"SizeRw":99999999999}"#.into())
            }
            ("GET", ["containers", _, "json"]) if query == "size=true" => std::future::pending().await,
            ("GET", ["containers", _, "json"]) => {
                let oom = self.fault == Fault::OutOfMemory;
                (200, format!(r#"{{"State":{{"Running":false,"OOMKilled":{oom},"ExitCode":{}}}}}"#, self.code()))
            }
            ("DELETE", ["containers", name]) => self.remove(name),
            other => panic!("the bench asked for {other:?}"),
        };
        let text = format!(
            "HTTP/1.1 {} x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
            reply.0,
            reply.1.len(),
            reply.1
        );
        let _ = stream.write_all(if reply.0 == 204 { "HTTP/1.1 204 x\r\n\r\n" } else { &text }.as_bytes()).await;
        let _ = stream.flush().await;
    }

    /// Images that come with a pull and go when they are removed.
    fn keep_images(&self, method: &str, rest: &[&str], query: &str) -> (u16, String) {
        let images = &mut self.state.lock().expect("no panic").images;
        match (method, rest) {
            ("POST", ["create"]) => {
                let name = query.split('&').find_map(|pair| pair.strip_prefix("fromImage=")).expect("it is named");
                images.insert(name.replace("%2F", "/").replace("%3A", ":"));
                (200, r#"{"status":"done"}"#.into())
            }
            ("GET", [name @ .., "json"]) if images.contains(&name.join("/")) => {
                (200, format!(r#"{{"Id":"sha256:{}"}}"#, name.join("-")))
            }
            ("DELETE", name) if images.remove(&name.join("/")) => (200, "[]".into()),
            _ => (404, r#"{"message":"no such image"}"#.into()),
        }
    }

    fn code(&self) -> u8 {
        match self.fault {
            Fault::OutOfMemory => 137,
            Fault::NoFolder => 124,
            _ => 0,
        }
    }

    fn remove(&self, name: &str) -> (u16, String) {
        let mut state = self.state.lock().expect("no panic");
        if self.fault == Fault::RemoveError && state.removals_failed < 3 {
            state.removals_failed += 1;
            return (500, r#"{"message":"device is busy"}"#.into());
        }
        if state.containers.remove(name) {
            (204, String::new())
        } else {
            (404, r#"{"message":"no such container"}"#.into())
        }
    }

    async fn pull(&self, stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
        if self.fault == Fault::EndlessPull {
            std::future::pending::<()>().await;
        }
        let start = "HTTP/1.1 200 x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
        let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
        let layer = chunk("{\"status\":\"Downloading\",\"id\":\"a\",\"progressDetail\":{\"current\":1,\"total\":2}}\n");
        let why = if self.fault == Fault::BusyRegistry { "toomanyrequests: slow down" } else { "manifest unknown" };
        let end = chunk(&format!("{{\"errorDetail\":{{\"message\":\"{why}\"}},\"error\":\"{why}\"}}\n")) + "0\r\n\r\n";
        let _ = stream.write_all(format!("{start}{layer}{end}").as_bytes()).await;
    }

    async fn attach(&self, stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) {
        let start = b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n";
        let _ = stream.write_all(start).await;
        let mut bytes = Vec::new();
        let mut frame = |kind: u8, text: &str| {
            bytes.extend_from_slice(&[kind, 0, 0, 0]);
            bytes.extend_from_slice(&(text.len() as u32).to_be_bytes());
            bytes.extend_from_slice(text.as_bytes());
        };
        match self.fault {
            Fault::SilentContainer => {}
            Fault::NoFolder => frame(2, "cd: /opt: No such file or directory\n"),
            Fault::CutBeforeReady => frame(2, "rea"),
            Fault::OnePiece => {
                frame(1, "1 passed\n");
                frame(2, "tar: not ready\nready\nend\n");
            }
            _ => {
                frame(2, "ready\n");
                frame(1, "1 passed\n");
                if !matches!(self.fault, Fault::CutOutput | Fault::CutQuietly) {
                    frame(2, "end\n");
                }
            }
        }
        if matches!(self.fault, Fault::CutBeforeReady | Fault::CutOutput) {
            bytes.extend_from_slice(&[1, 0, 0, 0, 0]);
        }
        while self.fault == Fault::SlowSize && !self.asked_for_size() {
            tokio::task::yield_now().await;
        }
        let _ = stream.write_all(&bytes).await;
        if self.fault == Fault::FullDisk {
            std::future::pending::<()>().await;
        }
        // A container reads what it is told before it ends.
        let mut payload = Vec::new();
        if self.fault == Fault::SilentContainer {
            std::future::pending::<()>().await;
        }
        if !matches!(self.fault, Fault::CutBeforeReady | Fault::CutOutput) {
            let _ = stream.read_to_end(&mut payload).await;
        }
    }
}
