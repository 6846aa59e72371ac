#!/usr/bin/env node
// Bundles the sources into dist/: one chunk per way in, shared code split off, so that a command loads only what it needs.
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
 * How sources become a program, in dist/ and in the bench. No source of a library is changed; a name is resolved to a file, or a
 * global to a value. What the bundler warns of (an import that leads nowhere, a name that nobody exports) ends the build.
 */
export const bundling = {
  cwd: root,
  platform: 'node',
  moduleTypes: { '.eta': 'text' },
  resolve: {
    alias: {
      'react-devtools-core': join(root, 'bin/empty.js'),
      // The same library as ES modules, where only what is used is loaded.
      yaml: join(root, 'node_modules/yaml/browser/dist/index.js'),
    },
  },
  transform: {
    target: 'node22',
    // We are in no browser; Node's `navigator` loads its workers and locks.
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
  // One command may load later what another one, itself loaded later, needs at once.
  checks: { ineffectiveDynamicImport: false },
  onLog: (level, log, report) => report(level === 'warn' ? 'error' : level, log),
};

/** The programs: name in dist/ and where each begins. What several of them need is there once. */
const programs = {
  cli: 'src/cli/main.ts',
  wizard: 'screens/app/main.tsx',
  plain: 'screens/app/plain.tsx',
  'boot-server': 'src/bastion/boot/boot-server-main.ts',
  site: 'src/rehearsal/site-main.ts',
  'stand-in': 'src/rehearsal/stand-in-main.ts',
};

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stat.mtimeMs);
}

function isStale() {
  try {
    const built = statSync(stamp).mtimeMs;
    return ['src', 'screens', 'templates', 'bin', 'package.json'].some((name) => newest(join(root, name)) > built);
  } catch {
    return true;
  }
}

/** The chunks of what runs again and again, each with what those before it do not have. */
const PARTS = ['ground', 'rehearsed', 'looks', 'files', 'moves'];

/**
 * What a command that looks at the cluster needs is three chunks: what the first frame and its words need as well, what a rehearsal
 * needs as well, and the rest. Scripts run such a command again and again, and a file more costs it about half a millisecond; but loading
 * the rest as well would take the programs of a rehearsal longer than what they do, and the wizard starts some of these again and
 * again. The infra moves need two more: what they have in common with the making of files, and the rest.
 */
function looksTogether() {
  let parts = null;
  const partOf = (id, context) => {
    parts ??= {
      first: imported(
        ['src/cli/main.ts', 'src/cli/wizard.ts', 'src/text/en/index.ts', 'screens/app/main.tsx'],
        context,
      ),
      standIn: imported(['src/rehearsal/stand-in-main.ts'], context),
      site: imported(['src/rehearsal/site-main.ts', 'src/rehearsal/stand-in/create.ts'], context),
      bootServer: imported(['src/bastion/boot/boot-server-main.ts'], context),
      looks: imported(['src/cli/status.ts'], context),
      files: imported(['src/cli/generate.ts'], context),
      moves: imported(['src/cli/infra.ts'], context),
    };
    const { first, standIn, site, bootServer, looks, files, moves } = parts;
    if (!looks.has(id) && !moves.has(id)) return null;
    if (first.has(id) || (looks.has(id) && standIn.has(id))) return 'ground';
    if (site.has(id)) return 'rehearsed';
    if (looks.has(id) || bootServer.has(id)) return 'looks';
    return files.has(id) ? 'files' : 'moves';
  };
  // A group takes with it what its modules import, unless a group before it has taken that.
  return PARTS.map((part, index) => ({
    debugName: part,
    name: (id, context) => (partOf(id, context) === part ? part : null),
    priority: PARTS.length - index,
  }));
}

/** These sources and all that they import at once (not what they load later). */
function imported(names, context) {
  const known = new Set();
  const add = (id) => {
    if (known.has(id)) return;
    known.add(id);
    for (const next of context.getModuleInfo(id)?.importedIds ?? []) add(next);
  };
  for (const name of names) add(join(root, name));
  return known;
}

export async function build() {
  const { build: bundle } = await import('rolldown');
  // Built beside the old one and moved into place, so that a program started meanwhile never meets half a bundle.
  const fresh = join(root, `dist.${process.pid}`);
  const startedAt = new Date();
  await bundle({
    ...bundling,
    input: programs,
    output: {
      dir: fresh,
      format: 'esm',
      minify: true,
      keepNames: true,
      sourcemap: true,
      sourcemapExcludeSources: true,
      codeSplitting: { groups: looksTogether() },
      chunkFileNames: 'chunks/[name]-[hash].js',
    },
  });
  writeFileSync(join(fresh, '.built'), '');
  utimesSync(join(fresh, '.built'), startedAt, startedAt);
  const old = `${dist}.old.${process.pid}`;
  mkdirSync(dist, { recursive: true });
  renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

/** `npx upi-wizard` looks among the installed programs, and npm does not put a project's own program there. */
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
