import type { IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import { badRequestError, requestTooLargeError, unsupportedMediaTypeError } from './status.ts';

/** As kube-apiserver: 3 MiB. */
const BODY_LIMIT_BYTES = 3 * 1024 * 1024;

/** Returns the media type of a request without its parameters, lower-case. */
export function getMediaType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * The parsed body of a request; undefined when it is empty.
 * @throws StatusError 413 when it is too long, 415 when it is neither JSON nor YAML, 400 when it cannot be parsed
 */
export async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  // The stream stays open after reading stops, or the error would not reach the client.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk);
    length += bytes.length;
    if (length > BODY_LIMIT_BYTES) throw requestTooLargeError(BODY_LIMIT_BYTES);
    chunks.push(bytes);
  }
  if (length === 0) return undefined;
  const text = Buffer.concat(chunks).toString('utf8');
  const mediaType = getMediaType(request);
  if (mediaType === '' || /^application\/(?:.+\+)?json$/.test(mediaType)) return parseWith(JSON.parse, text);
  if (/^application\/(?:.+\+)?yaml$/.test(mediaType))
    return parseWith((yaml) => parseYaml(yaml, { maxAliasCount: 0 }), text);
  throw unsupportedMediaTypeError(['application/json', 'application/yaml']);
}

function parseWith(parse: (text: string) => unknown, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw badRequestError(
      `couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
