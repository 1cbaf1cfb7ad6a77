//! Any byte may be wrong: explain and dump must never panic, and explain must complain about
//! the unit that holds the byte.

#[expect(dead_code, reason = "this test takes what it needs")]
mod support;

use std::path::Path;

use engine::inspect::{self, ExplainOptions};
use engine::vfs::{MemoryVfs, Vfs};
use support::{database, files};

const ALL: ExplainOptions = ExplainOptions {
    block: None,
    limit: usize::MAX,
};

#[test]
fn every_flipped_byte_of_every_kind_of_file_is_pointed_at() {
    let dir = tempfile::tempdir().unwrap();
    database(dir.path());
    let (mut flips, mut pinned) = (0u32, 0u32);
    let vfs = MemoryVfs::new();
    for file in files(dir.path()) {
        let mut copy = vfs.create(Path::new(file.file_name().unwrap())).unwrap();
        copy.append(&std::fs::read(&file).unwrap()).unwrap();
    }
    for file in files(dir.path()) {
        let whole = std::fs::read(&file).unwrap();
        let path = Path::new(file.file_name().unwrap());
        for at in 0..whole.len() {
            for flip in [1u8, 0x80, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] ^= flip;
                vfs.damage(path, bytes).unwrap();
                let mut notes = 0u32;
                let explained = inspect::explain(&vfs, path, ALL, &mut |_| notes += 1).unwrap();
                let Some(wrong) = explained else {
                    panic!("byte {at} of {path:?} ^ {flip:#x}");
                };
                assert!(
                    wrong.range.contains(&(at as u64)),
                    "byte {at} of {path:?}: {wrong:?}"
                );
                assert!(
                    wrong.range.end <= whole.len() as u64,
                    "byte {at} of {path:?}: {wrong:?}"
                );
                if let Some((byte, right)) = wrong.byte {
                    assert_eq!((byte, right), (at as u64, whole[at]), "{path:?}: {wrong:?}");
                    pinned += 1;
                }
                flips += 1;
            }
        }
        vfs.damage(path, whole).unwrap();
    }
    assert!(
        flips > 5000 && pinned * 2 > flips,
        "{pinned} of {flips} bytes were named"
    );
}

#[test]
fn every_cut_and_every_garbled_file_is_explained_without_a_panic() {
    let dir = tempfile::tempdir().unwrap();
    database(dir.path());
    for file in files(dir.path()) {
        let whole = std::fs::read(&file).unwrap();
        let path = Path::new(file.file_name().unwrap());
        let vfs = MemoryVfs::new();
        vfs.create(path).unwrap();
        for cut in 0..whole.len() {
            vfs.damage(path, whole[..cut].to_vec()).unwrap();
            inspect::explain(&vfs, path, ALL, &mut |_| ()).unwrap();
            let garbled = whole
                .iter()
                .enumerate()
                .map(|(at, byte)| if at % 97 == cut % 97 { !byte } else { *byte });
            vfs.damage(path, garbled.collect()).unwrap();
            inspect::explain(&vfs, path, ALL, &mut |_| ()).unwrap();
        }
    }
}
