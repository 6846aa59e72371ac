import { afterEach, beforeEach, expect, test } from 'vitest';
import { COMMAND_NAMES, getCommand, isGroup } from '../../src/cli/commands.ts';
import { addInstallDirectories, catalogue, replaceProgramName, setInstallDirectory } from '../../src/i18n/catalogue.ts';
import { splitProse } from '../../src/i18n/prose.ts';
import { listSentences } from './sentences.ts';

beforeEach(() => setInstallDirectory('/my dir'));
afterEach(() => setInstallDirectory(null));

test('every command on an installation names the directory, and no other command does', () => {
  // The wizard and a rehearsal are started with another installation, too.
  const names = COMMAND_NAMES.filter((name) => name !== '' && name !== 'rehearse' && !isGroup(name));
  expect(names.filter((name) => replaceProgramName(`upi-wizard ${name}`).endsWith(" --dir '/my dir'"))).toEqual(
    names.filter((name) => 'dir' in getCommand(name).options),
  );
});

test('a command that names its target, and one of another program, stay as they are', () => {
  for (const command of ['upi-wizard csr list --dir /other', 'upi-wizard diagnose --bundle log.tar.gz', 'oc get csr'])
    expect(replaceProgramName(command)).toBe(command);
  expect(replaceProgramName('oc get nodes; upi-wizard csr list | head')).toBe(
    "oc get nodes; upi-wizard csr list --dir '/my dir' | head",
  );
  expect(replaceProgramName('upi-wizard export downloads > fetch.sh')).toBe(
    "upi-wizard export downloads --dir '/my dir' > fetch.sh",
  );
});

test('the sentences of findings name the directory in their commands', () => {
  const remedy = 'Approve it: `upi-wizard csr approve --expected` or `oc get csr`';
  expect(addInstallDirectories(remedy)).toBe(
    "Approve it: `upi-wizard csr approve --expected --dir '/my dir'` or `oc get csr`",
  );
  expect(replaceProgramName('upi-wizard check --only lb-reaches')).toBe(
    "upi-wizard check --only lb-reaches --dir '/my dir'",
  );
});

test('every command of upi-wizard in a sentence about an installation names the directory', () => {
  const { steps, diagnosis, screens, hosts, moves, cluster, csr } = catalogue();
  const commands = listSentences({ steps, diagnosis, screens, hosts, moves, cluster, csr })
    .flatMap(splitProse)
    .filter(({ isCommand, text }) => isCommand && /^upi-wizard (?!help )/.test(text))
    .map(({ text }) => text);
  expect(commands.length).toBeGreaterThan(12);
  expect(commands.filter((text) => !text.includes(" --dir '/my dir'"))).toEqual([]);
});
