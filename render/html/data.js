"use strict";

/*
 * What render/html_data.c writes: flat lists of numbers, times in nanoseconds since the session began.
 *   functions: [name, scope, calls, total, self, durations, minimum, maximum, errors]
 *   threads: paths, in order of depth-first, and spans, in order of start
 */
const PATH_NUMBERS = 8; /* depth, function, calls, total, self, minimum, maximum, errors */
const SPAN_NUMBERS = 5; /* depth, function, start, duration, flags */
const FLAG = {error: 1, unfinished: 2, unwound: 4, inherited: 8, moment: 16};

function readFunction(row) {
    const [name, scope, calls, total, self, durations, minimum, maximum, errors] = row;
    return {name, scope, calls, total, self, minimum, maximum, errors, average: calls ? durations / calls : 0,
            search: (name + " " + scope).toLowerCase(), hue: hueOf(scope + name)};
}

function hueOf(text) {
    let hash = 2166136261;
    for (let i = 0; i < text.length; i++)
        hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
    return 20 + (hash >>> 8) % 200; /* red is for errors */
}

/* The paths of a thread as a list of trees. */
function readPaths(numbers, functions) {
    const roots = [], open = [];
    for (let i = 0; i + PATH_NUMBERS <= numbers.length; i += PATH_NUMBERS) {
        const depth = numbers[i];
        const path = {
            of: functions[numbers[i + 1]], calls: numbers[i + 2], total: numbers[i + 3], self: numbers[i + 4],
            minimum: numbers[i + 5], maximum: numbers[i + 6], errors: numbers[i + 7], children: [], parent: null,
        };
        if (depth > 0) {
            path.parent = open[depth - 1];
            path.parent.children.push(path);
        } else {
            roots.push(path);
        }
        open[depth] = path;
    }
    return roots;
}

function readSpans(thread, functions) {
    const numbers = thread.spans, spans = [];
    for (let i = 0; i + SPAN_NUMBERS <= numbers.length; i += SPAN_NUMBERS)
        spans.push({
            depth: numbers[i], of: functions[numbers[i + 1]], start: numbers[i + 2], duration: numbers[i + 3],
            flags: numbers[i + 4], arguments: thread.arguments[spans.length] || null,
        });
    return spans;
}

function threadLabel(thread, process, alone) {
    const name = thread.name || process.name;
    const track = thread.track ? ", track " + thread.track : "";
    return (alone ? "" : process.name + " " + process.pid + " · ") + name + " (" + thread.tid + track + ")";
}

function readTrace(text) {
    const json = JSON.parse(text);
    const functions = json.functions.map(readFunction);
    const threads = json.threads.map(thread => {
        const process = json.processes[thread.process];
        return {
            label: threadLabel(thread, process, json.processes.length === 1), process, start: thread.start,
            end: thread.end, paths: readPaths(thread.paths, functions), spans: readSpans(thread, functions),
        };
    });
    return {...json, functions, threads};
}
