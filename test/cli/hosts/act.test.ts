import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { applyAll, undoAll } from '../../../src/cli/hosts/act.ts';
import { journaledActs } from '../../../src/session/acts.ts';
import { readJournal } from '../../../src/session/journal.ts';
import { journalFiles } from '../../../src/session/journal-file.ts';
import type { StepContext } from '../../../src/steps/contract.ts';
import { hostsInOrder } from '../../../src/steps/shared/hosts/order.ts';
import { stepWorld } from '../../support/step-world.ts';
import { withTftp } from '../../support/tftp.ts';

const PLACE = 'place\t/etc/chrony.conf\tchanged\t0644';

/** The bastion, which does what it is asked. */
async function scene() {
  const world = stepWorld();
  onTestFinished(() => world.remove());
  mkdirSync(join(world.dir, 'files', 'bastion'), { recursive: true });
  const asked: string[] = [];
  const said: string[] = [];
  let isThere = false;
  const answers: Readonly<Record<string, () => readonly string[]>> = {
    plan: () => (isThere ? [] : [PLACE]),
    'undo-plan': () => (isThere ? [PLACE] : []),
    status: () => [`status\t${isThere ? '1-1' : ''}\tinstall\tno\t${isThere ? '0\tconfirmed' : '\t'}\t`],
    follow: () => ['@end\t0'],
    start() {
      isThere = true;
      return [];
    },
  };
  const context: StepContext = {
    ...world.context,
    reach: await withTftp(world.context.reach),
    acts: journaledActs(world.dir),
    hands: {
      ...world.context.hands,
      async runOnHost(_host, _files, argv, { onLine }) {
        asked.push(argv.join(' '));
        const lines = answers[argv[0] ?? '']?.() ?? [];
        for (const line of lines) onLine?.(line);
        return lines;
      },
    },
  };
  const hosts = hostsInOrder(context.design).filter(({ name }) => name === 'bastion');
  const io = { ask: null, stderr: (text: string) => void said.push(text), columns: 80 };
  const consent = { isYes: true, overwrites: false, isSideBySide: false, revertsAfter: null };
  return {
    dir: world.dir,
    started: () => asked.filter((argv) => argv.startsWith('start')),
    said: () => said.join(''),
    apply: () => applyAll(context, hosts, io, consent),
    undo: () => undoAll(context, hosts, io, consent),
  };
}

const happened = (dir: string) =>
  readJournal(dir).flatMap((line) => {
    if (line.type === 'begun') return [`${line.step} ${line.action} ${line.subject}`];
    return line.type === 'ended' ? [`${line.outcome} ${line.code}`] : [];
  });

test('what the command does on a host is written down before and after, as on the screens', async () => {
  const { dir, apply, undo, started } = await scene();
  expect(await apply()).toBe(0);
  expect(started()).toEqual(['start install 0']);
  expect(happened(dir)).toEqual(['hosts set-up bastion', 'done null']);
  await undo();
  expect(happened(dir).slice(2)).toEqual(['hosts undo bastion', expect.stringMatching(/^(?:done|failed) /)]);
});

test('what cannot be written down is not done on a host, and that is said', async () => {
  const { dir, apply, started, said } = await scene();
  const [file] = journalFiles(dir);
  rmSync(file, { force: true });
  mkdirSync(file, { recursive: true });
  expect(await apply()).toBe(4);
  expect(started()).toEqual([]);
  expect(said()).toMatch(/The session cannot be saved: /);
});
