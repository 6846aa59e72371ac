import { readFileSync } from 'node:fs';
import * as z from '../../ports/zod.ts';
import type { BootServerStatus } from './boot-server.ts';

const schema = z.discriminatedUnion('state', [
  z.object({ state: z.literal('listening'), host: z.string(), port: z.number(), pid: z.number() }),
  z.object({
    state: z.literal('failed'),
    trouble: z.object({ code: z.string(), title: z.string(), cause: z.string(), whatToDo: z.string() }),
  }),
]);

/** What the boot server said of itself when it started; null before that. Whether it still runs is the job's to say. */
export function readBootStatus(statusFile: string): BootServerStatus | null {
  try {
    return schema.parse(JSON.parse(readFileSync(statusFile, 'utf8')));
  } catch {
    return null;
  }
}
