/* Plays a figure of rounds: each message moves from its sender to its receiver while its round
 * runs; rounds that did not run yet are hidden. Invariant: the line beside the buttons describes
 * the rounds shown in the figure. */
"use strict";
const MOVE_MS = 1100, REST_MS = 500;
const rounds = [...document.querySelectorAll("g.round")];
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
const [first, back, step, play] = document.querySelectorAll("nav button");
const bar = document.querySelector("nav input");
const said = document.querySelector("nav output");
let shown = rounds.length; /* rounds in the figure */
let playing = false;
let run = 0; /* of moves: an older one stops when a newer one begins */

function show(count) {
    run++;
    shown = count;
    rounds.forEach((round, i) => { round.style.visibility = i < count ? "visible" : "hidden"; });
    document.querySelectorAll("circle.message").forEach((dot) => dot.remove());
    const words = rounds.slice(0, count).map((round) => Number(round.dataset.words));
    const sum = words.reduce((a, b) => a + b, 0);
    bar.value = count;
    back.disabled = first.disabled = count === 0;
    step.disabled = count === rounds.length;
    said.value = count === 0 ? `before the first of ${rounds.length} rounds`
        : `round ${count} of ${rounds.length}; words of the largest message a round: `
            + (count > 1 && count <= 12 ? `${words.join(" + ")} = ${sum}` : `${sum} in all`);
}

/* Makes a dot for each message of an arrow, with its start and its end. */
function dotsOf(line) {
    const [from, to, y] = ["x1", "x2", "y1"].map((name) => Number(line.getAttribute(name)));
    const ways = [];
    if (line.hasAttribute("marker-end"))
        ways.push([from, to]);
    if (line.hasAttribute("marker-start"))
        ways.push([to, from]);
    return ways.map(([start, end]) => {
        const dot = document.createElementNS("http://www.w3.org/2000/svg", "circle");
        for (const [name, value] of Object.entries({ class: "message", r: 6, cy: y, cx: start,
            fill: line.getAttribute("stroke") }))
            dot.setAttribute(name, value);
        line.after(dot);
        return { dot, start, end };
    });
}

/* Shows the next round and moves its messages; resolves to true if the round was completed. */
function move() {
    show(shown + 1);
    const mine = run;
    if (still)
        return new Promise((done) => setTimeout(() => done(mine === run), MOVE_MS));
    const dots = [...rounds[shown - 1].querySelectorAll("line")].flatMap(dotsOf);
    const begin = performance.now();
    return new Promise((done) => {
        const frame = (now) => {
            const part = Math.max(0, Math.min(1, (now - begin) / MOVE_MS));
            if (mine !== run)
                return done(false);
            for (const { dot, start, end } of dots)
                dot.setAttribute("cx", start + (end - start) * part);
            if (part < 1)
                return requestAnimationFrame(frame);
            dots.forEach(({ dot }) => dot.remove());
            return done(true);
        };
        requestAnimationFrame(frame);
    });
}

function pause() {
    playing = false;
    play.textContent = "play";
}

async function playAll() {
    playing = true;
    play.textContent = "pause";
    if (shown === rounds.length)
        show(0);
    while (playing && shown < rounds.length && await move())
        await new Promise((done) => setTimeout(done, REST_MS));
    if (shown === rounds.length)
        pause();
}

first.onclick = () => { pause(); show(0); };
back.onclick = () => { pause(); show(shown - 1); };
step.onclick = () => { pause(); move(); };
play.onclick = () => { if (playing) pause(); else playAll(); };
bar.oninput = () => { pause(); show(Number(bar.value)); };
bar.max = rounds.length;
show(rounds.length);
document.body.dataset.ready = performance.now();
