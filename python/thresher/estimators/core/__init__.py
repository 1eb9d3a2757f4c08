"""One compiled model and what stands around it: best subsets, score cards, hierarchies, machines."""
