import { chmodSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { directoryIdentity } from '../ports/directory-identity.ts';
import { startLanguage } from '../text/languages.ts';
import type { RunningFile, SiteConfig } from './site/config.ts';
import { serveControl } from './site/control-server.ts';
import { appender, readJson, sitePaths, writeAtomically } from './site/files.ts';
import { processStart } from './site/process-start.ts';
import { openSite } from './site/site.ts';

// The rehearsal site: `node site.js SITE_DIR [--lang L]`. It runs until a client stops it.
const { argv } = await startLanguage(process.argv.slice(2), process.env);
const paths = sitePaths(resolve(argv[0] ?? '.'));
const log = appender(paths.log);
/** How often the site looks whether its directory is still there (ms). */
const LOOK_EVERY_MS = 500;

async function main(): Promise<void> {
  process.umask(0o077);
  chmodSync(paths.dir, 0o700);
  const config = readJson<SiteConfig>(paths.config);
  if (config === null) throw new Error(`${paths.config} cannot be read`);
  const site = await openSite(config, paths);
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    rmSync(paths.running, { force: true });
    await site.stop();
    control.close();
    process.exit(0);
  };
  const control = await serveControl(site, paths, () => void stop());
  process.on('SIGTERM', () => void stop());
  process.on('SIGINT', () => void stop());
  process.on('SIGHUP', () => undefined);
  const running: RunningFile = {
    pid: process.pid,
    processStart: processStart(process.pid) ?? '',
    controlSocket: control.socket,
    home: directoryIdentity(paths.dir),
  };
  writeAtomically(paths.running, JSON.stringify(running));
  // Who moved or removed the directory cannot stop the site any more. It ends without a word: a word would make the directory anew.
  setInterval(() => {
    if (isGone(paths.config)) process.exit(0);
  }, LOOK_EVERY_MS).unref();
}

function isGone(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    // It may be there: a disk that hangs says nothing about it.
    return false;
  }
}

/** A fault of the site is written down; it does not take the site with it unless it cannot start. */
process.on('uncaughtException', (error) => {
  log(error.stack ?? '');
});

main().catch((error: Error) => {
  log(error.stack ?? '');
  process.exitCode = 1;
});
