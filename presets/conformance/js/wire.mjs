// The other end: it gives the answers in order, the last one again and again, and remembers when each send came. After
// limit sends everything is well.
import http from 'node:http';
import net from 'node:net';
import { time, today } from './clock.mjs';

const sockets = new Set();
let script = { answers: [], limit: 0, at: [] };

function next() {
  const n = script.at.length;
  script.at.push(time() - script.began);
  return n >= script.limit ? { status: 200 } : script.answers[Math.min(n, script.answers.length - 1)];
}

const server = http.createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const answer = next();
    if (answer.error) {
      request.socket.resetAndDestroy();
      return;
    }
    const text = answer.status >= 400 ? script.failure : '{}';
    // Each connection serves one request, so that none is open while a client waits.
    response.writeHead(answer.status, {
      'Content-Type': 'application/json',
      'Content-Length': text.length,
      Connection: 'close',
      Date: new Date(today()).toUTCString(),
      ...answer.header,
    });
    response.end(text);
  });
});
server.on('connection', (socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => {});
});

// Where connections are refused none arrives: they are counted as they are begun, and sent to a port that nobody has.
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function refusing(...args) {
  const { answers, limit, at } = script;
  if (answers[0]?.error === 'refused' && at.length < limit) {
    next();
    const options = args.flat().find((arg) => arg && typeof arg === 'object' && 'port' in arg);
    options.port = 1;
  }
  return connect.apply(this, args);
};

export const listen = () => new Promise((resolve) => {
  server.listen(0, '127.0.0.1', () => resolve(server.address().port));
});

/** Begins a script and gives the list in which the time of each send will stand. failure is what a failed answer says. */
export function play(answers, limit, failure) {
  script = { answers, limit, failure, at: [], began: time() };
  return script.at;
}

/** Whether a request is under way. */
export const busy = () => sockets.size > 0;

/** The function that a client of functions repeats. */
export async function call() {
  const answer = next();
  const code = { reset: 'ECONNRESET', refused: 'ECONNREFUSED' }[answer.error];
  if (code) throw Object.assign(new Error(`${answer.error === 'reset' ? 'read' : 'connect'} ${code}`), { code });
  if (answer.status >= 400) throw new Error(`the answer was ${answer.status}`);
}
