import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { sampleEvenly } from './row.ts';

/** One way to damage a file that the program wrote. */
export interface Damage {
  readonly name: string;
  readonly do: (file: string) => void;
  /** True for damage that may block a reader or fill its memory. Only programs that can be killed read such a file. */
  readonly isHeavy?: boolean;
}

type Json = Record<string, unknown>;

/** Changes the JSON of a file. Of a journal, only its changed first line is left. */
const changeJson = (change: (state: Json) => unknown) => (file: string) => {
  const text = readFileSync(file, 'utf8');
  const json = file.endsWith('.ndjson') ? (text.split('\n')[0] ?? '') : text;
  writeFileSync(file, JSON.stringify(change(JSON.parse(json) as Json)));
};
const changeBytes = (make: (text: Buffer) => Buffer | string) => (file: string) =>
  writeFileSync(file, make(readFileSync(file)));
const replaceFile = (make: (file: string) => void) => (file: string) => {
  rmSync(file, { recursive: true, force: true });
  make(file);
};

/** Values of another type, for each field of a state. */
const WRONG_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  'x',
  [],
  {},
  [[]],
  { length: 1 },
  Number.MAX_SAFE_INTEGER,
  '\u0000',
];
const FIELDS = ['schemaVersion', 'serial', 'checksum', 'design', 'place', 'memory', 'rehearsal'] as const;

const CONTENT_DAMAGES: readonly Damage[] = [
  { name: 'empty', do: changeBytes(() => '') },
  { name: 'spaces', do: changeBytes(() => ' \n\t ') },
  { name: 'NULs', do: changeBytes((text) => Buffer.alloc(text.length)) },
  { name: 'NULs at the end', do: changeBytes((text) => Buffer.concat([text, Buffer.alloc(512)])) },
  { name: 'a byte order mark', do: changeBytes((text) => Buffer.concat([Buffer.from('\ufeff'), text])) },
  { name: 'UTF-16', do: changeBytes((text) => Buffer.from(text.toString('utf8'), 'utf16le')) },
  {
    name: 'bytes that are no UTF-8',
    do: changeBytes((text) => Buffer.concat([text.subarray(0, 100), Buffer.from([0xff, 0xc0]), text.subarray(100)])),
  },
  { name: 'twice', do: changeBytes((text) => Buffer.concat([text, text])) },
  {
    name: 'the first half of it twice',
    do: changeBytes((text) => Buffer.concat([text.subarray(0, text.length / 2), text])),
  },
  { name: 'YAML', do: changeBytes(() => 'design:\n  cluster: {}\n') },
  { name: 'HTML', do: changeBytes(() => '<!DOCTYPE html><html><body>502</body></html>') },
  { name: 'a private key', do: changeBytes(() => '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n') },
  ...[
    'null',
    'true',
    '1',
    '1e999',
    '"text"',
    '[]',
    '[{}]',
    '{}',
    '{"schemaVersion":3}',
    '{"__proto__":{"schemaVersion":3}}',
  ].map((text) => ({ name: `only ${text}`, do: changeBytes(() => text) })),
  { name: 'nested 100,000 deep', do: changeBytes(() => '['.repeat(100_000) + ']'.repeat(100_000)) },
  { name: 'objects nested 50,000 deep', do: changeBytes(() => `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) },
  { name: 'a field more', do: changeJson((state) => ({ ...state, more: 1 })) },
  {
    name: 'constructor and __proto__',
    do: changeBytes((text) => text.toString().replace('{', '{"constructor":1,"__proto__":{"design":null},')),
  },
  { name: 'a field twice', do: changeBytes((text) => text.toString().replace('{', '{"design":null,')) },
  {
    name: '100,000 facts',
    do: changeJson((state) => ({
      ...state,
      memory: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, index])),
    })),
  },
  ...[0, 5, 99, 3.5, -3].map((schemaVersion) => ({
    name: `schema ${schemaVersion}`,
    do: changeJson((state) => ({ ...state, schemaVersion })),
  })),
  ...FIELDS.map((field) => ({ name: `without ${field}`, do: changeJson(({ [field]: _removed, ...state }) => state) })),
  ...FIELDS.flatMap((field) =>
    WRONG_VALUES.map((value) => ({
      name: `${field} is ${JSON.stringify(value)}`,
      do: changeJson((state) => ({ ...state, [field]: value })),
    })),
  ),
];

const FILE_DAMAGES: readonly Damage[] = [
  { name: 'missing', do: replaceFile(() => undefined) },
  { name: 'a directory', do: replaceFile((file) => mkdirSync(file)) },
  {
    name: 'a directory with files',
    do: replaceFile((file) => {
      mkdirSync(file);
      writeFileSync(`${file}/x`, '');
    }),
  },
  { name: 'a FIFO', isHeavy: true, do: replaceFile((file) => void execFileSync('mkfifo', [file])) },
  {
    name: 'a socket',
    do: replaceFile(
      (file) =>
        void execFileSync('python3', [
          '-c',
          'import socket,sys,os\nos.chdir(os.path.dirname(sys.argv[1]))\nsocket.socket(socket.AF_UNIX).bind(os.path.basename(sys.argv[1]))',
          file,
        ]),
    ),
  },
  { name: 'a link to nowhere', do: replaceFile((file) => symlinkSync('/nowhere', file)) },
  { name: 'a link to itself', do: replaceFile((file) => symlinkSync(file, file)) },
  {
    name: 'a link to the same file elsewhere',
    do: (file) => {
      renameSync(file, `${file}.real`);
      symlinkSync(`${file}.real`, file);
    },
  },
  { name: 'a link to /dev/zero', isHeavy: true, do: replaceFile((file) => symlinkSync('/dev/zero', file)) },
  { name: 'of mode 0000', do: (file) => chmodSync(file, 0) },
  { name: 'of mode 0666', do: (file) => chmodSync(file, 0o666) },
  { name: 'of another user', do: (file) => chownSync(file, 65534, 65534) },
  { name: '17 MiB', isHeavy: true, do: changeBytes((text) => Buffer.concat([text, Buffer.alloc(17 * 2 ** 20, 0x20)])) },
  { name: '1 GiB with nothing in it', isHeavy: true, do: (file) => truncateSync(file, 2 ** 30) },
];

/**
 * Lists the damages of a file: cut at each byte, one bit flipped in each eighth byte, and all other damages.
 * @param size of the file in bytes
 */
export function listDamages(
  size: number,
  random: () => number,
): { readonly cuts: Damage[]; readonly flips: Damage[]; readonly others: Damage[] } {
  const flip = (offset: number): Damage => {
    const bit = Math.floor(random() * 8);
    return {
      name: `bit ${bit} of byte ${offset} flipped`,
      do: changeBytes((text) => {
        const next = Buffer.from(text);
        next[offset] = (next[offset] ?? 0) ^ (1 << bit);
        return next;
      }),
    };
  };
  return {
    cuts: Array.from({ length: size }, (_, length) => ({
      name: `cut to ${length} bytes`,
      do: (file) => truncateSync(file, length),
    })),
    flips: Array.from({ length: Math.floor(size / 8) }, (_, index) => flip(index * 8)),
    others: [...CONTENT_DAMAGES, ...FILE_DAMAGES],
  };
}

/** Returns at most `limit` damages of each sort. */
export function sampleDamages(size: number, limit: number, random: () => number): readonly Damage[] {
  const { cuts, flips, others } = listDamages(size, random);
  return [...sampleEvenly(cuts, limit), ...sampleEvenly(flips, limit), ...sampleEvenly(others, limit)];
}
