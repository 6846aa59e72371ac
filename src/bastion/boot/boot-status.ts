import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { describeSystemError } from '../../i18n/system-error.ts';
import type { UserError } from '../../i18n/user-error.ts';
import * as z from '../../platform/zod.ts';

/** Schema of the status file. A boot server of another version may have written it. */
const schema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('listening'), host: z.string(), port: z.number(), pid: z.number() }),
  z.object({
    state: z.literal('failed'),
    trouble: z.object({ code: z.string(), title: z.string(), cause: z.string(), whatToDo: z.string() }),
  }),
]);
type SavedStatus = z.infer<typeof schema>;

/** Content of the status file. */
export type BootServerStatus =
  | { readonly state: 'listening'; readonly host: string; readonly port: number; readonly pid: number }
  | { readonly state: 'failed'; readonly userError: UserError };

/**
 * Reads the status that the boot server wrote at its start; null before that. Whether it still runs is part of the
 * job's status.
 */
export function readBootStatus(statusFile: string): BootServerStatus | null {
  try {
    const saved = schema.parse(JSON.parse(readFileSync(statusFile, 'utf8')));
    if (saved.state === 'listening') return saved;
    const { whatToDo, ...error } = saved.trouble;
    return { state: 'failed', userError: { ...error, remedy: whatToDo } };
  } catch {
    return null;
  }
}

/** Readers that find no status query the server over HTTP, so a full disk is no reason not to serve. */
export function writeBootStatus(file: string, status: BootServerStatus): void {
  try {
    writeFileSync(`${file}.new`, `${JSON.stringify(toSavedStatus(status))}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  } catch (error) {
    process.stderr.write(`${file}: ${describeSystemError(error)}\n`);
  }
}

function toSavedStatus(status: BootServerStatus): SavedStatus {
  if (status.state === 'listening') return status;
  const { remedy, ...error } = status.userError;
  return { state: 'failed', trouble: { ...error, whatToDo: remedy } };
}
