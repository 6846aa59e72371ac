import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openSession } from '../../../src/session/store.ts';
import { key } from '../../support/terminal-run.ts';
import { environmentIn } from '../place.ts';
import { newTally, type Row, type Tally, type Torture } from '../row.ts';
import { AFTER_NAME, answerName, openWizard } from '../typist.ts';

/** So many wizards are typed at, at a time. */
const AT_A_TIME = 3;

/** The wizard on a terminal is killed at any moment while somebody types, over and over in the same directory. */
export const ptyKills: Row = {
  what: 'the wizard on a pty, killed with -9 at random moments from its start to the middle of typing, saving and drawing; opened again in the same directory each time',
  target: '>= 500 kills; the answer that was accepted last is there each time, and nobody is locked out',
  least: 500,
  needs: ['unshare', 'root'],
  async run(torture) {
    const tally = newTally(torture.say);
    const total = torture.isShort ? 2 : 500;
    const lanes = torture.isShort ? 1 : AT_A_TIME;
    await Promise.all(
      Array.from({ length: lanes }, (_, lane) => typeAndKill(torture, tally, lane, Math.ceil(total / lanes))),
    );
    return { cases: tally.cases(), failures: tally.failures, figure: `${tally.cases()} kills` };
  },
};

async function typeAndKill(torture: Torture, tally: Tally, lane: number, kills: number): Promise<void> {
  const dir = join(torture.dir, `lane-${lane}`);
  mkdirSync(dir, { mode: 0o700 });
  const env = environmentIn(torture.dir);
  const first = openWizard(dir, env);
  await first.sees(/New installation/);
  first.type(key.enter);
  await first.sees(/\| ▸ OpenShift version/);
  first.type(key.tab.repeat(3));
  let last = 'n0';
  await answerName(first, last);
  first.pty.kill('SIGKILL');
  await first.exit;

  for (let kill = 1; kill <= kills; kill += 1) {
    await tally.try(`lane ${lane}, kill ${kill}`, async () => {
      const run = openWizard(dir, env);
      // Some die before they have drawn anything, most while somebody types.
      const delay = torture.random() * (kill % 5 === 0 ? 700 : 400);
      let isDead = false;
      const dead = run.exit.then(() => {
        isDead = true;
      });
      const killLater = () => setTimeout(() => run.pty.kill('SIGKILL'), delay);
      if (kill % 5 === 0) killLater();
      else void run.sees(AFTER_NAME).then(killLater, () => undefined);
      let [sure, tried] = [last, last];
      const typing = (async () => {
        for (let count = 1; !isDead; count += 1) {
          tried = `n${kill}x${count}`;
          await answerName(run, tried);
          sure = tried;
        }
      })();
      await Promise.race([dead, typing.catch(() => undefined)]);
      await dead;
      const { design } = openSession(dir).load();
      const saved = (design as { cluster?: { name?: string } } | null)?.cluster?.name ?? '';
      last = saved;
      return saved === sure || saved === tried ? [] : [`${saved} is there, and not ${sure} or ${tried}`];
    });
  }
}
