// otlp.js FILE: calls, time and errors of each function in a file of OTLP JSON lines, as OpenTelemetry's own generated
// code takes them: JSON to messages, to protobuf and back. As CSV.
const fs = require("fs");
const readline = require("readline");
const root = require("@opentelemetry/otlp-transformer/build/src/generated/root");
const Request = root.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

// OTLP's JSON has ids in hexadecimal where protobuf's has base64.
function decodeIds(span) {
    for (const key of ["traceId", "spanId", "parentSpanId"])
        if (key in span)
            span[key] = Buffer.from(span[key], "hex");
}

function take(line, sums) {
    const document = JSON.parse(line);
    for (const resource of document.resourceSpans)
        for (const scope of resource.scopeSpans)
            scope.spans.forEach(decodeIds);
    const message = Request.fromObject(document);
    const problem = Request.verify(message);
    if (problem)
        throw new Error(problem);
    for (const resource of Request.decode(Request.encode(message).finish()).resourceSpans)
        for (const scope of resource.scopeSpans)
            for (const span of scope.spans) {
                if (span.traceId.length !== 16 || span.spanId.length !== 8 || span.kind !== 1)
                    throw new Error("ids or kind of " + span.name);
                if (span.attributes.some(attribute => attribute.key === "inherited"))
                    continue;
                const key = span.name + "," + scope.scope.name;
                const sum = sums.get(key) || { calls: 0, ns: 0n, errors: 0 };
                sum.calls++;
                sum.ns += BigInt(span.endTimeUnixNano.toString()) - BigInt(span.startTimeUnixNano.toString());
                sum.errors += span.status.code === 2;
                sums.set(key, sum);
            }
}

async function main(file) {
    const sums = new Map();
    for await (const line of readline.createInterface({ input: fs.createReadStream(file) }))
        take(line, sums);
    for (const [key, sum] of sums)
        console.log([key, sum.calls, sum.ns, sum.errors].join(","));
}

main(process.argv[2]);
