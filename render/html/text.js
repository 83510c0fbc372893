/* Text for people, and elements: names are never read as HTML. */

function formatDuration(ns) {
    for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]])
        if (ns >= size)
            return (ns / size).toFixed(ns / size < 10 ? 3 : ns / size < 100 ? 2 : 1) + " " + unit;
    return Math.round(ns) + " ns";
}

function formatCount(count) {
    return count.toLocaleString("en-US");
}

function formatShare(part, whole) {
    return whole > 0 ? (100 * part / whole).toFixed(part / whole < 0.1 ? 2 : 1) + " %" : "";
}

function formatValue(value) {
    return typeof value === "string" ? value : JSON.stringify(value);
}

/* element("td", {class: "name"}, "text", otherElement) */
function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes))
        made.setAttribute(name, value);
    made.append(...children);
    return made;
}

function byId(id) {
    return document.getElementById(id);
}
