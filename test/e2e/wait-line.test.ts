import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runOnPty } from '../support/pty-run.ts';
import { startSimulatedCluster } from '../support/simulated-cluster.ts';

const program = join(import.meta.dirname, '..', '..', 'bin', 'upi-wizard.js');

test('on a terminal, apply redraws the line that says what it waits for, and Ctrl-C ends the wait', async () => {
  const cluster = await startSimulatedCluster();
  try {
    for (const [index, name] of ['i1', 'i2', 'i3'].entries()) cluster.addNode(name, `172.16.0.4${index + 1}`);
    // No operator applies the settings: the wait would last a quarter of an hour.
    cluster.add('dnses.operator.openshift.io', { metadata: { name: 'default' }, spec: {} });
    const argv = ['infra', 'apply', '--only', 'dns', '--yes', ...cluster.fileOptions];
    const run = runOnPty(process.execPath, [program, ...argv], { cwd: cluster.cwd });
    const countRedraws = () => run.output().match(/dns: waiting \(/g)?.length ?? 0;
    await run.waitUntil(() => countRedraws() > 2, 'the line to be drawn again');
    expect(run.screen().match(/dns: waiting/g)).toHaveLength(1);
    run.pty.write('\u0003');
    expect((await run.exit).exitCode).toBe(130);
    expect(run.output()).not.toContain('\ufffd');
  } finally {
    await cluster.close();
  }
});
