#!/usr/bin/env node
// Bundles the sources into dist/: one chunk per entry point, with shared code split off, so that a command loads only
// what it needs.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const stamp = join(dist, '.built');
const stringWidthLibrary = join(root, 'bin/string-width-library.cjs');

/**
 * The bundler options for dist/ and for the benchmarks. Library sources stay unchanged; only names are resolved to
 * files, and globals to values. A warning of the bundler (an import without a target, a name without an export) ends
 * the build.
 */
export const bundling = {
  cwd: root,
  platform: 'node',
  moduleTypes: { '.eta': 'text' },
  resolve: {
    alias: {
      'react-devtools-core': join(root, 'bin/empty.js'),
      // The same library as ES modules, of which only the used parts are loaded.
      yaml: join(root, 'node_modules/yaml/browser/dist/index.js'),
      'ajv/dist/2020.js': join(root, 'bin/unused-by-conf.js'),
      'ajv-formats': join(root, 'bin/unused-by-conf.js'),
      semver: join(root, 'bin/unused-by-conf.js'),
    },
  },
  transform: {
    target: 'node22',
    // This is no browser; Node.js's `navigator` loads its workers and locks.
    define: { 'process.env.NODE_ENV': '"production"', navigator: 'undefined' },
    inject: { 'Intl.Segmenter': [join(root, 'bin/segmenter.js'), 'Segmenter'] },
  },
  plugins: [
    {
      name: 'string-width',
      resolveId: {
        filter: { id: /^string-width$/ },
        handler: (_, importer) => (importer === stringWidthLibrary ? null : join(root, 'bin/string-width.js')),
      },
    },
  ],
  // One command may load dynamically what another one, itself loaded dynamically, imports statically.
  checks: { ineffectiveDynamicImport: false },
  onLog: (level, log, report) => report(level === 'warn' ? 'error' : level, log),
};

/** The programs: name in dist/ and entry point. Code that several of them need is bundled once. */
const programs = {
  cli: 'src/cli/main.ts',
  wizard: 'screens/app/main.ts',
  plain: 'screens/app/plain.ts',
  'boot-server': 'src/host/boot-server/boot-server-main.ts',
  site: 'src/rehearsal/site-main.ts',
  'stand-in': 'src/rehearsal/stand-in-main.ts',
};

function getNewestTime(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, getNewestTime(join(path, name))), stat.mtimeMs);
}

function isStale() {
  try {
    const built = statSync(stamp).mtimeMs;
    return ['src', 'screens', 'templates', 'bin', 'package.json'].some(
      (name) => getNewestTime(join(root, name)) > built,
    );
  } catch {
    return true;
  }
}

/** The chunks of frequently started programs, each without the modules of the chunks before it. */
const CHUNKS = ['base', 'served', 'ground', 'commands', 'rehearsed', 'looks', 'files', 'moves'];

/**
 * A command that probes the cluster needs three chunks: the modules shared with the first frame and its texts, those
 * shared with a rehearsal, and the rest. Scripts run such a command often, and each further file costs it about half a
 * millisecond. A rehearsal's programs do not load the rest: that would take longer than their work, and the wizard
 * starts some of them repeatedly. The infra moves need two more: the modules shared with the file generators, and the
 * rest. Every command needs the table of commands. The boot server runs for days: two chunks of its own, before all
 * others, hold what it needs and nothing else (`base`: what the first frame needs, too).
 */
function groupChunks() {
  let parts = null;
  const findChunk = (id, context) => {
    parts ??= {
      first: collectStaticImports(
        ['src/cli/main.ts', 'src/cli/wizard.ts', 'src/i18n/en/index.ts', 'screens/app/main.ts'],
        context,
      ),
      standIn: collectStaticImports(['src/rehearsal/stand-in-main.ts'], context),
      site: collectStaticImports(['src/rehearsal/site-main.ts', 'src/rehearsal/stand-in/create.ts'], context),
      bootServer: collectStaticImports(['src/host/boot-server/boot-server-main.ts'], context),
      commands: collectStaticImports(['src/cli/arguments.ts'], context),
      looks: collectStaticImports(['src/cli/status.ts'], context),
      files: collectStaticImports(['src/cli/generate.ts'], context),
      moves: collectStaticImports(['src/cli/infra.ts'], context),
    };
    const { first, standIn, site, bootServer, commands, looks, files, moves } = parts;
    if (!looks.has(id) && !moves.has(id)) return commands.has(id) ? 'commands' : null;
    if (bootServer.has(id)) return first.has(id) ? 'base' : 'served';
    if (first.has(id) || (looks.has(id) && standIn.has(id))) return 'ground';
    if (site.has(id)) return 'rehearsed';
    if (looks.has(id)) return 'looks';
    return files.has(id) ? 'files' : 'moves';
  };
  // A group takes the imports of its modules, unless a group before it has taken them.
  return CHUNKS.map((part, index) => ({
    debugName: part,
    name: (id, context) => (findChunk(id, context) === part ? part : null),
    priority: CHUNKS.length - index,
  }));
}

/** These sources and all their static imports (not the dynamic ones). */
function collectStaticImports(names, context) {
  const known = new Set();
  const add = (id) => {
    if (known.has(id)) return;
    known.add(id);
    for (const next of context.getModuleInfo(id)?.importedIds ?? []) add(next);
  };
  for (const name of names) add(join(root, name));
  return known;
}

/** Builds dist/ from the sources. Returns the files of the modules in it. */
export async function build() {
  const { build: bundle } = await import('rolldown');
  // Built next to the old one and renamed, so that a program that starts meanwhile never finds half a bundle.
  const newDist = join(root, `dist.${process.pid}`);
  const startedAt = new Date();
  const { output } = await bundle({
    ...bundling,
    input: programs,
    output: {
      dir: newDist,
      format: 'esm',
      minify: true,
      keepNames: true,
      // V8 keeps the source, and with one character above U+00FF it takes two bytes for each.
      charset: 'ascii',
      sourcemap: true,
      sourcemapExcludeSources: true,
      codeSplitting: { groups: groupChunks() },
      chunkFileNames: 'chunks/[name]-[hash].js',
    },
  });
  writeFileSync(join(newDist, '.built'), '');
  utimesSync(join(newDist, '.built'), startedAt, startedAt);
  const old = `${dist}.old.${process.pid}`;
  mkdirSync(dist, { recursive: true });
  renameSync(dist, old);
  renameSync(newDist, dist);
  rmSync(old, { recursive: true, force: true });
  return output.flatMap(({ moduleIds = [] }) => moduleIds);
}

/** `npx upi-wizard` searches the installed programs, but npm does not put a project's own program there. */
function linkProgram() {
  const programs = join(root, 'node_modules', '.bin');
  const link = join(programs, 'upi-wizard');
  if (!existsSync(programs) || existsSync(link)) return;
  symlinkSync(join('..', '..', 'bin', 'upi-wizard.js'), link);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (isStale()) await build();
  linkProgram();
}
