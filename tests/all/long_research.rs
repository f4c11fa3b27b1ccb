//! Research that takes ten minutes, on a clock that the test moves: time passes when nothing else is to be done.

use std::time::Duration;

use pplx::provider::{Reception, Subscription};
use pplx::state::env::Environment;
use pplx::{Answer, SearchEvent, SearchRequest};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep};

const TOKEN: &str = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ0ZXN0ZXIiLCJleHAiOjQxMDI0NDQ4MDB9.bm8tc2lnbmF0dXJl";
/// How long the service thinks between two frames.
const BETWEEN: Duration = Duration::from_secs(40);

fn frame(status: &str, report: &str) -> String {
    format!(
        "data: {{\"status\":\"{status}\",\"display_model\":\"pplx_alpha\",\"backend_uuid\":\"run-1\",\"blocks\":[{{\"intended_usage\":\
         \"unified_assets\",\"unified_assets_block\":{{\"assets\":[{{\"research_report\":{{\"source_content\":\"{report}\"}}}}]}}}}]}}\n\n"
    )
}

fn line(number: usize) -> String {
    format!("Line {number}.\\n\\n")
}

/// The report up to this line.
fn report(lines: usize) -> String {
    (1..=lines).map(line).collect()
}

/// The path that a request asks.
async fn asked(connection: &mut TcpStream) -> String {
    let mut request = Vec::new();
    while !request.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
        assert!(connection.read_buf(&mut request).await.unwrap() > 0);
    }
    String::from_utf8_lossy(&request).split(' ').nth(1).unwrap().to_owned()
}

async fn write(connection: &mut TcpStream, text: &str) {
    connection.write_all(text.as_bytes()).await.unwrap();
}

/// Sends these lines of the report, one frame each, and takes its time.
async fn research(connection: &mut TcpStream, lines: std::ops::RangeInclusive<usize>) {
    write(connection, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        .await;
    for lines in lines {
        write(connection, &frame("PENDING", &report(lines))).await;
        sleep(BETWEEN).await;
    }
}

/// Breaks off after five minutes, is not there when it is asked again, then goes on to the end. The paths asked.
async fn service(listener: TcpListener) -> Vec<String> {
    let mut paths = Vec::new();
    for turn in 0..3 {
        let (mut connection, _) = listener.accept().await.unwrap();
        paths.push(asked(&mut connection).await);
        match turn {
            0 => research(&mut connection, 1..=8).await,
            1 => {
                write(&mut connection, "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n").await;
            }
            _ => {
                research(&mut connection, 9..=16).await;
                write(&mut connection, &frame("COMPLETED", &report(17))).await;
            }
        }
    }
    paths
}

fn request() -> SearchRequest {
    SearchRequest {
        query: "eels".to_owned(),
        model: "pplx_alpha".to_owned(),
        sources: vec!["web".to_owned()],
        timezone: "UTC".to_owned(),
        research: true,
        ..SearchRequest::default()
    }
}

async fn answer(env: &Environment) -> (Answer, usize) {
    let reception = Reception { idle: Duration::from_secs(60), record: None, events: true };
    let mut search = Subscription::for_user(env).unwrap().search(&request(), &reception).await.unwrap();
    let mut taken_up = 0;
    loop {
        match search.next().await.unwrap().unwrap() {
            SearchEvent::Done(answer) => return (*answer, taken_up),
            SearchEvent::Warning(warning) if warning.contains("taken up again") => taken_up += 1,
            _ => {}
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_of_ten_minutes_survives_a_drop_in_the_middle() {
    let started = Instant::now();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let service = tokio::spawn(service(listener));
    let home = tempfile::tempdir().unwrap();
    let env = Environment::from_variables(&[
        ("PPLX_BASE_URL", &base),
        ("PPLX_TOKEN", TOKEN),
        ("HOME", home.path().to_str().unwrap()),
    ]);
    let (answer, taken_up) = answer(&env).await;
    assert_eq!(answer.text.trim_end(), report(17).replace("\\n", "\n").trim_end());
    assert!(answer.complete);
    assert_eq!(taken_up, 1);
    let paths = service.await.unwrap();
    assert!(paths[0].ends_with("/perplexity_ask"), "{paths:?}");
    assert!(paths[1..].iter().all(|path| path.ends_with("/perplexity_ask/reconnect/run-1")), "{paths:?}");
    assert!(started.elapsed() >= Duration::from_secs(600), "{:?}", started.elapsed());
}
