import type { ServerResponse } from 'node:http';

/**
 * Puts poison into the texts of an API response before it is sent. A body that is not JSON stays unchanged.
 * @param extend adds fields to a JSON body before that
 */
export function poisonResponse(
  response: ServerResponse,
  poison: (text: string, key: string) => string,
  extend: (answer: object) => object = (answer) => answer,
): void {
  const end = response.end.bind(response);
  const write = response.write.bind(response);
  const writeHead = response.writeHead.bind(response);
  // The Content-Length header of the server does not match the poisoned body.
  response.writeHead = (status: number, ...rest: unknown[]) => {
    const headers = rest.find((each) => typeof each === 'object' && each !== null && !Array.isArray(each)) ?? {};
    const remainingHeaders = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length');
    return writeHead(status, Object.fromEntries(remainingHeaders));
  };
  const parts: Buffer[] = [];
  const collect = (chunk: unknown) => {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) parts.push(Buffer.from(chunk as Uint8Array));
    return true;
  };
  response.write = (chunk: unknown) => collect(chunk);
  const finish = (chunk?: unknown): ServerResponse => {
    collect(chunk);
    write(poisonJson(Buffer.concat(parts), poison, extend));
    return end();
  };
  response.end = finish as typeof response.end;
}

function poisonJson(
  body: Buffer,
  poison: (text: string, key: string) => string,
  extend: (answer: object) => object,
): string | Buffer {
  try {
    return JSON.stringify(poisonValue(extend(JSON.parse(body.toString())), '', poison));
  } catch {
    return body;
  }
}

/** Fields that the client needs to interpret a response stay unchanged. */
const PROTECTED_FIELDS = /^(?:kind|apiVersion|uid|resourceVersion|creationTimestamp|request|certificate|signerName)$/;

function poisonValue(value: unknown, key: string, poison: (text: string, key: string) => string): unknown {
  if (typeof value === 'string') return PROTECTED_FIELDS.test(key) ? value : poison(value, key);
  if (Array.isArray(value)) return value.map((each) => poisonValue(each, key, poison));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, poisonValue(each, name, poison)]));
}
