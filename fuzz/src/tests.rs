//! Every check on random bytes, so that the targets stay true without the nightly compiler.

use crate::run;

/// Problems of each check; some hold hundreds of fits.
const PROBLEMS: u64 = 200;
/// Bytes of each, more than any check draws.
const BYTES: usize = 512;

/// Bytes by the generator splitmix64.
fn bytes(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)).to_le_bytes()
    };
    (0..BYTES / 8).flat_map(|_| next()).collect()
}

macro_rules! checks {
    ($($name:ident => $check:path),+ $(,)?) => {
        $(
            #[test]
            fn $name() {
                (0..PROBLEMS).for_each(|seed| run(&bytes(seed), $check));
            }
        )+
    };
}

checks! {
    records => crate::records::check,
    losses => crate::losses::check,
    space_boxes => crate::spaces::boxes,
    space_itemsets => crate::spaces::itemsets,
    space_sequences => crate::spaces::sequences,
    space_graphs => crate::spaces::graphs,
    fit_rules => crate::rules::check,
    fit_itemsets => crate::patterns::itemsets,
    fit_sequences => crate::patterns::sequences,
    fit_graphs => crate::patterns::graphs,
    best_subsets => crate::swaps::check,
    linear_subsets => crate::subsets::check,
    score_cards => crate::cards::check,
    hierarchies => crate::hierarchies::check,
    machines => crate::machines::check,
}

#[test]
fn readers() {
    let text = |seed: u64| String::from_utf8_lossy(&bytes(seed)).into_owned();
    for seed in 0..PROBLEMS {
        crate::models::check(&text(seed));
        crate::params::check(&text(seed));
        crate::graph_text::check(&text(seed));
    }
    crate::params::check(r#"{"alpha": {"kind": "value", "value": 0.1}}"#);
    crate::graph_text::check("t # 0 1.5\nv 0 C\nv 1 O x\ne 0 1 =\n");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden");
    let models = std::fs::read_dir(folder).expect("saved models").map(|entry| entry.expect("a file").path());
    for path in models.filter(|path| path.extension().is_some_and(|e| e == "json")) {
        crate::models::check(&std::fs::read_to_string(path).expect("a saved model"));
    }
}
