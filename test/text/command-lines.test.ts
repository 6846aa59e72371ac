import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { type Catalogue, catalogue } from '../../src/text/catalogue.ts';
import { commandLines } from '../../src/text/command-lines.ts';
import { widthOf } from '../../src/text/width.ts';

const long = `/srv/${'installations/'.repeat(12)}files`;
const COMMANDS = [
  'ssh root@172.16.0.102 bash ns1/root/upi-wizard/install.sh',
  `scp -r ${long}/ns1 root@172.16.0.102:`,
  `scp -r '/srv/my installations/${'cluster of the second site/'.repeat(6)}ns1' root@172.16.0.102:`,
  `scp -r '/srv/it'\\''s ${'long '.repeat(30)}'\\''/ns1' root@[fd00::102]:`,
  `echo ${'日本'.repeat(40)}`,
];

test.each(COMMANDS)('at every width a shell reads the same words: %s', (command) => {
  const wordsOf = (text: string) => spawnSync('sh', ['-c', `printf '%s\\n' ${text}`]).stdout.toString();
  for (const width of [24, 38, 60, 79, 200]) {
    const lines = commandLines(command, width);
    expect(wordsOf(lines.join('\n').trimStart())).toBe(wordsOf(command));
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
  }
});

test('what fits stays on one line, and what does not is broken between words first', () => {
  expect(commandLines('oc get nodes', 40)).toEqual(['  oc get nodes']);
  expect(commandLines('ssh root@172.16.0.102 bash install.sh', 34)).toEqual([
    '  ssh root@172.16.0.102 bash \\',
    '    install.sh',
  ]);
});

/** What a person types stands between backticks, where `proseLines` gives it lines of its own; these programs are never talked about. */
const TYPED =
  /(?<![\w/.-])(?:oc|ssh|scp|sudo|systemctl|journalctl|curl|dig|chronyc|openssl|restorecon|firewall-cmd|named-checkzone|nmcli|setsebool|timedatectl|podman) (?:-{1,2}\w|\+\w|[a-z])/;
const TALKED_OF =
  /\boc (?:and|is|run|look|ask|comes|cannot|print)|\boc [\d$]|\bsudo (?:asks|knows|without|lets|on this|gave)|\bssh (?:ended|is|runs)/;
const TABLES = (all: Catalogue) => ({
  certificates: [all.csr, all.steps.certificates, all.diagnosis.certificates],
  hosts: all.diagnosis.hosts,
  joining: all.diagnosis.joining,
  moving: all.diagnosis.moving,
  waits: [all.operatorWaits, all.steps.operators],
  cluster: all.cluster,
  prepare: [all.diagnosis.prepare],
  bootstrap: all.diagnosis.bootstrap,
});

test('in the sentences of the steps every command stands by itself, where it is shown whole', () => {
  const loose = sentencesOf(TABLES(catalogue())).filter((text) => {
    const around = text.replaceAll(/`[^`]*`/g, '').replaceAll(new RegExp(TALKED_OF, 'g'), '');
    return (
      TYPED.test(around) || /"(?:oc|openshift-install|upi-wizard|journalctl|systemctl|chronyc) [^"]+"/.test(around)
    );
  });
  expect(loose).toEqual([]);
  // Each table has such sentences: none of them is read past.
  for (const [name, table] of Object.entries(TABLES(catalogue())))
    expect(sentencesOf(table).filter((text) => /`[^`]+`/.test(text)).length, name).toBeGreaterThan(0);
});

/** All sentences of a table; those that take something are asked with texts and, where they want records or lists, left out. */
function sentencesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'function') {
    const facts = new Proxy({}, { get: (_target, name) => (name === Symbol.toPrimitive ? () => 'X' : 'X') });
    for (const given of [Array(8).fill('X'), Array(8).fill(facts), Array(8).fill(2)])
      try {
        const said: unknown = value(...given);
        return sentencesOf(said);
      } catch {}
    return [];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(sentencesOf) : [];
}
