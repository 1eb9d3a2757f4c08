mod brute;
mod codes;
mod matching;
mod searches;
mod size;
mod strategies;
mod text;
