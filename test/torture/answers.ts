import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Operation, operationsOf } from './disk.ts';
import { environmentIn, OFFLINE, PROGRAM } from './place.ts';
import type { Torture } from './row.ts';
import { readCalls, runTraced } from './strace.ts';

/** What is typed at the questions of the wizard, in their order; an empty line keeps what is there. */
export const TYPED: readonly string[] = [
  ...['4.17', 'aarch64', '', 'torture', 'lost.example', '', '172.16.0.0/23', '172.16.1.254', '10.132.0.0/14', '24'],
  ...['172.31.0.0/16', '192.168.125.0/24', '192.168.125.254', '172.16.0.121', '172.16.0.120', '172.16.0.122', 'base'],
  ...['172.16.0.103', '', '', 'names', '172.16.0.104', '192.168.125.1', '', 'base', '', 'balance', '172.16.0.113'],
  ...['', '8081', '192.168.125.2', 'emptyDir', 'mine.txt', 'mine.pub', ...Array<string>(9).fill('')],
];

/** A question that waits for its answer; titles of pages look much the same. */
const PROMPT =
  /^(?!Directory|Cluster:|Networks:|Services:|Credentials:|Not verified)([A-Z][\w ]*?)(?: \[.*\])?(?: \(- for none\))?: /gm;

/** The labels of the questions that a run has shown: what was answered before the last of them is saved. */
export function questionsIn(stdout: string): readonly string[] {
  return [...stdout.matchAll(PROMPT)].map(([, label = '']) => label);
}

/** The step after the generated files looks for hosts, which are not there: here a run is ended. */
export const AT_HOSTS = /^\[9\/17\]/m;

/** The wizard, line by line, without a network. */
export const asking = (dir: string): readonly string[] => [...OFFLINE, ...PROGRAM, '--plain', '--dir', dir];

/** How many bytes of data a trace keeps of one call: more than the program writes at once. */
export const ALL_DATA = 4_000_000;

/** A whole session in which every answer is another one: what the system was asked for, and the designs that were saved. */
interface TracedSession {
  /** Nobody writes there. */
  readonly dir: string;
  readonly operations: readonly Operation[];
  readonly saved: readonly unknown[];
}

let lastSession: Promise<TracedSession> | null = null;

/** Such a session: one for each row, and in a short run the same for all of them. */
export function tracedSession({ isShort, atEnd }: Torture): Promise<TracedSession> {
  if (isShort && lastSession !== null) return lastSession;
  const place = mkdtempSync(join(tmpdir(), 'torture-session-'));
  atEnd(async () => rmSync(place, { recursive: true, force: true }));
  lastSession = sessionIn(place);
  return lastSession;
}

async function sessionIn(place: string): Promise<TracedSession> {
  const dir = join(place, 'undisturbed');
  mkdirSync(dir, { mode: 0o700 });
  const log = join(place, 'undisturbed.log');
  const env = environmentIn(place);
  const input = TYPED.join('\n');
  await runTraced({ argv: asking(dir), cwd: place, env, log, input, dataBytes: ALL_DATA, stopAt: AT_HOSTS });
  const operations = operationsOf(readCalls(log), dir);
  const saved = operations.flatMap(savedBy(dir));
  if (saved.length < TYPED.length / 2) throw new Error(`only ${saved.length} saves were seen`);
  return { dir, operations, saved };
}

/** The design that an operation saves. Takes all operations of a run in turn. */
export function savedBy(dir: string): (operation: Operation) => readonly unknown[] {
  const file = join(dir, '.upi-wizard/session.json');
  const texts = new Map<string, string>();
  return (operation) => {
    if (operation.type === 'truncate') texts.delete(operation.path);
    if (operation.type === 'write')
      texts.set(operation.path, (texts.get(operation.path) ?? '') + operation.data.toString());
    if (operation.type !== 'rename' || operation.to !== file) return [];
    return [(JSON.parse(texts.get(operation.from) ?? '{}') as { design?: unknown }).design];
  };
}
