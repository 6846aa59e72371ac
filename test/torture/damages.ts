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
import { spread } from './row.ts';

/** One way in which a file is no longer what the program wrote. */
export interface Damage {
  readonly name: string;
  readonly do: (file: string) => void;
  /** True for what may block who opens it, or fill their memory: only programs that can be ended meet it. */
  readonly isHeavy?: boolean;
}

type Json = Record<string, unknown>;

/** Of a journal: its first line, which alone is then left. */
const to = (change: (state: Json) => unknown) => (file: string) => {
  const text = readFileSync(file, 'utf8');
  const json = file.endsWith('.ndjson') ? (text.split('\n')[0] ?? '') : text;
  writeFileSync(file, JSON.stringify(change(JSON.parse(json) as Json)));
};
const bytes = (make: (text: Buffer) => Buffer | string) => (file: string) =>
  writeFileSync(file, make(readFileSync(file)));
const instead = (make: (file: string) => void) => (file: string) => {
  rmSync(file, { recursive: true, force: true });
  make(file);
};

/** Values of another type, for each field of a state. */
const WRONG: readonly unknown[] = [null, true, -1, 'x', [], {}, [[]], { length: 1 }, Number.MAX_SAFE_INTEGER, '\u0000'];
const FIELDS = ['schemaVersion', 'serial', 'checksum', 'design', 'place', 'memory', 'rehearsal'] as const;

const WHOLE: readonly Damage[] = [
  { name: 'empty', do: bytes(() => '') },
  { name: 'spaces', do: bytes(() => ' \n\t ') },
  { name: 'NULs', do: bytes((text) => Buffer.alloc(text.length)) },
  { name: 'NULs at the end', do: bytes((text) => Buffer.concat([text, Buffer.alloc(512)])) },
  { name: 'a byte order mark', do: bytes((text) => Buffer.concat([Buffer.from('\ufeff'), text])) },
  { name: 'UTF-16', do: bytes((text) => Buffer.from(text.toString('utf8'), 'utf16le')) },
  {
    name: 'bytes that are no UTF-8',
    do: bytes((text) => Buffer.concat([text.subarray(0, 100), Buffer.from([0xff, 0xc0]), text.subarray(100)])),
  },
  { name: 'twice', do: bytes((text) => Buffer.concat([text, text])) },
  { name: 'the first half of it twice', do: bytes((text) => Buffer.concat([text.subarray(0, text.length / 2), text])) },
  { name: 'YAML', do: bytes(() => 'design:\n  cluster: {}\n') },
  { name: 'HTML', do: bytes(() => '<!DOCTYPE html><html><body>502</body></html>') },
  { name: 'a private key', do: bytes(() => '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n') },
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
  ].map((text) => ({ name: `only ${text}`, do: bytes(() => text) })),
  { name: 'nested 100,000 deep', do: bytes(() => '['.repeat(100_000) + ']'.repeat(100_000)) },
  { name: 'objects nested 50,000 deep', do: bytes(() => `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) },
  { name: 'a field more', do: to((state) => ({ ...state, more: 1 })) },
  {
    name: 'constructor and __proto__',
    do: bytes((text) => text.toString().replace('{', '{"constructor":1,"__proto__":{"design":null},')),
  },
  { name: 'a field twice', do: bytes((text) => text.toString().replace('{', '{"design":null,')) },
  {
    name: '100,000 facts',
    do: to((state) => ({
      ...state,
      memory: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, index])),
    })),
  },
  ...[0, 4, 99, 3.5, -3].map((schemaVersion) => ({
    name: `schema ${schemaVersion}`,
    do: to((state) => ({ ...state, schemaVersion })),
  })),
  ...FIELDS.map((field) => ({ name: `without ${field}`, do: to(({ [field]: _gone, ...state }) => state) })),
  ...FIELDS.flatMap((field) =>
    WRONG.map((value) => ({
      name: `${field} is ${JSON.stringify(value)}`,
      do: to((state) => ({ ...state, [field]: value })),
    })),
  ),
];

const KINDS: readonly Damage[] = [
  { name: 'missing', do: instead(() => undefined) },
  { name: 'a directory', do: instead((file) => mkdirSync(file)) },
  {
    name: 'a directory with files',
    do: instead((file) => {
      mkdirSync(file);
      writeFileSync(`${file}/x`, '');
    }),
  },
  { name: 'a FIFO', isHeavy: true, do: instead((file) => void execFileSync('mkfifo', [file])) },
  {
    name: 'a socket',
    do: instead(
      (file) =>
        void execFileSync('python3', [
          '-c',
          'import socket,sys,os\nos.chdir(os.path.dirname(sys.argv[1]))\nsocket.socket(socket.AF_UNIX).bind(os.path.basename(sys.argv[1]))',
          file,
        ]),
    ),
  },
  { name: 'a link to nowhere', do: instead((file) => symlinkSync('/nowhere', file)) },
  { name: 'a link to itself', do: instead((file) => symlinkSync(file, file)) },
  {
    name: 'a link to the same file elsewhere',
    do: (file) => {
      renameSync(file, `${file}.real`);
      symlinkSync(`${file}.real`, file);
    },
  },
  { name: 'a link to /dev/zero', isHeavy: true, do: instead((file) => symlinkSync('/dev/zero', file)) },
  { name: 'of mode 0000', do: (file) => chmodSync(file, 0) },
  { name: 'of mode 0666', do: (file) => chmodSync(file, 0o666) },
  { name: 'of another user', do: (file) => chownSync(file, 65534, 65534) },
  { name: '17 MiB', isHeavy: true, do: bytes((text) => Buffer.concat([text, Buffer.alloc(17 * 2 ** 20, 0x20)])) },
  { name: '1 GiB with nothing in it', isHeavy: true, do: (file) => truncateSync(file, 2 ** 30) },
];

/** Damages of a file of that size: cut at each byte, a bit turned at each eighth, and what else it can have become. */
export function damagesOf(
  size: number,
  random: () => number,
): { readonly cuts: Damage[]; readonly flips: Damage[]; readonly others: Damage[] } {
  const flip = (at: number): Damage => {
    const bit = Math.floor(random() * 8);
    return {
      name: `bit ${bit} of byte ${at} turned`,
      do: bytes((text) => {
        const next = Buffer.from(text);
        next[at] = (next[at] ?? 0) ^ (1 << bit);
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
    others: [...WHOLE, ...KINDS],
  };
}

/** Some of each sort. */
export function someDamages(size: number, most: number, random: () => number): readonly Damage[] {
  const { cuts, flips, others } = damagesOf(size, random);
  return [...spread(cuts, most), ...spread(flips, most), ...spread(others, most)];
}
