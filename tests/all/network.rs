//! Proxies, certificates and addresses.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::support::{Home, Reply, Server, TOKEN, answered};

/// A listener that hands each connection to `serve`, and keeps the first bytes of each.
fn listen(serve: impl Fn(TcpStream, &str) + Send + Sync + 'static) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heads = Arc::new(Mutex::new(Vec::new()));
    let shared = Arc::clone(&heads);
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (shared, serve) = (Arc::clone(&shared), Arc::clone(&serve));
            thread::spawn(move || {
                let mut buffer = [0; 4096];
                let length = stream.read(&mut buffer).unwrap_or(0);
                let head = String::from_utf8_lossy(&buffer[..length]).into_owned();
                shared.lock().unwrap().push(head.clone());
                serve(stream, &head);
            });
        }
    });
    (address, heads)
}

/// A proxy that refuses everything with this reply.
fn refusing(reply: &'static str) -> (String, Arc<Mutex<Vec<String>>>) {
    listen(move |mut stream, _| {
        let _ = stream.write_all(reply.as_bytes());
    })
}

#[test]
fn loopback_is_never_reached_through_a_proxy() {
    let (proxy, heads) = refusing("HTTP/1.1 500 no\r\n\r\n");
    for (name, value) in [
        ("HTTP_PROXY", format!("http://{proxy}")),
        ("http_proxy", proxy.clone()),
        ("ALL_PROXY", format!("http://{proxy}")),
    ] {
        let server = Server::answering(Reply::stream(answered("Direct.")));
        let home = Home::logged_in(&server).env(name, value);
        home.run(&["search", "-f", "answer", "q"]).is(0, "Direct.\n", "");
    }
    assert!(heads.lock().unwrap().is_empty());
}

#[test]
fn a_proxy_is_asked_for_a_tunnel_with_its_password() {
    let (proxy, heads) =
        refusing("HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n");
    for value in [format!("http://user:p%40ss@{proxy}"), proxy.clone()] {
        let home = Home::at("https://service.invalid").env("HTTPS_PROXY", value);
        home.store(TOKEN, crate::support::TOKEN_EXPIRES);
        let outcome = home.run(&["search", "q"]);
        assert_eq!(outcome.code, 6, "{outcome:?}");
        assert!(
            outcome.stderr.starts_with(&format!("The proxy {proxy} did not let the request through: ")),
            "{outcome:?}"
        );
        assert!(outcome.stderr.contains("HTTPS_PROXY"), "{outcome:?}");
        assert!(home.auth().exists(), "the proxy's refusal is not the service's");
    }
    let heads = heads.lock().unwrap();
    assert!(heads[0].starts_with("CONNECT service.invalid:443 "), "{heads:?}");
    assert!(heads[0].to_lowercase().contains("proxy-authorization: basic dxnlcjpwqhnz"), "{heads:?}");
}

#[test]
fn a_socks_proxy_that_is_away_is_named() {
    let home = Home::at("https://service.invalid")
        .env("ALL_PROXY", "socks5h://127.0.0.1:1")
        .env("PPLX_TOKEN", TOKEN);
    let outcome = home.run(&["search", "q"]);
    assert_eq!(outcome.code, 6, "{outcome:?}");
    assert!(outcome.stderr.contains("127.0.0.1:1"), "{outcome:?}");
}

#[test]
fn no_proxy_and_an_empty_proxy_mean_direct() {
    let (proxy, heads) = refusing("HTTP/1.1 403 Forbidden\r\n\r\n");
    for (https, no) in [("", ""), (proxy.as_str(), "service.invalid")] {
        let home = Home::at("https://service.invalid")
            .env("HTTPS_PROXY", https)
            .env("NO_PROXY", no)
            .env("PPLX_TOKEN", TOKEN);
        let outcome = home.run(&["search", "q"]);
        assert_eq!(outcome.code, 6);
        assert!(outcome.stderr.starts_with("Could not reach service.invalid: "), "{outcome:?}");
    }
    assert!(heads.lock().unwrap().is_empty());
}

/// A TLS server for `localhost` in front of a scripted one, and its certificate's file.
fn tls(home: &Home, server: &Server) -> (String, std::path::PathBuf) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let file = home.path().join("root.pem");
    std::fs::write(&file, made.cert.pem()).unwrap();
    let key = rustls::pki_types::PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config =
        Arc::new(config.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let upstream = server.port;
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let config = Arc::clone(&config);
            thread::spawn(move || relay(stream, config, upstream));
        }
    });
    (format!("https://127.0.0.1:{port}"), file)
}

/// One request and its reply.
fn relay(stream: TcpStream, config: Arc<rustls::ServerConfig>, upstream: u16) -> Option<()> {
    let mut client = rustls::StreamOwned::new(rustls::ServerConnection::new(config).ok()?, stream);
    let mut request = Vec::new();
    let mut buffer = [0; 16384];
    while !request.ends_with(b"\"q\"}") {
        let length = client.read(&mut buffer).ok().filter(|length| *length > 0)?;
        request.extend(&buffer[..length]);
    }
    let mut server = TcpStream::connect(("127.0.0.1", upstream)).ok()?;
    server.write_all(&request).ok()?;
    loop {
        let length = server.read(&mut buffer).ok()?;
        client.write_all(&buffer[..length]).ok()?;
        if length == 0 || buffer[..length].ends_with(b"0\r\n\r\n") {
            client.conn.send_close_notify();
            return client.flush().ok();
        }
    }
}

#[test]
fn a_certificate_of_the_system_is_trusted_and_no_other() {
    let server = Server::answering(Reply::stream(answered("Private.")));
    let home = Home::logged_in(&server);
    let (url, root) = tls(&home, &server);
    let refused = Home::at(&url).env("PPLX_TOKEN", TOKEN).run(&["search", "q"]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(refused.stderr.to_lowercase().contains("certificate"), "{refused:?}");
    let without_any =
        Home::at(&url).env("PPLX_TOKEN", TOKEN).env("SSL_CERT_FILE", "/nonexistent").run(&["search", "q"]);
    assert_eq!(without_any.code, 6, "the bundled roots serve: {without_any:?}");
    assert!(without_any.stderr.to_lowercase().contains("certificate"), "{without_any:?}");
    let trusted = Home::at(&url).env("PPLX_TOKEN", TOKEN).env("SSL_CERT_FILE", root.as_os_str());
    trusted.run(&["search", "-f", "answer", "q"]).is(0, "Private.\n", "");
}
