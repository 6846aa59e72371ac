#!/usr/bin/env node
// Nothing but the modules of Node.js may be imported before the version check: the libraries need 22.19 and fail with a
// stack trace on older versions.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = new URL('..', import.meta.url);
const argv = process.argv.slice(2);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/**
 * Builds the bundle in a fresh checkout. Only npm's scripts check whether the bundle is older than the sources: here
 * the check would slow every start.
 */
async function ensureBuilt() {
  if (existsSync(new URL('dist/cli.js', root))) return;
  const { build } = await import('./build.js');
  await build();
}

async function main() {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version}\n`);
    return;
  }
  if (process.env.NODE_TLS_REJECT_UNAUTHORIZED !== undefined) {
    process.stderr.write(
      'upi-wizard does not run with NODE_TLS_REJECT_UNAUTHORIZED set, because it would accept any server as your cluster: unset it and start again.\n',
    );
    process.exitCode = 2;
    return;
  }
  // The colour library decides at import and does not know NO_COLOR.
  if (process.env.NO_COLOR) process.env.FORCE_COLOR = '0';
  process.umask(0o077);
  // Imported after the version check: an old Node.js has no such function to import.
  const { startCompileCache, V8_FLAG } = await import('./compile-cache.js');
  process.getBuiltinModule('node:v8').setFlagsFromString(V8_FLAG);
  if (!(await startCompileCache())) {
    process.stderr.write(
      'upi-wizard does not run with this NODE_COMPILE_CACHE, because other users can change the code that Node.js caches there: unset it and start again.\n',
    );
    process.exitCode = 2;
    return;
  }
  await ensureBuilt();
  const { run } = await import('../dist/cli.js');
  const getProgramPath = (name) => fileURLToPath(new URL(`dist/${name}.js`, root));
  process.exitCode = await run(argv, {
    loadPlain: () => import('../dist/plain.js'),
    loadScreens: () => import('../dist/wizard.js'),
    programs: {
      bootServer: getProgramPath('boot-server'),
      executable: fileURLToPath(import.meta.url),
      site: getProgramPath('site'),
      standIn: getProgramPath('stand-in'),
    },
  });
}

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `upi-wizard needs Node.js 22.19 or newer and this is ${process.version}: install a newer one, or use "npm start" in the checkout, which brings its own.\n`,
  );
  process.exitCode = 2;
} else {
  await main();
}
