//! Every item-set of a language, one by one. The fuzz targets compile this file as well.

use crate::space::itemsets::Itemset;

/// Every item-set of at most `max_items` items, occurring or not, with its rows.
pub fn enumerate(
    n_items: usize,
    records: &[Vec<u32>],
    max_items: Option<usize>,
    negations: bool,
) -> Vec<(Itemset, Vec<u32>)> {
    let mut sets = vec![Vec::new()];
    for item in 0..n_items as u32 {
        for set in sets.clone() {
            for there in if negations { &[true, false][..] } else { &[true] } {
                sets.push([set.clone(), vec![(item, *there)]].concat());
            }
        }
    }
    let fits = |s: &Vec<(u32, bool)>| !s.is_empty() && max_items.is_none_or(|q| s.len() <= q);
    let rows = |s: &Vec<(u32, bool)>| {
        let holds = |&r: &usize| s.iter().all(|(item, there)| records[r].contains(item) == *there);
        (0..records.len()).filter(holds).map(|r| r as u32).collect()
    };
    sets.iter().filter(|s| fits(s)).map(|s| (Itemset::of(s.iter().copied()), rows(s))).collect()
}
