// duckdb.js FILE: calls, time and errors of each function in a file of flat JSON lines, by DuckDB, as CSV.
const { DuckDBInstance } = require("@duckdb/node-api");

async function main(file) {
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const reader = await connection.runAndReadAll(
        `SELECT name, scope, count(*) AS calls, sum(dur_ns) AS ns, count(*) FILTER (status = 'ERROR') AS errors
         FROM read_json_auto('${file}') WHERE kind = 'call' GROUP BY ALL ORDER BY name, scope`);
    for (const row of reader.getRows())
        console.log(row.join(","));
}

main(process.argv[2]);
