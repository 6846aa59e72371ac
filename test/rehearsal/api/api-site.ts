import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { kindsByKey } from '../../../src/rehearsal/api/kinds.ts';
import { decodeWithSchema } from '../../../src/rehearsal/api/schema.ts';
import { createApiHandler } from '../../../src/rehearsal/api/server.ts';
import { createStore, type Store } from '../../../src/rehearsal/api/store.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';

interface ApiReply {
  readonly code: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server says is what a test looks into
  readonly body: any;
}

export interface ApiSite {
  readonly store: Store;
  readonly clock: ManualClock;
  /** Whether an administrator sends the next requests. */
  isAdministrator: boolean;
  isReady: boolean;
  readonly url: string;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiReply>;
  close(): void;
}

/** Serves the simulated API over plain HTTP, for tests of everything but TLS. */
export async function startApiSite(): Promise<ApiSite> {
  const clock = manualClock(Date.UTC(2026, 0, 2, 3, 4, 5));
  const store = createStore({ now: clock.now });
  store.create('namespaces', { metadata: { name: 'default' }, status: { phase: 'Active' } });
  const handler = createApiHandler({
    store,
    clock,
    gitVersion: 'v1.31.6',
    isAdministrator: () => site.isAdministrator,
    isReady: () => site.isReady,
  });
  const server: Server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const site: ApiSite = {
    store,
    clock,
    isAdministrator: true,
    isReady: true,
    url,
    async send(method, path, body, headers = {}) {
      const isText = typeof body === 'string';
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type') === 'application/json';
      return { code: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return site;
}

/**
 * Lists the fields of stored objects that do not fit the schema of their kind. A client's patch of such an object would
 * drop or refuse them.
 */
export function findSchemaViolations(store: Store): string[] {
  return [...kindsByKey].flatMap(([resource, { schema }]) =>
    store.list(resource).flatMap((object) => {
      const { unknownFields, problems } = decodeWithSchema(schema, object);
      const found = [...unknownFields, ...problems.map(({ field, text }) => `${field}: ${text}`)];
      return found.map((text) => `${resource} ${object.metadata.name}: ${text}`);
    }),
  );
}
