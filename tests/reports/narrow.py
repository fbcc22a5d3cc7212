"""Tests pages in Chromium, 360 pixels wide, on a light and a dark screen and on paper: narrow.py
PAGE... Nothing may scroll sideways, and each cell of a table must have its column's name before
it. Prints what it sees; with CROSSWAIT_PICTURES=FOLDER makes pictures, also of wider windows."""
import os, sys
from browser import Browser

browser = Browser(os.environ["TMPDIR"])
pictures = os.environ.get("CROSSWAIT_PICTURES")
scrolls = (
    "[document.documentElement, ...document.querySelectorAll('.wide')].filter((e) =>"
    " e.scrollWidth > e.clientWidth).map((e) => `${e.tagName} ${e.scrollWidth}`).join(', ')"
)
unnamed = """(() => {
    let cells = 0, unnamed = 0;
    for (const row of document.querySelectorAll('.wide > table:not(.places) tr'))
        [...row.cells].forEach((cell, i) => {
            const head = row.parentNode.rows[0].cells[i].textContent;
            if (cell.tagName === 'TH' || !cell.offsetHeight) return;
            cells++;
            const name = getComputedStyle(cell, '::before').content;
            unnamed += name !== (head ? `"${head}: "` : 'none');
        });
    return cells ? unnamed : 'there are none';
})()"""

for page in sys.argv[1:]:
    name = os.path.basename(page).removesuffix(".html")
    for width, way, look in (
        (360, "", {}),
        (360, "-dark", {"dark": True}),
        (360, "-print", {"media": "print"}),
        (800, "", {}),
        (1400, "", {}),
        (1400, "-dark", {"dark": True}),
    ):
        if width > 360 and not pictures:
            continue
        browser.look(width=width, **look)
        browser.open(page)
        browser.frame()
        if width == 360:
            wide = browser.run(scrolls) or "nothing"
            without = browser.run(unnamed)
            print(f"{name}{way}: scrolls sideways: {wide}; cells without a name: {without}")
        if pictures:
            browser.picture(os.path.join(pictures, f"{name}-{width}{way}.png"), whole=True)
    if pictures:
        browser.look(width=1400, media="print")
        browser.paper(os.path.join(pictures, f"{name}.pdf"))
browser.close()
