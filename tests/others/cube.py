"""Prints the faces of the six-dimensional cube in the format of lrs."""

print("cube", "H-representation", "begin", "12 7 rational", sep="\n")
for axis in range(6):
    for sign in (1, -1):
        print(1, *(sign if other == axis else 0 for other in range(6)))
print("end")
