import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { UserErrorException } from '../../../src/i18n/user-error.ts';
import { openSession } from '../../../src/session/session.ts';
import { inspectSession } from '../../../src/session/session-file.ts';
import { captureCommand } from '../../support/run-command.ts';
import { getTracedSession, HOSTS_STEP, plainArgv } from '../answers.ts';
import { type Damage, listDamages, sampleDamages } from '../damages.ts';
import { createTally, type Row, sampleEvenly, type Tally, type Torture } from '../row.ts';
import { createEnvironment, diffJson, OFFLINE, PROGRAM } from '../run-files.ts';
import { run } from '../strace.ts';

/** Commands that read a cluster or act on it, with their arguments. */
const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['csr', 'list'],
  ['csr', 'approve', '--expected', '--yes'],
  ['infra', 'plan'],
  ['infra', 'apply', '--yes'],
];

/** The wizard and every command open a saved session that was damaged from outside. */
export const stateDamage: Row = {
  description:
    "Damage the session's files: truncated at every byte, bits flipped, wrong types, huge, owned by another user, FIFO, socket, directory, link. Open them with the wizard, and with each command that reads or changes a cluster.",
  target:
    '>= 400 damages; at most the last answer is lost; a command reports the damage, exits with 2 or 4, writes nothing and sends no request to the cluster',
  minCases: 400,
  needs: ['strace', 'unshare', 'mkfifo', 'python3', 'root'],
  async run(torture) {
    const tally = createTally(torture.report);
    const { dir: tracedDir, savedDesigns } = await getTracedSession(torture);
    const dir = join(torture.dir, 'base');
    cpSync(tracedDir, dir, { recursive: true });
    rmSync(join(dir, '.upi-wizard/owners'), { recursive: true, force: true });
    const api = await startCountingApi();
    try {
      mkdirSync(join(dir, 'auth'), { mode: 0o700 });
      writeFileSync(join(dir, 'auth/kubeconfig'), createKubeconfig(api.port), { mode: 0o600 });
      const scene: Scene = { torture, tally, base: dir, lastDesigns: savedDesigns.slice(-3), api };
      const loads = await tryLoading(scene);
      const commands = await tryCommands(scene);
      const programs = await tryPrograms(scene);
      const figure = `${loads} damages loaded by the wizard, ${commands} opened by commands, ${programs} by started programs`;
      return { cases: tally.cases(), failures: tally.failures, figure };
    } finally {
      api.close();
    }
  },
};

interface Scene {
  readonly torture: Torture;
  readonly tally: Tally;
  readonly base: string;
  /** Designs of the last saves, any of which is acceptable. */
  readonly lastDesigns: readonly unknown[];
  readonly api: Api;
}

interface Api {
  readonly port: number;
  readonly connections: () => number;
  readonly close: () => void;
}

/** Starts a server in place of the cluster's API that counts connections. */
async function startCountingApi(): Promise<Api> {
  let connections = 0;
  const server: Server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { port, connections: () => connections, close: () => server.close() };
}

function createKubeconfig(port: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}` } }],
    users: [{ name: 'u', user: { token: 'not-a-secret' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  });
}

/**
 * Creates a directory with a damaged session. Files beside the session are copied again only if a program may have
 * written there:
 * all other cases compare them or only load the session.
 */
function createDamagedDir({ torture, base }: Scene, damage: Damage, { isAllNew = false } = {}): string {
  const dir = join(torture.dir, 'damaged');
  const part = isAllNew || !existsSync(dir) ? '' : '.upi-wizard';
  rmSync(join(dir, part), { recursive: true, force: true });
  cpSync(join(base, part), join(dir, part), { recursive: true });
  damage.do(join(dir, '.upi-wizard/session.json'));
  return dir;
}

/** Loads damaged sessions in this process, except those that may block or fill memory. */
async function tryLoading(scene: Scene): Promise<number> {
  const { torture, tally } = scene;
  const size = statSync(join(scene.base, '.upi-wizard/session.json')).size;
  const { cuts, flips, others } = listDamages(size, torture.random);
  const all = torture.isShort ? sampleDamages(size, 12, torture.random) : [...cuts, ...flips, ...others];
  const light = all.filter(({ isHeavy }) => !isHeavy);
  for (const damage of light) {
    await tally.try(`session.json ${damage.name}`, () => checkLoad(scene, createDamagedDir(scene, damage)));
  }
  // The file together with its previous copy, or with the journal.
  const files = ['session.previous.json', 'journal.ndjson'] as const;
  const sample = sampleEvenly(light, torture.isShort ? 4 : 120);
  for (const file of files) {
    for (const damage of sample) {
      await tally.try(`session.json and ${file} ${damage.name}`, () => {
        const dir = createDamagedDir(scene, damage);
        if (existsSync(join(dir, '.upi-wizard', file))) damage.do(join(dir, '.upi-wizard', file));
        return checkLoad(scene, dir);
      });
    }
  }
  return light.length + files.length * sample.length;
}

function checkLoad({ lastDesigns }: Scene, dir: string): string[] {
  const session = openSession(dir);
  try {
    const { design } = session.load();
    const isSaved = lastDesigns.some((one) => diffJson(design, one).length === 0);
    return isSaved
      ? []
      : [`more than the last answer is lost: ${diffJson(design, lastDesigns.at(-1)).slice(0, 2).join('; ')}`];
  } catch (error) {
    // A session of another user or of a newer program stays as it is, and an error reports that.
    const isReported =
      error instanceof UserErrorException && /^session-(?:newer|unreadable)$/.test(error.userError.code);
    if (isReported) return [];
    throw error;
  }
}

async function tryCommands(scene: Scene): Promise<number> {
  const { torture, tally, api } = scene;
  const intactRun = await captureCommand(['csr', 'list', '--dir', scene.base], { cwd: torture.dir });
  if (api.connections() === 0) tally.fail('the intact session', `does not connect to the cluster: ${intactRun.stderr}`);
  const size = statSync(join(scene.base, '.upi-wizard/session.json')).size;
  const damages = sampleDamages(size, torture.isShort ? 4 : 120, torture.random).filter(({ isHeavy }) => !isHeavy);
  for (const damage of damages) {
    for (const argv of COMMANDS) {
      await tally.try(`${argv.join(' ')}, session.json ${damage.name}`, async () => {
        const dir = createDamagedDir(scene, damage);
        // Some damages leave a session valid: another mode, or a bit that JSON ignores.
        if (inspectSession(dir).kind === 'state') return [];
        const before = describeTree(dir);
        const connectionsBefore = api.connections();
        const { code, stderr } = await captureCommand([...argv, '--dir', dir], { cwd: torture.dir });
        return [
          ...(code === 2 || code === 4 ? [] : [`it ended with ${code}`]),
          ...(stderr.trim() === '' ? ['it printed no error'] : []),
          ...(api.connections() === connectionsBefore ? [] : ['it connected to the cluster']),
          ...(describeTree(dir) === before ? [] : ['it changed something in the directory']),
        ];
      });
    }
  }
  return damages.length * COMMANDS.length;
}

/** Runs the programs on damages that may block or fill memory. Programs that hang are killed. */
async function tryPrograms(scene: Scene): Promise<number> {
  const { torture, tally, base } = scene;
  const size = statSync(join(base, '.upi-wizard/session.json')).size;
  const { cuts, others } = listDamages(size, torture.random);
  const heavy = others.filter(({ isHeavy }) => isHeavy);
  const damages = torture.isShort
    ? heavy.slice(0, 1)
    : [...heavy, ...sampleEvenly(cuts, 4), ...sampleEvenly(others, 12)];
  const env = createEnvironment(torture.dir);
  const commands = [...COMMANDS, ['--plain']];
  let count = 0;
  for (const damage of damages) {
    for (const words of torture.isShort ? commands.slice(4) : commands) {
      count += 1;
      await tally.try(`program ${words.join(' ')}, session.json ${damage.name}`, async () => {
        const dir = createDamagedDir(scene, damage, { isAllNew: true });
        const isValid = damage.isHeavy !== true && inspectSession(dir).kind === 'state';
        const before = describeTree(dir);
        const isWizard = words[0] === '--plain';
        const [file = '', ...args] = isWizard ? plainArgv(dir) : [...OFFLINE, ...PROGRAM, ...words, '--dir', dir];
        const { code, stdout, stderr } = await run(file, args, { cwd: torture.dir, env, stopAt: HOSTS_STEP });
        const codes = isWizard ? [2, 3, 4, 'stopped'] : [2, 4];
        return [
          ...(codes.includes(code ?? '') ? [] : [`it ended with ${code}: ${stdout.slice(-200)}${stderr.slice(-400)}`]),
          ...(isWizard || isValid || describeTree(dir) === before ? [] : ['it changed something in the directory']),
        ];
      });
    }
  }
  return count;
}

/** Describes everything below a directory: names, kinds, modes, sizes and the content of small files. */
function describeTree(dir: string): string {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort();
  return names
    .map((name) => {
      const stat = lstatSync(join(dir, name));
      const text = stat.isSymbolicLink()
        ? readlinkSync(join(dir, name))
        : stat.isFile() && stat.size < 1_000_000
          ? readFileSync(join(dir, name), 'latin1')
          : '';
      return `${name} ${stat.mode} ${stat.uid} ${stat.isDirectory() ? '' : stat.size} ${text}`;
    })
    .join('\n');
}
