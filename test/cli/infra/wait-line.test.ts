import { expect, test } from 'vitest';
import { createWaitLine } from '../../../src/cli/infra/output.ts';
import { clusterCommands } from '../../../src/i18n/en/cluster-commands.ts';

const MINUTE = 60_000;
const words = clusterCommands.infra;

test('without a terminal a wait prints a line when its reason changes, and once a minute', () => {
  const lines: string[] = [];
  let now = 0;
  const line = createWaitLine({ stderr: (text) => void lines.push(text), columns: 80 }, () => now);
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

test('on a terminal the line stays in place, whole within the width, and is cleared before the next one', () => {
  const written: string[] = [];
  const io = { stderr: () => expect.unreachable(), redraw: (text: string) => void written.push(text), columns: 30 };
  const line = createWaitLine(io, () => 5000);
  line.show({ move: 'router', why: 'prometheus-k8s: 1 of 2 replicas', since: 0 });
  line.show({ move: 'router', why: 'done', since: 0 });
  line.clear();
  line.clear();
  expect(written).toEqual([
    '\rrouter: waiting (5 s):\u001b[K\nprometheus-k8s: 1 of 2\u001b[K\nreplicas\u001b[J',
    '\r\u001b[2Arouter: waiting (5 s): done\u001b[J',
    '\r\u001b[J',
  ]);
});
