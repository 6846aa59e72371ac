import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  allSecretsOf,
  expectBundleClosed,
  expectProgramsClosed,
  expectScreensClosed,
  PLANTED_AUTH,
  PLANTED_ENVIRONMENT,
  PLANTED_PULL_SECRET,
  recorder,
} from '../support/planted-secrets.ts';
import { findProgram, testWith } from '../support/programs.ts';
import {
  expectLastStage,
  expectModes,
  expectPrivate,
  expectReport,
  expectSecretsClosed,
  generatedText,
  machinesOf,
  statusOf,
} from '../support/rehearsal-proof.ts';
import {
  FAST,
  makeSandbox,
  type Outcome,
  processesOf,
  root,
  runWizard,
  startProgram,
} from '../support/rehearsal-run.ts';

const sandbox = makeSandbox();
afterAll(sandbox.remove);

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const scripts = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
  .scripts;

/** Every line that README gives to a shell. */
const lines = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
/** Those that a test can run: the others install the project, test it, or need a person. */
const runnable = lines.filter((line) => !/npm (?:ci|test)\b/.test(line));

/** A checkout whose files a command may add to: all that the project consists of is linked into it. */
function linkedCheckout(): string {
  const path = sandbox.dir('checkout');
  mkdirSync(path);
  for (const name of ['bin', 'node_modules', 'package.json']) symlinkSync(join(root, name), join(path, name));
  return path;
}

const NODES = ['m1', 'm2', 'm3', 'w1', 'w2', 'w3', 'i1', 'i2', 'i3'];

/** The design that README has its reader make, with names, addresses and a pull secret of the reader's own. */
function makeItOwn(file: string): void {
  writeFileSync(join(dirname(file), 'own-pull-secret.json'), PLANTED_PULL_SECRET, { mode: 0o600 });
  const own = { ocp45: 'prod7', '172.16.0.': '10.20.30.', './pull-secret.txt': './own-pull-secret.json' };
  let text = readFileSync(file, 'utf8');
  for (const [from, to] of Object.entries(own)) {
    expect(text).toContain(from);
    text = text.replaceAll(from, to);
  }
  writeFileSync(file, text);
}

/** What is to be seen of the rehearsals of README, by a part of their lines: the first that fits. */
const REHEARSALS: readonly (readonly [part: string, judge: (outcome: Outcome, dir: string) => void])[] = [
  ['npm run rehearsal', expectExample],
  ['--break wrong-mac', expectWrongMac],
  ['--answers site.yaml', expectOwn],
  ['--cloud aws', ({ stdout }) => expect(stdout).toContain('Everything is done and verified.')],
];

const recordFile = join(sandbox.path, 'programs.strace');
/** The rehearsal of the reader's own design, when it was played. */
let own: { readonly dir: string; readonly outcome: Outcome } | null = null;

function ofOwn() {
  if (own === null) throw new Error('no rehearsal of an own design');
  return own;
}

test.concurrent('every command of README does what it says there', async () => {
  const cwd = linkedCheckout();
  const start = (line: string) => {
    const env = { TERM: 'dumb', ...(isOwn(line) ? PLANTED_ENVIRONMENT : {}) };
    const before = isOwn(line) && findProgram('strace') !== null ? recorder(recordFile) : [];
    const [file = '', ...args] = [...before, 'bash', '-c', line];
    return startProgram(file, args, { sandbox, cwd, env });
  };
  const expectEnded = (line: string, { code, signal, stdout, stderr }: Outcome) =>
    expect([code, signal], `${line}\n${stdout}\n${stderr}`).toEqual([line.includes('--break') ? 4 : 0, null]);
  expect(runnable.length).toBeGreaterThan(4);
  expect(runnable[0]).toBe('npm run rehearsal');
  const isLong = (line: string) => /\brehears/.test(line);
  // One after the other, as a reader types them; those that take longer at the same time.
  for (const line of runnable.filter((each) => !isLong(each))) {
    const outcome = await start(line).ended;
    expectEnded(line, outcome);
    if (line.includes('design schema')) expect(JSON.parse(outcome.stdout)).toHaveProperty('$schema');
  }
  const site = join(cwd, 'site.yaml');
  expect(readFileSync(site, 'utf8')).toMatch(/^kind: ClusterDesign$/m);
  makeItOwn(site);
  const long = runnable.filter(isLong);
  expect(long).toHaveLength(REHEARSALS.length);
  await Promise.all(
    long.map(async (line) => {
      const run = start(quick(line));
      if (line === runnable[0]) {
        await run.prints(/lb-final: the load balancer has it/);
        expectSmallSites();
      }
      const outcome = await run.ended;
      expectEnded(line, outcome);
      const [, dir = ''] = /rehearsal site in (\S+)\/\.upi-wizard\/site/.exec(outcome.stderr) ?? [];
      expect(dir.startsWith(sandbox.path), `${dir} is where temporary files go`).toBe(true);
      const [, judge] = REHEARSALS.find(([part]) => line.includes(part)) ?? [];
      if (!judge) throw new Error(`nothing is known of ${line}`);
      judge(outcome, dir);
    }),
  );
  expect(processesOf(sandbox.path), 'nothing runs on').toEqual([]);
});

/** The reader's own design is played with secrets of their own. */
const isOwn = (line: string) => line.includes('--answers site.yaml') && !line.includes('--break');

/** The same line at a higher speed; the first stays as it is. In one the shell closes all files, in another none. */
function quick(line: string): string {
  if (line === runnable[0]) return `umask 077; ${line}`;
  const faster = line.includes('--speed 60')
    ? line.replace('--speed 60', `--speed ${FAST}`)
    : `${line} --speed ${FAST}`;
  return isOwn(line) ? `umask 000; ${faster}` : faster;
}

/** What the sites that run took at most, MiB. */
function expectSmallSites(): void {
  const sites = processesOf(sandbox.path).filter(({ command }) => command.includes('/dist/site.js '));
  expect(sites.length).toBeGreaterThan(0);
  for (const { pid } of sites) {
    const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(statusOf(pid)) ?? [];
    expect(Number(peak ?? 0) / 1024).toBeLessThan(150);
  }
}

function expectExample(outcome: Outcome, dir: string): void {
  expect(outcome.stdout).toMatch(/Everything is done and verified\.\nThe generated files, the log and the report/);
  const headings = [...outcome.stdout.matchAll(/^\[(\d+)\/17\] /gm)].map(([, number]) => number);
  expect(headings).toEqual(['8', '9', '10', '11', '12', '13', '14', '15', '16', '17']);
  expectReport(dir, 'ocp45', NODES);
  expectLastStage(dir);
  expectPrivate(dir, outcome);
  expectModes(dir);
}

function expectOwn(outcome: Outcome, dir: string): void {
  expect(outcome.stdout).toContain(`report are in ${dir}.`);
  expectReport(dir, 'prod7', NODES);
  expectLastStage(dir);
  const zone = readFileSync(join(dir, 'files/ns1/var/named/30.20.10.in-addr.arpa.zone'), 'utf8');
  expect(zone).toMatch(/^21\s.*PTR\s+m1\.prod7\.example\.localdomain\.$/m);
  expect(generatedText(dir)).not.toMatch(/172\.16\.0\.|ocp45/);
  expect(readFileSync(join(dir, '.upi-wizard/install-config.yaml'), 'utf8')).toContain(PLANTED_AUTH);
  own = { dir, outcome };
}

/** A wrong MAC address is shown beside the one of the design, and whose it may be. */
function expectWrongMac({ stdout }: Outcome, dir: string): void {
  const [, seen = '', node = ''] =
    /^ {2}fatal: A machine with MAC (\S+) asks for an address, and (\w+) never did$/m.exec(stdout) ?? [];
  const planned = machinesOf(dir)[node]?.mac ?? '';
  expect(planned).toMatch(/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/);
  expect(seen).not.toBe(planned);
  expect(stdout).toContain(`    because: the design has ${planned} for ${node}: one of the two is a typing error`);
  expect(stdout).not.toContain('Everything is done and verified');
  // It is the machine that the DHCP server really turned away.
  const log = readFileSync(join(dir, '.upi-wizard/site/hosts/ns1/var/log/messages'), 'utf8');
  expect(log).toContain(`DHCPDISCOVER from ${seen} via eth0: network 10.20.30.0/24: no free leases`);
}

test.concurrent('README names only scripts, commands and options that exist', async () => {
  const { code, stdout: help } = await runWizard(['--help'], { sandbox });
  expect(code).toBe(0);
  const named = [...readme.matchAll(/npm (?:run ([\w:]+)|(start|test)\b)/g)].map(
    ([, script, short]) => script ?? short ?? '',
  );
  expect(named).toEqual(expect.arrayContaining(['start', 'test', 'rehearsal']));
  for (const script of named) expect(Object.keys(scripts)).toContain(script);
  const ofOthers = new Set(['--silent', '--no-install']);
  // What oc and generated scripts take is no option of ours.
  const ours = readme.replaceAll(/^.*(?:install\.sh|`oc ).*$/gm, '');
  const options = [...ours.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([option]) => option);
  expect(options.length).toBeGreaterThan(10);
  for (const option of options.filter((each) => !ofOthers.has(each))) expect(help).toContain(option);
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

test.concurrent('README names every page of the help; exit codes and faults there are those of the usage', async () => {
  const page = async (...argv: string[]) => (await runWizard(argv, { sandbox })).stdout;
  const [usage, topics] = [await page('--help'), await page('help')];
  const names = [...topics.matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name = '']) => name);
  expect([...readme.matchAll(/^\| `upi-wizard help ([a-z-]+)`/gm)].map(([, name]) => name)).toEqual(names);
  const after = /Exit codes: ([\s\S]*)/.exec(usage)?.[1] ?? '';
  const codes = [...after.matchAll(/(?<![\w.-])\d{1,3}(?![\w.-])/g)].map(([code]) => code).slice(0, 9);
  expect(codes).toEqual(['0', '1', '2', '3', '4', '5', '129', '130', '143']);
  const told = [...(await page('help', 'exit-codes')).matchAll(/^ {2}(\d+) {2}/gm)].map(([, code]) => code);
  expect(told).toEqual(codes);
  const rehearsal = await page('help', 'rehearsal');
  const faults = [...usage.matchAll(/^ +([a-z]+(?:-[a-z]+)+) {2}/gm)].map(([, fault = '']) => fault);
  expect(faults.length).toBeGreaterThanOrEqual(4);
  for (const fault of faults) expect(rehearsal).toContain(`  ${fault} `);
});

test('with umask 000 every file has the mode it should have, and secrets are where they belong', () => {
  const { dir, outcome } = ofOwn();
  expectModes(dir);
  expectSecretsClosed(dir, outcome, allSecretsOf(dir));
});

test('neither the screens of a finished rehearsal nor its support bundle show a secret', async () => {
  const { dir } = ofOwn();
  await expectScreensClosed(dir, sandbox);
  await expectBundleClosed(dir, sandbox);
});

testWith('strace')('no program that is started gets a secret in its arguments or its environment', () => {
  expectProgramsClosed(recordFile, ofOwn().dir);
});

test('README holds no marks of a merge', () => {
  expect(readme).not.toMatch(/^(?:<{7}|={7}|>{7})/m);
});
