import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../platform/clock.ts';
import { appendDurably, ensureDirectory, syncDirectory } from '../platform/files.ts';
import { escapeUnprintable, sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import { readSafely } from './safe-file.ts';
import { createUnwritableSessionError } from './session-file.ts';

/** Size at which the log is rotated (bytes); one older file is kept. */
const ROTATE_AT_BYTES = 256 * 1024;
/** Limit for the logged output of a command (characters). */
const MAX_OUTPUT_LENGTH = 4000;

/**
 * Returns the path of the file with the user's command to run on events. The command is not part of the session: jobs
 * that outlive the wizard read it too, and must not wait for the session.
 */
export const getOnEventFile = (dir: string) => join(dir, '.upi-wizard', 'on-event');
const listLogFiles = (dir: string) => [
  join(dir, '.upi-wizard', 'events.ndjson'),
  join(dir, '.upi-wizard', 'events.1.ndjson'),
];

/**
 * Reads the command to run on events.
 * @returns null if there is none, or if the file is not a regular file of ours
 */
export function readOnEventCommand(dir: string): string | null {
  const result = readSafely(getOnEventFile(dir));
  return result.kind === 'text' && result.text.trim() !== '' ? result.text.trim() : null;
}

/**
 * Saves the command to run on events.
 * @param command null removes it
 * @throws UserErrorException `session-unwritable`
 */
export function setOnEventCommand(dir: string, command: string | null): void {
  const file = getOnEventFile(dir);
  const temporaryFile = `${file}.tmp-${process.pid}`;
  try {
    rmSync(command === null ? file : temporaryFile, { force: true });
    if (command === null) return;
    ensureDirectory(dirname(file));
    writeFileSync(temporaryFile, `${command}\n`, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(temporaryFile, file);
    syncDirectory(dirname(file));
  } catch (error) {
    throw createUnwritableSessionError(error);
  }
}

/** A line of the event log. `key`: an event is raised once per key. */
type EventLogEntry =
  | { readonly raised: string; readonly key: string | null; readonly text: string }
  | { readonly command: string; readonly output: string };

/** Logs a raised event, or the result of the command. Ignores a log that cannot be written. */
export function logEvent(dir: string, entry: EventLogEntry): void {
  const [file = '', olderFile = ''] = listLogFiles(dir);
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > ROTATE_AT_BYTES) renameSync(file, olderFile);
    const safeEntry = Object.fromEntries(
      Object.entries(entry).map(([name, text]) => [
        name,
        typeof text === 'string' ? sanitizeLine(redact(text), MAX_OUTPUT_LENGTH) : null,
      ]),
    );
    const line = { at: new Date(systemClock.now()).toISOString(), ...safeEntry };
    appendDurably(file, `${escapeUnprintable(JSON.stringify(line))}\n`);
  } catch {
    // The command runs anyway.
  }
}

/** Whether any program raised this event for this key before. */
export function wasEventRaised(dir: string, event: string, key: string): boolean {
  const entryPart = `"raised":${JSON.stringify(event)},"key":${JSON.stringify(key)},`;
  return listLogFiles(dir).some((file) => {
    const result = existsSync(file) ? readSafely(file) : null;
    return result?.kind === 'text' && result.text.includes(entryPart);
  });
}
