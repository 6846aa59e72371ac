import type { ServerResponse } from 'node:http';

/**
 * Puts poison into texts of the answer that an API is about to give; what is not JSON stays as it is.
 * @param more what else is changed in the answer, before that
 */
export function poisonAnswer(
  response: ServerResponse,
  poison: (text: string, key: string) => string,
  more: (answer: object) => object = (answer) => answer,
): void {
  const end = response.end.bind(response);
  const write = response.write.bind(response);
  const writeHead = response.writeHead.bind(response);
  // The length that the server told would be that of another answer.
  response.writeHead = (status: number, ...rest: unknown[]) => {
    const headers = rest.find((each) => typeof each === 'object' && each !== null && !Array.isArray(each)) ?? {};
    const kept = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length');
    return writeHead(status, Object.fromEntries(kept));
  };
  const parts: Buffer[] = [];
  const take = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) parts.push(Buffer.from(chunk as Uint8Array));
    return true;
  };
  response.write = (chunk: unknown) => take(chunk);
  const finish = (chunk?: unknown): ServerResponse => {
    take(chunk);
    write(poisonedJson(Buffer.concat(parts), poison, more));
    return end();
  };
  response.end = finish as typeof response.end;
}

function poisonedJson(
  body: Buffer,
  poison: (text: string, key: string) => string,
  more: (answer: object) => object,
): string | Buffer {
  try {
    return JSON.stringify(walk(more(JSON.parse(body.toString())), '', poison));
  } catch {
    return body;
  }
}

/** What the client needs to make sense of an answer stays as it is. */
const KEPT = /^(?:kind|apiVersion|uid|resourceVersion|creationTimestamp|request|certificate|signerName)$/;

function walk(value: unknown, key: string, poison: (text: string, key: string) => string): unknown {
  if (typeof value === 'string') return KEPT.test(key) ? value : poison(value, key);
  if (Array.isArray(value)) return value.map((each) => walk(each, key, poison));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, walk(each, name, poison)]));
}
