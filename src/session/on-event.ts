import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../ports/clock.ts';
import { appendDurably, syncDirectory } from '../ports/durable.ts';
import { makeDirectory } from '../ports/make-directory.ts';
import { redact } from '../text/redact.ts';
import { escapeUnseen, sanitizeLine } from '../text/sanitize.ts';
import { unwritable } from './load.ts';
import { readSafely } from './safe-file.ts';

/** The log is turned when it is larger (bytes); one older file is kept. */
const TURNED_AT = 256 * 1024;
/** What a command printed is kept up to this length (characters). */
const OUTPUT = 4000;

/**
 * The command that a person wants to have run on events, in a file of its own: jobs that outlive the wizard read it too, and
 * must not wait for the session.
 */
export const onEventFile = (dir: string) => join(dir, '.upi-wizard', 'on-event');
const logFiles = (dir: string) => [
  join(dir, '.upi-wizard', 'events.ndjson'),
  join(dir, '.upi-wizard', 'events.1.ndjson'),
];

/** @returns null where there is none, or where what lies there is no file of ours */
export function readOnEvent(dir: string): string | null {
  const read = readSafely(onEventFile(dir));
  return read.kind === 'text' && read.text.trim() !== '' ? read.text.trim() : null;
}

/** @param command null: none any more @throws TroubleError `session-unwritable` */
export function setOnEvent(dir: string, command: string | null): void {
  const file = onEventFile(dir);
  const fresh = `${file}.tmp-${process.pid}`;
  try {
    rmSync(command === null ? file : fresh, { force: true });
    if (command === null) return;
    makeDirectory(dirname(file));
    writeFileSync(fresh, `${command}\n`, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(fresh, file);
    syncDirectory(dirname(file));
  } catch (error) {
    throw unwritable(error);
  }
}

/** A line of the log of events. `key`: what is raised once for it. */
export type EventNote =
  | { readonly raised: string; readonly key: string | null; readonly text: string }
  | { readonly command: string; readonly output: string };

/** Notes what was raised, and how the command ended; a log that cannot be written stops nothing. */
export function noteEvent(dir: string, note: EventNote): void {
  const [file = '', older = ''] = logFiles(dir);
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > TURNED_AT) renameSync(file, older);
    const safe = Object.fromEntries(
      Object.entries(note).map(([name, text]) => [
        name,
        typeof text === 'string' ? sanitizeLine(redact(text), OUTPUT) : null,
      ]),
    );
    const line = { at: new Date(systemClock.now()).toISOString(), ...safe };
    appendDurably(file, `${escapeUnseen(JSON.stringify(line))}\n`);
  } catch {
    // The command runs all the same.
  }
}

/** Whether an event was raised for this before, by whichever program. */
export function wasRaised(dir: string, event: string, key: string): boolean {
  const wanted = `"raised":${JSON.stringify(event)},"key":${JSON.stringify(key)},`;
  return logFiles(dir).some((file) => {
    const read = existsSync(file) ? readSafely(file) : null;
    return read?.kind === 'text' && read.text.includes(wanted);
  });
}
