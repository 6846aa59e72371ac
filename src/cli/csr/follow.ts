import { SECOND } from '../../ports/clock.ts';
import { keepHeapSmall } from '../../ports/small-heap.ts';
import { follow } from '../../steps/certificates/follow.ts';
import type { ApproveResult } from '../../steps/certificates/follow-event.ts';
import { memoryBeside } from '../../steps/facts.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Live } from '../shared/live.ts';
import type { LiveIo } from '../shared/live-io.ts';
import { followText } from './lines.ts';

const words = () => catalogue().live.csr;
const LOOK_EVERY = 3 * SECOND;

/**
 * `csr approve --follow`: shows what happens until every node has joined or a signal stops it. Results go to `tell`,
 * the rest to standard error.
 * @param first approves the named requests, before the first look; undefined where none is named
 * @returns whether all have joined
 */
export async function followNow(
  live: Live,
  io: LiveIo,
  tell: (result: ApproveResult) => void,
  first: (() => Promise<void>) | undefined,
): Promise<boolean> {
  keepHeapSmall();
  let progress = '';
  // What the session remembers belongs to the holder of its lock: we read it and never write it.
  const followed = { ...live, memory: memoryBeside(live.memory) };
  const end = await follow((look) => look(followed), {
    signal: io.signal,
    every: LOOK_EVERY,
    until: 'joined',
    ...(first ? { first } : {}),
    tell(event) {
      if ('result' in event) return tell(event.result);
      const text = followText(event);
      if (event.type === 'nodes/joined') progress = text;
      io.stderr(`${text}\n`);
    },
  });
  if (end === 'stopped') io.stderr(`${words().stoppedFollowing(progress)}\n`);
  return end === 'joined';
}
