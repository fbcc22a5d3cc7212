"""Plays figures of rounds in Chromium: rounds.py FIGURE.html... Prints what it sees; with
CROSSWAIT_PICTURES=FOLDER makes a picture of each, in the middle of a round."""
import os, sys
from browser import Browser

pictures = os.environ.get("CROSSWAIT_PICTURES")
browser = Browser(os.environ["TMPDIR"])
seen = (
    "[...document.querySelectorAll('g.round')].filter((g) => g.style.visibility ==="
    " 'visible').length"
)
said = "document.querySelector('nav output').value"
# Runs the first round: there must be one dot for each head of an arrow; all start at their senders,
# and move along their arrows, away from the senders.
step = """new Promise((done) => {
    document.querySelectorAll('nav button')[2].click();
    const number = (element, name) => Number(element.getAttribute(name));
    const lines = [...document.querySelector('g.round').querySelectorAll('line')];
    const heads = lines.reduce((n, l) => n + l.hasAttribute('marker-end') + l.hasAttribute(
        'marker-start'), 0);
    const dots = [...document.querySelectorAll('circle.message')].map((dot) => {
        let line = dot.previousElementSibling;
        while (line.tagName !== 'line')
            line = line.previousElementSibling;
        const start = number(dot, 'cx'), low = number(line, 'x1'), high = number(line, 'x2');
        const end = start === low ? high : low;
        const head = start === low ? 'marker-end' : 'marker-start';
        return { dot, start, end, right: line.hasAttribute(head) && [low, high].includes(start) };
    });
    const part = ({ dot, start, end }) => (number(dot, 'cx') - start) / (end - start);
    const look = () => {
        if (dots.some((d) => part(d) === 0))
            return requestAnimationFrame(look);
        const along = dots.every((d) => part(d) > 0 && part(d) <= 1);
        done(`${dots.length} of ${heads}, at their senders: ${dots.every((d) => d.right)
            }, along their arrows: ${along}`);
    };
    look();
})"""
until_over = (
    "new Promise((done) => { const look = () =>"
    " document.querySelectorAll('circle.message').length ? setTimeout(look, 20) : done(true);"
    " look(); })"
)
played = (
    "new Promise((done) => { const look = () => document.querySelectorAll('nav"
    " button')[3].textContent === 'play' ? done(true) : setTimeout(look, 20); look(); })"
)


def button(number):
    browser.click(*browser.middle(f"nav button:nth-of-type({number})"))


for path in sys.argv[1:]:
    browser.look(width=1000)
    browser.open(path)
    print("whole:", browser.run(seen), "rounds;", browser.run(said))
    button(1)
    print("first:", browser.run(seen), "rounds;", browser.run(said))
    print("messages that move:", browser.run(step))
    if pictures:
        name = os.path.basename(path).replace(".html", ".png")
        browser.picture(os.path.join(pictures, name), whole=True)
    browser.run(until_over)
    print("step:", browser.run(seen), "rounds;", browser.run(said))
# Returns the contrast of two colours "rgb(R, G, B)", as accessibility rules define it.
contrast = """((...colours) => {
    const light = colours.map((colour) => colour.match(/\\d+/g).slice(0, 3).map((part) => {
        const c = part / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    })).map(([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05);
    return Math.max(...light) / Math.min(...light);
})"""
needed = {"'svg text'": ("fill", 4.5), "'svg line[marker-end]'": ("stroke", 3)}
back = "getComputedStyle(document.querySelector('svg > rect')).fill"
for dark in False, True:
    browser.look(width=1000, dark=dark)
    good = all(
        browser.run(
            f"[...document.querySelectorAll({what})].every((e) =>"
            f" {contrast}(getComputedStyle(e).{style}, {back}) >= {least})"
        )
        for what, (style, least) in needed.items()
    )
    print("dark:" if dark else "light:", "all can be read" if good else "not all can be read")
browser.look(width=1000)
button(4)
browser.run(played)
print("play:", browser.run(seen), "rounds;", browser.run(said))
button(2)
print("back:", browser.run(seen), "rounds;", browser.run(said))
browser.close()
