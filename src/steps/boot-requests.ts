import { type BootRequest, readRequests } from '../bastion/boot-log.ts';

interface Known {
  readonly requests: readonly BootRequest[];
  readonly offset: number;
}

/** What was read of each log so far: a look reads only what is new. Nothing but a memory of the file, which is the truth. */
const known = new Map<string, Known>();

/** All requests of a boot server's log, the oldest first. */
export async function readBootLog(file: string): Promise<readonly BootRequest[]> {
  let { requests, offset } = known.get(file) ?? { requests: [], offset: 0 };
  for (;;) {
    const more = await readRequests(file, offset);
    // A log that became shorter was begun anew, and was read from its beginning.
    if (more.offset < offset) requests = [];
    if (more.requests.length > 0) requests = [...requests, ...more.requests];
    const isAtEnd = more.offset === offset;
    offset = more.offset;
    known.set(file, { requests, offset });
    if (isAtEnd) return requests;
  }
}
