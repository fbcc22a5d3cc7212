"""Prints eight similar sequences of 200 bases in the format of PhyML and IQ-TREE."""
import random

random.seed(1)
base = [random.choice("ACGT") for _ in range(200)]
print(8, len(base))
for taxon in range(8):
    changed = [one if random.random() > 0.15 else random.choice("ACGT") for one in base]
    print(f"taxon{taxon}     " + "".join(changed))
