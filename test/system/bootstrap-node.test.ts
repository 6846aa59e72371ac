import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { SECOND } from '../../src/platform/clock.ts';
import { forgetBootstrapNode, refreshBootstrapNodeReport } from '../../src/steps/shared/installer/bootstrap-node.ts';
import { readInstallerLog } from '../../src/steps/shared/installer/wait-for.ts';
import { workspace } from '../../src/steps/shared/workspace.ts';
import { eventually } from '../support/eventually.ts';
import { manualClock } from '../support/manual-clock.ts';
import { requireProgram, testWith } from '../support/programs.ts';
import { SSHD_HOST, startSshd } from '../support/sshd.ts';
import { createStepFixture, type StepFixture } from '../support/step-fixture.ts';

const test = testWith('sshd', 'ssh', 'ssh-keygen');
const BOOTSTRAP = '172.16.0.11';
const PASSWORD = 'aB3dE-fGh1J-kLm2N-pQr5T';
const RECORDS = '/var/log/openshift';
let fixture: StepFixture | null = null;
afterEach(() => fixture?.remove());

/** Creates a bootstrap node: a real sshd with the files of one, and a `journalctl` that prints the file `journal`. */
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
  // The host of the test has no user "core": the real ssh logs in as the current user.
  const bin = join(sshd.dir, 'programs');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'ssh'),
    `#!/bin/sh\necho "$*" >>${sshd.dir}/argv\nfor word; do shift; [ "$word" = core ] && word=${userInfo().username}; set -- "$@" "$word"; done\nexec ${requireProgram('ssh')} -F none "$@"\n`,
  );
  chmodSync(join(bin, 'ssh'), 0o755);
  const clock = manualClock(1_000_000);
  const at = { port: sshd.port };
  const newFixture = createStepFixture({
    clock,
    resolveEndpoint: (host, port) =>
      host === BOOTSTRAP && port === 22 ? { host: SSHD_HOST, port: at.port } : { host: '127.0.0.1', port: 1 },
  });
  fixture = newFixture;
  newFixture.write('.upi-wizard/empty', '');
  newFixture.write('auth/kubeadmin-password', PASSWORD);
  const context = {
    ...newFixture.context,
    programDirectories: [bin],
    credentials: { ...newFixture.context.credentials, sshKeyFile: join(sshd.dir, `${key}.pub`) },
  };
  const visits = () => readFileSync(join(sshd.dir, 'argv'), 'utf8').trim().split('\n');
  const log = async () =>
    (await readInstallerLog(context)).lines.map(({ source, mark, text }) => `${source} ${mark} ${text}`);
  return { context, clock, write, visits, log, sshd, home, at };
}

const formatJournalEntry = (i: number, message: string) =>
  `${JSON.stringify({ __CURSOR: `s=a;i=${i}`, __REALTIME_TIMESTAMP: '1000000000', UNIT: 'bootkube.service', MESSAGE: message, PRIORITY: '6' })}\n`;
const formatRecord = (...entries: object[]) => JSON.stringify(entries, null, 2);

test('the stages inside the bootstrap node are read over SSH, one connection at a time, and reading continues where it ended', async () => {
  const { context, clock, write, visits, log, home } = await setUp();
  write(
    `${RECORDS}/release-image.json`,
    formatRecord({ phase: 'service start' }, { phase: 'service end', result: 'success' }),
  );
  write(
    `${RECORDS}/bootkube.json`,
    formatRecord({ phase: 'service start' }, { phase: 'stage start', stage: 'etcd-bootstrap' }),
  );
  write(
    'journal',
    formatJournalEntry(1, 'Rendering CEO Manifests...') +
      formatJournalEntry(2, `the password is ${PASSWORD.slice(0, 7)}" "${PASSWORD.slice(7)}`),
  );
  await readInstallerLog(context);
  expect(refreshBootstrapNodeReport(context)).toBeNull();
  refreshBootstrapNodeReport(context);
  await eventually(() => expect(refreshBootstrapNodeReport(context)?.bootkube?.stage).toBe('etcd-bootstrap'));
  expect(refreshBootstrapNodeReport(context)?.releaseImage?.state).toBe('succeeded');
  expect(visits()).toHaveLength(1);
  expect(await log()).toEqual(['bootkube null Rendering CEO Manifests...', 'bootkube null [hidden]']);
  // The host key is pinned under the address of the design, in our own file.
  expect(readFileSync(join(workspace(context.dir).stateDir, 'known_hosts'), 'utf8')).toMatch(
    /^172\.16\.0\.11 ssh-ed25519 /,
  );
  expect(visits()[0]).toMatch(/BatchMode=yes.*ForwardAgent=no.*accept-new/);
  write(
    `${RECORDS}/bootkube.json`,
    formatRecord({ phase: 'service start' }, { phase: 'stage start', stage: 'cb-bootstrap' }),
  );
  write('journal', formatJournalEntry(3, 'etcdserver: request timed out'));
  await clock.advance(10 * SECOND);
  await eventually(() => expect(refreshBootstrapNodeReport(context)?.bootkube?.stage).toBe('cb-bootstrap'));
  expect(await log()).toContain('bootkube failure etcdserver: request timed out');
  expect(readFileSync(join(home, 'asked'), 'utf8')).toMatch(/-n 200\n.*--after-cursor=s=a;i=2\n$/);
});

test('the live system that writes the disk has another host key: only a login pins one, and that key stays pinned', async () => {
  const { context, clock, write, log, sshd, at } = await setUp();
  write(`${RECORDS}/bootkube.json`, formatRecord({ phase: 'service start' }));
  write('journal', '');
  const live = await startSshd();
  writeFileSync(join(live.dir, 'authorized'), '');
  at.port = live.port;
  refreshBootstrapNodeReport(context);
  await eventually(async () => expect((await log()).join()).toContain('Permission denied'));
  at.port = sshd.port;
  await eventually(async () => {
    await clock.advance(61 * SECOND);
    expect(refreshBootstrapNodeReport(context)).not.toBeNull();
  });
  const pinned = join(workspace(context.dir).stateDir, 'known_hosts');
  const key = readFileSync(pinned, 'utf8');
  at.port = live.port;
  await eventually(async () => {
    await clock.advance(61 * SECOND);
    refreshBootstrapNodeReport(context);
    expect((await log()).join()).toContain(`delete ${pinned}`);
  });
  expect(readFileSync(pinned, 'utf8')).toBe(key);
  // After a restart of the installation nothing is known of the node.
  await forgetBootstrapNode(context);
  expect(refreshBootstrapNodeReport(context)).toBeNull();
  expect(existsSync(pinned)).toBe(false);
});

test('a node that refuses the login is reported once, and nothing else changes', async () => {
  const { context, clock, log, visits } = await setUp('stranger');
  refreshBootstrapNodeReport(context);
  await eventually(async () => expect((await log()).join()).toContain('Permission denied'));
  await eventually(async () => {
    await clock.advance(61 * SECOND);
    expect(refreshBootstrapNodeReport(context)).toBeNull();
    expect(visits().length).toBeGreaterThan(2);
  });
  expect(await log()).toHaveLength(1);
});

test('without the private half of the key the node is not contacted', async () => {
  const { context, log } = await setUp('nobody');
  refreshBootstrapNodeReport(context);
  await eventually(async () => expect((await log()).join()).toContain('there is no private key beside'));
});
