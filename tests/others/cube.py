"""The cube of six dimensions by its faces, as lrs reads it."""

print("cube", "H-representation", "begin", "12 7 rational", sep="\n")
for axis in range(6):
    for sign in (1, -1):
        print(1, *(sign if other == axis else 0 for other in range(6)))
print("end")
