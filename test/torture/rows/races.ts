import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSession } from '../../../src/session/session.ts';
import type { RaceOrder, RaceReport } from '../race-worker.ts';
import { createTally, type Row, type Tally, type Torture } from '../row.ts';
import { createEnvironment, SOURCE_ENV } from '../run-files.ts';

const WORKER = fileURLToPath(new URL('../race-worker.ts', import.meta.url));

/** Namespaces of a racer: those of this process, another network namespace, or another process namespace. */
const NAMESPACES = [[], ['unshare', '-n'], ['unshare', '-pf', '--kill-child', '--mount-proc']] as const;

/** Many processes open one session for writing at once, while holders are killed and stopped. */
export const races: Row = {
  description:
    'Let 2 to 50 processes race for the lock of one directory, a third of them in other network and process namespaces. Holders are killed with SIGKILL, stopped, or asked to hand over by many processes at once while others watch.',
  target:
    '>= 1,000 races; never two writers, one process always gets the lock, no save is lost; a killed holder locks out no process, a stopped holder keeps the lock, and a holder that is asked hands over to one of the requesters',
  minCases: 1000,
  needs: ['unshare', 'root'],
  async run(torture) {
    const tally = createTally(torture.report);
    const dir = join(torture.dir, 'install');
    mkdirSync(dir, { mode: 0o700 });
    const racers = await startRacers(torture, torture.isShort ? 6 : 50);
    try {
      const scene: Scene = {
        torture,
        tally,
        dir,
        racers,
        saves: { confirmed: 0, unconfirmed: 0 },
        counts: { takeOvers: 0, views: 0 },
      };
      const total = torture.isShort ? 16 : 1000;
      let races = 0;
      for (; races < total; races += 1) {
        const kind = races % 10;
        if (kind === 8) await raceAfterKill(scene);
        else if (kind === 7) await raceToTakeOver(scene);
        else if (kind === 9) await raceAgainstStopped(scene);
        else await raceForFreeLock(scene);
      }
      const { design } = openSession(dir).load();
      const count = Number((design as { count?: number } | null)?.count ?? 0);
      const { confirmed, unconfirmed } = scene.saves;
      if (count < confirmed || count > confirmed + unconfirmed)
        tally.fail('the saves', `${count} found, expected ${confirmed} to ${confirmed + unconfirmed}`);
      return {
        cases: tally.cases(),
        failures: tally.failures,
        figure: `${races} races of up to ${racers.length} processes, ${count} saves; ${scene.counts.takeOvers} take-over requests, ${scene.counts.views} viewers`,
      };
    } finally {
      for (const racer of racers) racer.kill();
    }
  },
};

interface Racer {
  readonly sharesOurNamespaces: boolean;
  readonly race: (order: RaceOrder) => Promise<Extract<RaceReport, { type: 'over' }>>;
  /** Resolves once it holds the lock in a race that waits. */
  readonly waitUntilHolding: () => Promise<void>;
  readonly signal: (name: NodeJS.Signals) => void;
  readonly resume: () => void;
  readonly kill: () => void;
}

interface Scene {
  readonly torture: Torture;
  readonly tally: Tally;
  readonly dir: string;
  readonly racers: Racer[];
  readonly saves: { confirmed: number; unconfirmed: number };
  /** Requests to take over, and sessions that were viewed meanwhile. */
  readonly counts: { takeOvers: number; views: number };
}

async function startRacers(torture: Torture, count: number): Promise<Racer[]> {
  const racers: Racer[] = [];
  for (let index = 0; index < count; index += 1) racers.push(await startRacer(torture, index));
  return racers;
}

function startRacer(torture: Torture, index: number): Promise<Racer> {
  const namespace = index % 3 === 0 ? (NAMESPACES[1 + ((index / 3) % 2)] ?? []) : [];
  const [file = '', ...args] = [...namespace, process.execPath, WORKER];
  const child: ChildProcess = spawn(file, args, {
    env: { ...createEnvironment(torture.dir), ...SOURCE_ENV },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const answers: RaceReport[] = [];
  const waiters = new Set<() => void>();
  const wake = () => {
    for (const check of [...waiters]) check();
  };
  child.on('message', (answer: RaceReport) => {
    answers.push(answer);
    wake();
  });
  let hasExited = false;
  child.on('exit', () => {
    hasExited = true;
    wake();
  });
  const waitForAnswer = <T extends RaceReport['type']>(type: T) =>
    new Promise<Extract<RaceReport, { type: T }>>((resolve, reject) => {
      const check = () => {
        const found = answers.findIndex((answer) => answer.type === type);
        if (found < 0 && !hasExited) return;
        waiters.delete(check);
        const [answer] = found < 0 ? [] : answers.splice(found, 1);
        if (answer === undefined) reject(new Error('the racer has exited'));
        else resolve(answer as Extract<RaceReport, { type: T }>);
      };
      waiters.add(check);
      check();
    });
  const racer: Racer = {
    sharesOurNamespaces: namespace.length === 0,
    race(order) {
      child.send(order);
      return waitForAnswer('over');
    },
    waitUntilHolding: async () => void (await waitForAnswer('holding')),
    signal: (name) => void child.kill(name),
    resume: () => void child.send('go on'),
    kill: () => void child.kill('SIGKILL'),
  };
  return waitForAnswer('ready').then(() => racer);
}

/** Picks some of the racers, each at most once. */
function pickRacers({ racers, torture }: Scene, minimum: number): Racer[] {
  const count = Math.min(racers.length, Math.max(minimum, 2 + Math.floor(torture.random() ** 2 * (racers.length - 1))));
  return racers
    .map((racer) => ({ racer, order: torture.random() }))
    .sort((one, other) => one.order - other.order)
    .slice(0, count)
    .map(({ racer }) => racer);
}

const createOrder = ({ dir, torture }: Scene, isToHang = false, role: RaceOrder['role'] = 'race'): RaceOrder => ({
  dir,
  delay: Math.floor(torture.random() * 4),
  hold: Math.floor(torture.random() * 4),
  holdsUntilReleased: isToHang,
  role,
});

/** Lists the problems in the results of a race. */
function checkResults(
  scene: Scene,
  results: readonly Extract<RaceReport, { type: 'over' }>[],
  isLockFree: boolean,
): string[] {
  const winners = results.filter(({ how }) => how === 'won').length;
  scene.saves.confirmed += results.reduce((sum, { saves }) => sum + saves, 0);
  return [
    ...results.flatMap(({ how, why }) => (how === 'failed' || how === 'taken' ? [why] : [])),
    ...(isLockFree && winners === 0 ? ['no process won'] : []),
    ...(!isLockFree && winners > 0 ? [`${winners} won while another held the lock`] : []),
  ];
}

async function raceForFreeLock(scene: Scene): Promise<void> {
  const racers = pickRacers(scene, 2);
  await scene.tally.try(`race of ${racers.length}`, async () => {
    const results = await Promise.all(racers.map((racer) => racer.race(createOrder(scene))));
    return checkResults(scene, results, true);
  });
}

/** Starts a racer, in this process namespace if possible, that holds the lock until it is released or killed. */
async function startHolder(
  scene: Scene,
): Promise<{ holder: Racer; result: Promise<Extract<RaceReport, { type: 'over' }> | null>; others: Racer[] }> {
  const [holder, ...others] = [...pickRacers(scene, 4)].sort(
    (one, other) => Number(other.sharesOurNamespaces) - Number(one.sharesOurNamespaces),
  );
  if (!holder) throw new Error('no racer is available');
  const result = holder.race(createOrder(scene, true)).catch(() => null);
  await holder.waitUntilHolding();
  return { holder, result, others };
}

async function raceAfterKill(scene: Scene): Promise<void> {
  await scene.tally.try('race after a holder was killed', async () => {
    const { holder, result, others } = await startHolder(scene);
    scene.saves.unconfirmed += 1;
    holder.signal('SIGKILL');
    await result;
    scene.racers[scene.racers.indexOf(holder)] = await startRacer(scene.torture, 1);
    rmSync(join(scene.dir, '../writer'), { force: true });
    // Only racers in the same process namespace can detect its death and go on without it.
    const neighbours = others.filter(({ sharesOurNamespaces: isInOwnNamespaces }) => isInOwnNamespaces);
    const racers = neighbours.length > 0 ? neighbours : [scene.racers[1] ?? holder];
    return checkResults(scene, await Promise.all(racers.map((racer) => racer.race(createOrder(scene)))), true);
  });
}

async function raceAgainstStopped(scene: Scene): Promise<void> {
  await scene.tally.try('race against a holder that is stopped', async () => {
    const { holder, result, others } = await startHolder(scene);
    holder.signal('SIGSTOP');
    const results = await Promise.all(others.map((racer) => racer.race(createOrder(scene))));
    const wrong = checkResults(scene, results, false);
    holder.signal('SIGCONT');
    holder.resume();
    const lastResult = await result;
    return [...wrong, ...checkResults(scene, lastResult === null ? [] : [lastResult], true)];
  });
}

/** Some racers ask the holder to leave, the others view the session. */
async function raceToTakeOver(scene: Scene): Promise<void> {
  await scene.tally.try('race to take over', async () => {
    const { result, others } = await startHolder(scene);
    const participants = others.map(
      (racer, index) => ({ racer, role: index % 2 === 0 ? 'take-over' : 'view' }) as const,
    );
    const results = await Promise.all(
      participants.map(({ racer, role }) => racer.race(createOrder(scene, false, role))),
    );
    const lastResult = await result;
    scene.counts.takeOvers += participants.filter(({ role }) => role === 'take-over').length;
    scene.counts.views += results.filter(({ how }) => how === 'seen').length;
    return [
      ...checkResults(scene, results, true),
      ...checkResults(scene, lastResult === null ? [] : [lastResult], true),
    ];
  });
}
