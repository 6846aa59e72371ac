import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exampleCredentials } from '../../support/example-credentials.ts';
import { AT_HOSTS, asking, questionsIn } from '../answers.ts';
import { contentsOf, differences, environmentIn, leftOvers, unlike } from '../place.ts';
import { newTally, type Row, spread, type Torture } from '../row.ts';
import { killedAt, killPoints, run, traced } from '../strace.ts';

/** What is typed at the questions, by their labels; an empty line keeps what is in brackets. */
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
  'Storage class': 'fast',
  'Pull secret file': './pull-secret.txt',
  'SSH public key file': './id.pub',
};
/** The wizard is killed before each call that writes while it asks, saves and generates; nothing that was saved is lost. */
export const killAnswers: Row = {
  what: 'the wizard, line by line, killed with -9 before each system call that writes: each answer, place and fact that it saves, the files it generates; then started again',
  target: '>= 80 points; every answer whose next question was shown is there; the next run ends as an undisturbed one',
  least: 80,
  needs: ['strace', 'unshare'],
  run: runAll,
};

async function runAll(torture: Torture) {
  const tally = newTally(torture.say);
  const env = environmentIn(torture.dir);
  const start = (name: string) => {
    const dir = join(torture.dir, name);
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir, { mode: 0o700 });
    writeFileSync(join(dir, 'pull-secret.txt'), exampleCredentials.pullSecret, { mode: 0o600 });
    writeFileSync(join(dir, 'id.pub'), exampleCredentials.sshKey);
    return dir;
  };

  const labels = await questions(start('asked'), env);
  const lines = [...labels.map((label) => ANSWERS[label] ?? ''), ''];
  const whole = start('whole');
  const log = join(torture.dir, 'whole.log');
  const undisturbed = await traced({
    argv: asking(whole),
    cwd: torture.dir,
    env,
    log,
    input: lines.join('\n'),
    stopAt: AT_HOSTS,
  });
  const wanted = { session: sessionOf(whole), files: contentsOf(join(whole, 'files')) };
  const points = killPoints(log, whole);
  torture.say(`${points.length} calls, ${labels.length} questions; undisturbed it ends with ${undisturbed.code}`);
  let exact = 0;
  for (const point of spread(points, torture.isShort ? 2 : 90)) {
    await tally.try(`before ${point.what} (${point.name} ${point.nth})`, async () => {
      const dir = start('killed');
      const killedLog = join(torture.dir, 'killed.log');
      const inject = `${point.name}:signal=SIGKILL:when=${point.nth}`;
      const input = lines.join('\n');
      const killed = await traced({
        argv: asking(dir),
        cwd: torture.dir,
        env,
        log: killedLog,
        inject,
        input,
        stopAt: AT_HOSTS,
      });
      if (killedAt(killedLog, dir) !== null) exact += 1;
      // What the last shown question follows was saved before it was shown: it is not typed again.
      const shown = questionsIn(killed.stdout).length;
      const rest = lines.map((line, index) => (index < shown - 1 ? '' : line));
      const [file = '', ...args] = asking(dir);
      const again = await run(file, args, { cwd: torture.dir, env, input: rest.join('\n'), stopAt: AT_HOSTS });
      const session = sessionOf(dir);
      return [
        ...(again.code === undisturbed.code
          ? []
          : [`the next run ended with ${again.code}: ${again.stdout.slice(-300)}${again.stderr}`]),
        ...unlike(session, wanted.session).map((why) => `after ${shown} questions the session is another: ${why}`),
        ...differences(contentsOf(join(dir, 'files')), wanted.files),
        // The run is ended at its next step, which may be while it saves: what that leaves goes with the next save.
        ...leftOvers(dir, /\.tmp$|\.bad-|\.orig$/).map((name) => `${name} is left over`),
      ];
    });
  }
  return {
    cases: tally.cases(),
    failures: tally.failures,
    figure: `${tally.cases()} points, ${exact} of them exactly before a call that writes there`,
  };
}

/** The labels of all questions, in their order. */
async function questions(dir: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const [file = '', ...args] = asking(dir);
  const { stdout } = await run(file, args, { cwd: dir, env, input: '\n'.repeat(200), stopAt: AT_HOSTS });
  const labels = [...questionsIn(stdout)];
  const unknown = Object.keys(ANSWERS).filter((label) => !labels.includes(label));
  if (unknown.length > 0) throw new Error(`no question ${unknown.join(', ')} among ${labels.join(', ')}`);
  return labels;
}

/** What the session says, whatever form it is kept in; not the step it is at, which a run notes when it has looked, or was ended before. */
function sessionOf(dir: string): unknown {
  const { design, rehearsal } = JSON.parse(readFileSync(join(dir, '.upi-wizard/session.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  return { design, rehearsal };
}
