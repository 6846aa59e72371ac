import { apiVersionOf, type Kind, objectKindOf } from '../objects/kinds.ts';
import { type KubeObject, type SentObject, textAt } from '../objects/object.ts';
import { wrongField, wrongFieldOfList } from '../objects/received.ts';
import type { Clock } from '../ports/clock.ts';
import { catalogue } from '../text/catalogue.ts';
import { brokenJson, fromStatus, isClusterError, notKubernetes } from './errors.ts';
import type { Exchange, Send } from './transport.ts';

const words = () => catalogue().cluster;

export const JSON_TYPE = /^application\/json\b/i;
/** How often we ask a busy API in total, and the longest pause that we wait at its request (ms of the clock). */
const ATTEMPTS = 3;
const PATIENCE = 5000;

/**
 * Repeats a request when the API is too busy for it and says for how long, as kubectl does. A 429 means that nothing
 * was done, so repeating a write is safe; after a 5xx only reads are repeated.
 */
export async function askAgain<T>(method: Exchange['method'], clock: Clock, act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      const pause = isClusterError(error) && (error.status === 429 || method === 'GET') ? error.retryAfter : null;
      if (pause === null || pause > PATIENCE || attempt === ATTEMPTS) throw error;
      await clock.sleep(pause);
    }
  }
}

/**
 * The JSON of an answer.
 * @throws ClusterError for every status but 2xx, and for what is no JSON
 */
export async function exchangeJson(send: Send, exchange: Exchange, parse: (json: string) => unknown): Promise<unknown> {
  const answer = await send(exchange);
  const { status, contentType, text } = answer;
  if (status < 200 || status > 299) throw fromStatus(answer);
  if (!JSON_TYPE.test(contentType)) throw notKubernetes(words().unexpected.notJson(contentType), status);
  try {
    return parse(text);
  } catch {
    throw brokenJson(text, status);
  }
}

/**
 * The answer as an object of the kind.
 * @param version the version asked for, where it is not the kind's own
 * @throws ClusterError when it is something else
 */
export function asObject(kind: Kind, answer: unknown, version?: string): KubeObject {
  refuse(wrongField(answer), answer, kind);
  return identified(kind, answer as SentObject, version);
}

/**
 * The answer as the items of a list of the kind.
 * @param version the version asked for, where it is not the kind's own
 * @throws ClusterError when it is something else
 */
export function asList(kind: Kind, answer: unknown, version?: string): KubeObject[] {
  const expected = `${objectKindOf(kind)}List`;
  const found = textAt(answer, 'kind') ?? '';
  if (found !== expected) throw notKubernetes(words().unexpected.otherKind(expected, found));
  refuse(wrongFieldOfList(answer), answer, kind);
  return ((answer as { items: readonly SentObject[] | null }).items ?? []).map((item) =>
    // The items of a list of a built-in kind carry neither kind nor apiVersion.
    identified(kind, { kind: objectKindOf(kind), apiVersion: apiVersionOf(kind, version), ...item }, version),
  );
}

function identified(kind: Kind, object: SentObject, version?: string): KubeObject {
  const expected = `${apiVersionOf(kind, version)} ${objectKindOf(kind)}`;
  const found = `${object.apiVersion ?? ''} ${object.kind ?? ''}`;
  if (found !== expected) throw notKubernetes(words().unexpected.otherKind(expected, found.trim()));
  return object as KubeObject;
}

/** @throws ClusterError for a field that is wrong */
function refuse(wrong: string | null, answer: unknown, kind: Kind): void {
  if (wrong === null) return;
  if (textAt(answer, 'kind') === null) throw notKubernetes(words().unexpected.otherKind(kind, ''));
  throw notKubernetes(words().unexpected.shape(wrong || kind));
}
