import { mkdirSync } from 'node:fs';
import { findJob } from '../../../src/host/jobs/job-status.ts';
import { openSession } from '../../../src/session/session.ts';
import { WAIT_TARGETS } from '../../../src/steps/shared/installer/wait-for.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { SCREEN_IDS, type ScreenId } from '../../../src/wizard/state.ts';
import { listHolders, listLoginProcesses } from '../../support/holders.ts';
import { requireProgram } from '../../support/programs.ts';
import { hangUp } from '../../support/pty-run.ts';
import {
  createSandbox,
  listProcesses,
  type Sandbox,
  startRehearsal,
  wizardExecutable,
} from '../../support/rehearsal-run.ts';
import { runSshd, SSHD_HOST } from '../../support/sshd.ts';
import { key } from '../../support/terminal-run.ts';
import { type PtyWizard, startPtyWizard } from '../pty-wizard.ts';
import { createTally, type Row, type Tally, type Torture } from '../row.ts';

/** Simulated seconds per second: slow enough for a cut in each stage. */
const SPEED = 60;

/** Longest time from the login to the same screen (ms). */
const MAX_RETURN_MS = 2000;

/** How a connection is lost: the client dies, the server process dies, or the terminal closes. */
const CUTS = ['client', 'server', 'terminal'] as const;

/** Stages of a rehearsal by its output, and the screens that show the work of each stage. */
const STAGES: readonly (readonly [RegExp, readonly ScreenId[]])[] = [
  [/of 4 machines fetched their ignition files$/m, ['generate', 'hosts', 'prepare', 'boot']],
  // A busy machine may check too late for one of these two.
  [/now: (?:Control plane nodes|Bootstrap reports)/, ['bootstrap', 'boot']],
  [/^ {2}approved csr-/m, ['bootstrap', 'certificates']],
  [/^ {2}router: /m, ['certificates', 'operators', 'infra']],
];

/** The wizard over SSH, on a connection that is cut at every screen and during jobs. */
export const sshCuts: Row = {
  description:
    'Cut an SSH connection (a real sshd on loopback) at each screen of the wizard and during each job of a rehearsal: kill the client, kill the server process, or close the terminal.',
  target: `>= 100 cuts; no login is locked out; boot server, simulated site and a waiting openshift-install keep running; the same screen is shown within ${MAX_RETURN_MS / 1000} s of the next login`,
  minCases: 100,
  needs: ['sshd', 'ssh', 'ssh-keygen'],
  async run(torture) {
    const tally = createTally(torture.report);
    const sandbox = createSandbox();
    const sshd = await runSshd();
    const scene: Scene = { torture, tally, sandbox, sshd, times: [], runningWaits: [] };
    try {
      await tryDesignScreens(scene);
      if (!torture.isShort) await trySteps(scene);
      if (!torture.isShort && scene.runningWaits.length === 0)
        tally.fail('jobs', 'no cut while openshift-install waited');
    } finally {
      await sshd.end();
      await sandbox.remove();
    }
    const sorted = scene.times.toSorted((one, other) => one - other);
    const median = Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
    const figure = `${tally.cases()} cuts; same screen after ${median} ms (median), ${Math.round(sorted.at(-1) ?? 0)} ms at most; ${scene.runningWaits.length} cuts while openshift-install waited`;
    return { cases: tally.cases(), failures: tally.failures, figure };
  },
};

interface Scene {
  readonly torture: Torture;
  readonly tally: Tally;
  readonly sandbox: Sandbox;
  readonly sshd: Awaited<ReturnType<typeof runSshd>>;
  readonly times: number[];
  /** Waits of openshift-install that were running at a cut. */
  readonly runningWaits: string[];
}

function login({ sandbox, sshd }: Scene, dir: string): PtyWizard {
  const { port, user, options } = sshd.target();
  const settings = Object.entries({ ...sandbox.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' });
  const env = settings.filter(([name]) => name !== 'PATH').map(([name, value]) => `${name}='${value}'`);
  const command = `env ${env.join(' ')} '${process.execPath}' '${wizardExecutable}' --dir '${dir}'`;
  return startPtyWizard(
    requireProgram('ssh'),
    ['-tt', '-p', `${port}`, ...options, `${user}@${SSHD_HOST}`, command],
    {},
  );
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function cutConnection(how: (typeof CUTS)[number], run: PtyWizard, dir: string): void {
  if (how === 'client') run.pty.kill('SIGKILL');
  else if (how === 'terminal') hangUp(run.pty);
  else for (const session of listHolders(dir).flatMap(listLoginProcesses)) process.kill(session, 'SIGKILL');
}

/** Opens the directory at a screen, cuts the connection and logs in again. */
async function cutAndReturn(scene: Scene, dir: string, screen: ScreenId, keys: string): Promise<string[]> {
  const { torture, times, runningWaits } = scene;
  const session = openSession(dir);
  session.save({ ...session.load(), place: { screen, field: null } });
  const title = new RegExp(` ${SCREEN_IDS.indexOf(screen) + 1}/${SCREEN_IDS.length}`);
  const first = login(scene, dir);
  await first.waitFor(title);
  first.type(keys);
  const jobsBefore = listLastingJobs(dir);
  const waits = await listRunningWaits(dir);
  runningWaits.push(...waits.map(({ name }) => name));
  cutConnection(CUTS[Math.floor(torture.random() * CUTS.length)] ?? 'client', first, dir);
  const cutAt = Date.now();
  // The wizard saves and exits. After that, nothing blocks the next login.
  while (listHolders(dir).length > 0 && Date.now() - cutAt < 60_000) await pause(20);
  const exitMs = Date.now() - cutAt;
  const loginAt = performance.now();
  const second = login(scene, dir);
  await second.waitFor(title);
  const returnMs = performance.now() - loginAt;
  times.push(returnMs);
  const lostJobs = jobsBefore.filter((job) => !listLastingJobs(dir).includes(job));
  for (const { name, pid } of waits) {
    const job = await findJob(workspace(dir).jobsDir, name);
    const isUnharmed =
      job?.pid === pid && (job?.state === 'running' || (job?.state === 'ended' && job.signal === null));
    if (!isUnharmed) lostJobs.push(`${name} (${job?.state}, ${job?.signal ?? job?.exitCode})`);
  }
  second.type(key.ctrl('s'));
  await second.exit;
  return [
    ...(exitMs >= 60_000 ? ['the wizard did not exit'] : []),
    ...(returnMs > MAX_RETURN_MS && !torture.isShort ? [`back after ${Math.round(returnMs)} ms`] : []),
    ...lostJobs.map((job) => `ended by the cut: ${job}`),
  ];
}

/** Lists processes of a directory that outlive the wizard and do not end on their own: the site and the boot server. */
function listLastingJobs(dir: string): string[] {
  return listProcesses(dir)
    .filter(({ command }) => /\/(?:site|boot-server)\.js /.test(command))
    .map(({ pid, command }) => `${pid} ${command.slice(0, 80)}`);
}

/** Lists the running waits of openshift-install. They end on their own, but not because of a cut. */
async function listRunningWaits(dir: string) {
  const jobs = await Promise.all(WAIT_TARGETS.map((name) => findJob(workspace(dir).jobsDir, name)));
  return jobs.flatMap((job) => (job?.state === 'running' ? [job] : []));
}

async function tryDesignScreens(scene: Scene): Promise<void> {
  const dir = scene.sandbox.dir('design');
  mkdirSync(dir, { mode: 0o700 });
  const first = login(scene, dir);
  await first.waitFor(/New installation/);
  first.type(key.enter);
  await first.waitFor(/[│┤] ▸ OpenShift version/);
  first.type(key.enter);
  await first.waitFor(/[│┤] ▸ Architecture/);
  first.type(key.ctrl('s'));
  await first.exit;
  const screens = SCREEN_IDS.slice(1, SCREEN_IDS.indexOf('generate'));
  const runs = scene.torture.isShort ? 2 : 72;
  for (let run = 0; run < runs; run += 1) {
    const screen = screens[run % screens.length] ?? 'cluster';
    // Some connections are cut during input.
    const keys = run % 2 === 0 ? '' : `x${key.tab}`;
    await scene.tally.try(`${screen}, cut ${run}`, () => cutAndReturn(scene, dir, screen, keys));
  }
}

async function trySteps(scene: Scene): Promise<void> {
  for (const [stage, [printed, screens]] of STAGES.entries()) {
    // A rehearsal goes on while connections are cut: each stage has a separate one.
    const dir = scene.sandbox.dir(`live-${stage}`);
    const rehearsal = startRehearsal(dir, { sandbox: scene.sandbox, speed: SPEED });
    await rehearsal.waitForOutput(printed);
    await rehearsal.kill9();
    for (let run = 0; run < 8; run += 1) {
      const screen = screens[run % screens.length] ?? 'generate';
      await scene.tally.try(`${screen} of a rehearsal, cut ${run}`, () => cutAndReturn(scene, dir, screen, ''));
    }
  }
}
