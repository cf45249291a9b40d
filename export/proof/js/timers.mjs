// timers.mjs DIR (KEY FORMAT ASKS WAITS)… makes one operation with each export, at a server whose first answer is a 503, which
// asks for two months where ASKS says so, and prints the key, what came out, how many requests there were, and the longest
// timer that was set, in milliseconds. Where WAITS says so, timers of more than a quarter of an hour are up at once: they are
// what it waits; else they run, as the timeouts that they are.
import http from 'node:http';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const clients = {
  got: async ({client}, url) => (await client(url)).statusCode,
  ky: async ({client}, url) => (await client(url)).status,
  'axios-retry': async ({client}, url) => (await client.request({url})).status,
  'p-retry': async ({send}, url) => (await send(url)).status,
};

const long = 900_000;
let longest = 0;
let waits = false;
const note = (ms) => {
  longest = Math.max(longest, ms > long ? ms : 0);
};
const setTimer = globalThis.setTimeout;
globalThis.setTimeout = (f, ms, ...more) => {
  note(ms);
  return setTimer(f, waits && ms > long ? 0 : ms, ...more);
};
const timeout = AbortSignal.timeout;
AbortSignal.timeout = (ms) => {
  note(ms);
  return timeout.call(AbortSignal, ms);
};

let requests = 0;
let asks = false;
const server = http.createServer((request, response) => {
  requests++;
  response.writeHead(requests === 1 ? 503 : 200, asks ? {'Retry-After': String(60 * 24 * 3600)} : {});
  response.end();
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

process.stdin.on('end', () => process.exit(1)).resume(); // it ends with the test that began it

const [dir, ...rest] = process.argv.slice(2);
for (let i = 0; i < rest.length; i += 4) {
  const [key, format] = rest.slice(i);
  [asks, waits, requests, longest] = [rest[i + 2] === 'true', rest[i + 3] === 'true', 0, 0];
  const exported = await import(pathToFileURL(path.join(dir, key + '.mjs')));
  let came;
  try {
    came = await clients[format](exported, 'http://127.0.0.1:' + server.address().port);
  } catch (error) {
    came = error.response?.statusCode ?? error.response?.status ?? error.message.replaceAll(/\s/g, '-');
  }
  console.log(key, came, requests, longest);
}
process.exit(0); // timers that run keep nobody waiting
