import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { catalogue, setProgramName } from '../../src/i18n/catalogue.ts';
import type { Catalogue } from '../../src/i18n/en/index.ts';
import { separateCommands, wrapCommand, wrapMessages, wrapProse } from '../../src/i18n/prose.ts';
import { getDisplayWidth } from '../../src/platform/text.ts';
import { listSentences } from './sentences.ts';

const long = `/srv/${'installations/'.repeat(12)}files`;
const COMMANDS = [
  'ssh root@172.16.0.102 bash ns1/root/upi-wizard/install.sh',
  `scp -r ${long}/ns1 root@172.16.0.102:`,
  `scp -r '/srv/my installations/${'cluster of the second site/'.repeat(6)}ns1' root@172.16.0.102:`,
  `scp -r '/srv/it'\\''s ${'long '.repeat(30)}'\\''/ns1' root@[fd00::102]:`,
  `echo ${'日本'.repeat(40)}`,
];

/** Returns the words that a shell reads from each text. */
function readWithShell(texts: readonly string[]): string[] {
  const script = texts.map((text) => `printf '%s\\n' ${text}\nprintf '\\f'`).join('\n');
  return spawnSync('sh', ['-c', script]).stdout.toString().split('\f').slice(0, -1);
}

test.each(COMMANDS)('at every width a shell reads the same words: %s', (command) => {
  const broken = [24, 38, 60, 79, 200].map((width) => {
    const lines = wrapCommand(command, width);
    for (const line of lines) expect(getDisplayWidth(line)).toBeLessThanOrEqual(width);
    return lines.join('\n').trimStart();
  });
  const [whole, ...brokenWords] = readWithShell([command, ...broken]);
  expect(brokenWords).toEqual(broken.map(() => whole));
});

test('a command that fits stays on one line, and a longer one is broken between words first', () => {
  expect(wrapCommand('oc get nodes', 40)).toEqual(['  oc get nodes']);
  expect(wrapCommand('ssh root@172.16.0.102 bash install.sh', 34)).toEqual([
    '  ssh root@172.16.0.102 bash \\',
    '    install.sh',
  ]);
});

test('a long word is broken after a comma, so that the keys and values of a patch stay whole', () => {
  const spec =
    '{"spec":{"identityProviders":[{"name":"local","mappingMethod":"claim","type":"HTPasswd","htpasswd":{"fileData":{"name":"htpass-secret"}}}]}}';
  for (const width of [62, 78, 100]) {
    const lines = wrapCommand(`oc patch oauth cluster --type merge -p '${spec}'`, width);
    expect(lines.length).toBeGreaterThan(2);
    for (const text of spec.match(/"\w[\w-]*"/g) ?? []) expect(lines.join('\n')).toContain(text);
  }
});

/**
 * Commands that the user types. They stand between backticks, where `proseLines` gives them lines of their own.
 * Sentences never merely mention these programs.
 */
const COMMAND_PATTERN =
  /(?<![\w/.-])(?:oc|ssh|scp|sudo|systemctl|journalctl|curl|dig|chronyc|openssl|restorecon|firewall-cmd|named-checkzone|nmcli|setsebool|timedatectl|podman|rndc|wipefs|chmod|loginctl|restorecon|ssh-keygen|ssh-copy-id|rm) (?:-{1,2}\w|\+\w|[a-z])|\b(?:named-checkconf -|ip addr|openshift-install (?:version|coreos|create|gather)|upi-wizard (?:csr|infra|check|diagnose|doctor|generate|hosts|design|status) )/;
const MENTION_PATTERN =
  /\boc (?:and|are|is|run|look|ask|comes|cannot|print|from|of|logs and|exec fail)|\boc [\d$]|\bsudo (?:-n,|asks|knows|without|lets|on this|gave|there)|\bssh (?:ended|is|runs)/;
const selectTables = (all: Catalogue) => ({
  certificates: [all.csr, all.steps.certificates, all.diagnosis.certificates],
  hosts: all.diagnosis.hosts,
  joining: all.diagnosis.nodeJoin,
  moving: all.diagnosis.infraMove,
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

test('in output without a width, each command gets its own line inside the sentence, and starts with the name of this run', () => {
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

test('messages on a terminal are wrapped at words; commands, tables and diffs stay as they are', () => {
  const dir = `/home/user/${'long-'.repeat(10)}dir`;
  expect(wrapMessages('The last design without errors is used.\nDone.\n', 30)).toBe(
    'The last design without errors\nis used.\nDone.\n',
  );
  expect(wrapMessages('  3 of 4 replicas are up to date here', 20)).toBe('  3 of 4 replicas\n  are up to date\n  here');
  for (const command of [`upi-wizard --dir ${dir}`, `node bin/upi-wizard.js --dir ${dir}`]) {
    expect(wrapMessages(`Everything is saved. To continue: ${command}\n`, 30)).toBe(
      `Everything is saved. To\ncontinue:\n    ${command}\n`,
    );
    expect(wrapMessages(`To continue: ${command}\n`, 30)).toBe(`To continue: ${command}\n`);
    expect(wrapMessages(`Run it again: \`${command}\``, 30)).toBe(`Run it again:\n    ${command}`);
  }
  for (const line of ['router      needed     2 replicas move to the infra nodes', `+   path: ${dir}`, dir])
    expect(wrapMessages(line, 30)).toBe(line);
});

test('every command in a sentence is between backticks, so that it is shown in full', () => {
  const unquoted = listSentences(selectTables(catalogue())).filter((text) => {
    const prose = text.replaceAll(/`[^`]*`/g, '').replaceAll(new RegExp(MENTION_PATTERN, 'g'), '');
    return (
      COMMAND_PATTERN.test(prose) ||
      /"(?:oc|openshift-install|upi-wizard|journalctl|systemctl|chronyc|npm|kill|ssh\S*|ip|cat|ls|uname|hostname|virsh) [^"]+"/.test(
        prose,
      ) ||
      // A command in parentheses would be separated from them.
      /\(`[^`]+`/.test(text)
    );
  });
  expect(unquoted).toEqual([]);
  // Each table has such sentences, so none of them is skipped by mistake.
  for (const [name, table] of Object.entries(selectTables(catalogue())))
    expect(listSentences(table).filter((text) => /`[^`]+`/.test(text)).length, name).toBeGreaterThan(0);
});
