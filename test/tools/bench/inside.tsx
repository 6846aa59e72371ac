// Measurements within one process, bundled as the product is; prints one JSON object of samples.
import '../../support/language.ts';
import { EventEmitter } from 'node:events';
import { Box, render, Text, useInput } from 'ink';
import { type ReactNode, useState } from 'react';
import { stringify } from 'yaml';
import { readRequest } from '../../../src/cluster/csr/request.ts';
import { reviewRequests } from '../../../src/cluster/csr/review-requests.ts';
import { checkDocument, parseDesign } from '../../../src/design/parse.ts';
import { HOUR } from '../../../src/platform/clock.ts';
import { compactOutput } from '../../../src/terminal/output-stream.ts';
import { Table } from '../../../src/ui/components/table.tsx';
import { TerminalStyleProvider } from '../../../src/ui/terminal-style.tsx';
import { createInitialState } from '../../../src/wizard/initial-state.ts';
import { update } from '../../../src/wizard/update.ts';
import { stepState } from '../../screens/views.ts';
import { createClientObject, createKeys, NOW, testDesign } from '../../support/csr-forge.ts';
import { mount } from '../../support/mount.tsx';
import { asReadStream } from '../../support/streams.ts';
import { mountWizard } from '../../support/wizard-app.tsx';
import { biggerDesign } from './designs.ts';

const size = { cols: 120, rows: 40 };
const look = { hasUnicode: true, hasColour: true, canAnimate: false, columns: size.cols, rows: size.rows };
const columns = [
  { id: 'name', title: 'NAME', min: 20 },
  { id: 'state', title: 'STATE', min: 12 },
  { id: 'progress', title: 'PROGRESS', min: 10 },
  { id: 'since', title: 'SINCE', min: 8 },
];
let setAge: (age: number) => void = () => undefined;

/** A live table of 30 rows: one row's progress comes from outside, the selection from keys. */
function LiveTable() {
  const [age, change] = useState(0);
  const [selected, select] = useState(0);
  setAge = change;
  useInput((input) => select((now) => (input === 'j' ? Math.min(29, now + 1) : Math.max(0, now - 1))));
  const rows = Array.from({ length: 30 }, (_, index) => ({
    id: `row${index}`,
    cells: {
      name: `cluster-operator-${index}`,
      state: 'Progressing',
      progress: index === 12 ? `${age % 100} %` : '50 %',
      since: '12:00:00',
    },
  }));
  return (
    <TerminalStyleProvider look={look}>
      <Box height={size.rows}>
        <Table columns={columns} rows={rows} selected={selected} height={32} />
      </Box>
    </TerminalStyleProvider>
  );
}

function Counter() {
  const [count, change] = useState(0);
  useInput(() => change((now) => now + 1));
  return <Text>{`count ${count}`}</Text>;
}

async function keyTimes(): Promise<{ table: number[]; counter: number[] }> {
  const samples = { table: [] as number[], counter: [] as number[] };
  const table = await mount(<LiveTable />, size);
  const counter = await mount(<Counter />, size);
  for (let turn = 0; turn < 250; turn += 1) {
    setAge(turn);
    await table.waitUntilDrawn();
    for (const [name, app] of [
      ['table', table],
      ['counter', counter],
    ] as const) {
      const before = app.bytes();
      const started = performance.now();
      await app.press(Math.floor(turn / 29) % 2 === 0 ? 'j' : 'k');
      const ms = performance.now() - started;
      // The first turns warm up; a key at an end of the table draws nothing and gives no sample.
      if (turn >= 50 && app.bytes() > before) samples[name].push(ms);
    }
  }
  await table.unmount();
  await counter.unmount();
  if (samples.table.length < 150) throw new Error(`only ${samples.table.length} keys were drawn`);
  return samples;
}

/** Bytes that each of 40 one-row updates sends to the terminal. */
async function updateBytes(tree: ReactNode, isIncremental: boolean): Promise<number[]> {
  let bytes = 0;
  const stdout = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns: size.cols,
    rows: size.rows,
    writable: true,
    write(data: string | Uint8Array, encoding?: unknown, callback?: () => void) {
      bytes += Buffer.byteLength(data);
      queueMicrotask(() => (typeof encoding === 'function' ? (encoding as () => void) : callback)?.());
      return true;
    },
  }) as NodeJS.WriteStream;
  const stdin = Object.assign(new EventEmitter(), {
    isTTY: true,
    setRawMode: () => stdin,
    setEncoding: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
    read: () => null,
  });
  const app = render(tree, {
    stdout: isIncremental ? compactOutput(stdout) : stdout,
    stdin: asReadStream(stdin),
    interactive: true,
    alternateScreen: true,
    incrementalRendering: isIncremental,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: 1000,
  });
  const samples: number[] = [];
  for (let turn = 0; turn < 45; turn += 1) {
    await app.waitUntilRenderFlush();
    await new Promise((resolve) => setImmediate(resolve));
    await app.waitUntilRenderFlush();
    const before = bytes;
    setAge(turn + 11);
    await new Promise((resolve) => setImmediate(resolve));
    await app.waitUntilRenderFlush();
    if (turn >= 5) samples.push(bytes - before);
  }
  app.unmount();
  app.cleanup();
  if (samples.some((sample) => sample === 0)) throw new Error('an update drew nothing');
  return samples;
}

function cpuOf(act: () => unknown): number {
  const before = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** CPU ms per call of both, in turn; `times` calls of the reference are one sample, since it is far quicker. */
function inTurn(act: () => unknown, reference: () => unknown, times: number) {
  const samples = { value: [] as number[], reference: [] as number[] };
  for (let turn = 0; turn < 18; turn += 1) {
    const value = cpuOf(act);
    const other = cpuOf(() => {
      for (let count = 0; count < times; count += 1) reference();
    });
    if (turn < 3) continue;
    samples.value.push(value);
    samples.reference.push(other / times);
  }
  return samples;
}

function requests() {
  const design = testDesign();
  const names = design.nodes.filter(({ role }) => role !== 'bootstrap').map(({ name }) => name);
  const objects = Array.from({ length: 400 }, (_, index) =>
    createClientObject({
      name: `csr-${index}`,
      uid: `uid-${index}`,
      node: names[index % names.length] ?? 'w1',
      keys: createKeys(),
    }),
  );
  const text = JSON.stringify(objects);
  const context = { design, nodes: [], now: NOW, bootedSince: null };
  const judged = reviewRequests(objects.map(readRequest), context);
  if (judged.length !== 400) throw new Error(`${judged.length} of 400 requests were judged`);
  return inTurn(
    () => reviewRequests(objects.map(readRequest), context),
    () => JSON.parse(text),
    20,
  );
}

function withoutErrors(problems: readonly { readonly severity: string; readonly message: string }[]) {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(`the design has errors: ${errors[0]?.message}`);
}

function design() {
  const document = biggerDesign(250);
  const yaml = stringify(document);
  const text = JSON.stringify(document);
  withoutErrors(parseDesign(yaml).problems);
  return inTurn(
    () => parseDesign(yaml),
    () => JSON.parse(text),
    50,
  );
}

/** The rules alone, as the wizard applies them at every key. */
function rules() {
  const document = biggerDesign(500);
  const text = JSON.stringify(document);
  withoutErrors(checkDocument(document).problems);
  return inTurn(
    () => checkDocument(document),
    () => JSON.parse(text),
    50,
  );
}

/** Down and up through the node table of the wizard: time and bytes of each key, with 250 nodes and with 10. */
async function nodeTable() {
  const pages = { value: await nodesPage(250), reference: await nodesPage(10) };
  const times = { value: [] as number[], reference: [] as number[] };
  const bytes = { value: [] as number[], reference: [] as number[] };
  for (let turn = 0; turn < 80; turn += 1) {
    for (const name of ['value', 'reference'] as const) {
      const app = pages[name];
      const before = app.bytes();
      const started = performance.now();
      // Within the rows in sight, so that both tables draw the same.
      await app.press(Math.floor(turn / 4) % 2 === 0 ? '\u001b[B' : '\u001b[A');
      if (turn < 20) continue;
      times[name].push(performance.now() - started);
      bytes[name].push(app.bytes() - before);
    }
  }
  await pages.value.unmount();
  await pages.reference.unmount();
  return { times, bytes };
}

async function nodesPage(count: number) {
  const { document } = parseDesign(stringify(biggerDesign(count)));
  const initial = createInitialState({
    dir: '/d',
    document,
    now: NOW,
    isResumed: false,
    rehearsal: null,
    reached: 'welcome',
  });
  return await mountWizard(update(initial, { type: 'screen/go', screen: 'nodes' }).state);
}

/** Real ms that a waiting screen is watched, and how often it hears of the time. */
const WATCHED = 30_000;
const TICK = 5000;

/** The bytes in an hour of a screen whose step has waited for a while: its sign turns, its ages grow, nothing happens. */
async function waitingScreen(): Promise<number> {
  const begun = NOW - HOUR;
  const state = { ...stepState('operators', 'waiting'), now: NOW };
  const waiting = { ...state.runs.operators, appliedAt: begun };
  const runs = { ...state.runs, operators: waiting.phase === 'watching' ? waiting : state.runs.operators };
  // A wide window has the help beside the list.
  const apps = await Promise.all(
    [{}, { cols: 200, rows: 45 }].map((size) =>
      mountWizard({ ...state, runs, begunAt: begun }, { style: { canAnimate: true }, ...size }),
    ),
  );
  const sent = async () => {
    await Promise.all(apps.map((app) => app.waitUntilDrawn()));
    return apps.map((app) => app.bytes());
  };
  const before = await sent();
  for (let passed = TICK; passed <= WATCHED; passed += TICK) {
    await new Promise((resolve) => setTimeout(resolve, TICK));
    for (const app of apps) app.store.dispatch({ type: 'clock/ticked', now: NOW + passed });
  }
  const bytes = (await sent()).map((sum, index) => sum - (before[index] ?? 0));
  for (const app of apps) await app.unmount();
  return (Math.max(...bytes) * HOUR) / WATCHED;
}

const JOBS: Record<string, () => unknown> = {
  key: keyTimes,
  bytes: async () => ({
    value: await updateBytes(<LiveTable />, true),
    reference: await updateBytes(<LiveTable />, false),
  }),
  requests,
  design,
  rules,
  nodes: nodeTable,
  waiting: waitingScreen,
};
const job = JOBS[process.argv[2] ?? ''];
if (!job) throw new Error(`no job ${process.argv[2]}`);
process.stdout.write(`${JSON.stringify(await job())}\n`);
process.exit(0);
