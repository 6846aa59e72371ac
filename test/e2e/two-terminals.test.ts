import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { livingProcess } from '../../src/ports/process-identity.ts';
import { ownOwner } from '../../src/session/owner.ts';
import { ownersDirectory } from '../../src/session/owner-files.ts';
import { eventually } from '../support/eventually.ts';
import { executable, makeSandbox, runWizard } from '../support/rehearsal-run.ts';
import { key, startOnTerminal, type TerminalRun } from '../support/terminal-run.ts';

const sandbox = makeSandbox();
afterAll(sandbox.remove);

const nameIn = (dir: string) => {
  const saved = JSON.parse(readFileSync(join(dir, '.upi-wizard/session.json'), 'utf8')) as {
    readonly design: { readonly cluster: { readonly name: string } };
  };
  return saved.design.cluster.name;
};

/** A wizard at the name of the cluster, from an address. */
async function atName(dir: string): Promise<TerminalRun> {
  const run = startOnTerminal(['--dir', dir], { sandbox, env: { SSH_CONNECTION: '10.0.0.9 50000 10.0.0.1 22' } });
  await run.sees('New installation');
  run.type(key.enter);
  await run.sees(/\| ▸ OpenShift version/);
  run.type(key.tab.repeat(3));
  await run.sees(/\| ▸ Cluster name/);
  return run;
}

function second(dir: string, args: readonly string[] = [], size: { cols?: number; rows?: number } = {}): TerminalRun {
  return startOnTerminal([...args, '--dir', dir], { sandbox, env: { SSH_CONNECTION: '10.0.0.7 1 2 3' }, ...size });
}

test('a second terminal watches live at its own size, takes over what is being typed, and the first is told', async () => {
  const dir = sandbox.dir('watched');
  const first = await atName(dir);
  const other = second(dir, [], { cols: 120, rows: 40 });
  await other.sees(/In use by \S+ from 10\.0\.0\.9 on pts\/\d+ since \d\d:\d\d \(upi-wizard, process \d+\)\./);
  await other.sees('It is at: Cluster (ocp45).');
  other.type('v');
  await other.sees(/q stop watching {2}t take over +read-only: \S+ from 10\.0\.0\.9 on pts/);
  first.type(`${key.ctrl('u')}half`);
  await other.sees(/Cluster name +half/);
  // No key of the viewer reaches the other session.
  other.type(`xyz${key.enter}`);
  first.type('way');
  await other.sees(/Cluster name +halfway/);
  other.type('t');
  expect((await first.exit).exitCode).toBe(0);
  expect(first.isAlternate()).toBe(false);
  expect(first.output()).toMatch(/from 10\.0\.0\.7 on pts\/\d+ has taken over\. Everything is saved\./);
  expect(first.output()).toContain(`node ${executable} attach --dir ${dir}`);
  await other.sees('Ctrl-S save and quit');
  await other.sees(/▸ Cluster name +halfway/);
  expect(nameIn(dir)).toBe('halfway');
  other.type(`${key.ctrl('u')}finished${key.ctrl('s')}`);
  expect((await other.exit).exitCode).toBe(0);
  expect(nameIn(dir)).toBe('finished');
  expect(readdirSync(ownersDirectory(dir))).toEqual([]);
});

test('who watches when the session ends is told, and may go on', async () => {
  const dir = sandbox.dir('ended');
  const first = await atName(dir);
  const other = second(dir, ['attach', '--view']);
  await other.sees('read-only');
  first.type(`${key.ctrl('u')}left${key.ctrl('s')}`);
  await first.exit;
  await other.sees('The session that you watched has ended');
  other.type(key.enter);
  await other.sees(/▸ Cluster name +left/);
  await other.kill9();
});

test('a stopped holder is taken over only by typing, and killed before it can write again', async () => {
  const dir = sandbox.dir('stopped');
  const first = await atName(dir);
  process.kill(first.pty.pid, 'SIGSTOP');
  await eventually(() => expect(livingProcess(first.pty.pid)?.state).toBe('T'));
  const other = second(dir, ['attach', '--take-over']);
  await other.sees('The other session does not answer');
  await other.sees(`To take over, type ${first.pty.pid}:`);
  other.type(`no${key.enter}`);
  expect(livingProcess(first.pty.pid)).not.toBeNull();
  other.type(`${key.ctrl('u')}${first.pty.pid}${key.enter}`);
  await other.sees('Ctrl-S save and quit');
  expect(livingProcess(first.pty.pid)).toBeNull();
  await other.kill9();
});

test('who was overrun from elsewhere writes nothing more and leaves', async () => {
  const dir = sandbox.dir('overrun');
  const first = await atName(dir);
  first.type(`${key.ctrl('u')}mine${key.enter}`);
  await first.sees(/\| ▸ Base domain/);
  const owners = ownersDirectory(dir);
  for (const name of readdirSync(owners).filter((each) => each.endsWith('.json'))) rmSync(join(owners, name));
  expect((await first.exit).exitCode).toBe(4);
  expect(first.output()).toContain('Another session has taken over this install directory');
  expect(nameIn(dir)).toBe('mine');
});

test('detach ends a session from elsewhere, sessions lists it, and both say when there is nothing', async () => {
  const dir = sandbox.dir('detached');
  const first = await atName(dir);
  first.type(`${key.ctrl('u')}lists`);
  const plain = await runWizard(['--plain', '--dir', dir], { sandbox });
  expect(plain).toMatchObject({ code: 4, stdout: '' });
  expect(plain.stderr).toContain(`node ${executable} attach --take-over --dir ${dir}`);
  const listed = await runWizard(['sessions'], { sandbox });
  expect(listed.stdout).toContain(`${dir}\n  `);
  expect(listed.stdout).toMatch(/ {2}Cluster {2}saved .* UTC {2}in use by \S+ from 10\.0\.0\.9/);
  const ended = await runWizard(['detach', '--dir', dir], { sandbox });
  expect(ended).toMatchObject({ code: 0, stdout: '' });
  expect((await first.exit).exitCode).toBe(0);
  expect(first.output()).toContain('has ended this session. Everything is saved.');
  expect(nameIn(dir)).toBe('lists');
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
  await (await atName(dir)).kill9();
  const owners = ownersDirectory(dir);
  mkdirSync(owners, { recursive: true });
  const owner = { ...ownOwner('upi-wizard', ''), host: `other-${hostname()}`, boot: 'another' };
  writeFileSync(join(owners, 'owner-0123456789abcdef.json'), JSON.stringify(owner));
  writeFileSync(join(owners, 'owner-0123456789abcdef.held'), '');
  const refused = await runWizard(['detach', '--dir', dir], { sandbox });
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain(`node ${executable} detach --dir ${dir} --yes ${owner.host}`);
  const other = second(dir);
  await other.sees('whether it still runs cannot be');
  other.type('t');
  await other.sees(`type ${owner.host}:`);
  other.type(`${owner.host}${key.enter}`);
  await other.sees('Ctrl-S save and quit');
  expect(readdirSync(owners)).not.toContain('owner-0123456789abcdef.json');
  await other.kill9();
});

test('Ctrl-C on the page about another session ends with 130, and so it does while that session is watched', async () => {
  const dir = sandbox.dir('interrupted');
  const first = await atName(dir);
  const asked = second(dir);
  await asked.sees(/In use by/);
  asked.type(key.ctrl('c'));
  expect((await asked.exit).exitCode).toBe(130);
  const watching = second(dir, ['attach', '--view']);
  await watching.sees('read-only');
  watching.type(key.ctrl('c'));
  expect((await watching.exit).exitCode).toBe(130);
  first.type(key.ctrl('s'));
  expect((await first.exit).exitCode).toBe(0);
});
