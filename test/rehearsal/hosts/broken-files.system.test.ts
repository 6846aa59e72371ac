// The rehearsal refuses only what the real programs refuse. Both check files with one typing mistake.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { parseDhcpdConf } from '../../../src/rehearsal/hosts/dhcpd-conf.ts';
import { parseHaproxyConfig } from '../../../src/rehearsal/hosts/haproxy-config.ts';
import { parseNamedConf } from '../../../src/rehearsal/hosts/named-conf.ts';
import { parseZone } from '../../../src/rehearsal/hosts/zone-file.ts';
import { exampleSite, generateFileText } from '../../support/example-design.ts';
import { testWith } from '../../support/programs.ts';

const dir = mkdtempSync(join(tmpdir(), 'upi-broken-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const MISTAKES = 30;
/** The rehearsal does not know system users and groups, or names of expressions. */
const MIN_AGREEMENT = 0.8;
const ZONE = 'example.localdomain';
const file = join(dir, 'file');
type FileChecker = readonly [path: string, read: (text: string) => unknown, program: string, args: readonly string[]];
const FILE_CHECKERS: readonly FileChecker[] = [
  ['lb1/etc/haproxy/haproxy.cfg', parseHaproxyConfig, 'haproxy', ['-c', '-q', '-f', file]],
  ['ns1/etc/dhcp/dhcpd.conf', parseDhcpdConf, 'dhcpd', ['-t', '-q', '-cf', file]],
  // Without -z: the zones are files of the host.
  ['ns1/etc/named.conf', parseNamedConf, 'named-checkconf', [file]],
  [
    'ns1/var/named/example.localdomain.zone',
    (text) => parseZone(text, ZONE),
    'named-checkzone',
    ['-k', 'fail', ZONE, file],
  ],
];

/** Creates a random number generator with a fixed seed. */
function createRandom(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Puts one mistake into one line: a letter too few or too many, a word or a sign left out. */
function addTypo(text: string, number: (below: number) => number): { text: string; what: string } {
  const lines = text.split('\n');
  const codeLines = [...lines.keys()].filter((index) => /^\s*[^\s#;/]/.test(lines[index] ?? ''));
  const index = codeLines[number(codeLines.length)] ?? 0;
  const line = lines[index] ?? '';
  const at = number(line.length);
  const words = line.split(' ');
  const variants = [
    `${line.slice(0, at)}${line.slice(at + 1)}`,
    `${line.slice(0, at)}q${line.slice(at)}`,
    words.toSpliced(number(words.length), 1).join(' '),
    line.replace(/[;{}:.]/, ''),
  ];
  const wrong = variants[number(variants.length)] ?? line;
  return { text: lines.with(index, wrong).join('\n'), what: `${line.trim()} => ${wrong.trim()}` };
}

function isAccepted(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

for (const [path, read, program, args] of FILE_CHECKERS) {
  testWith(program)(`${program} and the rehearsal refuse the same of ${path}`, () => {
    // The directory that named.conf names has to be there.
    const whole = generateFileText(exampleSite(), path).replace('directory "/var/named"', `directory "${dir}"`);
    const number = createRandom();
    const cases = [
      { text: whole, what: 'as generated' },
      ...Array.from({ length: MISTAKES }, () => addTypo(whole, number)),
    ];
    const results = cases.map(({ text, what }) => {
      writeFileSync(file, text);
      return { what, real: spawnSync(program, args).status === 0, ours: isAccepted(() => read(text)) };
    });
    expect(results[0]).toMatchObject({ real: true, ours: true });
    expect(results.filter(({ real, ours }) => real && !ours)).toEqual([]);
    const same = results.filter(({ real, ours }) => real === ours).length;
    expect(same / results.length).toBeGreaterThanOrEqual(MIN_AGREEMENT);
    expect(results.filter(({ real }) => !real).length).toBeGreaterThan(MISTAKES / 4);
  });
}
