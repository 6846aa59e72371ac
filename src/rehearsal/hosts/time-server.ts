import type { Clock } from '../../platform/clock.ts';

/** Seconds between the epochs of NTP (1900) and Unix (1970). */
const NTP_EPOCH_OFFSET = 2_208_988_800;
const MESSAGE_LENGTH = 48;
/** RFC 5905: no leap second, version 4, mode server. */
const SERVER_FLAGS = 0x24;
const STRATUM = 2;

/** Builds the response of a time server to a request, by this clock (RFC 5905, 7.3); null: the request is invalid. */
export function buildTimeResponse(request: Buffer, clock: Clock): Buffer | null {
  if (request.length < MESSAGE_LENGTH) return null;
  const now = clock.now();
  const response = Buffer.alloc(MESSAGE_LENGTH);
  response[0] = SERVER_FLAGS;
  response[1] = STRATUM;
  request.copy(response, 24, 40, 48);
  for (const offset of [16, 32, 40]) writeTime(response, offset, now);
  return response;
}

function writeTime(message: Buffer, offset: number, ms: number): void {
  const seconds = Math.floor(ms / 1000);
  message.writeUInt32BE((seconds + NTP_EPOCH_OFFSET) % 2 ** 32, offset);
  message.writeUInt32BE(Math.floor(((ms % 1000) / 1000) * 2 ** 32), offset + 4);
}
