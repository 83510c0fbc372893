/* The source with how often its lines were executed, as `traceshim lines` shows it. */

const LINE_NUMBERS = 4; /* line, count, calls, ns: of lines that have code */

function readLines(file) {
    const lines = [];
    for (let i = 0; i + LINE_NUMBERS <= file.rows.length; i += LINE_NUMBERS) {
        const [number, count, calls, time] = file.rows.slice(i, i + LINE_NUMBERS);
        lines.push({number, count, calls, time});
    }
    return {path: file.path, source: file.source, lines, executed: lines.filter(each => each.count > 0).length};
}

class LineTable {
    constructor(place, files) {
        this.place = place;
        this.files = files.map(readLines);
        this.chosen = this.files[0];
    }

    fileRow(file) {
        const name = element("button", {"aria-pressed": String(file === this.chosen)}, file.path);
        name.addEventListener("click", () => {
            this.chosen = file;
            this.show(this.search);
        });
        return element("tr", {}, element("td", {}, formatCount(file.executed) + " of " + formatCount(file.lines.length)),
                       element("td", {}, formatShare(file.executed, file.lines.length)),
                       element("td", {class: "name"}, name));
    }

    sourceRow(number, line, text) {
        return element("tr", {class: !line ? "" : line.count ? "executed" : "never"},
            element("td", {}, line ? formatCount(line.count) : ""),
            element("td", {title: line && line.calls ? formatCount(line.calls) + " recorded calls" : ""},
                    line && line.time ? formatDuration(line.time) : ""),
            element("td", {class: "dim"}, String(number)), element("td", {class: "source"}, text));
    }

    sourceRows(file) {
        const rows = [];
        let next = 0;
        file.source.forEach((text, i) => {
            const line = file.lines[next] && file.lines[next].number === i + 1 ? file.lines[next++] : null;
            rows.push(this.sourceRow(i + 1, line, text));
        });
        for (const line of file.lines.slice(next)) /* the source is gone, was cut, or has become shorter */
            rows.push(this.sourceRow(line.number, line, ""));
        return rows;
    }

    table(titles, rows) {
        const head = titles.map(title => element("th", {scope: "col", class: title === "File" || title === "Source" ? "name" : ""},
                                                 title));
        return element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
    }

    show(search) {
        this.search = search;
        const wanted = this.files.filter(each => !search || each.path.toLowerCase().includes(search));
        this.place.replaceChildren(
            this.table(["Lines executed", "", "File"], wanted.map(each => this.fileRow(each))),
            element("h2", {}, this.chosen.path),
            this.table(["Count", "Time of calls", "Line", "Source"], this.sourceRows(this.chosen)));
    }
}

