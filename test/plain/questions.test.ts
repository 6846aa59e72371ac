import { createInterface } from 'node:readline/promises';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askDesign, lineReader } from '../../src/plain/questions.ts';
import { type Document, getAt } from '../../src/wizard/design/document.ts';
import type { Field } from '../../src/wizard/design/fields.ts';
import { FORMS } from '../../src/wizard/design/pages/index.ts';
import { exampleDocument } from '../support/wizard-state.ts';

/** Asks the example's questions with this as the whole standard input, in the pieces it is given in. */
async function answer(pieces: readonly string[], document: Document = exampleDocument()) {
  const input = new PassThrough();
  const readline = createInterface({ input });
  let written = '';
  const saved: Document[] = [];
  const asked = askDesign(document, {
    print: (line) => {
      written += `${line}\n`;
    },
    ask: lineReader(readline, (text) => {
      written += text;
    }),
    save: (answers) => saved.push(answers),
  });
  for (const piece of pieces) input.write(piece);
  input.end();
  const design = await asked;
  readline.close();
  return { design, written, saved };
}

/** The rarely needed questions are not asked without a screen: they have a design file. */
const ASKED = Object.values<readonly Field[]>(FORMS)
  .flat()
  .filter(({ isAdvanced }) => !isAdvanced);
const QUESTIONS = ASKED.length;
/** An empty line for every question, some of them answered. */
const lines = (answers: Readonly<Record<string, string>> = {}, extra = 0) =>
  `${ASKED.map(({ path }) => answers[path] ?? '')
    .concat(Array.from({ length: extra }, () => ''))
    .join('\n')}\n`;

test.each([
  ['', '10.20.30.21'],
  ['y', '10.20.30.21'],
  ['n', '172.16.0.21'],
])('another machine network asks once whether the addresses follow it: %j', async (said, ip) => {
  const answers = lines({ 'networks.machine.0.cidr': `10.20.30.0/24\n${said}` });
  const { written, saved } = await answer([answers]);
  expect(written).toContain('Move 16 addresses to 10.20.30.0/24?\n  172.16.0.254 -> 10.20.30.254  Gateway\n');
  expect(written.match(/Change them\?/g)).toHaveLength(1);
  expect(getAt(saved.at(-1), 'nodes.1.ip')).toBe(ip);
});

test('empty lines all the way keep the example', async () => {
  const { design, written, saved } = await answer([lines()]);
  expect(design?.cluster).toEqual({ name: 'ocp45', baseDomain: 'example.localdomain' });
  expect(saved.at(-1)).toEqual(exampleDocument());
  expect(saved).toHaveLength(QUESTIONS);
  expect(written).toContain('Cluster name [ocp45]: ');
  expect(written).toContain('  one of: standard, compact, single-node');
  expect(written).toContain('10 nodes as in the design');
});

test.each([
  ['in one write', (text: string) => [text]],
  ['byte by byte', (text: string) => [...text]],
  ['with carriage returns', (text: string) => [text.replaceAll('\n', '\r\n')]],
])('answers given %s end the same', async (_name, split) => {
  const text = lines({ 'cluster.name': ' prod ', 'services.boot.httpPort': '8081', fips: 'false' });
  const { design } = await answer(split(text));
  expect(design?.cluster.name).toBe('prod');
  expect(design?.services.boot.httpPort).toBe(8081);
});

test('a wrong answer is told with its remedy and asked again', async () => {
  const text = lines({ 'networks.machine.0.gateway': '172.16.1.254\n172.16.0.253' });
  const { design, written } = await answer([text]);
  expect(design?.networks.machine[0]?.gateway).toBe('172.16.0.253');
  expect(written).toContain('  That does not work: The gateway 172.16.1.254 is not inside 172.16.0.0/24. Give ');
  expect(written.match(/That does not work/g)).toHaveLength(1);
  expect(written.match(/^.*Gateway \[172\.16\.0\.254\] \(- for none\): /gm)).toHaveLength(2);
});

test('the end of the input saves what was answered, says so and gives no design', async () => {
  const { design, written, saved } = await answer(['4.19\n\n\nprod\n']);
  expect(design).toBeNull();
  expect(getAt(saved.at(-1), 'cluster.name')).toBe('prod');
  expect(getAt(saved.at(-1), 'openshift.version')).toBe('4.19');
  expect(written).toContain('The input ended before all questions were answered. Your answers so far are saved.');
});

test('? explains the question and quit leaves: neither becomes an answer', async () => {
  const { design, written, saved } = await answer(['\n\n\n?\nprod\nquit\n']);
  expect(design).toBeNull();
  expect(written).not.toContain('The input ended');
  expect(written).toMatch(/Your answers so far are saved\.\n$/);
  expect(written.match(/Cluster name \[/g)).toHaveLength(2);
  expect(getAt(saved.at(-1), 'cluster.name')).toBe('prod');
  expect(getAt(saved.at(-1), 'cluster.baseDomain')).toBe('example.localdomain');
});

test('a last line without a newline is an answer', async () => {
  const { saved } = await answer(['4.19']);
  expect(getAt(saved.at(-1), 'openshift.version')).toBe('4.19');
});

test('an answer that is optional can be taken away with a hyphen', async () => {
  const { design, written } = await answer([lines({ 'networks.router': '-' })]);
  expect(written).toContain('(- for none)');
  expect(design?.networks.router).toBeNull();
});

test('questions follow the answers: without a DHCP server its name is not asked', async () => {
  const answers = ASKED.filter(({ path }) => path !== 'services.dhcp.server').map(({ path }) =>
    path === 'services.dhcp.kind' ? 'none' : '',
  );
  const { written, design } = await answer([`${answers.join('\n')}\n`]);
  expect(written).not.toContain('DHCP server [');
  expect(design?.services.dhcp.kind).toBe('none');
});

test('errors that these questions cannot put right are told at the end, and there is no design', async () => {
  const document = exampleDocument() as { nodes: Record<string, unknown>[] };
  const nodes = document.nodes.with(1, { ...document.nodes[1], mac: 'nonsense' });
  const { design, written } = await answer([lines()], { ...document, nodes });
  expect(design).toBeNull();
  expect(written).toContain('The design has an error:');
  expect(written).toContain('  Nodes > m1: MAC address: "nonsense" is not a MAC address. Write six pairs');
});

test('a line typed at a terminal before a dangerous question is no answer to it; one of a script is', async () => {
  const said = async (isTerminal: boolean) => {
    const input = new PassThrough();
    const readline = createInterface({ input });
    const written: string[] = [];
    const early = new Promise((resolve) => readline.once('line', resolve));
    const ask = lineReader(readline, (text) => written.push(text), isTerminal);
    input.write('y\n');
    await early;
    const answered = ask('Go on? ', { isFresh: true });
    input.write('n\n');
    input.end();
    const rest = [await answered, await ask('Next? ')];
    readline.close();
    return [written.length, ...rest];
  };
  expect(await said(true)).toEqual([3, 'n', null]);
  expect(await said(false)).toEqual([2, 'y', 'n']);
});
