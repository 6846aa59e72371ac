import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { openSession } from '../../src/session/session.ts';
import { freshState } from '../../src/session/state.ts';
import { exampleDocument } from '../support/example-document.ts';
import { testInNamespace } from '../support/namespace.ts';
import { requireProgram } from '../support/programs.ts';
import { runOnPty } from '../support/pty-run.ts';
import { createSandbox, wizardExecutable } from '../support/rehearsal-run.ts';
import { key } from '../support/terminal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

const REASON = 'the office DNS answers only inside the machine network';
/** An isolated network in which all service hosts are up and refuse every connection. */
const NETWORK =
  'ip link set lo up; for last in 101 102 110 111 112; do ip addr add 172.16.0.$last/24 dev lo; done; exec "$@"';

/** Starts the wizard in that network, on a terminal. */
function startWizard(...args: readonly string[]) {
  const program = [process.execPath, wizardExecutable, ...args];
  const userOptions = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  return runOnPty(requireProgram('unshare'), [...userOptions, '--net', 'bash', '-c', NETWORK, 'wizard', ...program], {
    cols: 80,
    env: { ...sandbox.env, PATH: `${sandbox.env.PATH}:/usr/sbin:/sbin`, TERM: 'xterm-256color' },
  });
}

testInNamespace()(
  'failed checks keep Prepare closed until the user types a reason, which session, journal and JSON keep',
  async () => {
    const dir = sandbox.dir('site');
    openSession(dir).save({ ...freshState, design: exampleDocument(), place: { screen: 'prepare', field: null } });
    const run = startWizard('--dir', dir);
    const sees = (text: string) => run.waitUntil(() => run.screen().includes(text), text);
    await sees('X override');
    run.pty.write('X');
    await sees('172.16.0.102: the name server does not answer');
    // A meaningless reason does not confirm.
    run.pty.write(`asdf${key.enter}`);
    await sees('Reason: asdf');
    expect(run.screen()).toContain('Enter yes (not yet)');
    run.pty.write(`${key.ctrl('u')}${REASON}`);
    await sees(`Reason: ${REASON}`);
    run.pty.write(key.enter);
    await run.waitUntil(
      () => /Prepare {2}10\/17/.test(run.screen()) && !/Reason:|X override/.test(run.screen()),
      'Prepare',
    );
    run.pty.write(key.ctrl('s'));
    await run.exit;

    const journal = readFileSync(join(dir, '.upi-wizard/journal.ndjson'), 'utf8');
    expect(journal).toMatch(new RegExp(`"type":"begun".*"step":"prepare","action":"override","subject":"${REASON}"`));
    const check = startWizard('check', '--dir', dir, '--only', 'dns-server', '--json');
    expect((await check.exit).exitCode).toBe(4);
    const report = JSON.parse(check.output().replaceAll('\r', '')) as { readonly checks: readonly unknown[] };
    expect(report.checks).toMatchObject([{ id: 'dns-server', result: 'failed', override: { reason: REASON } }]);
  },
);
