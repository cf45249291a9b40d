// The real clients, each as its manual shows it and with nothing set that concerns retrying but what its preset names.
// send makes one operation and gives the status it ended with; mark repeats a function whose error is final.
import { call } from './wire.mjs';

const url = (port) => `http://127.0.0.1:${port}`;
const body = (method) => (['POST', 'PUT', 'PATCH'].includes(method) ? '{}' : undefined);

const got = (name) => ({
  module: name,
  async make(port) {
    const { default: client } = await import(name);
    return { send: async (method) => (await client(url(port), { method, body: body(method) })).statusCode };
  },
});

const ky = (name) => ({
  module: name,
  async make(port) {
    const { default: client } = await import(name);
    return { send: async (method) => (await client(url(port), { method, body: body(method) })).status };
  },
});

const axios = (options) => ({
  module: 'axios-retry',
  async make(port) {
    const { default: core } = await import('axios');
    const { default: retry, ...more } = await import('axios-retry');
    const client = core.create();
    retry(client, options(more));
    return { send: async (method) => (await client.request({ url: url(port), method, data: body(method) })).status };
  },
});

// The two are made by the same generator.
const generated = (name) => ({
  module: name,
  async make(port) {
    const { default: Client } = await import(name);
    const client = new Client({ apiKey: 'key', baseURL: url(port), logLevel: 'off' });
    return {
      send: async (method) => {
        const request = { method: method.toLowerCase(), path: '/v1/thing', body: body(method) && {} };
        return (await client.request(request).asResponse()).status;
      },
    };
  },
});

// A service whose calls need no signature stands for all of them.
const amazon = (module, options) => ({
  module,
  async make(port) {
    const { SSOClient, ListAccountsCommand, LogoutCommand } = await import('@aws-sdk/client-sso');
    const more = await options();
    return {
      // A new one for each call: the tokens for retries are shared by the calls of one.
      send: async (method) => {
        const client = new SSOClient({ region: 'eu-west-1', endpoint: url(port), ...more() });
        const command = { GET: ListAccountsCommand, POST: LogoutCommand }[method];
        try {
          return (await client.send(new command({ accessToken: 'token' }))).$metadata.httpStatusCode;
        } catch (error) {
          throw Object.assign(error, { status: error.$metadata?.httpStatusCode });
        } finally {
          client.destroy();
        }
      },
    };
  },
});

const octokit = (module, plugin, options) => ({
  module,
  failure: '{"message":"You have exceeded a secondary rate limit"}',
  async make(port) {
    const { Octokit } = await import('@octokit/core');
    const Client = Octokit.plugin((await import(module))[plugin]);
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    return {
      // A new one for each call: the count of retries is shared by the calls of one.
      send: async (method) => (await new Client({ baseUrl: url(port), log, ...options() }).request(`${method} /v1/thing`)).status,
    };
  },
});

let calls = 0;
const again = (after, request, client, retries) => retries < 2;

export const clients = {
  'anthropic-ts': generated('@anthropic-ai/sdk'),
  'async-retry': {
    module: 'async-retry',
    async make() {
      const { default: retry } = await import('async-retry');
      return { send: () => retry(call), mark: () => retry((bail) => call().catch(bail)) };
    },
  },
  'aws-js-v3': amazon('@smithy/core', () => () => ({ retryMode: 'standard' })),
  'aws-js-v3-adaptive': amazon('@smithy/core', () => () => ({ retryMode: 'adaptive' })),
  'aws-js-v3-pre2026': amazon('util-retry-4.2', async () => {
    const { StandardRetryStrategy } = await import('util-retry-4.2');
    return () => ({ retryStrategy: new StandardRetryStrategy(3) });
  }),
  'axios-retry': axios(() => ({})),
  'axios-retry-exp': axios(({ exponentialDelay }) => ({ retryDelay: exponentialDelay })),
  cockatiel: {
    module: 'cockatiel',
    async make() {
      const { retry, handleAll, ExponentialBackoff } = await import('cockatiel');
      return { send: () => retry(handleAll, { backoff: new ExponentialBackoff() }).execute(call) };
    },
  },
  'exponential-backoff': {
    module: 'exponential-backoff',
    async make() {
      const { backOff } = await import('exponential-backoff');
      return { send: () => backOff(call), mark: () => backOff(call, { retry: () => false }) };
    },
  },
  got: got('got'),
  'got-14': got('got-14'),
  ky: ky('ky'),
  'ky-1': ky('ky-1'),
  'node-retry': {
    module: 'retry',
    async make() {
      const { default: retry } = await import('retry');
      const repeat = (again) => new Promise((resolve, reject) => {
        const operation = retry.operation();
        operation.attempt(() => call().then(resolve, (error) => {
          if (!again || !operation.retry(error)) reject(again ? operation.mainError() : error);
        }));
      });
      return { send: () => repeat(true), mark: () => repeat(false) };
    },
  },
  'octokit-retry': octokit('@octokit/plugin-retry', 'retry', () => ({})),
  'octokit-throttling': octokit('@octokit/plugin-throttling', 'throttling', () => ({
    // The queues of one id go on from call to call, and the clock begins anew with each.
    throttle: { id: `${calls++}`, onRateLimit: again, onSecondaryRateLimit: again },
  })),
  'openai-node': generated('openai'),
  'p-retry': {
    module: 'p-retry',
    async make() {
      const { default: retry, AbortError } = await import('p-retry');
      return {
        send: () => retry(call),
        mark: () => retry(() => call().catch((error) => { throw new AbortError(error); })),
      };
    },
  },
  'stripe-node': {
    module: 'stripe',
    async make(port) {
      const { default: Stripe } = await import('stripe');
      const client = new Stripe('key', { host: '127.0.0.1', port, protocol: 'http', telemetry: false });
      return { send: async (method) => (await client.rawRequest(method, '/v1/thing')).lastResponse?.statusCode ?? 200 };
    },
  },
  undici: {
    module: 'undici',
    async make(port) {
      const { Agent, RetryAgent, request } = await import('undici');
      const dispatcher = new RetryAgent(new Agent());
      return {
        send: async (method) => {
          const response = await request(url(port), { dispatcher, method, body: body(method) });
          await response.body.dump();
          return response.statusCode;
        },
      };
    },
  },
};
