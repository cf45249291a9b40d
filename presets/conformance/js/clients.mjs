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

export const clients = {
  'anthropic-ts': generated('@anthropic-ai/sdk'),
  'async-retry': {
    module: 'async-retry',
    async make() {
      const { default: retry } = await import('async-retry');
      return { send: () => retry(call), mark: () => retry((bail) => call().catch(bail)) };
    },
  },
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
  'octokit-retry': {
    module: '@octokit/plugin-retry',
    async make(port) {
      const { Octokit } = await import('@octokit/core');
      const { retry } = await import('@octokit/plugin-retry');
      const log = { debug() {}, info() {}, warn() {}, error() {} };
      const Client = Octokit.plugin(retry);
      return {
        // A new one for each call: the count of retries is shared by the calls of one.
        send: async (method) => (await new Client({ baseUrl: url(port), log }).request(`${method} /v1/thing`)).status,
      };
    },
  },
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
