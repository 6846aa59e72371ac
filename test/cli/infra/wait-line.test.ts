import { expect, test } from 'vitest';
import { createWaitLine } from '../../../src/cli/infra/output.ts';
import { clusterCommands } from '../../../src/i18n/en/cluster-commands.ts';

const MINUTE = 60_000;
const words = clusterCommands.infra;

test('without a terminal a wait prints a line when its reason changes, and once a minute', () => {
  const lines: string[] = [];
  let now = 0;
  const line = createWaitLine({ stderr: (text) => void lines.push(text), canRedraw: false, columns: 80 }, () => now);
  for (now = 0; now <= 2 * MINUTE; now += 2000) line.show({ move: 'router', why: 'one of three', since: 0 });
  line.show({ move: 'router', why: 'two of three', since: 0 });
  line.clear();
  expect(lines).toEqual([
    `${words.waiting('router', 0, 'one of three')}\n`,
    `${words.waiting('router', MINUTE, 'one of three')}\n`,
    `${words.waiting('router', 2 * MINUTE, 'one of three')}\n`,
    `${words.waiting('router', 2 * MINUTE + 2000, 'two of three')}\n`,
  ]);
  expect(words.waiting('router', 2 * MINUTE + 2000, 'x')).toBe('router: waiting (2 min 2 s): x');
});

test('on a terminal the line stays in place, within the width, and is cleared before the next one', () => {
  const written: string[] = [];
  const line = createWaitLine({ stderr: (text) => void written.push(text), canRedraw: true, columns: 30 }, () => 5000);
  line.show({ move: 'router', why: 'prometheus-k8s: 1 of 2 replicas', since: 0 });
  line.clear();
  line.clear();
  expect(written).toEqual(['\rrouter: waiting (5 s): prome…\u001b[K', '\r\u001b[K']);
});
