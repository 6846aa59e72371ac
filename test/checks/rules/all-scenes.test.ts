import { expect, test } from 'vitest';
import { diagnose } from '../../../src/checks/rules/diagnose.ts';
import type { Evidence } from '../../../src/checks/rules/evidence.ts';
import { SCENES } from './all-scenes.ts';
import { booting, complete, design } from './base-evidence.ts';

const listFindings = (evidence: Evidence) => diagnose(evidence).map(({ rule, symptom }) => `${rule}: ${symptom}`);

test.each(SCENES)('%s: a matching rule comes first', (_, expected, evidence) => {
  expect(expected).toContain(diagnose(evidence)[0]?.rule);
});

test('an equivalent DHCP file in another form gives no findings', () => {
  const reword = (text: string) =>
    text
      .replaceAll(/host (\S+) \{\s+(.*?)\s+(.*?)\s+(.*?)\s+\}/g, 'host $1 { $2 $3 $4 } # one line; {')
      .replaceAll('if exists ipxe-encap or', 'if known and exists ipxe-encap or')
      .replace('authoritative;', 'authoritative; log(info, "a } in a string; and # no comment");');
  const files = booting.files.map((file) => ({ ...file, text: reword(file.text) }));
  expect(files.filter(({ text, plannedText }) => text !== plannedText)).toHaveLength(1);
  expect(files[1]?.text.match(/host \S+ \{ hardware.*fixed.*\}/g)).toHaveLength(design.nodes.length);
  expect(listFindings({ ...booting, files })).toEqual([]);
});

test('a hand-written HAProxy file gives no findings', () => {
  const listener = (name: string, port: number) =>
    `listen ${name}\n  bind :::${port} v4v6\n  mode tcp\n  balance source\n  server one.example 172.16.0.21:${port} check\n`;
  const head =
    'global\n  maxconn 4000\ndefaults\n  mode http\n  maxconn 3000\n  timeout client 1m\n  timeout server 1m\n';
  const text = `${head}${[6443, 22623, 443, 80].map((port) => listener(`ocp-${port}`, port)).join('\n')}`;
  const files = complete.files.map((file) => (file.kind === 'haproxy' ? { ...file, text } : file));
  expect(listFindings({ ...complete, files })).toEqual([]);
});
