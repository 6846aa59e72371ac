import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSession } from '../../../src/session/store.ts';
import { environmentIn, OF_SOURCES } from '../place.ts';
import type { RaceAnswer, RaceOrder } from '../race-worker.ts';
import { newTally, type Row, type Tally, type Torture } from '../row.ts';

const WORKER = fileURLToPath(new URL('../race-worker.ts', import.meta.url));
/** Where a racer lives: beside the others, in another network, or in another process namespace. */
const PLACES = [[], ['unshare', '-n'], ['unshare', '-pf', '--kill-child', '--mount-proc']] as const;

/** Many want to write one session at once; holders are killed and stopped. */
export const races: Row = {
  what: 'races of 2 to 50 processes for the lock of one directory, a third of them in other network and process namespaces; holders that are killed with -9, that are stopped, that are taken over by many at once while others watch',
  target:
    '>= 1,000 races; never two writers, somebody always wins, no save is lost, a dead holder locks nobody out, a stopped one is not overrun, one that is asked leaves for one of those who ask',
  least: 1000,
  needs: ['unshare', 'root'],
  async run(torture) {
    const tally = newTally(torture.say);
    const dir = join(torture.dir, 'install');
    mkdirSync(dir, { mode: 0o700 });
    const racers = await startRacers(torture, torture.isShort ? 6 : 50);
    try {
      const scene: Scene = {
        torture,
        tally,
        dir,
        racers,
        saves: { sure: 0, unsure: 0 },
        seen: { takeOvers: 0, views: 0 },
      };
      const total = torture.isShort ? 16 : 1000;
      let races = 0;
      for (; races < total; races += 1) {
        const kind = races % 10;
        if (kind === 8) await killedHolder(scene);
        else if (kind === 7) await takenOver(scene);
        else if (kind === 9) await stoppedHolder(scene);
        else await openRace(scene);
      }
      const { design } = openSession(dir).load();
      const count = Number((design as { count?: number } | null)?.count ?? 0);
      const { sure, unsure } = scene.saves;
      if (count < sure || count > sure + unsure)
        tally.fail('the saves', `${count} are there, of ${sure} to ${sure + unsure}`);
      return {
        cases: tally.cases(),
        failures: tally.failures,
        figure: `${races} races of up to ${racers.length}, ${count} saves; ${scene.seen.takeOvers} ask to take over, ${scene.seen.views} watch meanwhile`,
      };
    } finally {
      for (const racer of racers) racer.end();
    }
  },
};

interface Racer {
  readonly isBeside: boolean;
  readonly race: (order: RaceOrder) => Promise<Extract<RaceAnswer, { type: 'over' }>>;
  /** Once it holds the lock of a race that hangs. */
  readonly holding: () => Promise<void>;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly goOn: () => void;
  readonly end: () => void;
}

interface Scene {
  readonly torture: Torture;
  readonly tally: Tally;
  readonly dir: string;
  readonly racers: Racer[];
  readonly saves: { sure: number; unsure: number };
  /** Take-overs, and sessions that were watched meanwhile. */
  readonly seen: { takeOvers: number; views: number };
}

async function startRacers(torture: Torture, count: number): Promise<Racer[]> {
  const racers: Racer[] = [];
  for (let index = 0; index < count; index += 1) racers.push(await startRacer(torture, index));
  return racers;
}

function startRacer(torture: Torture, index: number): Promise<Racer> {
  const place = index % 3 === 0 ? (PLACES[1 + ((index / 3) % 2)] ?? []) : [];
  const [file = '', ...args] = [...place, process.execPath, WORKER];
  const child: ChildProcess = spawn(file, args, {
    env: { ...environmentIn(torture.dir), ...OF_SOURCES },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const answers: RaceAnswer[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  child.on('message', (answer: RaceAnswer) => {
    answers.push(answer);
    wake();
  });
  let isGone = false;
  child.on('exit', () => {
    isGone = true;
    wake();
  });
  const next = <T extends RaceAnswer['type']>(type: T) =>
    new Promise<Extract<RaceAnswer, { type: T }>>((resolve, reject) => {
      const look = () => {
        const found = answers.findIndex((answer) => answer.type === type);
        if (found < 0 && !isGone) return;
        waiting.delete(look);
        const [answer] = found < 0 ? [] : answers.splice(found, 1);
        if (answer === undefined) reject(new Error('the racer is gone'));
        else resolve(answer as Extract<RaceAnswer, { type: T }>);
      };
      waiting.add(look);
      look();
    });
  const racer: Racer = {
    isBeside: place.length === 0,
    race(order) {
      child.send(order);
      return next('over');
    },
    holding: async () => void (await next('holding')),
    signal: (name) => void child.kill(name),
    goOn: () => void child.send('go on'),
    end: () => void child.kill('SIGKILL'),
  };
  return next('ready').then(() => racer);
}

/** Some of the racers, each at most once. */
function some({ racers, torture }: Scene, least: number): Racer[] {
  const count = Math.min(racers.length, Math.max(least, 2 + Math.floor(torture.random() ** 2 * (racers.length - 1))));
  return racers
    .map((racer) => ({ racer, at: torture.random() }))
    .sort((one, other) => one.at - other.at)
    .slice(0, count)
    .map(({ racer }) => racer);
}

const orderOf = ({ dir, torture }: Scene, isToHang = false, role: RaceOrder['role'] = 'race'): RaceOrder => ({
  dir,
  delay: Math.floor(torture.random() * 4),
  hold: Math.floor(torture.random() * 4),
  isToHang,
  role,
});

/** What is wrong with how a race ended. */
function judged(scene: Scene, results: readonly Extract<RaceAnswer, { type: 'over' }>[], isOpen: boolean): string[] {
  const winners = results.filter(({ how }) => how === 'won').length;
  scene.saves.sure += results.reduce((sum, { saves }) => sum + saves, 0);
  return [
    ...results.flatMap(({ how, why }) => (how === 'failed' || how === 'taken' ? [why] : [])),
    ...(isOpen && winners === 0 ? ['nobody won'] : []),
    ...(!isOpen && winners > 0 ? [`${winners} won while another held the lock`] : []),
  ];
}

async function openRace(scene: Scene): Promise<void> {
  const racers = some(scene, 2);
  await scene.tally.try(`race of ${racers.length}`, async () => {
    const results = await Promise.all(racers.map((racer) => racer.race(orderOf(scene))));
    return judged(scene, results, true);
  });
}

/** A holder beside us, which holds until it is told or ended. */
async function holderOf(
  scene: Scene,
): Promise<{ holder: Racer; over: Promise<Extract<RaceAnswer, { type: 'over' }> | null>; others: Racer[] }> {
  const [holder, ...others] = [...some(scene, 4)].sort((one, other) => Number(other.isBeside) - Number(one.isBeside));
  if (!holder) throw new Error('nobody races');
  const over = holder.race(orderOf(scene, true)).catch(() => null);
  await holder.holding();
  return { holder, over, others };
}

async function killedHolder(scene: Scene): Promise<void> {
  await scene.tally.try('race after a holder was killed', async () => {
    const { holder, over, others } = await holderOf(scene);
    scene.saves.unsure += 1;
    holder.signal('SIGKILL');
    await over;
    scene.racers[scene.racers.indexOf(holder)] = await startRacer(scene.torture, 1);
    rmSync(join(scene.dir, '../writer'), { force: true });
    // Only those who can see that it is gone may go on without it.
    const seeing = others.filter(({ isBeside }) => isBeside);
    const racers = seeing.length > 0 ? seeing : [scene.racers[1] ?? holder];
    return judged(scene, await Promise.all(racers.map((racer) => racer.race(orderOf(scene)))), true);
  });
}

async function stoppedHolder(scene: Scene): Promise<void> {
  await scene.tally.try('race against a holder that is stopped', async () => {
    const { holder, over, others } = await holderOf(scene);
    holder.signal('SIGSTOP');
    const results = await Promise.all(others.map((racer) => racer.race(orderOf(scene))));
    const wrong = judged(scene, results, false);
    holder.signal('SIGCONT');
    holder.goOn();
    const last = await over;
    return [...wrong, ...judged(scene, last === null ? [] : [last], true)];
  });
}

/** Some ask the holder to leave, the others watch it. */
async function takenOver(scene: Scene): Promise<void> {
  await scene.tally.try('race to take over', async () => {
    const { over, others } = await holderOf(scene);
    const watching = others.map((racer, index) => ({ racer, role: index % 2 === 0 ? 'take-over' : 'view' }) as const);
    const results = await Promise.all(watching.map(({ racer, role }) => racer.race(orderOf(scene, false, role))));
    const last = await over;
    scene.seen.takeOvers += watching.filter(({ role }) => role === 'take-over').length;
    scene.seen.views += results.filter(({ how }) => how === 'seen').length;
    return [...judged(scene, results, true), ...judged(scene, last === null ? [] : [last], true)];
  });
}
