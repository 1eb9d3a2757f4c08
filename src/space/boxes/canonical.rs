//! Rules with the same training rows: the shortest, the tightest, and some of the others.
//!
//! Every rule with rows K is a conjunction of *atoms*: the tightest propositions of single
//! features that hold on all of K. Together they are the closure (the tightest box); a
//! set of atoms that excludes every other row is a rule with the same rows, so that the
//! shortest ones are the smallest covers of the rows outside K.

use super::{BoxFeature, BoxPattern, BoxSpace, Proposition};
use crate::data::row_codes::{RowCodes, with_codes};
use crate::space::Sign;

/// The forms of one rule.
#[derive(Debug, Clone)]
pub struct Forms {
    /// Fewest features, each with as few limits as possible.
    pub shortest: BoxPattern,
    /// The tightest box around the rule's rows.
    pub closure: BoxPattern,
    /// Other short rules with the same rows, at most as long as the one that was found.
    pub equivalents: Vec<BoxPattern>,
}

/// Maximum number of partial covers visited by the search for the shortest form.
const MAX_PARTIAL_COVERS: usize = 20_000;

struct Atom {
    feature: usize,
    proposition: Proposition,
    sign: Sign,
    /// Bitset of the rows outside the rule that the atom excludes.
    excludes: Vec<u64>,
}

struct Covers<'a> {
    atoms: &'a [Atom],
    limit: usize,
    effort: usize,
    found: Vec<Vec<usize>>,
}

impl Covers<'_> {
    /// Extends `chosen` to covers of at most `size` atoms.
    fn extend(&mut self, chosen: &mut Vec<usize>, open: &[u64], sign: Sign, size: usize) {
        self.effort = self.effort.saturating_sub(1);
        if self.found.len() >= self.limit || self.effort == 0 {
            return;
        }
        let Some(word) = open.iter().position(|&w| w != 0) else {
            let mut cover = chosen.clone();
            cover.sort_unstable();
            if !self.found.contains(&cover) {
                self.found.push(cover);
            }
            return;
        };
        if chosen.len() == size {
            return;
        }
        let row = open[word] & open[word].wrapping_neg();
        for k in 0..self.atoms.len() {
            let atom = &self.atoms[k];
            let Some(sign) = sign.and(atom.sign) else { continue };
            if atom.excludes[word] & row == 0 || chosen.iter().any(|&c| self.atoms[c].feature == atom.feature)
            {
                continue;
            }
            let rest: Vec<u64> = open.iter().zip(&atom.excludes).map(|(open, out)| open & !out).collect();
            chosen.push(k);
            self.extend(chosen, &rest, sign, size);
            chosen.pop();
        }
    }
}

impl BoxSpace {
    /// The forms of the rule `found`, whose coefficient has `sign`; at most `limit` equivalents. With
    /// `own_features` the shortest form and the equivalents are about the rule's features.
    pub fn forms(&self, found: &BoxPattern, sign: Sign, limit: usize, own_features: bool) -> Forms {
        use crate::space::PatternSpace;
        let rows = self.rows(found);
        let outside = self.outside(&rows);
        let seen = self.seen(&rows);
        let mut atoms = self.atoms(&seen, &outside, sign);
        let most = found.propositions().len();
        if own_features {
            atoms.retain(|a| found.columns().any(|column| column as usize == self.order[a.feature]));
        }
        let mut covers =
            Covers { atoms: &atoms, limit: limit + 1, effort: MAX_PARTIAL_COVERS, found: Vec::new() };
        for size in if own_features { most } else { 1 }..=most {
            covers.extend(&mut Vec::new(), &outside, sign, size);
        }
        let minimal_covers = covers.found.iter().filter(|cover| !own_features || cover.len() == most);
        let mut forms: Vec<BoxPattern> =
            minimal_covers.map(|cover| self.loosen(cover.iter().map(|&k| &atoms[k]), &outside)).collect();
        if forms.is_empty() {
            forms.push(found.clone());
        }
        let min_length = forms.iter().map(|f| f.propositions().len()).min().unwrap_or(0);
        let best = forms.iter().filter(|f| f.propositions().len() == min_length).min().cloned();
        let shortest = best.unwrap_or_else(|| found.clone());
        let mut equivalents = forms;
        equivalents.retain(|f| *f != shortest);
        equivalents
            .sort_by(|a, b| a.propositions().len().cmp(&b.propositions().len()).then_with(|| a.cmp(b)));
        equivalents.dedup();
        equivalents.truncate(limit);
        let closure = self.closure(&shortest, &seen);
        Forms { shortest, closure, equivalents }
    }

    /// Of each feature the cells that hold some of the rows; once the first and the last of ordered cells are known to
    /// do so, those between stay false: the interval is full.
    fn seen(&self, rows: &[u32]) -> Vec<Vec<bool>> {
        let of_feature = |(feature, codes): (&BoxFeature, &RowCodes)| {
            let mut seen = vec![false; feature.cells()];
            let last = seen.len() - 1;
            let counts = |cell: usize| feature.nominal || cell == 0 || cell == last;
            let mut left = (0..seen.len()).filter(|&cell| counts(cell)).count();
            for &row in rows {
                let cell = usize::from(codes.get(row as usize));
                if !seen[cell] {
                    seen[cell] = true;
                    left -= usize::from(counts(cell));
                    if left == 0 {
                        break;
                    }
                }
            }
            seen
        };
        self.features.iter().zip(self.codes.iter()).map(of_feature).collect()
    }

    /// The tightest box around the rows in the cells seen: on each feature the interval or the level that
    /// holds them all, else the rule's own proposition.
    fn closure(&self, rule: &BoxPattern, seen: &[Vec<bool>]) -> BoxPattern {
        let mut parts: Vec<(u32, Proposition)> = Vec::new();
        for (position, feature) in self.features.iter().enumerate() {
            let column = self.order[position] as u32;
            let given = rule.propositions().iter().find(|(c, _)| *c == column).map(|&(_, p)| p);
            let seen = &seen[position];
            let Some((lo, hi)) = seen.iter().position(|&s| s).zip(seen.iter().rposition(|&s| s)) else {
                continue;
            };
            let tight = lo == hi || !feature.nominal && hi < feature.bins;
            let is_full = lo == 0 && hi + 1 == feature.cells();
            match (tight && !is_full, given) {
                (true, _) => parts.push((column, Proposition::range(lo, hi))),
                (false, Some(p)) => parts.push((column, p)),
                (false, None) => {}
            }
        }
        BoxPattern::new(parts)
    }

    /// Bitset of the rows that are not listed.
    fn outside(&self, rows: &[u32]) -> Vec<u64> {
        let mut bits = vec![0; self.n_rows.div_ceil(64)];
        (0..self.n_rows).for_each(|r| bits[r / 64] |= 1 << (r % 64));
        rows.iter().for_each(|&r| bits[r as usize / 64] ^= 1 << (r % 64));
        bits
    }

    /// Propositions of single features that hold on all rows, which are in the cells seen; the tightest only.
    fn atoms(&self, seen: &[Vec<bool>], outside: &[u64], sign: Sign) -> Vec<Atom> {
        let mut atoms = Vec::new();
        for (position, feature) in self.features.iter().enumerate() {
            let codes = &self.codes[position];
            for (proposition, own) in candidates(feature, &seen[position]) {
                let Some(own) = own.and(sign) else { continue };
                let excludes = excluded(codes, proposition, outside);
                if excludes.iter().any(|&w| w != 0) {
                    atoms.push(Atom { feature: position, proposition, sign: own, excludes });
                }
            }
        }
        atoms.sort_by_key(|a| (self.order[a.feature], a.proposition));
        atoms
    }

    /// Drops limits that exclude no row beyond those that the other propositions exclude.
    fn loosen<'a>(&self, cover: impl Iterator<Item = &'a Atom>, outside: &[u64]) -> BoxPattern {
        let mut parts: Vec<(usize, Proposition, Vec<u64>)> =
            cover.map(|a| (a.feature, a.proposition, a.excludes.clone())).collect();
        for k in 0..parts.len() {
            let (f, p, _) = parts[k];
            let feature = &self.features[f];
            let m = feature.bins;
            if feature.nominal || p.lo as usize >= m {
                continue;
            }
            let others = || parts.iter().enumerate().filter(|(other, _)| *other != k);
            let through =
                |w: usize| others().fold(outside[w], |through, (_, (_, _, excludes))| through & !excludes[w]);
            let through: Vec<u64> = (0..outside.len()).map(through).collect();
            for (lo, hi) in [(0, p.hi as usize), (p.lo as usize, m - 1)] {
                let looser = Proposition::range(lo, hi);
                if looser == p || (lo == 0 && hi + 1 == m) || feature.sign(lo, hi).is_none() {
                    continue;
                }
                let is_free = with_codes!(&self.codes[f], codes => {
                    let mut words = codes.chunks(64).zip(&through);
                    words.all(|(bins, &through)| through == 0 || through & looser.word(bins) == 0)
                });
                if is_free {
                    parts[k] = (f, looser, excluded(&self.codes[f], looser, outside));
                    break;
                }
            }
        }
        BoxPattern::new(parts.into_iter().map(|(f, p, _)| (self.order[f] as u32, p)).collect())
    }
}

/// Bitset of the rows outside a rule that a proposition excludes.
fn excluded(codes: &RowCodes, proposition: Proposition, outside: &[u64]) -> Vec<u64> {
    with_codes!(codes, codes => {
        codes.chunks(64).zip(outside).map(|(bins, out)| out & !proposition.word(bins)).collect()
    })
}

/// The tightest propositions of a feature that accept all bins seen, with their signs.
fn candidates(feature: &BoxFeature, seen: &[bool]) -> Vec<(Proposition, Sign)> {
    let m = feature.bins;
    if feature.nominal {
        let levels: Vec<usize> = (0..seen.len()).filter(|&b| seen[b]).collect();
        if seen.len() < 2 {
            return Vec::new();
        }
        if let [one] = levels[..] {
            return vec![(Proposition::level(one, false), Sign::Either)];
        }
        let absent = (0..seen.len()).filter(|&b| !seen[b] && seen.len() > 2);
        return absent.map(|b| (Proposition::level(b, true), Sign::Either)).collect();
    }
    let (lo, hi) = (seen[..m].iter().position(|&s| s), seen[..m].iter().rposition(|&s| s));
    let apart: Vec<usize> = (m..seen.len()).filter(|&bin| seen[bin]).collect();
    let (lo, hi) = match (lo, hi, &apart[..]) {
        (Some(lo), Some(hi), []) => (lo, hi),
        (None, None, [one]) => return vec![(Proposition::range(*one, *one), Sign::Either)],
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    let mut push = |lo: usize, hi: usize| {
        if lo == 0 && hi + 1 == m {
            if feature.n_apart > 0 && found.is_empty() {
                found.push((Proposition::range(lo, hi), Sign::Either));
            }
        } else if let Some(sign) = feature.sign(lo, hi) {
            found.push((Proposition::range(lo, hi), sign));
        }
    };
    push(lo, hi);
    if feature.monotonic_cst != 0 && lo > 0 && hi + 1 < m {
        push(0, hi);
        push(lo, m - 1);
    }
    if feature.n_apart > 0 && feature.monotonic_cst != 0 && !(lo == 0 && hi + 1 == m) {
        found.push((Proposition::range(0, m - 1), Sign::Either));
    }
    found
}
