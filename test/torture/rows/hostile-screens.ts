import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { exampleDocument } from '../../../src/cli/session/saved.ts';
import { freshState, openSession } from '../../../src/session/store.ts';
import { SCREEN_IDS, type ScreenId } from '../../../src/wizard/state.ts';
import { requireProgram } from '../../support/programs.ts';
import { runOnPty } from '../../support/pty-run.ts';
import { executable } from '../../support/rehearsal-run.ts';
import { key } from '../../support/terminal-run.ts';
import { POISON, rawIn, withoutOwn } from '../hostile.ts';
import { environmentIn, OFFLINE, PROGRAM } from '../place.ts';
import { newTally, type Row, type Torture } from '../row.ts';
import { run } from '../strace.ts';
import { drawnLive } from './hostile-live.ts';

const LEAST = 500;
const SCREENS: readonly ScreenId[] = ['nodes', 'networks', 'review', 'services', 'cluster', 'credentials'];

/** Hostile text that was saved is drawn by the screens, and asked about in lines. */
export const hostileScreens: Row = {
  what: 'hostile text in every text of a saved design, drawn by each screen of the design on a pty of 160x60, and shown at the questions of --plain; hostile text in every text that the API, the installer, the boot server and logins answer, drawn by each live screen, its pages, the diagnosis and a viewer, at 160x60, 80x24 and 60x20',
  target: `>= ${LEAST} strings of each that are seen on the screen; none of them comes out raw, nothing else that draws or hides does, and every row stays in its place`,
  least: 2 * LEAST,
  needs: ['unshare'],
  async run(torture) {
    const tally = newTally(torture.say);
    const seen = { screens: 0, lines: 0 };
    for (let round = 0; seen.screens < (torture.isShort ? 1 : LEAST); round += 1) {
      const screen = SCREENS[round % SCREENS.length] ?? 'nodes';
      await tally.try(`${screen}, round ${round}`, async () => {
        const drawn = await drawnBy(torture, screen, round);
        seen.screens += drawn.seen;
        return drawn.wrong;
      });
      if (round % SCREENS.length === 0) {
        await tally.try(`lines, round ${round}`, async () => {
          const printed = await printedFor(torture, round);
          seen.lines += printed.seen;
          return printed.wrong;
        });
      }
    }
    const live = await drawnLive(torture, tally);
    const figure = `${seen.screens} strings on screens of the design, ${seen.lines} in lines, ${live} on live screens`;
    return { cases: seen.screens + seen.lines + live, failures: tally.failures, figure };
  },
};

/** A string with hostile text between two marks, by which it is found again. */
interface Hostile {
  readonly mark: string;
  readonly poison: string;
}

/** Saves a design whose texts are all hostile. */
function prepared(torture: Torture, screen: ScreenId, round: number): { dir: string; hostile: readonly Hostile[] } {
  const dir = join(torture.dir, 'hostile');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { mode: 0o700 });
  const hostile: Hostile[] = [];
  const poisoned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(poisoned);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, KEPT.has(name) ? inner : poisoned(inner)]),
      );
    if (typeof value !== 'string') return value;
    const poison = POISON[(round * 17 + hostile.length) % POISON.length] ?? '';
    const mark = `q${(hostile.length + 1).toString(36)}j`;
    hostile.push({ mark, poison });
    return `${mark}${poison}z`;
  };
  openSession(dir).save({ ...freshState, design: poisoned(exampleDocument()), place: { screen, field: null } });
  return { dir, hostile };
}

/** What is no text of a person's but one of a few choices. */
const KEPT: ReadonlySet<string> = new Set(['role', 'topology', 'kind', 'os', 'architecture', 'apiVersion', 'version']);

async function drawnBy(torture: Torture, screen: ScreenId, round: number) {
  const { dir, hostile } = prepared(torture, screen, round);
  const argv = ['-n', process.execPath, executable, '--dir', dir];
  const env = { ...environmentIn(torture.dir), TERM: 'xterm-256color' };
  const wizard = runOnPty(requireProgram('unshare'), argv, { env, cols: 160, rows: 60 });
  const place = new RegExp(` ${SCREEN_IDS.indexOf(screen) + 1}/${SCREEN_IDS.length}`);
  await wizard.until(() => place.test(wizard.screen()), String(place));
  const shown = wizard.screen();
  wizard.pty.write(key.ctrl('s'));
  await wizard.exit;
  return { seen: hostile.filter(({ mark }) => shown.includes(mark)).length, wrong: wrongIn(wizard.output(), hostile) };
}

async function printedFor(torture: Torture, round: number) {
  const { dir, hostile } = prepared(torture, 'cluster', round);
  const [file = '', ...args] = [...OFFLINE, ...PROGRAM, '--plain', '--dir', dir];
  const { stdout, stderr } = await run(file, args, {
    cwd: dir,
    env: environmentIn(torture.dir),
    input: '\n'.repeat(80),
  });
  const text = stdout + stderr;
  return { seen: hostile.filter(({ mark }) => text.includes(mark)).length, wrong: wrongIn(text, hostile) };
}

function wrongIn(output: string, hostile: readonly Hostile[]): string[] {
  const asItCame = hostile.filter(({ mark, poison }) => output.includes(`${mark}${poison}`));
  const raw = rawIn(withoutOwn(output));
  return [
    ...asItCame.map(({ poison }) => `${JSON.stringify(poison)} came out as it is`),
    ...(raw === null ? [] : [raw]),
  ];
}
