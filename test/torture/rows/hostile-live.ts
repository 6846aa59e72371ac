import { SCREEN_IDS, type ScreenId } from '../../../src/wizard/state.ts';
import { makeSandbox, type Sandbox } from '../../support/rehearsal-run.ts';
import { key, startOnTerminal, type TerminalRun } from '../../support/terminal-run.ts';
import { marksIn, unseenIn, withoutOwn } from '../hostile.ts';
import { openHostileScene } from '../hostile-scene.ts';
import type { Tally, Torture } from '../row.ts';

interface Stop {
  /** Where the rehearsal is then. */
  readonly printed: RegExp;
  readonly screen: ScreenId;
  /** What draws more of what comes from outside. */
  readonly keys: readonly string[];
}

const EACH_ROW = Array.from({ length: 8 }, () => key.down);
const STOPS: readonly Stop[] = [
  { printed: /^\[11\/17\]/m, screen: 'boot', keys: [...EACH_ROW, '!'] },
  { printed: /^\[12\/17\]/m, screen: 'bootstrap', keys: ['l', '!'] },
  {
    printed: /^\[14\/17\]/m,
    screen: 'certificates',
    keys: [...EACH_ROW.flatMap((down) => [down, 'D', key.escape]), '!'],
  },
  { printed: /^\[15\/17\]/m, screen: 'operators', keys: [key.down, 'h', key.escape, '!'] },
  { printed: /^\[16\/17\]/m, screen: 'infra', keys: [...EACH_ROW, '!'] },
  { printed: /^\[17\/17\]/m, screen: 'report', keys: [key.down] },
];
/** How each stop is looked at: with hostile names too, or with hostile messages only. */
const SITTINGS = [
  { cols: 160, rows: 60, texts: 'said' },
  { cols: 160, rows: 60, texts: 'all' },
  { cols: 80, rows: 24, texts: 'said' },
  { cols: 60, rows: 20, texts: 'all' },
] as const;
/** Screens that show little at a time are looked at again and again, until so many strings were seen on each. */
const LEAST_SEEN = 500;
const MOST_ROUNDS = 6;
type Sitting = (typeof SITTINGS)[number];

/**
 * Draws on live screens, and on those of a viewer, what a hostile cluster, log and login say.
 * @returns how many hostile strings were seen there
 */
export async function drawnLive({ isShort, say }: Torture, tally: Tally): Promise<number> {
  const sandbox = makeSandbox();
  const seen = new Map<ScreenId, number>();
  try {
    const scene = await openHostileScene(sandbox);
    for (const stop of isShort ? STOPS.slice(1, 2) : STOPS) {
      await scene.playTo(stop.printed);
      const rounds = Array.from({ length: MOST_ROUNDS }, () => SITTINGS).flat();
      for (const [turn, sitting] of (isShort ? SITTINGS.slice(0, 1) : rounds).entries()) {
        if (turn >= SITTINGS.length && (seen.get(stop.screen) ?? 0) >= LEAST_SEEN) break;
        const { cols, rows, texts } = sitting;
        await tally.try(`${stop.screen} at ${cols}x${rows}, hostile in ${texts}`, async () => {
          scene.turnHostile(stop.screen, texts);
          const drawn = await drawnAt(sandbox, scene.dir, stop, sitting);
          seen.set(stop.screen, (seen.get(stop.screen) ?? 0) + drawn.seen);
          return drawn.wrong;
        });
      }
    }
  } finally {
    await sandbox.remove();
  }
  say(`seen live: ${[...seen].map(([screen, count]) => `${screen} ${count}`).join(', ')}`);
  return [...seen.values()].reduce((sum, each) => sum + each, 0);
}

/** One sitting at a live screen: what it shows at once, and after each of its keys; somebody watches meanwhile. */
async function drawnAt(sandbox: Sandbox, dir: string, { screen, keys }: Stop, size: Sitting) {
  const wizard = startOnTerminal(['--dir', dir], { sandbox, cols: size.cols, rows: size.rows });
  const place = new RegExp(` ${SCREEN_IDS.indexOf(screen) + 1}/${SCREEN_IDS.length}`);
  const wrong: string[] = [];
  let seen = 0;
  const look = (run: TerminalRun, what: string) => {
    seen += marksIn(run.screen()).seen;
    wrong.push(...brokenIn(run, place, size).map((why) => `${what}: ${why}\n${run.screen()}`));
  };
  await wizard.until(() => place.test(wizard.screen()) && hasLooked(wizard), `${screen} after its look`);
  look(wizard, 'first');
  const viewer = startOnTerminal(['attach', '--view', '--dir', dir], { sandbox, cols: size.cols, rows: size.rows });
  await viewer.until(() => place.test(viewer.screen()) && hasLooked(viewer), `${screen} at the viewer`);
  look(viewer, 'viewer');
  for (const each of keys) {
    const before = wizard.screen();
    wizard.type(each);
    await wizard.until(
      () => wizard.screen() !== before && hasLooked(wizard),
      `${screen} after ${JSON.stringify(each)}`,
    );
    look(wizard, JSON.stringify(each));
  }
  wizard.type(key.escape);
  wizard.type(key.ctrl('s'));
  for (const run of [wizard, viewer]) {
    run.pty.kill('SIGTERM');
    await run.exit;
    const output = run.output();
    const raw = unseenIn(withoutOwn(output));
    wrong.push(...marksIn(output).raw.map((poison) => `${poison} came out as it is`), ...(raw === null ? [] : [raw]));
  }
  return { seen, wrong };
}

/** It does not wait for the world any more. */
const hasLooked = (run: TerminalRun) => !/looking|Looking at everything/.test(run.screen());

/** What is not where it belongs: the title first, a rule under it and one over the keys, and nothing past the edge. */
function brokenIn(run: TerminalRun, place: RegExp, { cols, rows }: Sitting): string[] {
  const lines = run.screen().split('\n');
  const isRule = (line = '') => line.length === cols && /^[─━╌-]+$/u.test(line);
  return [
    ...run.overflown().map((row) => `row ${row} is written past the edge`),
    ...(place.test(lines[0] ?? '') ? [] : ['the title is not in the first row']),
    ...(isRule(lines[rows - 2]) ? [] : ['there is no rule over the keys']),
    ...(/\S/.test(lines[rows - 1] ?? '') ? [] : ['there are no keys in the last row']),
  ];
}
