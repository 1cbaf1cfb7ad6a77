//! A database that was opened by a relative path stays where it is when the process changes its
//! working directory.
//!
//! Alone in its test binary, because the working directory belongs to the whole process.

use engine::{Db, Options};

#[test]
fn a_relative_path_is_that_of_the_opening() {
    let [here, there] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let open = || Db::open("db", Options::default()).unwrap();
    std::env::set_current_dir(&there).unwrap();
    let other = open();
    other.put("of", "the other").unwrap();
    other.close().unwrap();

    std::env::set_current_dir(&here).unwrap();
    let db = open();
    db.put("of", "the first").unwrap();
    std::env::set_current_dir(&there).unwrap();
    db.flush().unwrap();
    db.close().unwrap();
    drop((db, other));

    let of = |db: &Db| db.get("of").unwrap().map(|value| value.to_vec());
    assert_eq!(of(&open()), Some(b"the other".to_vec()));
    std::env::set_current_dir(&here).unwrap();
    assert_eq!(of(&open()), Some(b"the first".to_vec()));
    // Not every system lets the current directory be removed.
    std::env::set_current_dir(std::env::temp_dir()).unwrap();
}
