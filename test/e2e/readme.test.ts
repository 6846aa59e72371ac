import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  expectNoSecretInBundle,
  expectNoSecretInPrograms,
  expectNoSecretOnScreens,
  listAllSecrets,
  PLANTED_AUTH,
  PLANTED_ENVIRONMENT,
  PLANTED_PULL_SECRET,
  straceCommand,
} from '../support/planted-secrets.ts';
import { findProgram, testWith } from '../support/programs.ts';
import {
  expectLastStage,
  expectModes,
  expectPrivate,
  expectReport,
  expectSecretsPrivate,
  readGeneratedText,
  readMachines,
  readProcessStatus,
} from '../support/rehearsal-expectations.ts';
import {
  createSandbox,
  FAST_SPEED,
  listProcesses,
  type ProgramResult,
  repoRoot,
  runWizard,
  startProgram,
} from '../support/rehearsal-run.ts';

const sandbox = createSandbox();
afterAll(sandbox.remove);

const readme = readFileSync(join(repoRoot, 'README.md'), 'utf8');
const scripts = (
  JSON.parse(readFileSync(join(repoRoot, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
).scripts;

/** Every line that README gives to a shell. */
const lines = [...readme.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].flatMap(([, block = '']) =>
  block.trim().split(/\n */),
);

/** The lines that a test can run here. The others install or test the project, or are those of a package. */
const runnable = lines.filter((line) => !/npm (?:ci|test)\b|linux-x64/.test(line));

/** Returns a checkout that commands may add files to: the files of the project are linked into it. */
function linkedCheckout(): string {
  const path = sandbox.dir('checkout');
  mkdirSync(path);
  for (const name of ['bin', 'node_modules', 'package.json']) symlinkSync(join(repoRoot, name), join(path, name));
  return path;
}

const NODES = ['m1', 'm2', 'm3', 'w1', 'w2', 'w3', 'i1', 'i2', 'i3'];

/** Gives the design of README the reader's own names, addresses and pull secret. */
function personalizeDesign(file: string): void {
  writeFileSync(join(dirname(file), 'own-pull-secret.json'), PLANTED_PULL_SECRET, { mode: 0o600 });
  const replacements = { ocp45: 'prod7', '172.16.0.': '10.20.30.', './pull-secret.txt': './own-pull-secret.json' };
  let text = readFileSync(file, 'utf8');
  for (const [from, to] of Object.entries(replacements)) {
    expect(text).toContain(from);
    text = text.replaceAll(from, to);
  }
  writeFileSync(file, text);
}

/** Assertions for the rehearsals of README, by a part of their command line. The first match counts. */
const REHEARSAL_CHECKS: readonly (readonly [part: string, judge: (outcome: ProgramResult, dir: string) => void])[] = [
  ['npm run rehearsal', expectExample],
  ['--break wrong-mac', expectWrongMac],
  ['--answers site.yaml', expectOwn],
  ['--answers okd.yaml', expectOkd],
  ['--cloud aws', ({ stdout }) => expect(stdout).toContain('Everything is done and verified.')],
];

const recordFile = join(sandbox.path, 'programs.strace');

/** The rehearsal of the reader's own design, once it is played. */
let ownRehearsal: { readonly dir: string; readonly outcome: ProgramResult } | null = null;

function getOwnRehearsal() {
  if (ownRehearsal === null) throw new Error('no rehearsal of an own design');
  return ownRehearsal;
}

test.concurrent('every command of README does what README describes', async () => {
  const cwd = linkedCheckout();
  const start = (line: string) => {
    const env = { TERM: 'dumb', ...(usesOwnDesign(line) ? PLANTED_ENVIRONMENT : {}) };
    const before = usesOwnDesign(line) && findProgram('strace') !== null ? straceCommand(recordFile) : [];
    const [file = '', ...args] = [...before, 'bash', '-c', line];
    return startProgram(file, args, { sandbox, cwd, env });
  };
  const expectEnded = (line: string, { code, signal, stdout, stderr }: ProgramResult) =>
    expect([code, signal], `${line}\n${stdout}\n${stderr}`).toEqual([line.includes('--break') ? 4 : 0, null]);
  expect(runnable.length).toBeGreaterThan(4);
  expect(runnable[0]).toBe('npm run rehearsal');
  const isLong = (line: string) => /\brehears/.test(line);
  // Short commands run one after the other, as a reader types them; long ones run at the same time.
  for (const line of runnable.filter((each) => !isLong(each))) {
    const outcome = await start(line).exit;
    expectEnded(line, outcome);
    if (line.includes('design schema')) expect(JSON.parse(outcome.stdout)).toHaveProperty('$schema');
  }
  const site = join(cwd, 'site.yaml');
  expect(readFileSync(site, 'utf8')).toMatch(/^kind: ClusterDesign$/m);
  personalizeDesign(site);
  const long = runnable.filter(isLong);
  expect(long).toHaveLength(REHEARSAL_CHECKS.length);
  await Promise.all(
    long.map(async (line) => {
      const run = start(accelerate(line));
      if (line === runnable[0]) {
        await run.waitForOutput(/lb-final: the load balancer is up to date/);
        expectSmallSites();
      }
      const outcome = await run.exit;
      expectEnded(line, outcome);
      const [, dir = ''] = /simulated site in (\S+)\/\.upi-wizard\/site/.exec(outcome.stderr) ?? [];
      expect(dir.startsWith(sandbox.path), `${dir} is where temporary files go`).toBe(true);
      const [, verify] = REHEARSAL_CHECKS.find(([part]) => line.includes(part)) ?? [];
      if (!verify) throw new Error(`nothing is known of ${line}`);
      verify(outcome, dir);
    }),
  );
  expect(listProcesses(sandbox.path), 'nothing runs on').toEqual([]);
});

/** Whether the line rehearses the reader's own design, which has its own secrets. */
const usesOwnDesign = (line: string) => line.includes('--answers site.yaml') && !line.includes('--break');

/**
 * Returns a line of README at a higher speed. The first line keeps its speed and runs with umask 077; a line with the
 * reader's own design runs with umask 000.
 */
function accelerate(line: string): string {
  if (line === runnable[0]) return `umask 077; ${line}`;
  const faster = line.includes('--speed 60')
    ? line.replace('--speed 60', `--speed ${FAST_SPEED}`)
    : `${line} --speed ${FAST_SPEED}`;
  return usesOwnDesign(line) ? `umask 000; ${faster}` : faster;
}

/** Asserts the peak memory of the running sites, MiB. */
function expectSmallSites(): void {
  const sites = listProcesses(sandbox.path).filter(({ command }) => command.includes('/dist/site.js '));
  expect(sites.length).toBeGreaterThan(0);
  for (const { pid } of sites) {
    const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readProcessStatus(pid)) ?? [];
    expect(Number(peak ?? 0) / 1024).toBeLessThan(150);
  }
}

function expectExample(outcome: ProgramResult, dir: string): void {
  expect(outcome.stdout).toMatch(/Everything is done and verified\.\nThe generated files, the log and the report/);
  const headings = [...outcome.stdout.matchAll(/^\[(\d+)\/17\] /gm)].map(([, number]) => number);
  expect(headings).toEqual(['8', '9', '10', '11', '12', '13', '14', '15', '16', '17']);
  expectReport(dir, 'ocp45', NODES);
  expectLastStage(dir);
  expectPrivate(dir, outcome);
  expectModes(dir);
}

function expectOwn(outcome: ProgramResult, dir: string): void {
  expect(outcome.stdout).toContain(`report are in ${dir}.`);
  expectReport(dir, 'prod7', NODES);
  expectLastStage(dir);
  const zone = readFileSync(join(dir, 'files/ns1/var/named/30.20.10.in-addr.arpa.zone'), 'utf8');
  expect(zone).toMatch(/^21\s.*PTR\s+m1\.prod7\.example\.localdomain\.$/m);
  expect(readGeneratedText(dir)).not.toMatch(/172\.16\.0\.|ocp45/);
  expect(readFileSync(join(dir, '.upi-wizard/install-config.yaml'), 'utf8')).toContain(PLANTED_AUTH);
  ownRehearsal = { dir, outcome };
}

function expectOkd({ stdout }: ProgramResult, dir: string): void {
  expect(stdout).toContain('Everything is done and verified.');
  const report = readFileSync(join(dir, 'report.md'), 'utf8');
  expect(report).toContain('OKD: 4.20.0-okd-scos.3');
  expectReport(dir, 'ocp45', ['m1', 'm2', 'm3']);
}

/** A wrong MAC address is shown beside the one of the design, with the node that it may belong to. */
function expectWrongMac({ stdout }: ProgramResult, dir: string): void {
  const [, observedMac = '', node = ''] =
    /^ {2}fatal: A machine with MAC (\S+) requests an address, and (\w+) never did$/m.exec(stdout) ?? [];
  const designedMac = readMachines(dir)[node]?.mac ?? '';
  expect(designedMac).toMatch(/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/);
  expect(observedMac).not.toBe(designedMac);
  expect(stdout).toContain(`    because: the design has ${designedMac} for ${node}\n`);
  expect(stdout).not.toContain('Everything is done and verified');
  // The simulated DHCP server rejected this machine.
  const log = readFileSync(join(dir, '.upi-wizard/site/hosts/ns1/var/log/messages'), 'utf8');
  expect(log).toContain(`DHCPDISCOVER from ${observedMac} via eth0: network 10.20.30.0/24: no free leases`);
}

test.concurrent('README names only scripts, commands and options that exist', async () => {
  const { code, stdout: help } = await runWizard(['help', 'commands'], { sandbox });
  expect(code).toBe(0);
  const scriptNames = [...readme.matchAll(/npm (?:run ([\w:]+)|(start|test)\b)/g)].map(
    ([, script, short]) => script ?? short ?? '',
  );
  expect(scriptNames).toEqual(expect.arrayContaining(['start', 'test', 'rehearsal']));
  for (const script of scriptNames) expect(Object.keys(scripts)).toContain(script);
  const foreignOptions = new Set(['--silent', '--no-install']);
  // Options of oc and of generated scripts are not options of the wizard.
  const ownText = readme.replaceAll(/^.*(?:install\.sh|`oc ).*$/gm, '');
  const options = [...ownText.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([option]) => option);
  expect(options.length).toBeGreaterThan(10);
  for (const option of options.filter((each) => !foreignOptions.has(each))) expect(help).toContain(option);
  const rows = [...readme.matchAll(/^\| `upi-wizard .+?` \|/gm)].map(([row]) => row.replace(/<|\[.*?\]/g, ''));
  const commands = rows.flatMap((row) =>
    [...row.matchAll(/`(?:upi-wizard )?([a-z]+(?: [a-z-]+)?)/g)].map(([, each = '']) => each),
  );
  expect(commands).toEqual(
    expect.arrayContaining(['rehearse', 'design example', 'check', 'generate', 'csr list', 'help rules']),
  );
  // The pages of the help are compared below.
  const others = commands.filter((command) => !command.startsWith('help '));
  for (const word of others.flatMap((command) => command.split(' '))) expect(help).toContain(word);
});

test.concurrent('README names every page of the help; exit codes there are those of --help', async () => {
  const page = async (...argv: string[]) => (await runWizard(argv, { sandbox })).stdout;
  const [usage, topics] = [await page('--help'), await page('help')];
  const names = [...topics.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name = '']) => name);
  expect([...readme.matchAll(/^\| `upi-wizard help ([a-z-]+)`/gm)].map(([, name]) => name)).toEqual(names);
  const exitCodeText = /Exit codes: ([\s\S]*)/.exec(usage)?.[1] ?? '';
  const codes = [...exitCodeText.matchAll(/(?<![\w.-])\d{1,3}(?![\w.-])/g)].map(([code]) => code).slice(0, 9);
  expect(codes).toEqual(['0', '1', '2', '3', '4', '5', '129', '130', '143']);
  const helpCodes = [...(await page('help', 'exit-codes')).matchAll(/^ {2}(\d+) {2}/gm)].map(([, code]) => code);
  expect(helpCodes).toEqual(codes);
});

test('with umask 000 every file has its intended mode, and secrets are only in their files', () => {
  const { dir, outcome } = getOwnRehearsal();
  expectModes(dir);
  expectSecretsPrivate(dir, outcome, listAllSecrets(dir));
});

test('neither the screens of a finished rehearsal nor its support bundle show a secret', async () => {
  const { dir } = getOwnRehearsal();
  await expectNoSecretOnScreens(dir, sandbox);
  await expectNoSecretInBundle(dir, sandbox);
});

testWith('strace')('no program that is started gets a secret in its arguments or its environment', () => {
  expectNoSecretInPrograms(recordFile, getOwnRehearsal().dir);
});

test('README contains no merge conflict markers', () => {
  expect(readme).not.toMatch(/^(?:<{7}|={7}|>{7})/m);
});
