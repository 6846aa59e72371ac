import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecretTexts, listTraces } from '../../support/canaries.ts';
import { requireProgram } from '../../support/programs.ts';
import {
  createExampleAnswers,
  createSandbox,
  findLeaks,
  listFilesBelow,
  readSecrets,
  runWizard,
  type Sandbox,
  startProgram,
  wizardExecutable,
} from '../../support/rehearsal-run.ts';
import { createTally, type Row, type Tally } from '../row.ts';

const PASSWORD = 'Planted-password-of-the-registry';
const IDENTITY = 'Planted-identity-token-of-it';
const AUTH = Buffer.from(`user:${PASSWORD}`).toString('base64');
const ENVIRONMENT_KEY = 'Planted-key-of-the-environment';
const HOSTS = ['quay.io', 'registry.redhat.io', 'registry.connect.redhat.com', 'cloud.openshift.com'];

/** Plants secrets and, after a whole rehearsal, searches for them in every place where they must not be. */
export const secrets: Row = {
  description:
    'Plant secrets in pull secret and environment. Search for them and for the secrets that the installer creates (plain, quoted, percent-encoded and in base64) in all files, all output, and the arguments and environments of all programs of a rehearsal, in the output of every command, and in an unpacked support bundle.',
  target: '>= 400 places searched; no secret is found outside the files that are meant for it',
  minCases: 400,
  needs: ['strace', 'tar'],
  async run(torture) {
    const tally = createTally(torture.report);
    const sandbox = createSandbox();
    try {
      // A short run tries only commands that refuse early.
      const places = torture.isShort ? await tryRefusals(sandbox, tally) : await tryRehearsal(sandbox, tally);
      return { cases: places, failures: tally.failures, figure: `${places} places searched` };
    } finally {
      await sandbox.remove();
    }
  },
};

const listPlantedSecrets = () => [...[PASSWORD, IDENTITY, AUTH].flatMap(listTraces), ENVIRONMENT_KEY];

function reportLeaks(plantedValues: readonly string[], text: string, place: string, tally: Tally): void {
  for (const secret of plantedValues) if (text.includes(secret)) tally.fail(place, `shows ${secret.slice(0, 12)}`);
}

/** Wrong pull secrets are reported and not shown. */
async function tryRefusals(sandbox: Sandbox, tally: Tally): Promise<number> {
  const texts = [`{"auths":{"quay.io":{"auth":"${AUTH}"}}`, ...createSecretTexts(PASSWORD), `{"auths":"${AUTH}"}`];
  for (const [index, text] of texts.entries()) {
    const pullSecret = sandbox.file(`${index}.json`, text);
    const design = sandbox.file(`${index}.yaml`, createExampleAnswers({ './pull-secret.txt': pullSecret }));
    const { stdout, stderr } = await runWizard(['generate', design, '--out', sandbox.dir('out')], { sandbox });
    reportLeaks(listPlantedSecrets(), stdout + stderr, `an invalid pull secret (${index})`, tally);
  }
  return texts.length;
}

async function tryRehearsal(sandbox: Sandbox, tally: Tally): Promise<number> {
  const dir = sandbox.dir('planted');
  const traceFile = join(sandbox.path, 'programs.strace');
  const auths = Object.fromEntries(
    HOSTS.map((host) => [host, { auth: AUTH, email: 'a@b.example', identitytoken: IDENTITY }]),
  );
  const pullSecret = sandbox.file('pull-secret.json', JSON.stringify({ auths }));
  const answers = sandbox.file('answers.yaml', createExampleAnswers({ './pull-secret.txt': pullSecret }));
  const rehearse = ['rehearse', '--answers', answers, '--plain', '--speed', '60', '--dir', dir];
  const traceArgs = [
    '-f',
    '-qq',
    '-v',
    '-s',
    '100000',
    '-e',
    'trace=execve',
    '-o',
    traceFile,
    process.execPath,
    wizardExecutable,
  ];
  const env = { AWS_SECRET_ACCESS_KEY: ENVIRONMENT_KEY };
  const { code, stdout, stderr } = await startProgram(requireProgram('strace'), [...traceArgs, ...rehearse], {
    sandbox,
    env,
  }).exit;
  if (code !== 0) tally.fail('the rehearsal', `ended with ${code}: ${stdout.slice(-300)}`);
  const plantedValues = [...listPlantedSecrets(), ...readSecrets(dir)];
  let places = await tryRefusals(sandbox, tally);
  const checkText = (text: string, place: string) => {
    places += 1;
    reportLeaks(plantedValues, text, place, tally);
  };
  for (const [index, line] of (stdout + stderr).split('\n').entries())
    checkText(line, `line ${index} of the rehearsal`);
  const [, ...programs] = readFileSync(traceFile, 'utf8')
    .split('\n')
    .filter((line) => /execve\(.*= 0$/.test(line));
  if (programs.length < 10) tally.fail('the programs', `only ${programs.length} were traced`);
  for (const line of programs) checkText(line, `program ${line.slice(0, 80)}`);
  places += listFilesBelow(dir).length + listFilesBelow(join(sandbox.path, 'home')).length;
  for (const leak of [...findLeaks(dir, plantedValues), ...findLeaks(join(sandbox.path, 'home'), listPlantedSecrets())])
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
    const result = await runWizard([...command, ...(command[0] === 'sessions' ? [] : ['--dir', dir])], { sandbox });
    checkText(result.stdout + result.stderr, command.join(' '));
  }
  const archive = join(sandbox.path, 'bundle.tar.gz');
  const bundleRun = await runWizard(['bundle', '--yes', '--dir', dir, '--out', archive], { sandbox });
  checkText(bundleRun.stdout + bundleRun.stderr, 'bundle');
  const unpacked = join(sandbox.path, 'tmp');
  execFileSync('tar', ['-xzf', archive, '-C', unpacked]);
  const bundleFiles = listFilesBelow(unpacked);
  if (bundleFiles.length === 0 || readdirSync(unpacked).length === 0) tally.fail('the bundle', 'is empty');
  for (const file of bundleFiles) checkText(readFileSync(file, 'utf8'), `bundle ${file.slice(unpacked.length)}`);
  return places;
}
