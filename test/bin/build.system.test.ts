// What bin/build.js makes of the sources, seen in the bundle that is there and in programs that it has to refuse.
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

const files = () =>
  readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => statSync(join(dist, name)).isFile());

/** Which chunks each source is in, by its path in the project. */
function places(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const map of files().filter((name) => name.endsWith('.map'))) {
    const { sources } = JSON.parse(readFileSync(join(dist, map), 'utf8')) as { sources: string[] };
    for (const source of sources) {
      const path = relative(root, resolve(dist, dirname(map), source));
      found.set(path, [...(found.get(path) ?? []), map]);
    }
  }
  return found;
}

test('no source is in the bundle twice, so that what a module remembers is remembered once', () => {
  const all = places();
  expect(all.size).toBeGreaterThan(1000);
  expect([...all].filter(([, chunks]) => chunks.length !== 1)).toEqual([]);
});

test.each([
  ['@kubernetes/client-node', 'loadFromClusterAndUser'],
  ['conf', 'Config schema violation'],
])('%s is in the bundle once', (library, marker) => {
  const copies = [...places().keys()].flatMap((path) => path.match(`^.*node_modules/${library}/`) ?? []);
  expect(new Set(copies)).toEqual(new Set([`node_modules/${library}/`]));
  const chunks = files().filter(
    (name) => name.endsWith('.js') && readFileSync(join(dist, name), 'utf8').includes(marker),
  );
  expect(chunks).toHaveLength(1);
});

/** The files that a file of dist/ imports at once, and what these import. */
function imported(name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  const text = readFileSync(join(dist, name), 'utf8');
  for (const [, to = ''] of text.matchAll(/(?:\bfrom|\bimport) ?["'](\.[^"']+\.js)["']/g))
    imported(join(dirname(name), to), known);
  return known;
}

test('what looks at a cluster comes in few files, of which the first frame does without the large one', () => {
  const status =
    files().find(
      (name) =>
        /^chunks\/status-[^/]+\.js$/.test(name) && readFileSync(join(dist, name), 'utf8').includes('statusCommand'),
    ) ?? '';
  const looks = [...imported(status)].filter((name) => name.includes('/looks-'));
  expect(looks).toHaveLength(1);
  expect(imported(status).size).toBeLessThan(10);
  // The words are loaded before the first frame, too.
  const words = files().filter((name) => /^chunks\/en-[^/]+\.js$/.test(name));
  expect(words.length).toBeGreaterThan(0);
  for (const first of ['cli.js', 'wizard.js', ...words]) {
    expect(imported(first).size).toBeGreaterThan(1);
    expect([...imported(first)].join(' ')).not.toMatch(/\/(?:rehearsed|looks|files|moves)-/);
  }
});

test('dist takes at most 6 MB without its source maps', () => {
  const bytes = files()
    .filter((name) => !name.endsWith('.map'))
    .reduce((sum, name) => sum + statSync(join(dist, name)).size, 0);
  expect(bytes).toBeGreaterThan(1_000_000);
  expect(bytes).toBeLessThanOrEqual(6_000_000);
});

test.each([
  ['a file that is not there', "import './absent.ts';", 'absent.ts'],
  ['a package that is not installed', "import 'no-such-package';", 'no-such-package'],
  ['a name that nobody exports', "import { nobody } from './other.ts';\nconsole.log(nobody);", 'nobody'],
])('importing %s ends the build', async (_what, text, named) => {
  const { bundling } = (await import(new URL('../../bin/build.js', import.meta.url).href)) as {
    bundling: InputOptions;
  };
  writeFileSync(join(dir, 'main.ts'), text);
  writeFileSync(join(dir, 'other.ts'), 'export const somebody = 1;');
  const built = build({ ...bundling, input: join(dir, 'main.ts'), write: false });
  await expect(built).rejects.toThrow(named);
});

test('the first frame is drawn before an HTTP client is loaded and a segmenter made, and fetch is back when it is', async () => {
  const seen = join(dir, 'seen.json');
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
        writeFileSync(${JSON.stringify(seen)}, JSON.stringify([typeof fetch, String(segmenters), ...process.moduleLoadList]));
        process.stdout.write = write;
      }
      return write.call(this, text, ...rest);
    };`;
  const watching = `data:text/javascript,${encodeURIComponent(onFirstFrame)}`;
  const run = runOnPty(process.execPath, ['--import', watching, program], { cwd: dir, env: { HOME: dir } });
  await run.until(() => run.screen().includes('Welcome'), 'the first frame');
  run.pty.kill('SIGTERM');
  await run.exit;
  const [fetching, segmenters, ...modules] = JSON.parse(readFileSync(seen, 'utf8')) as string[];
  expect(fetching).toBe('function');
  expect(segmenters).toBe('0');
  expect(modules.length).toBeGreaterThan(50);
  expect(modules.filter((name) => name.includes('undici'))).toEqual([]);
});
