// Measures the program against a named reference in the same run, in turn, after warm-ups. Usage: bench.ts [--list]
// [NAME...] Other work on the machine only ever adds time, so we compare the minimum; medians are beside it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type InputOptions } from 'rolldown';
import { exampleCredentials } from '../support/example-credentials.ts';
import { approvals } from './bench/approvals.ts';
import { idleRow, infraRow, pollingRow, statusRow } from './bench/live.ts';
import { type Start, toTheEnd, untilDrawn } from './bench/processes.ts';
import { rehearsal } from './bench/rehearsals.ts';
import { formatTable, type Line, spreadOf } from './bench/statistics.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const program = join(root, 'bin', 'upi-wizard.js');
const here = mkdtempSync(join(tmpdir(), 'upi-wizard-bench-'));
const WARM_UPS = 2;
const RUNS = 9;
const SETTLE_MS = 3000;

/** Bundles as bin/build.js does, into one file. */
async function bundled(file: string): Promise<string> {
  const outfile = join(here, `${file.replace(/\..*/, '')}.mjs`);
  const { bundling } = (await import(new URL('../../bin/build.js', import.meta.url).href)) as {
    bundling: InputOptions;
  };
  await build({
    ...bundling,
    input: `test/tools/bench/${file}`,
    output: { file: outfile, codeSplitting: false, minify: true, keepNames: true },
  });
  return outfile;
}

/** The reference program starts as ours does: with Node's compile cache. */
async function hello(): Promise<string> {
  const main = join(here, 'hello-main.mjs');
  const target = pathToFileURL(await bundled('hello.tsx')).href;
  writeFileSync(
    main,
    `import { enableCompileCache } from 'node:module';\nenableCompileCache();\nawait import('${target}');\n`,
  );
  return main;
}

let count = 0;
function emptyDirectory(): string {
  count += 1;
  const dir = join(here, `dir${count}`);
  mkdirSync(dir);
  return dir;
}

async function inTurn<T>(value: () => T | Promise<T>, reference: () => T | Promise<T>, runs = RUNS) {
  const samples = { value: [] as T[], reference: [] as T[] };
  for (let run = 0; run < WARM_UPS + runs; run += 1) {
    const [one, other] = [await value(), await reference()];
    if (run < WARM_UPS) continue;
    samples.value.push(one);
    samples.reference.push(other);
  }
  return samples;
}

type Samples = { readonly value: readonly number[]; readonly reference: readonly number[] };

function compared(
  row: string,
  unit: string,
  what: string,
  samples: Samples,
  ...at: ('min' | 'median' | 'p95')[]
): Line[] {
  const [value, reference] = [spreadOf(samples.value), spreadOf(samples.reference)];
  return at.map((key) => ({
    row: `${row} ${key}`,
    unit,
    value: value[key],
    reference: { what, value: reference[key] },
  }));
}

const withTarget = (lines: readonly Line[], target: NonNullable<Line['target']>): Line[] =>
  lines.map((line, index) => (index === 0 ? { ...line, target } : line));

const picked = <T>(samples: { value: T[]; reference: T[] }, key: keyof T): Samples => ({
  value: samples.value.map((sample) => Number(sample[key])),
  reference: samples.reference.map((sample) => Number(sample[key])),
});

async function starts(settleMs: number, runs: number): Promise<{ value: Start[]; reference: Start[] }> {
  const reference = await hello();
  const home = emptyDirectory();
  const places = () => ({ cwd: emptyDirectory(), home });
  return await inTurn(
    () => untilDrawn([program], 'Welcome', places(), settleMs),
    () => untilDrawn([reference], 'hello from ink', places(), settleMs),
    runs,
  );
}

let insideProgram: Promise<string> | null = null;
async function inside<T>(job: string): Promise<T> {
  insideProgram ??= bundled('inside.tsx');
  return JSON.parse(execFileSync(process.execPath, [await insideProgram, job], { encoding: 'utf8' })) as T;
}

const ROWS: Record<string, () => Promise<Line[]>> = {
  async 'first-frame'() {
    const samples = await starts(0, RUNS);
    return [
      ...withTarget(compared('first frame, CPU', 'ms', 'ink hello', picked(samples, 'cpuMs'), 'min', 'median'), {
        of: 'ratio',
        most: 1.35,
      }),
      ...compared('first frame, wall', 'ms', 'ink hello', picked(samples, 'wallMs'), 'min', 'median'),
    ];
  },
  async version() {
    const samples = await inTurn(
      () => toTheEnd([program, '--version']),
      () => toTheEnd(['-e', '0']),
      15,
    );
    return [
      ...withTarget(compared('--version, CPU', 'ms', 'node -e 0', picked(samples, 'cpuMs'), 'min', 'median'), {
        of: 'ratio',
        most: 2,
      }),
      ...compared('--version, wall', 'ms', 'node -e 0', picked(samples, 'wallMs'), 'min', 'median'),
    ];
  },
  async key() {
    const { table, counter } = await inside<{ table: number[]; counter: number[] }>('key');
    const samples = { value: table, reference: counter };
    return compared('key to frame, live table of 30', 'ms', 'ink counter', samples, 'median', 'p95');
  },
  async bytes() {
    const samples = await inside<Samples>('bytes');
    return withTarget(compared('one-row update of 30', 'B', 'plain rendering', samples, 'median', 'p95'), {
      of: 'value',
      most: 120,
    });
  },
  async waiting() {
    const value = (await inside<number>('waiting')) / 1e6;
    return [{ row: 'waiting live screen, bytes per hour', unit: 'MB', value, target: { of: 'value', most: 0.2 } }];
  },
  async nodes() {
    const { times, bytes } = await inside<{ times: Samples; bytes: Samples }>('nodes');
    return [
      ...compared('key in a node table of 250', 'ms', 'one of 10', times, 'median', 'p95'),
      ...withTarget(compared('its bytes', 'B', 'one of 10', bytes, 'median', 'p95'), { of: 'ratio', most: 1.1 }),
    ];
  },
  async memory() {
    const samples = await starts(SETTLE_MS, 3);
    return compared('memory on the welcome screen', 'MiB', 'ink hello', picked(samples, 'rssMiB'), 'min', 'median');
  },
  'rehearsal-10': () => rehearsed('rehearsal of 10 nodes', 'example', 600),
  async 'rehearsal-20'() {
    const { stringify } = await import('yaml');
    const { biggerDesign } = await import('./bench/designs.ts');
    const file = join(emptyDirectory(), 'design.yaml');
    writeFileSync(file, stringify(biggerDesign(20)));
    return await rehearsed('rehearsal of 20 nodes', file, 180);
  },
  'generate-10': () => generated(10),
  'generate-100': () => generated(100),
  'generate-250': () => generated(250),
  'generate-500': () => generated(500),
  async 'csr-approve'() {
    const samples = await approvals(program, bundled, emptyDirectory());
    const row = 'approving 400 requests, first PUT to last';
    return [
      ...withTarget(compared(row, 'ms', 'bare PUTs', samples, 'min', 'median'), { of: 'ratio', most: 1.5 }),
      { row: 'requests under way at a time, most', value: samples.most, unit: '', target: { of: 'value', most: 8 } },
    ];
  },
  async 'csr-judge'() {
    return compared('judging 400 requests, CPU', 'ms', 'JSON.parse', await inside('requests'), 'min', 'median');
  },
  status: () => statusRow(program, bundled, emptyDirectory()),
  infra: () => infraRow(program, bundled, emptyDirectory()),
  'hour-of-polling': () => pollingRow(bundled, emptyDirectory()),
  'idle-screen': () => idleRow(program, bundled, emptyDirectory()),
  async design() {
    const read = await inside<Samples>('design');
    const judged = await inside<Samples>('rules');
    return [
      ...compared('reading and judging a design of 250, CPU', 'ms', 'JSON.parse', read, 'min', 'median'),
      ...withTarget(compared('judging a design of 500, CPU', 'ms', 'JSON.parse', judged, 'min', 'median'), {
        of: 'value',
        most: 50,
      }),
    ];
  },
};

/**
 * All files of a site with that many nodes, from a cold start into an empty directory, against the start of the program
 * alone: the difference is reading, judging, generating and writing. For comparison only: helpernode's templates, run
 * by ansible-core 2.19 on another machine, took 8.4 s for 3 workers and 105 s for 250.
 */
async function generated(count: number): Promise<Line[]> {
  const { stringify } = await import('yaml');
  const { biggerDesign } = await import('./bench/designs.ts');
  const dir = emptyDirectory();
  const design = join(dir, 'design.yaml');
  const text = stringify(biggerDesign(count))
    .replace(/pullSecretFile: .*/, 'pullSecretFile: ./pull-secret.txt')
    .replace(/sshKeyFile: .*/, 'sshKeyFile: ./id.pub');
  writeFileSync(design, text);
  writeFileSync(join(dir, 'pull-secret.txt'), exampleCredentials.pullSecret);
  writeFileSync(join(dir, 'id.pub'), exampleCredentials.sshKey);
  const samples = await inTurn(
    () => toTheEnd([program, 'generate', design, '--out', emptyDirectory()]),
    () => toTheEnd([program, '--version']),
    5,
  );
  const row = `generating for ${count} nodes`;
  return [
    ...withTarget(compared(`${row}, wall`, 'ms', '--version', picked(samples, 'wallMs'), 'min', 'median'), {
      of: 'value',
      most: 2000,
    }),
    ...compared(`${row}, CPU`, 'ms', '--version', picked(samples, 'cpuMs'), 'min'),
  ];
}

async function rehearsed(row: string, answers: string, mostSeconds: number): Promise<Line[]> {
  const { seconds, siteMiB } = await rehearsal(program, emptyDirectory(), answers);
  return [
    { row: `${row}, wall`, value: seconds, unit: 's', target: { of: 'value', most: mostSeconds } },
    { row: `${row}, site's peak memory`, value: siteMiB, unit: 'MiB', target: { of: 'value', most: 150 } },
  ];
}

async function main(names: readonly string[]): Promise<number> {
  if (names.includes('--list')) {
    process.stdout.write(`${Object.keys(ROWS).join('\n')}\n`);
    return 0;
  }
  const unknown = names.filter((name) => !(name in ROWS));
  if (unknown.length > 0) {
    process.stderr.write(`No row ${unknown.join(', ')}; there are: ${Object.keys(ROWS).join(', ')}.\n`);
    return 2;
  }
  const lines: Line[] = [];
  let failures = 0;
  for (const [name, measure] of Object.entries(ROWS)) {
    if (names.length > 0 && !names.includes(name)) continue;
    process.stderr.write(`${name} ...\n`);
    try {
      lines.push(...(await measure()));
    } catch (error) {
      failures += 1;
      process.stderr.write(`${name} could not be measured: ${(error as Error).message}\n`);
    }
  }
  process.stdout.write(`${formatTable(lines)}\n`);
  return failures === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} finally {
  rmSync(here, { recursive: true, force: true });
}
