//! The propositions of all features as bitsets of rows, by direct comparison of the raw values.

use crate::control::Control;
use crate::data::bins::{Binning, Feature, SpecialCode};
use crate::data::table::{Column, Level, MISSING, Table};
use crate::error::Result;
use crate::verify::check_time;

/// A proposition: the rows that satisfy it, the sign that it requires of a coefficient (0: none), and its
/// first and last bin (all other bins, if `negated`).
pub(super) struct Proposition {
    pub rows: Vec<u64>,
    pub sign: i8,
    pub bins: (usize, usize),
    pub negated: bool,
}

/// The propositions of one feature, and the bin of each row.
pub(super) struct FeaturePropositions {
    pub propositions: Vec<Proposition>,
    pub bins: Vec<usize>,
    pub cells: usize,
}

/// The propositions of each feature.
pub(super) fn feature_propositions(
    binning: &Binning,
    table: &Table,
    monotonic_cst: Option<&[i8]>,
    control: &Control,
) -> Result<Vec<FeaturePropositions>> {
    let features = binning.features().iter().zip(table.columns()).enumerate();
    features
        .map(|(j, (feature, column))| match (feature, column) {
            (Feature::Numeric { cuts, special, missing, .. }, Column::Numeric(_) | Column::Coded(_)) => {
                let x = column.numbers().unwrap_or_default();
                numeric((cuts, special, *missing), &x, monotonic_cst.map_or(0, |m| m[j]), control)
            }
            (Feature::Categorical { levels, missing }, Column::Categorical { codes, levels: theirs }) => {
                let total = levels.len() + usize::from(*missing);
                let of_theirs = |l: &Level| levels.iter().position(|own| own == l).unwrap_or(total);
                let places: Vec<usize> = theirs.iter().map(of_theirs).collect();
                let level = |&c: &u32| if c == MISSING { levels.len() } else { places[c as usize] };
                let bins: Vec<usize> = codes.iter().map(level).collect();
                let mut propositions = Vec::new();
                for at in 0..if total > 1 { total } else { 0 } {
                    for negated in if total > 2 { &[false, true][..] } else { &[false] } {
                        check_time(control)?;
                        let rows = to_bitset(bins.iter().map(|&b| (b == at) != *negated));
                        propositions.push(Proposition { rows, sign: 0, bins: (at, at), negated: *negated });
                    }
                }
                // A level that is not in the model belongs to no level and to all complements.
                Ok(FeaturePropositions { propositions, bins, cells: total + 1 })
            }
            _ => {
                Ok(FeaturePropositions { propositions: Vec::new(), bins: vec![0; table.n_rows()], cells: 1 })
            }
        })
        .collect()
}

fn numeric(
    (cuts, special, missing): (&[f64], &[SpecialCode], bool),
    x: &[f64],
    monotonic_cst: i8,
    control: &Control,
) -> Result<FeaturePropositions> {
    let is_code = |x: f64| special.iter().any(|code| code.value == x);
    let mut ends = vec![f64::NEG_INFINITY];
    ends.extend_from_slice(cuts);
    ends.push(f64::INFINITY);
    let mut propositions = Vec::new();
    let mut push = |holds: Vec<bool>, sign, bins| {
        propositions.push(Proposition { rows: to_bitset(holds.into_iter()), sign, bins, negated: false });
    };
    for low in 0..ends.len() - 1 {
        for high in low + 1..ends.len() {
            check_time(control)?;
            let (from, to) = (ends[low], ends[high]);
            let sign = match (from.is_finite(), to.is_finite()) {
                (false, false) => continue,
                (true, true) if monotonic_cst != 0 => continue,
                (true, true) => 0,
                (true, false) => monotonic_cst,
                (false, true) => -monotonic_cst,
            };
            push(x.iter().map(|&x| from < x && x <= to && !is_code(x)).collect(), sign, (low, high - 1));
        }
    }
    let seen: Vec<f64> = special.iter().filter(|code| code.seen).map(|code| code.value).collect();
    let n_numbers = cuts.len() + 1;
    let present = n_numbers + seen.len();
    for (k, code) in seen.iter().enumerate() {
        push(x.iter().map(|x| x == code).collect(), 0, (n_numbers + k, n_numbers + k));
    }
    if missing {
        push(x.iter().map(|x| x.is_nan()).collect(), 0, (present, present));
    }
    if missing || !seen.is_empty() {
        push(x.iter().map(|&x| !x.is_nan() && !is_code(x)).collect(), 0, (0, n_numbers - 1));
    }
    // Codes that are not seen do not occur in training rows.
    let bin = |x: &f64| match seen.iter().position(|code| code == x) {
        _ if x.is_nan() => present,
        Some(k) => n_numbers + k,
        None => cuts.iter().filter(|&c| c < x).count(),
    };
    Ok(FeaturePropositions { propositions, bins: x.iter().map(bin).collect(), cells: present + 1 })
}

/// Calls `f` with the index of each row of a bitset.
pub(super) fn for_each_row(rows: &[u64], mut f: impl FnMut(usize)) {
    for (k, &word) in rows.iter().enumerate() {
        let mut word = word;
        while word != 0 {
            f(k * 64 + word.trailing_zeros() as usize);
            word &= word - 1;
        }
    }
}

pub(super) fn to_bitset(holds: impl Iterator<Item = bool>) -> Vec<u64> {
    let mut words = Vec::new();
    for (i, holds) in holds.enumerate() {
        if i % 64 == 0 {
            words.push(0);
        }
        if let Some(last) = words.last_mut() {
            *last |= u64::from(holds) << (i % 64);
        }
    }
    words
}
