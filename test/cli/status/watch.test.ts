import { expect, test } from 'vitest';
import { Interrupted, type LiveIo } from '../../../src/cli/shared/live-io.ts';
import { watchStatus } from '../../../src/cli/status/watch.ts';
import type { StatusLook } from '../../../src/steps/status/look.ts';
import { manualClock } from '../../support/manual-clock.ts';

const look = (at: string, changes: Partial<StatusLook['status']> = {}, more: Partial<StatusLook> = {}): StatusLook => ({
  status: {
    at,
    stage: 'operators',
    api: { state: 'up', since: null, detail: 'v1.31.8' },
    clusterVersion: null,
    operators: [],
    nodes: [],
    requests: { expected: 0, refused: 0, pending: 0 },
    ...changes,
  },
  waits: new Map(),
  troubles: [],
  skew: null,
  past: undefined,
  ...more,
});
const away = (detail: string): StatusLook =>
  look(
    '2026-01-01T00:00:30Z',
    { api: { state: 'away', since: null, detail } },
    {
      troubles: [{ code: 'cluster-refused', title: 'The API refuses', cause: detail, whatToDo: 'wait' }],
    },
  );

/** Watches these looks, one every three seconds, and is then ended by a signal. */
async function watched(looks: readonly StatusLook[], isJson: boolean): Promise<{ code: number; blocks: string[] }> {
  const clock = manualClock(0);
  const signal = new AbortController();
  const blocks: string[] = [];
  const io: LiveIo = {
    stdout: (text) => blocks.push(text),
    stderr: () => undefined,
    env: {},
    cwd: '/',
    ask: null,
    signal: signal.signal,
    hasScreen: false,
    columns: 80,
  };
  const left = [...looks];
  const watching = watchStatus(
    clock,
    async () => {
      const next = left.shift();
      if (next) return next;
      signal.abort(new Interrupted(143));
      return look('never');
    },
    io,
    isJson,
  );
  for (const _ of looks) await clock.advance(3000);
  return { code: await watching, blocks };
}

test('a block is written when something changed, and not because time goes by', async () => {
  const later = look('2026-01-01T00:00:09Z', { requests: { expected: 1, refused: 0, pending: 1 } });
  const looks = [look('2026-01-01T00:00:00Z'), look('2026-01-01T00:00:03Z'), later, look('2026-01-01T00:00:12Z')];
  const { code, blocks } = await watched(looks, false);
  expect(code).toBe(143);
  expect(blocks.map((block) => block.split('\n')[0])).toEqual([
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:09Z',
    '2026-01-01T00:00:12Z',
  ]);
  expect(blocks[1]).toContain('1 pending: 1 expected');
  expect(blocks.every((block) => block.endsWith('\n\n'))).toBe(true);
});

test('an API that goes away is told once, and its return too', async () => {
  const looks = [look('a'), away('ECONNREFUSED 1'), away('ECONNREFUSED 2'), look('b')];
  const { blocks } = await watched(looks, true);
  const documents = blocks.map((block) => JSON.parse(block) as StatusLook['status']);
  expect(documents.map(({ api }) => api.state)).toEqual(['up', 'away', 'up']);
  expect(blocks.every((block) => block.indexOf('\n') === block.length - 1)).toBe(true);
});
