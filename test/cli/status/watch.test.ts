import { expect, test } from 'vitest';
import { InterruptedError, type ProcessIo } from '../../../src/cli/shared/process-io.ts';
import { watchStatus } from '../../../src/cli/status.ts';
import { formatTimeOfDay } from '../../../src/platform/clock.ts';
import type { StatusProbe } from '../../../src/steps/status.ts';
import { manualClock } from '../../support/manual-clock.ts';

const createProbe = (
  at: string,
  changes: Partial<StatusProbe['status']> = {},
  more: Partial<StatusProbe> = {},
): StatusProbe => ({
  status: {
    at,
    stage: 'operators',
    api: { state: 'up', since: null, detail: 'v1.31.8' },
    clusterVersion: null,
    operators: [],
    nodes: [],
    requests: { expected: 0, refused: 0, pending: 0 },
    infraJob: null,
    machines: [],
    ...changes,
  },
  waits: new Map(),
  nodeProblems: [],
  isNotInstalled: false,
  userErrors: [],
  skewWarning: null,
  health: undefined,
  ...more,
});
const createAwayProbe = (detail: string): StatusProbe =>
  createProbe(
    '2026-01-01T00:00:30Z',
    { api: { state: 'away', since: null, detail } },
    {
      userErrors: [{ code: 'cluster-refused', title: 'The API refuses', cause: detail, remedy: 'wait' }],
    },
  );

/** Watches these probes, one every three seconds, until a signal ends it. */
async function runWatch(probes: readonly StatusProbe[], isJson: boolean): Promise<{ code: number; blocks: string[] }> {
  const clock = manualClock(0);
  const signal = new AbortController();
  const blocks: string[] = [];
  const io: ProcessIo = {
    stdout: (text) => blocks.push(text),
    stderr: () => undefined,
    env: {},
    cwd: '/',
    ask: null,
    signal: signal.signal,
    canRedraw: false,
    columns: 80,
  };
  const remaining = [...probes];
  const result = watchStatus(
    clock,
    async () => {
      const next = remaining.shift();
      if (next) return next;
      signal.abort(new InterruptedError(143));
      return createProbe('never');
    },
    io,
    isJson,
  );
  for (const _ of probes) await clock.advance(3000);
  return { code: await result, blocks };
}

test('a time of day has its seconds in local time', () => {
  expect(formatTimeOfDay(new Date(2026, 0, 1, 7, 5, 9).getTime(), 'second')).toBe('07:05:09');
});

test('a block is written when something changed, and not because time passes', async () => {
  const later = createProbe('2026-01-01T00:00:09.250Z', { requests: { expected: 1, refused: 0, pending: 2 } });
  const probes = [
    createProbe('2026-01-01T00:00:00Z'),
    createProbe('2026-01-01T00:00:03.250Z'),
    later,
    createProbe('2026-01-01T00:00:12Z'),
  ];
  const { code, blocks } = await runWatch(probes, false);
  expect(code).toBe(143);
  expect(blocks.map((block) => block.split('\n')[0])).toEqual([
    '2026-01-01T00:00:00Z',
    '2026-01-01T00:00:09Z',
    '2026-01-01T00:00:12Z',
  ]);
  // Later blocks have only the lines that changed. A superseded request needs nothing, and does not count.
  expect(blocks[0]).toMatch(/^Stage {8}operators\nAPI {10}up {2}v1\.31\.8$/m);
  expect(blocks[1]).toBe('2026-01-01T00:00:09Z\nRequests     1 pending: 1 expected, 0 refused\n\n');
  expect(blocks.every((block) => block.endsWith('\n\n'))).toBe(true);
});

test('a row that other rows of its table only indent differently is not written again', async () => {
  const createOperator = (name: string) => ({
    name,
    available: false,
    progressing: true,
    degraded: false,
    since: null,
    message: 'starts',
  });
  const { blocks } = await runWatch(
    [
      createProbe('a', { operators: [createOperator('dns')] }),
      createProbe('b', { operators: [createOperator('dns'), createOperator('kube-apiserver')] }),
    ],
    false,
  );
  expect(blocks[1]).toBe('b\nOperators    0 of 2 are healthy\n  kube-apiserver  not available  starts\n\n');
});

test('a document is written for what changed, not for the times of probes and reports', async () => {
  const createMachineProbe = (at: string, problems: string[]) =>
    createProbe(at, { machines: [{ name: 'm1', at, problems }] });
  const { blocks } = await runWatch(
    [createMachineProbe('a', []), createMachineProbe('b', []), createMachineProbe('c', ['no disk'])],
    true,
  );
  expect(blocks.map((block) => (JSON.parse(block) as StatusProbe['status']).at)).toEqual(['a', 'c', 'never']);
  // The text of a document says nothing of an operator's wait, which has its own age.
  const createWaitProbe = (at: string, waitsFor: string) =>
    createProbe(
      at,
      {},
      { waits: new Map([['dns', { code: 'start', subject: '', waitsFor, isNormal: true, remedy: '' }]]) },
    );
  const waits = await runWatch([createWaitProbe('a', '1 min'), createWaitProbe('b', '2 min')], true);
  expect(waits.blocks).toHaveLength(1);
});

test('an API outage is reported once, and so is its end', async () => {
  const probes = [
    createProbe('a'),
    createAwayProbe('ECONNREFUSED 1'),
    createAwayProbe('ECONNREFUSED 2'),
    createProbe('b'),
  ];
  const { blocks } = await runWatch(probes, true);
  const documents = blocks.map((block) => JSON.parse(block) as StatusProbe['status']);
  expect(documents.map(({ api }) => api.state)).toEqual(['up', 'away', 'up']);
  expect(blocks.every((block) => block.indexOf('\n') === block.length - 1)).toBe(true);
});
