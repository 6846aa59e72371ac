// The site of a rehearsal, `node hostile-site.ts SITE_DIR`: while SITE_DIR/hostile is there, texts in every answer of its API
// are hostile: `all` that may be, names too, or only what is `said`, so that all that hangs on names is drawn.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import https, { type ServerOptions } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { commonName, createClientObject, createServingObject, organization, san } from '../support/csr-forge.ts';
import { repoRoot } from '../support/rehearsal-run.ts';
import { marked } from './hostile.ts';
import { poisonAnswer } from './poison-answer.ts';

const toggle = join(process.argv[2] ?? '', 'hostile');
const createServer = https.createServer;
let count = 0;

/** What nothing is looked up by. */
const SAID = /^(?:message|note|reason|image|osImage|kernelVersion|containerRuntimeVersion|phase|host|component)$/;

function next(): string {
  count += 1;
  return marked(count);
}

function hostile(text: string, key: string): string {
  count += 1;
  // One of three stays: the client has to make something of it.
  if (count % 3 === 0 || (mode() === 'said' && !SAID.test(key))) return text;
  return count % 2 === 0 ? `${text} ${marked(count)}` : `${marked(count)} ${text}`;
}

interface Answer {
  readonly kind?: string;
  readonly items?: readonly object[];
}

/** Events, of which the world has none, and settings of an owner that a move has to show. */
function withMore(answer: Answer): object {
  if (answer.kind === 'EventList') return { ...answer, items: Array.from({ length: 20 }, event) };
  if (answer.kind === 'CertificateSigningRequestList')
    return { ...answer, items: [...(answer.items ?? []), ...forged] };
  if (answer.items !== undefined) return { ...answer, items: answer.items.map(withMore) };
  if (answer.kind !== 'IngressController' && answer.kind !== 'DNS') return answer;
  const tolerations = [{ key: next(), operator: 'Equal', value: next() }];
  return { ...answer, spec: { nodePlacement: { tolerations, nodeSelector: { [next()]: '' } } } };
}

/** Requests whose bytes are hostile too: their subject, the names that they ask for, and who sent them. They stay the same, as requests do. */
const forged = Array.from({ length: 12 }, (_, index) => {
  const about = {
    name: `csr-forged-${index}`,
    createdAt: Date.now(),
    subject: [organization(next()), commonName(`system:node:${next()}`)],
    username: next(),
    groups: [next(), next()],
  };
  if (index % 3 === 0) return createClientObject(about);
  const sans = [san.dns(next()), san.email(next()), san.uri(next())];
  return createServingObject({ ...about, sans, ...(index % 3 === 1 ? { usages: [next()] } : {}) });
});

const event = () => ({
  metadata: {
    name: next(),
    namespace: next(),
    creationTimestamp: new Date().toISOString(),
  },
  involvedObject: { kind: next(), name: next() },
  reason: 'Failed',
  message: 'pulling the image',
  type: 'Warning',
  count: 3,
  lastTimestamp: new Date().toISOString(),
});

/** Empty while the world is well. */
function mode(): string {
  try {
    return readFileSync(toggle, 'utf8');
  } catch {
    return '';
  }
}

https.createServer = ((options: ServerOptions, listener: RequestListener) =>
  createServer(options, (request: IncomingMessage, response: ServerResponse) => {
    if (/^\/apis?\//.test(request.url ?? '') && mode() !== '') poisonAnswer(response, hostile, withMore);
    listener(request, response);
  })) as typeof https.createServer;
syncBuiltinESMExports();
await import(join(repoRoot, 'dist/site.js'));
