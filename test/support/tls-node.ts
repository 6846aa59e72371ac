import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { createSecureContext } from 'node:tls';

/**
 * A machine of the cluster for tests, a program to run inside a network namespace: servers on ports, each with a
 * certificate by name as the API server has them, or without TLS. Its argument is a file with the ports as JSON.
 */
export interface TlsPort {
  readonly port: number;
  /** PEM by the name that a client asks for; empty: plain HTTP. The first one is for all other names. */
  readonly identities: readonly { readonly name: string; readonly cert: string; readonly key: string }[];
}

const answer: RequestListener = (_request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/plain' }).end('ok\n');
};

function startPort({ port, identities }: TlsPort): void {
  const [first] = identities;
  if (first === undefined) {
    createHttpServer(answer).listen(port, '0.0.0.0');
    return;
  }
  const SNICallback = (name: string, done: (error: null, context: ReturnType<typeof createSecureContext>) => void) => {
    const { cert, key } = identities.find((each) => each.name === name) ?? first;
    done(null, createSecureContext({ cert, key }));
  };
  createServer({ cert: first.cert, key: first.key, SNICallback }, answer).listen(port, '0.0.0.0');
}

if (process.argv[1] === import.meta.filename)
  for (const port of JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as TlsPort[]) startPort(port);
