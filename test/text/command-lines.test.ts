import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
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
