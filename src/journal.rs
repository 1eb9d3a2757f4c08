//! The results of finished steps in a file, so that a computation that was killed goes on from them.
//!
//! Steps are searches, models of a path, scores of folds. A computation that begins again repeats what lies between
//! them, which takes little of its time, and reads their results, so that it ends with the same bits. A result is found by
//! a hash of all that it depends on: of the rows, responses, weights, folds and parameters too.
//!
//! A record has the length of its content (4 bytes), the key (16), a hash of both and the content (8), and the content.
//! It is written in one piece behind the last. Of a record that a kill or a full disk cut short, and of what follows it,
//! nothing is used.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::hash::Hasher;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::control::Control;
use crate::error::{Error, Result};

/// First bytes of a file.
const MAGIC: &[u8] = b"thresher.searches 1\n";
/// Bytes of a record before its content.
const HEAD: usize = 28;

/// A hash of numbers in their order, of 128 bits: two computations do not meet by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key([u64; 2]);

impl Key {
    /// The golden ratio and the square root of 2 as odd fractions of 2^64, as in [`crate::data`]'s hash of rows.
    const MULTIPLIERS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0x6a09_e667_f3bc_c909];
    /// High bits of a product depend on all bits of its factors.
    const ROTATION: u32 = 29;

    /// Of no number.
    pub fn new() -> Self {
        Self(Self::MULTIPLIERS)
    }

    /// Adds a number.
    pub fn add(&mut self, number: u64) {
        for (lane, multiplier) in self.0.iter_mut().zip(Self::MULTIPLIERS) {
            *lane = (*lane ^ number).wrapping_mul(multiplier).rotate_left(Self::ROTATION);
        }
    }

    /// Adds the bits of a real number.
    pub fn add_real(&mut self, number: f64) {
        self.add(number.to_bits());
    }

    /// Half of it.
    pub fn first(self) -> u64 {
        self.0[0]
    }

    fn bytes(self) -> [u8; 16] {
        u128::from(self.0[0]).wrapping_shl(64).wrapping_add(u128::from(self.0[1])).to_le_bytes()
    }
}

/// For rows, whose types can be hashed: the same in every version of the standard library.
impl Hasher for Key {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.add(u64::from_le_bytes(word));
        }
    }

    fn finish(&self) -> u64 {
        self.first()
    }
}

/// A hash that tells whether a record is whole.
fn checksum(key: [u8; 16], content: &[u8]) -> [u8; 8] {
    let mut hash = Key::new();
    hash.add(content.len() as u64);
    hash.write(&key);
    hash.write(content);
    hash.0[0].to_le_bytes()
}

/// A step of a part of the computation: its name, and the numbers that tell it from others of this name.
pub(crate) type Step<'a> = (&'a str, &'a [u64]);

/// Results of finished steps of one fit in a file: after a kill, the same fit goes on from them and ends with the same bits.
///
/// A file belongs to one version of this crate. Fits of other rows, responses, weights, folds and `Params` have results of their own in it.
/// Two computations must not have a file open at the same time; nothing locks it.
///
/// [`Control::with_journal`](crate::Control::with_journal) hands it to a fit.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    known: HashMap<[u8; 16], Vec<u8>>,
    /// Open at its end; the reason where it can no longer be written.
    file: Mutex<std::result::Result<File, String>>,
}

impl Journal {
    /// Opens a file, or creates it. A record that was cut short, and all that follows it, is removed.
    ///
    /// Fails with [`Error::Checkpoint`] for a file of another kind, and where the file cannot be read or written.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| unwritable(path, &error.to_string());
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() < MAGIC.len() {
            bytes.clear();
        } else if !bytes.starts_with(MAGIC) {
            return Err(unwritable(path, "it is a file of another kind; remove it, or give another folder"));
        }
        let mut known = HashMap::new();
        let mut end = bytes.len().min(MAGIC.len());
        while let Some((key, content)) = record(&bytes[end..]) {
            known.insert(key, content.to_vec());
            end += HEAD + content.len();
        }
        file.set_len(end as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        if end == 0 {
            file.write_all(MAGIC).map_err(failed)?;
        }
        Ok(Self { path: path.to_owned(), known, file: Mutex::new(Ok(file)) })
    }

    /// The result with a key, if there was one when the file was opened.
    pub(crate) fn get(&self, key: Key) -> Option<&[u8]> {
        self.known.get(&key.bytes()).map(Vec::as_slice)
    }

    /// Writes a result. Where that fails, so does the next [`Self::check`].
    pub(crate) fn add(&self, key: Key, content: &[u8]) {
        let (Ok(length), Ok(mut file)) = (u32::try_from(content.len()), self.file.lock()) else { return };
        let key = key.bytes();
        let record = [&length.to_le_bytes()[..], &key, &checksum(key, content), content].concat();
        if let Ok(open) = &mut *file
            && let Err(error) = open.write_all(&record)
        {
            *file = Err(error.to_string());
        }
    }

    /// Fails where a result could not be written.
    pub(crate) fn check(&self) -> Result<()> {
        match self.file.lock().as_deref() {
            Ok(Err(reason)) => Err(unwritable(&self.path, reason)),
            _ => Ok(()),
        }
    }
}

impl Control {
    /// The result of a step that the journal has; otherwise that of `compute`, which the journal gets if it is final.
    pub(crate) fn recall<T: Serialize + DeserializeOwned>(
        &self,
        step: Step<'_>,
        is_final: impl FnOnce(&T) -> bool,
        compute: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        if let Some(result) = self.recalled(step) {
            return Ok(result);
        }
        let result = compute()?;
        if is_final(&result) {
            self.record(step, || &result);
        }
        Ok(result)
    }

    /// The result of a step that the journal has.
    pub(crate) fn recalled<T: DeserializeOwned>(&self, step: Step<'_>) -> Option<T> {
        rmp_serde::from_slice(self.journal()?.get(self.key(step))?).ok()
    }

    /// Gives the result of a step to the journal, if there is one.
    pub(crate) fn record<T: Serialize>(&self, step: Step<'_>, result: impl FnOnce() -> T) {
        if let Some(journal) = self.journal()
            && let Ok(content) = rmp_serde::to_vec(&result())
        {
            journal.add(self.key(step), &content);
        }
    }

    fn key(&self, (name, numbers): Step<'_>) -> Key {
        let mut key = Key::new();
        let letters = name.bytes().map(u64::from);
        letters.chain([self.scope()]).chain(numbers.iter().copied()).for_each(|number| key.add(number));
        key
    }
}

/// The record at the start of some bytes, if it is whole.
fn record(bytes: &[u8]) -> Option<([u8; 16], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (key, rest) = rest.split_first_chunk::<16>()?;
    let (sum, rest) = rest.split_first_chunk::<8>()?;
    let content = rest.get(..u32::from_le_bytes(*length) as usize)?;
    (checksum(*key, content) == *sum).then_some((*key, content))
}

fn unwritable(path: &Path, reason: &str) -> Error {
    Error::Checkpoint(format!("{} cannot be written: {reason}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> Key {
        let mut key = Key::new();
        key.add(number);
        key
    }

    /// A path that no other test has.
    fn path(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("thresher-journal-{}-{name}", std::process::id()))
    }

    #[test]
    fn of_a_file_that_was_cut_anywhere_the_whole_records_are_used() {
        let path = path("cut");
        let contents: [&[u8]; 3] = [b"", b"one", b"another, longer"];
        let journal = Journal::open(&path).unwrap();
        (0..).zip(contents).for_each(|(k, content)| journal.add(key(k), content));
        assert!(journal.get(key(1)).is_none() && journal.check().is_ok());
        let bytes = std::fs::read(&path).unwrap();
        let ends: Vec<usize> = contents
            .iter()
            .scan(MAGIC.len(), |end, content| {
                *end += HEAD + content.len();
                Some(*end)
            })
            .collect();
        assert_eq!(ends[2], bytes.len());
        for length in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..length]).unwrap();
            let journal = Journal::open(&path).unwrap();
            for (k, content) in contents.into_iter().enumerate() {
                assert_eq!(journal.get(key(k as u64)), (ends[k] <= length).then_some(content), "{length}");
            }
            journal.add(key(7), b"new");
            assert_eq!(Journal::open(&path).unwrap().get(key(7)), Some(&b"new"[..]), "{length}");
        }
        for place in MAGIC.len()..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 4;
            std::fs::write(&path, &damaged).unwrap();
            let journal = Journal::open(&path).unwrap();
            for (k, content) in contents.into_iter().enumerate() {
                assert_eq!(journal.get(key(k as u64)), (ends[k] <= place).then_some(content), "{place}");
            }
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn other_files_are_left_alone() {
        let path = path("other");
        std::fs::write(&path, b"something else, of some length").unwrap();
        assert!(Journal::open(&path).unwrap_err().to_string().contains("another kind"));
        assert_eq!(std::fs::read(&path).unwrap(), b"something else, of some length");
        std::fs::remove_file(&path).unwrap();
        assert!(Journal::open(Path::new("/nowhere/at/all")).is_err());
    }

    #[test]
    fn keys_depend_on_the_order() {
        let of = |numbers: &[u64]| {
            let mut key = Key::new();
            numbers.iter().for_each(|&number| key.add(number));
            key
        };
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        assert_ne!(of(&[0]), of(&[0, 0]));
        assert_ne!(of(&[]), of(&[0]));
    }
}
