//! The program itself: how it starts, what it says when it cannot, how it stops.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::client::Client;
use crate::common::program::{Running, command, end_of, output_of};
use crate::common::waiting::{DEADLINE, eventually};

/// The program over a directory. What it says is kept.
fn program(dir: &Path, port: u16, more: &[&str]) -> Command {
    let mut command = command();
    command
        .args([
            "--dir",
            &dir.display().to_string(),
            "--port",
            &port.to_string(),
        ])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Asks it to stop as a service manager does. Answers its exit code.
fn terminate(running: &mut Running) -> Option<i32> {
    let pid = running.process.id().to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(sent.unwrap().success());
    end_of(&mut running.process).code()
}

fn refused(mut command: Command) -> String {
    let Output { status, stderr, .. } = output_of(&mut command, b"");
    assert_eq!(status.code(), Some(1));
    String::from_utf8(stderr).unwrap()
}

/// A terminal that is closed, or a program that read the log and is gone.
#[test]
fn the_program_goes_on_where_nobody_reads_its_log() {
    let dir = tempfile::tempdir().unwrap();
    let mut process = program(dir.path(), 0, &[]).spawn().unwrap();
    let mut log = BufReader::new(process.stderr.take().unwrap());
    let mut line = String::new();
    let address = loop {
        line.clear();
        assert!(log.read_line(&mut line).unwrap() > 0, "it listens");
        if let Some((_, address)) = line.split_once("listening at ") {
            break address.trim().parse().unwrap();
        }
    };
    drop(log);
    let mut running = Running { process, address };
    let pid = running.process.id().to_string();
    let sent = Command::new("kill").args(["-HUP", &pid]).status().unwrap();
    assert!(sent.success());
    let mut client = Client::connect(address);
    let script = "redis.log(redis.LOG_WARNING, 'a line') return 7";
    for _ in 0..3 {
        assert_eq!(client.call(&["eval", script, "0"]), ":7\\r\\n");
    }
    client.send(b"shutdown\r\n").unwrap();
    assert_eq!(end_of(&mut running.process).code(), Some(0));
}

/// A file, or a service manager, keeps what it is sent, and shows it without knowing colours.
#[test]
fn a_log_that_goes_to_no_terminal_has_no_colours() {
    let dir = tempfile::tempdir().unwrap();
    let mut process = program(dir.path(), 0, &[]).spawn().unwrap();
    let mut log = BufReader::new(process.stderr.take().unwrap());
    let mut line = String::new();
    // Where few descriptors are allowed, it warns of that first.
    while !line.contains("listening") {
        line.clear();
        assert_ne!(log.read_line(&mut line).unwrap(), 0);
    }
    let address = line.rsplit(' ').next().unwrap().trim().parse().unwrap();
    let _running = Running { process, address };
    assert!(
        line.contains(" INFO redis_layer: listening at "),
        "{line:?}"
    );
}

#[test]
fn keys_survive_a_stop_and_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut running = Running::over(&data, &["--sync", "always"]);
    let mut client = Client::connect(running.address);
    assert_eq!(client.call(&["zadd", "z", "1", "a", "2", "b"]), ":2\\r\\n");
    assert_eq!(terminate(&mut running), Some(0));

    let mut running = Running::over(&data, &["--sync", "always"]);
    let mut client = Client::connect(running.address);
    assert_eq!(client.call(&["zscore", "z", "b"]), "$1\\r\\n2\\r\\n");
    client.call(&["zadd", "z", "3", "c"]);
    running.process.kill().unwrap();
    running.process.wait().unwrap();

    let running = Running::over(&data, &[]);
    let mut client = Client::connect(running.address);
    assert_eq!(client.call(&["zcard", "z"]), ":3\\r\\n");
}

/// On a machine of two processors the program serves with one thread.
#[test]
fn one_thread_serves_others_beside_what_never_ends() {
    let dir = tempfile::tempdir().unwrap();
    let running = Running::over(&dir.path().join("data"), &["--threads", "1"]);
    let mut client = Client::connect(running.address);
    let mut others: Vec<Client> = (0..3).map(|_| Client::connect(running.address)).collect();
    client.call(&["config", "set", "busy-reply-threshold", "30"]);
    // What arrives together is answered beside it too.
    let endless = b"eval \"while true do end\" 0\r\n";
    others[0].send(endless).unwrap();
    others[1].send(b"debug sleep 0.2\r\n").unwrap();
    others[2].send(b"ping\r\nping\r\n").unwrap();
    eventually(|| client.call(&["ping"]).starts_with("-BUSY"));
    assert_eq!(client.call(&["script", "kill"]), "+OK\\r\\n");
    for other in &mut others {
        assert!(other.reply_within(DEADLINE).is_some());
    }
}

/// Nobody can connect any more to kill it, and half of it must not be kept.
#[test]
fn a_script_that_never_ends_does_not_keep_the_program_from_stopping() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let loops = "redis.call('set', 'half', 'v') while true do pcall(redis.call, 'get', 'half') end";
    let endless = format!("eval \"{loops}\" 1 half\r\n");
    let in_transaction = format!("multi\r\nset first v\r\n{endless}exec\r\n");
    for sent in [endless, in_transaction] {
        let mut running = Running::over(&data, &[]);
        let mut other = Client::connect(running.address);
        other.call(&["config", "set", "busy-reply-threshold", "30"]);
        let mut client = Client::connect(running.address);
        client.send(sent.as_bytes()).unwrap();
        eventually(|| other.call(&["ping"]).starts_with("-BUSY"));
        assert_eq!(terminate(&mut running), Some(0));
        let running = Running::over(&data, &[]);
        let mut client = Client::connect(running.address);
        assert_eq!(client.call(&["exists", "half", "first"]), ":0\\r\\n");
    }
}

/// Half of the size may be of one kind of row; beyond it, what was written goes to a table.
#[test]
fn a_small_write_buffer_is_written_to_tables_early() {
    let dir = tempfile::tempdir().unwrap();
    let tables = |data: &Path| {
        let names = fs::read_dir(data).unwrap().map(|at| at.unwrap().path());
        names
            .filter(|name| name.extension() == Some("sst".as_ref()))
            .count()
    };
    let fill = |name: &str, more: &[&str]| {
        let data = dir.path().join(name);
        let running = Running::over(&data, more);
        let mut client = Client::connect(running.address);
        let value = "v".repeat(10_000);
        for key in 0..200 {
            client.call(&["set", &key.to_string(), &value]);
        }
        (data, running)
    };
    let (data, _running) = fill("small", &["--write-buffer", "1mb"]);
    // 2 MB are much for 1 MB.
    eventually(|| tables(&data) > 0);
    let (data, _running) = fill("usual", &[]);
    assert_eq!(tables(&data), 0, "2 MB are little for 512 MB");
    for size in ["1000kb", "2000gb", "much", "-1"] {
        let option = format!("--write-buffer={size}");
        let output = output_of(&mut program(dir.path(), 0, &[&option]), b"");
        assert_eq!(output.status.code(), Some(2));
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(
            error.contains("expected a size from 1mb to 1024gb"),
            "{error}"
        );
    }
}

#[test]
fn a_taken_port_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let data = dir.path().join("data");
    let error = refused(program(&data, port, &[]));
    assert!(
        error.contains(&format!("cannot listen at 127.0.0.1:{port}")),
        "{error}"
    );
    assert!(error.contains("choose another --port"), "{error}");
    assert_eq!(error.matches("in use").count(), 1, "{error}");
    assert!(!data.exists(), "a server that did not start left data");
}

/// More clients than a system lets even a privileged process have files.
const MORE_THAN_ANY: &str = "4000000000";

/// The program where the system lets it have few files open: `limits` are options of `ulimit`.
fn with_few_files(dir: &Path, limits: &str, more: &[&str]) -> Command {
    let mut limited = Command::new("sh");
    let run = format!("ulimit {limits}; exec \"$0\" \"$@\"");
    limited.args(["-c", &run]).arg(command().get_program());
    limited
        .arg("--dir")
        .arg(dir)
        .args(["--write-buffer", "1mb"])
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    limited
}

/// Clients take no descriptor that the server needs: it refuses them in words, and goes on to write logs and tables.
#[test]
fn clients_leave_descriptors_for_the_server_itself() {
    let dir = tempfile::tempdir().unwrap();
    let mut limited = with_few_files(dir.path(), "-n 80", &["--maxclients", MORE_THAN_ANY]);
    let running = Running::spawn(&mut limited);
    let mut client = Client::connect(running.address);
    // The 80 less those that are kept back.
    assert_eq!(
        client.call(&["config", "get", "maxclients"]),
        "*2\\r\\n$10\\r\\nmaxclients\\r\\n$2\\r\\n48\\r\\n"
    );
    let mut others: Vec<Client> = (1..48).map(|_| Client::connect(running.address)).collect();
    for other in &mut others {
        assert_eq!(other.call(&["ping"]), "+PONG\\r\\n");
    }
    let (said, closed) = Client::connect(running.address).until_closed();
    assert_eq!(said, b"-ERR max number of clients reached\r\n");
    assert!(closed);
    let value = "v".repeat(10_000);
    for n in 0..1_000 {
        let key = format!("key{n}");
        assert_eq!(client.call(&["set", &key, &value]), "+OK\\r\\n");
    }
    // At last something is written to a table.
    eventually(|| {
        let mut files = fs::read_dir(dir.path()).unwrap();
        files.any(|file| file.unwrap().path().extension() == Some("sst".as_ref()))
    });
}

#[test]
fn a_limit_on_open_files_that_leaves_no_client_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let error = refused(with_few_files(
        &data,
        "-n 32",
        &["--set", "maxclients=4000000000"],
    ));
    assert!(error.contains("Raise it to 4000000032"), "{error}");
    assert!(!data.exists(), "a server that did not start left data");
}

#[test]
fn a_limit_on_open_files_that_may_be_raised_is_raised() {
    let dir = tempfile::tempdir().unwrap();
    let mut limited = with_few_files(dir.path(), "-S -n 40", &["--maxclients", "100"]);
    let running = Running::spawn(&mut limited);
    let mut clients: Vec<Client> = (0..100).map(|_| Client::connect(running.address)).collect();
    for client in &mut clients {
        assert_eq!(client.call(&["ping"]), "+PONG\\r\\n");
    }
}

#[test]
fn an_address_that_others_reach_needs_consent() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let error = refused(program(&data, 0, &["--host", "0.0.0.0"]));
    assert!(error.contains("--no-protected-mode"), "{error}");
    assert!(!data.exists(), "a server that did not start left data");
}

#[test]
fn a_directory_that_cannot_be_used_is_named_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let used = dir.path().join("used");
    let _running = Running::over(&used, &[]);
    let error = refused(program(&used, 0, &[]));
    assert!(
        error.contains("is locked") && error.contains("used"),
        "{error}"
    );

    let foreign = dir.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("notes.txt"), "mine").unwrap();
    let error = refused(program(&foreign, 0, &[]));
    assert!(error.contains("is not a database"), "{error}");
    let names: Vec<_> = fs::read_dir(&foreign)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(names, ["notes.txt"]);

    let file = dir.path().join("file");
    fs::write(&file, "mine").unwrap();
    let error = refused(program(&file, 0, &[]));
    assert!(error.contains("file"), "{error}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
}

/// What cannot be changed may be said all the same, as it is. What has an option of its own is shown it.
#[test]
fn a_setting_that_cannot_be_changed_may_be_given_as_it_is() {
    let running = Running::in_memory(&[
        "--set",
        "databases=16",
        "--set",
        "DAEMONIZE=No",
        "--set",
        "dbfilename=dump.rdb",
        "--set",
        "logfile=",
    ]);
    let mut client = Client::connect(running.address);
    let databases = client.call(&["config", "get", "databases"]);
    assert_eq!(databases, r"*2\r\n$9\r\ndatabases\r\n$2\r\n16\r\n");
    let dir = tempfile::tempdir().unwrap();
    for (setting, reason) in [
        ("databases=3", r#"databases is always "16" here"#),
        ("databases=x", "couldn't be parsed into an integer"),
        ("logfile=x", r#"logfile is always "" here"#),
        ("port=1", "port has an option of its own, --port"),
        ("bind=::", "--host"),
        ("dir=/", "--dir"),
        ("enable-debug-command=local", "--enable-debug-command"),
        ("protected-mode=no", "--no-protected-mode"),
        ("unixsocket=s", "--unixsocket"),
        ("unixsocketperm=700", "--unixsocketperm"),
        ("nope=1", "there is no setting nope"),
    ] {
        let output = output_of(&mut program(dir.path(), 0, &["--set", setting]), b"");
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(error.contains(reason), "{setting}: {error}");
    }
}

/// The setting counts, and not the option that it replaces.
#[test]
fn a_password_that_a_setting_takes_away_opens_nothing_to_others() {
    let dir = tempfile::tempdir().unwrap();
    let more = [
        "--host",
        "0.0.0.0",
        "--requirepass",
        "secret",
        "--set",
        "requirepass=",
    ];
    let error = refused(program(dir.path(), 0, &more));
    assert!(error.contains("--no-protected-mode"), "{error}");
}

#[test]
fn a_wrong_option_and_help_explain_themselves() {
    let dir = tempfile::tempdir().unwrap();
    let said_with = |more: &[&str]| output_of(&mut program(dir.path(), 0, more), b"");
    let output = said_with(&["--sync", "sometimes"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.contains("everysec") && error.contains("sometimes"),
        "{error}"
    );
    let output = said_with(&["--maxclients", "0"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("0 is not in 1.."), "{error}");
    let output = said_with(&["--threads", "9999"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("9999 is not in 0..=1024"), "{error}");
    let help = said_with(&["--help"]);
    assert!(help.status.success());
    let help = String::from_utf8(help.stdout).unwrap();
    for option in [
        "--dir",
        "--port",
        "--host",
        "--sync",
        "--write-buffer",
        "--no-protected-mode",
        "redis-cli",
    ] {
        assert!(help.contains(option), "{help}");
    }
}

/// A log without its end opens, as after a power cut. If the power did not fail, it was cut, and what it lost may have been durable.
#[test]
fn it_is_told_that_a_log_has_lost_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let running = Running::over(dir.path(), &["--sync", "always"]);
    let mut client = Client::connect(running.address);
    for key in ["a", "b", "c"] {
        client.call(&["set", key, "some value"]);
    }
    drop(running);
    let paths = fs::read_dir(dir.path()).unwrap();
    let mut logs = paths.map(|entry| entry.unwrap().path());
    let log = logs.find(|path| path.extension().is_some_and(|kind| kind == "log"));
    let log = log.unwrap();
    let bytes = fs::read(&log).unwrap();
    let end = bytes
        .windows(6)
        .position(|bytes| bytes == b"some v")
        .unwrap();
    fs::write(&log, &bytes[..end]).unwrap();
    let mut process = program(dir.path(), 0, &[]).spawn().unwrap();
    let mut said = String::new();
    let mut lines = BufReader::new(process.stderr.take().unwrap());
    while !said.contains("listening at") {
        assert!(
            lines.read_line(&mut said).unwrap() > 0,
            "it listens: {said}"
        );
    }
    process.kill().unwrap();
    process.wait().unwrap();
    let name = log.file_name().unwrap().to_str().unwrap();
    assert!(
        said.contains("WARN") && said.contains(name) && said.contains("at byte"),
        "{said}"
    );
}
