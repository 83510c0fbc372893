/*
 * Where the bars lie. A bar: {x, width, row, label, of, thread, parent, error, path or span}; x and width are
 * nanoseconds, of total time in the flame graph and since the session began in the timeline; `of` is a function, null
 * for a thread's own bar. A layout: {bars, rows: bars of each row by x, start, end}.
 */

function addBar(layout, bar) {
    while (layout.rows.length <= bar.row)
        layout.rows.push([]);
    layout.rows[bar.row].push(bar);
    layout.bars.push(bar);
    return bar;
}

/* Depth first without recursion: a trace may be as deep as it likes. */
function layPaths(layout, thread, x, row, parent) {
    const waiting = [];
    const wait = (paths, from, at, above) => {
        const laid = [];
        for (const path of paths) {
            laid.push([path, from, at, above]);
            from += path.total;
        }
        waiting.push(...laid.reverse());
    };
    wait(thread.paths, x, row, parent);
    while (waiting.length) {
        const [path, from, at, above] = waiting.pop();
        const bar = addBar(layout, {x: from, width: path.total, row: at, label: path.of.name, of: path.of, thread,
                                    parent: above, error: path.errors > 0, path});
        wait(path.children, from, at + 1, bar);
    }
}

function layoutFlame(threads) {
    const layout = {bars: [], rows: [], start: 0, end: 0};
    for (const thread of threads) {
        const total = thread.paths.reduce((sum, path) => sum + path.total, 0);
        const header = threads.length === 1 ? null : addBar(layout, {
            x: layout.end, width: total, row: 0, label: thread.label, of: null, thread, parent: null, error: false,
        });
        layPaths(layout, thread, layout.end, header ? 1 : 0, header);
        layout.end += total;
    }
    return layout;
}

function layoutTimeline(threads) {
    const layout = {bars: [], rows: [], start: Infinity, end: 0};
    for (const thread of threads) {
        const top = layout.rows.length, open = [];
        const header = addBar(layout, {x: thread.start, width: thread.end - thread.start, row: top,
                                       label: thread.label, of: null, thread, parent: null, error: false});
        for (const span of thread.spans) {
            const bar = addBar(layout, {x: span.start, width: span.duration, row: top + 1 + span.depth,
                                        label: span.of.name, of: span.of, thread,
                                        parent: span.depth ? open[span.depth - 1] || header : header,
                                        error: (span.flags & FLAG.error) !== 0, span});
            if (!(span.flags & FLAG.moment))
                open[span.depth] = bar;
        }
        layout.start = Math.min(layout.start, thread.start);
        layout.end = Math.max(layout.end, thread.end);
    }
    layout.start = Math.min(layout.start, layout.end);
    return layout;
}

/* The first bar of a row that ends behind x. */
function firstBehind(row, x) {
    let low = 0, high = row.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (row[middle].x + row[middle].width < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
