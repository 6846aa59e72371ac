import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { SECOND } from '../../src/ports/clock.ts';
import { forgetInside, lookInside } from '../../src/steps/shared/installer/bootstrap-node.ts';
import { readInstallerLog } from '../../src/steps/shared/installer/log.ts';
import { workspace } from '../../src/steps/shared/workspace.ts';
import { eventually } from '../support/eventually.ts';
import { manualClock } from '../support/manual-clock.ts';
import { requireProgram, testWith } from '../support/programs.ts';
import { SSHD_HOST, startSshd } from '../support/sshd.ts';
import { type StepWorld, stepWorld } from '../support/step-world.ts';

const test = testWith('sshd', 'ssh', 'ssh-keygen');
const BOOTSTRAP = '172.16.0.11';
const PASSWORD = 'aB3dE-fGh1J-kLm2N-pQr5T';
const RECORDS = '/var/log/openshift';
let world: StepWorld | null = null;
afterEach(() => world?.remove());

/** A bootstrap node: a real sshd with the files of one, and a journal that prints what lies there. */
async function setUp(key = 'user') {
  const sshd = await startSshd([RECORDS]);
  const home = join(sshd.dir, 'home');
  const write = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
    chmodSync(join(home, path), mode);
  };
  write(
    'bin/journalctl',
    '#!/bin/sh\necho "$*" >>"$HOME_OF_TEST/asked"; cat "$HOME_OF_TEST/journal"\n'.replaceAll('$HOME_OF_TEST', home),
    0o755,
  );
  write('bin/sudo', '#!/bin/sh\nexit 1\n', 0o755);
  // The machine of the test has no user "core": the real ssh logs in as the one it runs as.
  const bin = join(sshd.dir, 'programs');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'ssh'),
    `#!/bin/sh\necho "$*" >>${sshd.dir}/argv\nfor word; do shift; [ "$word" = core ] && word=${userInfo().username}; set -- "$@" "$word"; done\nexec ${requireProgram('ssh')} -F none "$@"\n`,
  );
  chmodSync(join(bin, 'ssh'), 0o755);
  const clock = manualClock(1_000_000);
  const at = { port: sshd.port };
  const made = stepWorld({
    clock,
    reach: (host, port) =>
      host === BOOTSTRAP && port === 22 ? { host: SSHD_HOST, port: at.port } : { host: '127.0.0.1', port: 1 },
  });
  world = made;
  made.write('.upi-wizard/empty', '');
  made.write('auth/kubeadmin-password', PASSWORD);
  const context = {
    ...made.context,
    programPath: [bin],
    credentials: { ...made.context.credentials, sshKeyFile: join(sshd.dir, `${key}.pub`) },
  };
  const visits = () => readFileSync(join(sshd.dir, 'argv'), 'utf8').trim().split('\n');
  const log = async () =>
    (await readInstallerLog(context)).lines.map(({ source, mark, text }) => `${source} ${mark} ${text}`);
  return { context, clock, write, visits, log, sshd, home, at };
}

const journal = (i: number, message: string) =>
  `${JSON.stringify({ __CURSOR: `s=a;i=${i}`, __REALTIME_TIMESTAMP: '1000000000', UNIT: 'bootkube.service', MESSAGE: message, PRIORITY: '6' })}\n`;
const record = (...entries: object[]) => JSON.stringify(entries, null, 2);

test('the stages inside the bootstrap node are read over SSH, one look at a time, and read on', async () => {
  const { context, clock, write, visits, log, home } = await setUp();
  write(
    `${RECORDS}/release-image.json`,
    record({ phase: 'service start' }, { phase: 'service end', result: 'success' }),
  );
  write(
    `${RECORDS}/bootkube.json`,
    record({ phase: 'service start' }, { phase: 'stage start', stage: 'etcd-bootstrap' }),
  );
  write(
    'journal',
    journal(1, 'Rendering CEO Manifests...') +
      journal(2, `the password is ${PASSWORD.slice(0, 7)}" "${PASSWORD.slice(7)}`),
  );
  await readInstallerLog(context);
  expect(lookInside(context)).toBeNull();
  lookInside(context);
  await eventually(() => expect(lookInside(context)?.bootkube?.stage).toBe('etcd-bootstrap'));
  expect(lookInside(context)?.releaseImage?.state).toBe('succeeded');
  expect(visits()).toHaveLength(1);
  expect(await log()).toEqual(['bootkube null Rendering CEO Manifests...', 'bootkube null [hidden]']);
  // The host key is pinned under the address of the design, in our own file.
  expect(readFileSync(join(workspace(context.dir).state, 'known_hosts'), 'utf8')).toMatch(
    /^172\.16\.0\.11 ssh-ed25519 /,
  );
  expect(visits()[0]).toMatch(/BatchMode=yes.*ForwardAgent=no.*accept-new/);
  write(
    `${RECORDS}/bootkube.json`,
    record({ phase: 'service start' }, { phase: 'stage start', stage: 'cb-bootstrap' }),
  );
  write('journal', journal(3, 'etcdserver: request timed out'));
  await clock.advance(10 * SECOND);
  await eventually(() => expect(lookInside(context)?.bootkube?.stage).toBe('cb-bootstrap'));
  expect(await log()).toContain('bootkube trouble etcdserver: request timed out');
  expect(readFileSync(join(home, 'asked'), 'utf8')).toMatch(/-n 200\n.*--after-cursor=s=a;i=2\n$/);
});

test('the live system that writes the disk has another host key: only a login pins one, and that one is kept', async () => {
  const { context, clock, write, log, sshd, at } = await setUp();
  write(`${RECORDS}/bootkube.json`, record({ phase: 'service start' }));
  write('journal', '');
  const live = await startSshd();
  writeFileSync(join(live.dir, 'authorized'), '');
  at.port = live.port;
  lookInside(context);
  await eventually(async () => expect((await log()).join()).toContain('Permission denied'));
  at.port = sshd.port;
  await eventually(async () => {
    await clock.advance(61 * SECOND);
    expect(lookInside(context)).not.toBeNull();
  });
  const pinned = join(workspace(context.dir).state, 'known_hosts');
  const key = readFileSync(pinned, 'utf8');
  at.port = live.port;
  await eventually(async () => {
    await clock.advance(61 * SECOND);
    lookInside(context);
    expect((await log()).join()).toContain(`delete ${pinned}`);
  });
  expect(readFileSync(pinned, 'utf8')).toBe(key);
  // Begun anew, nothing is known of it any more.
  await forgetInside(context);
  expect(lookInside(context)).toBeNull();
  expect(existsSync(pinned)).toBe(false);
});

test('a node that lets nobody in is told once, and nothing else changes', async () => {
  const { context, clock, log, visits } = await setUp('stranger');
  lookInside(context);
  await eventually(async () => expect((await log()).join()).toContain('Permission denied'));
  await eventually(async () => {
    await clock.advance(61 * SECOND);
    expect(lookInside(context)).toBeNull();
    expect(visits().length).toBeGreaterThan(2);
  });
  expect(await log()).toHaveLength(1);
});

test('without the private half of the key nobody is asked', async () => {
  const { context, log } = await setUp('nobody');
  lookInside(context);
  await eventually(async () => expect((await log()).join()).toContain('there is no private key beside'));
});
