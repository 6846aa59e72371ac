import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../../../src/session/session.ts';
import { key } from '../../support/terminal-run.ts';
import { AFTER_NAME, answerName, openWizard } from '../pty-wizard.ts';
import { createTally, type Row, type Tally, type Torture } from '../row.ts';
import { createEnvironment } from '../run-files.ts';

/** Number of wizards that run at the same time. */
const MAX_CONCURRENT = 3;

/** The wizard on a terminal is killed at random moments during input, repeatedly in the same directory. */
export const ptyKills: Row = {
  description:
    'Kill the wizard on a pty with SIGKILL at random moments: at its start, and while it reads input, saves and draws. Open it again in the same directory each time.',
  target: '>= 500 kills; the last accepted answer is saved each time, and no process is locked out',
  minCases: 500,
  needs: ['unshare', 'root'],
  async run(torture) {
    const tally = createTally(torture.report);
    const total = torture.isShort ? 2 : 500;
    const lanes = torture.isShort ? 1 : MAX_CONCURRENT;
    await Promise.all(
      Array.from({ length: lanes }, (_, lane) => typeAndKill(torture, tally, lane, Math.ceil(total / lanes))),
    );
    return { cases: tally.cases(), failures: tally.failures, figure: `${tally.cases()} kills` };
  },
};

async function typeAndKill(torture: Torture, tally: Tally, lane: number, kills: number): Promise<void> {
  const dir = join(torture.dir, `lane-${lane}`);
  mkdirSync(dir, { mode: 0o700 });
  const env = createEnvironment(torture.dir);
  const first = openWizard(dir, env);
  await first.waitFor(/New installation/);
  first.type(key.enter);
  await first.waitFor(/[│┤] ▸ OpenShift version/);
  first.type(key.tab.repeat(3));
  let lastName = 'n0';
  await answerName(first, lastName);
  first.pty.kill('SIGKILL');
  await first.exit;

  for (let kill = 1; kill <= kills; kill += 1) {
    await tally.try(`lane ${lane}, kill ${kill}`, async () => {
      const run = openWizard(dir, env);
      // Some die before they draw anything, most during input.
      const delay = torture.random() * (kill % 5 === 0 ? 700 : 400);
      let isDead = false;
      const exited = run.exit.then(() => {
        isDead = true;
      });
      const killLater = () => setTimeout(() => run.pty.kill('SIGKILL'), delay);
      if (kill % 5 === 0) killLater();
      else void run.waitFor(AFTER_NAME).then(killLater, () => undefined);
      let [confirmedName, typedName] = [lastName, lastName];
      const inputLoop = (async () => {
        for (let count = 1; !isDead; count += 1) {
          typedName = `n${kill}x${count}`;
          await answerName(run, typedName);
          confirmedName = typedName;
        }
      })();
      await Promise.race([exited, inputLoop.catch(() => undefined)]);
      await exited;
      const { design } = openSession(dir).load();
      const savedName = (design as { cluster?: { name?: string } } | null)?.cluster?.name ?? '';
      lastName = savedName;
      return savedName === confirmedName || savedName === typedName
        ? []
        : [`${savedName} is saved, not ${confirmedName} or ${typedName}`];
    });
  }
}
