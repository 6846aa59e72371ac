// Measures the program against a named reference in the same run, alternately, after warm-ups. Usage: bench.ts [--list]
// [NAME...] Other work on the machine only ever adds time. The comparison therefore uses the minimum; medians are shown
// next to it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type InputOptions } from 'rolldown';
import { exampleCredentials } from '../support/example-credentials.ts';
import { measureApprovals } from './bench/approvals.ts';
import { measureIdleScreen, measureInfra, measurePolling, measureStatus } from './bench/live.ts';
import { emptyPageCache, unpackProgram } from './bench/package.ts';
import { type ProcessUsage, runToEnd, runUntilDrawn } from './bench/processes.ts';
import { runRehearsal } from './bench/rehearsals.ts';
import { computeSpread, formatTable, type ResultLine } from './bench/statistics.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const program = join(root, 'bin', 'upi-wizard.js');
const workDir = mkdtempSync(join(tmpdir(), 'upi-wizard-bench-'));
const WARM_UPS = 2;
const RUNS = 9;
const SETTLE_MS = 3000;

/**
 * Bundles a file of `bench/` as bin/build.js does.
 * @param isSplit into chunks, as the program: it loads what it imports on demand only then. Otherwise into one file
 */
async function bundleFile(file: string, isSplit = false): Promise<string> {
  const name = file.replace(/\..*/, '');
  const [dir, outfile] = [join(workDir, name), join(workDir, `${name}.mjs`)];
  const { bundlerOptions } = (await import(new URL('../../bin/build.js', import.meta.url).href)) as {
    bundlerOptions: InputOptions;
  };
  await build({
    ...bundlerOptions,
    input: `test/tools/bench/${file}`,
    output: {
      minify: true,
      keepNames: true,
      ...(isSplit
        ? { dir, charset: 'ascii', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' }
        : { file: outfile, codeSplitting: false }),
    },
  });
  return isSplit ? join(dir, `${name}.mjs`) : outfile;
}

/** Prepares the reference program. Like ours, it starts with the compile cache of Node.js. */
async function prepareHello(): Promise<string> {
  const main = join(workDir, 'hello-main.mjs');
  const target = pathToFileURL(await bundleFile('hello.tsx')).href;
  writeFileSync(
    main,
    `import { enableCompileCache } from 'node:module';\nenableCompileCache();\nawait import('${target}');\n`,
  );
  return main;
}

let count = 0;
function createDirectory(): string {
  count += 1;
  const dir = join(workDir, `dir${count}`);
  mkdirSync(dir);
  return dir;
}

async function sampleAlternately<T>(value: () => T | Promise<T>, reference: () => T | Promise<T>, runs = RUNS) {
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

function compareSamples(
  row: string,
  unit: string,
  what: string,
  samples: Samples,
  ...keys: ('min' | 'median' | 'p95')[]
): ResultLine[] {
  const [value, reference] = [computeSpread(samples.value), computeSpread(samples.reference)];
  return keys.map((key) => ({
    row: `${row} ${key}`,
    unit,
    value: value[key],
    reference: { what, value: reference[key] },
  }));
}

const withTarget = (lines: readonly ResultLine[], target: NonNullable<ResultLine['target']>): ResultLine[] =>
  lines.map((line, index) => (index === 0 ? { ...line, target } : line));

const pickSamples = <T>(samples: { value: T[]; reference: T[] }, key: keyof T): Samples => ({
  value: samples.value.map((sample) => Number(sample[key])),
  reference: samples.reference.map((sample) => Number(sample[key])),
});

async function measureStarts(
  settleMs: number,
  runs: number,
): Promise<{ value: ProcessUsage[]; reference: ProcessUsage[] }> {
  const reference = await prepareHello();
  const home = createDirectory();
  const createDirs = () => ({ cwd: createDirectory(), home });
  return await sampleAlternately(
    () => runUntilDrawn([program], 'Welcome', createDirs(), settleMs),
    () => runUntilDrawn([reference], 'hello from ink', createDirs(), settleMs),
    runs,
  );
}

let insideProgram: Promise<string> | null = null;
async function runInsideJob<T>(job: string): Promise<T> {
  insideProgram ??= bundleFile('inside.tsx');
  return JSON.parse(execFileSync(process.execPath, [await insideProgram, job], { encoding: 'utf8' })) as T;
}

const ROWS: Record<string, () => Promise<ResultLine[]>> = {
  async 'first-frame'() {
    const samples = await measureStarts(0, RUNS);
    return [
      ...withTarget(
        compareSamples('first frame, CPU', 'ms', 'ink hello', pickSamples(samples, 'cpuMs'), 'min', 'median'),
        {
          of: 'ratio',
          most: 1.35,
        },
      ),
      ...compareSamples('first frame, wall', 'ms', 'ink hello', pickSamples(samples, 'wallMs'), 'min', 'median'),
    ];
  },
  async version() {
    const samples = await sampleAlternately(
      () => runToEnd([program, '--version']),
      () => runToEnd(['-e', '0']),
      15,
    );
    return [
      ...withTarget(
        compareSamples('--version, CPU', 'ms', 'node -e 0', pickSamples(samples, 'cpuMs'), 'min', 'median'),
        {
          of: 'ratio',
          most: 2,
        },
      ),
      ...compareSamples('--version, wall', 'ms', 'node -e 0', pickSamples(samples, 'wallMs'), 'min', 'median'),
    ];
  },
  package: () => measurePackage(unpackProgram(createDirectory())),
  async key() {
    const { table, counter } = await runInsideJob<{ table: number[]; counter: number[] }>('key');
    const samples = { value: table, reference: counter };
    return compareSamples('key to frame, live table of 30', 'ms', 'ink counter', samples, 'median', 'p95');
  },
  async bytes() {
    const samples = await runInsideJob<Samples>('bytes');
    return withTarget(compareSamples('one-row update of 30', 'B', 'plain rendering', samples, 'median', 'p95'), {
      of: 'value',
      most: 60,
    });
  },
  async waiting() {
    const value = (await runInsideJob<number>('waiting')) / 1e6;
    return [{ row: 'waiting live screen, bytes per hour', unit: 'MB', value, target: { of: 'value', most: 0.2 } }];
  },
  async nodes() {
    const { times, bytes } = await runInsideJob<{ times: Samples; bytes: Samples }>('nodes');
    return [
      ...compareSamples('key in a node table of 250', 'ms', 'one of 10', times, 'median', 'p95'),
      ...withTarget(compareSamples('its bytes', 'B', 'one of 10', bytes, 'median', 'p95'), { of: 'ratio', most: 1.1 }),
    ];
  },
  async memory() {
    const samples = await measureStarts(SETTLE_MS, 3);
    return compareSamples(
      'memory on the welcome screen',
      'MiB',
      'ink hello',
      pickSamples(samples, 'rssMiB'),
      'min',
      'median',
    );
  },
  'rehearsal-10': () => measureRehearsal('rehearsal of 10 nodes', 'example', 600),
  async 'rehearsal-20'() {
    const { stringify } = await import('yaml');
    const { createLargeDesign } = await import('./bench/designs.ts');
    const file = join(createDirectory(), 'design.yaml');
    writeFileSync(file, stringify(createLargeDesign(20)));
    return await measureRehearsal('rehearsal of 20 nodes', file, 180);
  },
  'generate-10': () => measureGenerate(10),
  'generate-100': () => measureGenerate(100),
  'generate-250': () => measureGenerate(250),
  'generate-500': () => measureGenerate(500),
  async 'csr-approve'() {
    const samples = await measureApprovals(program, bundleFile, createDirectory());
    const row = 'approving 400 requests, first PUT to last';
    return [
      ...withTarget(compareSamples(row, 'ms', 'bare PUTs', samples, 'min', 'median'), { of: 'ratio', most: 1.5 }),
      { row: 'requests in progress at a time, most', value: samples.most, unit: '', target: { of: 'value', most: 8 } },
    ];
  },
  async 'csr-judge'() {
    return compareSamples(
      'judging 400 requests, CPU',
      'ms',
      'JSON.parse',
      await runInsideJob('requests'),
      'min',
      'median',
    );
  },
  status: () => measureStatus(program, bundleFile, createDirectory()),
  infra: () => measureInfra(program, bundleFile, createDirectory()),
  'hour-of-polling': () => measurePolling(bundleFile, createDirectory()),
  'idle-screen': () => measureIdleScreen(program, unpackProgram(createDirectory()), bundleFile, createDirectory()),
  async design() {
    const read = await runInsideJob<Samples>('design');
    const rules = await runInsideJob<Samples>('rules');
    return [
      ...compareSamples('reading and judging a design of 250, CPU', 'ms', 'JSON.parse', read, 'min', 'median'),
      ...withTarget(compareSamples('judging a design of 500, CPU', 'ms', 'JSON.parse', rules, 'min', 'median'), {
        of: 'value',
        most: 50,
      }),
    ];
  },
};

/**
 * Measures `generate` for a site of `count` nodes, from a cold start into an empty directory, against the start of the
 * program alone. The difference is the time to read, check, generate and write. For comparison only: helpernode's
 * templates, run by ansible-core 2.19 on another machine, took 8.4 s for 3 workers and 105 s for 250.
 */
async function measureGenerate(count: number): Promise<ResultLine[]> {
  const { stringify } = await import('yaml');
  const { createLargeDesign } = await import('./bench/designs.ts');
  const dir = createDirectory();
  const design = join(dir, 'design.yaml');
  const text = stringify(createLargeDesign(count))
    .replace(/pullSecretFile: .*/, 'pullSecretFile: ./pull-secret.txt')
    .replace(/sshKeyFile: .*/, 'sshKeyFile: ./id.pub');
  writeFileSync(design, text);
  writeFileSync(join(dir, 'pull-secret.txt'), exampleCredentials.pullSecret);
  writeFileSync(join(dir, 'id.pub'), exampleCredentials.sshKey);
  const samples = await sampleAlternately(
    () => runToEnd([program, 'generate', design, '--out', createDirectory()]),
    () => runToEnd([program, '--version']),
    5,
  );
  const row = `generating for ${count} nodes`;
  return [
    ...withTarget(compareSamples(`${row}, wall`, 'ms', '--version', pickSamples(samples, 'wallMs'), 'min', 'median'), {
      of: 'value',
      most: 2000,
    }),
    ...compareSamples(`${row}, CPU`, 'ms', '--version', pickSamples(samples, 'cpuMs'), 'min'),
  ];
}

/**
 * Measures the starts of an unpacked package against those of the checkout, with a filled and an empty page cache. The
 * Node.js of the checkout runs this program, so that it is never out of the cache.
 */
async function measurePackage(launcher: string): Promise<ResultLine[]> {
  const [packageHome, home] = [createDirectory(), createDirectory()];
  const isRoot = process.getuid?.() === 0;
  // The pages of a file that tar has just written are smaller than those that are read from a disk: Node.js starts 2 ms
  // later from them, until the next start of the machine.
  if (isRoot) emptyPageCache();
  const versions = await sampleAlternately(
    () => runToEnd(['--version'], 0, launcher),
    () => runToEnd([program, '--version']),
    15,
  );
  const draw = async (args: readonly string[], homeDir: string, file?: string) =>
    await runUntilDrawn(args, 'Welcome', { cwd: createDirectory(), home: homeDir }, 0, file);
  const frames = await sampleAlternately(
    () => draw([], packageHome, launcher),
    () => draw([program], home),
  );
  const ofCheckout = { of: 'ratio', most: 1.05 } as const;
  const lines = [
    ...withTarget(
      compareSamples('package --version, wall', 'ms', 'checkout', pickSamples(versions, 'wallMs'), 'min', 'median'),
      ofCheckout,
    ),
    ...withTarget(
      compareSamples('package first frame, CPU', 'ms', 'checkout', pickSamples(frames, 'cpuMs'), 'min', 'median'),
      ofCheckout,
    ),
    ...compareSamples('package first frame, wall', 'ms', 'checkout', pickSamples(frames, 'wallMs'), 'min', 'median'),
    ...compareSamples('package first frame, memory', 'MiB', 'checkout', pickSamples(frames, 'rssMiB'), 'min'),
  ];
  if (!isRoot) return lines;
  const drawCold = async (...args: Parameters<typeof draw>) => {
    emptyPageCache();
    return await draw(...args);
  };
  const cold = await sampleAlternately(
    () => drawCold([], packageHome, launcher),
    () => drawCold([program], home),
    3,
  );
  const row = 'package first frame, empty page cache, wall';
  return [...lines, ...compareSamples(row, 'ms', 'checkout', pickSamples(cold, 'wallMs'), 'min', 'median')];
}

async function measureRehearsal(row: string, answers: string, maxSeconds: number): Promise<ResultLine[]> {
  const { seconds, siteMiB } = await runRehearsal(program, createDirectory(), answers);
  return [
    { row: `${row}, wall`, value: seconds, unit: 's', target: { of: 'value', most: maxSeconds } },
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
  const lines: ResultLine[] = [];
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
  rmSync(workDir, { recursive: true, force: true });
}
