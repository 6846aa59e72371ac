import { request } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import { parse } from 'yaml';
import type { ResolveEndpoint } from '../../platform/manual-actions.ts';
import { sendRequest } from '../site/http-exchange.ts';
import { ExitError } from './installer-log.ts';

/** A client of the API at the address in the installer's kubeconfig. */
export interface ApiClient {
  /** `https://api.ocp45.example.localdomain:6443` */
  readonly server: string;
  /**
   * Gets the object at a path; null for 404.
   * @throws Error with the message of Go's HTTP client
   */
  get(path: string): Promise<Record<string, unknown> | null>;
}

interface Kubeconfig {
  readonly clusters?: readonly { readonly cluster?: Record<string, string> }[];
  readonly users?: readonly { readonly user?: Record<string, string> }[];
}

/**
 * Creates a client from the text of a kubeconfig.
 * @param path the kubeconfig's path, for messages
 * @throws ExitError if the kubeconfig is unusable: the real program exits at once, too
 */
export function createApiClient(text: string, path: string, resolveEndpoint: ResolveEndpoint): ApiClient {
  let config: Kubeconfig | null;
  try {
    config = parse(text) as Kubeconfig | null;
  } catch {
    throw new ExitError(
      `loading kubeconfig: error loading config file "${path}": yaml: line 1: did not find expected node content`,
    );
  }
  const cluster = config?.clusters?.[0]?.cluster;
  const user = config?.users?.[0]?.user;
  if (!cluster?.server) {
    throw new ExitError(
      'loading kubeconfig: invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
    );
  }
  const decodeBase64 = (data: string | undefined) =>
    data === undefined ? undefined : Buffer.from(data, 'base64').toString();
  const server = new URL(cluster.server);
  const port = Number(server.port || 443);
  const tls = {
    ca: decodeBase64(cluster['certificate-authority-data']),
    cert: decodeBase64(user?.['client-certificate-data']),
    key: decodeBase64(user?.['client-key-data']),
    servername: server.hostname,
  };
  // The secure context is created on first use, so that an invalid key fails a request, not the creation of the client.
  // All connections share this context: otherwise each would parse the keys again.
  let tlsOptions: (typeof tls & { readonly secureContext: SecureContext }) | undefined;
  return {
    server: cluster.server,
    async get(target) {
      const endpoint = resolveEndpoint(server.hostname, port);
      tlsOptions ??= { ...tls, secureContext: createSecureContext(tls) };
      const headers = { host: server.host, accept: 'application/json' };
      const clientRequest = request({ ...endpoint, ...tlsOptions, path: target, headers, timeout: 10_000 });
      clientRequest.on('timeout', () => clientRequest.destroy(new Error('context deadline exceeded')));
      const { status, body } = await sendRequest(clientRequest).catch((error: NodeJS.ErrnoException) => {
        const message = formatGoError(error, `${server.hostname}:${port}`);
        throw new Error(`Get "${cluster.server}${target}": ${message}`);
      });
      if (status === 404) return null;
      if (status === 401) throw new Error('the server has asked for the client to provide credentials');
      if (status >= 400 && status !== 403)
        throw new Error(`an error on the server ("${status}") has prevented the request from succeeding`);
      return parseObject(body.toString());
    },
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Formats a connection error as Go does. */
function formatGoError(error: NodeJS.ErrnoException, address: string): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return `dial tcp ${address}: connect: connection refused`;
    case 'ECONNRESET':
    case 'EPIPE':
      return 'EOF';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `dial tcp: lookup ${address.split(':')[0]}: no such host`;
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'CERT_SIGNATURE_FAILURE':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
    default:
      return error.message;
  }
}
