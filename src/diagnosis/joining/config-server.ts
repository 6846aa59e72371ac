import { catalogue } from '../../text/catalogue.ts';
import { check } from '../rule.ts';
import type { JoiningEvidence } from './evidence.ts';

/** A new node fetches its configuration from the machine config server, whose authority worker.ign names. */
export const configServer = check('join-config-server', 'fatal', ({ configServer: server }: JoiningEvidence) => {
  if (server === null) return { state: 'unknown' };
  const { state, detail } = server;
  if (state !== 'untrusted') return { state: state === 'answers' ? 'ok' : 'failed', detail };
  return { state: 'failed', detail, words: catalogue().diagnosis.joining['join-config-server'].untrusted };
});
