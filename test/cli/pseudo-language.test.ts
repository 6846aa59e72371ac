// Output of the commands and the plain front end in a pseudo language: text that is not from the catalogue shows up.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { COMMAND_NAMES, listExamples } from '../../src/cli/commands.ts';
import { type CommandIo, runForExitCode } from '../../src/cli/shared/io.ts';
import type { ProcessIo } from '../../src/cli/shared/process-io.ts';
import { loadWords, TOPIC_NAMES, WORD_LISTS, type WordList } from '../../src/cli/word-lists.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import { setCatalogue } from '../../src/i18n/catalogue.ts';
import { english } from '../../src/i18n/en/index.ts';
import { MOVE_NAMES } from '../../src/infra/moves.ts';
import { askDesign } from '../../src/plain/questions.ts';
import { exampleCredentials } from '../support/example-design.ts';
import { exampleDocument } from '../support/example-document.ts';
import { findUnmarkedWords, pseudoLanguage } from '../support/pseudo-language.ts';
import { runCommand } from '../support/run-command.ts';
import { type SimulatedCluster, startSimulatedCluster } from '../support/simulated-cluster.ts';

beforeAll(() => setCatalogue(pseudoLanguage, 'en'));
afterAll(() => setCatalogue(english, 'en'));

/**
 * Text that is no sentence: paths, addresses and full names, then names of the example, values, rules, moves and
 * messages of Node.js.
 */
const DATA = [
  // A command line of the program.
  /\bupi-wizard(?: -{0,2}[a-z][a-z-]*)*/g,
  /[\w.*~-]*[/.][\w./*~-]+/g,
  /^\S+ \S+ {2}.*It is not$/gm,
  /\b(?:csr|pull-secret|address|mac|unknown|lb|infra|single|bootstrap)-[\w-]+/g,
  /\b(?:ocp45|example|bastion|ns1|lb1|m[1-3]|w[1-3]|i[1-3]|none|ENOENT|en|pvc|emptyDir|x86_64|aarch64|ppc64le|s390x|infra|bootstrap|compute|control-plane)\b/g,
  /\b(?:standard|compact|arbiter|fencing|single-node-bootstrap|true|false|rhel\d+|debian|bind|external|isc-dhcpd|kea|haproxy|ipxe|iso|install|type|topologie|topology|syntax)\b/g,
  /\bfd\d\d::[/\d]*/g,
  /\b(?:OVNKubernetes|OpenShiftSDN|imageContentSources|imageDigestSources|join|transit|masquerade)\b/g,
  // Names of commands and options, also in lists.
  new RegExp(
    `(?<![\\w-])(?:--[a-z-]+|${COMMAND_NAMES.flatMap((name) => name.split(' '))
      .filter(Boolean)
      .join('|')})\\b`,
    'g',
  ),
  // Longer names first: one may begin as another.
  new RegExp(`\\b(?:${MOVE_NAMES.toSorted().reverse().join('|')}|ingress|undo|apply|client|serving)\\b`, 'g'),
  /Flow (?:sequence|map)[^ö]*?(?= [öüä])/g,
  /\b[A-Z][A-Z_]+\b/g,
];

function findLeaks(name: string, text: string): string[] {
  const rest = DATA.reduce((left, pattern) => left.replace(pattern, ' '), text);
  return findUnmarkedWords(rest).map((word) => `${name}: "${word}" is not from the catalogue: ${text}`);
}

/** Runs a command as the executable does. Returns both output streams as one text. */
async function captureOutput(argv: readonly string[], cwd: string): Promise<string> {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const commandIo: CommandIo = {
    stdout: write,
    stderr: write,
    env: { HOME: cwd, XDG_CONFIG_HOME: cwd, PATH: cwd },
    cwd,
  };
  const io: ProcessIo = {
    ...commandIo,
    ask: null,
    signal: new AbortController().signal,
    canRedraw: false,
    columns: 80,
  };
  await runForExitCode(commandIo, () => runCommand(argv, io));
  return text;
}

async function findAllLeaks(commandLines: readonly string[], cwd: string): Promise<string[]> {
  const found: string[] = [];
  for (const line of commandLines) {
    const text = await captureOutput(line.split(' ').filter(Boolean), cwd);
    expect(text, line).not.toBe('');
    found.push(...findLeaks(line, text));
  }
  return found;
}

test.each(COMMAND_NAMES)('the help of "%s", without usage, names and possible words', async (name) => {
  const text = await captureOutput([...name.split(' ').filter(Boolean), '--help'], '/');
  for (const line of text.split('\n')) expect(stringWidth(line), line).toBeLessThanOrEqual(80);
  const lists = await loadWords(Object.keys(WORD_LISTS) as WordList[]);
  const known = [...new Set([...lists.values()].flat())].toSorted().reverse();
  const examples = listExamples(name).map((line) => `  ${line}`);
  const sentences = text.split('\n').filter((line) => !examples.includes(line));
  const rest = sentences
    .join('\n')
    .replace(/upi-wizard .*/g, '')
    .replace(/^ {2}\S+(?: \S+)* {2,}/gm, '');
  expect(findLeaks(name, rest.replace(new RegExp(`(?<![\\w-])(?:${known.join('|')})(?![\\w-])`, 'g'), ''))).toEqual([]);
});

test.each(TOPIC_NAMES.filter((topic) => topic !== 'commands' && topic !== 'design'))(
  'help %s: everything but names and the cited sources',
  async (topic) => {
    const text = await captureOutput(['help', topic], '/');
    for (const line of text.split('\n')) expect(stringWidth(line), line).toBeLessThanOrEqual(80);
    const sources = /⟦Š[^:⟧]*: [^⟧]*⟧/gu;
    const names = /^ {2}\S+(?: \S+)*(?: {2,}|$)/gm;
    expect(
      findLeaks(topic, text.replace(/^(?:rules|versions)$/.test(topic) ? sources : /$^/, '').replace(names, '')),
    ).toEqual([]);
  },
);

test('design and generate: wrong usage, designs that are wrong and good, files changed by hand', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'pseudo-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const write = (file: string, text: string) => writeFileSync(join(cwd, file), text, { mode: 0o600 });
  write('design.yaml', renderExampleDesign().replace('~/.ssh/id_ed25519.pub', './key.pub'));
  write('key.pub', exampleCredentials.sshKey);
  write('pull-secret.txt', exampleCredentials.pullSecret);
  write('no.yaml', '{ a: [');
  const changes = [
    ['00:50:56:96:11:c2', '00:50:56'],
    ['vcpu: 4', 'vcpu: many'],
    ['172.16.0.22', '172.16.0.21'],
    ['topology:', 'topologie:'],
  ] as const;
  write(
    'wrong.yaml',
    changes.reduce((text, [from, to]) => text.replace(from, to), renderExampleDesign()),
  );
  const checks = ['check', 'check none.yaml', 'check wrong.yaml', 'check no.yaml', 'check design.yaml'];
  const others = ['', 'x', 'example --topology x', 'example --version x', 'import', 'import none', 'import key.pub'];
  expect(
    await findAllLeaks(
      [...checks, ...others].map((line) => `design ${line}`),
      cwd,
    ),
  ).toEqual([]);
  const generate = (lines: readonly string[]) =>
    findAllLeaks(
      lines.map((line) => `generate ${line}`),
      cwd,
    );
  const wrong = ['', 'a b', 'design.yaml', 'design.yaml --out o --stage x', 'wrong.yaml --out o', 'none --out o'];
  expect(await generate([...wrong, 'design.yaml --out o'])).toEqual([]);
  writeFileSync(join(cwd, 'o/ns1/etc/named.conf'), 'mine');
  const edited = ['design.yaml --out o', 'design.yaml --out o --force', 'design.yaml --out no.yaml'];
  expect(await generate(edited)).toEqual([]);
});

test('the questions of the plain front end', async () => {
  const lines: string[] = [];
  const answers = ['x', '172.16'];
  const ask = async (prompt: string) => {
    lines.push(prompt);
    return answers.pop() ?? '';
  };
  await askDesign(exampleDocument(), { print: (line) => void lines.push(line), ask, save: () => undefined });
  expect(lines.length).toBeGreaterThan(50);
  expect(lines.flatMap((line) => findLeaks('plain', line))).toEqual([]);
});

let cluster: SimulatedCluster | undefined;
afterEach(async () => {
  await cluster?.close();
  cluster = undefined;
});

test('status, csr and infra: on a cluster, in its install directory, and without one', async () => {
  cluster = await startSimulatedCluster();
  const { cwd, fileOptions: files, dir } = cluster;
  cluster.addNode('m1', '172.16.0.21');
  cluster.addNode('w2', '172.16.0.32', { isReady: false });
  await cluster.addRequest('csr-w1', 'w1');
  await cluster.addRequest('csr-x9', 'x9');
  await cluster.addRequest('csr-m1', 'm1', '172.16.0.99');
  const conditions = [{ type: 'Available', status: 'False', reason: 'R', message: 'It is not' }];
  cluster.add('clusteroperators.config.openshift.io', { metadata: { name: 'ingress' }, status: { conditions } });
  const linesByCommand = {
    status: ['', '--watch x', '--dir nowhere', `--dir ${dir}`],
    csr: [
      'x',
      'list',
      'list --dir nowhere',
      `list --dir ${dir}`,
      'approve',
      'approve csr-x9',
      'approve none',
      'approve x --background',
    ],
    infra: ['x', 'plan', 'verify', 'plan --only x', `plan --dir ${dir}`, 'undo --only taint', 'apply'],
  } as const;
  for (const [name, lines] of Object.entries(linesByCommand)) {
    const withFiles = lines.map((line) => [name, line, line.includes('--dir') ? '' : files.join(' ')].join(' '));
    expect(await findAllLeaks(withFiles, cwd)).toEqual([]);
  }
});
