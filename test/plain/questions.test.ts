import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { type DesignDocument, getAt } from '../../src/design/paths.ts';
import { createLineInput } from '../../src/plain/menu.ts';
import { askDesign, createQuestionPrompt } from '../../src/plain/questions.ts';
import type { Field } from '../../src/wizard/design/fields.ts';
import { FORMS } from '../../src/wizard/design/pages/index.ts';
import { exampleDocument } from '../support/wizard-state.ts';

/** Asks the questions of the example. The pieces are the whole standard input. */
async function answerQuestions(pieces: readonly string[], document: DesignDocument = exampleDocument()) {
  const input = new PassThrough();
  const lines = createLineInput(input);
  let written = '';
  const saved: DesignDocument[] = [];
  const pendingDesign = askDesign(document, {
    print: (line) => {
      written += `${line}\n`;
    },
    ask: createQuestionPrompt(lines, (text) => {
      written += text;
    }),
    save: (answers) => saved.push(answers),
  });
  for (const piece of pieces) input.write(piece);
  input.end();
  const design = await pendingDesign;
  lines.close();
  return { design, written, saved };
}

/**
 * Advanced questions are not asked without screens: they belong in the design file. Others depend on the answers.
 */
const BASIC_FIELDS = Object.values<readonly Field[]>(FORMS)
  .flat()
  .filter(({ isAdvanced, isVisible }) => !isAdvanced && (isVisible?.(exampleDocument()) ?? true));
const QUESTION_COUNT = BASIC_FIELDS.length;

/** Returns one line per question: empty, except for the given answers. */
const buildInput = (answers: Readonly<Record<string, string>> = {}, extra = 0) =>
  `${BASIC_FIELDS.map(({ path }) => answers[path] ?? '')
    .concat(Array.from({ length: extra }, () => ''))
    .join('\n')}\n`;

test.each([
  ['', '172.16.0.21'],
  ['y', '10.20.30.21'],
  ['n', '172.16.0.21'],
])('another machine network asks once whether to move the addresses: %j', async (reply, ip) => {
  const answers = buildInput({ 'networks.machine.0.cidr': `10.20.30.0/24\n${reply}` });
  const { written, saved } = await answerQuestions([answers]);
  expect(written).toContain('Move 17 addresses to 10.20.30.0/24?\n  172.16.0.254 -> 10.20.30.254  Gateway\n');
  expect(written.match(/Change them\?/g)).toHaveLength(1);
  expect(getAt(saved.at(-1), 'nodes.1.ip')).toBe(ip);
});

test('empty lines all the way keep the example', async () => {
  const { design, written, saved } = await answerQuestions([buildInput()]);
  expect(design?.cluster).toEqual({ name: 'ocp45', baseDomain: 'example.localdomain' });
  expect(saved.at(-1)).toEqual(exampleDocument());
  expect(saved).toHaveLength(QUESTION_COUNT);
  expect(written).toContain('Cluster name [ocp45]: ');
  expect(written).toContain('  one of: standard, compact, arbiter, fencing, single-node, single-node-bootstrap');
  expect(written).toContain('10 nodes as in the design');
});

test('only the topology fencing asks for the file with the logins of the BMCs', async () => {
  const document = exampleDocument('fencing');
  const lines = `${'\n'.repeat(QUESTION_COUNT)}./bmc.yaml\n`;
  const { design, written } = await answerQuestions([lines], document);
  expect(written).toContain('Fencing credentials [./fencing.yaml] (- for none): ');
  expect(design?.credentials.fencingFile).toBe('./bmc.yaml');
  expect((await answerQuestions([buildInput()])).written).not.toContain('Fencing credentials');
});

test.each([
  ['in one write', (text: string) => [text]],
  ['byte by byte', (text: string) => [...text]],
  ['with carriage returns', (text: string) => [text.replaceAll('\n', '\r\n')]],
])('answers given %s end the same', async (_name, split) => {
  const text = buildInput({ 'cluster.name': ' prod ', 'services.boot.httpPort': '8081', fips: 'false' });
  const { design } = await answerQuestions(split(text));
  expect(design?.cluster.name).toBe('prod');
  expect(design?.services.boot.httpPort).toBe(8081);
});

test('a wrong answer is reported with its remedy and asked again', async () => {
  const text = buildInput({ 'networks.machine.0.gateway': '172.16.1.254\n172.16.0.253' });
  const { design, written } = await answerQuestions([text]);
  expect(design?.networks.machine[0]?.gateway).toBe('172.16.0.253');
  expect(written).toContain('  That does not work: The gateway 172.16.1.254 is not inside 172.16.0.0/24. Use ');
  expect(written.match(/That does not work/g)).toHaveLength(1);
  expect(written.match(/^.*Gateway \[172\.16\.0\.254\] \(- for none\): /gm)).toHaveLength(2);
});

test('the end of the input saves the answers so far, reports that and returns no design', async () => {
  const { design, written, saved } = await answerQuestions(['4.19\n\n\nprod\n']);
  expect(design).toBeNull();
  expect(getAt(saved.at(-1), 'cluster.name')).toBe('prod');
  expect(getAt(saved.at(-1), 'openshift.version')).toBe('4.19');
  expect(written).toContain('The input ended before all questions were answered. Your answers so far are saved.');
});

test('? explains the question and quit leaves: neither becomes an answer', async () => {
  const { design, written, saved } = await answerQuestions(['\n\n\n?\nprod\nquit\n']);
  expect(design).toBeNull();
  expect(written).not.toContain('The input ended');
  expect(written).toMatch(/Your answers so far are saved\.\n$/);
  expect(written.match(/Cluster name \[/g)).toHaveLength(2);
  expect(getAt(saved.at(-1), 'cluster.name')).toBe('prod');
  expect(getAt(saved.at(-1), 'cluster.baseDomain')).toBe('example.localdomain');
});

test('each question names its field and its place on the page, and a transcript shows the answers', async () => {
  const { written } = await answerQuestions(['4.19\n\n\nprod\n-----BEGIN OPENSSH PRIVATE KEY-----\n']);
  expect(written).toContain(
    [
      '  Cluster name (4 of 6): Becomes part of every name of the cluster. It cannot be changed after the installation.',
      'Cluster name [ocp45]: prod',
      '  Base domain (5 of 6): The domain of the cluster. The name server that the wizard sets up is authoritative for it.',
      'Base domain [example.localdomain]: (a secret: not shown)',
      '  That does not work: ',
    ].join('\n'),
  );
  expect(written).not.toContain('PRIVATE KEY');
});

test('a last line without a newline is an answer', async () => {
  const { saved } = await answerQuestions(['4.19']);
  expect(getAt(saved.at(-1), 'openshift.version')).toBe('4.19');
});

test('an answer that is optional can be taken away with a hyphen', async () => {
  const { design, written } = await answerQuestions([buildInput({ 'networks.router': '-' })]);
  expect(written).toContain('(- for none)');
  expect(design?.networks.router).toBeNull();
});

test('questions follow the answers: without a DHCP server its name is not asked', async () => {
  const answers = BASIC_FIELDS.filter(({ path }) => path !== 'services.dhcp.server').map(({ path }) =>
    path === 'services.dhcp.kind' ? 'none' : '',
  );
  const { written, design } = await answerQuestions([`${answers.join('\n')}\n`]);
  expect(written).not.toContain('DHCP server [');
  expect(design?.services.dhcp.kind).toBe('none');
});

test('errors that these questions cannot put right are reported at the end, and there is no design', async () => {
  const document = exampleDocument() as { nodes: Record<string, unknown>[] };
  const nodes = document.nodes.with(1, { ...document.nodes[1], mac: 'nonsense' });
  const { design, written } = await answerQuestions([buildInput()], { ...document, nodes });
  expect(design).toBeNull();
  expect(written).toContain('The design has an error:');
  expect(written).toContain('  Nodes > m1: MAC address: "nonsense" is not a MAC address. Write six pairs');
});

test('a line typed before a dangerous question does not answer it at a terminal, but does in a script', async () => {
  const answerEarly = async (isTerminal: boolean) => {
    const input = new PassThrough();
    const lines = createLineInput(input);
    const written: string[] = [];
    const ask = createQuestionPrompt(lines, (text) => written.push(text), isTerminal);
    input.write('y\n');
    await lines.waitForLine();
    const firstAnswer = ask('Continue? ', { ignoresTypeAhead: true });
    input.write('n\n');
    input.end();
    const rest = [await firstAnswer, await ask('Next? ')];
    lines.close();
    return [written.length, ...rest];
  };
  expect(await answerEarly(true)).toEqual([3, 'n', null]);
  // A script does not show what it sends: each answer stands behind its prompt.
  expect(await answerEarly(false)).toEqual([4, 'y', 'n']);
});
