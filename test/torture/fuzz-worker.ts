// Feeds one parser of external input with large and with broken input, and prints the cost as JSON. Usage: NAME SIZE
// ROUNDS SEED [SHAPE]: one shape by its number, and rounds of broken input.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../support/language.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import { importDesign } from '../../src/design/imports/index.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { createLogParser } from '../../src/installer/log.ts';
import { parseCertificateRequest } from '../../src/openshift/certificate-request.ts';
import { readJournalFile } from '../../src/session/journal.ts';
import { inspectSession } from '../../src/session/session-file.ts';
import { addChecksum, freshState } from '../../src/session/state.ts';
import { commonName, createClientObject, createServingObject, organization, san } from '../support/csr-forge.ts';
import { createRandom } from './row.ts';

type TextBuilder = (size: number) => string;
interface Reader {
  readonly read: (text: string) => unknown;
  /** Builders of an input of the given size, by the name of the part that they repeat. */
  readonly shapes: Readonly<Record<string, TextBuilder>>;
  /** Valid input, which is mutated at random. */
  readonly validText: string;
}

const repeatText = (size: number, make: (index: number) => string, between = '') =>
  Array.from({ length: size }, (_, index) => make(index)).join(between);
const example = renderExampleDesign({});
const formatNode = (index: number) =>
  `  - { name: n${index}, role: compute, ip: 10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}, mac: "00:50:${[24, 16, 8, 0].map((shift) => ((index >> shift) & 255).toString(16).padStart(2, '0')).join(':')}", installDisk: /dev/sda, vcpu: 4, memoryGiB: 16, diskGiB: 120 }`;
const formatRow = (index: number) =>
  `n${index},10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255},00:50:56:${(index >> 16) & 255}:${(index >> 8) & 255}:${index & 255}`;

const yaml: Readonly<Record<string, TextBuilder>> = {
  'unknown keys': (size) => `${example}\n${repeatText(size, (index) => `key${index}: 1`, '\n')}\n`,
  'the same key': (size) => `${example}\n${repeatText(size, () => 'more: 1', '\n')}\n`,
  nesting: (size) => `more: ${'['.repeat(size)}${']'.repeat(size)}\n`,
  'a long text': (size) => example.replace(/name: ocp45/, `name: ${'x'.repeat(size * 10)}`),
  'long lists': (size) => `more: [${repeatText(size, String, ', ')}]\n`,
  aliases: (size) => `a: &a [${repeatText(100, String, ', ')}]\nb:\n${repeatText(size, () => '  - *a', '\n')}\n`,
  'lines of comments': (size) => `${repeatText(size, () => '# comment', '\n')}\n${example}`,
  quotes: (size) => `more: "${'\\"'.repeat(size)}\n`,
  indents: (size) => repeatText(Math.floor(Math.sqrt(size) * 4), (index) => `${' '.repeat(index)}k${index}:`, '\n'),
};

const dir = mkdtempSync(join(tmpdir(), 'fuzz-'));
const sessionDir = mkdtempSync(join(tmpdir(), 'fuzz-session-'));
mkdirSync(join(sessionDir, '.upi-wizard'));
const readThroughFile = (name: string, read: (file: string) => unknown) => (text: string) => {
  writeFileSync(join(dir, name), text);
  return read(join(dir, name));
};
const formatState = (memory: Record<string, unknown>, design: unknown = {}) =>
  JSON.stringify(addChecksum({ ...freshState, design, memory }, 1));
const formatSavedLine = (index: number) =>
  JSON.stringify({
    at: '2026-01-01T00:00:00.000Z',
    type: 'saved',
    serial: index + 1,
    patch: [{ op: 'add', path: `/memory/f${index}`, value: index }],
    checksum: 'x',
  });

const createRequest = (pem: string) => {
  const object = createServingObject();
  object.spec.request = Buffer.from(pem).toString('base64');
  return object;
};

const READERS: Readonly<Record<string, Reader>> = {
  design: {
    read: parseDesign,
    validText: example,
    shapes: {
      ...yaml,
      nodes: (size) =>
        example.replace(/^nodes:\n/m, (head) => `${head}${repeatText(Math.ceil(size / 10), formatNode, '\n')}\n`),
    },
  },
  import: {
    read: importDesign,
    validText:
      'name,ip,mac,role\nw1,172.16.0.31,00:50:56:96:6b:da,worker\nw2;172.16.0.32\thost x { hardware ethernet 00:50:56:96:6b:db; }\n',
    shapes: {
      ...yaml,
      rows: (size) => `name,ip,mac\n${repeatText(size, formatRow, '\n')}\n`,
      'broken rows': (size) => `name,ip,mac\n${repeatText(size, (index) => `n${index},nowhere,no`, '\n')}\n`,
      columns: (size) => `${repeatText(size, (index) => `c${index}`, ',')}\n${repeatText(size, String, ',')}\n`,
      hosts: (size) =>
        repeatText(
          size,
          (index) =>
            `host n${index} { hardware ethernet 00:50:56:00:${(index >> 8) & 255}:${index & 255}; fixed-address 10.0.${(index >> 8) & 255}.${index & 255}; }`,
          '\n',
        ),
      braces: (size) => `host x ${'{'.repeat(size)}`,
      semicolons: (size) => ';'.repeat(size * 4),
      spaces: (size) => `a${' '.repeat(size * 4)}b\n`,
    },
  },
  request: {
    // The client checks objects, but not the content that a node wrote into one.
    read: (text) => parseCertificateRequest(text.startsWith('{') ? JSON.parse(text) : createRequest(text)),
    validText: Buffer.from(createServingObject().spec.request, 'base64').toString(),
    shapes: {
      'alternative names': (size) =>
        JSON.stringify(
          createServingObject({ sans: Array.from({ length: size }, (_, index) => san.dns(`n${index}.example`)) }),
        ),
      organizations: (size) =>
        JSON.stringify(
          createClientObject({
            subject: [...Array.from({ length: size }, (_, index) => organization(`o${index}`)), commonName('x')],
          }),
        ),
      'a long name': (size) => JSON.stringify(createClientObject({ subject: [commonName('x'.repeat(size * 10))] })),
      groups: (size) =>
        JSON.stringify({
          ...createClientObject(),
          spec: { ...createClientObject().spec, groups: Array.from({ length: size }, (_, index) => `g${index}`) },
        }),
      'a long armour': (size) =>
        JSON.stringify(
          createClientObject({ alterPem: (pem) => pem.replace('\n', `\n${'A'.repeat(64)}\n`.repeat(size / 8)) }),
        ),
    },
  },
  journal: {
    read: readThroughFile('journal.ndjson', readJournalFile),
    validText: repeatText(20, formatSavedLine, '\n'),
    shapes: {
      saves: (size) => repeatText(size, formatSavedLine, '\n'),
      'broken lines': (size) => repeatText(size, () => '{"type":"saved",', '\n'),
      'a long line': (size) => `{"type":"saved","x":"${'x'.repeat(size * 10)}`,
      'empty lines': (size) => '\n'.repeat(size * 4),
      nesting: (size) => '['.repeat(size),
    },
  },
  session: {
    read: (text) => {
      writeFileSync(join(sessionDir, '.upi-wizard/session.json'), text);
      return inspectSession(sessionDir);
    },
    validText: formatState({}, parseDesign(example).document),
    shapes: {
      facts: (size) =>
        formatState(Object.fromEntries(Array.from({ length: size }, (_, index) => [`f${index}`, index]))),
      'a long design': (size) =>
        formatState({}, { nodes: Array.from({ length: size }, (_, index) => ({ name: `n${index}` })) }),
      nesting: (size) => `{"schemaVersion":4,"design":${'['.repeat(size)}${']'.repeat(size)}}`,
      'unknown fields': (size) => `{"schemaVersion":4,${repeatText(size, (index) => `"k${index}":1`, ',')}}`,
    },
  },
  log: {
    read: (text) => [createLogParser()].map((parser) => [parser.push(text), parser.end()]),
    validText: repeatText(20, (index) => `time="2026-01-02T03:04:05Z" level=info msg="waiting ${index}"`, '\n'),
    shapes: {
      lines: (size) =>
        repeatText(size, (index) => `time="2026-01-02T03:04:05Z" level=info msg="waiting ${index}"`, '\n'),
      'a long line': (size) => `level=info msg="${'x'.repeat(size * 4)}`,
      quotes: (size) => `level=info msg="${'\\"'.repeat(size)}"`,
      'escape sequences': (size) => '\u001b['.repeat(size),
      keys: (size) => '-----BEGIN PRIVATE KEY-----\n'.repeat(size),
      equals: (size) => `level=info msg="x" ${repeatText(size, (index) => `a${index}=b`, ' ')}`,
      base64: (size) => `INFO ${'QUJD'.repeat(size)}`,
    },
  },
};

function measureCpu(read: (text: string) => unknown, text: string): number {
  let minimum = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 3; round += 1) {
    const began = process.cpuUsage();
    read(text);
    const { user, system } = process.cpuUsage(began);
    minimum = Math.min(minimum, (user + system) / 1000);
  }
  return minimum;
}

/** Mutates a text at random: changes a byte, or cuts, duplicates or moves a part. */
function mutateText(text: string, random: () => number): string {
  let bytes = Buffer.from(text);
  for (let times = 1 + Math.floor(random() * 4); times > 0; times -= 1) {
    const [start, end] = [Math.floor(random() * bytes.length), Math.floor(random() * bytes.length)].sort(
      (a, b) => a - b,
    );
    const part = bytes.subarray(start, end);
    const kind = Math.floor(random() * 4);
    if (kind === 0) bytes[start ?? 0] = Math.floor(random() * 256);
    else if (kind === 1) bytes = Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
    else if (kind === 2) bytes = Buffer.concat([bytes.subarray(0, end), part, bytes.subarray(end)]);
    else bytes = Buffer.concat([bytes.subarray(end), part, bytes.subarray(0, start)]);
  }
  return bytes.toString();
}

const [name = '', size = '1000', rounds = '10', seed = '1', shapeIndex = '-1'] = process.argv.slice(2);
const reader = READERS[name];
/** Memory of the modules that this process loads besides one parser: more than the program loads (MiB). */
const LOADED_MIB = process.memoryUsage().rss / 2 ** 20;
const PROGRAM_MIB = 50;
if (!reader) {
  process.stdout.write(`${Object.keys(READERS).join(' ')}\n`);
} else {
  const failures: string[] = [];
  const times: Record<string, readonly [number, number]> = {};
  const shapes = Object.entries(reader.shapes);
  for (const [shape, make] of Number(shapeIndex) < 0 ? [] : shapes.slice(Number(shapeIndex), Number(shapeIndex) + 1)) {
    try {
      times[shape] = [measureCpu(reader.read, make(Number(size))), measureCpu(reader.read, make(Number(size) * 4))];
    } catch (error) {
      failures.push(`${shape}: ${error instanceof Error ? (error.stack ?? '').slice(0, 300) : String(error)}`);
    }
  }
  const random = createRandom(Number(seed));
  for (let round = 0; round < Number(rounds); round += 1) {
    const text = mutateText(reader.validText, random);
    try {
      reader.read(text);
    } catch (error) {
      failures.push(`bent ${round}: ${error instanceof Error ? (error.stack ?? '').slice(0, 300) : String(error)}`);
    }
  }
  for (const each of [dir, sessionDir]) rmSync(each, { recursive: true, force: true });
  process.stdout.write(
    JSON.stringify({
      times,
      failures,
      shapes: shapes.length,
      mebibytes: process.resourceUsage().maxRSS / 1024 - LOADED_MIB + PROGRAM_MIB,
    }),
  );
}
