import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Operation, parseOperations } from './disk.ts';
import type { Torture } from './row.ts';
import { createEnvironment, OFFLINE, PROGRAM } from './run-files.ts';
import { readCalls, runTraced } from './strace.ts';

/** Answers to the prompts of the wizard, in their order. An empty line keeps the current value. */
export const TYPED_ANSWERS: readonly string[] = [
  ...['4.17', 'aarch64', '', 'torture', 'lost.example', '', '172.16.0.0/23', '172.16.1.254', '10.132.0.0/14', '24'],
  ...['172.31.0.0/16', '192.168.125.0/24', '192.168.125.254', '172.16.0.121', '172.16.0.120', '172.16.0.122', 'base'],
  ...['172.16.0.103', '', '', 'names', '172.16.0.104', '192.168.125.1', '', 'base', '', 'balance', '172.16.0.113'],
  ...['', '8081', '192.168.125.2', 'emptyDir', 'mine.txt', 'mine.pub', ...Array<string>(9).fill('')],
];

/** A prompt that waits for its answer. The lookahead excludes page titles, which look similar. */
const PROMPT =
  /^(?!Directory|Cluster:|Networks:|Services:|Credentials:|Not verified)([A-Z][\w ]*?)(?: \[.*\])?(?: \(- for none\))?: /gm;

/** Lists the labels of the prompts that a run has shown. All answers before the last prompt are saved. */
export function findPrompts(stdout: string): readonly string[] {
  return [...stdout.matchAll(PROMPT)].map(([, label = '']) => label);
}

/** The step after the generated files probes hosts that do not exist: a run is ended here. */
export const HOSTS_STEP = /^\[9\/17\]/m;

/** Returns the command of the wizard in plain lines, without a network. */
export const plainArgv = (dir: string): readonly string[] => [...OFFLINE, ...PROGRAM, '--plain', '--dir', dir];

/** Bytes of data that a trace keeps of one call: more than the program writes at once. */
export const ALL_DATA = 4_000_000;

/**
 * A whole session in which each answer changes the design: its system calls as disk operations, and the saved designs.
 */
interface TracedSession {
  /** Read only: later runs do not write there. */
  readonly dir: string;
  readonly operations: readonly Operation[];
  readonly savedDesigns: readonly unknown[];
}

let lastSession: Promise<TracedSession> | null = null;

/** Returns a traced session: one for each row, or the same for all rows in a short run. */
export function getTracedSession({ isShort, atEnd }: Torture): Promise<TracedSession> {
  if (isShort && lastSession !== null) return lastSession;
  const workDir = mkdtempSync(join(tmpdir(), 'torture-session-'));
  atEnd(async () => rmSync(workDir, { recursive: true, force: true }));
  lastSession = traceSession(workDir);
  return lastSession;
}

async function traceSession(workDir: string): Promise<TracedSession> {
  const dir = join(workDir, 'undisturbed');
  mkdirSync(dir, { mode: 0o700 });
  const log = join(workDir, 'undisturbed.log');
  const env = createEnvironment(workDir);
  const input = TYPED_ANSWERS.join('\n');
  await runTraced({ argv: plainArgv(dir), cwd: workDir, env, log, input, dataBytes: ALL_DATA, stopAt: HOSTS_STEP });
  const operations = parseOperations(readCalls(log), dir);
  const savedDesigns = operations.flatMap(createSaveReader(dir));
  if (savedDesigns.length < TYPED_ANSWERS.length / 2) throw new Error(`only ${savedDesigns.length} saves were found`);
  return { dir, operations, savedDesigns };
}

/**
 * Creates a function that returns the designs that an operation saves. It needs all operations of a run in their order.
 */
export function createSaveReader(dir: string): (operation: Operation) => readonly unknown[] {
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
