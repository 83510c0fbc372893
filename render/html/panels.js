/* What is beside the chart: the selected call, the table of functions, what was recorded. */

function pathOf(bar) {
    const names = [];
    for (let at = bar.parent; at; at = at.parent)
        names.push(at.label);
    const most = 40;
    if (names.length > most)
        names.splice(most / 2, names.length - most, "… " + (names.length - most) + " more …");
    return names.reverse().join(" › ");
}

function factsOfPath(path, whole) {
    const facts = [formatCount(path.calls) + (path.calls === 1 ? " call" : " calls"),
                   formatDuration(path.total) + " total " + formatShare(path.total, whole),
                   formatDuration(path.self) + " self"];
    if (path.calls > 1)
        facts.push("each " + formatDuration(path.minimum) + " to " + formatDuration(path.maximum));
    if (path.errors)
        facts.push(formatCount(path.errors) + " failed");
    return facts;
}

function factsOfSpan(span) {
    if (span.flags & FLAG.moment)
        return ["at " + formatDuration(span.start)];
    const facts = [formatDuration(span.duration), "begins at " + formatDuration(span.start)];
    for (const [name, text] of [["error", "failed"], ["unfinished", "never ended"],
                                ["unwound", "left without returning"], ["inherited", "begun by the parent process"]])
        if (span.flags & FLAG[name])
            facts.push(text);
    return facts;
}

function factsOf(bar, whole) {
    return bar.path ? factsOfPath(bar.path, whole) : bar.span ? factsOfSpan(bar.span)
         : [formatDuration(bar.width), bar.thread.process.command];
}

function showDetails(panel, bar, whole) {
    if (!bar) {
        panel.replaceChildren(element("span", {class: "dim"}, "Click a bar, or use the arrow keys: what it is stands here."));
        return;
    }
    const lines = [element("div", {}, element("b", {}, bar.label), " ",
                           element("span", {class: "scope"}, bar.of ? bar.of.scope : "")),
                   element("div", {class: bar.error ? "error" : ""}, factsOf(bar, whole).join(" · "))];
    const given = bar.span && bar.span.arguments;
    if (given)
        lines.push(element("div", {},
                           Object.entries(given).map(([key, value]) => key + "=" + formatValue(value)).join(", ")));
    lines.push(element("div", {class: "path"}, pathOf(bar)));
    panel.replaceChildren(...lines);
}

function showTip(tip, bar, event, whole) {
    tip.hidden = !bar;
    if (!bar)
        return;
    tip.replaceChildren(element("b", {}, bar.label), "\n" + factsOf(bar, whole).join(" · "));
    const given = bar.span && bar.span.arguments;
    if (given)
        tip.append("\n" + Object.entries(given).map(([key, value]) => key + "=" + formatValue(value)).join(", "));
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.min(event.clientX + 14, Math.max(0, innerWidth - box.width - 4)) + "px";
    tip.style.top = (event.clientY + 18 + box.height < innerHeight ? event.clientY + 18
                                                                  : Math.max(0, event.clientY - box.height - 8)) + "px";
}

const COLUMNS = [["calls", "Calls", formatCount], ["total", "Total", formatDuration], ["self", "Self", formatDuration],
                 ["average", "Average", formatDuration], ["minimum", "Min", formatDuration],
                 ["maximum", "Max", formatDuration], ["errors", "Errors", formatCount]];
const ROWS_MOST = 2000;

class FunctionTable {
    /* `onChoose` gets the function whose name was clicked. */
    constructor(place, functions, onChoose) {
        this.place = place;
        this.functions = functions.filter(each => each.calls > 0 || each.total > 0);
        this.onChoose = onChoose;
        this.key = "total";
        this.down = true;
    }

    sortBy(key) {
        this.down = key === this.key ? !this.down : key !== "name";
        this.key = key;
        this.show(this.search);
    }

    header(key, title) {
        const sorted = key === this.key;
        const button = element("button", {}, title + (sorted ? (this.down ? " ▾" : " ▴") : ""));
        button.addEventListener("click", () => this.sortBy(key));
        return element("th", {class: key === "name" ? "name" : "", scope: "col",
                              "aria-sort": sorted ? (this.down ? "descending" : "ascending") : "none"}, button);
    }

    row(each) {
        const name = element("button", {title: "Show in the flame graph"}, each.name);
        name.addEventListener("click", () => this.onChoose(each));
        return element("tr", {}, ...COLUMNS.map(([key, , format]) =>
            element("td", {class: key === "errors" && each.errors ? "error" : ""}, format(each[key]))),
            element("td", {class: "name"}, name, " ", element("span", {class: "scope"}, each.scope)));
    }

    show(search) {
        this.search = search;
        const wanted = this.functions.filter(each => !search || each.search.includes(search));
        const sign = this.down ? -1 : 1, key = this.key;
        wanted.sort((a, b) => key === "name" ? sign * a.name.localeCompare(b.name) : sign * (a[key] - b[key]));
        const head = element("tr", {}, ...COLUMNS.map(([each, title]) => this.header(each, title)),
                             this.header("name", "Function"));
        const table = element("table", {}, element("thead", {}, head),
                              element("tbody", {}, ...wanted.slice(0, ROWS_MOST).map(each => this.row(each))));
        this.place.replaceChildren(table);
        if (wanted.length > ROWS_MOST)
            this.place.append(element("p", {class: "dim"}, formatCount(wanted.length - ROWS_MOST) +
                                                           " more: search, or use traceshim report"));
    }
}

/* Any JSON, as nested lists of terms; `key` is the term's. */
function facts(value, key = "") {
    if (Array.isArray(value)) {
        if (value.every(each => typeof each !== "object"))
            return document.createTextNode(value.length ? value.join(", ") : "none");
        return element("div", {}, ...value.slice(0, ROWS_MOST).map(each => facts(each)));
    }
    if (value === null || typeof value !== "object")
        return document.createTextNode(typeof value !== "number" || /^(pid|tid|parent_pid|status)$/.test(key) ?
            String(value) : key.endsWith("_ns") ? formatDuration(value) : formatCount(value));
    const list = element("dl", {});
    for (const [term, each] of Object.entries(value))
        list.append(element("dt", {}, term.replace(/_ns$/, "").replaceAll("_", " ")),
                    element("dd", {}, facts(each, term)));
    return list;
}
