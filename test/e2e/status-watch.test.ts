import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSession } from '../../src/session/session.ts';
import { runOnPty } from '../support/pty-run.ts';
import { type SimulatedCluster, startSimulatedCluster } from '../support/simulated-cluster.ts';

const program = join(import.meta.dirname, '..', '..', 'bin', 'upi-wizard.js');
let cluster: SimulatedCluster;
beforeEach(async () => {
  cluster = await startSimulatedCluster();
  for (let index = 0; index < 40; index += 1)
    cluster.add('clusteroperators.config.openshift.io', {
      metadata: { name: `operator-${index}` },
      spec: {},
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'R', message: 'long '.repeat(100) }] },
    });
});
afterEach(() => cluster.close());

const watch = (cols: number, rows: number) =>
  runOnPty(process.execPath, [program, 'status', '--watch', ...cluster.fileOptions], { cols, rows, cwd: cluster.cwd });

test('status --watch stays on one screen, follows the cluster and an API outage, and q ends it', async () => {
  const run = watch(80, 24);
  await run.waitUntil(() => /0 of 40 are healthy/.test(run.screen()), 'the first look');
  expect(run.isAlternate()).toBe(true);
  expect(run.screen().split('\n').length).toBeLessThanOrEqual(24);
  expect(run.screen().split('\n')[0]).toMatch(/^Stage/);
  expect(run.screen()).toMatch(/^\d\d:\d\d:\d\d {3}q quits/m);
  cluster.addNode('m1', '172.16.0.21', { labels: { 'node-role.kubernetes.io/master': '' } });
  await run.waitUntil(() => /1 of 9 are Ready/.test(run.screen()), 'the node');
  cluster.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
  await run.waitUntil(() => /API +down/.test(run.screen()), 'the API to be away');
  // A frame may be read while it is half written.
  await run.waitUntil(() => run.screen().includes('The connection to the API was closed'), 'what is wrong');
  expect(run.screen()).toContain('The connection to the API was closed');
  cluster.intercept = null;
  await run.waitUntil(() => /API +up/.test(run.screen()), 'the API to be back');
  run.pty.write('q');
  expect((await run.exit).exitCode).toBe(0);
  expect(run.isAlternate()).toBe(false);
  expect(run.screen()).toContain('1 of 9 are Ready');
});

test('status --watch ends with 130 for Ctrl-C and 143 for SIGTERM, and restores the terminal', async () => {
  for (const [end, code] of [
    ['key', 130],
    ['signal', 143],
  ] as const) {
    const run = watch(60, 15);
    await run.waitUntil(() => /q quits/.test(run.screen()), 'the first look');
    expect(run.screen().split('\n').length).toBeLessThanOrEqual(15);
    if (end === 'key') run.pty.write('\u0003');
    else run.pty.kill('SIGTERM');
    expect((await run.exit).exitCode).toBe(code);
    expect(run.isAlternate()).toBe(false);
    expect(run.output()).toContain('\u001b[?25h');
  }
});

test('status --watch shows the command that starts a stopped site again whole, beside all that is wrong', async () => {
  const args = [program, 'status', '--watch', '--dir', cluster.dir];
  const run = runOnPty(process.execPath, args, { cols: 80, rows: 24, cwd: cluster.cwd });
  await run.waitUntil(() => /0 of 40 are healthy/.test(run.screen()), 'the first look');
  const session = openSession(cluster.dir);
  const rehearsal = { siteDir: join(cluster.dir, 'site'), speed: 60, seed: 1, faults: [] };
  session.save({ ...session.load(), rehearsal });
  await run.waitUntil(() => /Start it again with:[\s\S]*q quits/.test(run.screen()), 'the stopped site');
  const lines = run.screen().split('\n');
  const start = lines.findIndex((line) => line.includes('Start it again with:'));
  const command = lines
    .slice(start + 1, -1)
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/ \\\n +/g, ' ')
    .replaceAll('\\\n', '');
  expect(command).toContain(`rehearse --dir ${cluster.dir}`);
  run.pty.write('q');
  expect((await run.exit).exitCode).toBe(0);
});
