// Checks the output of bin/build.js: the existing bundle, and programs that it must refuse.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type InputOptions } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runOnPty } from '../support/pty-run.ts';

const root = join(import.meta.dirname, '../..');
const dist = join(root, 'dist');
const program = join(root, 'bin/upi-wizard.js');
let dir: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-build-'));
  // Builds the bundle when it is not there.
  spawnSync(process.execPath, [program, '--help']);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const listFiles = () =>
  readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(dist, name)).isFile());

/** Maps each source, by its path in the project, to the chunks that contain it. */
function mapSourcesToChunks(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const map of listFiles().filter((name) => name.endsWith('.map'))) {
    const { sources } = JSON.parse(readFileSync(join(dist, map), 'utf8')) as { sources: string[] };
    for (const source of sources) {
      const path = relative(root, resolve(dist, dirname(map), source));
      found.set(path, [...(found.get(path) ?? []), map]);
    }
  }
  return found;
}

test('no source is in the bundle twice, so that the state of a module exists once', () => {
  const chunksBySource = mapSourcesToChunks();
  expect(chunksBySource.size).toBeGreaterThan(1000);
  expect([...chunksBySource].filter(([, chunks]) => chunks.length !== 1)).toEqual([]);
});

test('the bundle has no character above U+00FF, so that V8 keeps its source in one byte for each', () => {
  const scripts = listFiles().filter((name) => name.endsWith('.js'));
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter((name) => /[^\0-\xff]/.test(readFileSync(join(dist, name), 'utf8')))).toEqual([]);
});

test.each([
  ['@kubernetes/client-node', 'loadFromClusterAndUser'],
  ['conf', 'Config schema violation'],
])('%s is in the bundle once', (library, marker) => {
  const copies = [...mapSourcesToChunks().keys()].flatMap((path) => path.match(`^.*node_modules/${library}/`) ?? []);
  expect(new Set(copies)).toEqual(new Set([`node_modules/${library}/`]));
  const chunks = listFiles().filter(
    (name) => name.endsWith('.js') && readFileSync(join(dist, name), 'utf8').includes(marker),
  );
  expect(chunks).toHaveLength(1);
});

/** Collects the files that a file of dist/ imports statically, directly or indirectly. */
function collectImports(name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  const text = readFileSync(join(dist, name), 'utf8');
  for (const [, to = ''] of text.matchAll(/(?:\bfrom|\bimport) ?["'](\.[^"']+\.js)["']/g))
    collectImports(join(dirname(name), to), known);
  return known;
}

test('the boot server loads only its own modules, and no texts before it needs one', () => {
  const loaded = collectImports('boot-server.js');
  const sources = [...mapSourcesToChunks()].flatMap(([source, chunks]) =>
    chunks.some((map) => loaded.has(map.replace(/\.map$/, ''))) ? [source] : [],
  );
  expect(sources).toContain('src/host/boot-server/boot-server.ts');
  const folders = new Set(sources.map((source) => /^(?:node_modules\/[^/]+|src\/[^/]+)/.exec(source)?.[0]));
  expect([...folders].toSorted()).toEqual(['node_modules/zod', 'src/host', 'src/i18n', 'src/platform']);
  expect(sources.filter((source) => source.startsWith('src/i18n/en/'))).toEqual([]);
});

test('the code that probes a cluster is in few files, and the first frame does not load the large one', () => {
  const status =
    listFiles().find(
      (name) =>
        /^chunks\/status-[^/]+\.js$/.test(name) && readFileSync(join(dist, name), 'utf8').includes('statusCommand'),
    ) ?? '';
  const probeChunks = [...collectImports(status)].filter((name) => name.includes('/probes-'));
  expect(probeChunks).toHaveLength(1);
  expect(collectImports(status).size).toBeLessThan(10);
  // The catalogue is also loaded before the first frame.
  const catalogueChunks = listFiles().filter((name) => /^chunks\/en-[^/]+\.js$/.test(name));
  expect(catalogueChunks.length).toBeGreaterThan(0);
  for (const first of ['cli.js', 'wizard.js', ...catalogueChunks]) {
    expect(collectImports(first).size).toBeGreaterThan(1);
    expect([...collectImports(first)].join(' ')).not.toMatch(/\/(?:rehearsal|probes|files|moves)-/);
  }
});

test('dist takes at most 6 MB without its source maps', () => {
  const bytes = listFiles()
    .filter((name) => !name.endsWith('.map'))
    .reduce((sum, name) => sum + statSync(join(dist, name)).size, 0);
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThanOrEqual(6_000_000);
});

test.each([
  ['a file that is not there', "import './absent.ts';", 'absent.ts'],
  ['a package that is not installed', "import 'no-such-package';", 'no-such-package'],
  ['a name without an export', "import { nobody } from './other.ts';\nconsole.log(nobody);", 'nobody'],
])('importing %s ends the build', async (_what, text, message) => {
  const { bundlerOptions } = (await import(new URL('../../bin/build.js', import.meta.url).href)) as {
    bundlerOptions: InputOptions;
  };
  writeFileSync(join(dir, 'main.ts'), text);
  writeFileSync(join(dir, 'other.ts'), 'export const somebody = 1;');
  const result = build({ ...bundlerOptions, input: join(dir, 'main.ts'), write: false });
  await expect(result).rejects.toThrow(message);
});

test('the first frame is drawn before an HTTP client is loaded and a segmenter created, and fetch is available again by then', async () => {
  const reportFile = join(dir, 'seen.json');
  const onFirstFrame = `
    import { writeFileSync } from 'node:fs';
    const { write } = process.stdout;
    const { Segmenter } = Intl;
    let segmenters = 0;
    Intl.Segmenter = class extends Segmenter {
      constructor(...of) {
        super(...of);
        segmenters += 1;
      }
    };
    process.stdout.write = function (text, ...rest) {
      if (String(text).includes('Welcome')) {
        writeFileSync(${JSON.stringify(reportFile)}, JSON.stringify([typeof fetch, String(segmenters), ...process.moduleLoadList]));
        process.stdout.write = write;
      }
      return write.call(this, text, ...rest);
    };`;
  const hookModule = `data:text/javascript,${encodeURIComponent(onFirstFrame)}`;
  const run = runOnPty(process.execPath, ['--import', hookModule, program], { cwd: dir, env: { HOME: dir } });
  await run.waitUntil(() => run.screen().includes('Welcome'), 'the first frame');
  run.pty.kill('SIGTERM');
  await run.exit;
  const [fetchType, segmenters, ...modules] = JSON.parse(readFileSync(reportFile, 'utf8')) as string[];
  expect(fetchType).toBe('function');
  expect(segmenters).toBe('0');
  expect(modules.length).toBeGreaterThan(50);
  expect(modules.filter((name) => name.includes('undici'))).toEqual([]);
});
