//! Fast paths against slow obvious ones.
