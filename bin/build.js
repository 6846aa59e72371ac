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
/** A file whose modification time is the start of the last build. */
const stampFile = join(dist, '.built');
const stringWidthLibrary = join(root, 'bin/string-width-library.cjs');

/**
 * The bundler options for dist/ and for the benchmarks. Library sources stay unchanged; only names are resolved to
 * files, and globals to values. A warning of the bundler (an import without a target, a name without an export) ends
 * the build.
 */
export const bundlerOptions = {
  cwd: root,
  platform: 'node',
  moduleTypes: { '.eta': 'text' },
  resolve: {
    alias: {
      'react-devtools-core': join(root, 'bin/no-react-devtools.js'),
      // The ES module build of yaml: the bundler can drop its unused parts.
      yaml: join(root, 'node_modules/yaml/browser/dist/index.js'),
      'ajv/dist/2020.js': join(root, 'bin/unused-by-conf.js'),
      'ajv-formats': join(root, 'bin/unused-by-conf.js'),
      semver: join(root, 'bin/unused-by-conf.js'),
    },
  },
  transform: {
    target: 'node22',
    // This is no browser: a library that reads `navigator` would make Node.js load its workers and locks.
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
  // A command may load a module dynamically that another command imports statically: commands are loaded dynamically.
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

/** Returns when a file, or the newest file below a directory, was last changed, in milliseconds since 1970. */
function getNewestTime(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, getNewestTime(join(path, name))), stat.mtimeMs);
}

/** Whether dist/ is missing, or older than a source file. */
function isStale() {
  try {
    const builtAt = statSync(stampFile).mtimeMs;
    return ['src', 'screens', 'templates', 'bin', 'package.json'].some(
      (name) => getNewestTime(join(root, name)) > builtAt,
    );
  } catch {
    return true;
  }
}

/** The chunks of frequently started programs, each without the modules of the chunks before it. */
const CHUNKS = ['base', 'boot-server', 'shared', 'commands', 'rehearsal', 'probes', 'machines', 'files', 'moves'];

/**
 * Assigns the modules to chunks. Scripts often run commands that probe the cluster, and each further file costs such
 * a start about half a millisecond.
 * - `base`, `boot-server`: the boot server runs for days, so these hold what it needs and nothing else. The first frame
 *   needs `base`, too.
 * - `shared`: the other modules that commands share with the first frame or with the stand-in of openshift-install.
 * - `rehearsal`: the modules that commands share with the rest of a rehearsal's programs. Those programs load no
 *   further chunk: a chunk would take longer to load than their work takes, and the wizard starts some repeatedly.
 * - `probes`: the rest of a command that probes the cluster.
 * - `machines`: the reports of machines and their imports, for the JSON status and the file generators.
 * - `files`: the modules that the infra moves share with the file generators.
 * - `moves`: the other modules of the infra moves.
 * - `commands`: the table of commands, which every command needs.
 */
function groupChunks() {
  let importsByProgram = null;
  const findChunk = (id, context) => {
    importsByProgram ??= {
      firstFrame: collectStaticImports(
        ['src/cli/main.ts', 'src/cli/wizard.ts', 'src/i18n/en/index.ts', 'screens/app/main.ts'],
        context,
      ),
      standIn: collectStaticImports(['src/rehearsal/stand-in-main.ts'], context),
      site: collectStaticImports(['src/rehearsal/site-main.ts', 'src/rehearsal/stand-in/create.ts'], context),
      bootServer: collectStaticImports(['src/host/boot-server/boot-server-main.ts'], context),
      commands: collectStaticImports(['src/cli/arguments.ts'], context),
      clusterProbes: collectStaticImports(['src/cli/status.ts'], context),
      machines: collectStaticImports(['src/steps/shared/machines/machine-reports.ts'], context),
      files: collectStaticImports(['src/cli/generate.ts'], context),
      moves: collectStaticImports(['src/cli/infra.ts'], context),
    };
    const { firstFrame, standIn, site, bootServer, commands, clusterProbes, machines, files, moves } = importsByProgram;
    if (!clusterProbes.has(id) && !machines.has(id) && !moves.has(id)) return commands.has(id) ? 'commands' : null;
    if (bootServer.has(id)) return firstFrame.has(id) ? 'base' : 'boot-server';
    if (firstFrame.has(id) || (clusterProbes.has(id) && standIn.has(id))) return 'shared';
    if (site.has(id)) return 'rehearsal';
    if (clusterProbes.has(id)) return 'probes';
    if (machines.has(id)) return 'machines';
    return files.has(id) ? 'files' : 'moves';
  };
  // A group takes the imports of its modules, unless a group before it has taken them.
  return CHUNKS.map((chunk, index) => ({
    debugName: chunk,
    name: (id, context) => (findChunk(id, context) === chunk ? chunk : null),
    priority: CHUNKS.length - index,
  }));
}

/** Returns these source files and everything they import statically: ids of the bundler's modules. */
function collectStaticImports(files, context) {
  const moduleIds = new Set();
  const add = (id) => {
    if (moduleIds.has(id)) return;
    moduleIds.add(id);
    for (const importedId of context.getModuleInfo(id)?.importedIds ?? []) add(importedId);
  };
  for (const file of files) add(join(root, file));
  return moduleIds;
}

/** Builds dist/ from the sources. Returns the source files of the bundled modules. */
export async function build() {
  const { build: bundle } = await import('rolldown');
  // Builds in a new directory and renames it, so that a program that starts meanwhile never finds half a bundle.
  const newDist = join(root, `dist.${process.pid}`);
  const startedAt = new Date();
  const { output } = await bundle({
    ...bundlerOptions,
    input: programs,
    output: {
      dir: newDist,
      format: 'esm',
      minify: true,
      keepNames: true,
      // V8 keeps the source in memory, with two bytes per character if a single one is above U+00FF.
      charset: 'ascii',
      sourcemap: true,
      sourcemapExcludeSources: true,
      codeSplitting: { groups: groupChunks() },
      chunkFileNames: 'chunks/[name]-[hash].js',
    },
  });
  writeFileSync(join(newDist, '.built'), '');
  utimesSync(join(newDist, '.built'), startedAt, startedAt);
  const oldDist = `${dist}.old.${process.pid}`;
  mkdirSync(dist, { recursive: true });
  renameSync(dist, oldDist);
  renameSync(newDist, dist);
  rmSync(oldDist, { recursive: true, force: true });
  return output.flatMap(({ moduleIds = [] }) => moduleIds);
}

/** Links the project's program into node_modules/.bin, where `npx upi-wizard` searches: npm links only dependencies. */
function linkProgram() {
  const binDir = join(root, 'node_modules', '.bin');
  const link = join(binDir, 'upi-wizard');
  if (!existsSync(binDir) || existsSync(link)) return;
  symlinkSync(join('..', '..', 'bin', 'upi-wizard.js'), link);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (isStale()) await build();
  linkProgram();
}
