import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textsWith, tracesOf } from '../../support/canaries.ts';
import { requireProgram } from '../../support/programs.ts';
import {
  exampleWith,
  executable,
  filesBelow,
  leaksIn,
  makeSandbox,
  runWizard,
  type Sandbox,
  secretsOf,
  startProgram,
} from '../../support/rehearsal-run.ts';
import { newTally, type Row, type Tally } from '../row.ts';

const PASSWORD = 'Planted-password-of-the-registry';
const IDENTITY = 'Planted-identity-token-of-it';
const AUTH = Buffer.from(`user:${PASSWORD}`).toString('base64');
const OF_ENVIRONMENT = 'Planted-key-of-the-environment';
const HOSTS = ['quay.io', 'registry.redhat.io', 'registry.connect.redhat.com', 'cloud.openshift.com'];

/** Planted secrets: after a whole rehearsal they are looked for everywhere that they have no business to be. */
export const secrets: Row = {
  what: 'secrets planted in pull secret and environment, and those that the installer makes: looked for, as they are, quoted, percent-encoded and in base64, in all files, all output, arguments and environments of all programs of a rehearsal, what every command prints, and an unpacked support bundle',
  target: 'at least 400 places looked at; found nowhere but in the files that are made for them',
  least: 400,
  needs: ['strace', 'tar'],
  async run(torture) {
    const tally = newTally(torture.say);
    const sandbox = makeSandbox();
    try {
      // A short run only looks at what refuses early.
      const places = torture.isShort ? await inRefusals(sandbox, tally) : await inRehearsal(sandbox, tally);
      return { cases: places, failures: tally.failures, figure: `${places} places looked at` };
    } finally {
      await sandbox.remove();
    }
  },
};

const planted = () => [...[PASSWORD, IDENTITY, AUTH].flatMap(tracesOf), OF_ENVIRONMENT];

function lookFor(wanted: readonly string[], text: string, place: string, tally: Tally): void {
  for (const secret of wanted) if (text.includes(secret)) tally.fail(place, `shows ${secret.slice(0, 12)}`);
}

/** Pull secrets that are wrong in some way are told about, and not shown. */
async function inRefusals(sandbox: Sandbox, tally: Tally): Promise<number> {
  const texts = [`{"auths":{"quay.io":{"auth":"${AUTH}"}}`, ...textsWith(PASSWORD), `{"auths":"${AUTH}"}`];
  for (const [index, text] of texts.entries()) {
    const pullSecret = sandbox.file(`${index}.json`, text);
    const design = sandbox.file(`${index}.yaml`, exampleWith({ './pull-secret.txt': pullSecret }));
    const { stdout, stderr } = await runWizard(['generate', design, '--out', sandbox.dir('out')], { sandbox });
    lookFor(planted(), stdout + stderr, `a pull secret that is wrong (${index})`, tally);
  }
  return texts.length;
}

async function inRehearsal(sandbox: Sandbox, tally: Tally): Promise<number> {
  const dir = sandbox.dir('planted');
  const record = join(sandbox.path, 'programs.strace');
  const auths = Object.fromEntries(
    HOSTS.map((host) => [host, { auth: AUTH, email: 'a@b.example', identitytoken: IDENTITY }]),
  );
  const pullSecret = sandbox.file('pull-secret.json', JSON.stringify({ auths }));
  const answers = sandbox.file('answers.yaml', exampleWith({ './pull-secret.txt': pullSecret }));
  const rehearse = ['rehearse', '--answers', answers, '--plain', '--speed', '60', '--dir', dir];
  const recorder = [
    '-f',
    '-qq',
    '-v',
    '-s',
    '100000',
    '-e',
    'trace=execve',
    '-o',
    record,
    process.execPath,
    executable,
  ];
  const env = { AWS_SECRET_ACCESS_KEY: OF_ENVIRONMENT };
  const { code, stdout, stderr } = await startProgram(requireProgram('strace'), [...recorder, ...rehearse], {
    sandbox,
    env,
  }).ended;
  if (code !== 0) tally.fail('the rehearsal', `ended with ${code}: ${stdout.slice(-300)}`);
  const wanted = [...planted(), ...secretsOf(dir)];
  let places = await inRefusals(sandbox, tally);
  const look = (text: string, place: string) => {
    places += 1;
    lookFor(wanted, text, place, tally);
  };
  for (const [index, line] of (stdout + stderr).split('\n').entries()) look(line, `line ${index} of the rehearsal`);
  const [, ...programs] = readFileSync(record, 'utf8')
    .split('\n')
    .filter((line) => /execve\(.*= 0$/.test(line));
  if (programs.length < 10) tally.fail('the programs', `only ${programs.length} were seen`);
  for (const line of programs) look(line, `program ${line.slice(0, 80)}`);
  places += filesBelow(dir).length + filesBelow(join(sandbox.path, 'home')).length;
  for (const leak of [...leaksIn(dir, wanted), ...leaksIn(join(sandbox.path, 'home'), planted())])
    tally.fail('a file', leak);
  const commands = [
    ['status'],
    ['status', '--json'],
    ['csr', 'list'],
    ['infra', 'plan'],
    ['infra', 'plan', '--json'],
    ['sessions'],
    ['sessions', '--json'],
  ];
  for (const command of commands) {
    const said = await runWizard([...command, ...(command[0] === 'sessions' ? [] : ['--dir', dir])], { sandbox });
    look(said.stdout + said.stderr, command.join(' '));
  }
  const archive = join(sandbox.path, 'bundle.tar.gz');
  const bundled = await runWizard(['bundle', '--yes', '--dir', dir, '--out', archive], { sandbox });
  look(bundled.stdout + bundled.stderr, 'bundle');
  const unpacked = join(sandbox.path, 'tmp');
  execFileSync('tar', ['-xzf', archive, '-C', unpacked]);
  const inside = filesBelow(unpacked);
  if (inside.length === 0 || readdirSync(unpacked).length === 0) tally.fail('the bundle', 'is empty');
  for (const file of inside) look(readFileSync(file, 'utf8'), `bundle ${file.slice(unpacked.length)}`);
  return places;
}
