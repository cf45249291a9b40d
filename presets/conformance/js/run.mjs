// node run.mjs PRESET: runs that client. It reads one operation a line and writes what became of it.
import { run, time } from './clock.mjs'; // first: it replaces the timers
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { clients } from './clients.mjs';
import { busy, listen, play } from './wire.mjs';

// Neither a proxy nor the settings of somebody's account are to decide here.
for (const name of Object.keys(process.env)) if (/_proxy$|^AWS_/i.test(name)) delete process.env[name];
process.env.AWS_CONFIG_FILE = process.env.AWS_SHARED_CREDENTIALS_FILE = '/dev/null';
process.removeAllListeners('warning'); // of what Node is too old for
console.log = console.error; // standard output is for the answers
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

const preset = process.argv[2];
const { module, make, failure = '{"error":{"type":"api_error","message":"it failed"}}' } = clients[preset];
const { version } = JSON.parse(readFileSync(new URL(`./node_modules/${module}/package.json`, import.meta.url)));
const client = await make(await listen());

/** The status that a caller can read out of an error, wherever the client puts it. */
const within = (error) => error.status ?? error.statusCode ?? error.response?.status ?? error.response?.statusCode ?? 0;

async function operation({ method, mark, answers, limit, start, patient }) {
  const at = play(answers, limit, failure);
  const began = time();
  const result = { status: 0, error: '' };
  const promise = (mark ? client.mark() : client.send(method)).then(
    (status) => { result.status = status ?? 200; },
    (error) => Object.assign(result, { status: within(error), error: `${error.name}: ${error.message}` }),
  );
  const { waiting } = await run(promise, start, patient, busy);
  return { at, took: time() - began, waiting, ...result };
}

say({ clients: [preset], versions: { [module]: version }, marks: 'mark' in client });
for await (const line of createInterface({ input: process.stdin })) {
  say(await operation(JSON.parse(line)).catch((error) => ({ broken: error.message })));
}
process.exit(0);
