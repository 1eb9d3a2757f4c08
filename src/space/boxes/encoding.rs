//! A space of box rules as bytes, for other processes.

use super::{BoxFeature, BoxSpace};
use crate::data::bytes::{Reader, Writer};
use crate::space::Sign;

/// First byte.
const KIND: u8 = b'b';

impl BoxSpace {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Writer(vec![KIND]);
        [self.n_rows, self.max_features, self.min_support, self.order.len()]
            .iter()
            .for_each(|&size| to.size(size));
        to.number(u64::from(self.sign == Sign::Plus));
        for ((feature, codes), &column) in self.features.iter().zip(self.codes.iter()).zip(self.order.iter())
        {
            to.size(column);
            to.size(feature.bins);
            to.size(feature.n_apart);
            to.number(u64::from(feature.nominal));
            to.number((1 + feature.monotonic_cst) as u64);
            to.codes(codes);
        }
        to.0
    }

    /// The space that [`encoded`](crate::space::PatternSpace::encoded) wrote.
    pub(crate) fn decoded(bytes: &[u8]) -> Option<Self> {
        let (&KIND, bytes) = bytes.split_first()? else { return None };
        let mut from = Reader(bytes);
        let [n_rows, max_features, min_support, n_features] =
            [from.size()?, from.size()?, from.size()?, from.size()?];
        let sign = if from.number()? == 1 { Sign::Plus } else { Sign::Either };
        let (mut features, mut codes, mut order) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..n_features {
            order.push(from.size()?);
            let (bins, n_apart, nominal) = (from.size()?, from.size()?, from.number()? == 1);
            let monotonic_cst = i8::try_from(from.number()?).ok()?.checked_sub(1)?;
            let feature = BoxFeature { bins, n_apart, nominal, monotonic_cst };
            let column = from.codes(n_rows, feature.cells())?;
            if (0..n_rows).any(|row| usize::from(column.get(row)) >= feature.cells()) {
                return None;
            }
            codes.push(column);
            features.push(feature);
        }
        let all_rows = (0..u32::try_from(n_rows).ok()?).collect();
        let rare_rows = Self::rare_rows(&features, &codes);
        let (features, codes, order) = (features.into(), codes.into(), order.into());
        Some(Self { features, codes, rare_rows, all_rows, order, n_rows, max_features, min_support, sign })
    }
}
