// run.mjs DIR (KEY FORMAT METHOD URL)… makes one operation each with the export that stands in DIR/KEY.mjs, side by side,
// and prints the key and what came out: a status, or "error".
import http from 'node:http';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const clients = {
  got: async ({client}, method, url) => (await client(url, {method})).statusCode,
  ky: async ({client}, method, url) => (await client(url, {method})).status,
  'axios-retry': async ({client}, method, url) => (await client.request({method, url})).status,
  'p-retry': async ({send}, method, url) => (await send(url, {method})).status,
};

async function ended(exported, format, method, url) {
  try {
    return await clients[format](exported, method, url);
  } catch (error) {
    // A fault of the code is none of the network's: it has to be seen.
    if (error instanceof ReferenceError || error instanceof SyntaxError || (error instanceof TypeError && !error.cause)) {
      throw error;
    }
    return error.response?.statusCode ?? error.response?.status ?? /^status (\d+)$/.exec(error.message)?.[1] ?? 'error';
  }
}

process.stdin.on('end', () => process.exit(1)).resume(); // it ends with the test that began it

const [dir, ...rest] = process.argv.slice(2);
const jobs = [];
for (let i = 0; i < rest.length; i += 4) {
  jobs.push(rest.slice(i, i + 4));
}

// What is loaded and compiled late would be taken for a wait: each client has sent once before anything is measured.
const server = http.createServer((request, response) => response.end());
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const loaded = new Map();
for (const [key, format] of jobs) {
  loaded.set(key, await import(pathToFileURL(path.join(dir, key + '.mjs'))));
  await ended(loaded.get(key), format, 'GET', 'http://127.0.0.1:' + server.address().port);
}

async function worker() {
  for (let job = jobs.shift(); job; job = jobs.shift()) {
    const [key, ...how] = job;
    console.log(key, await ended(loaded.get(key), ...how));
  }
}

await Promise.all(Array.from({length: 16}, worker));
process.exit(0); // connections that are kept alive keep nobody waiting
