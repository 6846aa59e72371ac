// The site of a rehearsal, `node hostile-site.ts SITE_DIR`. While SITE_DIR/hostile exists, texts in every response of
// its API are hostile. `all` includes names; `free-text` means only free text, so that everything that depends on names
// is drawn.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import https, { type ServerOptions } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { commonName, createClientObject, createServingObject, organization, san } from '../support/csr-forge.ts';
import { repoRoot } from '../support/rehearsal-run.ts';
import { createPoison } from './hostile.ts';
import { poisonResponse } from './poison-response.ts';

const toggle = join(process.argv[2] ?? '', 'hostile');
const createServer = https.createServer;
let count = 0;

/** Fields of free text: no lookup uses them. */
const FREE_TEXT_FIELDS =
  /^(?:message|note|reason|image|osImage|kernelVersion|containerRuntimeVersion|phase|host|component)$/;

function createNextPoison(): string {
  count += 1;
  return createPoison(count);
}

function poisonText(text: string, key: string): string {
  count += 1;
  // One of three texts stays unchanged, so that the client can still interpret the object.
  if (count % 3 === 0 || (readMode() === 'free-text' && !FREE_TEXT_FIELDS.test(key))) return text;
  return count % 2 === 0 ? `${text} ${createPoison(count)}` : `${createPoison(count)} ${text}`;
}

interface ApiResponse {
  readonly kind?: string;
  readonly items?: readonly object[];
}

/** Adds events, which the world does not have, forged requests, and settings of an owner that a move has to show. */
function addHostileObjects(response: ApiResponse): object {
  if (response.kind === 'EventList') return { ...response, items: Array.from({ length: 20 }, createEvent) };
  if (response.kind === 'CertificateSigningRequestList')
    return { ...response, items: [...(response.items ?? []), ...forgedRequests] };
  if (response.items !== undefined) return { ...response, items: response.items.map(addHostileObjects) };
  if (response.kind !== 'IngressController' && response.kind !== 'DNS') return response;
  const tolerations = [{ key: createNextPoison(), operator: 'Equal', value: createNextPoison() }];
  return { ...response, spec: { nodePlacement: { tolerations, nodeSelector: { [createNextPoison()]: '' } } } };
}

/**
 * Requests with hostile bytes: the subject, the requested names and the requester. They stay the same, like real
 * requests.
 */
const forgedRequests = Array.from({ length: 12 }, (_, index) => {
  const fields = {
    name: `csr-forged-${index}`,
    createdAt: Date.now(),
    subject: [organization(createNextPoison()), commonName(`system:node:${createNextPoison()}`)],
    username: createNextPoison(),
    groups: [createNextPoison(), createNextPoison()],
  };
  if (index % 3 === 0) return createClientObject(fields);
  const sans = [san.dns(createNextPoison()), san.email(createNextPoison()), san.uri(createNextPoison())];
  return createServingObject({ ...fields, sans, ...(index % 3 === 1 ? { usages: [createNextPoison()] } : {}) });
});

const createEvent = () => ({
  metadata: {
    name: createNextPoison(),
    namespace: createNextPoison(),
    creationTimestamp: new Date().toISOString(),
  },
  involvedObject: { kind: createNextPoison(), name: createNextPoison() },
  reason: 'Failed',
  message: 'pulling the image',
  type: 'Warning',
  count: 3,
  lastTimestamp: new Date().toISOString(),
});

/** Reads the mode; it is empty while the world is benign. */
function readMode(): string {
  try {
    return readFileSync(toggle, 'utf8');
  } catch {
    return '';
  }
}

https.createServer = ((options: ServerOptions, listener: RequestListener) =>
  createServer(options, (request: IncomingMessage, response: ServerResponse) => {
    if (/^\/apis?\//.test(request.url ?? '') && readMode() !== '')
      poisonResponse(response, poisonText, addHostileObjects);
    listener(request, response);
  })) as typeof https.createServer;
syncBuiltinESMExports();
await import(join(repoRoot, 'dist/site.js'));
