//! An engine behind an SSH server: a socket here, each connection of which is one `ssh HOST docker system dial-stdio`.
//!
//! Invariants: the socket lies in a folder that only this user can enter, and every `ssh` is killed when its connection or the tunnel ends. The first
//! connection is shared by the later ones (`ControlMaster`), so that only it pays for the handshake.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::io::{AsyncWriteExt as _, copy};
use tokio::net::{UnixListener, UnixStream};
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::task::{AbortHandle, JoinSet};

/// Connections at once, which is requests at once: an SSH server takes ten sessions a connection unless it is told otherwise.
const CONNECTIONS: usize = 64;
/// How long the shared connection outlives its last use, in seconds.
const SHARED_SECONDS: u32 = 60;

/// An open tunnel.
pub(crate) struct Tunnel {
    socket: PathBuf,
    task: AbortHandle,
}

impl Tunnel {
    /// Listens; nothing is started before the first connection.
    pub(crate) fn open(ssh: &Path, destination: &str, port: Option<u16>) -> io::Result<Self> {
        // `tempfile` makes folders with mode 0700.
        let folder = tempfile::Builder::new().prefix("assay-ssh.").tempdir()?;
        let socket = folder.path().join("engine");
        let listener = UnixListener::bind(&socket)?;
        let dial = Dial { ssh: ssh.into(), destination: destination.into(), port, folder };
        let task = tokio::spawn(serve(listener, Arc::new(dial))).abort_handle();
        Ok(Self { socket, task })
    }

    /// The socket to speak to.
    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// How to reach the engine.
struct Dial {
    ssh: PathBuf,
    destination: String,
    port: Option<u16>,
    /// Removed when the tunnel and its last connection are gone.
    folder: TempDir,
}

async fn serve(listener: UnixListener, dial: Arc<Dial>) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    // Dropped with this task, it ends every connection.
    let mut connections = JoinSet::new();
    loop {
        let Ok(slot) = slots.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else { return };
        let dial = dial.clone();
        connections.spawn(async move {
            // A connection that cannot be made is closed; the client's request then fails and says so.
            let _ = dial.carry(stream).await;
            drop(slot);
        });
        while connections.try_join_next().is_some() {}
    }
}

impl Dial {
    async fn carry(&self, stream: UnixStream) -> io::Result<()> {
        let mut command = Command::new(&self.ssh);
        command
            .args(["-T", "-o", "BatchMode=yes", "-o", "ControlMaster=auto"])
            .args(["-o", &format!("ControlPath={}", self.folder.path().join("%C").display())])
            .args(["-o", &format!("ControlPersist={SHARED_SECONDS}")]);
        if let Some(port) = self.port {
            command.args(["-p", &port.to_string()]);
        }
        command.args(["--", &self.destination, "docker", "system", "dial-stdio"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true).spawn()?;
        let (Some(mut to), Some(mut from)) = (child.stdin.take(), child.stdout.take()) else { return Ok(()) };
        let (mut read, mut write) = stream.into_split();
        let up = async {
            let done = copy(&mut read, &mut to).await;
            // The end of our side is told by closing the pipe.
            drop(to);
            done
        };
        let down = async {
            let done = copy(&mut from, &mut write).await;
            write.shutdown().await?;
            done
        };
        // The engine's side ends the connection, whatever ours still does: a client that hung up has had its answer.
        let mut up = std::pin::pin!(up);
        let mut down = std::pin::pin!(down);
        tokio::select! {
            done = &mut down => { done?; }
            _ = &mut up => { down.await?; }
        }
        Ok(())
    }
}
