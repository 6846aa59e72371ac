#!/usr/bin/env node
// Bundles the sources into dist/: one chunk per way in, shared code split off, so that a command loads only what it needs.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
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

/**
 * The layout engine carries its WebAssembly as text and hands it to fetch, which loads Node's whole HTTP client before the
 * first frame; without fetch it decodes the text itself.
 */
const layoutWithoutFetch = {
  name: 'layout-without-fetch',
  setup(bundler) {
    let isMet = false;
    bundler.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, ({ path }) => {
      isMet = true;
      return { contents: `const fetch = undefined;\n${readFileSync(path, 'utf8')}` };
    });
    bundler.onEnd(() =>
      isMet ? {} : { errors: [{ text: 'the layout engine is not where layoutWithoutFetch expects it' }] },
    );
  },
};

/**
 * An import of a module of Node's makes all that it exports, and with it loads what nobody asked for (node:http Node's HTTP
 * client of browsers, node:crypto WebCrypto, node:util its workers). Here each export stands alone, for each file that imports
 * some, and the bundle keeps those that it uses.
 */
const nodesOwnOneByOne = {
  name: 'nodes-own-one-by-one',
  setup(bundler) {
    bundler.onResolve({ filter: /^node:(http|crypto|util)$/ }, ({ path, kind, importer }) =>
      kind === 'import-statement' ? { path, namespace: 'nodes-own', suffix: `?${importer}` } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'nodes-own' }, ({ path }) => {
      const names = Object.keys(process.getBuiltinModule(path));
      const each = names.map((name) => `export const ${name} = /* @__PURE__ */ (() => all.${name})();`);
      return {
        contents: [`const all = process.getBuiltinModule('${path}');`, 'export default all;', ...each].join('\n'),
      };
    });
  },
};

/** What keeps code that nobody runs out of a bundle. */
export const leavingOut = [nodesOwnOneByOne];

export const alias = {
  'react-devtools-core': join(root, 'bin/empty.js'),
  // The same library as ES modules, where only what is used is loaded.
  yaml: join(root, 'node_modules/yaml/browser/dist/index.js'),
};

/** What is left in CommonJS asks for modules of Node's alone: all else is in the bundle. */
export const banner = { js: 'const require = process.getBuiltinModule;' };

/** We are in no browser; Node's `navigator` loads its workers and locks. */
export const define = { 'process.env.NODE_ENV': '"production"', navigator: 'undefined' };

/** The programs: name in dist/ and where each begins. Those of one group share what they have in common. */
const groups = [
  {
    cli: 'src/cli/main.ts',
    wizard: 'screens/main.tsx',
    'boot-server': 'src/bastion/boot-server-main.ts',
    site: 'src/rehearsal/site-main.ts',
    'stand-in': 'src/rehearsal/stand-in-main.ts',
  },
  { live: 'src/cli/live-main.ts' },
];

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), stat.mtimeMs);
}

function isStale() {
  try {
    const built = statSync(stamp).mtimeMs;
    return ['src', 'screens', 'templates', 'bin/build.js', 'package.json'].some(
      (name) => newest(join(root, name)) > built,
    );
  } catch {
    return true;
  }
}

export async function build() {
  const { build: bundle } = await import('esbuild');
  // Built beside the old one and moved into place, so that a program started meanwhile never meets half a bundle.
  const fresh = join(root, `dist.${process.pid}`);
  const startedAt = new Date();
  for (const group of groups) {
    await bundle({
      absWorkingDir: root,
      entryPoints: group,
      outdir: fresh,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node22',
      minify: true,
      keepNames: true,
      sourcemap: 'linked',
      sourcesContent: false,
      chunkNames: 'chunks/[name]-[hash]',
      define,
      loader: { '.eta': 'text' },
      alias,
      banner,
      plugins: [...('wizard' in group ? [layoutWithoutFetch] : []), ...leavingOut],
      logLevel: 'warning',
    });
  }
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
