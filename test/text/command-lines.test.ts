import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { type Catalogue, catalogue, setProgramName } from '../../src/i18n/catalogue.ts';
import { separateCommands, wrapCommand, wrapProse } from '../../src/i18n/prose.ts';
import { displayWidth } from '../../src/platform/width.ts';

const long = `/srv/${'installations/'.repeat(12)}files`;
const COMMANDS = [
  'ssh root@172.16.0.102 bash ns1/root/upi-wizard/install.sh',
  `scp -r ${long}/ns1 root@172.16.0.102:`,
  `scp -r '/srv/my installations/${'cluster of the second site/'.repeat(6)}ns1' root@172.16.0.102:`,
  `scp -r '/srv/it'\\''s ${'long '.repeat(30)}'\\''/ns1' root@[fd00::102]:`,
  `echo ${'日本'.repeat(40)}`,
];

/** What a shell reads in each text. */
function wordsOf(texts: readonly string[]): string[] {
  const script = texts.map((text) => `printf '%s\\n' ${text}\nprintf '\\f'`).join('\n');
  return spawnSync('sh', ['-c', script]).stdout.toString().split('\f').slice(0, -1);
}

test.each(COMMANDS)('at every width a shell reads the same words: %s', (command) => {
  const broken = [24, 38, 60, 79, 200].map((width) => {
    const lines = wrapCommand(command, width);
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
    return lines.join('\n').trimStart();
  });
  const [whole, ...read] = wordsOf([command, ...broken]);
  expect(read).toEqual(broken.map(() => whole));
});

test('what fits stays on one line, and what does not is broken between words first', () => {
  expect(wrapCommand('oc get nodes', 40)).toEqual(['  oc get nodes']);
  expect(wrapCommand('ssh root@172.16.0.102 bash install.sh', 34)).toEqual([
    '  ssh root@172.16.0.102 bash \\',
    '    install.sh',
  ]);
});

/** What a person types stands between backticks, where `proseLines` gives it lines of its own; these programs are never talked about. */
const TYPED =
  /(?<![\w/.-])(?:oc|ssh|scp|sudo|systemctl|journalctl|curl|dig|chronyc|openssl|restorecon|firewall-cmd|named-checkzone|nmcli|setsebool|timedatectl|podman|rndc|wipefs|chmod|loginctl|restorecon|ssh-keygen|ssh-copy-id|rm) (?:-{1,2}\w|\+\w|[a-z])|\b(?:named-checkconf -|ip addr|openshift-install (?:version|coreos|create|gather)|upi-wizard (?:csr|infra|check|diagnose|doctor|generate|hosts|design|status) )/;
const TALKED_OF =
  /\boc (?:and|are|is|run|look|ask|comes|cannot|print|from|of|logs and|exec fail)|\boc [\d$]|\bsudo (?:-n,|asks|knows|without|lets|on this|gave|there)|\bssh (?:ended|is|runs)|\bsystemctl is-active says/;
const TABLES = (all: Catalogue) => ({
  certificates: [all.csr, all.steps.certificates, all.diagnosis.certificates],
  hosts: all.diagnosis.hosts,
  joining: all.diagnosis.joining,
  moving: all.diagnosis.moving,
  waits: [all.operatorWaits, all.steps.operators],
  cluster: all.cluster,
  prepare: [all.diagnosis.prepare],
  bootstrap: all.diagnosis.bootstrap,
  boot: all.diagnosis.boot,
  causes: all.diagnosis.causes,
  site: all.diagnosis.site,
  machine: all.diagnosis.machine,
  jobs: all.diagnosis.jobs,
  moves: all.moves,
  answers: [all.design.credentials, all.design.syntax, all.designRules],
  pages: all.pages,
  screens: all.screens,
  service: [all.hosts.unitStopped, all.bastion, all.artifacts.imagesUnreadable, all.steps.bootstrap],
});

test('printed where lines have no width, each command has a line of its own, in the place of the sentence, and begins as this run did', () => {
  expect(
    separateCommands(
      '  do this: Read it: `journalctl -u kubelet`. Then wait, or ask: `upi-wizard csr list`\n- as `oc get co` says',
    ),
  ).toBe(
    [
      '  do this: Read it:',
      '      journalctl -u kubelet',
      '  Then wait, or ask:',
      '      upi-wizard csr list',
      '- as',
      '    oc get co',
      'says',
    ].join('\n'),
  );
  const heads = wrapProse('`oc get co` says it', 30, '  - ').map(({ text }) => text);
  expect(heads).toEqual(['  -', '        oc get co', '    says it']);
  setProgramName(() => 'npx --no-install upi-wizard');
  try {
    expect(wrapProse('`upi-wizard csr list; oc get co | grep upi-wizard `', 80)[0]?.text.trim()).toMatch(
      /^npx --no-install upi-wizard csr list; oc get co \| grep upi-wizard$/,
    );
  } finally {
    setProgramName(() => 'upi-wizard');
  }
});

test('in the sentences of the steps every command stands by itself, where it is shown whole', () => {
  const loose = sentencesOf(TABLES(catalogue())).filter((text) => {
    const around = text.replaceAll(/`[^`]*`/g, '').replaceAll(new RegExp(TALKED_OF, 'g'), '');
    return (
      TYPED.test(around) ||
      /"(?:oc|openshift-install|upi-wizard|journalctl|systemctl|chronyc|npm|kill|ssh\S*|ip|cat|ls|uname|hostname|virsh) [^"]+"/.test(
        around,
      ) ||
      // What stands in parentheses would be torn apart.
      /\(`[^`]+`/.test(text)
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
