// Measurements within one process, bundled like the product. Prints one JSON object of samples.
import '../../support/language.ts';
import { EventEmitter } from 'node:events';
import { Box, render, Text, useInput } from 'ink';
import { type ReactNode, useState } from 'react';
import { stringify } from 'yaml';
import { reviewRequests } from '../../../src/csr/review-requests.ts';
import { checkDocument, parseDesign } from '../../../src/design/parse.ts';
import { parseCertificateRequest } from '../../../src/openshift/certificate-request.ts';
import { HOUR } from '../../../src/platform/clock.ts';
import { layOutTable } from '../../../src/rows/table.ts';
import { compactOutput } from '../../../src/terminal/output-stream.ts';
import { DrawnRows } from '../../../src/ui/rows.tsx';
import { TerminalStyleProvider } from '../../../src/ui/terminal-style.tsx';
import { createInitialState } from '../../../src/wizard/initial-state.ts';
import { update } from '../../../src/wizard/update.ts';
import { stepState } from '../../screens/views.ts';
import { createClientObject, createKeys, NOW, testDesign } from '../../support/csr-forge.ts';
import { mount } from '../../support/mount.tsx';
import { asReadStream } from '../../support/streams.ts';
import { mountWizard } from '../../support/wizard-app.tsx';
import { createLargeDesign } from './designs.ts';

const size = { cols: 120, rows: 40 };
const terminalStyle = { hasUnicode: true, hasColour: true, canAnimate: false, columns: size.cols, rows: size.rows };
const columns = [
  { id: 'name', title: 'NAME', minWidth: 20 },
  { id: 'state', title: 'STATE', minWidth: 12 },
  { id: 'progress', title: 'PROGRESS', minWidth: 10 },
  { id: 'since', title: 'SINCE', minWidth: 8 },
];
let setAge: (age: number) => void = () => undefined;

/** Renders a live table of 30 rows. The progress of one row changes from outside, the selection by keys. */
function LiveTable() {
  const [age, change] = useState(0);
  const [selectedIndex, select] = useState(0);
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
    <TerminalStyleProvider style={terminalStyle}>
      <Box height={size.rows}>
        <DrawnRows
          draw={(terminal) =>
            layOutTable({ columns, rows, selectedIndex }, { ...terminal, terminalColumns: terminal.columns }).draw(32)
          }
        />
      </Box>
    </TerminalStyleProvider>
  );
}

function Counter() {
  const [count, change] = useState(0);
  useInput(() => change((now) => now + 1));
  return <Text>{`count ${count}`}</Text>;
}

async function measureKeyTimes(): Promise<{ table: number[]; counter: number[] }> {
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
      // The first turns warm up. A key at an end of the table draws nothing and gives no sample.
      if (turn >= 50 && app.bytes() > before) samples[name].push(ms);
    }
  }
  await table.unmount();
  await counter.unmount();
  if (samples.table.length < 150) throw new Error(`only ${samples.table.length} keys were drawn`);
  return samples;
}

/** Returns the bytes that each of 40 one-row updates sends to the terminal. */
async function measureUpdateBytes(tree: ReactNode, isIncremental: boolean): Promise<number[]> {
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
    stdout: isIncremental ? compactOutput(stdout).stream : stdout,
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

function measureCpu(action: () => unknown): number {
  const before = process.cpuUsage();
  action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Samples the CPU time of both alternately (ms per call). One sample of the reference is `times` calls, because it is
 * much faster.
 */
function sampleAlternately(action: () => unknown, reference: () => unknown, times: number) {
  const samples = { value: [] as number[], reference: [] as number[] };
  for (let turn = 0; turn < 18; turn += 1) {
    const value = measureCpu(action);
    const other = measureCpu(() => {
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
  const context = { design, nodes: [], now: NOW, firstPowerOnAt: null };
  const verdicts = reviewRequests(objects.map(parseCertificateRequest), context);
  if (verdicts.length !== 400) throw new Error(`${verdicts.length} of 400 requests were judged`);
  return sampleAlternately(
    () => reviewRequests(objects.map(parseCertificateRequest), context),
    () => JSON.parse(text),
    20,
  );
}

function assertNoErrors(problems: readonly { readonly severity: string; readonly message: string }[]) {
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(`the design has errors: ${errors[0]?.message}`);
}

function design() {
  const document = createLargeDesign(250);
  const yaml = stringify(document);
  const text = JSON.stringify(document);
  assertNoErrors(parseDesign(yaml).problems);
  return sampleAlternately(
    () => parseDesign(yaml),
    () => JSON.parse(text),
    50,
  );
}

/** Measures the rules alone, which the wizard applies after every key. */
function rules() {
  const document = createLargeDesign(500);
  const text = JSON.stringify(document);
  assertNoErrors(checkDocument(document).problems);
  return sampleAlternately(
    () => checkDocument(document),
    () => JSON.parse(text),
    50,
  );
}

/** Moves down and up through the node table of the wizard: time and bytes of each key, with 250 nodes and with 10. */
async function measureNodeTable() {
  const pages = { value: await mountNodesPage(250), reference: await mountNodesPage(10) };
  const times = { value: [] as number[], reference: [] as number[] };
  const bytes = { value: [] as number[], reference: [] as number[] };
  for (let turn = 0; turn < 80; turn += 1) {
    for (const name of ['value', 'reference'] as const) {
      const app = pages[name];
      const before = app.bytes();
      const started = performance.now();
      // Stays within the visible rows, so that both tables draw the same.
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

async function mountNodesPage(count: number) {
  const { document } = parseDesign(stringify(createLargeDesign(count)));
  const initial = createInitialState({
    dir: '/d',
    document,
    now: NOW,
    isResumed: false,
    rehearsal: null,
    furthestScreen: 'welcome',
  });
  return await mountWizard(update(initial, { type: 'screen/go', screen: 'nodes' }).state);
}

/** Real time (ms) for which a waiting screen is observed, and the interval of its clock. */
const WATCH_MS = 30_000;
const TICK_MS = 5000;

/**
 * Measures the bytes that a waiting screen sends in an hour: its spinner turns and its ages grow, nothing else changes.
 */
async function measureWaitingScreen(): Promise<number> {
  const startTime = NOW - HOUR;
  const state = { ...stepState('operators', 'waiting'), now: NOW };
  const waiting = { ...state.runs.operators, appliedAt: startTime };
  const runs = { ...state.runs, operators: waiting.phase === 'watching' ? waiting : state.runs.operators };
  // A wide window shows the help next to the list.
  const apps = await Promise.all(
    [{}, { cols: 200, rows: 45 }].map((size) =>
      mountWizard({ ...state, runs, firstPowerOnAt: startTime }, { style: { canAnimate: true }, ...size }),
    ),
  );
  const countBytes = async () => {
    await Promise.all(apps.map((app) => app.waitUntilDrawn()));
    return apps.map((app) => app.bytes());
  };
  const before = await countBytes();
  for (let elapsed = TICK_MS; elapsed <= WATCH_MS; elapsed += TICK_MS) {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    for (const app of apps) app.store.dispatch({ type: 'clock/ticked', now: NOW + elapsed });
  }
  const bytes = (await countBytes()).map((sum, index) => sum - (before[index] ?? 0));
  for (const app of apps) await app.unmount();
  return (Math.max(...bytes) * HOUR) / WATCH_MS;
}

const JOBS: Record<string, () => unknown> = {
  key: measureKeyTimes,
  bytes: async () => ({
    value: await measureUpdateBytes(<LiveTable />, true),
    reference: await measureUpdateBytes(<LiveTable />, false),
  }),
  requests,
  design,
  rules,
  nodes: measureNodeTable,
  waiting: measureWaitingScreen,
};
const job = JOBS[process.argv[2] ?? ''];
if (!job) throw new Error(`no job ${process.argv[2]}`);
process.stdout.write(`${JSON.stringify(await job())}\n`);
process.exit(0);
