import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { COMMAND_NAMES, listExamples } from '../../../src/cli/commands.ts';
import { SMALL_DESIGN } from '../../../src/cli/help/design-topics.ts';
import type { ProcessIo } from '../../../src/cli/shared/process-io.ts';
import { TOPIC_NAMES } from '../../../src/cli/word-lists.ts';
import { CREDENTIAL_RULES } from '../../../src/design/credentials.ts';
import { listDesignKeys } from '../../../src/design/keys.ts';
import { parseDesign } from '../../../src/design/parse.ts';
import { DESIGN_RULES } from '../../../src/design/rules/index.ts';
import { PARSE_RULES } from '../../../src/design/rules/rule.ts';
import {
  getVersionProfile,
  listVersionChanges,
  VERSION_SOURCES,
  type VersionProperty,
} from '../../../src/design/versions.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { listDependencies, MOVES } from '../../../src/infra/moves.ts';
import { PASSED_THROUGH_VARIABLES } from '../../../src/platform/environment.ts';
import { getDisplayWidth } from '../../../src/platform/text.ts';
import { FAULTS } from '../../../src/rehearsal/site/faults.ts';
import { STEP_IDS } from '../../../src/steps/contract.ts';
import { runCommand } from '../../support/run-command.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

async function help(argv: readonly string[], columns?: number): Promise<string> {
  let stdout = '';
  const io: ProcessIo = {
    stdout: (text) => {
      stdout += text;
    },
    stderr: () => {},
    env: {},
    cwd: root,
    ask: null,
    signal: new AbortController().signal,
    canRedraw: false,
    columns: 80,
  };
  expect(await runCommand(argv, io, columns)).toBe(0);
  return stdout;
}

const isFact = (key: string): key is VersionProperty => Object.hasOwn(VERSION_SOURCES, key);

/** Returns a page as one line, whatever its width. */
const flatten = (page: string) => page.replace(/\s+/g, ' ');

test('help alone lists every topic with a line', async () => {
  const list = await help(['help']);
  for (const topic of TOPIC_NAMES) expect(list).toMatch(new RegExp(`^ {2}${topic} +\\S`, 'm'));
});

test.each(TOPIC_NAMES)('help %s fits the terminal, and 80 columns without one', async (topic) => {
  // Examples keep their lines.
  const commandLines = COMMAND_NAMES.flatMap(listExamples);
  const examples = [...SMALL_DESIGN.split('\n'), catalogue().help.design.schemaLine, ...commandLines].map(
    (line) => `  ${line}`,
  );
  for (const columns of [undefined, 60, 80, 133]) {
    const page = await help(['help', topic], columns);
    expect(page).toMatch(/\S\n$/);
    for (const line of page.split('\n').filter((each) => !examples.includes(each))) {
      expect(getDisplayWidth(line), line).toBeLessThanOrEqual(columns ?? 80);
      expect(line).toBe(line.trimEnd());
    }
  }
});

test('the table of versions has each fact with its values, their first versions, and a source', async () => {
  const page = await help(['help', 'versions'], 133);
  const { facts, values } = catalogue().help.versions;
  const blocks = page.split(/^ {2}(?=\S)/m).slice(1);
  const known = Object.keys(getVersionProfile('4.18')).flatMap((fact) => (isFact(fact) ? facts[fact] : []));
  expect(blocks.map((block) => block.split('\n')[0]).toSorted()).toEqual(known.toSorted());
  const sources = blocks.map((block) => /\n {6}Source: (.+)/.exec(block)?.[1] ?? '');
  expect(sources.filter((source) => source === '')).toEqual([]);
  const find = (title: string) => blocks.find((block) => block.startsWith(title)) ?? '';
  expect(find(facts.rhel)).toContain(
    'from 4.5: RHEL 8\n      from 4.13: RHEL 9, for processors of level x86-64-v2\n      from 5.0: RHEL 10',
  );
  expect(find(facts.signatureVerifiedBy)).toContain(
    'from 4.5: nothing\n      from 4.21: the cluster, once it runs\n      from 4.22: each node, at its first boot',
  );
  expect(find(facts.signatureVerifiedBy)).toContain('OKD from 4.19: nothing\n');
  expect(find(facts.rhel)).toContain('OKD from 4.20: RHEL 10');
  expect(find(facts.installerTimeouts)).not.toContain('OKD');
  expect(find(facts.installerTimeouts)).toContain('from 4.16: API 20, bootstrap 45, operators 40');
  // Each word of a value belongs to a value that there is.
  for (const [fact, meanings] of Object.entries(values))
    for (const value of Object.keys(meanings))
      expect(isFact(fact) ? listVersionChanges(fact).map((each) => String(each.value)) : []).toContain(value);
  expect(page).not.toMatch(/undefined|\[object/);
});

test('a topic that does not exist is wrong usage, with the nearest one or all', async () => {
  await expect(help(['help', 'ruls'])).rejects.toThrow('There is no help topic "ruls". The nearest one is "rules".');
  await expect(help(['help', 'weather'])).rejects.toThrow(
    `There is no help topic "weather". Topics: ${TOPIC_NAMES.join(', ')}.`,
  );
  await expect(help(['help', 'toString'])).rejects.toThrow('There is no help topic "toString".');
  await expect(help(['help', 'rules', 'files'])).rejects.toThrow('help takes one topic.');
});

test('help rules lists every rule with its severity, its title and its source, and no other', async () => {
  const page = await help(['help', 'rules'], 400);
  const rows = [...page.matchAll(/^ {2}([a-z0-9-]+) {2}(error|warning)\n {6}(.+)\.\n {6}Source: (.+)$/gm)].map(
    ([, id, severity, title, source]) => ({ id, severity, title, source }),
  );
  expect(rows).toEqual(
    DESIGN_RULES.map(({ id, severity, title, source }) => ({ id, severity, title: title(), source })),
  );
  const all = [...page.matchAll(/^ {2}([a-z0-9-]+) {2}(?:error|warning)$/gm)].map(([, id]) => id);
  const others = [...PARSE_RULES, ...Object.keys(CREDENTIAL_RULES)];
  expect([...all].sort()).toEqual([...DESIGN_RULES.map(({ id }) => id), ...others].sort());
});

test('help design explains every key of the design file, and no other', async () => {
  const page = await help(['help', 'design'], 400);
  const keys = listDesignKeys();
  const [, list = ''] = page.split('\nKEYS\n');
  const rows = [...list.matchAll(/^ {2}(\S+)\n {6}(.+)\n {6}(.+)$/gm)];
  expect(rows.map(([, key]) => key)).toEqual(keys.map(({ key }) => key));
  expect(Object.keys(catalogue().help.design.keys).sort()).toEqual(keys.map(({ key }) => key).sort());
  for (const [index, { key, isRequired, choices }] of keys.entries()) {
    const [, , , type = ''] = rows[index] ?? [];
    // An optional key states its default.
    if (!isRequired) expect(type, key).toMatch(/ Default: .+\.$/);
    for (const choice of choices) expect(type).toContain(choice);
  }
});

test('the design that the help shows has no errors', () => {
  const { design, problems } = parseDesign(SMALL_DESIGN);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(design?.nodes).toHaveLength(6);
});

test('help csr has every verdict and reason code with its sentence', async () => {
  const page = flatten(await help(['help', 'csr']));
  const { reasons, verdicts } = catalogue().csr;
  for (const [code, sentence] of Object.entries(reasons)) expect(page).toContain(`${code} ${sentence}`);
  for (const verdict of Object.keys(verdicts)) expect(page).toContain(` ${verdict} `);
});

test('help prints one infra move by its name', async () => {
  expect(flatten(await help(['help', 'router']))).toMatch(
    /^ ?router Move the routers to the infra nodes\. .* Comes after: label, lb-add\. ?$/,
  );
});

test('help moves has every move in its order, with its title and what comes before it', async () => {
  const page = await help(['help', 'moves'], 400);
  const rows = [...page.matchAll(/^ {2}([a-z-]+) +(.+)\.\n +Changes .+?\.(?: Comes after: (.+)\.)?$/gm)];
  expect(rows.map(([, name, title, before]) => [name, title, before ?? ''])).toEqual(
    MOVES.map((move) => [
      move.name,
      `${catalogue().moves.byName[move.name].title}. ${catalogue().moves.purposes[move.name].replace(/\.$/, '')}`,
      listDependencies(move)
        .map(({ name }) => name)
        .join(', '),
    ]),
  );
});

test('help rehearsal has every fault, help status every stage', async () => {
  const [rehearsal, status] = [await help(['help', 'rehearsal']), await help(['help', 'status'])];
  for (const fault of FAULTS) expect(rehearsal).toMatch(new RegExp(`^ {2}${fault} `, 'm'));
  for (const step of STEP_IDS) expect(status).toMatch(new RegExp(`^ {2}${step} `, 'm'));
});

test('help prints one diagnostic rule or check by its id, alone or after its topic', async () => {
  const { causes } = catalogue().diagnosis;
  for (const argv of [['wrong-mac'], ['diagnosis', 'wrong-mac']]) {
    const page = await help(['help', ...argv]);
    expect(page).toMatch(/^ *wrong-mac\n/);
    expect(page.replace(/\s+/g, ' ')).toContain(causes['wrong-mac'].title);
    expect(page).not.toContain('hostile-csr');
  }
  for (const [id, topic] of [
    ['lb-reaches', 'checks'],
    ['disk-space', 'checks'],
  ] as const) {
    const page = await help(['help', id]);
    expect(page).toMatch(new RegExp(`^ *${id}( |\\n)`));
    expect(await help(['help', topic, id])).toBe(page);
  }
});

test('help prints the entry of every rule that design check names, alone or after its topic', async () => {
  const ids = [...PARSE_RULES, ...DESIGN_RULES.map(({ id }) => id), ...Object.keys(CREDENTIAL_RULES)];
  for (const id of ids) {
    const page = await help(['help', id]);
    expect(page, id).toMatch(new RegExp(`^ *${id}( |\\n)`, 'm'));
    expect(await help(['help', 'rules', id])).toBe(page);
  }
});

test('the exit code of check is explained alike by its verdict, help checks and help exit-codes', async () => {
  const { verdict } = catalogue().check;
  const counts = { ok: 3, failed: 1, unknown: 0, pending: 0 };
  expect(verdict({ ...counts, blocking: 0 })).toBe('3 ok, 1 failed (none would stop the installation: exit code 0)');
  expect(verdict({ ...counts, blocking: 1 })).toBe('3 ok, 1 failed (1 would stop the installation)');
  const unwrap = (page: string) => page.replace(/\s+/g, ' ');
  expect(unwrap(await help(['help', 'checks']))).toContain(
    'If a check fails that would stop the installation, the exit code is 4. It is 0 if only other checks fail.',
  );
  expect(unwrap(await help(['help', 'exit-codes']))).toContain('a failed check that would stop the installation, ');
});

test('help environment has the variables that the program reads, and no other', async () => {
  const page = await help(['help', 'environment']);
  const listed = [...page.matchAll(/^ {2}([A-Za-z_]+)\n {6}\S/gm)].map(([, name]) => name);
  const files = ['src', 'screens', 'bin'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      // The stand-in is a program of the simulated site, and bin/package.js makes the packages.
      .filter((name) => /\.(?:tsx?|js)$/.test(name) && !/stand-in|^package\b/.test(name))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  );
  const read = files.flatMap((source) => [...source.matchAll(/\benv\.([A-Z_]{3,})\b/g)].map(([, name]) => name));
  // Node.js reads this one for `tmpdir()`.
  if (files.some((source) => source.includes('tmpdir()'))) read.push('TMPDIR');
  // The build replaces NODE_ENV by a constant, and SNAP is hidden from a library.
  const known = new Set(
    [...read, ...PASSED_THROUGH_VARIABLES].filter((name) => name !== 'NODE_ENV' && name !== 'SNAP'),
  );
  expect([...listed].sort()).toEqual([...known].sort());
});
