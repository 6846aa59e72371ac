import { catalogue } from '../../i18n/catalogue.ts';
import { SECOND } from '../../platform/clock.ts';
import { limitHeapGrowth } from '../../platform/process.ts';

import { followRequests } from '../../steps/certificates/follow.ts';
import type { ApprovalResult } from '../../steps/certificates/follow-event.ts';
import { withOverlay } from '../../steps/step-state.ts';
import type { LiveTarget } from '../shared/live.ts';
import type { LiveIo } from '../shared/live-io.ts';
import { formatFollowEvent } from './lines.ts';

const words = () => catalogue().live.csr;
const PROBE_INTERVAL = 3 * SECOND;

/**
 * `csr approve --follow`: follows the requests until every node has joined or a signal stops it. Other events go to
 * standard error.
 * @param onResult receives the results
 * @param beforeFirst approves the named requests before the first probe; undefined if none is named
 * @returns whether all nodes have joined
 */
export async function followUntilJoined(
  live: LiveTarget,
  io: LiveIo,
  onResult: (result: ApprovalResult) => void,
  beforeFirst: (() => Promise<void>) | undefined,
): Promise<boolean> {
  limitHeapGrowth();
  let progress = '';
  // The session's memory belongs to the holder of its lock: this command reads it and never writes it.
  const liveWithOverlay = { ...live, stepState: withOverlay(live.stepState) };
  const end = await followRequests((probe) => probe(liveWithOverlay), {
    signal: io.signal,
    interval: PROBE_INTERVAL,
    until: 'joined',
    ...(beforeFirst ? { beforeFirst } : {}),
    emit(event) {
      if ('result' in event) return onResult(event.result);
      const text = formatFollowEvent(event);
      if (event.type === 'nodes/joined') progress = text;
      io.stderr(`${text}\n`);
    },
  });
  if (end === 'stopped') io.stderr(`${words().stoppedFollowing(progress)}\n`);
  return end === 'joined';
}
