// A rehearsal refuses what the real programs refuse, and nothing that they take: files with one typing mistake, judged by both.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { parseDhcpdConf } from '../../../src/rehearsal/hosts/dhcpd-conf.ts';
import { parseHaproxyConfig } from '../../../src/rehearsal/hosts/haproxy-config.ts';
import { parseNamedConf } from '../../../src/rehearsal/hosts/named-conf.ts';
import { parseZone } from '../../../src/rehearsal/hosts/zone-file.ts';
import { exampleSite, generated } from '../../support/example-design.ts';
import { testWith } from '../../support/programs.ts';

const dir = mkdtempSync(join(tmpdir(), 'upi-broken-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const MISTAKES = 30;
/** Of users and groups of the system, and names of expressions, the rehearsal knows nothing. */
const LEAST_SAME = 0.8;
const ZONE = 'example.localdomain';
const file = join(dir, 'file');
type Judge = readonly [path: string, read: (text: string) => unknown, program: string, args: readonly string[]];
const JUDGES: readonly Judge[] = [
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

/** Numbers that are the same each time. */
function numbers(): (below: number) => number {
  let state = 7;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** The text with one mistake in one of its lines: a letter too few or too many, a word or a sign left out. */
function slipped(text: string, number: (below: number) => number): { text: string; what: string } {
  const lines = text.split('\n');
  const live = [...lines.keys()].filter((index) => /^\s*[^\s#;/]/.test(lines[index] ?? ''));
  const index = live[number(live.length)] ?? 0;
  const line = lines[index] ?? '';
  const at = number(line.length);
  const words = line.split(' ');
  const kinds = [
    `${line.slice(0, at)}${line.slice(at + 1)}`,
    `${line.slice(0, at)}q${line.slice(at)}`,
    words.toSpliced(number(words.length), 1).join(' '),
    line.replace(/[;{}:.]/, ''),
  ];
  const wrong = kinds[number(kinds.length)] ?? line;
  return { text: lines.with(index, wrong).join('\n'), what: `${line.trim()} => ${wrong.trim()}` };
}

function isTaken(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

for (const [path, read, program, args] of JUDGES) {
  testWith(program)(`${program} and the rehearsal refuse the same of ${path}`, () => {
    // The directory that named.conf names has to be there.
    const whole = generated(exampleSite(), path).replace('directory "/var/named"', `directory "${dir}"`);
    const number = numbers();
    const cases = [
      { text: whole, what: 'as generated' },
      ...Array.from({ length: MISTAKES }, () => slipped(whole, number)),
    ];
    const judged = cases.map(({ text, what }) => {
      writeFileSync(file, text);
      return { what, real: spawnSync(program, args).status === 0, ours: isTaken(() => read(text)) };
    });
    expect(judged[0]).toMatchObject({ real: true, ours: true });
    expect(judged.filter(({ real, ours }) => real && !ours)).toEqual([]);
    const same = judged.filter(({ real, ours }) => real === ours).length;
    expect(same / judged.length).toBeGreaterThanOrEqual(LEAST_SAME);
    expect(judged.filter(({ real }) => !real).length).toBeGreaterThan(MISTAKES / 4);
  });
}
