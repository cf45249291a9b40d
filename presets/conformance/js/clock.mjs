// A clock of our own in place of the process's: timers fire in order as soon as nothing else is going on, and the time
// of day is what they add up to. It has to be loaded before any client.
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import timersPromises from 'node:timers/promises';
import workerThreads from 'node:worker_threads';
import { performance } from 'node:perf_hooks';
import zlib from 'node:zlib';

const RealDate = Date;
const turn = setImmediate;
const longest = 2 ** 31 - 1; // what a timer of Node can hold; beyond it fires after a millisecond, the shortest there is

let elapsed = 0; // milliseconds of this clock, never backwards
let epoch = RealDate.now(); // the time of day at elapsed 0
let armed = new Set();
let order = 0;
let hurried = 0;

const now = () => epoch + elapsed;

class Timer {
  constructor(fn, delay, args, repeat) {
    Object.assign(this, { fn, args, repeat, order: order++ });
    this.delay = delay > 1 && delay <= longest ? Number(delay) : 0;
    this.refresh();
  }

  refresh() {
    this.at = elapsed + this.delay;
    armed.add(this);
    return this;
  }

  close() {
    armed.delete(this);
    return this;
  }

  fire() {
    // The shortest wait is taken for none, unless there is no end to them.
    hurried = this.delay > 0 ? 0 : hurried + 1;
    if (hurried > 50) elapsed += 1;
    elapsed = Math.max(elapsed, this.at);
    if (this.repeat) this.refresh();
    else armed.delete(this);
    this.fn(...this.args);
  }

  ref() { return this; }
  unref() { return this; }
  hasRef() { return true; }
  [Symbol.toPrimitive]() { return this.order; }
  [Symbol.dispose]() { this.close(); }
}

const clear = (timer) => {
  if (timer instanceof Timer) timer.close();
  else for (const t of armed) if (t.order === timer) t.close();
};

const functions = {
  setTimeout: (fn, delay, ...args) => new Timer(fn, delay, args, false),
  setInterval: (fn, delay, ...args) => new Timer(fn, delay, args, true),
  clearTimeout: clear,
  clearInterval: clear,
};
Object.assign(globalThis, functions);
Object.assign(timers, functions);

timersPromises.setTimeout = (delay, value, { signal } = {}) => new Promise((resolve, reject) => {
  signal?.throwIfAborted();
  const timer = new Timer(resolve, delay, [value], false);
  signal?.addEventListener('abort', () => {
    timer.close();
    reject(signal.reason);
  }, { once: true });
});

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, as) => Reflect.construct(target, args.length > 0 ? args : [now()], as === globalThis.Date ? target : as),
  apply: () => new RealDate(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});
Object.defineProperty(performance, 'now', { value: () => elapsed });

// undici asks for two functions of Node 22, and neither has to do with what is looked at here.
workerThreads.markAsUncloneable ??= () => {};
zlib.createZstdDecompress ??= () => { throw new Error('no zstd'); };
syncBuiltinESMExports();

/** Work that is none of ours and still under way: connections being made, names looked up, files read. */
const quiet = new Set(['Timeout', 'Immediate', 'TCPServerWrap', 'TCPSocketWrap', 'PipeWrap', 'TTYWrap', 'FSReqCallback']);
const working = () => process.getActiveResourcesInfo().some((name) => !quiet.has(name));

/**
 * Runs the clock until the promise is settled, from the time of day given. Gives { waiting: true } where that needs
 * more than patient milliseconds. busy tells whether the other end has something under way.
 */
export async function run(promise, start, patient, busy) {
  epoch = start - elapsed;
  const began = elapsed;
  hurried = 0;
  const before = new Set(armed);
  let settled = false;
  promise.then(() => { settled = true; }, () => { settled = true; });
  for (let still = 0, turns = 0; !settled; turns++) {
    await new Promise((resolve) => { turn(resolve); });
    if (busy()) hurried = 0;
    still = busy() || (still === 5 && working()) ? 0 : still + 1;
    if (settled || still < 6) {
      if (turns > 1e6) throw new Error('nothing comes to an end');
      continue;
    }
    let next;
    for (const t of armed) if (!next || t.at < next.at || (t.at === next.at && t.order < next.order)) next = t;
    if (!next && still < 2000) continue;
    if (!next) throw new Error('nothing is waited for, and nothing comes');
    if (next.at - began > patient) {
      armed = before;
      return { waiting: true };
    }
    [still, turns] = [0, 0];
    next.fire();
  }
  return { waiting: false };
}

/** Milliseconds on this clock. */
export const time = () => elapsed;
export const today = now;
