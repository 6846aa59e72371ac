import { chmodSync, rmSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { initLanguage } from '../i18n/catalogue.ts';
import { getDirectoryIdentity } from '../platform/files.ts';
import { getOwnIdentity } from '../platform/process.ts';
import type { SiteConfig, SiteProcess } from './site/config.ts';
import { serveControl } from './site/control-server.ts';
import { createAppender, getSitePaths, readJson, writeAtomically } from './site/files.ts';
import { openSite } from './site/site.ts';

// The rehearsal site: `node site.js SITE_DIR [--lang L]`. It runs until a client stops it.
const { argv } = await initLanguage(process.argv.slice(2), process.env);
const paths = getSitePaths(resolve(argv[0] ?? '.'));
const log = createAppender(paths.log);
/** How often the site checks that its directory still exists (ms). */
const CHECK_INTERVAL_MS = 500;

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
  const siteProcess: SiteProcess = {
    pid: process.pid,
    processStart: getOwnIdentity().start,
    controlSocket: control.socket,
    home: getDirectoryIdentity(paths.dir),
  };
  writeAtomically(paths.running, JSON.stringify(siteProcess));
  // If its directory is moved or removed, no client can stop the site any more, so the site exits. It logs nothing: a
  // log line would create the directory again.
  setInterval(() => {
    if (isFileRemoved(paths.config)) process.exit(0);
  }, CHECK_INTERVAL_MS).unref();
}

function isFileRemoved(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) === undefined;
  } catch {
    // The file may still exist: an error of a hanging disk does not prove that the file was removed.
    return false;
  }
}

/** Errors of the site are logged. They end the site only while it starts. */
process.on('uncaughtException', (error) => {
  log(error.stack ?? '');
});

main().catch((error: Error) => {
  log(error.stack ?? '');
  process.exitCode = 1;
});
