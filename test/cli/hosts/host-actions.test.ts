import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { applyHosts, undoHosts } from '../../../src/cli/host-actions.ts';
import { openAuditLog } from '../../../src/session/audit-log.ts';
import { readJournal } from '../../../src/session/journal.ts';
import { listJournalFiles } from '../../../src/session/journal-file.ts';
import type { StepContext } from '../../../src/steps/contract.ts';
import { listHostsInSetupOrder } from '../../../src/steps/shared/hosts/host-roles.ts';
import { createStepFixture } from '../../support/step-fixture.ts';
import { withTftp } from '../../support/tftp.ts';

const PLAN_LINE = 'place\t/etc/chrony.conf\tchanged\t0644';

/** Creates a bastion on which every command succeeds. */
async function createScene() {
  const fixture = createStepFixture();
  onTestFinished(() => fixture.remove());
  mkdirSync(join(fixture.dir, 'files', 'bastion'), { recursive: true });
  const commands: string[] = [];
  const messages: string[] = [];
  let isInstalled = false;
  const answers: Readonly<Record<string, () => readonly string[]>> = {
    plan: () => (isInstalled ? [] : [PLAN_LINE]),
    'undo-plan': () => (isInstalled ? [PLAN_LINE] : []),
    status: () => [`status\t${isInstalled ? '1-1' : ''}\tinstall\tno\t${isInstalled ? '0\tconfirmed' : '\t'}\t`],
    follow: () => ['@end\t0'],
    start() {
      isInstalled = true;
      return [];
    },
  };
  const context: StepContext = {
    ...fixture.context,
    resolveEndpoint: await withTftp(fixture.context.resolveEndpoint),
    auditLog: openAuditLog(fixture.dir),
    manualActions: {
      ...fixture.context.manualActions,
      async runOnHost(_host, _files, argv, { onLine }) {
        commands.push(argv.join(' '));
        const lines = answers[argv[0] ?? '']?.() ?? [];
        for (const line of lines) onLine?.(line);
        return lines;
      },
    },
  };
  const hosts = listHostsInSetupOrder(context.design).filter(({ name }) => name === 'bastion');
  const io = { ask: null, stderr: (text: string) => void messages.push(text), columns: 80 };
  const consent = { assumeYes: true, canOverwrite: false, isParallel: false, revertAfterSeconds: null };
  return {
    dir: fixture.dir,
    listStarts: () => commands.filter((argv) => argv.startsWith('start')),
    readMessages: () => messages.join(''),
    apply: () => applyHosts(context, hosts, io, consent),
    undo: () => undoHosts(context, hosts, io, consent),
  };
}

const readActions = (dir: string) =>
  readJournal(dir).flatMap((line) => {
    if (line.type === 'begun') return [`${line.step} ${line.action} ${line.subject}`];
    return line.type === 'ended' ? [`${line.outcome} ${line.code}`] : [];
  });

test('each action on a host is recorded before and after it, as on the screens', async () => {
  const { dir, apply, undo, listStarts } = await createScene();
  expect(await apply()).toBe(0);
  expect(listStarts()).toEqual(['start install 0']);
  expect(readActions(dir)).toEqual(['hosts set-up bastion', 'done null']);
  await undo();
  expect(readActions(dir).slice(2)).toEqual(['hosts undo bastion', expect.stringMatching(/^(?:done|failed) /)]);
});

test('an action on a host that cannot be recorded is not run, and the cause is reported', async () => {
  const { dir, apply, listStarts, readMessages } = await createScene();
  const [file] = listJournalFiles(dir);
  rmSync(file, { force: true });
  mkdirSync(file, { recursive: true });
  expect(await apply()).toBe(4);
  expect(listStarts()).toEqual([]);
  expect(readMessages()).toMatch(/The session cannot be saved: /);
});
