import type { Design } from '../../../src/design/model.ts';
import type { Likelihood } from '../../../src/diagnosis/causes/cause.ts';
import type { Diagnosis } from '../../../src/diagnosis/causes/diagnose.ts';
import type { FaultId } from '../../../src/rehearsal/site/faults.ts';
import { type FollowedSite, followedSite } from './follow.ts';
import { hiveSays } from './hive.ts';
import type { Pace, Variation } from './variations.ts';

/** What was found when somebody asked. */
export interface Asked {
  /** Where the installation stood: `10 min`, `complete`, `+45 min`. */
  readonly when: string;
  readonly found: readonly Pick<Diagnosis, 'rule' | 'likelihood' | 'symptom'>[];
}

/** How well the planted cause was told. */
export type Verdict = 'first' | 'named' | 'missed' | 'not playable';

/** What a play of one fault came to. */
export interface Score {
  readonly fault: FaultId;
  readonly site: string;
  readonly verdict: Verdict;
  /** When the planted cause was told first, and how surely in the end. */
  readonly since: string | null;
  readonly likelihood: Likelihood | null;
  /** What else was told in the end, with how surely. */
  readonly beside: readonly string[];
  readonly asked: readonly Asked[];
  /** What Hive's patterns find in the log of openshift-install at the end; null: nothing. */
  readonly hive: string | null;
}

/** Faults that no site of one's own hardware has. */
const OF_CLOUDS: ReadonlySet<FaultId> = new Set(['machine-fails']);

/** A compute node that is not there after so many minutes comes no more. */
const LONG = 45;

/** Plays an installation by a person who follows the wizard, and asks what is wrong on the way. */
async function played(
  design: Design,
  faults: readonly FaultId[],
  seed: number,
  pace: Pace,
): Promise<{ asked: Asked[]; log: string }> {
  const followed = await followedSite(design, faults, seed);
  const asked: Asked[] = [];
  const ask = async (when: string) => {
    const found = await followed.diagnose();
    asked.push({ when, found: found.map(({ rule, likelihood, symptom }) => ({ rule, likelihood, symptom })) });
  };
  try {
    await ask('before');
    await PACES[pace](followed, ask);
    return { asked, log: followed.installerLog() };
  } finally {
    await followed.close();
  }
}

type Play = (followed: FollowedSite, ask: (when: string) => Promise<void>) => Promise<void>;

async function toTheEnd(followed: FollowedSite, ask: (when: string) => Promise<void>): Promise<void> {
  const isComplete = () => followed.game.site.status().isBootstrapComplete;
  await followed.pass(25, isComplete);
  await ask(isComplete() ? 'complete' : '35 min');
  if (!isComplete()) {
    await followed.pass(25, isComplete);
    await ask(isComplete() ? 'complete' : '60 min');
  }
  if (!isComplete()) return;
  await followed.goOn();
  await followed.pass(15);
  await ask('+15 min');
  await followed.pass(LONG - 15);
  await ask(`+${LONG} min`);
}

const PACES: Readonly<Record<Pace, Play>> = {
  async whole(followed, ask) {
    followed.boot();
    await followed.pass(10);
    await ask('10 min');
    await toTheEnd(followed, ask);
  },
  async middle(followed, ask) {
    followed.boot();
    for (let minutes = 4; minutes <= 24; minutes += 4) {
      await followed.pass(4);
      await ask(`${minutes} min`);
    }
  },
  async left(followed, ask) {
    followed.boot();
    await followed.pass(60, () => followed.game.site.status().isBootstrapComplete);
    for (const hours of [1, 2]) {
      await followed.pass(60);
      await ask(`complete, and ${hours} h`);
    }
  },
  async late(followed, ask) {
    followed.boot(['bootstrap']);
    await followed.pass(20);
    await ask('the bootstrap alone, 20 min');
    await followed.pass(10);
    followed.boot(['control-plane']);
    await followed.pass(12);
    await ask('12 min');
    await toTheEnd(followed, ask);
  },
  async old(followed, ask) {
    await followed.skip(22.5 * 60);
    await ask('22 h');
    followed.boot();
    await toTheEnd(followed, ask);
  },
};

/** Plants a fault, plays it, and says how well it was told. */
export async function scoreOf(
  fault: FaultId,
  { name, design, seed }: { readonly name: string; readonly design: () => Design; readonly seed: number },
): Promise<Score> {
  const none = { fault, site: name, since: null, likelihood: null, beside: [], asked: [], hive: null };
  if (OF_CLOUDS.has(fault)) return { ...none, verdict: 'not playable' };
  const { asked, log } = await played(design(), [fault], seed, 'whole');
  const hive = hiveSays(log);
  const named = asked.filter(({ found }) => found.some(({ rule }) => rule === fault));
  const last = named.at(-1);
  const own = last?.found.find(({ rule }) => rule === fault);
  if (last === undefined || own === undefined) {
    const beside = (asked.at(-1)?.found ?? []).map(told);
    return { ...none, asked, hive, beside, verdict: 'missed' };
  }
  // Who reads from the top is led to the cause, each time that anything is told that is no mere guess.
  const isFirst = asked.every(
    ({ found: [top] }) =>
      top === undefined || top.rule === fault || (top.likelihood === 'possible' && last.found[0] === own),
  );
  const beside = last.found.filter((each) => each !== own).map(told);
  const verdict = isFirst ? 'first' : 'named';
  return { ...none, verdict, since: named[0]?.when ?? null, likelihood: own.likelihood, beside, asked, hive };
}

/** What was told of a site on which nothing is wrong: a line for each finding, with when. Empty: nothing. */
export async function alarmsOf({ design, seed, pace }: Variation): Promise<{ moments: number; alarms: string[] }> {
  const { asked } = await played(design(), [], seed, pace);
  const alarms = asked.flatMap(({ when, found }) => found.map((each) => `${when}: ${told(each)} ${each.symptom}`));
  return { moments: asked.length, alarms };
}

function told({ rule, likelihood }: Pick<Diagnosis, 'rule' | 'likelihood'>): string {
  return `${rule} (${likelihood})`;
}
