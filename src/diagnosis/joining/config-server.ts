import { catalogue } from '../../i18n/catalogue.ts';
import { check } from '../rule.ts';
import type { JoinEvidence } from './evidence.ts';

/** A new node fetches its configuration from the machine config server; worker.ign contains the CA that it trusts. */
export const configServer = check('join-config-server', 'fatal', ({ configServer: server }: JoinEvidence) => {
  if (server === null) return { state: 'unknown' };
  const { state, detail } = server;
  if (state !== 'untrusted') return { state: state === 'answers' ? 'ok' : 'failed', detail };
  return { state: 'failed', detail, words: catalogue().diagnosis.joining['join-config-server'].untrusted };
});
