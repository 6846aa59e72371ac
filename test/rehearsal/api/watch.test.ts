import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../../src/platform/clock.ts';
import { createChangeHistory, createStore } from '../../../src/rehearsal/api/store.ts';
import { type ApiSite, startApiSite } from './api-site.ts';

interface WatchEvent {
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server says is what a test looks into
  readonly object: any;
}

let site: ApiSite;
beforeEach(async () => {
  site = await startApiSite();
});
afterEach(() => site.close());

/** Opens a watch. `seen` grows while it runs; `isOver` is true once the server ended it. */
async function watch(query: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${site.url}/api/v1/nodes?watch=true&${query}`, { headers });
  const state = { seen: [] as WatchEvent[], isOver: false, code: response.status };
  const read = async () => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      state.seen.push(...lines.map((line) => JSON.parse(line) as WatchEvent));
    }
    state.isOver = true;
  };
  read().catch(() => {
    state.isOver = true;
  });
  return state;
}

const listEvents = ({ seen }: { seen: WatchEvent[] }) =>
  seen.map(({ type, object }) => `${type} ${object.metadata.name}`);
const label = (name: string, value: string) =>
  site.store.mutate('nodes', null, name, ({ metadata }) => {
    metadata.labels = { a: value };
  });

describe('watch', () => {
  test('sends the existing objects, then the changes', async () => {
    site.store.create('nodes', { metadata: { name: 'w1' } });
    const events = await watch('');
    label('w1', '1');
    site.store.create('pods', { metadata: { name: 'other', namespace: 'default' } });
    site.store.delete('nodes', null, 'w1');
    await expect.poll(() => listEvents(events)).toEqual(['ADDED w1', 'MODIFIED w1', 'DELETED w1']);
    expect(events.seen[2]?.object).toMatchObject({ kind: 'Node', metadata: { labels: { a: '1' } } });
  });

  test('continues from a resource version', async () => {
    site.store.create('nodes', { metadata: { name: 'w1' } });
    const version = site.store.getCurrentVersion();
    site.store.create('nodes', { metadata: { name: 'w2' } });
    const events = await watch(`resourceVersion=${version}`);
    label('w1', '1');
    await expect.poll(() => listEvents(events)).toEqual(['ADDED w2', 'MODIFIED w1']);
  });

  test('objects come into the view of a selector and leave it', async () => {
    site.store.create('nodes', { metadata: { name: 'w1' } });
    const events = await watch(`labelSelector=a%3D1&resourceVersion=${site.store.getCurrentVersion()}`);
    label('w1', '1');
    label('w1', '2');
    label('w1', '3');
    label('w1', '1');
    await expect.poll(() => listEvents(events)).toEqual(['ADDED w1', 'DELETED w1', 'ADDED w1']);
  });

  test('an expired version is an ERROR in the stream', async () => {
    site.store.load({ version: 5000, objects: {} });
    const events = await watch('resourceVersion=7');
    await expect.poll(() => events.isOver).toBe(true);
    expect(events.code).toBe(200);
    expect(events.seen).toMatchObject([
      {
        type: 'ERROR',
        object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 7 (5000)' },
      },
    ]);
    expect((await watch('resourceVersion=90000')).code).toBe(504);
    expect((await watch('resourceVersion=x')).code).toBe(400);
  });

  test('ends after its time on the clock of the site', async () => {
    const events = await watch('timeoutSeconds=30');
    await site.clock.advance(29 * SECOND);
    expect(events.isOver).toBe(false);
    await site.clock.advance(SECOND);
    await expect.poll(() => events.isOver).toBe(true);
  });

  test('sends bookmarks when asked', async () => {
    const events = await watch('allowWatchBookmarks=true');
    await site.clock.advance(MINUTE);
    await expect.poll(() => events.seen.length).toBeGreaterThan(0);
    expect(events.seen[0]).toEqual({
      type: 'BOOKMARK',
      object: { kind: 'Node', apiVersion: 'v1', metadata: { resourceVersion: '1' } },
    });
  });

  test('sends tables, the columns once', async () => {
    const events = await watch('', { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    site.store.create('nodes', { metadata: { name: 'w1' } });
    label('w1', '1');
    await expect.poll(() => events.seen.length).toBe(2);
    expect(events.seen.map(({ object }) => object.columnDefinitions.length > 0)).toEqual([true, false]);
    expect(events.seen[0]?.object.rows[0].cells[0]).toBe('w1');
  });
});

test('the history is bounded', () => {
  const store = createStore({ now: () => 0 });
  const history = createChangeHistory(store, 10);
  store.create('nodes', { metadata: { name: 'w1' } });
  for (let i = 0; i < 30; i += 1) {
    store.mutate('nodes', null, 'w1', ({ metadata }) => {
      metadata.labels = { a: String(i) };
    });
  }
  expect(history.listSince(1)).toBeNull();
  expect(history.listSince(30)).toHaveLength(1);
  expect(history.listSince(31)).toEqual([]);
});
