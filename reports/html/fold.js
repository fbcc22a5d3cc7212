// On a narrow screen each row of a table is a block, in which each cell has its column's head.
"use strict";
for (const table of document.querySelectorAll(".wide > table")) {
    const [first, ...rows] = table.rows;
    if (!first || first.cells[0].tagName !== "TH") continue;
    table.classList.add("folds");
    for (const row of rows)
        [...row.cells].forEach((cell, i) => {
            const name = first.cells[i] ? first.cells[i].textContent : "";
            if (name) cell.dataset.head = name + ":";
        });
}
