import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkComment, checkName, checkVocabulary, findLongSentences } from './tools/check-vocabulary.ts';
import { EXCEPTIONS, TEST_EXCEPTIONS } from './tools/vocabulary.ts';

const read = (path: string) => checkVocabulary(fileURLToPath(new URL(path, import.meta.url)));

test('names, comments, messages and text of templates that break a rule are found, with their lines', () => {
  const { problems } = read('fixtures/vocabulary');
  expect(problems.map(({ file, line, text }) => `${file}:${line} ${text}`).toSorted()).toEqual([
    'bin/run.js:1 A look-up that waits for ever.',
    'src/i18n/en/index.ts:1 Nobody answers; look anew.',
    'src/i18n/en/index.ts:3 The name server of ␣ answers, but it has another zone than t',
    'src/i18n/en/index.ts:5 The “rhcos” image.',
    'src/i18n/en/index.ts:6 The image is on record.',
    'src/names.ts:1 * What a person told us, and nobody else.',
    'src/names.ts:1 * What a person told us, and nobody else.',
    'src/names.ts:11 linesOf',
    'src/names.ts:14 rail',
    'src/names.ts:15 seen',
    'src/names.ts:18 With a fast clock, an hour is seconds of a machine that is b',
    'src/names.ts:19 found',
    'src/names.ts:19 undoBindings',
    'src/names.ts:2 Seen',
    'src/names.ts:20 shown',
    'src/names.ts:21 Left out: nothing; left out: it has a default.',
    'src/names.ts:23 A default; Node reports it.',
    'src/names.ts:24 @param portNumber',
    'src/names.ts:3 carriedBy',
    'src/names.ts:6 Whoever reads this has to wait for the subject.',
    'src/names.ts:6 Whoever reads this has to wait for the subject.',
    'src/names.ts:7 sight',
    'src/names.ts:7 telling',
    'templates/ansible/tasks.yml.eta:1 Read the units anew',
    'templates/notes.md.eta:1 What the name servers have to do',
    'templates/notes.md.eta:4 The records are in a file, for whoever creates them.',
    'templates/script.sh.eta:2 Where it has come to, for x. Installs a file.',
    'templates/script.sh.eta:7 script.sh --undo    puts back what nobody changed',
    'templates/script.sh.eta:9 Everybody may read $path.',
  ]);
});

test('words of the field pass: a binding, a component, a certificate that is expired', () => {
  for (const name of ['bindingFor', 'createUndoBindings', 'planMove', 'expiredError', 'failedCheck', 'nodeFqdn']) {
    expect(checkName(name, 'function'), name).toBeNull();
  }
  expect(checkName('MeasuredFrame', 'function')).toBeNull();
  expect(checkName('KeyBinding', 'type')).toBeNull();
  expect(checkName('Installed', 'type')).not.toBeNull();
  expect(checkComment('* Finds the node. Source: `told` in the log.')).toEqual([]);
  expect(checkComment(`* ${'word '.repeat(26)}.`)).toHaveLength(1);
});

test('a message has sentences of 25 words; commands, values, and a list after a colon have a count of their own', () => {
  const words = (count: number) => 'word '.repeat(count).trim();
  expect(findLongSentences(`${words(25)}. ${words(25)}: \`oc get nodes --all\` ${words(25)}.`)).toEqual([]);
  expect(findLongSentences(`${words(26)}.`)).toHaveLength(1);
  expect(findLongSentences(`${words(20)}, ${words(6)}.`)).toHaveLength(1);
  // A colon before a clause does not end the sentence, before a list it does.
  expect(findLongSentences(`${words(20)}: ${words(6)}.`)).toHaveLength(1);
  expect(findLongSentences(`${words(20)}: ${words(2)}, ${words(2)}, ${words(2)}.`)).toEqual([]);
  expect(findLongSentences(`${words(24)} "--host A", "--only B" and "--json".`)).toEqual([]);
  expect(findLongSentences(`${words(25)} "--host A" ${words(1)}.`)).toHaveLength(1);
});

test('a participle is no name of a local; as a property it may be data', () => {
  expect(checkName('found', 'local')).not.toBeNull();
  expect(checkName('leftOut', 'local')).not.toBeNull();
  expect(checkName('foundAddresses', 'local')).toBeNull();
  expect(checkName('found', 'other')).toBeNull();
});

test('the project keeps its vocabulary, with few exceptions', () => {
  const { problems, names, comments, messages, parameters, templateTexts } = read('..');
  expect(problems).toEqual([]);
  expect(Math.min(names, comments, messages)).toBeGreaterThan(5000);
  expect(parameters).toBeGreaterThan(500);
  expect(templateTexts).toBeGreaterThan(300);
  expect(Object.keys({ ...EXCEPTIONS, ...TEST_EXCEPTIONS }).length).toBeLessThanOrEqual(30);
});
