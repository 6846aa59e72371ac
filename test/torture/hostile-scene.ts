import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSite } from '../../src/rehearsal/site-client.ts';
import { openSession } from '../../src/session/session.ts';
import type { ScreenId } from '../../src/wizard/state.ts';
import { type Sandbox, startRehearsal } from '../support/rehearsal-run.ts';
import { createPoison } from './hostile.ts';
import { SOURCE_ENV } from './run-files.ts';

const SITE = fileURLToPath(new URL('hostile-site.ts', import.meta.url));

/** A rehearsal whose external texts can become hostile. */
export interface HostileScene {
  readonly dir: string;
  /** Continues the rehearsal with a benign world until the plain wizard prints `printed`, then kills the wizard. */
  readonly playTo: (printed: RegExp) => Promise<void>;
  /** Makes the world hostile, and sets the screen at which the wizard opens next. */
  readonly makeHostile: (screen: ScreenId, texts: 'all' | 'free-text') => void;
}

/** Starts a rehearsal whose API can turn hostile. */
export async function openHostileScene(sandbox: Sandbox): Promise<HostileScene> {
  const dir = sandbox.dir('live');
  const siteDir = join(dir, '.upi-wizard/site');
  const toggle = join(siteDir, 'hostile');
  let count = 0;

  async function playTo(printed: RegExp): Promise<void> {
    rmSync(toggle, { force: true });
    const plain = startRehearsal(dir, { sandbox });
    await plain.waitForOutput(printed);
    await plain.kill9();
  }

  await playTo(/^\[10\/17\]/m);
  const site = await findSite(siteDir);
  if (site === null) throw new Error('the site is gone');
  await site.stop();
  const env = { ...sandbox.env, ...SOURCE_ENV };
  spawn(process.execPath, [SITE, siteDir], { detached: true, stdio: 'ignore', cwd: '/', env }).unref();
  while ((await findSite(siteDir)) === null) await new Promise((resolve) => setTimeout(resolve, 25));

  return {
    dir,
    playTo,
    makeHostile(screen, texts) {
      writeFileSync(toggle, texts);
      const createNextPoison = () => {
        count += 1;
        return createPoison(count);
      };
      const log = join(dir, '.openshift_install.log');
      const formatLogLine = (index: number) =>
        [
          `time="2026-01-02T03:04:05Z" level=error msg=${JSON.stringify(createNextPoison())}`,
          `level=warning msg=${createNextPoison()}`,
          `W1121 04:08:11.123456   12 reflector.go:561] ${createNextPoison()}`,
          createNextPoison(),
        ][index % 4] ?? '';
      if (existsSync(log))
        appendFileSync(log, Array.from({ length: 40 }, (_, index) => `${formatLogLine(index)}\n`).join(''));
      const requests = join(dir, '.upi-wizard/boot-requests.ndjson');
      const request = (path: string, client: string) => ({
        at: site.clock.now(),
        client,
        method: 'GET',
        path,
        status: 404,
        bytes: 0,
        complete: true,
      });
      const { host } = site.resolveEndpoint('172.16.0.21', 0);
      const lines = Array.from({ length: 10 }, (_, index) =>
        request(`/${createNextPoison()}`, index % 2 ? createNextPoison() : host),
      );
      if (existsSync(requests)) appendFileSync(requests, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const messages = join(siteDir, 'hosts/ns1/var/log/messages');
      const formatDhcpLine = () =>
        `Jan  2 03:04:05 ns1 dhcpd[7]: DHCPDISCOVER from 00:50:56:99:99:99 via ${createNextPoison()}: network ${createNextPoison()}: no free leases\n`;
      if (existsSync(messages)) appendFileSync(messages, Array.from({ length: 10 }, formatDhcpLine).join(''));
      writeHostileSsh(join(siteDir, 'bin/ssh'), site.credentials.sshKeyFile, createNextPoison);
      const session = openSession(dir);
      session.save({ ...session.load(), place: { screen, field: null } });
    },
  };
}

/** Writes an `ssh` whose hosts print nothing but hostile text: the journal of the bootstrap node, and other output. */
function writeHostileSsh(program: string, publicKey: string | null, createNextPoison: () => string): void {
  const entry = () =>
    JSON.stringify({
      __REALTIME_TIMESTAMP: '1767323045000000',
      UNIT: 'bootkube.service',
      PRIORITY: '3',
      MESSAGE: createNextPoison(),
    });
  const outputLines = [
    ...Array.from({ length: 20 }, createNextPoison),
    '@@ journal',
    ...Array.from({ length: 20 }, entry),
  ];
  writeFileSync(`${program}.txt`, `${outputLines.join('\n')}\n`);
  writeFileSync(program, `#!/bin/sh\nexec cat "$0.txt"\n`, { mode: 0o755 });
  if (publicKey !== null) writeFileSync(publicKey.replace(/\.pub$/, ''), '', { mode: 0o600 });
}
