//! Artifacts in a folder and in a bucket of a real S3-compatible server: the same cases for both, and damage.

use super::*;
use assay_store::{ArtifactError, ArtifactHash, Artifacts};
use futures::future::join_all;
use std::fs;
use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::Instant;

async fn check_round_trips(artifacts: &Artifacts) {
    for content in [b"".to_vec(), b"{}".to_vec(), vec![7; 3 << 20]] {
        let hash = artifacts.put(&content).await.unwrap();
        assert_eq!(hash, ArtifactHash::of(&content));
        assert_eq!(artifacts.put(&content).await.unwrap(), hash);
        assert_eq!(artifacts.get(hash).await.unwrap(), content);
    }
    join_all((0..8).map(|_| artifacts.put(b"at once"))).await.into_iter().for_each(|put| assert!(put.is_ok()));
    let missing = artifacts.get(ArtifactHash::of(b"never put")).await.unwrap_err();
    assert!(matches!(missing, ArtifactError::Missing { .. }), "{missing}");
    assert!(missing.hint().unwrap().contains("ASSAY_ARTIFACTS"));
}

#[test]
fn a_folder() {
    block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let place = ArtifactPlace::Folder(folder.path().join("not/there/yet"));
        let artifacts = Artifacts::open(&place).unwrap();
        check_round_trips(&artifacts).await;

        let hash = artifacts.put(b"precious").await.unwrap().to_string();
        let path = folder.path().join("not/there/yet").join(&hash[..2]).join(&hash[2..]);
        assert_eq!(fs::read(&path).unwrap(), b"precious");
        for damage in ["", "precioux", "precious and more"] {
            fs::write(&path, damage).unwrap();
            let error = artifacts.get(hash.parse().unwrap()).await.unwrap_err();
            assert!(error.to_string().contains("is damaged: its content does not match its hash"), "{error}");
            assert_eq!(fs::read_to_string(&path).unwrap(), damage, "it was left as it is");
        }
        // Putting the same again mends it.
        artifacts.put(b"precious").await.unwrap();
        assert_eq!(artifacts.get(hash.parse().unwrap()).await.unwrap(), b"precious");
        let names: Vec<_> =
            fs::read_dir(path.parent().unwrap()).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(names.len(), 1, "nothing half-written is left: {names:?}");
    });
}

#[test]
fn folders_that_cannot_be_written() {
    block_on(async {
        let error = Artifacts::open(&ArtifactPlace::parse("/proc/nothing")).unwrap().put(b"x").await.unwrap_err();
        assert!(error.to_string().contains("the artifacts in /proc/nothing failed"), "{error}");
    });
}

/// A server of Python's moto, ended with it.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The variables of a bucket's server are the process's, so this test starts itself again with them.
#[test]
fn a_bucket() {
    const AGAIN: &str = "ASSAY_TEST_BUCKET";
    if std::env::var_os(AGAIN).is_some() {
        return block_on(async {
            let artifacts = Artifacts::open(&ArtifactPlace::parse("s3://assay/team/a")).unwrap();
            check_round_trips(&artifacts).await;
            let absent = Artifacts::open(&ArtifactPlace::parse("s3://absent")).unwrap();
            let error = absent.put(b"x").await.unwrap_err();
            assert!(error.to_string().contains("the artifacts in s3://absent/ failed"), "{error}");

            // The store removes from a bucket what no run has any more.
            let ground = Ground::sqlite();
            let place = ArtifactPlace::parse("s3://assay/runs");
            let store = Store::open(&ground.location, &place, Access::Write, LIMITS).await.unwrap();
            let entry = full(RunId::now(), 1_000);
            store.put(&entry).await.unwrap();
            let hash = store.attach(entry.run.id, "run.json", b"{}").await.unwrap();
            assert_eq!(store.artifact(hash).await.unwrap(), b"{}");
            store.remove(&[entry.run.id]).await.unwrap();
            assert!(matches!(store.artifact(hash).await, Err(StoreError::Artifact(ArtifactError::Missing { .. }))));
            store.close().await;
        });
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
    let setup = Command::new(root.join("tests/python/setup")).arg(root.join("tests/s3/requirements.txt")).output();
    let setup = setup.unwrap();
    assert!(setup.status.success(), "{}", String::from_utf8_lossy(&setup.stderr));
    let python = String::from_utf8(setup.stdout).unwrap().trim().to_owned();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let server = Command::new(python)
        .args(["-m", "moto.server", "--host", "127.0.0.1", "--port", &port.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let _server = Server(server.unwrap());
    make_bucket(port);

    let mut again = Command::new(std::env::current_exe().unwrap());
    again
        .args(["artifacts::a_bucket", "--exact"])
        .env(AGAIN, "1")
        .env("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}"));
    again.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "secret").env("AWS_REGION", "us-east-1");
    let output = again.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// Makes the bucket as soon as the server answers; one that takes a minute has failed.
fn make_bucket(port: u16) {
    use std::io::{Read as _, Write as _};
    let began = Instant::now();
    loop {
        assert!(began.elapsed() < Duration::from_secs(60), "the S3 server does not answer");
        std::thread::sleep(Duration::from_millis(100));
        let Ok(mut stream) = std::net::TcpStream::connect(("127.0.0.1", port)) else { continue };
        let request = b"PUT /assay HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\nAuthorization: AWS4-HMAC-SHA256 Credential=key/20200101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=x\r\n\r\n";
        let mut answer = String::new();
        if stream.write_all(request).is_ok() && stream.read_to_string(&mut answer).is_ok() && answer.contains(" 200 ") {
            return;
        }
    }
}
