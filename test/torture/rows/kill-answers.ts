import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleCredentials } from '../../support/example-credentials.ts';
import { findPrompts, HOSTS_STEP, plainArgv } from '../answers.ts';
import { createTally, type Row, sampleEvenly, type Torture } from '../row.ts';
import { createEnvironment, diffFiles, diffJson, findLeftovers, readFilesBelow } from '../run-files.ts';
import { findFatalCall, listKillPoints, run, runTraced } from '../strace.ts';

/** Input for each question by its label. An empty line keeps the value in brackets. */
const ANSWERS: Readonly<Record<string, string>> = {
  'OpenShift version': '4.17',
  'Cluster name': 'torture',
  'Base domain': 'killed.example',
  'Host prefix': '24',
  'Bastion name': 'base',
  'Name server': 'names',
  'DHCP server': 'names',
  Forwarders: '192.168.124.2',
  'Load balancer name': 'balance',
  'Boot server port': '8081',
  StorageClass: 'fast',
  'Pull secret file': './pull-secret.txt',
  'SSH public key file': './id.pub',
};

/** The wizard is killed before each writing call while it asks, saves and generates. No saved answer may be lost. */
export const killAnswers: Row = {
  description:
    'Kill the line-by-line wizard (--plain) with SIGKILL before each system call that writes: each save of an answer, a position or a fact, and each generated file. Then start it again.',
  target:
    '>= 80 kill points; an answer is saved once the next question is shown; the next run ends with the same exit code, answers and files as an uninterrupted run',
  minCases: 80,
  needs: ['strace', 'unshare'],
  run: runAll,
};

async function runAll(torture: Torture) {
  const tally = createTally(torture.report);
  const env = createEnvironment(torture.dir);
  const createInstallDir = (name: string) => {
    const dir = join(torture.dir, name);
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { mode: 0o700 });
    writeFileSync(join(dir, 'pull-secret.txt'), exampleCredentials.pullSecret, { mode: 0o600 });
    writeFileSync(join(dir, 'id.pub'), exampleCredentials.sshKey);
    return dir;
  };

  const labels = await collectLabels(createInstallDir('asked'), env);
  const lines = [...labels.map((label) => ANSWERS[label] ?? ''), ''];
  const referenceDir = createInstallDir('whole');
  const log = join(torture.dir, 'whole.log');
  const undisturbed = await runTraced({
    argv: plainArgv(referenceDir),
    cwd: torture.dir,
    env,
    log,
    input: lines.join('\n'),
    stopAt: HOSTS_STEP,
  });
  const expected = { session: readSession(referenceDir), files: readFilesBelow(join(referenceDir, 'files')) };
  const points = listKillPoints(log, referenceDir);
  torture.report(
    `${points.length} calls, ${labels.length} questions; an uninterrupted run exits with ${undisturbed.code}`,
  );
  let exact = 0;
  for (const point of sampleEvenly(points, torture.isShort ? 2 : 90)) {
    await tally.try(`before ${point.what} (${point.name} ${point.nth})`, async () => {
      const dir = createInstallDir('killed');
      const killedLog = join(torture.dir, 'killed.log');
      const inject = `${point.name}:signal=SIGKILL:when=${point.nth}`;
      const input = lines.join('\n');
      const killedRun = await runTraced({
        argv: plainArgv(dir),
        cwd: torture.dir,
        env,
        log: killedLog,
        inject,
        input,
        stopAt: HOSTS_STEP,
      });
      if (findFatalCall(killedLog, dir) !== null) exact += 1;
      // Every answer before the last shown question is saved by then, and is not typed again.
      const shown = findPrompts(killedRun.stdout).length;
      const remaining = lines.map((line, index) => (index < shown - 1 ? '' : line));
      const [file = '', ...args] = plainArgv(dir);
      const again = await run(file, args, { cwd: torture.dir, env, input: remaining.join('\n'), stopAt: HOSTS_STEP });
      const session = readSession(dir);
      return [
        ...(again.code === undisturbed.code
          ? []
          : [`the next run ended with ${again.code}: ${again.stdout.slice(-300)}${again.stderr}`]),
        ...diffJson(session, expected.session).map((why) => `after ${shown} questions the session differs: ${why}`),
        ...diffFiles(readFilesBelow(join(dir, 'files')), expected.files),
        // The run is ended at its next step, possibly during a save. The next save removes what that leaves.
        ...findLeftovers(dir, /\.tmp$|\.bad-|\.orig$/).map((name) => `${name} is left over`),
      ];
    });
  }
  return {
    cases: tally.cases(),
    failures: tally.failures,
    figure: `${tally.cases()} kill points, ${exact} of them right before a system call that changes the directory`,
  };
}

/** Collects the labels of all questions, in order. */
async function collectLabels(dir: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const [file = '', ...args] = plainArgv(dir);
  const { stdout } = await run(file, args, { cwd: dir, env, input: '\n'.repeat(200), stopAt: HOSTS_STEP });
  const labels = [...findPrompts(stdout)];
  const unknown = Object.keys(ANSWERS).filter((label) => !labels.includes(label));
  if (unknown.length > 0) throw new Error(`no question ${unknown.join(', ')} among ${labels.join(', ')}`);
  return labels;
}

/**
 * Reads the content of the session in any format, without its current step: a run may end before it records a probe.
 */
function readSession(dir: string): unknown {
  const { design, rehearsal } = JSON.parse(readFileSync(join(dir, '.upi-wizard/session.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  return { design, rehearsal };
}
