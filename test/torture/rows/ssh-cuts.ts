import { mkdirSync } from 'node:fs';
import { findJob } from '../../../src/bastion/jobs/job-status.ts';
import { openSession } from '../../../src/session/store.ts';
import { WAITS } from '../../../src/steps/shared/installer/wait-for.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { SCREEN_IDS, type ScreenId } from '../../../src/wizard/state.ts';
import { holdersOf, loginsOf } from '../../support/holders.ts';
import { requireProgram } from '../../support/programs.ts';
import { hangUp } from '../../support/pty-run.ts';
import { executable, makeSandbox, processesOf, type Sandbox, startRehearsal } from '../../support/rehearsal-run.ts';
import { runSshd, SSHD_HOST } from '../../support/sshd.ts';
import { key } from '../../support/terminal-run.ts';
import { newTally, type Row, type Tally, type Torture } from '../row.ts';
import { type Typist, typistAt } from '../typist.ts';

/** Simulated seconds in one: slow enough for a cut in each stage. */
const SPEED = 60;
/** From the login to the same screen (ms). */
const SOON = 2000;
/** How a line breaks: the client dies, the server's side dies, the terminal goes away. */
const CUTS = ['client', 'server', 'terminal'] as const;

/** How far a rehearsal is, by what it prints, and the screens that show what works then. */
const STAGES: readonly (readonly [RegExp, readonly ScreenId[]])[] = [
  [/of 4 machines fetched their ignition$/m, ['generate', 'hosts', 'prepare', 'boot']],
  // A busy machine may look too late for one of the stages.
  [/now: (?:Control plane nodes|Bootstrap reports)/, ['bootstrap', 'boot']],
  [/^ {2}approved csr-/m, ['bootstrap', 'certificates']],
  [/^ {2}router: /m, ['certificates', 'operators', 'infra']],
];

/** The wizard over SSH, on a line that breaks at every screen and while jobs run. */
export const sshCuts: Row = {
  what: "a real sshd on loopback, its line cut at each screen of the wizard and during each job of a rehearsal: the client killed, the server's side killed, the terminal closed",
  target: `>= 100 cuts; nobody is locked out, boot server, site and a waiting openshift-install live on, the same screen is back within ${SOON / 1000} s of the login`,
  least: 100,
  needs: ['sshd', 'ssh', 'ssh-keygen'],
  async run(torture) {
    const tally = newTally(torture.say);
    const sandbox = makeSandbox();
    const sshd = await runSshd();
    const scene: Scene = { torture, tally, sandbox, sshd, times: [], waiting: [] };
    try {
      await inDesign(scene);
      if (!torture.isShort) await inSteps(scene);
      if (!torture.isShort && scene.waiting.length === 0) tally.fail('jobs', 'no cut while openshift-install waited');
    } finally {
      await sshd.end();
      await sandbox.remove();
    }
    const sorted = scene.times.toSorted((one, other) => one - other);
    const median = Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
    const figure = `${tally.cases()} cuts; back after ${median} ms (median), ${Math.round(sorted.at(-1) ?? 0)} ms at most; ${scene.waiting.length} cuts while openshift-install waited`;
    return { cases: tally.cases(), failures: tally.failures, figure };
  },
};

interface Scene {
  readonly torture: Torture;
  readonly tally: Tally;
  readonly sandbox: Sandbox;
  readonly sshd: Awaited<ReturnType<typeof runSshd>>;
  readonly times: number[];
  /** The waits of openshift-install that were under way at a cut. */
  readonly waiting: string[];
}

function login({ sandbox, sshd }: Scene, dir: string): Typist {
  const { port, user, options } = sshd.target();
  const settings = Object.entries({ ...sandbox.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' });
  const env = settings.filter(([name]) => name !== 'PATH').map(([name, value]) => `${name}='${value}'`);
  const command = `env ${env.join(' ')} '${process.execPath}' '${executable}' --dir '${dir}'`;
  return typistAt(requireProgram('ssh'), ['-tt', '-p', `${port}`, ...options, `${user}@${SSHD_HOST}`, command], {});
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function cut(how: (typeof CUTS)[number], run: Typist, dir: string): void {
  if (how === 'client') run.pty.kill('SIGKILL');
  else if (how === 'terminal') hangUp(run.pty);
  else for (const session of holdersOf(dir).flatMap(loginsOf)) process.kill(session, 'SIGKILL');
}

/** Opens the directory at a screen, cuts the line, and comes back. */
async function cutAndReturn(scene: Scene, dir: string, screen: ScreenId, keys: string): Promise<string[]> {
  const { torture, times, waiting } = scene;
  const session = openSession(dir);
  session.save({ ...session.load(), place: { screen, field: null } });
  const number = new RegExp(` ${SCREEN_IDS.indexOf(screen) + 1}/${SCREEN_IDS.length}`);
  const first = login(scene, dir);
  await first.sees(number);
  first.type(keys);
  const before = jobsOf(dir);
  const waits = await waitsOf(dir);
  waiting.push(...waits.map(({ name }) => name));
  cut(CUTS[Math.floor(torture.random() * CUTS.length)] ?? 'client', first, dir);
  const began = Date.now();
  // It saves and leaves; after that nobody is in the way of the next login.
  while (holdersOf(dir).length > 0 && Date.now() - began < 60_000) await pause(20);
  const left = Date.now() - began;
  const again = performance.now();
  const second = login(scene, dir);
  await second.sees(number);
  const took = performance.now() - again;
  times.push(took);
  const lost = before.filter((job) => !jobsOf(dir).includes(job));
  for (const { name, pid } of waits) {
    const job = await findJob(workspace(dir).jobs, name);
    const isWell = job?.pid === pid && (job?.state === 'running' || (job?.state === 'ended' && job.signal === null));
    if (!isWell) lost.push(`${name} (${job?.state}, ${job?.signal ?? job?.exitCode})`);
  }
  second.type(key.ctrl('s'));
  await second.exit;
  return [
    ...(left >= 60_000 ? ['the wizard did not leave'] : []),
    ...(took > SOON && !torture.isShort ? [`back after ${Math.round(took)} ms`] : []),
    ...lost.map((job) => `gone after the cut: ${job}`),
  ];
}

/** What works for a directory, outlives its wizard, and does not end by itself: the site and the boot server. */
function jobsOf(dir: string): string[] {
  return processesOf(dir)
    .filter(({ command }) => /\/(?:site|boot-server)\.js /.test(command))
    .map(({ pid, command }) => `${pid} ${command.slice(0, 80)}`);
}

/** What openshift-install waits for now: it ends by itself, and not by a cut. */
async function waitsOf(dir: string) {
  const jobs = await Promise.all(WAITS.map((name) => findJob(workspace(dir).jobs, name)));
  return jobs.flatMap((job) => (job?.state === 'running' ? [job] : []));
}

async function inDesign(scene: Scene): Promise<void> {
  const dir = scene.sandbox.dir('design');
  mkdirSync(dir, { mode: 0o700 });
  const first = login(scene, dir);
  await first.sees(/New installation/);
  first.type(key.enter);
  await first.sees(/\| ▸ OpenShift version/);
  first.type(key.enter);
  await first.sees(/\| ▸ Architecture/);
  first.type(key.ctrl('s'));
  await first.exit;
  const screens = SCREEN_IDS.slice(1, SCREEN_IDS.indexOf('generate'));
  const runs = scene.torture.isShort ? 2 : 72;
  for (let run = 0; run < runs; run += 1) {
    const screen = screens[run % screens.length] ?? 'cluster';
    // Some lines break while a person types.
    const keys = run % 2 === 0 ? '' : `x${key.tab}`;
    await scene.tally.try(`${screen}, cut ${run}`, () => cutAndReturn(scene, dir, screen, keys));
  }
}

async function inSteps(scene: Scene): Promise<void> {
  for (const [stage, [printed, screens]] of STAGES.entries()) {
    // A rehearsal goes on while lines are cut: each stage has one of its own.
    const dir = scene.sandbox.dir(`live-${stage}`);
    const plain = startRehearsal(dir, { sandbox: scene.sandbox, speed: SPEED });
    await plain.prints(printed);
    await plain.kill9();
    for (let run = 0; run < 8; run += 1) {
      const screen = screens[run % screens.length] ?? 'generate';
      await scene.tally.try(`${screen} of a rehearsal, cut ${run}`, () => cutAndReturn(scene, dir, screen, ''));
    }
  }
}
