import type { Clock } from '../../ports/clock.ts';

/** Seconds from 1900, where NTP begins, to 1970. */
const EPOCH = 2_208_988_800;
const LENGTH = 48;
/** RFC 5905: no leap second, version 4, server. */
const SERVER = 0x24;
const STRATUM = 2;

/** What a time server answers to a request, by this clock (RFC 5905, 7.3); null: it is none. */
export function timeAnswer(request: Buffer, clock: Clock): Buffer | null {
  if (request.length < LENGTH) return null;
  const now = clock.now();
  const answer = Buffer.alloc(LENGTH);
  answer[0] = SERVER;
  answer[1] = STRATUM;
  request.copy(answer, 24, 40, 48);
  for (const at of [16, 32, 40]) writeTime(answer, at, now);
  return answer;
}

function writeTime(message: Buffer, offset: number, ms: number): void {
  const seconds = Math.floor(ms / 1000);
  message.writeUInt32BE((seconds + EPOCH) % 2 ** 32, offset);
  message.writeUInt32BE(Math.floor(((ms % 1000) / 1000) * 2 ** 32), offset + 4);
}
