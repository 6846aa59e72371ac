import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findLiveProcess } from '../../src/platform/process.ts';
import { createHolderRecord, getHoldersDirectory } from '../../src/session/holder-files.ts';
import { eventually } from '../support/eventually.ts';
import { createSandbox, runWizard, wizardExecutable } from '../support/rehearsal-run.ts';
import { key, startOnTerminal, type TerminalRun } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

const readClusterName = (dir: string) => {
  const saved = JSON.parse(readFileSync(join(dir, '.upi-wizard/session.json'), 'utf8')) as {
    readonly design: { readonly cluster: { readonly name: string } };
  };
  return saved.design.cluster.name;
};

/** Starts a wizard at the name of the cluster, as a client from another address. */
async function openClusterName(dir: string): Promise<TerminalRun> {
  const run = startOnTerminal(['--dir', dir], { sandbox, env: { SSH_CONNECTION: '10.0.0.9 50000 10.0.0.1 22' } });
  await run.waitFor('New installation');
  run.type(key.enter);
  await run.waitFor(/[│┤] ▸ OpenShift version/);
  run.type(key.tab.repeat(3));
  await run.waitFor(/[│┤] ▸ Cluster name/);
  return run;
}

function startSecond(
  dir: string,
  args: readonly string[] = [],
  size: { cols?: number; rows?: number } = {},
): TerminalRun {
  return startOnTerminal([...args, '--dir', dir], { sandbox, env: { SSH_CONNECTION: '10.0.0.7 1 2 3' }, ...size });
}

test('a second terminal watches live at its own size, takes over what is being typed, and the first is notified', async () => {
  const dir = sandbox.dir('watched');
  const first = await openClusterName(dir);
  const other = startSecond(dir, [], { cols: 120, rows: 40 });
  await other.waitFor(/In use by \S+ from 10\.0\.0\.9 on pts\/\d+ since \d\d:\d\d \(upi-wizard, process \d+\)\./);
  await other.waitFor('It is at: Cluster (ocp45).');
  other.type('v');
  await other.waitFor(/q stop watching {2}t take over +read-only: \S+ from 10\.0\.0\.9 on pts/);
  first.type(`${key.ctrl('u')}half`);
  await other.waitFor(/Cluster name +half/);
  // Keys of the viewer do not reach the other session.
  other.type(`xyz${key.enter}`);
  first.type('way');
  await other.waitFor(/Cluster name +halfway/);
  other.type('t');
  expect((await first.exit).exitCode).toBe(0);
  expect(first.isAlternate()).toBe(false);
  expect(first.output()).toMatch(/from 10\.0\.0\.7 on pts\/\d+ has taken over\. Everything is saved\./);
  expect(first.output()).toContain(`node ${wizardExecutable} attach --dir ${dir}`);
  await other.waitFor(/Ctrl-S (?:save and )?quit|Ctrl-R to Review/);
  await other.waitFor(/▸ Cluster name +halfway/);
  expect(readClusterName(dir)).toBe('halfway');
  other.type(`${key.ctrl('u')}finished${key.ctrl('s')}`);
  expect((await other.exit).exitCode).toBe(0);
  expect(readClusterName(dir)).toBe('finished');
  expect(readdirSync(getHoldersDirectory(dir))).toEqual([]);
});

test('a viewer is notified when the session ends, and can continue', async () => {
  const dir = sandbox.dir('ended');
  const first = await openClusterName(dir);
  const other = startSecond(dir, ['attach', '--view']);
  await other.waitFor('read-only');
  first.type(`${key.ctrl('u')}left${key.ctrl('s')}`);
  await first.exit;
  await other.waitFor('The session that you watched has ended');
  other.type(key.enter);
  await other.waitFor(/▸ Cluster name +left/);
  await other.kill9();
});

test('a stopped holder is taken over only by typing, and killed before it can write again', async () => {
  const dir = sandbox.dir('stopped');
  const first = await openClusterName(dir);
  process.kill(first.pty.pid, 'SIGSTOP');
  await eventually(() => expect(findLiveProcess(first.pty.pid)?.state).toBe('T'));
  const other = startSecond(dir, ['attach', '--take-over']);
  await other.waitFor('The other session does not answer');
  await other.waitFor(`To take over, type ${first.pty.pid}:`);
  other.type(`no${key.enter}`);
  expect(findLiveProcess(first.pty.pid)).not.toBeNull();
  other.type(`${key.ctrl('u')}${first.pty.pid}${key.enter}`);
  await other.waitFor(/Ctrl-S (?:save and )?quit|Ctrl-R to Review/);
  expect(findLiveProcess(first.pty.pid)).toBeNull();
  await other.kill9();
});

test('a holder that lost its lock by force writes nothing more and exits', async () => {
  const dir = sandbox.dir('overrun');
  const first = await openClusterName(dir);
  first.type(`${key.ctrl('u')}mine${key.enter}`);
  await first.waitFor(/[│┤] ▸ Base domain/);
  const holders = getHoldersDirectory(dir);
  for (const name of readdirSync(holders).filter((each) => each.endsWith('.json'))) rmSync(join(holders, name));
  expect((await first.exit).exitCode).toBe(4);
  expect(first.output()).toContain('Another session has taken over this install directory');
  expect(readClusterName(dir)).toBe('mine');
});

test('detach ends a session from elsewhere, sessions lists it, and detach and attach fail without one', async () => {
  const dir = sandbox.dir('detached');
  const first = await openClusterName(dir);
  first.type(`${key.ctrl('u')}lists`);
  const plain = await runWizard(['--plain', '--dir', dir], { sandbox });
  expect(plain).toMatchObject({ code: 4, stdout: '' });
  expect(plain.stderr).toContain(`node ${wizardExecutable} attach --take-over --dir ${dir}`);
  const listing = await runWizard(['sessions'], { sandbox });
  expect(listing.stdout).toContain(`${dir}\n  `);
  expect(listing.stdout).toMatch(/ {2}Cluster {2}saved .* UTC {2}in use by \S+ from 10\.0\.0\.9/);
  const detachRun = await runWizard(['detach', '--dir', dir], { sandbox });
  expect(detachRun).toMatchObject({ code: 0, stdout: '' });
  expect((await first.exit).exitCode).toBe(0);
  expect(first.output()).toContain('has ended this session. Everything is saved.');
  expect(readClusterName(dir)).toBe('lists');
  expect(await runWizard(['detach', '--dir', dir], { sandbox })).toMatchObject({ code: 4 });
  expect(await runWizard(['attach', '--view', '--dir', dir], { sandbox })).toMatchObject({ code: 4 });
  const { sessions } = JSON.parse((await runWizard(['sessions', '--json'], { sandbox })).stdout) as {
    readonly sessions: readonly object[];
  };
  expect(sessions[0]).toMatchObject({
    dir,
    cluster: 'lists.example.localdomain',
    screen: 'cluster',
    rehearsal: false,
    heldBy: null,
    attention: null,
  });
});

test('a session on another machine is asked about, and left alone unless its machine is typed', async () => {
  const dir = sandbox.dir('elsewhere');
  await (await openClusterName(dir)).kill9();
  const holders = getHoldersDirectory(dir);
  mkdirSync(holders, { recursive: true });
  const record = { ...createHolderRecord('upi-wizard', ''), host: `other-${hostname()}`, boot: 'another' };
  writeFileSync(join(holders, 'owner-0123456789abcdef.json'), JSON.stringify(record));
  writeFileSync(join(holders, 'owner-0123456789abcdef.held'), '');
  const refused = await runWizard(['detach', '--dir', dir], { sandbox });
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain(`node ${wizardExecutable} detach --dir ${dir} --yes ${record.host}`);
  const other = startSecond(dir);
  // The length of the process number decides where the frame wraps the sentence.
  await other.waitFor(/this[\s│]+machine[\s│]+cannot[\s│]+check[\s│]+whether[\s│]+it[\s│]+still[\s│]+runs/);
  other.type('t');
  await other.waitFor(`type ${record.host}:`);
  other.type(`${record.host}${key.enter}`);
  await other.waitFor(/Ctrl-S (?:save and )?quit|Ctrl-R to Review/);
  expect(readdirSync(holders)).not.toContain('owner-0123456789abcdef.json');
  await other.kill9();
});

test('Ctrl-C on the page about another session ends with 130, and so it does while that session is watched', async () => {
  const dir = sandbox.dir('interrupted');
  const first = await openClusterName(dir);
  const lockPage = startSecond(dir);
  await lockPage.waitFor(/In use by/);
  lockPage.type(key.ctrl('c'));
  expect((await lockPage.exit).exitCode).toBe(130);
  const viewer = startSecond(dir, ['attach', '--view']);
  await viewer.waitFor('read-only');
  viewer.type(key.ctrl('c'));
  expect((await viewer.exit).exitCode).toBe(130);
  first.type(key.ctrl('s'));
  expect((await first.exit).exitCode).toBe(0);
});

test('without --dir, the other installations are a choice while another session works on the last one', async () => {
  const dir = sandbox.dir('last-used');
  const first = await openClusterName(dir);
  const other = startOnTerminal([], { sandbox });
  await other.waitFor(`${dir}`);
  await other.waitFor(/Other installations +the Welcome page/);
  other.type(':');
  await other.waitFor('New installation');
  await other.waitFor('last-used');
  other.type(key.ctrl('s'));
  expect((await other.exit).exitCode).toBe(0);
  await first.kill9();
});
