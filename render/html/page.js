/* The page: which view is shown of which threads, and what keys do. */
(function () {
    const trace = readTrace(byId("data").textContent);
    const state = {view: "flame", thread: "all", search: ""};
    const views = ["flame", "time", "functions", "facts"].concat(trace.lines.length ? ["lines"] : []);
    const chart = new Chart(byId("chart"), bar => showDetails(byId("details"), bar, chart.layout.end - chart.layout.start),
                            (bar, event) => showTip(byId("tip"), bar, event, chart.layout.end - chart.layout.start));
    const table = new FunctionTable(byId("functions"), trace.functions, each => {
        search(each.name);
        show("flame");
    });

    const lines = trace.lines.length ? new LineTable(byId("lines"), trace.lines) : null;

    const chosenThreads = () => state.thread === "all" ? trace.threads : [trace.threads[Number(state.thread)]];

    function noteOf() {
        if (trace.threads.length === 0)
            return "Nothing was recorded.";
        if (state.view === "time" && trace.spansLeftOut)
            return `The timeline has the longest ${formatCount(trace.calls - trace.spansLeftOut)} of ` +
                   `${formatCount(trace.calls)} calls: all over ${formatDuration(trace.longestLeftOut)}. ` +
                   "traceshim export --format=perfetto writes every one.";
        if (state.view === "flame" && trace.pathsLeftOut)
            return `The flame graph has the ${formatCount(trace.paths)} largest of ` +
                   `${formatCount(trace.paths + trace.pathsLeftOut)} paths; self times and the table count all.`;
        if (state.view === "lines" && trace.lineFilesLeftOut)
            return `Of ${formatCount(trace.lineFilesLeftOut)} more files the lines are left out: traceshim lines shows them.`;
        return "";
    }

    /* The page's address names what is shown, so that a link or a reload comes back to it. */
    function readAddress() {
        const given = new URLSearchParams(location.hash.slice(1));
        if (trace.threads[given.get("thread")])
            state.thread = byId("thread").value = given.get("thread");
        search(given.get("search") || "");
        show(views.includes(given.get("view")) ? given.get("view") : "flame");
    }

    function writeAddress() {
        const given = new URLSearchParams(Object.entries(state).filter(([, value]) => value));
        history.replaceState(null, "", "#" + given);
    }

    function show(view) {
        state.view = view;
        writeAddress();
        const isChart = view === "flame" || view === "time";
        for (const each of views)
            byId("tab-" + each).setAttribute("aria-selected", String(each === view));
        byId("chart").hidden = byId("details").hidden = !isChart;
        byId("functions").hidden = view !== "functions";
        byId("facts").hidden = view !== "facts";
        byId("lines").hidden = view !== "lines";
        byId("thread").disabled = byId("reset").disabled = !isChart;
        byId("note").textContent = noteOf();
        byId("note").hidden = !noteOf();
        if (view === "functions")
            table.show(state.search);
        if (view === "lines")
            lines.show(state.search);
        if (isChart) {
            chart.show(view === "flame" ? layoutFlame(chosenThreads()) : layoutTimeline(chosenThreads()));
            showDetails(byId("details"), null);
        }
        byId("tip").hidden = true;
        find();
    }

    /* Of nested bars that match, the outermost counts. */
    function find() {
        const wanted = state.search, {layout} = chart;
        chart.matches = wanted ? bar => bar.of.search.includes(wanted) : null;
        let found = 0, time = 0;
        if (wanted && (state.view === "flame" || state.view === "time"))
            for (const bar of layout.bars) {
                bar.within = Boolean(bar.parent && (bar.parent.within || (bar.parent.of && chart.matches(bar.parent))));
                if (bar.of && chart.matches(bar)) {
                    found += bar.path ? bar.path.calls : 1;
                    time += bar.within ? 0 : bar.width;
                }
            }
        byId("found").textContent = !wanted || state.view === "functions" || state.view === "lines" ? "" :
            formatCount(found) + " calls, " + formatDuration(time) + " " +
            (state.view === "flame" ? formatShare(time, layout.end - layout.start) : "");
        chart.draw();
    }

    function search(text) {
        byId("search").value = text;
        state.search = text.toLowerCase();
    }

    function toggleTheme() {
        const root = document.documentElement;
        const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        root.dataset.theme = dark ? "light" : "dark";
        chart.draw();
    }

    function toggleKeys() {
        const shown = byId("keys").hidden;
        byId("keys").hidden = !shown;
        byId("help").setAttribute("aria-expanded", String(shown));
    }

    const keys = {
        "1": () => show("flame"), "2": () => show("time"), "3": () => show("functions"), "4": () => show("facts"),
        "5": () => lines && show("lines"),
        "/": () => byId("search").focus(), "?": toggleKeys,
        ArrowLeft: () => chart.step(-1), ArrowRight: () => chart.step(1),
        ArrowUp: () => chart.step("up"), ArrowDown: () => chart.step("down"),
        Enter: () => chart.focus(chart.selected), Escape: () => chart.reset(), e: () => chart.nextFailed(),
        "+": () => chart.zoomBy(0.6), "=": () => chart.zoomBy(0.6), "-": () => chart.zoomBy(1 / 0.6),
        a: () => chart.moveBy(-0.2), d: () => chart.moveBy(0.2),
    };
    const chartKeys = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Enter", "Escape", "e", "+", "=", "-",
                               "a", "d"]);

    document.addEventListener("keydown", event => {
        const typing = event.target.matches("input, select");
        if (typing && event.key === "Escape")
            byId("chart").focus();
        if (typing || event.ctrlKey || event.altKey || event.metaKey || !keys[event.key])
            return;
        if (chartKeys.has(event.key) && (byId("chart").hidden || event.target.matches("button")))
            return;
        event.preventDefault();
        keys[event.key]();
    });

    for (const view of views)
        byId("tab-" + view).addEventListener("click", () => show(view));
    byId("search").addEventListener("input", event => {
        state.search = event.target.value.toLowerCase();
        writeAddress();
        if (state.view === "functions")
            table.show(state.search);
        if (state.view === "lines")
            lines.show(state.search);
        find();
    });
    byId("thread").addEventListener("change", event => {
        state.thread = event.target.value;
        show(state.view);
    });
    byId("reset").addEventListener("click", () => chart.reset());
    byId("theme").addEventListener("click", toggleTheme);
    byId("help").addEventListener("click", toggleKeys);

    byId("thread").append(element("option", {value: "all"}, "all " + formatCount(trace.threads.length)),
                          ...trace.threads.map((thread, i) => element("option", {value: String(i)}, thread.label)));
    byId("tab-lines").hidden = !lines;
    byId("title").textContent = trace.title;
    document.title = trace.title + " · traceshim";
    byId("facts").append(facts(trace.certificate));
    readAddress();
    addEventListener("hashchange", readAddress);
})();
